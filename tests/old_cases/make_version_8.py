"""Made ``version_8.disconfirm`` with the program that wrote format 8. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_8 TARGET

Format 8 held each vector twice: as a row of ``vector``, and for the search model in use again in ``passage_vector``, a
table of sqlite-vec.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from core.domain import NearDuplicate, OtherVerdict, PageText, PlanQuery, Searched, Section, Span, Verdict
from core.ports import Outline
from core.store import CaseFile, Found, ImportedRow
from tests.core.store.material import HALF, clock, embed, fill, proposal
from tests.fakes import HashEmbedder

LINES = tuple(
    f"{who} {what} {where}."
    for who in ("The operator", "A vendor", "The guard", "Nobody", "Aske")
    for what in ("opened the valve", "stopped the pump", "signed the list", "left")
    for where in ("at dawn", "in the yard", "without a badge")
)


class Former(HashEmbedder):
    """A search model that was used before."""

    fingerprint = "former words 32"
    dimensions = 32


def main(target: Path) -> None:
    with CaseFile.create(target, title="Kept case of format 8", who="ann", now=clock()) as case:
        fill(case)
        text, spans = "\n".join(LINES), []
        for line in LINES:
            start = spans[-1].end + 1 if spans else 0
            spans.append(Span(start, start + len(line)))
        document = case.documents.begin(
            name="plan.txt", kind="text", sha256=hashlib.sha256(b"Plan").hexdigest(), data=b"Plan", reader="reader 1"
        )
        case.documents.put_pages(document, [(PageText(1, text, sections=(Section(1, "Plan", 0),)), spans)])
        case.documents.finish(document, Outline("text", 1, title="Plan"), language="en", parent="D1")
        embed(case, Former())
        embed(case)
        case.descriptions.describe([document], {"tags": ["plans"], "origin": "the yard", "reliability": "B"})
        case.imports.put_password(document, "open")
        case.imports.put_found_at({"ab" * 32: Found("D1", 4, 1)})
        case.imports.put([ImportedRow(0, "", "plan.txt", "", "added", document)])
        case.entities.add("Northern Yard", kind="organisation", aliases=["the yard"])
        case.plans.set([PlanQuery("", "H1", "statement", "operator pump")], hypotheses=["H1"])
        case.plans.note_searches([Searched("2026-03-01T09:00:00Z", "H1", "statement", "operator pump", 3, 2, 1, 1)])
        chunks = case.pages.chunk_ids("D2")
        case.plans.judge_relevance("H1", chunks[0], True)
        judged = proposal(case, "H1", chunks[0], supports=0.25)
        kept = case.proposals.put([replace(judged, verdict=Verdict("ambiguous", HALF, "judge 2"), similarity=None)])
        case.proposals.put_other_verdicts(
            [OtherVerdict(kept[0].id, "second reader", Verdict("supports", HALF, "judge 3"), "so", case.db.now())]
        )
        case.documents.put_sketch("D2", b"\1\2\3\4", NearDuplicate("D2", "D1", "near", 0.75))
        case.removal.remove(["D3"])
        case.settings.change(blind=True, ocr_languages=["deu", "eng"])
        case.settings.change(blind=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
