"""The report: what it would say now, warnings first, and its export to one file."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QTextDocument
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QPushButton,
    QStackedWidget,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from core.domain import DEFAULT_RULE, RULES, Changes, Evidence
from core.steps.matrix import robustness
from gui_app import look
from gui_app.screens.screen import Screen
from gui_app.session import CaseSession
from gui_app.widgets.empty_state import EmptyState
from gui_app.widgets.header import Header
from gui_app.widgets.labels import ElidedLabel, line, plain
from gui_app.widgets.rules_panel import rank_text
from gui_app.words import counted

if TYPE_CHECKING:
    from core.steps.report import ReportData
    from core.workbench import ReportFile


MOST_EVIDENCE = 100  # shown in the preview; laying out 500 quotes takes most of a second


class InertDocument(QTextDocument):
    """A rich text that fetches nothing: no picture, no style sheet, no file, whatever its text names."""

    def loadResource(self, type_: int, name: QUrl | str) -> object:
        return None


class ReportScreen(Screen):
    """Shows what the report will say, and writes it."""

    name = "Report"
    icon = "report"
    concerns = Changes(documents=True, hypotheses=True, proposals=True, evidence=True, matrix=True)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._data: ReportData | None = None
        self._file: Path | None = None
        html = self.command(self.tr("Export HTML…"), "Ctrl+Shift+H", lambda: self.export("html"))
        json = self.command(self.tr("Export JSON…"), "Ctrl+Shift+J", lambda: self.export("json"))
        self.header = Header(self.tr("Report"))
        self.header.add(json)
        self.header.add(html, kind="primary")

        self.done = QFrame()
        self.done.setProperty("kind", "note")
        self.done_file = ElidedLabel("", "strong")
        self.done_hash = plain(role="mono", selectable=True, wrap=True)
        self.folder_button = QPushButton(self.tr("Show in folder"))
        self.folder_button.clicked.connect(lambda _checked=False: self.show_folder())
        told = QVBoxLayout()
        told.setSpacing(4)
        told.addWidget(self.done_file)
        told.addWidget(self.done_hash)
        row = QHBoxLayout(self.done)
        row.setContentsMargins(24, 8, 16, 8)
        row.addLayout(told, 1)
        row.addWidget(self.folder_button)
        self.done.hide()

        self.preview = QTextEdit()
        self.preview.setReadOnly(True)
        self.preview.setFrameShape(QFrame.Shape.NoFrame)
        self.preview.setTabChangesFocus(True)
        self.preview.setAccessibleName(self.tr("Preview of the report"))
        self.preview.setDocument(InertDocument(self.preview))
        self.preview.document().setDocumentMargin(24)
        self.empty = EmptyState(
            "report",
            self.tr("A report needs hypotheses and evidence: begin by writing down the rival hypotheses."),
            self.tr("Write hypotheses"),
            lambda: self.go.emit("Hypotheses"),
        )
        self.stack = QStackedWidget()
        self.stack.addWidget(self.preview)
        self.stack.addWidget(self.empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.done)
        column.addWidget(line())
        column.addWidget(self.stack, 1)
        look.changed.connect(self._show)
        session.opened.connect(self._case_opened)

    def refresh(self) -> None:
        # Beside the work: it counts the pages of every document and reads the whole log.
        self.session.read(lambda bench: bench.report_data(), self._arrived, key="report preview")

    def _arrived(self, data: ReportData) -> None:
        self._data = data
        self._show()

    def _case_opened(self) -> None:
        self._data, self._file = None, None
        self.done.hide()
        self.preview.document().clear()

    def _show(self) -> None:
        data = self._data
        if data is None:
            return
        self.header.count.setText(
            f"{counted(len(data.hypotheses), 'hypothesis', 'hypotheses')} · "
            f"{counted(len(data.evidence), 'piece of evidence', 'pieces of evidence')} · "
            f"{counted(len(data.documents), 'document')}"
        )
        if not data.hypotheses:
            self.stack.setCurrentWidget(self.empty)
            return
        self.stack.setCurrentWidget(self.preview)
        at = self.preview.verticalScrollBar().value()
        self.preview.document().setDefaultFont(look.sans())
        self.preview.setHtml(summary(data))
        self.preview.verticalScrollBar().setValue(at)

    # --- export ------------------------------------------------------------------------------------------------------

    def export(self, form: str) -> None:
        """Ask for a place and write the report there."""
        bench = self.session.workbench
        if bench is None:
            return
        path = self.ask_path(bench.path.with_suffix(f".{form}"), form)
        if path is None:
            return
        if path.suffix.lower() != f".{form}":
            path = path.with_name(f"{path.name}.{form}")
        self.session.run(
            self.tr("Writing {name}").format(name=path.name),
            lambda bench, _progress: bench.report(path),
            done=self._written,
            initiator=self,
        )

    def ask_path(self, proposed: Path, form: str) -> Path | None:
        """The one dialog of this screen; None when the person changed their mind."""
        kinds = {"html": self.tr("Web page (*.html)"), "json": self.tr("JSON (*.json)")}
        chosen, _ = QFileDialog.getSaveFileName(self, self.tr("Write the report"), str(proposed), kinds[form])
        return Path(chosen) if chosen else None

    def _written(self, report: ReportFile) -> None:
        self._file = report.file
        self.done_file.setText(
            self.tr("{name}, {size} bytes, in {folder}").format(
                name=report.file.name, size=f"{report.bytes:,}", folder=report.file.parent
            )
        )
        self.done_hash.setText(f"sha256 {report.sha256}")
        self.done.show()
        self.session.status.emit(self.tr("Report written: {name}").format(name=report.file.name))
        self.refresh()

    def show_folder(self) -> None:
        """Open the folder of the last report in the system's file manager."""
        if self._file is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file.parent)))

    # --- back and forward --------------------------------------------------------------------------------------------

    def state(self) -> Any:
        return self.preview.verticalScrollBar().value()

    def restore(self, state: Any) -> None:
        if state is not None:
            self.preview.verticalScrollBar().setValue(state)


def warnings_first(data: ReportData) -> list[str]:
    """What a reader must know before anything else: gaps of the matrix, then of the documents."""
    said = []
    cells = len(data.evidence) * len(data.hypotheses)
    if data.matrix.unrated:
        said.append(f"{data.matrix.unrated} of {counted(cells, 'cell')} unrated.")
    blind = sum(document.pages_without_text for document in data.documents)
    if blind:
        said.append(f"{counted(blind, 'page')} without text: nothing on them was searched.")
    waiting = sum(count.pending for count in data.proposals)
    if waiting:
        said.append(f"{counted(waiting, 'proposal')} not decided.")
    said += [warning for warning in data.matrix.warnings if "unrated" not in warning]
    return said + list(data.warnings)


def summary(data: ReportData) -> str:
    """The report in short, as rich text in the colours of the theme. Every word of the case is escaped."""
    ink = look.tokens()
    matrix = data.matrix
    parts = [
        f"<style>p, li {{ margin-bottom: 6px; }} .m {{ color: {ink.muted}; }} "
        f"h2 {{ font-size: {look.px(look.LARGE)}px; margin-top: 24px; }} "
        f"h1 {{ font-size: {look.px(look.TITLE)}px; }} "
        f".q {{ font-family: '{look.SERIF}'; font-size: {look.px(look.LARGE)}px; }} "
        "td, th { padding: 4px 12px 4px 0; } "
        f"th {{ color: {ink.muted}; text-align: left; font-weight: 600; }}</style>"
    ]
    parts.append(f"<h1>{escape(data.title)}</h1>")
    warnings = warnings_first(data)
    if warnings:
        parts.append("<h2>Before you rely on it</h2><ul>")
        parts += [f"<li>{escape(warning)}</li>" for warning in warnings]
        parts.append("</ul>")
    parts.append("<h2>Hypotheses in order</h2>")
    parts.append(f"<p class='m'>By {escape(RULES[DEFAULT_RULE])}: the least inconsistent leads.</p><table>")
    parts.append("<tr><th>Rank</th><th></th><th>Score</th><th>Hypothesis</th></tr>")
    known = {hypothesis.id: hypothesis for hypothesis in data.hypotheses}
    for h in matrix.order or tuple(known):
        score = matrix.scores.get(DEFAULT_RULE, {}).get(h)
        rank = rank_text(matrix, DEFAULT_RULE, h)
        bold = "600" if rank.startswith("1") else "400"
        parts.append(
            f"<tr style='font-weight:{bold}'><td>{escape(rank)}</td><td>{escape(h)}</td>"
            f"<td>{'–' if score is None or rank == '–' else f'{score:.2f}'}</td><td>{escape(known[h].text)}</td></tr>"
        )
    parts.append(f"</table><p>{escape(robustness(matrix).sentence)}</p>")
    if matrix.linchpins:
        parts.append("<h2>What the result hangs on</h2><ul>")
        parts += [f"<li>{escape(pin.sentence)}</li>" for pin in matrix.linchpins[:12]]
        parts.append("</ul>")
    parts.append("<h2>Evidence</h2>")
    if not data.evidence:
        parts.append("<p class='m'>None yet.</p>")
    ratings: dict[str, dict[str, str]] = {}
    for assessment in data.assessments:
        ratings.setdefault(assessment.evidence, {})[assessment.hypothesis] = assessment.rating
    for item in data.evidence[:MOST_EVIDENCE]:
        parts.append(_evidence(item, [(h.id, ratings.get(item.id, {}).get(h.id, "–")) for h in data.hypotheses]))
    if len(data.evidence) > MOST_EVIDENCE:
        more = counted(len(data.evidence) - MOST_EVIDENCE, "more piece of evidence", "more pieces of evidence")
        parts.append(f"<p class='m'>{more} in the written report.</p>")
    parts.append("<h2>What the model did, and what the person did</h2>")
    made = sum(count.made for count in data.proposals)
    parts.append(
        f"<p>{counted(made, 'proposal')} by the model: {sum(c.accepted for c in data.proposals)} accepted, "
        f"{sum(c.rejected for c in data.proposals)} rejected. "
        f"{counted(len(data.assessments), 'rating')} by people; only these count.</p>"
    )
    if data.judge is not None:
        parts.append(f"<p class='m'>Judging model: {escape(data.judge.name)}</p>")
    parts.append(
        f"<p class='m'>{counted(data.log_entries, 'entry', 'entries')} in the log of decisions, "
        f"the last with hash {escape(data.log_head[:16] or '–')}.</p>"
    )
    return "".join(parts)


def _evidence(item: Evidence, ratings: list[tuple[str, str]]) -> str:
    place = item.source or "in the analyst's own words"
    if item.page is not None:
        place += f", page {item.page}"
    cells = " · ".join(f"{h} {rating}" for h, rating in ratings)
    quote = f"<p class='q'>“{escape(item.quote)}”</p>" if item.quote else ""
    words = f"<p>{escape(item.text)}</p>" if not item.quote or item.text != item.quote else ""
    return (
        f"<p><b>{escape(item.id)}</b> <span class='m'>{escape(place)}</span></p>{quote}{words}"
        f"<p class='m'>{escape(cells)}</p>"
    )
