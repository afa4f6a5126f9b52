"""A damaged case made into a new one, with the engines that read lost pages again out of their originals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.documents import chunking
from core.domain import PageText
from core.errors import AppError, CaseCorrupt, CaseUnreadable
from core.files import is_file, is_there
from core.ocr import page_selection
from core.ports import Reader
from core.progress import Progress
from core.store import backups, recovery
from core.store.case_key import CaseKey
from core.store.recovery import Recovery
from core.store.recovery_caveat import KINDS as KINDS
from core.store.recovery_caveat import share as share

_LONGEST = 200  # bytes of a name that the one of the recovered case is made of


def recover(
    case: Path,
    target: Path,
    *,
    reader: Reader | None = None,
    who: str = "",
    progress: Progress | None = None,
    key: CaseKey | None = None,
) -> Recovery:
    """Make a new case at ``target`` of what can be read of ``case``, which is left as it is.

    With a ``reader``, pages whose text was lost are read again out of their originals. ``key`` is that of an encrypted
    case. Raises CaseNotFound, CaseInUse,
    CaseExists, CannotWrite, DiskFull, CaseCorrupt where nothing of a case could be read.
    """

    def read_again(data: bytes, name: str, password: str) -> Iterator[PageText]:
        assert reader is not None
        for item in reader.read(data, name, password=password):
            if isinstance(item, PageText):
                yield page_selection.with_ocr_flag(item)

    try:
        return recovery.recover(
            case,
            target,
            who=who,
            progress=progress,
            read_again=None if reader is None else read_again,
            split=chunking.split,
            key=key,
        )
    except CaseCorrupt as error:
        error.details["nothing"] = True  # can be read in it
        raise backups.advise(error, case, key)  # noqa: B904 - the same error, with what can be done about it


def way_on(error: AppError) -> str:
    """Name the command that saves what can be read of a case that was not opened for ``error``; '' where none does."""
    case = error.details.get("path")
    if not isinstance(error, CaseCorrupt | CaseUnreadable) or "backup" not in error.details:
        return ""  # it was not a case that could not be opened
    if "nothing" in error.details or not isinstance(case, Path) or not is_file(case) or not case.stat().st_size:
        return ""
    return f'What can be read of it can be saved into a new case: disconfirm recover "{case}" "{free_name(case)}"'


def free_name(case: Path) -> Path:
    """Return a name for the recovered case beside the damaged one that is not taken."""
    number = 1
    stem = case.stem if len(case.name.encode("utf-8", "replace")) < _LONGEST else case.stem[: _LONGEST // 8]
    while is_there(
        target := case.with_name(f"{stem} recovered{f' {number}' if number > 1 else ''}{case.suffix[: _LONGEST // 8]}")
    ):
        number += 1
    return target
