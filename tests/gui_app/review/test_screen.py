"""The review screen under real keys: deciding, skipping, filtering, editing a span, finding evidence."""

from __future__ import annotations

import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtWidgets import QApplication

from core.domain import Changes, Probabilities, Proposal, Quote, Verdict
from gui_app import window_state
from gui_app.review.quote_view import QuoteContext
from gui_app.review.screen import ReviewScreen
from gui_app.review.state import FINDING, retrieval_words
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.probabilities import two_digits
from gui_app.shared.proposal_queue import Filter, review_order
from gui_app.shared.row_in_hand import take_row
from tests.fakes import ScriptedJudge
from tests.gui_app.small_case import open_session, put_on_show, settle

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        yield session


class HeldJudge(ScriptedJudge):
    """Waits before every passage until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting, self.go_on = threading.Event(), threading.Event()

    def judge(self, passage, hypotheses):
        self.waiting.set()
        assert self.go_on.wait(10)
        return super().judge(passage, hypotheses)


def pending(session) -> list[str]:
    return [proposal.id for proposal in session.workbench.verdicts.proposals(status="pending")]


def test_the_palette_opens_while_a_rating_is_asked_for(with_case, session, qtbot):
    session.workbench.review.propose(passages=10)
    session.changed.emit(Changes(proposals=True), None)
    with_case.go("Review")
    settle(qtbot, session)
    screen = with_case.current()
    if screen.views.currentWidget() is not screen.splitter:
        qtbot.keyClick(screen, Qt.Key.Key_P)
    screen.list.setFocus()
    qtbot.keyClick(screen.list, Qt.Key.Key_A, Qt.KeyboardModifier.ShiftModifier)
    assert screen.ask.isVisible()
    qtbot.keyClick(screen.ask, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert with_case.palette_popup.isVisible()
    assert QApplication.focusWidget() is with_case.palette_popup.field
    qtbot.keyClick(with_case.palette_popup.field, Qt.Key.Key_Escape)
    assert QApplication.focusWidget() is screen.list
    assert session.workbench.evidence.all() == []


def test_what_contradicts_comes_first(review, session):
    labels = [proposal.verdict.label for proposal in review.queue.rows]
    order = ["contradicts", "supports", "ambiguous", "neutral"]
    assert labels == sorted(labels, key=order.index)
    assert len(review.queue.rows) == len(pending(session)) > 2
    assert review.panel.count.text() == f"{len(pending(session))} left"


def test_the_quote_on_show_is_the_span_of_its_page(review, session):
    proposal = review.current()
    page = session.workbench.documents.page(proposal.quote.document, proposal.quote.page)
    words = " ".join(page.text[proposal.quote.start : proposal.quote.end].split())
    assert review.card.quote_view.quote.text() == f"“{words}”"
    assert proposal.name in review.card.origin_label.text()
    assert VERDICTS[proposal.verdict.label] in review.card.verdicts.first.chip.accessibleName()


def test_a_accepts_and_shows_the_next(qtbot, review, session):
    first, second = review.queue.rows[0].id, review.queue.rows[1].id
    with qtbot.waitSignal(session.told) as signal:
        qtbot.keyClick(review.list, Key.Key_A)
    assert session.workbench.store.proposals.get(first).status == "accepted"
    assert len(session.workbench.evidence.all()) == 1
    assert session.workbench.evidence.suggestions() == []
    assert review.current().id == second
    assert signal.args == ["Accepted as E1", True]


def test_shift_a_and_enter_accept_with_the_suggested_rating(qtbot, review, session):
    proposal = review.current()
    qtbot.keyClick(review.list, Key.Key_A, Modifier.ShiftModifier)
    assert session.workbench.evidence.all() == []
    qtbot.keyClick(review.ask, Key.Key_Return)
    (row,) = session.workbench.evidence.all()
    (rated,) = session.workbench.evidence.assessments()
    assert (rated.evidence, rated.hypothesis, rated.rating) == (row.id, proposal.hypothesis, "I")


def test_r_rejects_u_takes_it_back(qtbot, review, session):
    first = review.current().id
    qtbot.keyClick(review.list, Key.Key_R)
    assert session.workbench.store.proposals.get(first).status == "rejected"
    assert first not in [proposal.id for proposal in review.queue.rows]
    qtbot.keyClick(review.list, Key.Key_U)
    assert session.workbench.store.proposals.get(first).status == "pending"
    assert first in [proposal.id for proposal in review.queue.rows]


def test_s_skips_without_deciding_and_comes_round(qtbot, review, session):
    waiting = pending(session)
    ids = []
    for _ in range(len(waiting)):
        ids.append(review.current().id)
        qtbot.keyClick(review.list, Key.Key_S)
    assert sorted(ids) == sorted(waiting)
    assert review.current().id == ids[0]
    assert pending(session) == waiting


def test_point_repeats_the_last_decision(qtbot, review, session):
    first, second = (proposal.id for proposal in review.queue.rows[:2])
    qtbot.keyClick(review.list, Key.Key_R)
    qtbot.keyClick(review.list, Key.Key_Period)
    assert [session.workbench.store.proposals.get(identity).status for identity in (first, second)] == ["rejected"] * 2


def test_o_opens_the_page_at_the_quote(qtbot, review):
    quote = review.current().quote
    with qtbot.waitSignal(review.show_source) as signal:
        qtbot.keyClick(review.list, Key.Key_O)
    assert signal.args == [quote.document, quote.page, quote.start, quote.end]


def test_a_blind_case_hides_the_verdict_until_one_decides(qtbot, review, session):
    session.do(lambda bench: bench.case.change_settings(blind=True))
    settle(qtbot, session)
    proposal = review.current()
    assert review.card.verdicts.isHidden()
    assert "Blind rating" in review.card.hidden_label.text()
    words = review.queue.data(review.list.currentIndex(), Qt.ItemDataRole.AccessibleTextRole)
    assert proposal.verdict.label not in words
    order = [entry.hypothesis for entry in review.queue.rows]
    assert order == sorted(order)  # not by what the verdicts are
    assert {heading.split("  ")[0] for heading in review.queue.headings if heading} == {"verdict hidden"}
    qtbot.keyClick(review.list, Qt.Key.Key_A)
    record = next(entry for entry in session.workbench.verdicts.proposals() if entry.id == proposal.id)
    assert not record.blind
    session.undo()
    assert review.card.verdicts.isHidden()
    session.do(lambda bench: bench.case.change_settings(blind=False))
    settle(qtbot, session)
    assert not review.card.verdicts.isHidden()


def test_digits_pick_the_hypothesis(qtbot, review):
    qtbot.keyClick(review.list, Key.Key_2)
    assert {proposal.hypothesis for proposal in review.queue.rows} == {"H2"}
    qtbot.keyClick(review.list, Key.Key_0)
    assert {proposal.hypothesis for proposal in review.queue.rows} == {"H1", "H2"}
    qtbot.keyClick(review.list, Key.Key_9)  # there is no ninth hypothesis
    assert {proposal.hypothesis for proposal in review.queue.rows} == {"H1", "H2"}


def test_many_are_decided_at_once_and_undone_at_once(qtbot, review, session):
    qtbot.keyClick(review.list, Key.Key_Down, Modifier.ShiftModifier)
    chosen = [proposal.id for proposal in review.selection()]
    assert len(chosen) == 2
    assert "2 selected" in review.card.place_label.text()
    with qtbot.waitSignal(session.told) as signal:
        qtbot.keyClick(review.list, Key.Key_A)
    assert signal.args[1] is True  # the toast carries Undo
    assert {session.workbench.store.proposals.get(identity).status for identity in chosen} == {"accepted"}
    qtbot.keyClick(review.list, Key.Key_U)
    assert {session.workbench.store.proposals.get(identity).status for identity in chosen} == {"pending"}


def test_accepting_everything_leads_to_the_matrix(qtbot, review, session):
    qtbot.keyClick(review.list, Key.Key_A, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert pending(session) == []
    assert review.stack.currentWidget() is review.empty
    with qtbot.waitSignal(review.go) as signal:
        review.empty.button.click()
    assert signal.args == ["Matrix"]


def test_a_span_of_ones_own_becomes_evidence(qtbot, review, session):
    proposal = review.current()
    page = session.workbench.documents.page(proposal.quote.document, proposal.quote.page)
    qtbot.keyClick(review.list, Key.Key_E)
    assert review.card.quote_view.editing
    qtbot.keyClick(review.card.quote_view, Key.Key_A)  # a letter decides nothing while a span is edited
    assert session.workbench.evidence.all() == []
    qtbot.keyClick(review.card.quote_view, Key.Key_Left)
    qtbot.keyClick(review.card.quote_view, Key.Key_Right, Modifier.ShiftModifier)
    start, end = review.card.quote_view.span()
    assert proposal.quote.start < start < end < proposal.quote.end
    qtbot.keyClick(review.card.quote_view, Key.Key_Return)
    (evidence,) = session.workbench.evidence.all()
    assert (evidence.start, evidence.end) == (start, end)
    assert evidence.quote == page.text[start:end]
    assert session.workbench.store.proposals.get(proposal.id).status != "pending"


def test_escape_leaves_the_span_as_it_was(qtbot, review, session):
    quote = review.current().quote
    qtbot.keyClick(review.list, Key.Key_E)
    qtbot.keyClick(review.card.quote_view, Key.Key_Left)
    assert review.card.quote_view.is_changed()
    qtbot.keyClick(review.card.quote_view, Key.Key_Escape)
    assert review.card.quote_view.span() == (quote.start, quote.end)
    assert session.workbench.evidence.all() == []


def test_the_queue_filters_by_status_and_verdict(qtbot, review, session):
    qtbot.keyClick(review.list, Key.Key_R)
    review.panel.status_filter.setCurrentIndex(review.panel.status_filter.findData("rejected"))
    review.panel.status_filter.activated.emit(review.panel.status_filter.currentIndex())
    assert [proposal.status for proposal in review.queue.rows] == ["rejected"]
    assert "already rejected" in review.card.origin_label.text()
    review.panel.verdict_filter.setCurrentIndex(review.panel.verdict_filter.findData("neutral"))
    review.panel.verdict_filter.activated.emit(review.panel.verdict_filter.currentIndex())
    assert review.stack.currentWidget() is review.empty
    review.empty.button.click()
    assert len(review.queue.rows) == len(pending(session))


def test_a_search_ends_with_the_first_passage_and_the_keys_in_the_queue(qtbot, engines, tmp_path):
    judge = HeldJudge()
    with open_session(replace(engines, judge=judge), tmp_path, proposed=False) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        screen.show_passages(True)
        settle(qtbot, session)
        page = screen.by_passage
        qtbot.mouseClick(page.empty.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(judge.waiting.is_set)
        screen.finder.stop_button.setFocus()
        judge.go_on.set()
        settle(qtbot, session)
        qtbot.waitUntil(page.list.hasFocus)
        take_row(page.list, 1)
        page.begin()
        settle(qtbot, session)
        assert page.list.currentIndex().row() == 0


def test_what_a_search_notes_stands_in_the_line_and_whole_in_the_details(review):
    bars = review.bars
    report = SimpleNamespace(proposals=("P1",), passages_judged=3, seconds=1.0, effort="", notes=("3 not judged.",))
    bars.finder._report_search(report)
    assert "3 not judged." in bars.words.text()
    assert not bars.finder.isVisible()
    bars.details_button.click()
    assert bars.finder.note.isVisible()


def test_all_that_is_above_the_queue_is_one_line_until_its_details_are_wanted(review, session):
    bars = review.bars
    assert bars.isVisible()
    assert bars.height() < 60
    assert bars.words.text()
    for part in (bars.finder, bars.effort, bars.verdicts):
        assert not part.isVisible()
    bars.details_button.click()
    for part in (bars.finder, bars.effort, bars.verdicts):
        assert part.isVisible()
    assert not bars.words.text()  # what it said stands below
    assert [button.isVisible() for button in (bars.finder.find_button, bars.finder.stop_button)] == [True, False]


def test_a_screen_that_is_made_meanwhile_leaves_the_keys_where_they_are(with_case):
    window_state.keep_review_by_passage(True)
    with_case.go("Documents")
    focus = QApplication.focusWidget()
    assert focus is not None
    with_case.screen_named("Review")
    assert QApplication.focusWidget() is focus


def test_the_verdicts_of_the_same_passage_stand_beside_each_other(review, session):
    proposal = review.current()
    rival = next(
        (
            p
            for p in session.workbench.verdicts.proposals()
            if p.chunk == proposal.chunk and p.hypothesis != proposal.hypothesis
        ),
        None,
    )
    labels = [review.card.others.itemAt(index).widget().text() for index in range(review.card.others.count())]
    assert len(labels) == 1
    assert labels[0].startswith("H2" if proposal.hypothesis == "H1" else "H1")
    assert (rival is None) == labels[0].endswith("–")


def test_finding_evidence_runs_beside_and_can_be_told_what(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        settle(qtbot, session)
        assert screen.stack.currentWidget() is screen.empty
        screen.bars.details_button.click()
        screen.finder.checks[1].setChecked(False)
        screen.finder.passages.setValue(4)
        screen.setFocus()
        with qtbot.waitSignal(session.status, timeout=10_000):
            qtbot.keyClick(screen, Key.Key_F)
        assert {proposal.hypothesis for proposal in session.workbench.verdicts.proposals()} == {"H1"}
        settle(qtbot, session)
        assert screen.current() is not None
        assert screen.finder.find_button.isVisible()


def test_the_button_of_the_guide_finds_evidence_at_once(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        screen.show_part("find")  # before the hypotheses are read
        settle(qtbot, session)
        qtbot.waitUntil(lambda: bool(session.workbench.verdicts.proposals()))


def test_finding_is_cancelled_and_keeps_what_was_judged(qtbot, engines, tmp_path):
    judge = HeldJudge()
    with open_session(replace(engines, judge=judge), tmp_path, proposed=False) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        settle(qtbot, session)
        qtbot.keyClick(screen, Key.Key_F)  # one key, and it begins
        qtbot.waitUntil(judge.waiting.is_set)
        assert screen.finder.stop_button.isVisible()
        qtbot.mouseClick(screen.finder.stop_button, Qt.MouseButton.LeftButton)
        judge.go_on.set()
        qtbot.waitUntil(screen.finder.stop_button.isHidden)
        assert not session.tasks.busy()
        assert not screen.finder.stop_button.isVisible()


def test_one_press_finds_evidence_and_meanwhile_nothing_else_offers_to(qtbot, engines, tmp_path):
    judge = HeldJudge()
    with open_session(replace(engines, judge=judge), tmp_path, proposed=False) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        settle(qtbot, session)
        qtbot.mouseClick(screen.empty.button, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(judge.waiting.is_set)
        assert screen.finder.stop_button.isVisible()
        for empty in (screen.empty, screen.by_passage.empty):
            assert empty.sentence.text() == FINDING
            assert empty.button.isHidden()
        assert screen.bars.words.text() == screen.finder.note.text().strip() != ""
        session.cancel()
        judge.go_on.set()
        qtbot.waitUntil(screen.finder.stop_button.isHidden)
        settle(qtbot, session)
        has_none = not session.workbench.verdicts.proposals()
        assert (screen.empty.button.isVisible(), screen.finder.find_button.isVisible()) == (has_none, not has_none)


def test_the_keys_stay_at_the_search_that_was_cancelled(qtbot, engines, tmp_path):
    judge = HeldJudge()
    with open_session(replace(engines, judge=judge), tmp_path, proposed=False) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        settle(qtbot, session)
        screen.bars.details_button.click()
        screen.finder.find_button.setFocus()
        qtbot.keyClick(screen.finder.find_button, Key.Key_Space)
        qtbot.waitUntil(judge.waiting.is_set)
        assert screen.finder.stop_button.hasFocus()
        session.cancel()
        judge.go_on.set()
        qtbot.waitUntil(screen.finder.find_button.isVisible)
        assert screen.finder.find_button.hasFocus()


def test_what_arrives_meanwhile_disturbs_neither_edit_nor_selection(qtbot, review, session):
    qtbot.keyClick(review.list, Key.Key_Down, Modifier.ShiftModifier)
    picked = [proposal.id for proposal in review.selection()]
    session.changed.emit(Changes(proposals=True), None)
    settle(qtbot, session)
    assert [proposal.id for proposal in review.selection()] == picked
    review.step(1)
    qtbot.keyClick(review.list, Key.Key_E)
    qtbot.keyClick(review.card.quote_view, Key.Key_Left)
    span = review.card.quote_view.span()
    session.changed.emit(Changes(proposals=True), None)
    settle(qtbot, session)
    assert review.card.quote_view.editing
    assert review.card.quote_view.span() == span


def test_without_a_judge_one_line_says_so(qtbot, engines, tmp_path):
    with open_session(replace(engines, judge=None), tmp_path) as session:
        screen = ReviewScreen(session)
        put_on_show(qtbot, screen)
        settle(qtbot, session)
        assert screen.empty.sentence.text() == session.workbench.review.judge_missing()
        qtbot.keyClick(screen, Key.Key_F)
        assert not screen.finder.find_button.isEnabled()
        assert screen.finder.note.text() == session.workbench.review.judge_missing()


def test_a_decision_made_elsewhere_is_shown(review, session):
    first = review.current().id
    session.do(lambda bench: bench.review.reject([first]))
    assert first not in [proposal.id for proposal in review.queue.rows]


def test_back_finds_the_same_proposal(review):
    review.step(1)
    state, chosen = review.state(), review.current().id
    review.step(-1)
    review.restore(state)
    assert review.current().id == chosen


def test_the_place_is_told_to_the_detail_panel(qtbot, review):
    with qtbot.waitSignal(review.selected) as signal:
        qtbot.keyClick(review.list, Key.Key_J)
    assert signal.args[0] == review.current()


def test_the_queue_says_its_rows_aloud(review):
    spoken = review.queue.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    proposal = review.queue.rows[0]
    assert proposal.hypothesis in spoken
    assert "the model suggests: speaks against" in spoken
    assert proposal.name in spoken


def test_an_undo_elsewhere_keeps_the_selection(qtbot, review, session):
    review.step(1)
    chosen = review.current().id
    session.changed.emit(Changes(proposals=True), None)
    settle(qtbot, session)
    assert review.current().id == chosen
    assert review.list.selectionModel().isSelected(review.list.currentIndex())
    review.list.selectionModel().select(review.queue.index(0), QItemSelectionModel.SelectionFlag.Select)
    assert len(review.selection()) == 2


# --- the parts below the screen --------------------------------------------------------------------------------------


def proposal(identity: str, hypothesis: str, label: str, value: float, status: str = "pending") -> Proposal:
    rest = (1 - value) / 2
    values = {name: value if name == label else rest for name in ("supports", "contradicts", "neutral")}
    quote = Quote("D1", 1, 1, 0, 4, "text", "")
    return Proposal(
        identity,
        hypothesis,
        1,
        quote,
        "a.txt",
        Verdict(label, Probabilities(**values), "m"),
        None,
        None,
        None,
        "",
        status,
    )


def test_the_order_is_the_same_every_time():
    mixed = [
        proposal("P10", "H1", "supports", 0.9),
        proposal("P2", "H1", "contradicts", 0.6),
        proposal("P3", "H2", "contradicts", 0.8),
        proposal("P4", "H2", "neutral", 0.9),
        proposal("P1", "H1", "contradicts", 0.99, "rejected"),
    ]
    everything = Filter(status="")
    assert [p.id for p in review_order(mixed, everything)] == ["P3", "P2", "P10", "P4", "P1"]
    assert review_order(mixed, everything) == review_order(mixed[::-1], everything)
    assert [p.id for p in review_order(mixed, Filter(status="", group="hypothesis"))] == ["P2", "P10", "P3", "P4", "P1"]
    assert [p.id for p in review_order(mixed, Filter(hypothesis="H2", verdict="neutral"))] == ["P4"]


def test_a_probability_is_never_shown_as_certain():
    assert [two_digits(value) for value in (0.0, 0.004, 0.81, 0.999, 1.0)] == [".01", ".01", ".81", ".99", ".99"]


def test_a_similarity_is_no_probability():
    """It may lie below nought, and the details must not contradict it."""
    distant = replace(proposal("P1", "H1", "neutral", 0.8), similarity=-0.029)
    assert retrieval_words(distant)[0] == "similarity -.03"


def test_a_span_grows_and_shrinks_at_words_and_sentences():
    text = "First one here. Second one here. Third one here."
    stretch = QuoteContext.of(text, 16, 32)
    assert text[stretch.start : stretch.end] == "Second one here."
    assert text[16 : stretch.step(32, -1, at_end=True, sentences=False)] == "Second one"
    assert text[16 : stretch.step(32, 1, at_end=True, sentences=False)] == "Second one here. Third"
    assert text[16 : stretch.step(32, 1, at_end=True, sentences=True)].strip() == text[16:]
    assert stretch.step(16, -1, at_end=False, sentences=True) == 0
    assert stretch.step(0, -1, at_end=False, sentences=True) == 0
    assert stretch.before(16) == "First one here."
    assert stretch.after(32) == "Third one here."


def test_p_changes_between_passages_and_proposals_and_keys_go_to_the_one_on_show(qtbot, review, session):
    session.workbench.review.propose(passages=10, rows=True)
    session.changed.emit(Changes(proposals=True), None)
    qtbot.keyClick(review.list, Key.Key_P)
    page = review.by_passage
    qtbot.waitUntil(lambda: page.current() is not None)
    assert review.finder.whole_rows
    assert page.list.hasFocus()
    assert review.current_item() == page.current_item()
    chunk = page.current().passage.id
    qtbot.keyClick(page.list, Key.Key_A)
    qtbot.waitUntil(lambda: len(session.workbench.evidence.all()) == 1)
    decided = {p.hypothesis: p.status for p in session.workbench.verdicts.proposals() if p.chunk == chunk}
    assert set(decided.values()) == {"accepted"}
    assert len(decided) == 2
    qtbot.keyClick(page.list, Key.Key_P)
    assert review.list.hasFocus()
    assert not review.finder.whole_rows
    former = review.current().id
    qtbot.keyClick(review.list, Key.Key_R)
    assert session.workbench.verdicts.proposals(status="rejected")[0].id == former


def test_the_review_begins_by_passage(qtbot, session, monkeypatch, tmp_path):
    monkeypatch.setenv("DISCONFIRM_HOME", str(tmp_path / "new"))
    first = ReviewScreen(session)
    qtbot.addWidget(first)
    assert first.views.currentWidget() is first.by_passage
    assert first.finder.whole_rows


def test_the_first_view_has_the_keys_and_what_is_away_tells_nothing(qtbot, session, monkeypatch, tmp_path):
    monkeypatch.setenv("DISCONFIRM_HOME", str(tmp_path / "new"))
    review = ReviewScreen(session)
    put_on_show(qtbot, review)
    page = review.by_passage
    qtbot.waitUntil(lambda: page.current() is not None)
    assert page.list.hasFocus()
    items = []
    review.selected.connect(items.append)
    review.step(1)
    assert items == []
    qtbot.keyClick(review.focusWidget(), Key.Key_A)
    assert len(session.workbench.evidence.all()) == 1


def test_the_view_of_the_review_is_remembered(qtbot, review, session):
    review.show_passages(True)
    next_screen = ReviewScreen(session)
    qtbot.addWidget(next_screen)
    assert next_screen.views.currentWidget() is next_screen.by_passage
    next_screen.show_passages(False)
    third = ReviewScreen(session)
    qtbot.addWidget(third)
    assert third.views.currentWidget() is third.splitter


def test_a_key_that_was_meant_for_a_proposal_that_has_gone_decides_nothing(qtbot, review, session, monkeypatch):
    gone, following = review.queue.rows[:2]
    state = review._state
    left = [proposal for proposal in state.proposals if proposal.id != gone.id]
    monkeypatch.setattr("gui_app.review.screen.load", lambda *_: replace(state, proposals=left))
    waiting = pending(session)
    review.refresh()
    settle(qtbot, session)
    for key in (Key.Key_A, Key.Key_R, Key.Key_S):
        assert review.current() is None
        assert f"{gone.id} is no longer on this list" in review._next.sentence
        if key != Key.Key_S:
            qtbot.keyClick(review.list, key)
    assert pending(session) == waiting
    qtbot.keyClick(review.list, Key.Key_S)
    assert review.current().id == following.id


def test_the_proposals_in_hand_survive_a_queue_that_is_read_anew_in_another_order(qtbot, review, session, monkeypatch):
    monkeypatch.setattr("gui_app.review.screen.review_order", lambda rows, *_: list(rows))
    review.refresh()
    settle(qtbot, session)
    review.panel.go_to(1)
    qtbot.keyClick(review.list, Key.Key_Down, Modifier.ShiftModifier)
    ids = {proposal.id for proposal in review.selection()}
    monkeypatch.setattr("gui_app.review.screen.review_order", lambda rows, *_: list(reversed(rows)))
    session.changed.emit(Changes(proposals=True), None)
    settle(qtbot, session)
    qtbot.keyClick(review.list, Key.Key_R)
    assert {p.id for p in session.workbench.verdicts.proposals(status="rejected")} == ids
    assert len(ids) == 2
