"""A damaged case made into a new one, with the engines that read lost pages again out of their originals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from core.documents import chunking
from core.domain import PageText
from core.ocr import page_selection
from core.ports import Reader
from core.progress import Progress
from core.store import recovery
from core.store.case_key import CaseKey
from core.store.recovery import Recovery
from core.store.recovery_caveat import KINDS as KINDS
from core.store.recovery_caveat import share as share


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

    return recovery.recover(
        case,
        target,
        who=who,
        progress=progress,
        read_again=None if reader is None else read_again,
        split=chunking.split,
        key=key,
    )


def free_name(case: Path) -> Path:
    """Return a name for the recovered case beside the damaged one that is not taken."""
    number = 1
    while (
        target := case.with_name(f"{case.stem} recovered{f' {number}' if number > 1 else ''}{case.suffix}")
    ).exists():
        number += 1
    return target
