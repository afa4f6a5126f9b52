"""Which language a text is in. The model comes with its library and is loaded when the first text is long enough."""

from __future__ import annotations

import io
import lzma
from array import array
from functools import cache
from typing import Any

_LETTERS = 200  # fewer say too little
_SAMPLE = 250  # characters, from the beginning, the middle and the end of a page: about a millisecond
# Where the model was less sure, it was wrong as often as right on lists, names and code.
_SURE = 0.8


def of(text: str) -> str:
    """Return the language by its code of two letters (ISO 639-1); '' for a text too short, mixed, or in none."""
    if len(text) > 3 * _SAMPLE:
        middle = (len(text) - _SAMPLE) // 2
        text = f"{text[:_SAMPLE]}\n{text[middle : middle + _SAMPLE]}\n{text[-_SAMPLE:]}"
    if sum(map(str.isalpha, text)) < _LETTERS:
        return ""
    model = _model()
    if model is None:
        return ""
    code, sure = model.classify(text)
    return str(code) if sure >= _SURE and len(code) == 2 else ""


@cache
def _model() -> Any:
    """Load the model, or return None if it is missing: no document is refused for that.

    Unpacked in memory: the library would unpack it into a file, which the reader's process may not write.
    """
    try:
        import numpy
        from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

        with lzma.open(MODEL_DIR / MODEL_FILE) as file:
            content = io.BytesIO(file.read())
    except (ImportError, OSError):
        return None
    with numpy.load(content, allow_pickle=False) as data:
        # Kept in half the precision that it is used with: widened once and not for every text.
        ptc, pc, classes = data["ptc"].astype("float32"), data["pc"], data["classes"].tolist()
        moves, rows, features = data["nextmove"], data["nextmove_row"], data["out_feat"].tolist()
    return LanguageIdentifier(ptc, pc, classes, _plainly(moves), features, norm_probs=True, tk_row=_plainly(rows))


def _plainly(numbers: Any) -> array[int]:
    """Return an array of Python's own whole numbers, which are several times faster to walk along."""
    items: array[int] = array({2: "H", 4: "I", 8: "L"}[numbers.dtype.itemsize])
    items.frombytes(numbers.tobytes())
    return items
