"""The report: what it would say now or at an earlier moment, word for word, and its export to one file."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import (
    QAction,
    QBrush,
    QColor,
    QFontMetrics,
    QHideEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QGridLayout,
    QInputDialog,
    QLineEdit,
    QMenu,
    QPushButton,
    QStackedWidget,
    QTextEdit,
    QWidget,
)

from core.domain import RATINGS, Changes
from core.errors import AppError
from gui_app.report.contents import ReportContents
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs, theme
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted
from gui_app.shared.header import Header
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.outside import open_outside
from gui_app.shared.screen import Screen

if TYPE_CHECKING:
    from core.report import ReportData
    from core.report.blocks import Block, Table
    from core.report.outline import Story
    from core.report.service import ReportFile
    from core.workbench import Workbench


MAX_EVIDENCE = 100  # shown in the preview; laying out 500 quotes takes most of a second
MAX_DAYS = 12  # offered as moments; any other can be typed
MARGIN = 24  # pixels around the text
GAP, PADDING, TIGHT = 6, 12, 4  # pixels between columns of a table; at the right in its cells; there without room
STILL_SEARCHING = (
    "A search for evidence is still running: how much was looked at for each hypothesis is shown here when it is done."
)
ROOMY = 280  # pixels of a column of sentences, below which figures beside it are set closer
NARROW = 880  # pixels of the screen below which there is no outline
_SHAPES = {"CC": "▲▲", "C": "▲", "N": "●", "I": "▼", "II": "▼▼", "NA": "○"}


class InertDocument(QTextDocument):
    """A rich text that fetches nothing: no picture, no style sheet, no file, whatever its text names."""

    def loadResource(self, type_: int, name: QUrl | str) -> object:
        return None


def for_paper(document: QTextDocument) -> None:
    """Show the words of a document dark on no ground, whatever the colours of the window."""
    cursor = QTextCursor(document)
    cursor.select(QTextCursor.SelectionType.Document)
    ink = QTextCharFormat()
    ink.setForeground(QColor("black"))
    ink.setBackground(QBrush(Qt.BrushStyle.NoBrush))
    cursor.mergeCharFormat(ink)


class ReportScreen(Screen):
    """Shows what the report will say, and writes it in any of its forms."""

    name = "Report"
    icon = "report"
    concerns = Changes(documents=True, hypotheses=True, proposals=True, evidence=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._settle_timer = QTimer(self, singleShot=True, interval=150)  # ms after the last change of the width
        self._settle_timer.timeout.connect(self._show)
        self._data: ReportData | None = None
        self._story: Story | None = None
        self._file: Path | None = None
        self._folder: Path | None = None  # where the last report of this case was written
        self.as_of: str | None = None
        # (ending, what it is, keys): as people ask for them, the ones to read first.
        self.forms: tuple[tuple[str, str, str], ...] = (
            (".pdf", "PDF document", "Ctrl+Shift+F"),
            (".html", "web page", "Ctrl+Shift+H"),
            (".pack.html", "evidence pack", "Ctrl+Shift+E"),
            (".docx", "text document (DOCX)", "Ctrl+Shift+W"),
            (".xlsx", "workbook (XLSX)", "Ctrl+Shift+X"),
            (".csv", "table (CSV)", "Ctrl+Shift+V"),
            (".md", "Markdown", "Ctrl+Shift+M"),
            (".json", "JSON", "Ctrl+Shift+J"),
            (".achz", "PARC matrix (ACHZ)", ""),
        )
        self.header = Header("Report")
        self.as_of_button = QPushButton()
        self.as_of_menu = QMenu(self.as_of_button)
        self.as_of_menu.aboutToShow.connect(self._fill_moments)
        self.as_of_button.setMenu(self.as_of_menu)
        self.as_of_button.setToolTip("The moment that the report is about")
        self.short_box = QCheckBox("Short form")
        self.short_box.setToolTip("One or two pages: the answer, what it depends on, the most diagnostic evidence")
        self.short_box.toggled.connect(lambda _on: self.refresh())
        self.header.row.addWidget(self.short_box)
        self.contents_button = QPushButton("Contents")
        self.contents_button.setCheckable(True)
        self.contents_button.setToolTip("Sections of the report, your summary, author and marking")
        self.contents_button.toggled.connect(lambda _on: self._make_room())
        self.header.row.addWidget(self.contents_button)
        self.header.row.addWidget(self.as_of_button)
        self.export_button = QPushButton("Export")
        self.export_button.setProperty("kind", "primary")
        self.export_button.setToolTip("Save the report as one file")
        self.export_menu = QMenu(self.export_button)
        for ending, words, keys in self.forms:
            self.export_menu.addAction(self._export_command(ending, words, keys))
            if ending in (".pack.html", ".xlsx"):
                self.export_menu.addSeparator()
        self.export_button.setMenu(self.export_menu)
        self.header.row.addWidget(self.export_button)
        self.command("Print the report…", None, self.print_page, tip="Print what is shown here")
        self.command("Report as of another moment…", None, self.choose_moment)
        self.command("Report as of now", None, lambda: self.show_as_of(None))
        self.command("Short form of the report", None, self.short_box.toggle)
        self.command("Summary, author and marking of the report", None, self.edit_summary)

        self.done_bar = QFrame()
        self.done_bar.setProperty("kind", "note")
        self.done_file = ElidedLabel("", "strong", mode=Qt.TextElideMode.ElideMiddle)
        self.done_hash = plain(role="mono", selectable=True, wrap=True)
        self.open_button = QPushButton("Open")
        self.open_button.clicked.connect(lambda _on=False: self.open_file())
        self.folder_button = QPushButton("Show in folder")
        self.folder_button.clicked.connect(lambda _on=False: self.show_folder())
        grid = QGridLayout(self.done_bar)
        grid.setContentsMargins(24, 8, 16, 8)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self.done_file, 0, 0)
        grid.addWidget(self.open_button, 0, 1)
        grid.addWidget(self.folder_button, 0, 2)
        grid.addWidget(self.done_hash, 1, 0, 1, 3)  # in one word: beside the buttons its end would be cut off
        self.done_bar.hide()

        self.contents = ReportContents()
        self.contents.jump.connect(self._jump)
        self.contents.edited.connect(self.keep_settings)
        draft = FieldDraft(self.session, self.contents.summary, self.contents.summary.accessibleName())
        self.contents.summary.editingFinished.connect(draft.end)
        self.outline = self.contents.outline
        self.preview = QTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setFrameShape(QFrame.Shape.NoFrame)
        self.preview.setTabChangesFocus(True)
        self.preview.setAccessibleName("Preview of the report")
        self.preview.setDocument(InertDocument(self.preview))
        self.preview.document().setDocumentMargin(MARGIN)
        beside = QWidget()
        sides = hbox(beside, spacing=0)
        sides.addWidget(self.contents)
        self.rule = line(vertical=True)
        sides.addWidget(self.rule)
        sides.addWidget(self.preview, 1)
        self.content = beside
        self.empty = EmptyState(
            "report",
            "A report needs hypotheses and evidence: begin by writing the rival hypotheses.",
            "Write hypotheses",
            lambda: self.go.emit("Hypotheses"),
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.content)
        self.stack.addWidget(self.empty)
        column = vbox(self, spacing=0)
        column.addWidget(self.header)
        column.addWidget(self.done_bar)
        column.addWidget(line())
        column.addWidget(self.stack, 1)
        self.setFocusProxy(self.preview)
        for first, then in ((self.as_of_button, self.export_button), (self.export_button, self.short_box)):
            self.setTabOrder(first, then)
        self._name_moment()
        session.opened.connect(self._case_opened)

    def _export_command(self, ending: str, words: str, keys: str) -> QAction:
        title = f"Export {words}…"
        return self.command(title, keys or None, lambda: self.export(ending))

    def print_page(self) -> None:
        """Let a person choose a printer, and print the text on show in the colours of paper."""
        if self._story is None or self.stack.currentWidget() is self.empty:
            self.session.status.emit("There is no report to print yet.")
            return
        from PySide6.QtPrintSupport import QPrintDialog, QPrinter  # beside its use: few sessions print

        printer = QPrinter(QPrinter.PrinterMode.HighResolution)
        printer.setDocName(self._story.title)
        dialog = QPrintDialog(printer, self)
        dialog.setWindowTitle("Print the report")
        if dialog.exec():
            paper = self.preview.document().clone()
            for_paper(paper)
            paper.print_(printer)
            paper.deleteLater()
        dialog.deleteLater()

    def _restyled(self) -> None:
        if self.isVisible():
            self._show()  # at once, and from what was read
        else:
            super()._restyled()

    def refresh(self) -> None:
        # Beside the work: it counts the pages of every document and reads the whole log.
        """Read the report again, as of the moment that was chosen."""
        searching = self.as_of is None and self.session.is_growing(Changes(proposals=True))
        as_of, short = self.as_of, self.short_box.isChecked()
        self.session.read(
            lambda bench: _report_as_of(bench, as_of, short=short, searching=searching),
            self._arrived,
            key="report preview",
            failed=self._no,
        )

    def _arrived(self, result: tuple[ReportData, Story]) -> None:
        self._data, self._story = result
        self._show()

    def _no(self, error: AppError) -> None:
        """Report an invalid moment, and go back to now."""
        self.session.failed.emit(error)
        if self.as_of is not None:
            self.show_as_of(None)

    def _case_opened(self) -> None:
        self._data, self._story, self._file, self._folder, self.as_of = None, None, None, None, None
        self._name_moment()
        self.done_bar.hide()
        self.contents.clear()
        self.preview.document().clear()

    def _show(self) -> None:
        from core.report import document_count

        data, story = self._data, self._story
        if data is None or story is None:
            return
        rows = sum(row.kind != "withdrawn" for row in data.evidence)
        self.header.count.setText(
            f"{counted(len(data.hypotheses), 'hypothesis', 'hypotheses')} · "
            f"{counted(rows, 'piece of evidence', 'pieces of evidence')} · "
            f"{document_count(data)}"
        )
        if not data.hypotheses and self.as_of is None:
            self.stack.setCurrentWidget(self.empty)
            return
        self.stack.setCurrentWidget(self.content)
        position = self.preview.verticalScrollBar().value()
        self.preview.document().setDefaultFont(theme.sans())
        width = max(480, self.preview.viewport().width() - 2 * MARGIN - GAP)
        self.preview.setHtml(summary(story, width=width))
        self.preview.verticalScrollBar().setValue(position)
        writable = self.as_of is None and not self.session.read_only
        self.contents.show_settings(data.settings.report, story.outline, writable=writable)

    def keep_settings(self) -> None:
        """Keep what is chosen and typed beside the preview, as one step of undo."""
        if self._data is None or not self.contents.is_writable:
            return
        former = self.session.do(lambda bench: bench.case.settings().report)
        contents = self.contents.settings()
        if former is None or contents == replace(former, omissions=tuple(sorted(former.omissions))):
            return
        self.session.do(lambda bench: bench.case.change_settings(report=contents), initiator=self)
        self.refresh()

    def edit_summary(self) -> None:
        """Go to the field for one's own summary, with room for it."""
        if self.contents.isHidden():
            self.contents_button.setChecked(True)
        self.contents.summary.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Keep what was typed when another screen comes."""
        self.keep_settings()
        super().hideEvent(event)

    def show_own_details(self, visible: bool) -> bool:
        """Take the room of the details: nothing is selected here, and the tables need it."""
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Without much room the text is worth more than what it holds, unless that is asked for."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        is_narrow = self.width() < NARROW
        self.contents_button.setVisible(is_narrow)
        for part in (self.contents, self.rule):
            part.setVisible(not is_narrow or self.contents_button.isChecked())
        self._settle_timer.start()  # the tables are made for a width

    def _jump(self, section: str) -> None:
        self.preview.scrollToAnchor(section)

    # --- the moment --------------------------------------------------------------------------------------------------

    def _fill_moments(self) -> None:
        """Now, the days on which something was decided, and any other moment."""
        self.as_of_menu.clear()
        self._offer("Now", None)
        self.as_of_menu.addSeparator()
        for day, decisions in (self.session.do(lambda bench: bench.reports.days()) or [])[:MAX_DAYS]:
            self._offer("End of {day}  ({many})".format(day=day, many=counted(decisions, "decision")), day)
        self.as_of_menu.addSeparator()
        self.as_of_menu.addAction("Another moment…", self.choose_moment)

    def _offer(self, words: str, as_of: str | None) -> None:
        action = self.as_of_menu.addAction(words, lambda: self.show_as_of(as_of))
        action.setCheckable(True)
        action.setChecked(self.as_of == as_of)

    def choose_moment(self) -> None:
        """Ask for a moment and show the report as of it."""
        moment = self.ask_moment()
        if moment:
            self.show_as_of(moment)

    def ask_moment(self) -> str:
        """Ask for a time, a date or the number of a log entry, as typed; '' when the person thought better of it."""
        words = "A time (2026-11-21T14:30, in UTC), a date, or the number of an entry in the log of decisions:"
        text, is_given = QInputDialog.getText(self, "Report as of", words, QLineEdit.EchoMode.Normal, self.as_of or "")
        return text.strip() if is_given else ""

    def show_as_of(self, as_of: str | None) -> None:
        """Show the report as of a moment; None: now."""
        self.as_of = as_of
        self._name_moment()
        self.refresh()

    def _name_moment(self) -> None:
        moment = self.as_of or "now"
        self.as_of_button.setText(f"As of {moment}")
        self.as_of_button.setAccessibleName(f"Report as of {moment}")

    # --- export ------------------------------------------------------------------------------------------------------

    def export(self, ending: str) -> None:
        """Ask for a place and write the report there in the form of ``ending``."""
        bench = self.session.workbench
        if bench is None:
            return
        path = self.ask_path((self._folder or bench.path.parent) / (bench.path.stem + ending), ending)
        if path is None:
            return
        self._folder = path.parent
        self.keep_settings()
        as_of, short = self.as_of, self.short_box.isChecked()
        self.session.run(
            f"Writing {path.name}",
            lambda bench, progress: bench.reports.write(path, as_of=as_of, short=short, progress=progress),
            done=self._show_file,
            initiator=self,
        )

    def ask_path(self, proposal: Path, ending: str) -> Path | None:
        """Ask for a file, whose name chooses the form of ``ending``; None when the person changed their mind."""
        kind = next(words for form, words, _ in self.forms if form == ending)
        kinds = f"{kind.partition(' (')[0]} (*{ending})"
        return file_dialogs.ask_target(self, "Save report", proposal, kinds, lambda path: with_ending(path, ending))

    def _show_file(self, report: ReportFile) -> None:
        self._file = report.file
        self.session.looked.emit("report")  # the guide's last step but one is done
        in_clear = self.session.in_clear
        self.done_file.setText(f"{report.file.name}, {report.bytes:,} bytes, in {report.file.parent}.{in_clear}")
        self.done_hash.setText(f"sha256 {report.sha256}")
        self.done_bar.show()
        self.session.status.emit(f"Report saved: {report.file.name}")
        self.refresh()

    def open_file(self) -> None:
        """Open the last report in the program that the system has for it."""
        if self._file is not None:
            open_outside(self._file)

    def show_folder(self) -> None:
        """Open the folder of the last report in the system's file manager."""
        if self._file is not None:
            open_outside(self._file.parent)

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        """Return how far the report is scrolled."""
        return self.preview.verticalScrollBar().value()

    def restore(self, state: Any) -> None:
        """Scroll the report to where it was."""
        if state is not None:
            self.preview.verticalScrollBar().setValue(state)


def _report_as_of(bench: Workbench, as_of: str | None, *, short: bool, searching: bool) -> tuple[ReportData, Story]:
    """Return the report as of a moment.

    While passages are still searched and judged, what each hypothesis has had so far is no measure of anything: it says
    so in place of the comparison.
    """
    from core.report import tell

    data = bench.reports.data(as_of=as_of, short=short)
    if searching:
        data = replace(data, search=(), warnings=(*data.warnings, STILL_SEARCHING))
    return data, tell(data, most=MAX_EVIDENCE)


def with_ending(path: Path, ending: str) -> Path:
    """``path`` so that its name chooses the form of ``ending`` and no other."""
    name = path.name
    if ending == ".html" and name.lower().endswith(".pack.html"):
        return path.with_name(name[: -len(".pack.html")] + ".html")
    if name.lower().endswith(ending):
        return path
    if ending == ".pack.html" and name.lower().endswith(".html"):
        name = name[: -len(".html")]
    return path.with_name(name + ending)


def summary(story: Story, *, width: int = 640) -> str:
    """Return the report as rich text in the colours of the theme, as every form tells it, tables ``width`` pixels wide.

    Every word of the case is escaped.
    """
    ink = theme.tokens()
    parts = [
        f"<style>p, li {{ margin-bottom: 6px; }} .m {{ color: {ink.muted}; }} "
        f".id {{ color: {ink.muted}; font-size: {theme.px(theme.SMALL)}px; font-weight: 400; }} "
        f"h2 {{ font-size: {theme.px(theme.LARGE)}px; margin-top: 28px; }} "
        "h3 { margin-top: 16px; } "
        f"h1 {{ font-size: {theme.px(theme.TITLE)}px; }} "
        f".q {{ font-family: '{theme.SERIF}'; font-size: {theme.px(theme.LARGE)}px; }} "
        "td, th { padding: 4px 12px 4px 0; } .c { padding: 4px 8px; text-align: center; } "
        f"th {{ color: {ink.muted}; text-align: left; font-weight: 600; }}</style>"
    ]
    marking = f"<p align='center'><b>{_escape(story.marking)}</b></p>" if story.marking else ""
    parts.append(f"{marking}<h1>{_escape(story.title)}</h1><p class='m'>{_escape(story.subtitle)}</p>")
    for section in story.sections:
        parts.append(f"<a name='{escape(section.id)}'></a><h2>{_escape(section.title)}</h2>")
        parts += [_block(block, width) for block in section.blocks]
    return "".join((*parts, marking))


def _block(block: Block, width: int) -> str:
    from core.report.blocks import Para, Points, Quote, Sub, Table, Terms

    match block:
        case Para(text, "lead"):
            return f"<p class='q'>{_lines(text)}</p>"
        case Para(text, "strong"):
            return f"<p><b>{_lines(text)}</b></p>"
        case Para(text, "quiet"):
            return f"<p class='m'>{_lines(text)}</p>"
        case Para(text):
            return f"<p>{_lines(text)}</p>"
        case Sub(text):
            return f"<h3>{_escape(text)}</h3>"
        case Quote(text):
            return f"<p class='q'>“{_lines(text)}”</p>"
        case Points(items):
            return "<ul>" + "".join(f"<li>{_lines(item)}</li>" for item in items) + "</ul>"
        case Terms(pairs):
            rows = (
                f"<tr><td class='m' width='116'>{_escape(term)}</td><td>{_lines(words)}</td></tr>"
                for term, words in pairs
            )
            return f"<table>{''.join(rows)}</table>"
        case Table():
            return _table(block, width)
    return ""


_RIGHT = " align='right'"


def _table(table: Table, width: int) -> str:
    widths, tight = _widths(table, width), ""
    texts = [pixels for column, pixels in zip(table.columns, widths, strict=True) if column.look == "text"]
    if sum(widths) + GAP * len(widths) > width or (len(texts) == 1 and texts[0] < ROOMY):
        widths = _widths(table, width, tight=True)
        tight = f" style='padding-right: {TIGHT}px'"
    small = f" style='padding-right: {TIGHT}px; font-size: {theme.px(theme.SMALL)}px'" if tight else ""
    # Of a rating's column only the id: what the hypotheses say is above.
    head = "".join(
        f"<th width='{pixels}'{_RIGHT if column.look == 'num' else ''}{small}>"
        f"{_lines(column.title.split(chr(10))[0])}</th>"
        for column, pixels in zip(table.columns, widths, strict=True)
    )
    rows = []
    for row in table.rows:
        cells = []
        for column, cell in zip(table.columns, row, strict=True):
            if column.look == "cell":
                cells.append(_rating_cell(cell))
            elif column.look == "id":
                cells.append(f"<td{tight}><b>{_lines(cell)}</b></td>")
            elif column.look == "num":
                cells.append(f"<td{_RIGHT}{tight}>{_lines(cell)}</td>")
            else:
                cells.append(f"<td{tight}>{_lines(cell)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table width='{width}'><tr>{head}</tr>{''.join(rows)}</table>"


def _widths(table: Table, width: int, *, tight: bool = False) -> list[int]:
    """Return the widths in pixels: enough for figures and ratings, which must not break, and shares of the rest.

    Qt's own sharing out, or a mix of pixels and per cent, gives columns of one letter. ``tight`` is for a table with
    more columns than there is room for: smaller titles, less beside the cells.
    """
    metrics = QFontMetrics(theme.sans(bold=True))
    titles = QFontMetrics(theme.sans(theme.SMALL, bold=True)) if tight else metrics
    widths = [62 if column.look == "cell" else 0 for column in table.columns]
    for index, column in enumerate(table.columns):
        if column.look in ("num", "id"):  # as wide as its longest word or figure
            words = [titles.horizontalAdvance(word) for word in column.title.split()]
            ends = r"(?<! of)[ \n](?!of )" if tight else r"\n"  # tight: '67 (62–71)' in two, '14 of 14' in one
            figures = (re.split(ends, row[index]) for row in table.rows)
            words += [metrics.horizontalAdvance(figure) for row in figures for figure in row]
            widths[index] = max(words, default=0) + (TIGHT if tight else PADDING) + GAP
    texts = [column for column, own_width in zip(table.columns, widths, strict=True) if not own_width]
    total = sum(column.share for column in texts) or 1.0
    left = max(width - sum(widths) - GAP * len(widths), (80 if tight else 110) * len(texts))
    return [
        own_width or int(left * column.share / total) for column, own_width in zip(table.columns, widths, strict=True)
    ]


def _rating_cell(cell: str) -> str:
    rating = next((code for code in RATINGS if code == cell), None)
    if rating is None:
        return f"<td class='c m'>{_escape(cell)}</td>"
    fill = "" if rating == "NA" else f" bgcolor='{theme.tint(theme.rating_label(rating)).name()}'"
    return f"<td class='c'{fill}><b>{rating}</b>&nbsp;<small>{_SHAPES[rating]}</small></td>"


def _lines(text: str) -> str:
    return _escape(text).replace("\n", "<br>")


def _escape(text: str) -> str:
    """Escape a text, with characters that cannot be seen written out, and ids behind names small."""
    from core.report.wording import ID_BEHIND
    from core.report.wording import plain as written

    parts = (escape(written(part)) for part in ID_BEHIND.split(text))
    return "".join(f"&nbsp;<span class='id'>{part}</span>" if n % 2 else part for n, part in enumerate(parts))
