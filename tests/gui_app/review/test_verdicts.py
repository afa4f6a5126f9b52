"""Review with several models: side by side, read again, judged again, only sure ones; and the agreement view."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from core.verdicts import exam, exam_results, labels
from core.verdicts.labels import ShowThreshold
from gui_app.review import passage_card_view
from gui_app.review.agreement_model import FIGURE, AgreementModel
from gui_app.review.passage_list import verdict_words
from gui_app.review.verdict_block import BESIDE
from gui_app.shared.proposal_queue import DISPUTED, OTHER_MODEL
from gui_app.shell.cell_detail import CellDetail
from gui_app.shell.detail_panel import DetailPanel
from tests.fakes import ContraryJudge, ScriptedJudge
from tests.gui_app.small_case import open_session, settle

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(replace(engines, second_reader=ContraryJudge()), tmp_path) as session:
        yield session


class Newer(ScriptedJudge):
    fingerprint = "scripted judge 2"


class Unsure(ScriptedJudge):
    fingerprint = "unsure judge 1"

    def judge(self, passage, hypotheses):
        verdicts = super().judge(passage, hypotheses)
        return [replace(p, supports=0.45, contradicts=0.3, neutral=0.25) if p.neutral < 0.5 else p for p in verdicts]


def said(label):
    return "" if label.isHidden() else label.text()


def test_two_verdicts_stand_beside_each_other_with_who_said_what(qtbot, review, session):
    proposal = review.current()
    assert [not block.isHidden() for block in review.card.verdicts.blocks] == [True]
    assert "scripted judge 1" in review.card.verdicts.first.who.text()
    session.do(lambda bench: bench.review.read_again([proposal.id]))
    settle(qtbot, session)
    first, second = review.card.verdicts.blocks
    assert first.who.text() == "Judge: scripted judge 1"
    assert second.who.text() == "Second reader: contrary judge 1"
    assert {
        first.chip.accessibleName().split(": ")[1].rpartition(" ")[0],
        second.chip.accessibleName().split(": ")[1].rpartition(" ")[0],
    } == {
        "speaks for",
        "speaks against",
    }
    for block in (first, second):
        assert "exam" in block.figure.text()
        assert block.explanation.text().startswith("The model finds")
    assert said(review.card.readers_label) == (
        "The two readers disagree (≠): read the passage. It is taken as undecided, and nothing is suggested."
    )
    disputed = session.workbench.verdicts.proposals_of([proposal.id])[0]
    assert verdict_words("H1", disputed).endswith("  ≠")
    assert not verdict_words("H1", proposal).endswith("≠")
    session.do(lambda bench: bench.case.change_settings(show="strict"))
    settle(qtbot, session)
    assert said(review.card.readers_label) == ""
    session.do(lambda bench: bench.case.change_settings(show="exploratory"))
    settle(qtbot, session)
    said_of = review.queue.data(review.list.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
    assert "the second reader disagrees" in said_of
    review.panel.verdict_filter.setCurrentIndex(review.panel.verdict_filter.findData(DISPUTED))
    review._filter_changed()
    assert [row.id for row in review.queue.rows] == [proposal.id]


class Like(ScriptedJudge):
    fingerprint = "like judge 1"


def test_two_readers_that_agree_are_shown_so_on_cards_and_in_the_details(qtbot, review, session):
    proposal = review.current()
    assert said(review.card.readers_label) == ""
    session.workbench.engines = replace(session.workbench.engines, second_reader=Like())
    session.do(lambda bench: bench.review.read_again([proposal.id]))
    settle(qtbot, session)
    words = "Two readers agree. No probability rises for it: how often both err together was not measured."
    assert said(review.card.readers_label) == words
    said_of = review.queue.data(review.list.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
    assert "the second reader agrees" in said_of
    panel = DetailPanel(session)
    qtbot.addWidget(panel)
    current = session.workbench.verdicts.proposals_of([proposal.id])[0]
    panel.show_value(current)
    assert words in [label.text() for label in panel.findChildren(QLabel)]
    assert passage_card_view._other_words(current)[-1] == words


def test_the_detail_tells_what_the_model_of_each_verdict_reached_and_not_the_one_in_use(qtbot, review, session):
    proposal = review.current()
    session.do(lambda bench: bench.review.read_again([proposal.id]))
    for model in ("scripted judge 1", "scripted judge 2"):
        bench = session.workbench
        result = replace(_measured(), judge=model, sat=f"2026-01-0{model[-1]}T00:00:00Z")
        if model.endswith("1"):
            card = {"card": asdict(labels.model_card(model, "ONE HALF", (0.5, 0.4, 0.6), own=False))}
            bench.store.verdicts.keep_exam(model, json.dumps({**card, "exam": asdict(result)}))
        else:
            exam_results.keep(result)
    bench.engines = replace(bench.engines, judge=Newer())
    panel = DetailPanel(session)
    qtbot.addWidget(panel)
    panel.show_value(next(p for p in bench.verdicts.proposals() if p.id == proposal.id))
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert "scripted judge 1: ONE HALF" in texts
    assert any("contrary judge 1: it has not taken the exam" in text for text in texts)
    assert not any("scripted judge 2" in text for text in texts)
    exam_results.keep(replace(_measured(), judge="contrary judge 1"))
    panel.show_value(None)
    panel.show_value(next(p for p in bench.verdicts.proposals() if p.id == proposal.id))
    texts = [label.text() for label in panel.findChildren(QLabel)]
    assert any("contrary judge 1: exam of" in text for text in texts)


def test_a_suggested_rating_stands_with_what_its_model_reached(qtbot, session):
    bench = session.workbench
    proposal = next(p for p in bench.verdicts.proposals(status="pending") if p.verdict.label == "contradicts")
    row = session.do(lambda bench: bench.review.accept([proposal.id], rate=True)).pairs[0][0]
    card = {"card": asdict(labels.model_card("scripted judge 1", "ONE HALF", (0.5, 0.4, 0.6), own=False))}
    result = replace(_measured(), judge="scripted judge 1")
    bench.store.verdicts.keep_exam("scripted judge 1", json.dumps({**card, "exam": asdict(result)}))
    cell = CellDetail(session, next(item for item in bench.evidence.all() if item.id == row), proposal.hypothesis)
    qtbot.addWidget(cell)
    with qtbot.waitSignal(cell.filled):
        pass
    texts = [label.text() for label in cell.findChildren(QLabel)]
    assert any(text.startswith("20") and "the model scripted judge 1: sugg" in text for text in texts)
    sentence = next(text for text in texts if "a suggestion, not a rating" in text)
    assert sentence.startswith("the model scripted judge 1, ")
    assert sentence.endswith("In its exam 50% right (40% to 60%; chance is 33%)")


def _measured() -> exam.Result:
    return exam.from_json(next((exam.folder() / "results").glob("*.json")).read_text("utf-8"))


def test_verdicts_stand_side_by_side_only_where_there_is_room(qtbot, review, session):
    session.do(lambda bench: bench.review.read_again([review.current().id]))
    settle(qtbot, session)
    for width, beside in ((3 * BESIDE, True), (BESIDE, False)):
        review.resize(width, 700)
        qtbot.wait(50)
        first, second = review.card.verdicts.blocks
        assert (first.y() == second.y()) == beside


def test_the_line_offers_to_read_again_what_is_close(qtbot, review, session):
    assert review.verdict_line.second_button.isHidden()
    session.workbench.engines = replace(session.workbench.engines, judge=Unsure())
    session.do(lambda bench: bench.review.judge_again())
    settle(qtbot, session)
    assert "close or decisive" in review.verdict_line.show_modes.line.text()
    assert "Worth a second reading: close" in review.card.warning_label.text()
    assert not review.verdict_line.second_button.isHidden()
    with qtbot.waitSignal(session.changed, timeout=10_000):
        qtbot.mouseClick(review.verdict_line.second_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: review.finder.task is None)
    settle(qtbot, session)
    assert any(p.others and p.others[-1].role == "second reader" for p in session.workbench.verdicts.proposals())
    assert "two models disagree" in review.verdict_line.show_modes.line.text()


def test_without_a_second_reader_nothing_is_offered(qtbot, review, session):
    session.workbench.engines = replace(session.workbench.engines, second_reader=None, judge=Unsure())
    session.do(lambda bench: bench.review.judge_again())
    settle(qtbot, session)
    assert review.verdict_line.second_button.isHidden()
    assert "Worth a second reading" not in said(review.card.warning_label)
    with qtbot.waitSignal(session.status) as signal:
        qtbot.keyClick(review.list, Key.Key_F, Modifier.ShiftModifier)
    assert "No model has the role" in signal.args[0]


def test_verdicts_of_another_model_are_marked_and_judged_again(qtbot, review, session):
    assert review.verdict_line.again_button.isHidden()
    session.workbench.engines = replace(session.workbench.engines, judge=Newer())
    review.refresh()
    settle(qtbot, session)
    count = len(review.queue.rows)
    assert f"{count} verdicts are from a model other" in review.verdict_line.show_modes.line.text()
    assert "a model other than the one in use" in review.card.warning_label.text()
    review.panel.verdict_filter.setCurrentIndex(review.panel.verdict_filter.findData(OTHER_MODEL))
    review._filter_changed()
    assert len(review.queue.rows) == count
    review._clear_filter()
    with qtbot.waitSignal(session.changed, timeout=10_000):
        qtbot.keyClick(review.list, Key.Key_J, Modifier.ShiftModifier)
    qtbot.waitUntil(lambda: review.finder.task is None)
    settle(qtbot, session)
    assert {p.verdict.model for p in session.workbench.verdicts.proposals()} == {"scripted judge 2"}
    assert review.verdict_line.again_button.isHidden()
    assert [block.who.text() for block in review.card.verdicts.blocks] == [
        "Judge: scripted judge 2",
        "Earlier: scripted judge 1",
    ]


def test_only_sure_verdicts_hides_the_others_and_says_which_are_shown(qtbot, review, session, monkeypatch):
    sure = (ShowThreshold("contradicts", 0.8, 0.92, 0.5, 40, "a set"), ShowThreshold("supports", None, on="a set"))
    monkeypatch.setattr(exam_results, "show_thresholds", lambda _model: sure)
    review.refresh()
    qtbot.keyClick(review.list, Key.Key_S, Modifier.ShiftModifier)
    settle(qtbot, session)
    assert session.workbench.case.settings().strict
    assert review.verdict_line.show_modes.mode() == "strict"
    assert "not sure enough to be shown" in review.verdict_line.show_modes.line.text()
    labels = [row.verdict.label for row in review.queue.rows if not row.withheld]
    assert set(labels) == {"contradicts"}
    assert [row.withheld for row in review.queue.rows] == sorted(row.withheld for row in review.queue.rows)  # last
    review._go_to(len(review.queue.rows) - 1)
    assert review.current().withheld
    assert review.card.verdicts.isHidden()
    assert "“supports” is never shown" in said(review.card.sure_label)
    text = review.queue.data(review.list.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
    assert "not sure enough" in text
    assert review.current().verdict.label not in text
    qtbot.mouseClick(review.verdict_line.show_modes.buttons["audit"], Qt.MouseButton.LeftButton)
    settle(qtbot, session)
    assert not any(row.withheld for row in review.queue.rows)
    assert "suggests ratings" in review.verdict_line.show_modes.line.text()
    assert "not sure enough to suggest a rating" in review.verdict_line.show_modes.line.text()
    doubtful = next(index for index, row in enumerate(review.queue.rows) if row.doubtful)
    review._go_to(doubtful)
    assert not review.card.verdicts.isHidden()
    assert "Not sure enough to suggest a rating" in said(review.card.sure_label)
    session.undo()
    session.undo()
    settle(qtbot, session)
    assert not session.workbench.case.settings().strict
    assert review.verdict_line.show_modes.mode() == "exploratory"


# --- agreement -------------------------------------------------------------------------------------------------------


def rate(session, label, rating):
    proposal = next(p for p in session.workbench.verdicts.proposals(status="pending") if p.verdict.label == label)
    accepted = session.do(lambda bench: bench.review.accept([proposal.id]))
    row = accepted.pairs[0][0]
    session.do(lambda bench: bench.evidence.rate(row, proposal.hypothesis, rating))
    return proposal.id


def test_nothing_rated_says_what_to_do(qtbot, review, session):
    qtbot.keyClick(review.list, Key.Key_G)
    settle(qtbot, session)
    page = review.agreement
    assert review.stack.currentWidget() is page
    assert "agreement here is not known" in page.headline.text()
    assert "Accept a quote here and rate it" in page.mind.text()
    assert page.table.isHidden()
    qtbot.mouseClick(page.back_button, Qt.MouseButton.LeftButton)
    assert review.stack.currentWidget() is review.candidate


def test_the_table_counts_ratings_and_leads_to_the_proposals(qtbot, review, session):
    wrong, right = rate(session, "contradicts", "C"), rate(session, "supports", "CC")
    qtbot.mouseClick(review.verdict_line.agreement_button, Qt.MouseButton.LeftButton)
    settle(qtbot, session)
    page = review.agreement
    assert page.headline.text() == "Agreement with scripted judge 1: 1 of 2 (50%, 9% to 91%)"
    assert "agreement, not the model’s accuracy" in page.mind.text()
    table = {page.model.index(row, 0).data(): row for row in range(page.model.rowCount())}
    cell = page.model.index(table["speaks against"], 2)
    assert (cell.data(), cell.data(FIGURE)) == ("1", (1, 1))
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "The model said “speaks against”, people rated C or CC: 1"
    assert page.model.index(table["speaks for"], AgreementModel.SHARED).data() == "100% (21% to 100%)"
    assert page.model.index(table["neutral"], AgreementModel.SHARED).data() == "none rated yet"
    page.table.setCurrentIndex(cell)
    with qtbot.waitSignal(page.chosen) as picked:
        qtbot.keyClick(page.table, Key.Key_Return)
    assert picked.args == [[wrong], "said “speaks against”, rated “speaks for”"]
    assert [row.id for row in review.queue.rows] == [wrong]
    assert review.stack.currentWidget() is review.candidate
    review._clear_filter()
    assert right not in [row.id for row in review.queue.rows]  # decided


def test_each_model_has_its_own_table_and_a_decision_keeps_the_page(qtbot, review, session):
    identity = rate(session, "contradicts", "II")
    session.do(lambda bench: bench.review.read_again([identity]))
    review.show_agreement()
    settle(qtbot, session)
    page = review.agreement
    assert [page.models.itemText(n) for n in range(page.models.count())] == ["contrary judge 1", "scripted judge 1"]
    page.models.setCurrentIndex(0)
    assert "0 of 1" in page.headline.text()
    page.models.setCurrentIndex(1)
    assert "1 of 1" in page.headline.text()
    rate(session, "supports", "C")
    settle(qtbot, session)
    assert review.stack.currentWidget() is page
    assert "2 of 2" in page.headline.text()


def test_in_a_narrow_window_the_shares_stand_in_sentences(qtbot, review, session):
    rate(session, "contradicts", "II")
    review.show_agreement()
    settle(qtbot, session)
    page = review.agreement
    for width, narrow in ((1300, False), (700, True)):
        review.resize(width, 700)
        qtbot.wait(50)
        assert page.table.isColumnHidden(AgreementModel.SHARED) == narrow
        sentences = [label.text() for label in page.sentences if not label.isHidden()]
        assert any(text.startswith("Where it found contradiction") for text in sentences) == narrow
    review.resize(1300, 700)
    qtbot.wait(50)
    counts = {page.table.columnWidth(column) for column in AgreementModel.NUMBERS if column > 1}
    assert len(counts) == 1
    assert counts.pop() < 100


def test_what_it_would_be_in_this_case_stands_beside_the_verdict(qtbot, review, session, monkeypatch):
    from core.verdicts.agreement import Fit

    verdict = review.current().verdict
    agreement = replace(_one_agreement(session), fit=Fit(0.5, 0.0, 0.0, 34, 0.9, 0.8))
    monkeypatch.setattr(session.workbench.review, "agreements", lambda _proposals: [agreement])
    review._on_show = None
    review.refresh()
    settle(qtbot, session)
    block = review.card.verdicts.first
    assert "fitted on 34 ratings; the verdict stays as it is" in said(block.here)
    assert review.current().verdict == verdict
    monkeypatch.setattr(
        session.workbench.review,
        "agreements",
        lambda _proposals: [replace(agreement, fit=replace(agreement.fit, after=0.9))],
    )
    review.refresh()
    settle(qtbot, session)
    assert block.here.isHidden()  # a fit that does not help is no figure


def _one_agreement(session):
    rate(session, "supports", "C")
    return session.workbench.review.agreements()[0]
