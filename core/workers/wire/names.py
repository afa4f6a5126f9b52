"""Names in texts."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from core.ports import FoundName
from core.workers.frames import Header, ProtocolError, clean_text, pack

_SPAN = struct.Struct("<4I")  # text, start, end, kind
_KINDS_CAP = 500  # kinds of names of one model


def spans_out(names_of_texts: Sequence[Sequence[FoundName]]) -> list[bytes]:
    """Send the names in texts: their kinds once, and four numbers a name."""
    kinds = {
        kind: index for index, kind in enumerate(dict.fromkeys(name.kind for names in names_of_texts for name in names))
    }
    spans = [
        _SPAN.pack(text, name.start, name.end, kinds[name.kind])
        for text, names in enumerate(names_of_texts)
        for name in names
    ]
    return pack({"type": "spans", "kinds": list(kinds)}, [b"".join(spans)])


def spans_in(header: Header, blobs: Sequence[bytes], texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
    """Read the names in texts, each within its text and after the one before; raises ProtocolError else."""
    if header.get("type") != "spans" or len(blobs) != 1 or len(blobs[0]) % _SPAN.size:
        raise ProtocolError("not the names of texts")
    kinds = header.get("kinds")
    if not isinstance(kinds, list) or len(kinds) > _KINDS_CAP:
        raise ProtocolError("kinds are not a list")
    if not all(isinstance(kind, str) and 0 < len(kind) <= 40 for kind in kinds):
        raise ProtocolError("a kind is not a word")
    kinds = [clean_text(kind) for kind in kinds]
    names_of_texts: list[list[FoundName]] = [[] for _ in texts]
    index = 0
    for text, start, end, kind in _SPAN.iter_unpack(blobs[0]):
        if not index <= text < len(texts) or kind >= len(kinds):
            raise ProtocolError("a name is out of range")
        index = text
        text_of_name, previous_end = texts[text], names_of_texts[text][-1].end if names_of_texts[text] else 0
        if (
            not previous_end <= start < end <= len(text_of_name)
            or text_of_name[start].isspace()
            or text_of_name[end - 1].isspace()
        ):
            raise ProtocolError("a name is out of range")
        names_of_texts[text].append(FoundName(start, end, kinds[kind]))
    return [tuple(names) for names in names_of_texts]
