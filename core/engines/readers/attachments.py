"""Files inside a file: what an archive or a mail holds, handed out one by one within limits.

A name is text only: nothing is ever written to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from core.engines.readers import plain_text
from core.errors import UnreadableDocument
from core.ports import Attachment

COUNT = 2_000  # files taken out of one file
BYTES = 500_000_000  # of all files taken out of one file
_NAME = 200  # characters


def content_of(attachment: Attachment) -> bytes:
    """Return the bytes of a file that another container handed out. Raises UnreadableDocument where there are none."""
    if attachment.reason:
        raise UnreadableDocument(reason=attachment.reason, remedy=attachment.remedy)
    return attachment.data


class Children:
    """A count of what is handed out. Beyond the limits a file is still named, with the reason why it is not there."""

    def __init__(self, limit: int = 0) -> None:
        self._most = limit or COUNT
        self._count = 0
        self._bytes = 0
        self._over = 0
        self._names: dict[str, int] = {}

    def take(self, name: str, data: Callable[[], bytes], *, size: int = 0) -> list[Attachment]:
        """Return the file, or why it is not read. ``data`` is called only if there is room for ``size`` bytes."""
        if self._count >= self._most:
            self._over += 1
            return []
        self._count += 1
        display_name = self._unique(_display_name(name))
        if self._bytes + size > BYTES:
            return [_too_much(display_name)]
        try:
            content = data()
        except UnreadableDocument as error:
            return [Attachment(display_name, b"", error.sentence, error.hint)]
        if self._bytes + len(content) > BYTES:
            return [_too_much(display_name)]
        self._bytes += len(content)
        return [Attachment(display_name, content)]

    def rest(self) -> list[Attachment]:
        """Return one entry for all files beyond the number that is taken."""
        if not self._over:
            return []
        return [
            Attachment(
                f"({self._over} more)",
                b"",
                f"{self._over:,} more files were not extracted: {self._most:,} is the limit for one file.",
                "Unpack or save them, and add the folder.",
            )
        ]

    def _unique(self, name: str) -> str:
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        if not count:
            return name
        stem, dot, last = name.rpartition(".")
        return f"{stem} ({count + 1}).{last}" if dot and stem and "/" not in last else f"{name} ({count + 1})"


def _display_name(name: str) -> str:
    """Make a name that can be shown: one line, forward strokes, no way up or to the root."""
    text = " ".join(plain_text.clean(name).replace("\f", " ").replace("\\", "/").split())
    text = re.sub(r"[\u200e\u200f\u202a-\u202e\u2066-\u2069]", "\ufffd", text)
    steps = [step for step in text.split("/") if step not in ("", ".", "..")]
    text = "/".join(steps)
    return (text if len(text) <= _NAME else text[: _NAME // 2 - 1] + "…" + text[-_NAME // 2 :]) or "unnamed"


def _too_much(name: str) -> Attachment:
    return Attachment(
        name,
        b"",
        f"{name} was not extracted, because the files before it already have {BYTES // 1_000_000} MB.",
        "Unpack or save it, and add it by itself.",
    )
