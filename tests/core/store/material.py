"""What the tests of the case file build cases from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from core.domain import Page, PageText, Probabilities, Proposal, Quote, Span, Suggestion, Verdict, Words
from core.ports import Outline
from core.progress import silent
from core.store import CaseFile
from core.store.connection import settle
from core.store.decision_log import TABLES
from tests.fakes import HashEmbedder

EMBEDDER = HashEmbedder()
HALF = Probabilities(0.5, 0.25, 0.25)
TEXTS = (
    "The dosing pump stopped at 02:14. The operator did not touch it.",
    "A vendor account opened the valve. Nobody had signed for it.",
    "Café logs show 😀 the badge reader was off. The guard denied everything.",
)


def clock(start: str = "2026-03-01T08:00:00+00:00"):
    """A clock that goes on by one second at each look."""
    moment = [datetime.fromisoformat(start).astimezone(UTC)]

    def now() -> datetime:
        moment[0] += timedelta(seconds=1)
        return moment[0]

    return now


def halves(text: str) -> list[Span]:
    """Two chunks a page, cut after the first full stop."""
    cut = text.find(". ") + 1
    return [Span(0, cut), Span(cut + 1, len(text))] if cut and cut + 1 < len(text) else [Span(0, len(text))]


def add(case: CaseFile, name: str, pages: Sequence[str], *, finish: bool = True) -> str:
    data = "\f".join(pages).encode()
    document = case.documents.begin(
        name=name, kind="text", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="plain reader 1"
    )
    case.documents.put_pages(
        document,
        [
            (PageText(number, text, Words.of([(0, min(3, len(text)), 1, 2, 3, 4)])), halves(text) if text else [])
            for number, text in enumerate(pages, start=1)
        ],
    )
    if finish:
        case.documents.finish(document, Outline("text", len(pages), title=name))
    return document


def pages_to_ocr(case: CaseFile, document: str) -> list[Page]:
    """The pages that have no text of their own, have a size (so there is a picture), and were not read yet."""
    return [p for p in case.pages.of(document) if p.source == "none" and not p.text.strip() and p.width and p.height]


def embed(case: CaseFile, embedder: HashEmbedder = EMBEDDER) -> None:
    while chunks := case.vectors.chunks_without(embedder.fingerprint, 64):
        vectors = embedder.embed([chunk.search_text for chunk in chunks])
        case.vectors.put(embedder.fingerprint, list(zip([chunk.id for chunk in chunks], vectors, strict=True)))


def proposal(case: CaseFile, hypothesis: str, chunk: int, *, supports: float = 0.5) -> Proposal:
    """A proposal that quotes a whole chunk."""
    passage = case.pages.chunks([chunk])[chunk]
    page = case.pages.by_id(passage.page_id)
    quote = Quote(passage.document, page.id, page.number, passage.start, passage.end, passage.text, page.sha256)
    verdict = Verdict("supports", Probabilities(supports, (1 - supports) / 2, (1 - supports) / 2), "judge 1")
    return Proposal("", hypothesis, chunk, quote, passage.name, verdict, 0.5, 1, None, "because")


def suggestion(evidence: str, hypothesis: str, moment: str = "2026-03-01T08:00:00Z") -> Suggestion:
    return Suggestion(evidence, hypothesis, "C", "judge 1", HALF, moment)


def fill(case: CaseFile) -> None:
    """Three documents with vectors, two hypotheses, proposals, evidence and ratings, one step undone."""
    for number, text in enumerate(TEXTS, start=1):
        add(case, f"file {number}.txt", [text, f"Second page of {number}. It says little."])
    embed(case)
    case.hypotheses.add("The operator stopped the pump.", note="first")
    case.hypotheses.add("The vendor opened the valve.")
    ids = case.pages.chunk_ids("D1")
    proposals = case.proposals.put(
        [proposal(case, "H1", ids[0]), proposal(case, "H2", ids[0]), proposal(case, "H1", ids[1])]
    )
    case.proposals.accept([proposals[0].id, proposals[1].id], suggestions=[suggestion(proposals[0].id, "H1")])
    case.proposals.reject([proposals[2].id])
    case.evidence.add(text="The alarm was off.", source="interview", credibility="H", relevance="L")
    case.ratings.rate("E1", "H1", "CC")
    case.ratings.rate("E1", "H2", "II")
    case.ratings.rate("E2", "H2", "N")
    case.undo.undo()
    case.verdicts.put("judge 1", [("ab" * 32, "cd" * 32, HALF)])


def decisions(case: CaseFile) -> dict[str, list[tuple[object, ...]]]:
    """Every decision table as it stands, in a fixed order."""
    with case.db.reading():
        return {name: sorted(case.db.rows(f"SELECT * FROM {name}"), key=repr) for name in TABLES}


def tamper(path: Path, *statements: str) -> None:
    """Change a closed case as somebody with a database tool would."""
    db = apsw.Connection(str(path))
    try:
        settle(db)
        db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        db.execute("PRAGMA foreign_keys = OFF").fetchall()
        for statement in statements:
            db.execute(statement).fetchall()
    finally:
        db.close()


def undone_and_redone(case: CaseFile, look: Callable[[], object]) -> object:
    """The last decision taken back and done again leaves what was there."""
    state = look()
    case.undo.undo()
    earlier_state = look()
    assert earlier_state != state
    case.undo.redo()
    assert look() == state
    assert not case.verify(silent()).problems
    return earlier_state


def begin(case, name, data):
    return case.documents.begin(
        name=name, kind="", sha256=hashlib.sha256(data).hexdigest(), data=data, reader="plain reader 1"
    )


def add_failure(case, name="noise.bin", data=b"\xff", **more):
    document = begin(case, name, data)
    return case.documents.fail(document, reason=f"{name} is no text.", remedy="Save it as text.", **more)


def lock_of(path):
    return path.with_name(path.name + ".lock")


def texts(path):
    with CaseFile.open(path) as case:
        assert case.verify(silent()).ok
        return [hypothesis.text for hypothesis in case.hypotheses.all()]


def make_other_case(path, text):
    """Another case at ``path``."""
    with CaseFile.create(path, title="Other") as case:
        case.hypotheses.add(text)
    return path


def wal_of(path):
    return path.with_name(path.name + "-wal")
