"""Review by passage under real keys: one card a passage, one decision for the row, cells rated on the spot."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt

from core.domain import Changes, Chunk
from core.errors import UnreadableDocument
from core.review.passage_cards import Copy
from gui_app.review.passage_card_view import copy_words, row_words, verdict_rows
from gui_app.review.passage_list import copies_words, words_from_quote
from gui_app.review.passages_page import PassagesPage, load
from gui_app.shared import theme
from gui_app.shared.formatting import LINE_BREAK
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path, proposed=False) as session:
        session.workbench.review.propose(passages=10, rows=True)
        yield session


@pytest.fixture
def page(qtbot, session):
    page = PassagesPage(session)
    put_on_show(qtbot, page)
    qtbot.waitUntil(lambda: page.current() is not None)
    page.list.setFocus()
    return page


def settle(qtbot, session):
    qtbot.waitUntil(lambda: not session.tasks.busy())


def press(qtbot, page, key, modifier=Modifier.NoModifier):
    qtbot.keyClick(page.list, key, modifier)


def rows_of(session):
    return session.workbench.evidence.all()


def test_there_is_one_card_a_passage_with_a_line_for_every_hypothesis(page, session):
    proposals = session.workbench.verdicts.proposals()
    assert len(page.list.rows.rows) == len({p.chunk for p in proposals})
    assert [row.hypothesis.id for row in page.card.verdicts.rows.rows] == ["H1", "H2"]
    assert page.count.text() == f"{len(page.list.rows.rows)} left"
    card = page.current()
    quotes = {(p.quote.start, p.quote.end): " ".join(p.quote.text.split()) for p in card.proposals.values()}
    marks = page.card.passage.marks
    assert [" ".join(page.card.passage.words_of(mark).split()) for mark in marks] == [
        words for _, words in sorted(quotes.items())
    ]
    assert sorted(mark.letters for mark in marks if mark.is_current)[0].startswith("H1")


def test_a_row_of_the_queue_begins_with_the_first_quote(page):
    card = page.current()
    header = "From: a@b.example\nSubject: the pump\n\n"
    passage = replace(card.passage, start=card.passage.start - len(header), text=header + card.passage.text)
    later = replace(card, passage=passage)
    assert words_from_quote(card) == card.passage.text[card.span[0] - card.passage.start :]
    assert words_from_quote(later) == f"… {words_from_quote(card)}"


def test_a_accepts_the_row_and_the_next_card_comes(qtbot, page, session):
    card, left = page.current(), len(page.list.rows.rows)
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: len(page.list.rows.rows) == left - 1)
    (row,) = rows_of(session)
    assert row.document == card.passage.document
    assert page.current().passage.id != card.passage.id
    bench = session.workbench
    assert bench.evidence.assessments() == []
    assert {s.evidence for s in bench.evidence.suggestions()} == {row.id}
    assert {p.status for p in bench.verdicts.proposals() if p.chunk == card.passage.id} == {"accepted"}


def test_shift_a_rates_the_cells_as_they_stand_and_one_undo_takes_all_back(qtbot, page, session):
    card, left = page.current(), len(page.list.rows.rows)
    expected = {row.hypothesis.id: row.rating for row in page.card.verdicts.rows.rows if row.rating}
    press(qtbot, page, Key.Key_A, Modifier.ShiftModifier)
    qtbot.waitUntil(lambda: len(page.list.rows.rows) == left - 1)
    assert {a.hypothesis: a.rating for a in session.workbench.evidence.assessments()} == expected
    press(qtbot, page, Key.Key_U)
    qtbot.waitUntil(lambda: len(page.list.rows.rows) == left)
    assert rows_of(session) == []
    assert page.current().passage.id == card.passage.id  # what was taken back is looked at again
    assert page.current_item().status == "pending"


def test_a_digit_chooses_a_cell_and_letters_rate_it_before_the_row_is_accepted(qtbot, page, session):
    press(qtbot, page, Key.Key_2)
    assert page.card.current_hypothesis() == "H2"
    press(qtbot, page, Key.Key_I)
    line = page.card.verdicts.rows.rows[1]
    assert (line.rating, line.is_being_typed, line.is_own) == ("I", True, False)
    press(qtbot, page, Key.Key_I)
    line = page.card.verdicts.rows.rows[1]
    assert (line.rating, line.is_own) == ("II", True)
    assert "your rating II" in row_words(line)
    assert rows_of(session) == []  # nothing is accepted yet
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: len(rows_of(session)) == 1)
    assert {a.hypothesis: a.rating for a in session.workbench.evidence.assessments()} == {"H2": "II"}


def test_letters_go_on_to_the_next_cell_and_a_letter_under_way_is_taken_with_the_row(qtbot, page, session):
    press(qtbot, page, Key.Key_N, Modifier.ShiftModifier)
    assert page.card.current_hypothesis() == "H2"
    press(qtbot, page, Key.Key_C)  # may still grow into CC
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: len(rows_of(session)) == 1)
    assert {a.hypothesis: a.rating for a in session.workbench.evidence.assessments()} == {"H1": "NA", "H2": "C"}


def test_n_then_a_is_neutral_and_accepted(qtbot, page, session):
    press(qtbot, page, Key.Key_N)
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: len(rows_of(session)) == 1)
    assert {a.hypothesis: a.rating for a in session.workbench.evidence.assessments()} == {"H1": "N"}


def test_enter_takes_the_suggestion_delete_gives_it_back_and_arrows_choose_the_cell(qtbot, page):
    suggested = page.card.verdicts.rows.rows[0].rating
    assert suggested
    press(qtbot, page, Key.Key_Return)
    assert (page.card.verdicts.rows.rows[0].rating, page.card.verdicts.rows.rows[0].is_own) == (suggested, True)
    assert page.card.current_hypothesis() == "H2"
    press(qtbot, page, Key.Key_Left)
    assert page.card.current_hypothesis() == "H1"
    press(qtbot, page, Key.Key_Delete)
    assert not page.card.verdicts.rows.rows[0].is_own
    press(qtbot, page, Key.Key_Right)
    assert page.card.current_hypothesis() == "H2"


def test_escape_gives_up_a_letter(qtbot, page):
    press(qtbot, page, Key.Key_C)
    press(qtbot, page, Key.Key_Escape)
    line = page.card.verdicts.rows.rows[0]
    assert not line.is_being_typed
    assert not line.is_own


def test_the_picture_of_the_page_stands_beside_the_card_without_a_key(qtbot, page):
    beside = page.candidate.page
    qtbot.waitUntil(beside.has_picture)
    assert [mark.letters for mark in beside.picture.marks] == [mark.letters for mark in page.card.passage.marks]
    assert next(mark.letters for mark in beside.picture.marks if mark.is_current).startswith("H1")
    picture = beside.picture
    width = picture.width()
    picture.setFixedHeight(picture.heightForWidth(width) + 300)  # a height of another width: marks stay on their words
    assert picture.grab().toImage().pixelColor(width // 2, picture.height() - 20) == picture.palette().window().color()
    press(qtbot, page, Key.Key_2)
    assert "H2" in next(mark.letters for mark in beside.picture.marks if mark.is_current)
    with qtbot.waitSignal(page.show_source):
        qtbot.mouseClick(beside.picture, Qt.MouseButton.LeftButton)


def test_a_page_without_a_picture_is_shown_in_its_words(qtbot, session, monkeypatch):
    def refuse(document, *_place, **_options):
        raise UnreadableDocument(name=document, reason="it has no pages", remedy="")

    monkeypatch.setattr(session.workbench.documents, "picture", refuse)
    page = PassagesPage(session)
    put_on_show(qtbot, page)
    qtbot.waitUntil(lambda: page.current() is not None)
    beside = page.candidate.page
    qtbot.waitUntil(beside.words.isVisible)
    assert not beside.has_picture()
    assert page.current().passage.text.strip().splitlines()[0] in beside.words.text().replace(LINE_BREAK, "\n")
    quotes = [p.quote.text for p in page.current().proposals.values()]
    assert {beside.words.words_of(mark).replace(LINE_BREAK, "\n") for mark in beside.words.marks} == set(quotes)


def test_the_queue_has_other_orders(qtbot, page):
    groups = {}
    for index in range(page.order.count()):
        page.order.setCurrentIndex(index)
        page.order.activated.emit(index)
        rows = page.list.rows
        groups[page.order.itemData(index)] = [heading for heading in rows.headings if heading]
        assert len(rows.headings) == len(rows.rows)
    assert groups["telling"] == []
    assert all(group.startswith("most about H") for group in groups["hypothesis"])
    assert [group.rpartition("  ")[0] for group in groups["document"]] == ["access_log.txt", "memo.txt", "scan.txt"]


def test_a_cell_that_is_left_out_is_no_part_of_the_row(qtbot, page, session):
    card = page.current()
    page.card.point_at("H2")
    press(qtbot, page, Key.Key_X)
    assert page.card.verdicts.rows.rows[1].is_omitted
    press(qtbot, page, Key.Key_A, Modifier.ShiftModifier)
    qtbot.waitUntil(lambda: len(rows_of(session)) == 1)
    bench = session.workbench
    assert "H2" not in {a.hypothesis for a in bench.evidence.assessments()}
    assert "H2" not in {s.hypothesis for s in bench.evidence.suggestions()}
    statuses = {p.hypothesis: p.status for p in bench.verdicts.proposals() if p.chunk == card.passage.id}
    assert statuses == {"H1": "accepted", "H2": "rejected"}


def test_refusing_twice_takes_the_cell_in_again(qtbot, page):
    press(qtbot, page, Key.Key_X)
    press(qtbot, page, Key.Key_X)
    assert not page.card.verdicts.rows.rows[0].is_omitted


def test_a_passage_of_which_every_cell_is_omitted_makes_no_row(qtbot, page, session):
    for hypothesis in ("H1", "H2"):
        page.card.point_at(hypothesis)
        press(qtbot, page, Key.Key_X)
    messages = []
    session.told.connect(lambda text, _undo: messages.append(text))
    press(qtbot, page, Key.Key_A)
    assert rows_of(session) == []
    assert messages


def test_r_rejects_every_proposal_of_the_passage(qtbot, page, session):
    card, left = page.current(), len(page.list.rows.rows)
    press(qtbot, page, Key.Key_R)
    qtbot.waitUntil(lambda: len(page.list.rows.rows) == left - 1)
    assert {p.status for p in session.workbench.verdicts.proposals() if p.chunk == card.passage.id} == {"rejected"}


def test_several_cards_are_accepted_at_once(qtbot, page, session):
    qtbot.keyClick(page.list, Key.Key_A, Modifier.ControlModifier)
    total = len(page.list.rows.rows)
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: page.stack.currentWidget() is page.empty)
    assert len(rows_of(session)) == total
    assert page.empty.button.text() == "Open the matrix"
    page.status_filter.setCurrentIndex(page.status_filter.findData("accepted"))
    page.status_filter.activated.emit(1)
    assert len(page.list.rows.rows) == total


def test_keys_move_and_the_page_opens_at_the_quote(qtbot, page):
    first = page.current().passage.id
    press(qtbot, page, Key.Key_J)
    assert page.current().passage.id != first
    press(qtbot, page, Key.Key_K)
    assert page.current().passage.id == first
    with qtbot.waitSignal(page.show_source) as signal:
        press(qtbot, page, Key.Key_O)
    quote = page.current().proposals["H1"].quote
    assert signal.args == [quote.document, quote.page, quote.start, quote.end]


def test_what_is_on_show_is_told_to_the_details(qtbot, page):
    with qtbot.waitSignal(page.selected) as signal:
        press(qtbot, page, Key.Key_J)
    assert signal.args[0] == page.current_item()
    assert page.current_item().chunk == page.current().passage.id


def test_rows_of_one_passage_are_offered_for_joining_and_only_then_joined(qtbot, page, session):
    bench = session.workbench
    card = next(c for c in page.list.rows.rows if len({p.quote.start for p in c.proposals.values()}) > 1)
    rows = [evidence for evidence, _ in bench.review.accept([p.id for p in card.proposals.values()]).pairs]
    session.changed.emit(Changes(proposals=True, evidence=True, matrix=True), None)
    qtbot.waitUntil(lambda: page.bar.isVisible() and "Join" in page.bar_button.text())
    assert [row.id for row in rows_of(session)] == rows
    page.bar_button.click()
    qtbot.waitUntil(lambda: "Join" not in page.bar_button.text())
    assert [row.id for row in rows_of(session)] == rows[:1]


def test_rows_are_rated_against_a_hypothesis_added_later(qtbot, page, session):
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: len(rows_of(session)) == 1)
    session.workbench.hypotheses.add("The badge reader was broken at night")
    session.changed.emit(Changes(hypotheses=True, matrix=True), None)
    qtbot.waitUntil(lambda: page.bar.isVisible() and "H3" in page.bar_button.text())
    assert [action.text() for action in page.actions() if "the rows" in action.text()] == ["Rate the rows against H3"]
    press(qtbot, page, Key.Key_H)
    settle(qtbot, session)
    suggested = [s for s in session.workbench.evidence.suggestions() if s.hypothesis == "H3"]
    assert len(suggested) == 1
    qtbot.waitUntil(lambda: not page.bar.isVisible())


def test_a_verdict_that_is_not_to_be_seen_is_not_told(qtbot, page, session):
    session.workbench.case.change_settings(blind=True)
    session.changed.emit(Changes(True, True, True, True, True), None)
    settle(qtbot, session)
    qtbot.waitUntil(lambda: all(p.blind for p in page.current().proposals.values()))
    for line in page.card.verdicts.rows.rows:
        assert line.rating == ""
        assert line.proposal.verdict.label not in row_words(line)
    assert page.card.explanation_label.isHidden()


def test_m_has_the_passage_judged_for_the_other_hypotheses(qtbot, page, session):
    session.workbench.hypotheses.add("The badge reader was broken at night")
    session.changed.emit(Changes(hypotheses=True), None)
    qtbot.waitUntil(lambda: len(page.card.verdicts.rows.rows) == 3)
    assert page.card.verdicts.rows.rows[2].proposal is None
    assert "not judged" in row_words(page.card.verdicts.rows.rows[2])
    chunk = page.current().passage.id
    press(qtbot, page, Key.Key_M)
    settle(qtbot, session)
    assert {p.hypothesis for p in session.workbench.verdicts.proposals() if p.chunk == chunk} == {"H1", "H2", "H3"}


def test_copies_are_counted_and_named_with_what_differs(qtbot, session, tmp_path):
    bench = session.workbench
    text = (
        "The vendor account logged in at night from the office while the guard of the north gate was on his second "
        "round of the yard, at {} by the clock of the console."
    )
    for name, time in (("a.txt", "02:14"), ("b.txt", "02:41")):
        (tmp_path / name).write_text(text.format(time), "utf-8")
    bench.documents.add([tmp_path / "a.txt", tmp_path / "b.txt"])
    bench.review.propose(passages=10, rows=True)
    (card,) = (card for card in load(bench).cards if card.copies)
    assert copies_words(card) == "also in 1 document"
    page = PassagesPage(session)
    put_on_show(qtbot, page)
    qtbot.waitUntil(lambda: bool(page.list.rows.rows))
    assert page.count.text() == f"{len(page.list.rows.rows)} and 1 copy left"
    assert copy_words(card.copies[0]).endswith(("(02:41 instead of 02:14)", "(02:14 instead of 02:41)"))
    lines = verdict_rows(card, bench.hypotheses.all(), {}, frozenset())
    assert [line.hypothesis.id for line in lines] == ["H1", "H2"]


def test_what_only_one_of_two_copies_has_is_said_so():
    passage = Chunk(1, 1, "D1", "a.txt", 2, 0, 3, "abc")
    copy = Copy(passage, (("", "Daily Ledger"), ("18", "19"), ("late", "")))
    assert copy_words(copy) == "a.txt, p. 2 (with “Daily Ledger”; 19 instead of 18; without “late”)"
    assert copy_words(Copy(passage, ())) == "a.txt, p. 2 (the same words)"


def test_until_the_passages_are_read_there_is_no_card(qtbot, session):
    page = PassagesPage(session)
    assert page.stack.currentWidget() is page.empty
    put_on_show(qtbot, page)
    qtbot.waitUntil(lambda: page.current() is not None)
    assert page.stack.currentWidget() is page.candidate


def test_a_case_without_proposals_says_what_to_do(qtbot, engines, tmp_path):
    (tmp_path / "other").mkdir()
    with open_session(engines, tmp_path / "other", proposed=False) as session:
        page = PassagesPage(session)
        put_on_show(qtbot, page)
        qtbot.waitUntil(lambda: page.empty.button.isVisible())
        with qtbot.waitSignal(page.next_step) as step:
            page.empty.button.click()
        assert step.args == ["find"]
        assert not page.queue.isVisible()
        for hypothesis in session.workbench.hypotheses.all():
            session.do(lambda bench, id=hypothesis.id: bench.hypotheses.remove(id))
        page.reload()
        qtbot.waitUntil(lambda: page.empty.button.text() == "Write hypotheses")


def test_when_every_passage_is_decided_the_matrix_is_next(qtbot, page):
    while page.current() is not None:
        page.reject()
    assert page.queue.isVisible()
    with qtbot.waitSignal(page.next_step) as step:
        page.empty.button.click()
    assert step.args == ["Matrix"]


@pytest.mark.parametrize("name", ["light", "dark"])
def test_a_card_is_painted_in_both_themes(qtbot, qapp, page, name):
    theme.apply(qapp, name)
    picture = page.grab().toImage()
    assert len({picture.pixel(x, y) for x in range(0, picture.width(), 7) for y in range(0, picture.height(), 7)}) > 5


def test_t_splits_the_row_of_a_passage_into_its_quotes(qtbot, page, session):
    index = next(n for n, c in enumerate(page.list.rows.rows) if len({p.quote.start for p in c.proposals.values()}) > 1)
    page.list.setCurrentIndex(page.list.rows.index(index, 0))
    card = page.current()
    page.status_filter.setCurrentIndex(page.status_filter.findData(""))
    page.status_filter.activated.emit(0)
    press(qtbot, page, Key.Key_A)
    qtbot.waitUntil(lambda: len(rows_of(session)) == 1)
    qtbot.waitUntil(lambda: page.current().passage.id == card.passage.id and page.current().status == "accepted")
    press(qtbot, page, Key.Key_T)
    speaking = {p.quote.start for p in card.proposals.values() if p.verdict.label != "neutral"}
    assert len(rows_of(session)) == max(1, len(speaking))


def test_the_queue_is_filtered_by_words_of_passages_and_names_of_documents(qtbot, page):
    passages = {card.passage.id: card.passage for card in page._state.cards}
    first = page.current().passage
    page.text_filter.setText(" ".join(first.text.split()[:3]).upper())
    ids = [row.passage.id for row in page.list.rows.rows]
    assert first.id in ids
    assert all(word in passages[i].text.casefold() for i in ids for word in first.text.casefold().split()[:3])
    page.text_filter.setText(first.name)
    ids = [row.passage.id for row in page.list.rows.rows]
    assert ids
    assert {passages[i].name for i in ids} == {first.name}
    page.text_filter.setText("no such words here")
    assert not page.list.rows.rows
    assert page.stack.currentWidget() is page.empty
    page.text_filter.setFocus()
    qtbot.keyClick(page.text_filter, Key.Key_Return)
    assert page.list.hasFocus()
    page.text_filter.setFocus()
    qtbot.keyClick(page.text_filter, Key.Key_Escape)
    assert page.list.hasFocus()
    assert len(page.list.rows.rows) == len(passages)


def test_every_hypothesis_is_in_sight_beside_the_passage_in_a_low_window(qtbot, page, session):
    for text in ("The lock was tampered with.", "The seal was broken.", "The pump was sold."):
        session.workbench.hypotheses.add(text)
    page.refresh()
    page.resize(960, 500)  # what the screen has in a window of 1100 by 700
    lines = page.card.verdicts
    qtbot.waitUntil(lambda: len(lines.rows.rows) == 5)
    qtbot.waitUntil(lambda: lines.viewport().rect().contains(lines.visualRect(lines.rows.index(4, 0))))
    bottom = lines.mapTo(page, lines.rect().bottomLeft()).y()
    assert page.card.mapTo(page, page.card.rect().bottomLeft()).y() < bottom < page.height() - 40  # the buttons below
    assert page.card.viewport().height() > 200


def test_the_card_scrolls_to_the_quote_of_the_line_chosen(qtbot, page):
    page.resize(620, 330)
    card, bar = page.card, page.card.verticalScrollBar()
    bar.setValue(bar.maximum())
    card.step(1)
    mark = next(mark for mark in card.passage.marks if mark.is_current)
    top, bottom = card.passage.extent_of(mark)
    assert top < bottom
    assert bar.value() <= card.passage.y() + top < bar.value() + card.viewport().height()


def test_enter_completes_a_rating_under_way_and_then_takes_the_next_suggestion(qtbot, page):
    suggested = page.card.verdicts.rows.rows[1].rating
    press(qtbot, page, Key.Key_1)
    press(qtbot, page, Key.Key_I)
    press(qtbot, page, Key.Key_Return)
    lines = page.card.verdicts.rows.rows
    assert [(line.rating, line.is_own) for line in lines] == [("I", True), (suggested, True)]
    press(qtbot, page, Key.Key_2)
    press(qtbot, page, Key.Key_C)
    press(qtbot, page, Key.Key_Return)  # there is no next cell: what was typed stays
    line = page.card.verdicts.rows.rows[1]
    assert (line.rating, line.is_own) == ("C", True)


@pytest.mark.parametrize("key", [Key.Key_R, Key.Key_S, Key.Key_J])
def test_a_rating_under_way_is_of_its_own_card_whatever_key_follows(qtbot, page, key):
    card = page.current()
    press(qtbot, page, Key.Key_2)
    press(qtbot, page, Key.Key_I)
    press(qtbot, page, key)
    qtbot.waitUntil(lambda: page.current().passage.id != card.passage.id)
    page.entry.finish()
    assert page._ratings[card.passage.id] in ({"H2": "I"}, {})
    assert page._ratings[page.current().passage.id] == {}


def test_a_click_on_another_card_completes_the_rating_under_way(qtbot, page):
    card = page.current()
    press(qtbot, page, Key.Key_2)
    press(qtbot, page, Key.Key_I)
    place = page.list.visualRect(page.list.model().index(1, 0)).center()
    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    page.entry.finish()
    assert page.current().passage.id != card.passage.id
    assert page._ratings[card.passage.id] == {"H2": "I"}
    assert page._ratings[page.current().passage.id] == {}


def test_the_name_of_a_document_is_whole_in_the_tool_tip_of_its_passage(page):
    card = page.list.rows.rows[0]
    tip = page.list.rows.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == f"{card.passage.label}, page {card.passage.page}"
