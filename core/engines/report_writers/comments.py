"""Comments in a text document with python-docx: at the words that they are about, in runs that are split there.

The report's own file is kept as it is, but for the comments; of another format a plain document is made first.
"""

from __future__ import annotations

import copy
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docx import Document
from docx.oxml.ns import qn
from docx.text.run import Run

from core.engines.report_writers.dispatch import moment

_BLANKS = (qn("w:tab"), qn("w:br"), qn("w:cr"), qn("w:ptab"))
_GONE = (qn("w:del"), qn("w:moveFrom"))
_PLAIN = {qn("w:rPr"), qn("w:t"), *_BLANKS, qn("w:lastRenderedPageBreak")}
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def write(content: Mapping[str, Any], original: bytes | None) -> bytes:
    """Return a DOCX file with the comments of ``content``: ``original`` with them, or one of its paragraphs."""
    document = Document(io.BytesIO(original)) if original else _made(content)
    paragraphs = [
        paragraph
        for paragraph in document.element.body.iter(qn("w:p"))
        if not any(above.tag == _FALLBACK for above in paragraph.iterancestors())
    ]
    texts = [_Text.of(paragraph).flat for paragraph in paragraphs]
    stamp = moment(content).strftime("%Y-%m-%dT%H:%M:%SZ")
    homeless = []
    index = 0
    for comment in content["comments"]:
        words = " ".join(str(comment["text"]).split())
        place = _place(words, texts, index)
        if place is None:
            homeless.append(f"“{words}”\n{comment['comment']}")
            continue
        index = place
        _comment(document, content, paragraphs[place], words, str(comment["comment"]), stamp)
    first = next((number for number, text in enumerate(texts) if text), None)
    if first is not None:
        head = texts[first]
        for text in ("\n".join(content["summary"]), *homeless):
            _comment(document, content, paragraphs[first], head, text, stamp)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _made(content: Mapping[str, Any]) -> Any:
    """Return a plain document of the paragraphs of a report in another format."""
    document = Document()
    core, created_at = document.core_properties, moment(content).replace(tzinfo=None)
    core.title, core.author, core.last_modified_by, core.comments = str(content["title"])[:250], "", "", ""
    core.created = core.modified = core.last_printed = created_at
    core.revision = 1
    styles = {"heading": "Heading 2", "item": "List Bullet", "quote": "Quote"}
    for paragraph in content["paragraphs"]:
        text = "".join(c for c in paragraph["text"] if c.isprintable() or c == "\t")
        document.add_paragraph(text, style=styles.get(paragraph["kind"]))
    if not content["paragraphs"]:
        document.add_paragraph(str(content["title"]))
    return document


def _place(words: str, texts: Sequence[str], index: int) -> int | None:
    """Return the paragraph that holds some words: the next one from ``index`` on, else the first of all."""
    order = (*range(index, len(texts)), *range(index))
    return next((number for number in order if words in texts[number]), None)


@dataclass(slots=True)
class _Text:
    """The text of a paragraph with blanks as one space, and for each character its run and place in it."""

    flat: str
    places: list[tuple[Any, int]]

    @classmethod
    def of(cls, paragraph: Any) -> _Text:
        flat: list[str] = []
        places: list[tuple[Any, int]] = []
        for run in paragraph.iter(qn("w:r")):
            if any(above.tag in _GONE for above in run.iterancestors()) or _owner(run) is not paragraph:
                continue
            offset = 0
            for child in run:
                text = (child.text or "") if child.tag == qn("w:t") else " " if child.tag in _BLANKS else ""
                for c in text:
                    if not c.isspace():
                        flat.append(c)
                        places.append((run, offset))
                    elif flat and flat[-1] != " ":
                        flat.append(" ")
                        places.append((run, offset))
                    offset += 1
        while flat and flat[-1] == " ":
            flat.pop()
            places.pop()
        return cls("".join(flat), places)


def _owner(run: Any) -> Any:
    return next(above for above in run.iterancestors() if above.tag == qn("w:p"))


def _comment(document: Any, content: Mapping[str, Any], paragraph: Any, words: str, text: str, stamp: str) -> None:
    """Comment on words of a paragraph; its runs are split where they begin and end."""
    read = _Text.of(paragraph)
    start = read.flat.find(words)
    if start < 0 or not words:
        return
    run, offset = read.places[start]
    _split(run, offset)
    read = _Text.of(paragraph)
    run, offset = read.places[start + len(words) - 1]
    _split(run, offset + 1)
    read = _Text.of(paragraph)
    first, last = read.places[start][0], read.places[start + len(words) - 1][0]
    comment = document.add_comment(
        [Run(first, document), Run(last, document)], text=text, author=content["author"], initials=content["initials"]
    )
    comment._comment_elm.set(qn("w:date"), stamp)


def _split(run: Any, offset: int) -> None:
    """Cut a run in two before its character ``offset``; one that holds more than text is left whole."""
    length = sum(len(child.text or "") if child.tag == qn("w:t") else child.tag in _BLANKS for child in run)
    if not 0 < offset < length or any(child.tag not in _PLAIN for child in run):
        return
    tail = copy.deepcopy(run)
    run.addnext(tail)
    _cut(run, 0, offset)
    _cut(tail, offset, length)


def _cut(run: Any, start: int, end: int) -> None:
    offset = 0
    for child in list(run):
        if child.tag == qn("w:t"):
            text = child.text or ""
            child.text = text[max(0, start - offset) : max(0, end - offset)]
            child.set(_SPACE, "preserve")
            if not child.text:
                run.remove(child)
            offset += len(text)
        elif child.tag in _BLANKS:
            if not start <= offset < end:
                run.remove(child)
            offset += 1
