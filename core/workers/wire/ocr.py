"""Pages of text that were read off pictures."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from core.domain import Words
from core.ports import OcrPage
from core.workers.frames import (
    MIB,
    Header,
    ProtocolError,
    blob_at,
    checked_number,
    clean_text,
    count_field,
    list_field,
    pack,
    text_field,
)
from core.workers.wire.documents import WORD_BOX

_SECOND_READINGS = 2
_OCR_JSON = 8 * MIB


def ocr_out(page: OcrPage) -> list[bytes]:
    """Send the page and the readings it was made of, one after the other in each of the three blobs."""
    pages = (page, *page.readings)
    heads = [
        {
            "text": len(page.text.encode("utf-8")),
            "words": len(page.words),
            "confidence": page.confidence,
            "engine": page.engine,
            "seconds": page.seconds,
        }
        for page in pages
    ]
    other_readings = [[page.alternatives, page.others] for page in pages]
    words = b"".join(page.words.buffer + struct.pack(f"<{len(page.words)}f", *page.confidences) for page in pages)
    texts = b"".join(page.text.encode("utf-8") for page in pages)
    return pack({"type": "ocr", "pages": heads}, [texts, words, json.dumps(other_readings).encode()])


def ocr_in(header: Header, blobs: Sequence[bytes]) -> OcrPage:
    """Read a page and the readings it was made of; raises ProtocolError for anything else."""
    heads = list_field(header, "pages", most=1 + _SECOND_READINGS)
    texts, boxes_and_confidences = blob_at(blobs, 0), blob_at(blobs, 1)
    if len(blob_at(blobs, 2)) > _OCR_JSON:
        raise ProtocolError("too many other readings")
    try:
        lists_of_pages = json.loads(blobs[2])
    except (ValueError, RecursionError) as error:
        raise ProtocolError("other readings are not JSON") from error
    if not heads or not isinstance(lists_of_pages, list) or len(lists_of_pages) != len(heads):
        raise ProtocolError("not one list of other readings a page")
    pages: list[OcrPage] = []
    offset = to = 0
    for head, lists in zip(heads, lists_of_pages, strict=True):
        if not isinstance(head, dict):
            raise ProtocolError("a page is not an object")
        size, count = (
            count_field(head, "text", most=len(texts)),
            count_field(head, "words", most=len(boxes_and_confidences)),
        )
        here, text_end = offset + size, to + count * (WORD_BOX.size + 4)
        if here > len(texts) or text_end > len(boxes_and_confidences):
            raise ProtocolError("a page is cut off")
        boxes, confidences = (
            boxes_and_confidences[to : to + count * WORD_BOX.size],
            boxes_and_confidences[to + count * WORD_BOX.size : text_end],
        )
        pages.append(_ocr_page_in(head, texts[offset:here], boxes, confidences, lists))
        offset, to = here, text_end
    if offset != len(texts) or to != len(boxes_and_confidences):
        raise ProtocolError("more than the pages")
    return replace(pages[0], readings=tuple(pages[1:]))


def _ocr_page_in(head: Header, utf8: bytes, boxes: bytes, confidences: bytes, lists: Any) -> OcrPage:
    try:
        text = utf8.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ProtocolError("page text is not UTF-8") from error
    last_end = 0
    for start, end, *box in WORD_BOX.iter_unpack(boxes):
        if not (last_end <= start < end <= len(text) and math.isfinite(sum(box))):
            raise ProtocolError("a word box is out of range")
        last_end = end
    if not isinstance(lists, list) or len(lists) != 2:
        raise ProtocolError("other readings are not two lists")
    alternatives, second_readings = lists
    if not all(isinstance(column, list) and len(column) == len(boxes) // WORD_BOX.size for column in lists):
        raise ProtocolError("not one item a word")
    if not all(isinstance(choices, list) and len(choices) <= 20 for choices in alternatives):
        raise ProtocolError("alternatives are not lists")
    words = [word for choices_of_word in alternatives for word in choices_of_word] + second_readings
    if not all(isinstance(word, str) and len(word) <= 10_000 for word in words):
        raise ProtocolError("another reading is not a text")
    return OcrPage(
        text=clean_text(text),
        words=Words(boxes),
        confidences=tuple(
            checked_number(confidence, most=1.0) for (confidence,) in struct.iter_unpack("<f", confidences)
        ),
        alternatives=tuple(tuple(clean_text(choice) for choice in choices_of_word) for choices_of_word in alternatives),
        others=tuple(clean_text(word) for word in second_readings),
        confidence=checked_number(head.get("confidence"), most=1.0),
        engine=clean_text(text_field(head, "engine", longest=500)),
        seconds=checked_number(head.get("seconds")),
    )
