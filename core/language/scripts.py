"""Scripts that are written without blanks between words."""

from __future__ import annotations

import re

# Thai, Lao, Burmese, Khmer, kana, Chinese.
WITHOUT_BLANKS = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)


def is_word_border(text: str, offset: int) -> bool:
    """Return whether a word can begin or end between ``text[at - 1]`` and ``text[at]``."""
    if not 0 < offset < len(text):
        return True
    left, right = text[offset - 1], text[offset]
    if WITHOUT_BLANKS.match(left) or WITHOUT_BLANKS.match(right):
        return True
    return not (left.isalnum() and right.isalnum())
