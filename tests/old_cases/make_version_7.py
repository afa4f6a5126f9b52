"""Made ``version_7.disconfirm`` with the program that wrote format 7. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_7 TARGET
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import replace
from pathlib import Path

from core.domain import NearDuplicate, OtherVerdict, PageText, PlanQuery, Searched, Section, Verdict
from core.ports import Outline
from core.store import CaseFile, Found, ImportedRow
from tests.core.store.material import HALF, clock, fill, proposal


def main(target: Path) -> None:
    with CaseFile.create(target, title="Kept case of format 7", who="ann", now=clock()) as case:
        fill(case)
        sha256 = hashlib.sha256(b"Plan").hexdigest()
        document = case.begin_document(
            name="plan.txt", kind="text", sha256=sha256, data=b"Plan", reader="plain reader 1"
        )
        case.put_pages(document, [(PageText(1, "Plan", sections=(Section(1, "Plan", 0),)), [])])
        case.finish_document(document, Outline("text", 1, title="Plan"), language="en", parent="D1")
        case.describe_documents([document], {"tags": ["plans"], "origin": "the yard", "reliability": "B"})
        case.put_password(document, "open")
        case.add_entity("Northern Yard", kind="organisation", aliases=["the yard"])
        case.set_plan([PlanQuery("", "H1", "statement", "operator pump")], hypotheses=["H1"])
        case.note_searches([Searched("2026-03-01T09:00:00Z", "H1", "statement", "operator pump", 3, 2, 1, 1)])
        chunks = case.chunk_ids("D2")
        case.judge_relevance("H1", chunks[0], True)
        judged = proposal(case, "H1", chunks[0], supports=0.25)
        kept = case.put_proposals([replace(judged, verdict=Verdict("ambiguous", HALF, "judge 2"), similarity=None)])
        case.put_other_verdicts(
            [OtherVerdict(kept[0].id, "second reader", Verdict("supports", HALF, "judge 3"), "so", case.now())]
        )
        case.put_found_at({"ab" * 32: Found("D1", 4, 1)})
        case.put_sketch("D2", b"\1\2\3\4", NearDuplicate("D2", "D1", "near", 0.75))
        case.put_imported([ImportedRow(0, "", "plan.txt", "", "added", document)])
        case.change_settings(blind=True, ocr_languages=["deu", "eng"])
        case.change_settings(blind=False)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
