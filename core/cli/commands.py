"""The whole grammar: every command of the command line, in one order."""

from __future__ import annotations

from argparse import ArgumentParser

from core.cli import (
    accuracy,
    answers,
    audit,
    backup,
    case,
    conflicts,
    doctor,
    documents,
    entities,
    erasure,
    evidence,
    glossary,
    handbook,
    hypotheses,
    licences,
    matrix,
    models,
    ocr,
    passphrase,
    plans,
    recovery,
    report,
    review,
    search,
    selftest,
    timeline,
    window,
)
from core.cli.grammar import Commands

FEATURES = (
    case, documents, erasure, ocr, search, answers, audit, conflicts, entities, timeline, hypotheses, evidence,
    matrix, plans, review, accuracy, glossary, report, models, backup, recovery, passphrase, doctor, selftest,
    handbook, licences, window,
)  # fmt: skip
# As the help lists them: about in the order of the work.
ORDER = (
    "new", "add", "retry", "unlock", "imports", "remove", "erase", "forget", "ocr", "documents", "originals", "page",
    "versions", "hypothesis", "search", "ask", "audit", "conflicts", "resolve", "propose", "proposals", "classify",
    "accept", "reject", "undo", "redo", "evidence", "join", "split", "rate", "suggest", "matrix", "group", "history",
    "timeline", "changed", "merge", "consider", "absence", "settings", "import", "quote", "report", "plan", "effort",
    "discriminate", "names", "themes", "dates", "missed", "models", "backup", "recover", "passphrase", "verify",
    "rebuild", "embed", "demo", "exam", "second", "rejudge", "agreement", "accuracy", "glossary", "doctor",
    "selftest", "handbook", "licences", "gui",
)  # fmt: skip


def parser() -> ArgumentParser:
    """Make the whole grammar."""
    commands = Commands()
    for feature in FEATURES:
        feature.register(commands)
    return commands.parser(ORDER)
