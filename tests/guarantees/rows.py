"""All promises, in the order of their ids."""

from __future__ import annotations

from tests.guarantees.rows_of_cases import CASE_FILES, DURABILITY, RECORD, SECRECY
from tests.guarantees.rows_of_input import DOCUMENTS, HOSTILE_TEXT, MODELS
from tests.guarantees.rows_of_the_program import COMMAND_LINE, EXPORTS, OFFLINE, PACKAGING, WINDOW

ROWS = (
    *DURABILITY,
    *CASE_FILES,
    *DOCUMENTS,
    *MODELS,
    *HOSTILE_TEXT,
    *EXPORTS,
    *OFFLINE,
    *RECORD,
    *WINDOW,
    *PACKAGING,
    *COMMAND_LINE,
    *SECRECY,
)
