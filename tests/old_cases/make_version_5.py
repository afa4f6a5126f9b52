"""Made ``version_5.disconfirm`` with the program that wrote format 5. Kept to show what is in it; the file stays.

python -m tests.old_cases.make_version_5 TARGET
"""

from __future__ import annotations

import sys
from pathlib import Path

from core.domain import GRADE_WEIGHTS, Absence, NearDuplicate, PageText, Reading, Word, Words
from core.store import CaseFile
from tests.core.store.material import add, clock, fill, halves

READ = "The valvc was open. Nobody signed."
WORDS = Words.of([Word(0, 3, 1, 1, 2, 2), Word(4, 9, 2, 1, 3, 2), Word(10, 13, 3, 1, 4, 2), Word(14, 19, 4, 1, 5, 2)])


def main(target: Path) -> None:
    with CaseFile.create(target, title="Kept case of format 5", who="ann", now=clock()) as case:
        fill(case)
        case.add_evidence(text="A login", source="", absence=Absence("H1", ("vendor login",), "2026-03-01", 3, 7))
        case.describe(
            ["E1"], {"reliability": "B", "information": "3", "date": "2026-02", "upstream": "memo", "note": "n"}
        )
        case.set_hypothesis_kind("H1", "null")
        case.set_priors({"H1": 0.25, "H2": 0.75})
        case.change_settings(blind=True, grade_weights={**GRADE_WEIGHTS, "A": 2.0})
        case.add_consideration("indicator", "It happens again", hypothesis="H1", query="valve")
        case.state_likelihood("H1", 0.3)
        document = add(case, "scan.txt", [""])
        case._db.execute("UPDATE page SET source = 'none', width = 595, height = 842 WHERE document = ?", (document,))
        (page,) = case.pages_to_ocr(document)
        reading = Reading("engine 1", READ, WORDS, (0.5,) * 4, ((),) * 4, ("",) * 4)
        text = PageText(1, READ, WORDS, 595, 842, "ocr", 0.5)
        case.put_reading(page.id, text, halves(READ), [reading])
        case.decide_words([(page.id, 1, "corrected", "valve")])
        case.put_sketch(document, b"\0" * 512, NearDuplicate(document, "D1", "near", 0.9))
        case.sign_as("ben")
        case.rate("E1", "H1", "N")
        case.annotate("E1", "H1", note="why", confidence="low")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
