"""The report screen: word for word what is written, nothing fetched, and the file that is written."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QFontMetrics, QTextDocument

from core.domain import Changes
from core.matrix import score_words
from core.report import render_markdown, tell
from core.report.blocks import Column, Table
from core.report.rows import warnings
from core.report.service import FORMS
from gui_app.report.screen import (
    GAP,
    NARROW,
    STILL_SEARCHING,
    TIGHT,
    InertDocument,
    ReportScreen,
    _table,
    _widths,
    summary,
    with_ending,
)
from gui_app.shared import file_dialogs, theme
from tests.gui_app.small_case import open_session, put_on_show

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def session(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        bench = session.workbench
        bench.review.accept([bench.verdicts.proposals()[0].id])
        bench.evidence.rate("E1", "H1", "I")
        yield session


@pytest.fixture
def screen(qtbot, session):
    screen = ReportScreen(session)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: screen.preview.toPlainText() != "")
    return screen


def test_a_withdrawn_row_is_not_counted_above_the_report_either(screen, session, qtbot):
    bench = session.workbench
    assert "1 piece of evidence" in screen.header.count.text()
    (row,) = bench.evidence.all()
    session.do(lambda bench: bench.documents.erase([row.document]))
    screen.refresh()
    qtbot.waitUntil(lambda: "0 pieces of evidence" in screen.header.count.text())


def test_warnings_come_before_the_ranking(screen):
    text = screen.preview.toPlainText()
    assert text.index("1 of 2 cells is unrated") < text.index("Hypotheses, not ranked yet")
    assert text.index("1 page has no text: nothing on it was searched.") < text.index("Hypotheses, not ranked yet")
    assert "not decided" in text


def test_the_preview_and_every_written_form_say_the_same_in_the_same_order(screen, session):
    data = session.workbench.reports.data()
    story = tell(data)
    plain = " ".join(screen.preview.toPlainText().split())
    markdown = render_markdown(data).decode().replace("\\", "")
    order = ["Bottom line", "Before you rely on it", *warnings(data), *(s.title for s in story.sections[1:])]
    for text in (plain, markdown):
        offsets = [text.index(" ".join(part.split())) for part in order[:-1]]
        assert offsets == sorted(offsets)
    assert "Before you rely on this" not in plain + markdown
    assert screen.header.count.text().endswith(story.subtitle.rpartition("of evidence, ")[2])


def test_a_file_that_was_not_read_is_counted_apart_everywhere(qtbot, screen, session, tmp_path):
    (tmp_path / "odd.bin").write_bytes(bytes(range(256)))
    session.changed.emit(session.workbench.documents.add([tmp_path / "odd.bin"]).changes, None)
    qtbot.waitUntil(lambda: "1 file not read" in screen.header.count.text())
    text = screen.preview.toPlainText()
    assert screen.header.count.text().rpartition(" · ")[2] in text
    assert "1 file was not read: nothing in it was searched." in text


def test_the_preview_follows_the_matrix(qtbot, screen, session):
    session.do(lambda bench: bench.evidence.rate("E1", "H2", "C"))
    qtbot.waitUntil(lambda: "is unrated" not in screen.preview.toPlainText())


def test_words_of_the_case_are_never_markup(session):
    bench = session.workbench
    bench.evidence.add("<img src='file:///etc/passwd'><b>bold</b>", "<i>me</i>")
    data = bench.reports.data()
    html = summary(tell(data))
    assert "<img" not in html
    assert "&lt;b&gt;bold&lt;/b&gt;" in html
    assert "&lt;i&gt;me&lt;/i&gt;" in html


def test_figures_leave_the_hypotheses_their_room(styled):
    """Six columns of figures in the preview of a window of usual size."""
    heads = ("Weighted", "Counted", "Squared", "Cells against", "Bayes", "Not rated")
    columns = (Column("Rank", "id"), Column("Hypothesis"), *(Column(head, "num") for head in heads))
    table = Table("", columns, (("1", "The replacement relay was faulty.", "1.000", "1", "1", "1", "0.995", "1"),))
    widths = _widths(table, 687)
    assert sum(widths) <= 687
    assert widths[1] >= 170


def test_nothing_is_wider_than_a_small_window(qtbot, styled, screen, session):
    """Nor is a title cut into syllables for it."""
    screen.resize(649, 560)
    screen.refresh()
    qtbot.waitUntil(lambda: not screen._settle_timer.isActive() and screen.preview.viewport().width() < 649)
    screen._show()
    assert screen.preview.horizontalScrollBar().maximum() == 0
    heads = ("Weighted", "Counted", "Squared", "Cells against", "Bayes", "Not rated")
    columns = (Column("Rank", "id"), Column("Hypothesis"), *(Column(head, "num") for head in heads))
    table = Table("", columns, (("1=", "The relay was faulty.", "1.000", "1", "1", "1", "0.995", "1"),))
    widths = _widths(table, 571, tight=True)
    assert sum(widths) <= 571
    small = QFontMetrics(theme.sans(theme.SMALL, bold=True))
    for column, pixels in zip(columns, widths, strict=True):
        assert pixels > max(small.horizontalAdvance(word) for word in column.title.split()) + TIGHT


def columns(**looks: str) -> tuple[Column, ...]:
    """Columns of these titles and looks."""
    return tuple(Column(title.replace("_", " "), look) for title, look in looks.items())


@pytest.mark.parametrize(
    "table",
    [
        Table(
            "Matrix",
            columns(Evidence="text", Source="text", H1="cell", H2="cell", H3="cell", H4="cell", Separates="num"),
            (("E1 The pump stopped.", "record.pdf", "C", "I", "N", "II", "0.87"),),
        ),
        Table(
            "Models",
            columns(Model="text", Pairs="num", Right="num", F1="num", Calibration_error="num", Won_by_text="num"),
            (("evidence-judge", "360", "72.5% (67.7 to 76.9)", "0.73 (0.68 to 0.77)", "0.12", "12%"),),
        ),
    ],
)
def test_a_table_fits_beside_the_details_of_a_window_of_1100_pixels(styled, table):
    widths = _widths(table, 546, tight=True)
    assert sum(widths) + GAP * len(widths) <= 546


@pytest.mark.parametrize("width", [420, 571, 687])
def test_a_count_of_rows_stands_on_one_line(styled, width):
    heads = ("Weighted", "Counted", "Squared", "Cells against", "Bayes", "Rows rated")
    probability = score_words("bayes", 1.0)
    figures = ("1.000", "1", "1", "1", probability, "14 of 14")
    table = Table(
        "",
        (Column("Rank", "id"), Column("Hypothesis"), *(Column(head, "num") for head in heads)),
        (("1", "A", *figures),),
    )
    document = QTextDocument()
    document.setDefaultFont(theme.sans())
    document.setHtml(_table(table, width))
    document.setTextWidth(width)
    assert document.size().height() > 0
    block, lines = document.begin(), {}
    while block.isValid():
        lines[block.text()] = block.layout().lineCount()
        block = block.next()
    assert (lines["14 of 14"], lines[probability]) == (1, 1)


def test_the_tables_follow_the_width_of_the_window(qtbot, screen):
    def widest() -> int:
        return max(int(number) for number in re.findall(r'width="(\d+)"', screen.preview.toHtml()))

    screen.resize(1400, 700)
    qtbot.waitUntil(lambda: not screen._settle_timer.isActive())
    wide = widest()
    screen.resize(700, 700)
    qtbot.waitUntil(lambda: widest() < wide)


def test_nothing_named_in_a_text_is_fetched(qtbot, tmp_path):
    picture = tmp_path / "spy.html"
    picture.write_text("secret", "utf-8")
    document = InertDocument()
    address = QUrl.fromLocalFile(str(picture))
    for kind in (QTextDocument.ResourceType.ImageResource, QTextDocument.ResourceType.HtmlResource):
        assert document.resource(int(kind.value), address) is None


def press(qtbot, screen, key):
    qtbot.keyClick(screen, getattr(Key, f"Key_{key}"), Modifier.ControlModifier | Modifier.ShiftModifier)


@pytest.mark.parametrize(
    ("key", "ending"),
    [("H", ".html"), ("J", ".json"), ("E", ".pack.html"), ("V", ".csv"), ("M", ".md"), ("F", ".pdf"), ("W", ".docx"),
     ("X", ".xlsx")],
)  # fmt: skip
def test_export_writes_one_file_and_says_its_hash(qtbot, screen, session, tmp_path, monkeypatch, key, ending):
    target = tmp_path / f"out{ending}"
    proposals = []
    monkeypatch.setattr(screen, "ask_path", lambda proposed, form: proposals.append((proposed.name, form)) or target)
    with qtbot.waitSignal(session.status):
        press(qtbot, screen, key)
    data = target.read_bytes()
    assert proposals == [(f"small{ending}", ending)]
    assert screen.done_bar.isVisible()
    assert hashlib.sha256(data).hexdigest() in screen.done_hash.text()
    assert f"{len(data):,}" in screen.done_file.text()
    if ending == ".json":
        assert json.loads(data)
    if ending == ".pack.html":
        assert b"Evidence pack" in data


def test_the_hash_of_the_file_is_whole_in_a_small_window(qtbot, styled, screen, session, tmp_path, monkeypatch):
    screen.resize(649, 560)
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: tmp_path / "out.md")
    screen.export(".md")
    qtbot.waitUntil(screen.done_bar.isVisible)
    hash_line = screen.done_hash
    assert hash_line.width() >= QFontMetrics(hash_line.font()).horizontalAdvance(hash_line.text())


def test_the_next_report_is_offered_where_the_last_was_written(qtbot, screen, session, tmp_path, monkeypatch):
    offered = []
    (tmp_path / "reports").mkdir()

    def ask(proposed, _form):
        offered.append(proposed)
        return tmp_path / "reports" / "brief.md"

    monkeypatch.setattr(screen, "ask_path", ask)
    for _ in range(2):
        screen.export(".md")
        qtbot.waitUntil(lambda: not session.tasks.busy())
    assert [proposed.parent for proposed in offered] == [session.workbench.path.parent, tmp_path / "reports"]


def test_every_form_is_in_the_menu_with_its_keys(screen):
    labels = [action.text() for action in screen.export_menu.actions() if not action.isSeparator()]
    assert len(labels) == len(screen.forms)
    assert {ending for ending, _, _ in screen.forms} == set(FORMS)
    for (_, words, keys), action in zip(
        screen.forms, [a for a in screen.export_menu.actions() if not a.isSeparator()], strict=True
    ):
        assert words in action.text()
        assert action.shortcut().toString() == keys
        assert action in screen.actions()  # so the palette has it


@pytest.mark.parametrize(
    ("name", "ending", "expected"),
    [("a", ".pdf", "a.pdf"), ("a.PDF", ".pdf", "a.PDF"), ("a.html", ".pack.html", "a.pack.html"),
     ("a.pack.html", ".html", "a.html"), ("a.pack.html", ".pack.html", "a.pack.html"), ("b.c", ".md", "b.c.md")],
)  # fmt: skip
def test_the_name_chooses_the_form_that_was_asked_for(name, ending, expected):
    assert with_ending(Path("x") / name, ending) == Path("x") / expected


def test_a_name_without_ending_gets_one(qtbot, screen, session, tmp_path, monkeypatch):
    monkeypatch.setattr(file_dialogs, "_first", lambda _dialog: tmp_path / "out")
    with qtbot.waitSignal(session.status):
        screen.export(".html")
    assert (tmp_path / "out.html").is_file()


def test_cancelling_the_dialog_writes_nothing(screen, session, monkeypatch):
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: None)
    decisions = len(session.workbench.store.log.entries())
    screen.export(".html")
    assert not session.tasks.busy()
    assert len(session.workbench.store.log.entries()) == decisions


def test_without_hypotheses_the_next_step_is_named(qtbot, session):
    for hypothesis in session.workbench.hypotheses.all():
        session.workbench.hypotheses.remove(hypothesis.id)
    screen = ReportScreen(session)
    put_on_show(qtbot, screen)
    qtbot.waitUntil(lambda: screen.stack.currentWidget() is screen.empty)
    assert warnings(session.workbench.reports.data())


def test_the_preview_tells_what_the_written_report_tells(qtbot, screen, session):
    bench = session.workbench
    bench.hypotheses.add_consideration("assumption", "The badge reader was working")
    session.changed.emit(bench.evidence.rate("E1", "H2", "II"), None)
    qtbot.waitUntil(lambda: "The badge reader was working" in screen.preview.toPlainText())
    text = screen.preview.toPlainText()
    for section in tell(bench.reports.data()).sections:
        assert section.title in text


def test_the_outline_leads_to_the_parts(qtbot, screen):
    screen.resize(NARROW + 100, 500)
    assert screen.contents.isVisible()
    titles = [screen.outline.item(n).text() for n in range(screen.outline.count())]
    assert titles[0] == "Bottom line"
    assert "Matrix" in titles
    offset = screen.preview.verticalScrollBar().value()
    screen.outline.itemClicked.emit(screen.outline.item(screen.outline.count() - 1))
    assert screen.preview.verticalScrollBar().value() > offset
    screen.resize(NARROW - 100, 500)
    assert not screen.contents.isVisible()


def test_the_report_as_of_an_earlier_moment(qtbot, screen, session, tmp_path, monkeypatch):
    bench = session.workbench
    seq = bench.case.position()
    session.changed.emit(bench.evidence.rate("E1", "H2", "C"), None)
    qtbot.waitUntil(lambda: "is unrated" not in screen.preview.toPlainText())
    monkeypatch.setattr(screen, "ask_moment", lambda: str(seq))
    screen.choose_moment()
    qtbot.waitUntil(lambda: "1 of 2 cells is unrated" in screen.preview.toPlainText())
    assert screen.as_of_button.text() == f"As of {seq}"
    monkeypatch.setattr(screen, "ask_path", lambda _proposed, _form: tmp_path / "then.json")
    with qtbot.waitSignal(session.status):
        screen.export(".json")
    assert json.loads((tmp_path / "then.json").read_bytes())["log_entries"] == seq
    screen.show_as_of(None)
    qtbot.waitUntil(lambda: "is unrated" not in screen.preview.toPlainText())


def test_the_days_with_decisions_are_offered(screen, session):
    screen._fill_moments()
    texts = [action.text() for action in screen.as_of_menu.actions() if action.text()]
    day, many = session.workbench.reports.days()[0]
    assert texts[0] == "Now"
    assert texts[1].startswith(f"End of {day}")
    assert f"{many} decisions" in texts[1]
    assert screen.as_of_menu.actions()[0].isChecked()


def test_a_moment_that_is_none_is_said_and_now_comes_back(qtbot, engines, tmp_path):
    with open_session(engines, tmp_path) as session:
        failures = []
        session.failed.disconnect()
        session.failed.connect(failures.append)
        screen = ReportScreen(session)
        put_on_show(qtbot, screen)
        screen.show_as_of("yesterday")
        qtbot.waitUntil(lambda: screen.as_of is None)
        assert "yesterday" in failures[0].sentence


def test_unseen_characters_are_written_out_in_the_preview(session):
    bench = session.workbench
    bench.evidence.add("pay\u202eexe.gnp", "")
    data = bench.reports.data()
    html = summary(tell(data))
    assert "\u202e" not in html
    assert "⟨U+202E⟩" in html


def test_while_a_search_runs_nothing_is_said_of_what_was_looked_at_for_each_hypothesis(qtbot, screen, session):
    def text() -> str:
        return " ".join(screen.preview.toPlainText().split())

    compared, section = "What was searched less tends to have less against it.", "How the documents were searched"
    session.do(lambda bench: bench.hypotheses.add("Nobody logged in at all"))  # nothing was looked at for it
    qtbot.waitUntil(lambda: compared in text())
    assert section in text()
    gate = threading.Event()
    try:
        session.run("Finding evidence", lambda _bench, _progress: gate.wait(), partial=Changes(proposals=True))
        session.changed.emit(Changes(proposals=True), None)  # what it has so far
        qtbot.waitUntil(lambda: STILL_SEARCHING in text())
        assert compared not in text()
        assert section not in text()
    finally:
        gate.set()
    qtbot.waitUntil(lambda: compared in text())
    assert STILL_SEARCHING not in text()


@pytest.mark.parametrize("accepted", [True, False])
def test_what_is_shown_is_printed_after_the_dialog_and_nothing_without(screen, monkeypatch, tmp_path, accepted):
    from PySide6.QtPrintSupport import QPrintDialog, QPrinter

    file, names = tmp_path / "printed.pdf", []

    def answer(dialog):
        names.append(dialog.printer().docName())
        dialog.printer().setOutputFormat(QPrinter.OutputFormat.PdfFormat)
        dialog.printer().setOutputFileName(str(file))
        return int(accepted)

    monkeypatch.setattr(QPrintDialog, "exec", answer)
    markup = screen.preview.document().toHtml()
    screen.print_page()
    assert names == [screen._story.title]
    assert file.exists() is accepted
    if accepted:
        assert file.read_bytes().startswith(b"%PDF")
    assert screen.preview.document().toHtml() == markup
