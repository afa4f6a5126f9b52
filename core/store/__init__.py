"""The case file: the only SQL of the program. One SQLite file holds one case."""

from __future__ import annotations

from core.store.backups import Backup, Backups, Restored
from core.store.case_file import CaseFile
from core.store.case_key import CaseKey
from core.store.connection import check_engine
from core.store.document_descriptions import DESCRIBED, Relatives
from core.store.document_removal import Dependents
from core.store.erased_copies import CaseCopy, copies_with
from core.store.erasure import CutText, Erasure
from core.store.header import case_part, spare_cases
from core.store.import_history import Found, ImportCount, ImportedRow, PendingFile
from core.store.integrity import CaseCheck
from core.store.leftovers import move_case
from core.store.lock import is_open_here
from core.store.merge import Merged, merge
from core.store.ocr_corrections import Corrected
from core.store.typed_text import TypedText
from core.store.vector_index import ModelVectors

__all__ = [
    "DESCRIBED", "Backup", "Backups", "CaseCheck", "CaseCopy", "CaseFile", "CaseKey", "Corrected", "CutText",
    "Dependents", "Erasure", "Found", "ImportCount", "ImportedRow", "Merged", "ModelVectors", "PendingFile",
    "Relatives", "Restored", "TypedText", "case_part", "check_engine", "copies_with", "is_open_here", "merge",
    "move_case", "spare_cases",
]  # fmt: skip
