"""Effort for each hypothesis: told apart by side, evened out, and in the report as it was; what was missed in words."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from core.errors import ModelMissing, NoSuchItem
from core.progress import Cancelled, Progress
from core.workbench import Workbench
from tests.core.store.material import clock

TEXTS = {
    f"note{n}.txt": f"The dosing pump was {what}. {rest}"
    for n, (what, rest) in enumerate(
        [
            ("stopped by the vendor", "The vendor denied it."),
            ("not maintained", "Its seal was worn."),
            ("maintained in March", "The book of the works says so."),
            ("never stopped", "The log has no gap."),
            ("switched off by hand", "The operator was alone."),
            ("without power", "The mixers stood still too."),
            ("replaced in May", "The old one was sold."),
            ("running all night", "The guard heard it."),
        ]
    )
}


@pytest.fixture
def bench(tmp_path, engines):
    with Workbench.create(tmp_path / "a.disconfirm", engines, title="Pump", who="Ann", now=clock()) as opened:
        for text in ("The vendor stopped the pump.", "The pump was not maintained.", "The power failed."):
            opened.hypotheses.add(text)
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text, "utf-8")
        opened.documents.add([tmp_path / name for name in TEXTS])
        yield opened


def test_a_run_says_what_it_did(bench):
    steps = []
    report = bench.review.propose(passages=4, progress=Progress(lambda _done, _total, what: steps.append(what)))
    run = f"{len(bench.plans.runs())} searches"
    assert report.effort == f"12 passages for 3 hypotheses, half of them looked for what speaks against; {run}"
    against = sum(search.role in ("negation", "if false", "against") for search in bench.plans.runs())
    assert f"Running {run}, {against} of them for what speaks against a hypothesis" in steps
    assert report.against * 2 == report.passages_judged


def test_a_run_that_is_stopped_says_what_it_did_until_then(bench):
    def stop(done, _total, what):
        if what.startswith("Judging") and done >= 6:
            raise Cancelled

    with pytest.raises(Cancelled):
        bench.review.propose(passages=6, progress=Progress(stop))
    looked = {(p.hypothesis, p.chunk) for p in bench.verdicts.proposals()}
    assert 6 <= len(looked) < 18
    ran = bench.plans.runs()
    assert {search.hypothesis for search in ran} == {"H1", "H2", "H3"}
    assert sum(search.fresh for search in ran) == len(looked)
    assert sum(search.supports + search.contradicts for search in ran) <= sum(search.passages for search in ran)
    bench.review.propose(passages=6)  # what was left is judged now, and counted as new now
    fresh = sum(search.fresh for search in bench.plans.runs()[len(ran) :])
    assert fresh == len(bench.verdicts.proposals()) - len(looked)


def test_effort_is_evened_out_by_exactly_what_is_missing(bench):
    bench.review.propose(["H1", "H2"], passages=5)
    bench.review.propose(["H3"], passages=2)
    assert [e.uneven for e in bench.plans.effort()] == ["", "", "H3 had 3 fewer passages looked at than H1."]
    looked = {p.chunk for p in bench.verdicts.proposals("H3")}
    report = bench.review.balance_effort()
    assert report.passages_judged == 3
    fresh = {p.chunk for p in report.proposals}
    assert len(fresh) == 3
    assert not fresh & looked
    assert [(e.passages, e.fair) for e in bench.plans.effort()] == [(5, True), (5, True), (5, True)]
    again = bench.review.balance_effort()
    assert again.passages_judged == 0
    assert again.notes


def test_evening_out_needs_a_judge_and_a_hypothesis(bench):
    with pytest.raises(NoSuchItem):
        bench.review.balance_effort(["H9"])
    bench.review.propose(["H1"], passages=2)
    bench.engines = replace(bench.engines, judge=None)
    with pytest.raises(ModelMissing):
        bench.review.balance_effort()


def test_the_report_says_how_the_documents_were_searched(bench, tmp_path):
    bench.review.propose(["H1", "H2"], passages=5)
    bench.review.propose(["H3"], passages=2)
    for at, chunk in enumerate(bench.plans.elusion_sample("H1", 2)):
        bench.plans.judge_relevance("H1", chunk.id, at == 0)
    told = json.loads(bench.reports.write(tmp_path / "r.json").file.read_text("utf-8"))
    one, _, three = told["search"]
    mine = bench.plans.runs("H1")
    assert (one["searches_for"] + one["searches_against"], one["passages"]) == (len(mine), 5)
    assert one["supports"] + one["contradicts"] + one["neutral"] + one["ambiguous"] == 5
    assert three["uneven"] == "H3 had 3 fewer passages looked at than H1."
    assert (one["missed"]["judged"], three["missed"]) == (2, None)
    assert one["missed"]["low"] <= one["missed"]["expected"] <= one["missed"]["high"]
    for form in (".html", ".md"):
        text = re.sub(r"<[^>]+>|\\", "", bench.reports.write(tmp_path / f"r{form}").file.read_text("utf-8"))
        assert "How the documents were searched" in text
        assert "H3 had 3 fewer passages looked at than H1." in text
        assert "Of what bears on H1, probably" in text
        assert "Not known for H2 and H3" in text
    for form in (".pdf", ".docx", ".xlsx"):
        assert b"H3 had 3 fewer passages" in bench.reports.write(tmp_path / f"r{form}").file.read_bytes()
    first, second = (replace(bench.reports.data(), generated_at="") for _ in range(2))
    assert first == second


def test_the_estimate_needs_no_model(bench, tmp_path):
    bench.review.propose(["H1"], passages=3)
    for at, chunk in enumerate(bench.plans.elusion_sample("H1", 3)):
        bench.plans.judge_relevance("H1", chunk.id, at == 1)
    told = bench.plans.elusion("H1")
    bench.engines = replace(bench.engines, embedder=None)
    assert bench.plans.elusion("H1") == told


def test_an_earlier_report_has_the_effort_of_then(bench, tmp_path):
    bench.review.propose(["H1"], passages=3)
    then = bench.store.log.entries()[-1]
    bench.review.propose(["H1", "H2", "H3"], passages=5)
    early = bench.reports.data(as_of=str(then.seq)).search
    assert [(s.passages, s.searches_for > 0) for s in early] == [(3, True), (0, False), (0, False)]
    assert [s.passages for s in bench.reports.data().search] == [5, 5, 5]


def test_a_case_that_was_not_searched_says_so(bench):
    bench.hypotheses.remove("H3")
    data = bench.reports.data()
    assert [(s.passages, s.queries, s.uneven) for s in data.search] == [(0, 0, ""), (0, 0, "")]


def test_the_command_line_evens_out_and_says_what_was_missed(bench, engines, capsys, monkeypatch):
    from core import __main__ as program
    from core.runtime import launch

    bench.review.propose(["H1", "H2"], passages=4)
    bench.review.propose(["H3"], passages=1)
    path = str(bench.path)
    bench.close()
    monkeypatch.setattr(launch, "build_engines", lambda *_a, **_k: engines)
    assert program.main(["effort", path]) == 0
    assert "H3 had 3 fewer passages looked at than H1." in capsys.readouterr().out
    assert program.main(["propose", path, "--even", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["passages_judged"], len(told["proposals"])) == (3, 3)
    assert "3 passages for 1 hypothesis" in told["notes"][0]
    assert program.main(["missed", path, "H1"]) == 0
    assert "It is not known yet what was missed for H1" in capsys.readouterr().out
