"""Rules, sensitivity, the group and time beside the grid: what they say, and where they lead."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QListWidget

from core.domain import DEFAULT_RULE, RULES, Gap, Hypothesis, Linchpin
from core.matrix import Row, build
from gui_app.matrix.analysis_panel import GROUP, SENSITIVITY, TIME, AnalysisPanel
from gui_app.matrix.analysis_panel import RULES as RULES_TAB
from gui_app.matrix.group_panel import GroupPanel
from gui_app.matrix.history_panel import HistoryPanel
from gui_app.matrix.rules_panel import RulesPanel, rule_scores
from gui_app.matrix.sensitivity_panel import PinList, SensitivityPanel, discriminating_rows, pins_by_kind, swings
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs, theme
from gui_app.shared.bump_chart import BumpChart, Moment, short_labels
from gui_app.shared.charts import Bar, BarList, draw_bar
from gui_app.shared.tornado import Swing, Tornado, figure
from gui_app.shell.ranking_panel import HypothesesPanel

Key = Qt.Key


def show(qtbot, widget, width=320, height=900):
    qtbot.addWidget(widget)
    widget.resize(width, height)
    widget.show()
    with qtbot.waitActive(widget):
        widget.activateWindow()
    return widget


def texts(view: QListWidget) -> list[str]:
    return [view.item(index).text() for index in range(view.count())]


def aloud(view: QListWidget) -> list[str]:
    return [view.item(index).data(Qt.ItemDataRole.AccessibleTextRole) for index in range(view.count())]


def heard(signal) -> list[tuple]:
    got: list[tuple] = []
    signal.connect(lambda *values: got.append(values))
    return got


# --- arithmetic of the sensitivity ------------------------------------------------------------------------------------


def matrix_of(*rows: Row):
    return build(["H1", "H2"], rows)


def test_swings_are_the_lead_without_a_row_and_with_it_turned_round():
    # H1 has 1 against it, H2 has 3: H1 leads by 2.
    matrix = matrix_of(
        Row("E1", {"H1": "C", "H2": "II"}), Row("E2", {"H1": "I", "H2": "I"}), Row("E3", {"H1": "C", "H2": "C"})
    )
    base, changes = swings(matrix, "H1")
    assert base == 2.0
    # Without E1: 1 against 1. Turned round: H1 gets 1 more, H2 loses 2, so -1. E2 and E3 weigh alike on both.
    assert [(row.id, removed, flipped) for row, removed, flipped in changes] == [("E1", 0.0, -1.0)]
    assert swings(matrix, "H2")[0] == -2.0


def test_without_one_copy_of_a_report_the_other_speaks_for_it():
    copies = [Row(f"E{number}", {"H1": "C", "H2": "I"}, upstream="wire") for number in (1, 2)]
    matrix = matrix_of(*copies, Row("E3", {"H1": "I", "H2": "C"}), Row("E4", {"H1": "C", "H2": "I"}))
    base, changes = swings(matrix, "H1")
    assert base == pytest.approx(1.0)
    by_row = {row.id: (removed, flipped) for row, removed, flipped in changes}
    assert by_row["E1"] == pytest.approx((1.0, 0.0))  # removing one copy changes nothing
    assert by_row["E4"] == pytest.approx((0.0, -1.0))


def test_the_tornado_agrees_with_scoring_the_matrix_without_the_row(rated):
    bench = rated.workbench
    matrix = bench.matrix.compute()
    leader = matrix.leaders[DEFAULT_RULE][0]
    _, changes = swings(matrix, leader)
    assert len(changes) >= 4
    for row, removed, _ in changes:
        scores = bench.matrix.compute(without_rows=[row.id]).scores[DEFAULT_RULE]
        rivals = min(score for h, score in scores.items() if h != leader)
        assert removed == pytest.approx(rivals - scores[leader]), row.id


def test_what_tells_rivals_apart_leaves_the_others_out():
    rows = [Row("E1", {"H1": "C", "H2": "C", "H3": "II"}), Row("E2", {"H1": "C", "H2": "I", "H3": "C"})]
    matrix = build(["H1", "H2", "H3"], rows)
    assert [row.id for row, _ in discriminating_rows(matrix, ())] == ["E1", "E2"]
    assert [(row.id, value) for row, value in discriminating_rows(matrix, ("H1", "H2"))] == [("E2", 2.0), ("E1", 0.0)]


def test_kinds_and_changes_stand_smallest_first():
    pins = [
        Linchpin("remove", "E1", ("H2",), size=2.0),
        Linchpin("one_step", "E2", ("H2",), "H1", size=1.0),
        Linchpin("remove", "E3", ("H2",), size=0.5),
    ]
    assert [(kind, [pin.evidence for pin in group]) for kind, group in pins_by_kind(pins)] == [
        ("remove", ["E3", "E1"]),
        ("one_step", ["E2"]),
    ]


# --- charts -----------------------------------------------------------------------------------------------------------


def coloured(widget, colour: str) -> int:
    """Pixels of exactly that colour."""
    picture = widget.grab().toImage()
    wanted = QColor(colour).rgb()
    places = ((x, y) for y in range(picture.height()) for x in range(picture.width()))
    return sum(picture.pixel(x, y) == wanted for x, y in places)


def test_a_bar_is_as_long_as_its_value(qtbot, styled):
    lengths = []
    for value in (1.0, 2.0):
        bars = show(qtbot, BarList("Bars"), 260, 60)
        bars.show_bars([Bar("E1", value, f"{value:.2f}", "E1", "E1")], most=2.0)
        bars.clearFocus()
        lengths.append(coloured(bars, theme.tokens().accent))
    assert lengths[1] == pytest.approx(2 * lengths[0], rel=0.1)
    assert lengths[0] > 100


def test_a_tornado_marks_only_a_lost_lead(qtbot, styled):
    chart = show(qtbot, Tornado("Tornado"), 300, 120)
    chart.show_swings(2.0, [Swing("E1", 1.0, 0.5, "E1 keeps the lead", "E1")])
    chart.rows.clearFocus()
    assert coloured(chart, theme.tokens().contradicts) == 0
    chart.show_swings(2.0, [Swing("E1", -1.0, 0.5, "E1 loses the lead", "E1")])
    assert coloured(chart, theme.tokens().contradicts) > 50


def test_figures_have_a_real_minus_and_no_minus_zero():
    assert [figure(value) for value in (-1.5, -0.0001, 0.25)] == ["−1.50", "0.00", "0.25"]


def test_rows_of_a_chart_are_chosen_by_enter_and_read_aloud(qtbot, styled):
    bars = show(qtbot, BarList("Bars"), 260, 120)
    bars.show_bars([Bar("E1", 1.0, "1.00", "E1 tells them apart by 1", "E1"), Bar("Mean", 0.5, ".5", "the mean")])
    got = heard(bars.chosen)
    bars.setFocus()
    bars.setCurrentRow(0)
    qtbot.keyClick(bars, Key.Key_Return)
    assert got == [("E1",)]
    assert aloud(bars) == ["E1 tells them apart by 1", "the mean"]
    bars.setCurrentRow(1)
    qtbot.keyClick(bars, Key.Key_Return)
    assert len(got) == 1  # leads nowhere


def test_the_keys_go_through_time(qtbot, styled):
    chart = show(qtbot, BumpChart(), 300, 160)
    ranks = ({"H1": 1, "H2": 1}, {"H1": 2, "H2": 1}, {"H1": 1, "H2": 2})
    chart.show_moments([Moment(str(n), f"day {n}", rank, f"day {n}") for n, rank in enumerate(ranks)], ["H1", "H2"])
    got = heard(chart.moved)
    assert chart.current() == 2
    for key in (Key.Key_Left, Key.Key_Home, Key.Key_Left, Key.Key_End):
        qtbot.keyClick(chart, key)
    assert got == [(1,), (0,), (2,)]
    assert chart.accessibleDescription() == "day 2"
    assert chart.as_text() == "day 0\nday 1\nday 2"


def test_moments_are_short_where_there_is_little_room():
    assert short_labels("2026-11-21 08:39", "2026-11-21 09:10") == ("08:39", "09:10")
    assert short_labels("2026-11-21 08:39", "2026-12-01 09:10") == ("2026-11-21", "2026-12-01")


def test_tied_lines_run_beside_each_other(styled):
    chart = BumpChart()
    moment = Moment("", "", {"H1": 1, "H2": 1, "H3": 3}, "")
    chart.show_moments([moment], ["H1", "H2", "H3"])
    first, second, third = (chart._place(moment, name) for name in ("H1", "H2", "H3"))
    assert first < 1 < second < 1.5
    assert third == 3
    chart.deleteLater()


# --- rules ------------------------------------------------------------------------------------------------------------


def tied_matrix():
    return matrix_of(Row("E1", {"H1": "I", "H2": "C"}), Row("E2", {"H1": "C", "H2": "I"}), Row("E3", {}))


def test_scores_stand_under_every_rule_and_ties_as_ties(qtbot, styled):
    panel = show(qtbot, RulesPanel())
    panel.show_matrix(tied_matrix(), [Hypothesis("H1", "one"), Hypothesis("H2", "two")])
    rows = panel.chart.accessibleDescription().splitlines()
    assert len(rows) == 5
    assert rows[0] == ("Weighted inconsistency (lower is better): 1= H1 1.00 (2 of 3 rated), 1= H2 1.00 (2 of 3 rated)")
    assert rows[4].startswith("Bayes (higher is better): 1= ")
    assert "H1 and H2" in panel.robust.text() + panel.warnings.text()


def test_a_what_if_shows_what_holds_in_brackets(qtbot, styled):
    now = matrix_of(Row("E1", {"H1": "I", "H2": "C"}), Row("E2", {"H1": "C", "H2": "II"}))
    reduced = matrix_of(Row("E1", {"H1": "I", "H2": "C"}))
    panel = show(qtbot, RulesPanel())
    both = [Hypothesis("H1", "one"), Hypothesis("H2", "two")]
    panel.show_matrix(now, both, what_if=reduced)
    assert panel.what_if.isVisible()
    row = rule_scores(reduced, ["H2", "H1"], DEFAULT_RULE, "", now).rows
    assert [(h, rank) for h, rank, *_ in row] == [("H2", "1 (2)"), ("H1", "2 (1)")]
    assert panel.chart.as_text().startswith("Weighted inconsistency (lower is better): 1 (2) H2")
    panel.show_matrix(now, both)
    assert not panel.what_if.isVisible()
    assert "(2)" not in panel.chart.as_text()


def test_without_ranks_no_heading_promises_them(qtbot, styled):
    panel = show(qtbot, RulesPanel())
    both = [Hypothesis("H1", "one"), Hypothesis("H2", "two")]
    panel.show_matrix(tied_matrix(), both)
    assert panel.heading.text() == "Ranks, rule by rule"
    assert panel.table.isVisible()
    panel.show_matrix(matrix_of(Row("E1", {"H1": "I"}), Row("E2", {"H2": "C"})), both)
    assert panel.heading.text() == "Scores, rule by rule"
    assert not panel.table.isVisible()
    panel.show_matrix(matrix_of(), both)
    assert not panel.chart.isVisible()


def test_a_gap_leads_to_its_cell(qtbot, styled):
    from dataclasses import replace

    panel = show(qtbot, RulesPanel())
    both = [Hypothesis("H1", "one"), Hypothesis("H2", "two")]
    panel.show_matrix(replace(tied_matrix(), gaps=(Gap("E3", "H3", ("H1", "H2")),)), both)
    assert texts(panel.gaps) == ["Rate E3 against H3: then H1 and H2 would be tied."]
    panel.show_matrix(replace(tied_matrix(), gaps=(Gap("E3", "H2", ("H1",)),)), both)
    assert texts(panel.gaps) == ["Rate E3 against H2: then H1 would lead."]
    got = heard(panel.chosen)
    panel.gaps.setFocus()
    panel.gaps.setCurrentRow(0)
    qtbot.keyClick(panel.gaps, Key.Key_Return)
    assert got == [("E3", "H2")]


def test_of_many_hypotheses_only_the_leaders_are_named(qtbot, styled):
    ids = [f"H{number}" for number in range(1, 10)]
    matrix = build(ids, [Row("E1", {h: "C" if h in ("H2", "H7") else "I" for h in ids})])
    panel = show(qtbot, RulesPanel())
    panel.show_matrix(matrix, [Hypothesis(h, h) for h in ids])
    labels = [panel.ranks.itemAt(number).widget().text() for number in range(panel.ranks.count())]
    assert labels.count("H2 = H7") == 5


def test_lying_flat_the_charts_stand_in_one_line(qtbot, styled):
    panel = show(qtbot, RulesPanel(), 780, 240)
    panel.show_matrix(tied_matrix(), [Hypothesis("H1", "one"), Hypothesis("H2", "two")])
    panel.set_flat(True)
    qtbot.waitUntil(lambda: panel.chart.width() > 600)
    assert panel.chart._columns(panel.chart.width()) == len(RULES)
    assert not panel.table.isVisible()


def test_the_names_of_the_tabs_are_whole_in_the_narrowest_panel(qtbot, rated, styled):
    panel = show(qtbot, AnalysisPanel(rated), width=1)
    assert panel.tabs.width() >= sum(panel.tabs.tabSizeHint(index).width() for index in range(panel.tabs.count()))


# --- sensitivity ------------------------------------------------------------------------------------------------------


@pytest.fixture
def sensitivity(qtbot, rated) -> SensitivityPanel:
    panel = show(qtbot, SensitivityPanel(rated))
    panel.show_matrix(rated.workbench.matrix.compute(), rated.workbench.hypotheses.all())
    qtbot.waitUntil(lambda: panel.tornado.rows.count() > 0)
    return panel


def test_linchpins_are_grouped_counted_and_lead_to_their_cells(qtbot, rated, sensitivity):
    matrix = rated.workbench.matrix.compute()
    steps = [pin for pin in matrix.linchpins if pin.change == "one_step"]
    assert steps
    number = matrix.linchpin_counts.get("one_step", len(steps))
    assert f"One cell, one step: {number} cells by a step" in aloud(sensitivity.pins)
    assert f"{number} cells by a step" in sensitivity.pin_counts.text()
    assert {pin.sentence for pin in matrix.linchpins} == {pin.sentence for pin in sensitivity.pins.pins()}
    got = heard(sensitivity.chosen)
    wanted = steps[0]
    sensitivity.pins.setFocus()
    sensitivity.pins.setCurrentRow(texts(sensitivity.pins).index(wanted.sentence))
    qtbot.keyClick(sensitivity.pins, Key.Key_Return)
    assert got == [(wanted.evidence, wanted.hypothesis)]


def test_without_linchpins_it_says_so(qtbot, rated):
    panel = show(qtbot, SensitivityPanel(rated))
    rows = [Row(f"E{n}", {"H1": "C", "H2": "II", "H3": "II", "H4": "II"}, source=f"S{n}") for n in range(1, 9)]
    from dataclasses import replace

    matrix = replace(build(["H1", "H2", "H3", "H4"], rows), linchpins=(), linchpin_counts={})
    panel.show_matrix(matrix, rated.workbench.hypotheses.all())
    assert panel.pin_counts.text() == "No single change and no pair of rows would change who leads."
    assert not panel.pins.isVisible()


def test_the_page_behind_a_linchpin_is_one_key_away(qtbot, rated, texts):
    bench = rated.workbench
    bench.documents.add([texts])
    document = bench.documents.all()[0]
    quote = bench.evidence.add_quote(document.id, 1, 0, 20)
    matrix = bench.matrix.compute()
    panel = show(qtbot, SensitivityPanel(rated))
    from dataclasses import replace

    pins = (
        Linchpin("remove", "E1", ("H2",), size=1.0, sentence="Without E1, H2 leads.", rows=("E1",)),
        Linchpin("pair", "E1", ("H2",), size=2.0, sentence="Without both, H2 leads.", rows=("E1", quote.id)),
    )
    panel.show_matrix(replace(matrix, linchpins=pins, linchpin_counts={}), bench.hypotheses.all())
    got = heard(panel.show_source)
    panel.pins.setFocus()
    panel.pins.setCurrentRow(1)
    qtbot.waitUntil(lambda: quote.id in panel._evidence)
    assert not panel.page_button.isEnabled()  # E1 is in the analyst's own words
    panel.pins.setCurrentRow(3)
    qtbot.waitUntil(panel.page_button.isEnabled)
    qtbot.keyClick(panel.pins, Key.Key_O)
    assert got == [(document.id, 1, 0, 20)]


def test_rows_of_the_charts_lead_to_the_grid(qtbot, sensitivity):
    got = heard(sensitivity.chosen)
    for view in (sensitivity.tornado.rows, sensitivity.telling):
        view.setFocus()
        view.setCurrentRow(0)
        qtbot.keyClick(view, Key.Key_Return)
    assert got == [(texts(view)[0], "") for view in (sensitivity.tornado.rows, sensitivity.telling)]


def test_rivals_are_chosen_by_hand(qtbot, sensitivity):
    assert not sensitivity.second_rival.isVisible()
    sensitivity.first_rival.setCurrentIndex(sensitivity.first_rival.findData("H1"))
    sensitivity.second_rival.setCurrentIndex(sensitivity.second_rival.findData("H4"))
    sensitivity.first_rival.activated.emit(0)
    assert sensitivity.second_rival.isVisible()
    # E2 is I against H1 and II against H4: one step apart; E8 is alike everywhere.
    lines = aloud(sensitivity.telling)
    assert "Diagnosticity of E2 between H1 and H4: 1.00" in lines
    assert "E8 is not diagnostic between H1 and H4" in lines


# --- the group --------------------------------------------------------------------------------------------------------


@pytest.fixture
def group(qtbot, rated) -> GroupPanel:
    panel = show(qtbot, GroupPanel(rated), 320, 1100)
    panel.refresh()
    qtbot.waitUntil(lambda: panel.opinions.count() > 0)
    return panel


def test_everybody_the_mean_and_the_aggregate_stand_side_by_side(rated, group):
    pooled = rated.workbench.matrix.group()
    text = group.opinions.as_text()
    assert f"H1: Ben 0.70, stated, adjusted to {pooled.opinions[1].coherent['H1']:.2f}" in text
    assert f"H1: Ada {pooled.opinions[0].read['H1']:.2f}, read from the ratings" in text
    assert f"H1: plain mean {pooled.mean['H1']:.2f}" in text
    assert f"H1: mean of the adjusted {pooled.aggregate['H1']:.2f}" in text
    assert "Ada: 32 of 32 cells" in group.people.text()
    assert "Ben: 20 of 32 cells" in group.people.text()


def test_disputes_come_most_disputed_first_and_lead_to_their_cell(qtbot, group):
    assert texts(group.disputes) == ["Ada C, Ben II; the group: N", "Ada II, Ben C; the group: N"]
    assert aloud(group.disputes)[0].startswith("Extreme dispute · E4 × H1")
    assert group.dispute_heading.text() == "Disputes: 2 extreme, 18 consensus"
    got = heard(group.chosen)
    group.disputes.setFocus()
    group.disputes.setCurrentRow(1)
    qtbot.keyClick(group.disputes, Key.Key_Return)
    assert got == [("E5", "H2")]


def test_ones_own_likelihoods_are_kept_summed_and_made_coherent(qtbot, rated, group):
    for h, percent in (("H1", 60), ("H2", 60), ("H3", 20), ("H4", 0)):
        group.field(h).setValue(percent)
    values = {row.hypothesis: row.value for row in rated.workbench.evidence.likelihoods() if row.by == "Ada"}
    assert values == {"H1": 0.6, "H2": 0.6, "H3": 0.2, "H4": 0.0}
    # The nearest that sum to 1: 0.133 less for each of the three that can give.
    qtbot.waitUntil(lambda: "H1 47, H2 47, H3 7, H4 0" in group.sum.text())
    assert "Together 140%" in group.sum.text()
    group.field("H3").setValue(-1)
    qtbot.waitUntil(lambda: "Not stated: H3" in group.sum.text())
    assert {row.hypothesis for row in rated.workbench.evidence.likelihoods() if row.by == "Ada"} == {"H1", "H2", "H4"}


def test_blind_rating_hides_the_others_until_ones_own_is_given(qtbot, rated, group):
    bench = rated.workbench
    bench.case.change_settings(blind=True)
    bench.case.sign_as("Cem")
    group.refresh()
    qtbot.waitUntil(group.blind.isVisible)
    assert "hidden" in group.blind.text()
    assert "Ben" not in group.opinions.as_text() + group.people.text()
    assert group.disputes.count() == 0
    bench.evidence.rate("E4", "H1", "C")
    group.refresh()
    qtbot.waitUntil(lambda: group.disputes.count() == 1)
    assert texts(group.disputes) == ["Ada C, Ben II, Cem C; the group: C"]
    assert "Ben" not in group.opinions.as_text()
    for h in ("H1", "H2", "H3", "H4"):
        bench.evidence.state_likelihood(h, 0.25)
    group.refresh()
    qtbot.waitUntil(lambda: "Ben" in group.opinions.as_text())
    assert "yours is given" in group.blind.text()


def test_a_merged_copy_is_reported_with_its_conflicts(qtbot, rated, engines, tmp_path, monkeypatch, group):
    import shutil

    from core.workbench import Workbench

    rated.close_case()
    shutil.copy(tmp_path / "attack.disconfirm", tmp_path / "copy.disconfirm")
    with Workbench.open(tmp_path / "copy.disconfirm", engines, who="Cem") as copy:
        copy.evidence.rate_many([("E6", "H1", "II"), ("E6", "H2", "C")])
        copy.evidence.describe(["E2"], source="the map of the city")
    rated.open(tmp_path / "attack.disconfirm")
    rated.workbench.evidence.describe(["E2"], source="a map of 1995")
    group.refresh()
    monkeypatch.setattr(file_dialogs, "ask_case", lambda *_: tmp_path / "copy.disconfirm")
    qtbot.mouseClick(group.merge_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "2 ratings added" in group.merge_report.text(), timeout=10_000)
    assert group.merge_report.text().startswith("Merged copy.disconfirm: 2 ratings")
    assert "1 conflict; this case's version was kept" in group.merge_report.text()
    assert "a map of 1995" in group.merge_report.text()
    assert "the map of the city" in group.merge_report.text()
    assert {a.by for a in rated.workbench.evidence.assessments() if a.evidence == "E6"} == {"Ada", "Cem"}
    qtbot.waitUntil(lambda: "Cem" in group.people.text())


# --- time -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def time(qtbot, rated) -> HistoryPanel:
    panel = show(qtbot, HistoryPanel(rated))
    panel.refresh()
    qtbot.waitUntil(lambda: panel.standing.count() > 0)
    return panel


def test_the_ranking_as_it_stood_at_a_moment(qtbot, rated, time):
    points = rated.workbench.matrix.over_time()
    first = next(index for index, point in enumerate(points) if point.leaders)
    assert time.chart.as_text().count("\n") + 1 == len(points) - first + 1
    assert "nothing leads yet" in time.chart.as_text().splitlines()[0]
    time.chart.setFocus()
    qtbot.keyClick(time.chart, Key.Key_Home)
    qtbot.keyClick(time.chart, Key.Key_Right)  # the first row alone: I against H2, the others level
    qtbot.waitUntil(lambda: [bar.figure for bar in time.standing.bars()] == ["0.00 · 1/8"] * 3 + ["1.00 · 1/8"])
    assert [bar.name.split()[0] for bar in time.standing.bars()] == ["1=", "1=", "1=", "4"]
    qtbot.keyClick(time.chart, Key.Key_End)
    now = rated.workbench.matrix.compute()
    leader = now.leaders[DEFAULT_RULE][0]
    qtbot.waitUntil(lambda: time.standing.bars()[0].figure == f"{now.scores[DEFAULT_RULE][leader]:.2f} · 8/8")


def test_what_moved_the_ranking_is_named_first_and_leads_to_its_cell(qtbot, rated, time):
    bench = rated.workbench
    former = bench.matrix.over_time()[-1]
    bench.evidence.rate("E8", "H4", "N")  # moves nothing
    bench.evidence.rate("E7", "H1", "II")
    change = bench.matrix.what_changed(str(former.seq), str(bench.matrix.over_time()[-1].seq))
    assert [(move.evidence, move.moved) for move in sorted(change.moves, key=lambda m: m.evidence)] == [
        ("E7", True),
        ("E8", False),
    ]
    time.refresh()
    qtbot.waitUntil(lambda: time.later.itemData(0) == bench.matrix.over_time()[-1].seq)
    time.earlier.setCurrentIndex(time.earlier.findData(former.seq))
    time.earlier.activated.emit(0)
    qtbot.waitUntil(lambda: time.moves.count() == 2)
    assert aloud(time.moves)[0].startswith("Moved the ranking")
    assert "1 of 2 changes moved it by itself" in time.outcome.text()
    assert "The lead went from H1 to " in time.outcome.text()
    got = heard(time.chosen)
    time.moves.setFocus()
    time.moves.setCurrentRow(0)
    qtbot.keyClick(time.moves, Key.Key_Return)
    assert got == [("E7", "H1")]


def test_the_timeline_of_a_grown_case_is_that_of_a_fresh_reading(rated, engines, tmp_path, monkeypatch):
    from core.matrix import service as analysis
    from core.workbench import Workbench

    monkeypatch.setattr(analysis, "MOST_POINTS", 8)
    bench = rated.workbench
    first = bench.matrix.over_time()
    for rating in ("N", "I", "C"):
        bench.evidence.rate("E1", "H1", rating)
        bench.matrix.over_time()
    grown = bench.matrix.over_time()
    assert 4 <= len(first) <= 8
    assert 4 <= len(grown) <= 8
    assert grown[-1].ranks == bench.matrix.compute().ranks[DEFAULT_RULE]
    rated.close_case()
    with Workbench.open(tmp_path / "attack.disconfirm", engines, who="Ada") as fresh:
        assert fresh.matrix.over_time() == grown


def test_moments_are_told_apart_by_entry_not_by_the_clock(qtbot, rated, time):
    time.later.setCurrentIndex(0)
    time.earlier.setCurrentIndex(0)
    time.earlier.activated.emit(0)
    assert time.outcome.text() == "Choose two different moments."
    assert time.moves.count() == 0


# --- the tabs ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def analysis(qtbot, rated) -> AnalysisPanel:
    panel = AnalysisPanel(rated)
    panel.show_matrix(rated.workbench.matrix.compute(), rated.workbench.hypotheses.all())
    return show(qtbot, panel)


def test_a_tab_reads_when_it_is_shown_and_not_before(qtbot, rated, analysis, monkeypatch):
    readings = []
    timeline = rated.workbench.matrix.over_time
    monkeypatch.setattr(rated.workbench.matrix, "over_time", lambda: readings.append(1) or timeline())
    assert analysis.rules.chart.as_text()
    assert analysis.group.opinions.count() == 0
    analysis.show_tab(GROUP)
    qtbot.waitUntil(lambda: analysis.group.opinions.count() > 0)
    assert readings == []
    analysis.show_tab(TIME)
    qtbot.waitUntil(lambda: analysis.time.standing.count() > 0)
    assert readings == [1]
    analysis.show_tab(RULES_TAB)
    rated.do(lambda bench: bench.evidence.rate("E1", "H1", "N"))
    qtbot.wait(350)
    assert readings == [1]  # not on show
    analysis.show_tab(TIME)
    qtbot.waitUntil(lambda: len(readings) == 2)


def test_what_every_tab_chooses_goes_to_the_grid(qtbot, analysis):
    got = heard(analysis.chosen)
    analysis.show_tab(SENSITIVITY)
    analysis.sensitivity.chosen.emit("E1", "H2")
    analysis.group.chosen.emit("E2", "")
    analysis.time.chosen.emit("E3", "H1")
    analysis.rules.chosen.emit("E4", "H1")
    assert got == [("E1", "H2"), ("E2", ""), ("E3", "H1"), ("E4", "H1")]


@pytest.mark.parametrize(
    ("hypotheses", "rows", "words"),
    [
        ((), (), "Nothing leads yet."),
        (("H1",), (), "Nothing leads yet."),
        (("H1", "H2"), (Row("E1", {}),), "Nothing leads yet."),
        (("H1", "H2"), (Row("E1", {"H1": "NA", "H2": "NA"}),), "Nothing leads yet."),
        (("H1",), (Row("E1", {"H1": "I"}),), "Nothing leads yet."),
    ],
    ids=["empty", "no evidence", "unrated", "all NA", "no rival"],
)
def test_a_matrix_that_says_little_says_so(qtbot, rated, hypotheses, rows, words):
    matrix = build(hypotheses, rows)
    named = [Hypothesis(h, "\u202eright to left\x07 " + "long " * 200) for h in hypotheses]
    panel = AnalysisPanel(rated)
    panel.show_matrix(matrix, named)
    show(qtbot, panel)
    panel.show_tab(SENSITIVITY)
    qtbot.waitUntil(lambda: panel.sensitivity.pin_counts.text() == words)
    assert panel.sensitivity.tornado.rows.count() == 0
    panel.show_tab(RULES_TAB)
    ranks = [row[1] for row in panel.rules.chart._blocks[0].rows]
    assert ranks == ["–"] * len(hypotheses)


def test_the_list_of_changes_is_one_list(qtbot, styled):
    pins = show(qtbot, PinList(), 300, 200)
    pins.show_pins([Linchpin("source", "E1", ("H2",), sentence="Without S, H2 leads.", label="S")], {"source": 1})
    assert aloud(pins) == ["Without one source: 1 source", "Without S, H2 leads."]
    pins.setCurrentRow(0)
    assert pins.current() is None  # a heading leads nowhere


# --- rated in part ---------------------------------------------------------------------------------------------------


def in_part(session: CaseSession, *cells) -> None:
    """Four more hypotheses' worth of silence: only these cells of the case are rated."""
    bench = session.workbench
    rated = [(row.evidence, row.hypothesis, None) for row in bench.evidence.assessments() if row.by == "Ada"]
    session.do(lambda bench: bench.evidence.rate_many([*rated, *cells]))


def test_the_panel_ranks_nobody_who_was_rated_alone(qtbot, rated):
    session = rated
    session.do(lambda bench: bench.case.change_settings(blind=True))  # Ada's ratings alone
    in_part(session, ("E1", "H1", "I"))
    panel = show(qtbot, HypothesesPanel(session), width=248)
    panel.refresh()
    qtbot.waitUntil(lambda: panel.model.rows != [])
    assert [(row.rank, row.leads, row.coverage) for row in panel.model.rows] == [
        ("", False, "1 of 8 rated"),
        *[("", False, "0 of 8 rated")] * 3,
    ]
    assert panel.model.rows[0].open == 7 / 8
    labels = [label.text() for label in (panel._robust, panel._why, panel._hangs, panel._tie)]
    assert labels == ["Nothing leads yet", "Not all are rated on the same rows.", "", ""]
    assert "H2, H3 and H4 are not rated at all" in panel._robust.toolTip()
    assert (
        panel.model.index(0, 0)
        .data(Qt.ItemDataRole.AccessibleTextRole)
        .startswith("H1, no rank yet, score 1.00, 1 of 8 rated")
    )


def test_the_rules_say_what_is_missing_and_lead_there(qtbot, styled):
    hypotheses = [Hypothesis(h, h) for h in ("H1", "H2")]
    panel = show(qtbot, RulesPanel())
    panel.show_matrix(build(["H1", "H2"], [Row("E1", {"H1": "I"}), Row("E2", {})]), hypotheses)
    assert panel.robust.text().startswith("No hypothesis leads yet")
    assert panel.gap_heading.text() == "What is missing"
    assert texts(panel.gaps) == ["Rate E1 against H2."]
    chosen = heard(panel.chosen)
    panel.gaps.itemActivated.emit(panel.gaps.item(0))
    assert chosen == [("E1", "H2")]
    assert "1 H" not in panel.chart.as_text()
    assert "(1 of 2 rated)" in panel.chart.as_text()
    bayes = rule_scores(build(["H1", "H2"], [Row("E1", {"H1": "C"})]), ["H1", "H2"], "bayes", "higher is better")
    assert [(rank, score, leads) for _h, rank, score, _share, leads in bayes.rows] == [("–", "", False)] * 2
    complete = build(["H1", "H2"], [Row("E1", {"H1": "I", "H2": "N"})])
    panel.show_matrix(complete, hypotheses)
    assert panel.robust.text() == "All 5 rules agree: H2 leads."


def test_the_time_tab_says_that_it_is_computing(qtbot, rated, monkeypatch):
    panel = show(qtbot, HistoryPanel(rated))
    waiting = []
    monkeypatch.setattr(rated, "read", lambda verb, callback, **_given: waiting.append(callback))
    panel.refresh()
    assert panel.chart.accessibleDescription() == "Working out the ranking over time..."
    waiting[0](([], []))
    assert panel.chart.accessibleDescription() == "Nothing is rated yet"


def test_a_provisional_order_is_drawn_and_named_as_such(qtbot, rated):
    rated.do(lambda bench: bench.evidence.add("A guard heard a van.", "press"))
    rated.do(lambda bench: bench.evidence.rate("E9", "H1", "II"))
    panel = show(qtbot, HistoryPanel(rated))
    panel.refresh()
    qtbot.waitUntil(lambda: "nothing leads yet; provisional: " in panel.chart.as_text().rpartition("\n")[2])
    assert panel.moment.text().endswith("provisional (hatched)")
    qtbot.waitUntil(lambda: "E9 is not rated against H2, H3 and H4" in panel.why.text())
    qtbot.waitUntil(lambda: "no longer leads" in panel.outcome.text() or "Nothing leads" in panel.outcome.text())


def test_a_hatched_part_of_a_bar_is_not_the_bar(styled):
    whole, part = QPixmap(200, 7), QPixmap(200, 7)
    for picture, unrated in ((whole, 0.0), (part, 0.75)):
        picture.fill(QColor("white"))
        painter = QPainter(picture)
        draw_bar(painter, QRectF(0, 0, 200, 7), 1.0, "contradicts", unrated_share=unrated)
        painter.end()

    def filled(picture: QPixmap) -> int:
        image = picture.toImage()
        tone = QColor(theme.tokens().contradicts)
        return sum(image.pixelColor(x, 3) == tone for x in range(200))

    assert filled(whole) > 190
    assert 40 <= filled(part) <= 50
