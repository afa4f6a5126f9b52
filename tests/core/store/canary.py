"""Words that stand in one document alone, a case in which that document left its traces everywhere, and the search.

The search looks at the bytes of the file as they lie there, at their usual encodings, and into what is compressed.
"""

from __future__ import annotations

import random
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import apsw

from core.domain import LeftOut, PageText, Reading, Searched, Section, Span, Table, Word, Words
from core.evidence.quotes import span
from core.ports import Outline
from core.store import CaseFile, Found, ImportedRow
from core.store.connection import settle
from core.store.documents import sha256_of
from tests.core.store.material import HALF, begin, embed, fill, proposal

_CONSONANTS, _VOWELS = "bdgkmprtvz", "aou"


def words(seed: int, count: int) -> list[str]:
    """Words of ten letters that no language has, and that the stemmer leaves alone."""
    rng = random.Random(seed)
    return ["".join(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(4)) + "zt" for _ in range(count)]


WORDS = words(1, 120)
NAME = f"{WORDS[100]}.txt"
PASSWORD = "open sesame 7"
SENTENCE = " ".join(WORDS[:6])
SECRETS = (*WORDS, PASSWORD)


@dataclass(frozen=True, slots=True)
class Saying:
    """A result as the tables keep any."""

    document: str
    words: str


def _reading(text: str) -> Reading:
    boxes = Words.of([Word(index * 11, index * 11 + 10, index, 1, index + 1, 9) for index in range(len(text.split()))])
    count = len(boxes)
    return Reading("engine 1", text, boxes, (0.9,) * count, ((WORDS[99],), *((),) * (count - 1)), ("",) * count)


def add_secret(case: CaseFile) -> str:
    """Add the document; return its id."""
    text = f"{SENTENCE}. {' '.join(WORDS[6:40])}"
    data = f"{text} {' '.join(WORDS[40:60])}".encode()
    document = begin(case, NAME, data)
    pages = [
        PageText(
            *(1, text, Words.of([(0, 10, 1, 2, 3, 4)])),
            label=WORDS[60],
            sections=(Section(1, WORDS[61], 0),),
            struck_spans=((0, 10),),
            tables=(Table((WORDS[66],), (((0, 10),),)),),
        ),
        PageText(2, "", width=595, height=842, source="none"),
    ]
    spans = [[Span(0, len(SENTENCE) + 1), Span(len(SENTENCE) + 2, len(text))], []]
    case.documents.put_pages(document, list(zip(pages, spans, strict=True)))
    outline = Outline("text", 2, title=f"{WORDS[62]} {WORDS[63]}", author=WORDS[64], date="2031-07-09", place=WORDS[65])
    case.documents.finish(document, outline, left_out=[LeftOut("chart", 2, WORDS[67])])
    scan = " ".join(WORDS[70:76])
    page = case.pages.page(document, 2)
    reading = _reading(scan)
    case.readings.put(page.id, PageText(2, scan, reading.words, 595, 842, "ocr", 0.9), [Span(0, len(scan))], [reading])
    case.corrections.decide([(page.id, 1, "corrected", WORDS[77])])
    case.descriptions.describe(
        [document], {"note": WORDS[78], "title": f"{WORDS[79]} {WORDS[80]}", "tags": [WORDS[81]]}
    )
    case.documents.put_sketch(document, b"sketch of " + data)
    case.imports.put_password(document, PASSWORD)
    case.imports.settle(0, "", places={"digest of a path": Found(document, len(data), 1)})
    case.imports.put([ImportedRow(0, "", NAME, "", "added", document)])
    return document


def traces(case: CaseFile) -> str:
    """Fill a case with others and with what people and the machine made of the document; return its id."""
    fill(case)
    document = add_secret(case)
    embed(case)
    chunks = case.pages.chunk_ids(document)
    first = case.pages.chunks(chunks)[chunks[0]]
    h1_proposal, h2_proposal = case.proposals.put([proposal(case, "H1", chunks[0]), proposal(case, "H2", chunks[1])])
    case.proposals.accept([h1_proposal.id])
    case.proposals.reject([h2_proposal.id])
    page = case.pages.page(document, 1)
    case.evidence.add(
        text=f"In my words: {WORDS[90]}.", source=NAME, quote=span(page, 70, 110), note=f"As in {SENTENCE}."
    )
    case.ratings.rate("E4", "H1", "II")
    case.ratings.annotate("E4", "H1", note=f"It says {SENTENCE}.", confidence="high")
    case.ratings.rate("E4", "H2", "C")
    case.evidence.describe(["E2"], {"note": f"Compare {NAME}, which says “{SENTENCE.upper()}”, and the badge."})
    case.hypotheses.add(f"Somebody wrote {SENTENCE} by hand", note="a guess")
    case.hypotheses.edit("H3", text=f"Somebody else wrote {SENTENCE}", note="a guess")
    case.considerations.add("assumption", f"That {SENTENCE} is meant as it is said", query=SENTENCE)
    case.entities.add(WORDS[10], aliases=[WORDS[11]])
    case.entities.add("dosing pump", aliases=[WORDS[12]])
    answers = [(f"What of {SENTENCE}?", Saying(document, SENTENCE)), ("And the pump?", Saying("D1", "it stopped"))]
    case.results.keep("answer", answers)
    case.results.keep("conflict", [(f"{document} {WORDS[13]}", Saying(document, WORDS[14]))])
    case.results.resolve("conflict", "X1", "both", note=WORDS[15])
    case.verdicts.put("judge 1", [(sha256_of(first.text), "cd" * 32, HALF)])
    case.plans.judge_relevance("H1", chunks[0], True)
    case.plans.add("H1", "statement", SENTENCE)
    case.plans.note_searches([Searched("", "H1", "statement", SENTENCE, 3, 1)])
    case.settings.set_title(f"The case of {SENTENCE}")
    return document


def inside(path: Path, secrets: Iterable[str] = SECRETS, blobs: Iterable[bytes] = ()) -> list[str]:
    """Say where a file holds one of the secrets, or of the blobs; nothing where it holds none."""
    data = path.read_bytes()
    needles = {secret: (secret.encode(), secret.encode("utf-16-le"), secret.encode("utf-16-be")) for secret in secrets}
    places = [f"{path.name}: {secret}" for secret, forms in needles.items() if any(form in data for form in forms)]
    places += [f"{path.name}: bytes {blob[:8].hex()}" for blob in blobs if blob in data]
    folded = data.lower()
    places += [f"{path.name}: {word[:8]}" for word in needles if word[:8].encode() in folded]
    for offset in _streams(data):
        try:
            plain = zlib.decompressobj(wbits=47).decompress(data[offset:], 1 << 20).lower()
        except zlib.error:
            continue
        places += [f"{path.name} compressed: {word}" for word in needles if word.lower().encode() in plain]
    return sorted(set(places))


def _streams(data: bytes) -> Iterable[int]:
    """Where zlib or gzip data may begin."""
    for magic in (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda", b"\x1f\x8b"):
        offset = data.find(magic)
        while offset >= 0:
            yield offset
            offset = data.find(magic, offset + 1)


def every_value(path: Path) -> str:
    """All that the tables of a closed case hold, as one text."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        settle(db)
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()]
        return "\n".join(repr(row) for name in names for row in db.execute(f'SELECT * FROM "{name}"').fetchall())
    finally:
        db.close()
