"""What people wrote onto the pages of a PDF: fields of forms, comments, marks, stamps.

They follow the text of their page, each behind a word for its kind ("Form: ...", "Note by Ann: ...").
What a field or a typed text shows on the page has the boxes in which it is shown.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from core.domain import Word
from core.engines.readers import plain_text
from core.engines.readers.pdf_layout import Box, Line

MAX_ENTRIES = 5_000  # entries of one page
_MAX_CHARS = 20_000  # characters of one

_PUSHED = 1 << 16  # the flag of a field that is a button to push
_LINK, _POPUP, _WIDGET, _FILE = 1, 16, 21, 17  # types that are no note, or are looked after elsewhere
_FREE_TEXT, _REDACT = 2, 12
_STRUCK = 11
_MARKS = {8: "Highlight", 9: "Underlined", 10: "Underlined", _STRUCK: "Struck out", _REDACT: "Marked for redaction"}
_KINDS = {**_MARKS, 0: "Note", _FREE_TEXT: "Text", 13: "Stamp", 14: "Insertion", _FILE: "File"}
_SILENT = {
    13: "stamp without words", 15: "drawing by hand", 18: "sound", 19: "film", 20: "film", 22: "screen with media",
    26: "three-dimensional model", 27: "projection",
}  # fmt: skip
_UNSEEN = 2 | 32  # flags of what is not shown: hidden, no view
_BUTTON, _CHECK, _RADIO, _SIGNATURE, _CHOICES = 1, 2, 5, 6, (3, 4)  # kinds of fields
_PARENTS = 20  # fields above one


@dataclass(frozen=True, slots=True)
class Note:
    """An entry with the boxes of those of its words that are on the page; offsets into ``text``."""

    text: str
    words: tuple[Word, ...] = ()
    reason: str = ""  # why nobody sees it, a key of core.domain.HIDDEN


@dataclass(slots=True)
class _DrawnWord:
    """A word of what annotations and fields draw on the page, until an entry takes it."""

    box: Box
    text: str
    reason: str
    is_taken: bool = False

    def inside(self, rect: Box) -> bool:
        x, y = (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2
        return rect[0] - 1 <= x <= rect[2] + 1 and rect[1] - 1 <= y <= rect[3] + 1

    def meets(self, rect: Box) -> bool:
        x0, y0, x1, y1 = self.box
        return x0 < rect[2] and x1 > rect[0] and y0 < rect[3] and y1 > rect[1]


def annotations_of(page: Any) -> Iterator[Any]:
    """Yield the annotations of a page, one from the other: the library looks for each from the first on."""
    annot = page.first_annot
    while annot is not None:
        following = annot.next
        if annot.type[0] not in (_LINK, _POPUP, _WIDGET):
            yield annot
        annot = following


def _widgets(page: Any) -> Iterator[Any]:
    field = page.first_widget
    while field is not None:
        following = field.next
        yield field
        field = following


def kinds(page: Any) -> frozenset[int]:
    """Return the types of annotation on a page, links and pop-ups left out."""
    return frozenset(kind for _, kind, *_ in page.annot_xrefs()) - {_LINK, _POPUP}


def count_addresses(page: Any) -> int:
    """Count the links of a page that lead to an address or a file outside."""
    document = page.parent
    links = [xref for xref, kind, *_ in page.annot_xrefs() if kind == _LINK]
    return sum(
        document.xref_get_key(xref, "A/URI")[0] == "string" or document.xref_get_key(xref, "A/F")[0] != "null"
        for xref in links
    )


def has_files(of: frozenset[int]) -> bool:
    """Return whether files are among these types."""
    return _FILE in of


def notes(page: Any, text: Sequence[Line], note_lines: Sequence[Line]) -> list[Note]:
    """List the entries of a page.

    ``text`` are its own lines, ``note_lines`` those that annotations and fields draw on it.
    """
    drawn_words = [
        _DrawnWord((x0, y0, x1, y1), word, line.hidden_words.get(place, ""))
        for line in note_lines
        for place, (x0, y0, x1, y1, word) in enumerate(line.words)
    ]
    entries: list[Note] = []
    for make in (_comments(page, text, drawn_words), _fields(page, drawn_words)):
        try:
            for note in make:
                entries.append(note)
                if len(entries) >= MAX_ENTRIES:
                    break
        except MemoryError:
            raise
        except Exception:  # a damaged annotation takes nothing from the page it is on
            continue
    untaken = [word for word in drawn_words if not word.is_taken]
    if untaken:
        entries.append(_entry("Text", " ".join(word.text for word in untaken), untaken))
    return entries


def _comments(page: Any, text: Sequence[Line], drawn_words: Sequence[_DrawnWord]) -> Iterator[Note]:
    for annot in annotations_of(page):
        kind = annot.type[0]
        if kind in (_LINK, _POPUP, _WIDGET):
            continue
        info = annot.info
        by = _one_line(info.get("title"))
        label = _KINDS.get(kind, "Drawing") + (f" by {by[:200]}" if by else "")
        content = _paragraph(info.get("content"))
        if kind == _FILE:
            file = _one_line(annot.file_info.get("filename"))
            content = content if content == file or not file else f"{file}: {content}" if content else file
        if kind == _REDACT:  # what is to be on the black box
            overlay = page.parent.xref_get_key(annot.xref, "OverlayText")
            texts = (content, _paragraph(overlay[1]) if overlay[0] == "string" else "")
            content = "\n".join(text for text in texts if text)
        reason = "unseen" if annot.flags & _UNSEEN else ""
        rect = _rect(page, annot.rect)
        inside = [] if reason else [word for word in drawn_words if not word.is_taken and word.inside(rect)]
        if kind in _MARKS:
            marked_words = _marked_words(page, annot, text)
            if marked_words or content:
                yield _entry(
                    label, " ".join(word.text for word in marked_words), marked_words, after=content, reason=reason
                )
        elif inside:
            words = " ".join(word.text for word in inside)
            yield _entry(label, words, inside, after="" if _same(content, words) else content, reason=reason)
        elif content:
            yield _entry(label, content, (), reason=reason)


def _marked_words(page: Any, annot: Any, text: Sequence[Line]) -> list[_DrawnWord]:
    """Return the words that a highlight or a line through them marks."""
    words: list[_DrawnWord] = []
    for rect in _quads(page, annot):
        for line in text:
            if line.y1 < rect[1] or line.y0 > rect[3]:
                continue
            for place, (x0, y0, x1, y1, word) in enumerate(line.words):
                if rect[0] <= (x0 + x1) / 2 <= rect[2] and rect[1] <= (y0 + y1) / 2 <= rect[3]:
                    words.append(_DrawnWord((x0, y0, x1, y1), word, line.hidden_words.get(place, "")))
        if len(words) > 2_000:
            break
    return words


def without_text(page: Any) -> list[tuple[str, int]]:
    """Count by kind what annotations and fields hold that is not shown as text: sounds, drawings, choices not taken."""
    counts: Counter[str] = Counter()
    try:
        for annot in annotations_of(page):
            kind = annot.type[0]
            if kind not in _SILENT:
                continue
            if kind in (13, 15) and (annot.info.get("content") or "").strip():
                continue
            if kind == 13 and annot.get_text().strip():
                continue
            counts[_SILENT[kind]] += 1
        for annot in annotations_of(page):
            subject = (annot.info.get("subject") or "").strip()
            counts["subject of a note"] += bool(subject) and subject.casefold() != annot.type[1].casefold()
        for field in _widgets(page):
            if field.field_type not in _CHOICES:
                continue
            values = field.field_value if isinstance(field.field_value, (list, tuple)) else (field.field_value,)
            names = [choice if isinstance(choice, str) else choice[-1] for choice in field.choice_values or ()]
            counts["choice of a form field"] += sum(bool(name.strip()) and name not in values for name in names)
        counts["form field that is empty"] += _empty_fields(page)
    except MemoryError:
        raise
    except Exception:  # a damaged annotation takes nothing from the page it is on
        counts["damaged note"] += 1
    return list((+counts).items())


def _form_fields(page: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the type of each field, with the objects that state it: its own first."""
    for xref, kind, *_ in page.annot_xrefs():
        if kind != _WIDGET:
            continue
        holders = [xref]
        form = page.parent.xref_get_key(xref, "FT")
        while form[0] == "null" and len(holders) <= _PARENTS:
            parent, number = page.parent.xref_get_key(holders[-1], "Parent")
            if parent != "xref":
                break
            holders.append(int(number.split()[0]))
            form = page.parent.xref_get_key(holders[-1], "FT")
        yield form[1] if form[0] == "name" else "", tuple(holders)


def _empty_fields(page: Any) -> int:
    """Count the fields that nobody filled in or ticked; the buttons of one choice are one."""
    document = page.parent
    empty: dict[int, bool] = {}
    for form, holders in _form_fields(page):
        flags = document.xref_get_key(holders[-1], "Ff")
        if form not in ("/Tx", "/Ch", "/Btn") or (form == "/Btn" and flags[0] == "int" and int(flags[1]) & _PUSHED):
            continue
        values = [document.xref_get_key(xref, "V") for xref in holders]
        values += [document.xref_get_key(holders[0], "AS")] * (form == "/Btn")
        is_empty = all(kind == "null" or not value.strip() or value in ("/Off", "[]") for kind, value in values)
        empty[holders[-1]] = empty.get(holders[-1], True) and is_empty
    return sum(empty.values())


def struck_boxes(page: Any) -> list[Box]:
    """Return the lines that annotations draw through words, as flat boxes."""
    boxes: list[Box] = []
    try:
        for annot in (annot for annot in annotations_of(page) if annot.type[0] == _STRUCK):
            if not annot.flags & _UNSEEN:
                boxes += [(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2) for x0, y0, x1, y1 in _quads(page, annot)]
    except MemoryError:
        raise
    except Exception:  # a damaged annotation takes nothing from the page it is on
        return boxes
    return boxes


def _quads(page: Any, annot: Any) -> Iterator[Box]:
    """Yield the boxes that an annotation marks, as shown."""
    corners = annot.vertices or []
    for start in range(0, min(len(corners) - 3, 4 * MAX_ENTRIES), 4):
        four = corners[start : start + 4]
        xs, ys = [point[0] for point in four], [point[1] for point in four]
        yield _rect(page, (min(xs), min(ys), max(xs), max(ys)))


def _fields(page: Any, drawn_words: Sequence[_DrawnWord]) -> Iterator[Note]:
    for field in _widgets(page):
        value = _value(page, field)
        rect = _rect(page, field.rect)
        inside = [word for word in drawn_words if not word.is_taken and word.inside(rect)]
        if field.field_type == _BUTTON:
            if inside:  # its face is writing on the page
                yield _entry("Button", " ".join(word.text for word in inside), inside)
            continue
        if not value:
            continue
        name = _one_line(field.field_label) or _one_line(field.field_name)
        kind, flags = page.parent.xref_get_key(field.xref, "F")
        reason = "unseen" if kind == "int" and int(flags) & _UNSEEN else ""
        if field.field_type in (_CHECK, _RADIO, _SIGNATURE):
            for word in drawn_words:
                if word.meets(rect):
                    word.is_taken = True  # the tick, or what a signature says of itself in a picture
            start = len(f"Form: {name}: ") if name else len("Form: ")
            text = f"Form: {name}: {value}" if name else f"Form: {value}"
            places = [match.span() for match in re.finditer(r"\S+", text) if match.start() >= start]
            yield Note(text, () if reason else tuple(Word(*place, *rect) for place in places), reason)
        else:
            yield _entry(f"Form: {name}" if name else "Form", value, inside, reason=reason)


def _value(page: Any, field: Any) -> str:
    content = field.field_value
    match field.field_type:
        case 2:
            return "ticked" if content not in (None, "", "Off", "off", "No", False) else ""
        case 5:
            return f"chosen: {_one_line(content)}" if content and content == field.on_state() else ""
        case 6:
            return _signature(page, field) if field.is_signed else ""
    if isinstance(content, (list, tuple)):
        content = ", ".join(str(choice) for choice in content)
    return _paragraph(content)


def _signature(page: Any, field: Any) -> str:
    """Return who signed, when and why, as the signature states it."""
    words = ["signed"]
    for key, preposition in (("Name", "by "), ("M", "on "), ("Reason", "reason: "), ("Location", "in ")):
        kind, value = page.parent.xref_get_key(field.xref, f"V/{key}")
        if kind == "string" and value:
            words.append(preposition + _one_line(value))
    return ", ".join(words)


def _entry(label: str, body: str, words: Sequence[_DrawnWord], *, after: str = "", reason: str = "") -> Note:
    """Make an entry of a label and what it says, with the boxes of the words that show it, where they are the same."""
    body = _paragraph(body)
    for word in words:
        word.is_taken = True
    head = f"{label}: " if body or after else label
    boxes = tuple(_word_boxes(body, words, len(head)))
    text = head + body + (("\n" if body else "") + after if after else "")
    if not reason and words and all(word.reason for word in words):
        reason = words[0].reason
    return Note(text, boxes, reason)


def _word_boxes(body: str, words: Sequence[_DrawnWord], offset: int) -> Iterator[Word]:
    """Yield the words of ``body`` in the boxes of ``words``, which may be cut differently, such as a letter a cell."""
    letters = [(c, word.box) for word in words for c in _paragraph(word.text) if not c.isspace()]
    if "".join(c for c, _ in letters) != _bare(body):
        return
    start = 0
    position = 0
    for piece in body.split():
        start = body.index(piece, start)
        boxes = [box for _, box in letters[position : position + len(piece)]]
        position += len(piece)
        yield Word(
            offset + start,
            offset + start + len(piece),
            min(box[0] for box in boxes),
            min(box[1] for box in boxes),
            max(box[2] for box in boxes),
            max(box[3] for box in boxes),
        )
        start += len(piece)


def _bare(text: str) -> str:
    return "".join(text.split())


def _same(left: str, right: str) -> bool:
    return _bare(left).casefold() == _bare(right).casefold()


def _one_line(text: object) -> str:
    return " ".join(plain_text.clean(str(text or "")).replace("\f", " ").split())[:500]


def _paragraph(text: object) -> str:
    """Return a text without blank lines, because an entry is one paragraph."""
    lines = plain_text.clean(str(text or "")).replace("\f", "\n").split("\n")
    return "\n".join(line.strip() for line in lines if line.strip())[:_MAX_CHARS]


def _rect(page: Any, rect: Any) -> Box:
    """Lead from the page as it is stored to the page as it is shown."""
    if page.rotation:
        x0, y0, x1, y1 = rect if isinstance(rect, tuple) else tuple(rect)
        a, b, c, d, e, f = tuple(page.rotation_matrix)
        p, q, r, s = a * x0 + c * y0 + e, b * x0 + d * y0 + f, a * x1 + c * y1 + e, b * x1 + d * y1 + f
        return min(p, r), min(q, s), max(p, r), max(q, s)
    x0, y0, x1, y1 = rect
    return float(x0), float(y0), float(x1), float(y1)
