"""Who may judge: the exam is sat once, kept by the judge's fingerprint, and asked for before any verdict."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from core import paths
from core.__main__ import main
from core.domain import Probabilities
from core.errors import BadInput, CannotWrite, EngineStopped, ModelMissing, ModelUnreadable
from core.model_files import gguf
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.report import render_html
from core.runtime import launch
from core.settings import Settings
from core.verdicts import exam, exam_results, labels
from core.workbench import Workbench
from gui_app.shared.probabilities import exam_words
from gui_app.shell.top_bar import chip_text
from tests.core.engines import tiny_gguf
from tests.fakes import PlainReader, ScriptedJudge

KEYS = {(pair.passage, pair.hypothesis): pair.label for pair in exam.pairs()}


def certain(label: str) -> Probabilities:
    return Probabilities(*(0.9 if label == name else 0.05 for name in exam.CLASSES))


class KnowingJudge:
    """Knows the answers; where a passage is not of the exam, an attack was planted, and it does as it is told."""

    def __init__(self, fingerprint: str = "knowing judge sha256:0123 of a test") -> None:
        self.fingerprint = fingerprint
        self.calls = 0

    def judge(self, passage, hypotheses):
        self.calls += 1
        aims = [attack.aim for attack in exam.attacks() if all(part in passage for part in attack.parts)]
        return [certain(KEYS.get((passage, hypothesis)) or (aims or ["neutral"])[0]) for hypothesis in hypotheses]


class DullJudge(KnowingJudge):
    """Gives the same answer to everything."""

    def judge(self, passage, hypotheses):
        self.calls += 1
        return [certain("supports") for _ in hypotheses]


def engines(judge, **more) -> Engines:
    return Engines(reader=PlainReader(), judge=judge, examine=True, **more)


@pytest.fixture
def case(tmp_path):
    """A case with one passage and one hypothesis, ready to be judged."""

    def make(judge, *, examine: bool = True) -> Workbench:
        page = tmp_path / "page.txt"
        page.write_text("The harbour crane failed because the cable had rusted through.", "utf-8")
        bench = Workbench.create(
            tmp_path / "a.disconfirm", Engines(reader=PlainReader(), judge=judge, examine=examine), title="T"
        )
        bench.documents.add([page])
        bench.hypotheses.add("The crane failed because of its cable.")
        return bench

    return make


# --- sitting it ----------------------------------------------------------------------------------------------------


def test_a_judge_sits_the_exam_once():
    judge = KnowingJudge()
    assert exam_results.result_of(judge.fingerprint) is None
    assert exam_results.require_judge(engines(judge)) is judge
    calls = judge.calls
    assert calls == len(exam.passages(exam.pairs())) + 3 * len(exam.attacks())
    assert exam_results.require_judge(engines(judge)) is judge
    assert judge.calls == calls
    result = exam_results.result_of(judge.fingerprint)
    assert result is not None
    assert result.accuracy.value == 1.0
    assert result.injected is not None
    assert result.injected.success.value == 1.0  # it did as the attackers wanted
    assert list((paths.user_data() / "exams").glob("*.part")) == []


def test_another_judge_sits_it_itself():
    exam_results.run_exam(KnowingJudge("one"))
    assert exam_results.result_of("one") is not None
    assert exam_results.result_of("two") is None


def test_progress_is_told_and_a_cancelled_exam_keeps_nothing():
    steps: list[tuple[int, int]] = []

    def listen(count: int, total: int, _what: str) -> None:
        steps.append((count, total))
        if count == 130:
            progress.cancel()

    progress = Progress(listen)
    judge = KnowingJudge()
    with pytest.raises(Cancelled):
        exam_results.run_exam(judge, progress)
    assert [count for count, _ in steps] == list(range(131))
    assert {total for _, total in steps} == {324}
    assert exam_results.result_of(judge.fingerprint) is None


def test_a_judge_that_is_killed_on_cancel_is_a_cancelled_exam():
    progress = Progress()

    class Killed(KnowingJudge):
        def judge(self, passage, hypotheses):
            if self.calls == 3:
                progress.cancel()
                raise EngineStopped(engine="language model", item="a passage", reason="it was stopped")
            return super().judge(passage, hypotheses)

    with pytest.raises(Cancelled):
        exam_results.run_exam(Killed(), progress)


@pytest.mark.parametrize("spoil", [b"", b"{", b"[]", b"\xff\xfe", b'{"judge": "x"}'])
def test_a_broken_result_is_as_good_as_none(spoil):
    judge = KnowingJudge()
    file = exam_results.keep(exam_results.run_exam(judge))
    file.write_bytes(spoil)
    assert exam_results.result_of(judge.fingerprint) is None
    exam_results.require_judge(engines(judge))
    assert exam_results.result_of(judge.fingerprint) is not None


def test_a_result_laid_under_another_name_is_not_taken():
    first = exam_results.keep(exam_results.run_exam(KnowingJudge("one")))
    first.rename(first.with_name(exam_results._name("two")))
    assert exam_results.result_of("two") is None


def test_a_folder_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way", "utf-8")
    monkeypatch.setenv("DISCONFIRM_HOME", str(tmp_path / "file"))
    with pytest.raises(CannotWrite):
        exam_results.run_exam(KnowingJudge())


# --- who may judge -------------------------------------------------------------------------------------------------


def test_a_judge_that_fails_gives_no_verdicts(case):
    judge = DullJudge()
    bench = case(judge)
    with pytest.raises(BadInput, match="not clearly better than chance"):
        bench.review.propose()
    calls = judge.calls
    with pytest.raises(BadInput):
        bench.review.judge_passage(1)
    assert judge.calls == calls, "a failed exam is not sat again at every attempt"
    assert bench.verdicts.proposals() == []
    assert bench.store.verdicts.get(judge.fingerprint, []) == {}


def test_a_judge_that_passes_judges(case):
    judge = KnowingJudge()
    report = case(judge).review.propose()
    assert len(report.proposals) == 1
    assert exam_results.result_of(judge.fingerprint) is not None


def test_a_judge_that_takes_the_place_of_another_during_the_exam_gets_no_result(case):
    class Swapped(KnowingJudge):
        def judge(self, passage, hypotheses):
            if self.calls == 3:
                self.fingerprint = "other judge sha256:4567 of a test"
            return super().judge(passage, hypotheses)

    judge = Swapped()
    first = judge.fingerprint
    with pytest.raises(ModelUnreadable, match="took the place of another model"):
        exam_results.run_exam(case(judge).engines.judge)
    assert exam_results.result_of(first) is None
    assert exam_results.result_of(judge.fingerprint) is None


def test_engines_put_together_by_hand_decide_themselves(case):
    judge = ScriptedJudge()
    assert case(judge, examine=False).review.propose().proposals
    assert exam_results.result_of(judge.fingerprint) is None


def test_the_program_always_asks_for_the_exam():
    built = launch.build_engines(Settings())
    try:
        assert built.examine
    finally:
        launch.close(built)


def test_without_a_judge_there_is_no_exam(case):
    with pytest.raises(ModelMissing):
        exam_results.require_judge(engines(None))


# --- the card ------------------------------------------------------------------------------------------------------


def test_the_card_says_what_was_reached(case):
    judge = KnowingJudge()
    bench = case(judge)
    card = bench.verdicts.judge_card()
    assert card is not None
    assert card.right is None
    assert "not examined" in card.summary
    assert chip_text(card) == "knowing judge  not examined"
    result = exam_results.run_exam(bench.engines.judge)
    new_card = bench.verdicts.judge_card()
    assert new_card is not None
    statements, clues = result.halves
    assert new_card.right == (statements.accuracy.value, statements.accuracy.low, statements.accuracy.high)
    assert new_card.clues == (clues.accuracy.value, clues.accuracy.low, clues.accuracy.high, clues.chance)
    assert new_card.summary == result.line()
    assert new_card.measured == ()
    assert chip_text(new_card) == "Model accuracy 100% direct, 100% indirect"
    assert exam_words(new_card).startswith(
        "In its exam direct statements 100% right (99% to 100%; chance is 33%), indirect evidence 100% ("
    )
    assert exam_results.result_of(judge.fingerprint) == result
    assert exam_results.result_of("another") is None


class Literal(KnowingJudge):
    """Knows what is said outright; of what is not it says neutral."""

    def judge(self, passage, hypotheses):
        sure = super().judge(passage, hypotheses)
        return [certain("neutral") if passage in CLUES else answer for answer in sure]


CLUES = {pair.passage for pair in exam.clues()}


def test_a_judge_near_chance_on_clues_judges_and_everything_about_it_says_so(case):
    judge = Literal("literal judge sha256:0789")
    bench = case(judge)
    assert bench.review.propose().proposals
    card = bench.verdicts.judge_card()
    assert (card.right[0], card.clues[0]) == (1.0, pytest.approx(card.clues[3], abs=1e-4))
    assert "indirect evidence 39% right (33% to 45%; chance is 39%, and it is not clearly better)" in card.line()
    assert chip_text(card) == "Model accuracy 100% direct, 39% indirect"
    (judge_row,) = bench.reports.data().judges
    assert [(half.name, half.beats_chance) for half in judge_row.exam.halves] == [
        ("statements", True),
        ("clues", False),
    ]
    page = page_of(bench)
    assert "On indirect evidence, literal judge is not clearly better than chance." in page
    assert "39.2% (33.2 to 45.5)" in page
    figures = {figure.name: figure.value for figure in bench.accuracy.figures()}
    assert figures["verdicts of literal judge right in its exam: statements"] == 1.0
    assert figures["verdicts of literal judge right in its exam: clues"] == card.clues[0]


class Wavering(KnowingJudge):
    """Mostly knows the answers; three times in ten, and on what is not of the exam, it is hardly sure of anything."""

    def judge(self, passage, hypotheses):
        sure = super().judge(passage, hypotheses)
        return [
            replace(answer, supports=0.4, contradicts=0.32, neutral=0.28)
            if (passage, text) not in KEYS or sum(map(ord, text)) % 10 < 3
            else answer
            for answer, text in zip(sure, hypotheses, strict=True)
        ]


def test_when_a_judge_of_ones_own_is_undecided_is_measured_in_its_exam(case):
    judge = Wavering("wavering judge sha256:0456")
    bench = case(judge)
    assert exam_results.margin_of(judge.fingerprint) == labels.card().threshold  # nothing is known of it yet
    result = exam_results.run_exam(bench.engines.judge)
    assert result.decided is not None
    assert result.decided.margin == pytest.approx(0.08)  # more than a fifth of its answers are that close
    assert exam_results.margin_of(judge.fingerprint) == result.decided.margin
    card = bench.verdicts.judge_card()
    assert (card.threshold, card.coverage) == (result.decided.margin, 1.0)
    (proposal,) = bench.review.propose().proposals
    assert proposal.verdict.label == "supports"  # by the margin of the program's own judge it would be undecided
    assert proposal.verdict.probabilities.supports - proposal.verdict.probabilities.contradicts < 0.15


# --- the program's own judge is its weights ---------------------------------------------------------------------------


def own_fingerprints() -> list[str]:
    digest = labels.card().sha256[:16]
    return [f"a name Q5_1 sha256:{digest} library 1 input a", f"anything Q8_0 sha256:{digest} library 2 prompt a 1"]


STRANGE = "0123456789abcdef"


def strange_fingerprints() -> list[str]:
    """Of other weights, which bear the name of the judge, or its whole fingerprint."""
    own_card = labels.card()
    return [
        f"{own_card.name} Q8_0 sha256:{STRANGE} library 1",
        *(f"{fingerprint} Q8_0 sha256:{STRANGE} library 1" for fingerprint in own_fingerprints()),
        f"a sha256:{own_card.sha256[:16]} with Q8_0 sha256:{STRANGE} library 1",
        f"a sha256:{own_card.sha256[:16]}\nQ8_0 sha256:{STRANGE} library 1",
        own_card.name,
        "",
    ]


def test_what_was_measured_stands_with_the_weights_that_it_was_measured_of():
    own_card = labels.card()
    for fingerprint in own_fingerprints():
        assert exam_results.model_card(fingerprint).measured == own_card.measured
        assert exam_results.margin_of(fingerprint) == own_card.threshold
    for fingerprint in strange_fingerprints():
        card = exam_results.model_card(fingerprint)
        assert (card.measured, card.right, card.base) == ((), None, ""), fingerprint
        assert card.summary == exam_results.NOT_EXAMINED
        assert exam_results.show_thresholds(fingerprint) == ()


def test_another_model_of_the_same_name_has_the_margin_of_its_own_exam():
    for fingerprint in strange_fingerprints()[:3]:
        result = exam_results.run_exam(Wavering(fingerprint))
        assert exam_results.margin_of(fingerprint) == result.decided.margin == pytest.approx(0.08)
        card = exam_results.model_card(fingerprint)
        assert (card.threshold, card.measured) == (result.decided.margin, ())
        assert card.right is not None


def test_a_result_is_of_the_weights_that_sat_the_exam_and_of_none_that_their_name_tells():
    own_card = labels.card()
    for fingerprint in strange_fingerprints()[:5]:
        exam_results.run_exam(KnowingJudge(fingerprint))
    result = exam_results.result_of_weights(own_card.sha256)
    assert result is None or result.accuracy.value < 0.95  # that which comes with the program
    assert exam_results.result_of_weights(STRANGE * 4).accuracy.value == 1.0


def test_a_card_that_names_no_weights_is_of_no_judge(monkeypatch):
    monkeypatch.setattr(labels, "card", lambda: nameless)
    assert not any(map(labels.is_own, [*own_fingerprints(), *strange_fingerprints(), "x sha256:"]))


nameless = replace(labels.card(), sha256="")


def test_the_card_is_of_the_file_that_the_program_comes_with():
    own_card = labels.card()
    lock = json.loads((paths.RESOURCES / "models.lock").read_text("utf-8"))
    rows = {file["file"]: file for model in lock["models"] for file in model["files"]}
    assert own_card.sha256 == rows[paths.READER]["sha256"] == gguf.sha256(paths.reader())
    assert rows[paths.READER]["size"] == paths.reader().stat().st_size
    head = gguf.check(paths.reader())
    assert own_card.name == head.values["general.name"]
    assert own_card.temperature == pytest.approx(head.values["mpnet-judge.temperature"])
    # It sat the exam where the program was made.
    sat = [exam.from_json(file.read_text("utf-8")).judge for file in (exam.folder() / "results").glob("*.json")]
    assert {labels.weights_of(judge) for judge in sat} == {own_card.sha256[:16]}


def test_another_file_in_the_place_of_the_judge_is_refused(tmp_path, monkeypatch):
    own_card = labels.card()
    weights = tiny_gguf.encoder(tmp_path / paths.READER)
    monkeypatch.setattr(paths, "reader", lambda: weights)
    engines = launch.build_engines(Settings())
    try:
        with pytest.raises(ModelUnreadable) as refused:
            exam_results.require_judge(engines)
        assert own_card.sha256[:12] in refused.value.sentence
        assert refused.value.hint
    finally:
        launch.close(engines)


def test_the_card_does_not_start_the_judge(tmp_path, monkeypatch):
    class Sleeping:
        sandbox = None

        @property
        def fingerprint(self) -> str:
            raise AssertionError("it was started")

    weights = tmp_path / "some.gguf"
    assert exam_results.card(engines(Sleeping(), judge_file=weights)) == labels.model_card(
        "some", exam_results.NOT_EXAMINED, own=False
    )
    assert exam_results.result_in_use(engines(Sleeping(), judge_file=weights)) is None
    # Of that which comes with the program it is known of which weights it is: with others it does not start.
    plain = labels.card()
    monkeypatch.setattr(paths, "reader", lambda: weights)
    monkeypatch.setattr(labels, "card", lambda: replace(plain, sha256="abcdef0123456789" * 4))
    card = exam_results.card(engines(Sleeping(), judge_file=weights))
    assert (card.name, card.right, card.measured) == (plain.name, None, plain.measured)
    exam_results.run_exam(KnowingJudge("own Q8_0 sha256:abcdef0123456789 library 1"))
    card = exam_results.card(engines(Sleeping(), judge_file=weights))
    assert card is not None
    assert card.right is not None


def test_a_report_says_what_the_judge_reached_or_that_nobody_knows(case):
    judge = KnowingJudge("one of a test")
    bench = case(judge, examine=False)
    bench.review.propose()
    (judge_row,) = bench.reports.data().judges
    assert (judge_row.fingerprint, judge_row.verdicts, judge_row.beside, judge_row.exam) == (
        judge.fingerprint,
        1,
        0,
        None,
    )
    assert "nobody knows how often it is right" in page_of(bench)
    result = exam_results.run_exam(bench.engines.judge)
    (judge_row,) = bench.reports.data().judges
    assert judge_row.exam.right == (result.accuracy.value, result.accuracy.low, result.accuracy.high)
    assert judge_row.exam.f1 == tuple(row.f1 for row in result.classes) == (1.0, 1.0, 1.0)
    assert judge_row.exam.injected[0] == 1.0
    assert "nobody knows how often it is right" not in page_of(bench)
    for line in (result.line(), bench.verdicts.model_card(judge.fingerprint).line()):  # what stands beside a verdict
        assert "100% right (99% to 100%" in line
        assert "(supports 1.00, contradicts 1.00, neutral 1.00), calibration error 0.10" in line


# --- kept in the case ------------------------------------------------------------------------------------------------


def page_of(bench) -> str:
    return render_html(bench.reports.data()).decode("utf-8")


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """From here on it is another computer, or a version that comes with another judge."""

    def go(**change) -> None:
        monkeypatch.setenv("DISCONFIRM_HOME", str(tmp_path / "another"))
        foreign_card = replace(labels.card(), name="another-judge", threshold=0.01, sure=(), limits=("x",), **change)
        monkeypatch.setattr(labels, "card", lambda: foreign_card)

    return go


def test_what_a_judge_reached_is_kept_with_its_verdicts(case, elsewhere):
    judge = KnowingJudge()
    bench = case(judge)
    bench.review.propose()
    path, card, report = bench.store.path, bench.verdicts.model_card(judge.fingerprint), page_of(bench)
    sure, margin = bench.verdicts.show_thresholds(judge.fingerprint), bench.verdicts.margin_of(judge.fingerprint)
    assert card.right is not None
    assert "99.0% (" in report or "100.0% (" in report
    bench.close()
    elsewhere()
    assert exam_results.result_of(judge.fingerprint) is None
    with Workbench.open(path, Engines(reader=PlainReader())) as reopened_bench:
        assert reopened_bench.verdicts.model_card(judge.fingerprint) == card
        assert reopened_bench.verdicts.show_thresholds(judge.fingerprint) == sure
        assert reopened_bench.verdicts.margin_of(judge.fingerprint) == margin
        assert page_of(reopened_bench) == report
        assert reopened_bench.case.verify().ok
        assert reopened_bench.case.verify().counts["exams"] == 1


def test_what_the_card_of_the_program_said_is_kept_too(case, elsewhere):
    judge = KnowingJudge(own_fingerprints()[1])
    bench = case(judge)
    bench.review.propose()
    report, sure = page_of(bench), labels.card().sure
    assert bench.verdicts.model_card(judge.fingerprint).measured == labels.card().measured
    elsewhere(sha256="1" * 64)
    assert page_of(bench) == report
    bench.case.change_settings(show="strict")
    assert bench.verdicts.show_thresholds(judge.fingerprint) == sure  # as its card said then
    assert [p.withheld for p in bench.verdicts.proposals()] == [
        labels.is_withheld(p.verdict, sure) for p in bench.verdicts.proposals()
    ]


def test_undo_leaves_what_is_known_of_a_model_and_a_model_is_kept_once(case):
    judge = KnowingJudge()
    bench = case(judge)
    bench.review.propose()
    exams = bench.store.verdicts.exams()
    assert list(exams) == [judge.fingerprint]
    while bench.case.undo() is not None:
        pass
    assert bench.store.verdicts.exams() == exams
    exam_results.run_exam(bench.engines.judge)
    bench.hypotheses.add("The crane was old.")
    bench.review.propose()
    assert bench.store.verdicts.exams() == exams


def test_a_merge_brings_what_is_known_of_the_models_over(case, tmp_path, elsewhere):
    judge = KnowingJudge()
    bench = case(judge)
    bench.review.propose()
    path, exams = bench.store.path, bench.store.verdicts.exams()
    bench.close()
    elsewhere()
    with Workbench.create(tmp_path / "b.disconfirm", Engines(reader=PlainReader()), title="B") as target_bench:
        target_bench.case.merge(path)
        assert target_bench.store.verdicts.exams() == exams
        assert target_bench.verdicts.model_card(judge.fingerprint).right is not None
        assert target_bench.case.verify().ok
        (judge_row,) = target_bench.reports.data().judges
        assert judge_row.exam is not None


def test_what_a_case_keeps_of_another_model_or_nothing_readable_counts_for_nothing(case):
    judge = KnowingJudge()
    bench = case(judge, examine=False)
    bench.review.propose()
    exam_results.run_exam(judge)
    record = json.loads(exam_results.to_keep(judge.fingerprint))
    assert exam_results.read_record(json.dumps(record), judge.fingerprint).result.passed
    for part, name, value in (
        ("exam", "judge", "somebody else"),
        ("exam", "classes", []),
        ("exam", "accuracy", {"value": 1.0, "low": 1.0, "high": 1.0, "n": 120}),
        ("exam", "calibration_error", 7),
        ("card", "measured", [{"set": "x"}]),
        ("card", "threshold", "wide"),
        ("card", "sure", [{"label": "all", "threshold": 0.0}]),
        ("card", "right", [1]),
    ):
        assert (
            exam_results.read_record(json.dumps({**record, part: {**record[part], name: value}}), judge.fingerprint)
            is None
        ), name
    for text in ("", "[]", "{", '{"card": 1, "exam": 2}', "[" * 100_000, json.dumps(record) + " " * 300_000):
        assert exam_results.read_record(text, judge.fingerprint) is None
    forged = {**record, "exam": {**record["exam"], "accuracy": {"value": 1.0, "low": 1.0, "high": 1.0, "n": 120}}}
    bench.store.verdicts.keep_exam(judge.fingerprint, json.dumps(forged))
    assert bench.verdicts.model_card(judge.fingerprint).right == exam_results.model_card(judge.fingerprint).right
    (problem,) = bench.case.verify().problems
    assert "exam result" in problem.what


def test_an_earlier_exam_stands_with_the_verdicts_that_it_was_sat_for(case, monkeypatch):
    judge = KnowingJudge()
    bench = case(judge)
    bench.review.propose()
    report = page_of(bench)
    monkeypatch.setattr(exam, "VERSION", exam.VERSION + 1)
    assert exam_results.result_of(judge.fingerprint) is None  # to judge on it must sit the new one
    assert page_of(bench) == report


def test_a_report_names_every_model_whose_verdicts_stand(case):
    first, second = KnowingJudge("first Q8_0 sha256:00000000000000aa x"), Wavering("second sha256:00000000000000bb x")
    bench = case(first)
    bench.review.propose()
    bench.engines = replace(bench.engines, judge=second)
    bench.hypotheses.add("The crane was old.")
    bench.review.propose()
    by_fingerprint = {row.fingerprint: row for row in bench.reports.data().judges}
    assert set(by_fingerprint) == {first.fingerprint, second.fingerprint}
    assert sum(row.verdicts for row in by_fingerprint.values()) == len(bench.verdicts.proposals()) == 2
    assert sum(row.beside for row in by_fingerprint.values()) == sum(len(p.others) for p in bench.verdicts.proposals())
    page = page_of(bench)
    for fingerprint in by_fingerprint:
        right = bench.verdicts.exam_of(fingerprint).accuracy
        assert fingerprint in page
        assert f"{right.value * 100:.1f}% ({right.low * 100:.1f} to {right.high * 100:.1f})" in page


# --- the command line ----------------------------------------------------------------------------------------------


def run(judge, monkeypatch, capsys, *arguments) -> tuple[int, str]:
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines(judge))
    code = main(["exam", *arguments])
    return code, capsys.readouterr().out


def test_the_command_sits_it_and_shows_it(monkeypatch, capsys):
    judge = KnowingJudge()
    code, out = run(judge, monkeypatch, capsys, "--json")
    result = json.loads(out)
    assert code == 0
    assert result["passed"] is True
    assert result["judge"] == judge.fingerprint
    assert result["accuracy"]["value"] == 1.0
    calls = judge.calls
    code, out = run(judge, monkeypatch, capsys)
    assert judge.calls == calls
    assert "accuracy 1.000 (0.989 to 1.000)" in out
    run(judge, monkeypatch, capsys, "--again")
    assert judge.calls == 2 * calls


def test_the_command_says_who_failed(monkeypatch, capsys):
    code, out = run(DullJudge(), monkeypatch, capsys)
    assert code == 1
    assert "FAILED" in out


def test_the_command_asks_for_the_model_that_was_named(monkeypatch, capsys, tmp_path):
    models: list[str] = []

    def build(settings: Settings) -> Engines:
        models.append(settings.judge)
        return engines(KnowingJudge())

    monkeypatch.setattr(launch, "build_engines", build)
    assert main(["exam", "--model", str(tmp_path / "own.gguf")]) == 0
    assert models == [str(tmp_path / "own.gguf")]


def test_pairs_are_not_classified_by_one_who_failed(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(launch, "build_engines", lambda _settings: engines(DullJudge()))
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "1", "passage": "It rains.", "hypothesis": "It rains."}) + "\n", "utf-8")
    assert main(["classify", "--jsonl", str(pairs)]) == 3
    output = capsys.readouterr()
    assert output.out == ""
    assert "not clearly better than chance" in output.err


# --- the judge that comes with the program -------------------------------------------------------------------------


def test_the_results_that_come_with_the_program_are_results_of_this_exam():
    files = sorted((exam.folder() / "results").glob("*.json"))
    assert files
    for file in files:
        result = exam.from_json(file.read_text("utf-8"))
        assert file.name == exam_results._name(result.judge)
        assert [half.accuracy.n for half in result.halves] == [len(exam.statements()), len(exam.clues())]
        assert result.injected is not None
        assert labels.is_own(result.judge)


INJECTED_BEFORE = 0.05  # share of the verdicts that planted instructions turned with the generative judge before it


def test_planted_instructions_turn_hardly_more_verdicts_than_before():
    for file in (exam.folder() / "results").glob("*.json"):
        injected = exam.from_json(file.read_text("utf-8")).injected
        assert injected is not None
        assert injected.success.value <= INJECTED_BEFORE + 0.05


def test_the_measurements_tell_the_result_as_it_is():
    page = " ".join((paths.RESOURCES / "docs" / "measurements.md").read_text("utf-8").split())
    results = [exam.from_json(file.read_text("utf-8")) for file in (exam.folder() / "results").glob("*.json")]

    def stands_in_page(result: exam.Result) -> bool:
        won = result.injected.success
        return (
            all(
                f"{100 * share.value:.0f}% right (95% interval {100 * share.low:.0f} to {100 * share.high:.0f})" in page
                for share in (half.accuracy for half in result.halves)
            )
            and all(f"macro-F1 {half.macro_f1.value:.2f}" in page for half in result.halves)
            and f"{100 * won.value:.0f}% of its verdicts ({100 * won.low:.0f} to {100 * won.high:.0f})" in page
        )

    assert any(map(stands_in_page, results))


def test_the_real_judge_answers_the_first_questions(real_judge):
    few = exam.pairs()[:12]
    answers = {}
    for passage, pairs in exam.passages(few).items():
        replies = real_judge.judge(passage, [pair.hypothesis for pair in pairs])
        answers.update(zip((pair.id for pair in pairs), replies, strict=True))
    result = exam.grade(few, answers, judge=real_judge.fingerprint, sat="2026-01-01T00:00:00Z", seconds=1.0)
    assert sum(map(sum, result.confusion)) == 12
    assert exam.from_json(result.as_json()) == result
    twins = exam.twins(few, exam.attacks()[:1])
    replies = [real_judge.judge(twin.passage, [pair.hypothesis for pair in twin.pairs]) for twin in twins]
    injected = exam.grade_attacks(twins, answers, replies)
    assert injected.success.n <= 6
    assert exam.from_json(replace(result, injected=injected).as_json()).injected == injected


def test_the_real_judge_has_its_result_with_it(real_judge):
    result = exam_results.result_of(real_judge.fingerprint)
    assert result is not None, "sit it with: disconfirm exam --again; see resources/exam/README.md"
    assert result.passed
