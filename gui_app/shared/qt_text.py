"""The text of a page as Qt counts it.

Offsets of the case are code points; Qt counts UTF-16 units and rewrites some characters, so text is shown through here
and never handed to a text widget directly.
"""

from __future__ import annotations

from bisect import bisect_left

# Shown one for one, so that no offset moves: characters Qt would swallow or take for its own frame and block marks.
_SHOWN = str.maketrans(
    {"\0": "\ufffd", "\r": "\n", "\u2029": "\n", "\ufdd0": "\ufffd", "\ufdd1": "\ufffd", "\ufffc": "\ufffd"}
    | {chr(code): "\ufffd" for code in range(0xD800, 0xE000)}
)


class QtText:
    """A page's text made fit to show, with the way between its offsets and Qt's."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", " \n").translate(_SHOWN)
        # Only characters outside the basic plane count double in Qt: keep where they are.
        self._wide = (
            [index for index, char in enumerate(self.text) if char > "\uffff"] if not self.text.isascii() else []
        )

    def to_qt(self, offset: int) -> int:
        """Return the position in Qt's document of the character at ``offset``."""
        return offset + bisect_left(self._wide, offset)

    def from_qt(self, position: int) -> int:
        """Return the offset of the character at Qt's ``position``; inside a double character, its start."""
        low, high = 0, len(self._wide)
        while low < high:
            middle = (low + high) // 2
            if self._wide[middle] + middle < position - 1:
                low = middle + 1
            else:
                high = middle
        offset = position - low
        if low < len(self._wide) and self._wide[low] + low == position - 1:
            # Either just behind the first half of a double character, which is still that character.
            return self._wide[low]
        return offset
