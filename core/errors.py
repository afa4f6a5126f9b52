"""Errors and problems, in the reader's words.

Two kinds live here. A ``Problem`` is a value: one item of many failed and the rest goes on. An ``AppError`` is raised:
the person or the machine can put it right. ``Cancelled`` lives in ``core.progress``; anything else is a bug.
"""

from __future__ import annotations

import platform
import sys
import traceback
from dataclasses import dataclass
from types import TracebackType

import core


@dataclass(frozen=True, slots=True)
class Problem:
    """One item that could not be handled: where, what happened, and what the person can do."""

    where: str
    what: str
    hint: str

    @classmethod
    def at(cls, where: object, error: AppError) -> Problem:
        """Make the problem that ``error`` is for the item named by ``where``."""
        return cls(str(where), error.sentence, error.hint)


def remedy(source: str, package: str = "Install Disconfirm again.") -> str:
    """Return what helps here: a program that runs from its source is set up again, a packaged one installed."""
    return package if getattr(sys, "frozen", False) else source


class AppError(Exception):
    """Something the person or the machine can put right.

    Each subclass states cause and effect in ``sentence`` and the remedy in ``hint``. Fields in braces are filled from
    the keyword arguments of the constructor; they are kept in ``details`` so that nobody has to parse a sentence.
    """

    sentence = "The program could not do this."
    hint = "Try again."

    def __init__(self, **details: object) -> None:
        self.details = details
        self.sentence = type(self).sentence.format(**details)
        self.hint = type(self).hint.format(**details)
        super().__init__(self.sentence)


def bug_report(kind: type[BaseException], trace: TracebackType | None, libraries: str = "") -> str:
    """Write versions and the places in the code, without the message: a message may quote a document.

    ``libraries``: more versions to name.
    """
    python = f"Python {platform.python_version()}"
    return (
        f"Disconfirm {core.__version__}\n{', '.join(filter(None, (python, libraries)))}\n{platform.platform()}\n\n"
        f"{kind.__module__}.{kind.__qualname__}\n{''.join(traceback.format_tb(trace))}"
    )


# --- the case file -----------------------------------------------------------------------------------------------


class CaseNotFound(AppError):
    """A path where no case lies."""

    sentence = "There is no case file at {path}."
    hint = "Check the path, or make a new case there with: disconfirm new {path}"


class CaseExists(AppError):
    """A new case or copy whose place is taken."""

    sentence = "There is already a file at {path}; it was left as it is."
    hint = "Choose another name, or open the existing case."


class CaseInUse(AppError):
    """A case that another program has locked; ``holder`` says which."""

    sentence = "The case {path} is open in another program ({holder}); nothing was changed."
    hint = "Close it there, or open a copy of the file."


class CaseLockBlocked(AppError):
    """Something beside a case that is where its lock belongs; ``what`` says what it is."""

    sentence = (
        "The case {path} was not opened: {lock} beside it {what}, so the case cannot be locked; nothing was changed."
    )
    hint = "Move {lock} away and open the case again. If the case came from somebody else, ask why it is there."


class CaseMoved(AppError):
    """A case whose file is not where it was opened any more; ``remedy`` tells where what was saved before is."""

    sentence = (
        "The case {path} was {what} by another program while it was open; "
        "this step was not saved, and nothing can be saved until the file is back."
    )
    hint = "{remedy}"


class CaseUnfinished(AppError):
    """A case whose last changes are not in it, though it can be opened without them; ``what`` says where they are."""

    sentence = "The case {path} was not opened, and nothing was changed: {what}."
    hint = "{remedy}"


class CaseUnreadable(AppError):
    """A file that is no case, or that nobody here may read."""

    sentence = "The file {path} is not a Disconfirm case or cannot be read ({reason}); it was left as it is."
    hint = "Check that it is the right file and that you are allowed to read it."


class CaseIsFolder(CaseUnreadable):
    """A path of a case at which a folder lies."""

    sentence = "{path} is a folder, not a case; it was left as it is."
    hint = "Name the file of the case in it: its name ends in .disconfirm."


class PassphraseNeeded(AppError):
    """A case with a passphrase, and none was given that is for it."""

    sentence = "The case {path} is encrypted and was not opened: its passphrase is needed."
    hint = "On the command line: --passphrase-file FILE, or run the command in a terminal, which asks for it."


class PassphraseWrong(AppError):
    """A passphrase that is not that of the case."""

    sentence = "This is not the passphrase of {path}; nothing was changed."
    hint = (
        "Check capitals and the keyboard layout, and type it again. If it is certainly right, the first bytes of the "
        "file are damaged: use a backup."
    )


class CaseCorrupt(AppError):
    """A case that the database itself finds damaged."""

    sentence = "The case {path} is damaged ({reason}); it was left as it is."
    hint = "Keep the file as it is. Its backups, if it has any, are in '{backups}'; close the case to restore one."


class ResultAltered(CaseCorrupt):
    """A kept answer, conflict or audit, or a decision on one, that is not what the log says."""

    sentence = "{id} in {path} was altered: it does not match the log of decisions, so it is not shown."
    hint = "List the faults with: disconfirm verify CASE. Then go on with your last sound copy of the case."


class CaseValueWrong(CaseCorrupt):
    """A row whose text cannot be what its column holds."""

    sentence = (
        "The case is damaged or was altered: '{column}' of {table} {id} has an impossible value; nothing was changed."
    )
    hint = "List the faults with: disconfirm verify CASE. Then go on with your last sound copy of the case."


class CaseNotProven(AppError):
    """A case that is not what its log says.

    ``fault`` is the first that was found, a sentence without its full stop; ``effect`` what was not done.
    """

    sentence = "The case {path} fails its own check ({fault}), so {effect}."
    hint = "List the faults with: disconfirm verify {path}. Keep the file as it is, and use your last sound copy."


class CaseFromNewerVersion(AppError):
    """A case of a format that this version does not know yet."""

    sentence = "The case {path} was saved by a newer version of the program (format {found}, this one knows {known})."
    hint = "Update the program, or open the copy made before the update. Nothing was written."


class CaseReadOnly(AppError):
    """A decision on a case that can only be read."""

    sentence = "The case {path} is in a place that cannot be written to, so it is open for viewing only."
    hint = "Copy the case to a folder you can write to, and open the copy."


class CaseClosed(AppError):
    """Work on a case that was closed meanwhile."""

    sentence = "The case {path} was closed before this could be done."
    hint = "Open the case again and repeat the step; everything saved before is there."


class BackupNotMade(AppError):
    """A backup that could not be written."""

    sentence = "No backup of the case {path} was made: {reason}. The case itself is not affected."
    hint = "{remedy}"


class BackupUnusable(AppError):
    """A backup that cannot be restored."""

    sentence = "The backup {name} cannot be used ({reason}); nothing was changed."
    hint = "Choose another one. List them with: disconfirm backup CASE"


class IndexDamaged(AppError):
    """A search index that must be made again."""

    sentence = "The search index of {path} is damaged ({reason}); documents and decisions are not affected."
    hint = "Rebuild it with: disconfirm rebuild {path}"


class QuoteNotProven(AppError):
    """A quote whose words are not on its page, refused by the store."""

    sentence = "The quote is not at the stated place on page {page} of {document}, so it was not saved."
    hint = "Mark the quote on the page again."


class DiskFull(AppError):
    """A write to an open case that found no room."""

    sentence = "The disk holding {path} is full; the last step was not saved, everything before it was."
    hint = "Free some space and try again. The case stays open."


class ErasureUnfinished(DiskFull):
    """An erasure that is done, where the file could not be written again for want of room."""

    sentence = (
        "The disk holding {path} is full: what you erased is gone from the case, but the file was not rewritten, so "
        "free space inside it may still contain traces. No backup was deleted."
    )
    hint = "Free some space and open the case again: the file is rewritten then."


class DiskFailed(AppError):
    """A disk that reported an error while a case on it is open: pulled out, or broken."""

    sentence = "The disk holding {path} reported an error; the last step was not saved, everything before it was."
    hint = (
        "Save a copy on another disk, then close the case. What you typed last is still on the screen. If the disk was "
        "pulled out, put it back and open the case again."
    )


class NoRoom(AppError):
    """A case that cannot be opened for want of room."""

    sentence = "The disk holding {path} is full, so the case cannot be used; nothing that was saved is lost."
    hint = "Free some space and open the case again."


class EngineTooOld(AppError):
    """A database library without what the program needs."""

    sentence = "The database library is not usable: {reason}."
    hint = remedy("Reinstall the program with: python3 packaging/bootstrap.py run")


class NoSuchPage(AppError):
    """A page that the handbook does not have."""

    sentence = "The handbook has no page '{page}'."
    hint = "It has: {names}. Or look for words with: disconfirm handbook --search WORDS"


class NoSuchItem(AppError):
    """An id that the case does not have; ``listing`` is the command that lists its kind."""

    sentence = "This case has no {kind} '{id}'."
    hint = "List them with: disconfirm {listing} CASE"


# --- models and child processes ----------------------------------------------------------------------------------


class ModelMissing(AppError):
    """A model that is not on this computer; ``effect`` says what goes without it."""

    sentence = "The {role} model is not on this computer (looked for {path}), so {effect}."
    hint = remedy("Fetch it with: python3 packaging/bootstrap.py models")


class ModelUnreadable(AppError):
    """A model file that is damaged, of another form, or answers nonsense."""

    sentence = "The model file {path} cannot be used ({reason}), so {effect}."
    hint = remedy(
        "Get the file again (the program's own: python3 packaging/bootstrap.py models), or choose another model.",
        "Get the file again (the program's own: install Disconfirm again), or choose another model.",
    )


class LibraryMissing(AppError):
    """A library that only those need who want what it does; ``option`` is the one of the set-up that adds it."""

    sentence = "The library {library} is not installed, so {effect}."
    hint = remedy(
        "Add it with: python3 packaging/bootstrap.py setup {option}",
        "The packaged program leaves it out. Run Disconfirm from its source, which it includes: "
        "disconfirm licences --source FOLDER",
    )


class NotEnoughMemory(AppError):
    """A model that is larger than the memory that is free; figures in MB."""

    sentence = "The {role} model needs about {needed} MB of memory, but only {free} MB are free, so {effect}."
    hint = "Close other programs, or choose a smaller model in the settings."


class EngineStopped(AppError):
    """A child process that ended at work; ``item`` is what it worked on."""

    sentence = "The {engine} process ended while working on {item} ({reason}); everything saved before is safe."
    hint = "Run the step again: finished work is skipped. If it happens again with the same item, leave that item out."


class CannotRunHere(AppError):
    """A model whose process ended again and again by the same fault of the processor."""

    sentence = (
        "The model {path} cannot run on this computer: its process ended each time because of {fault}, so it "
        "is not started again and gives no verdicts; everything else works."
    )
    hint = remedy(
        "Build the library that runs it without the newest instructions: python3 packaging/bootstrap.py setup --plain. "
        "To try once more as it is: disconfirm models test. Or choose another model.",
        "Choose another model. To try once more as it is: disconfirm models test",
    )


# --- documents -----------------------------------------------------------------------------------------------------


class UnreadableDocument(AppError):
    """One document that cannot be read. The workbench turns it into a ``Problem``; the batch goes on."""

    sentence = "{reason}"
    hint = "{remedy}"


class PasswordNeeded(UnreadableDocument):
    """A file that opens with a password only: none was given, or a wrong one."""


class BadRating(AppError):
    """A rating that is none of the six."""

    sentence = "'{value}' is not a rating."
    hint = "Use one of CC, C, N, I, II, NA."


class BadInput(AppError):
    """Something that a person gave and that cannot be taken, with cause and remedy."""

    sentence = "{reason}"
    hint = "{remedy}"


class SeveralMatrices(AppError):
    """A file of several matrices of which none was chosen.

    ``choices`` holds one line a matrix: its name, a tab, its title.
    """

    sentence = "The file {name} contains {count} matrices; none was chosen, so nothing was imported."
    hint = "Choose one by its name, on the command line with --matrix NAME. It has: {names}."


class CannotWrite(AppError):
    """A file that could not be written."""

    sentence = "The file {path} could not be written ({reason}); a file that was there before was left as it is."
    hint = "Choose a folder you can write to, or free some space."
