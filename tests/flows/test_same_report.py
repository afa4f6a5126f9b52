"""The judge of the program gives the same case, in another process, a report of the same bytes."""

from __future__ import annotations

from core import paths
from core.workbench import Workbench
from tests.core.store.material import clock
from tests.flows import three_processes

DOCUMENTS = {
    "log": (
        "The night log shows that the dosing pump stopped at 02:14.",
        "The operator did not touch the pump that night.",
        "The alarm of the pump was never heard.",
        "The valve stood open until the morning.",
    ),
    "memo": (
        "The vendor opened the valve from afar.",
        "No vendor had an account for the pump.",
        "The guard saw the operator at the pump.",
        "The seal of the pump had failed before.",
    ),
}
HYPOTHESES = ("The operator stopped the pump.", "The vendor opened the valve.")
JUDGE = """
import sys
from pathlib import Path
from core import paths
from core.workers.engines import JudgeClient
from core.ports import Engines
from core.workbench import Workbench
from tests.core.store.material import clock
from tests.fakes import HashEmbedder, PlainReader, PlainWriter

case, model = map(Path, sys.argv[1:])
judge = JudgeClient(model)
engines = Engines(reader=PlainReader(), embedder=HashEmbedder(), judge=judge, writer=PlainWriter(), judge_file=model)
with Workbench.open(case, engines, who="Ann", now=clock("2026-03-02T08:00:00+00:00")) as bench:
    judged = bench.review.propose(passages=4)
    taken = [p.id for p in judged.proposals if p.verdict.label in ("supports", "contradicts")]
    bench.review.accept(taken, rate=True)
    bench.reports.write(case.with_suffix(".html"))
judge.close()
print(judged.passages_judged, len(taken))
"""


def test_three_processes_with_the_judge_give_the_same_bytes(tmp_path, engines):
    model = paths.reader()
    made = tmp_path / "case.disconfirm"
    with Workbench.create(made, engines, title="Pump", who="Ann", now=clock()) as bench:
        for text in HYPOTHESES:
            bench.hypotheses.add(text)
        for name, passages in DOCUMENTS.items():
            (tmp_path / f"{name}.txt").write_text("\f".join(passages), "utf-8")  # a page each, and so a passage
        bench.documents.add([tmp_path / f"{name}.txt" for name in DOCUMENTS])
        bench.plans.make()
    reports = []
    for copy, told in three_processes.each(JUDGE, made, tmp_path, str(model)):
        asked, taken = map(int, told.split())
        assert asked == 4 * len(HYPOTHESES)
        assert taken
        reports.append(copy.with_suffix(".html").read_bytes())
    sentences = [text for passages in DOCUMENTS.values() for text in passages]
    assert any(text.encode() in reports[0] for text in sentences)  # the quotes of the judge stand in it
    assert reports[0] == reports[1] == reports[2]
