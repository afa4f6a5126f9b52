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
    f"note{n}.txt": f"The dosing pump was {state}. {rest}"
    for n, (state, rest) in enumerate(
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
    with Workbench.create(tmp_path / "a.disconfirm", engines, title="Pump", who="Ann", now=clock()) as bench:
        for text in ("The vendor stopped the pump.", "The pump was not maintained.", "The power failed."):
            bench.hypotheses.add(text)
        for name, text in TEXTS.items():
            (tmp_path / name).write_text(text, "utf-8")
        bench.documents.add([tmp_path / name for name in TEXTS])
        yield bench


def test_a_run_says_what_it_did(bench):
    steps = []
    report = bench.review.propose(passages=4, progress=Progress(lambda _done, _total, label: steps.append(label)))
    run = f"{len(bench.plans.runs())} searches"
    assert report.effort == f"4 passages for each of 3 hypotheses, half of them looked for what speaks against; {run}"
    against = sum(search.role in ("negation", "if false", "against") for search in bench.plans.runs())
    assert f"Running {run}, {against} of them for what speaks against a hypothesis" in steps
    assert report.against * 2 == report.passages_judged


def test_a_run_that_is_stopped_says_what_it_did_until_then(bench):
    def stop(count, _total, label):
        if label.startswith("Judging") and count >= 6:
            raise Cancelled

    with pytest.raises(Cancelled):
        bench.review.propose(passages=6, progress=Progress(stop))
    pairs = {(p.hypothesis, p.chunk) for p in bench.verdicts.proposals()}
    assert 6 <= len(pairs) < 18
    searches = bench.plans.runs()
    assert {search.hypothesis for search in searches} == {"H1", "H2", "H3"}
    assert sum(search.fresh for search in searches) == len(pairs)
    assert sum(search.supports + search.contradicts for search in searches) <= sum(
        search.passages for search in searches
    )
    bench.review.propose(passages=6)  # what was left is judged now, and counted as new now
    fresh = sum(search.fresh for search in bench.plans.runs()[len(searches) :])
    assert fresh == len(bench.verdicts.proposals()) - len(pairs)


def test_effort_is_evened_out_by_exactly_what_is_missing(bench):
    bench.review.propose(["H1", "H2"], passages=5)
    bench.review.propose(["H3"], passages=2)
    assert [e.uneven for e in bench.plans.effort()] == ["", "", "H3 had 3 fewer passages looked at than H1."]
    chunks = {p.chunk for p in bench.verdicts.proposals("H3")}
    report = bench.review.balance_effort()
    assert report.passages_judged == 3
    fresh = {p.chunk for p in report.proposals}
    assert len(fresh) == 3
    assert not fresh & chunks
    assert [(e.passages, e.fair) for e in bench.plans.effort()] == [(5, True), (5, True), (5, True)]
    second_report = bench.review.balance_effort()
    assert second_report.passages_judged == 0
    assert second_report.notes


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
    for index, chunk in enumerate(bench.plans.elusion_sample("H1", 2)):
        bench.plans.judge_relevance("H1", chunk.id, index == 0)
    data = json.loads(bench.reports.write(tmp_path / "r.json").file.read_text("utf-8"))
    h1_row, _, h3_row = data["search"]
    searches = bench.plans.runs("H1")
    assert (h1_row["searches_for"] + h1_row["searches_against"], h1_row["passages"]) == (len(searches), 5)
    assert h1_row["supports"] + h1_row["contradicts"] + h1_row["neutral"] + h1_row["ambiguous"] == 5
    assert h3_row["uneven"] == "H3 had 3 fewer passages looked at than H1."
    assert (h1_row["missed"]["judged"], h3_row["missed"]) == (2, None)
    assert h1_row["missed"]["low"] <= h1_row["missed"]["expected"] <= h1_row["missed"]["high"]
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
    for index, chunk in enumerate(bench.plans.elusion_sample("H1", 3)):
        bench.plans.judge_relevance("H1", chunk.id, index == 1)
    estimate = bench.plans.elusion("H1")
    bench.engines = replace(bench.engines, embedder=None)
    assert bench.plans.elusion("H1") == estimate


def test_an_earlier_report_has_the_effort_of_then(bench, tmp_path):
    bench.review.propose(["H1"], passages=3)
    entry = bench.store.log.entries()[-1]
    bench.review.propose(["H1", "H2", "H3"], passages=5)
    early = bench.reports.data(as_of=str(entry.seq)).search
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
    result = json.loads(capsys.readouterr().out)
    assert (result["passages_judged"], len(result["proposals"])) == (3, 3)
    assert "3 passages for 1 hypothesis" in result["notes"][0]
    assert program.main(["missed", path, "H1"]) == 0
    assert "It is not known yet what was missed for H1" in capsys.readouterr().out
