"""A page for what is kept in mind beside the matrix: write it down, reword it, tick it off, take it away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from core.domain import Consideration, Hypothesis
from gui_app.hypotheses.considerations_model import ConsiderationsModel
from gui_app.hypotheses.indicator_watch import watch_of
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.cell_editor import ChoiceDelegate, TextDelegate, TextEditor
from gui_app.shared.empty_state import EmptyState
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import counted, flowing
from gui_app.shared.labels import line, plain
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.snippet_list import SnippetList
from gui_app.shared.table import Table

_TEXT, _QUERY, _ABOUT, _NEW, _BY = range(5)
_MAX_ROW_HEIGHT = 184  # pixels: what is longer is read in the editor


class AboutChoice(QComboBox):
    """Chooses one hypothesis, or the case as a whole where ``whole`` names it."""

    def __init__(self, name: str, *, whole: str = "") -> None:
        super().__init__()
        self._whole = whole
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8 if whole else 4)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_hypotheses(self, hypotheses: Sequence[Hypothesis]) -> None:
        """Offer these hypotheses; the one that is chosen stays so."""
        current = self.chosen()
        self.blockSignals(True)
        self.clear()
        if self._whole:
            self.addItem(self._whole, "")
        for hypothesis in hypotheses:
            self.addItem(f"{hypothesis.id}  {hypothesis.text}", hypothesis.id)
        self.choose(current)
        self.view().setMinimumWidth(theme.px(320))
        self.blockSignals(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Name the chosen hypothesis by its letter: the list has the texts."""
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.chosen() or self.currentText()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def chosen(self) -> str:
        """Return the hypothesis that is chosen, '' for the case as a whole."""
        return str(self.currentData() or "")

    def choose(self, hypothesis: str) -> None:
        """Choose a hypothesis."""
        self.setCurrentIndex(max(0, self.findData(hypothesis)))


class ConsiderationsPage(QWidget):
    """All considerations of one kind. Indicators have a search each, and what it found below the table."""

    show_source = Signal(str, int, int, int)

    def __init__(self, session: CaseSession, kind: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.kind = kind
        self._hypotheses: list[Hypothesis] = []
        self._has_search = kind == "indicator"
        words = self._words()
        self.setAccessibleName(words["title"])
        column = vbox(self, spacing=0)
        intro = plain(words["what"], "muted", wrap=True)
        intro.setContentsMargins(24, 12, 24, 8)
        column.addWidget(intro)
        self.entry = QWidget()
        add = hbox(self.entry, margins=(24, 0, 24, 12), spacing=8)
        self.field = QLineEdit()
        self.field.setPlaceholderText(words["hint"])
        self.field.setAccessibleName(words["new"] or words["title"])
        self.field.returnPressed.connect(self.add)
        add.addWidget(self.field, 3)
        self.query = QLineEdit()
        self.query.setPlaceholderText("Words or a sentence to search for")
        self.query.setAccessibleName("Search of the new indicator")
        self.query.returnPressed.connect(self.add)
        for field in (self.field, self.query):
            FieldDraft(self.session, field, f"{words['title']}: {field.accessibleName()}")
        add.addWidget(self.query, 2)
        if not self._has_search:
            self.query.hide()
        self.about = AboutChoice("What it is about", whole="The case")
        add.addWidget(self.about)
        self.add_button = QPushButton("Add")
        self.add_button.setProperty("kind", "primary")
        self.add_button.setAccessibleName(words["new"] or words["title"])
        self.add_button.setEnabled(False)
        self.add_button.clicked.connect(self.add)
        add.addWidget(self.add_button)
        self.field.textChanged.connect(lambda _text: self._allow())
        column.addWidget(self.entry)
        column.addWidget(line())

        self.model = ConsiderationsModel(words["title"], self)
        self.model.edited.connect(self._edit)
        self.table = Table(self.model, words["title"])
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.table.setWordWrap(True)
        self.table.setItemDelegate(TextDelegate(self.session, self.table))
        self._choices = ChoiceDelegate(self._about_choices, self.table)
        self.table.setItemDelegateForColumn(_ABOUT, self._choices)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(_TEXT, QHeaderView.ResizeMode.Stretch)
        header.sectionResized.connect(lambda *_sizes: self.fit_rows())
        for part, wide in ((_QUERY, 220), (_ABOUT, 96), (_NEW, 104), (_BY, 168)):
            self.table.setColumnWidth(part, theme.px(wide))
        self.table.setColumnHidden(_QUERY, not self._has_search)
        self.table.setColumnHidden(_NEW, not self._has_search)
        self.table.on_open = self.edit_current
        self.table.on_space = self.toggle_done
        self.empty = EmptyState(
            "search" if self._has_search else "note",
            words["empty"],
            words["first"],
            lambda: self.field.setFocus(Qt.FocusReason.OtherFocusReason),
        )
        self.empty.button.setVisible(bool(words["first"]))
        self.pages = QStackedWidget()
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.empty)
        column.addWidget(self._with_hits() if self._has_search else self.pages, 1)
        if kind == "conflict":
            self.entry.hide()
        self.setFocusProxy(self.field if kind != "conflict" else self.table)

    def _words(self) -> dict[str, str]:
        if self.kind == "assumption":
            return {
                "title": "Assumption",
                "new": "New assumption",
                "what": "What is taken for granted, and would overturn the conclusion if it were wrong.",
                "hint": "We take for granted that",
                "empty": "Write down the assumptions that carry the conclusion, so that each can be checked.",
                "first": "Write the first one",
            }
        if self.kind == "premortem":
            return {
                "title": "How it went wrong",
                "new": "New premortem",
                "what": "A year from now the conclusion has turned out wrong. How did that come about?",
                "hint": "It turned out wrong because",
                "empty": "Imagine that the conclusion was wrong and write down the most likely reasons.",
                "first": "Write the first one",
            }
        if self.kind == "indicator":
            return {
                "title": "Indicator",
                "new": "New indicator",
                "what": (
                    "What you would see if events took another course. Its search runs whenever documents are added, "
                    "and those that match are flagged."
                ),
                "hint": "If this is seen, think again",
                "empty": "Save a search for what would change the conclusion: new documents are flagged.",
                "first": "Write the first one",
            }
        return {
            "title": "Left open by merging",
            "new": "",
            "what": "Where two versions of the case differ. Settle each point, then tick it off.",
            "hint": "",
            "empty": "Nothing was left open.",
            "first": "",
        }

    def _with_hits(self) -> QWidget:
        self.watch = watch_of(self.session)
        self.watch.changed.connect(self._show_counts)
        below = QWidget()
        column = vbox(below, spacing=0)
        column.addWidget(line())
        row = hbox(margins=(24, 8, 24, 8), spacing=8)
        self._found_head = plain("", "strong", wrap=True)
        self.watch.checking.connect(lambda: self._found_head.setText("Searching"))
        row.addWidget(self._found_head, 1)
        self.seen_button = QPushButton("Looked at")
        self.seen_button.setAccessibleName("Mark the documents of this indicator as looked at")
        self.seen_button.clicked.connect(self.mark_seen)
        row.addWidget(self.seen_button)
        self.check_button = QPushButton("Check now")
        self.check_button.setAccessibleName("Check the indicators now")
        self.check_button.clicked.connect(self.watch.check)
        row.addWidget(self.check_button)
        column.addLayout(row)
        self.hits = SnippetList("Passages that the indicator found", quotes=True, lines=3)
        self.hits.chosen.connect(lambda place: self.show_source.emit(*place))
        hits_row = hbox()
        hits_row.setContentsMargins(8, 0, 8, 0)  # with the text above: a snippet has 16 pixels of its own
        hits_row.addWidget(self.hits)
        column.addLayout(hits_row, 1)
        self._below = below
        split = QSplitter(Qt.Orientation.Vertical)
        split.setHandleWidth(1)
        split.setChildrenCollapsible(False)
        split.addWidget(self.pages)
        split.addWidget(below)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        self.table.selectionModel().currentRowChanged.connect(lambda _now, _before: self._show_hits())
        return split

    # --- showing -----------------------------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[Consideration], hypotheses: Sequence[Hypothesis], *, writable: bool) -> None:
        """Show what the case holds of this kind now; the selected row stays selected."""
        previous = self.current()
        self._hypotheses = list(hypotheses)
        self.about.show_hypotheses(hypotheses)
        self.model.writable = writable
        for part in (self.field, self.query, self.about, self.empty.button):
            part.setEnabled(writable)
        self.model.show(rows, self._new_counts(rows))
        self.pages.setCurrentIndex(0 if rows else 1)
        row = self.model.row_of(previous.id) if previous else -1
        if row >= 0 or rows:
            self.table.setCurrentIndex(self.model.index(max(0, row), _TEXT))
        self._allow()
        self.fit_rows()
        if self._has_search:
            self._below.setVisible(bool(rows))
            self._show_hits()

    def current(self) -> Consideration | None:
        """Return the selected row."""
        row = self.table.currentIndex().row()
        return self.model.rows[row] if 0 <= row < len(self.model.rows) else None

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out who wrote a row where there is little room."""
        super().resizeEvent(event)
        self.table.setColumnHidden(_BY, self.width() < theme.px(880 if self._has_search else 720))
        if self._has_search:
            self.table.setColumnWidth(_QUERY, max(theme.px(140), round(self.width() * 0.28)))
        self.fit_rows()

    def showEvent(self, event: QShowEvent) -> None:
        """Fit the rows once the columns have their widths."""
        super().showEvent(event)
        QTimer.singleShot(0, self, self.fit_rows)  # when the columns have their widths

    def fit_rows(self) -> None:
        """Make rows as high as their wrapped text, within reason: there are few, so each is measured."""
        metrics = QFontMetrics(theme.sans())
        for number, row in enumerate(self.model.rows):
            high = theme.row_height()
            for part, text in ((_TEXT, row.text), (_QUERY, row.query)):
                if self.table.isColumnHidden(part):
                    continue
                width = max(60, self.table.columnWidth(part) - (48 if part == _TEXT else 24))
                box = metrics.boundingRect(0, 0, width, 10_000, int(Qt.TextFlag.TextWordWrap), text)
                high = max(high, box.height() + 16 + theme.air())
            self.table.setRowHeight(number, min(high, theme.px(_MAX_ROW_HEIGHT)))

    def _about_choices(self) -> list[tuple[str, str]]:
        return [
            ("", "The case"),
            *((hypothesis.id, f"{hypothesis.id}  {hypothesis.text}") for hypothesis in self._hypotheses),
        ]

    def _allow(self) -> None:
        self.add_button.setEnabled(self.model.writable and bool(self.field.text().strip()))

    def _new_counts(self, rows: Sequence[Consideration]) -> Mapping[str, int]:
        return {row.id: self.watch.new_documents(row.id) for row in rows} if self._has_search else {}

    def _show_counts(self) -> None:
        self.model.count_new(self._new_counts(self.model.rows))
        self._show_hits()

    def _show_hits(self) -> None:
        if not self._has_search:
            return
        self.hits.clear()
        row = self.current()
        hits = self.watch.of(row.id) if row else []
        for hit in hits:
            title = f"{hit.name} · page {hit.page}"
            self.hits.add(title, flowing(hit.text), (hit.document, hit.page, hit.start, hit.end))
        documents = counted(len({hit.document for hit in hits}), "document")
        if row is None:
            summary = ""
        elif hits:
            summary = "{} found in {} since it was last looked at".format(counted(len(hits), "passage"), documents)
        elif row.status == "done":
            summary = "Ticked off: it is no longer watched."
        else:
            summary = "Nothing new since it was last looked at."
        self._found_head.setText("Searching" if self.watch.running else summary)
        self.seen_button.setEnabled(bool(hits) and self.model.writable)
        self.hits.setVisible(bool(hits))

    # --- commands ----------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Make ready to write a new one."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def add(self) -> None:
        """Write down what is in the field; an indicator needs a search as well."""
        text = " ".join(self.field.text().split())
        if not text or not self.model.writable:
            return
        query = " ".join(self.query.text().split()) if self._has_search else ""
        if self._has_search and not query:
            self.query.setText(text)  # what would be seen is often what to search for: offered, not decided
            self.query.setFocus(Qt.FocusReason.OtherFocusReason)
            self.query.selectAll()
            self.session.status.emit("Say what to search for, then press Enter again.")
            return
        about = self.about.chosen()
        consideration = self.session.do(
            lambda bench: bench.hypotheses.add_consideration(self.kind, text, hypothesis=about, query=query),
            initiator=self,
        )
        if consideration is None:
            return  # what was typed stays in the fields
        self.field.clear()
        self.query.clear()
        row = self.model.row_of(consideration.id)
        if row >= 0:
            self.table.setCurrentIndex(self.model.index(row, _TEXT))
        self.session.tell("Added", undo=True)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def edit_current(self) -> None:
        """Edit the cell at the cursor, or the text of its row."""
        index = self.table.currentIndex()
        if index.isValid() and self.model.writable:
            column = index.column() if index.column() in (_TEXT, _QUERY, _ABOUT) else _TEXT
            self.table.setCurrentIndex(index.siblingAtColumn(column))
            self.table.edit(index.siblingAtColumn(column))

    def toggle_done(self) -> None:
        """Tick off the selected row, or open it again."""
        row = self.current()
        if row is not None and self.model.writable:
            self._edit(row.id, "status", "open" if row.status == "done" else "done")

    def remove(self) -> None:
        """Remove the selected row."""
        row = self.current()
        if row is None or not self.model.writable:
            return
        if self.session.do(lambda bench: bench.hypotheses.remove_consideration(row.id), initiator=self) is not None:
            self.session.tell("Removed", undo=True)

    def mark_seen(self) -> None:
        """Mark as looked at what the selected indicator flagged."""
        row = self.current()
        if row is None or not self.model.writable or not self.watch.of(row.id):
            return
        if self.session.do(lambda bench: bench.hypotheses.mark_seen(row.id), initiator=self) is not None:
            self.session.tell("Marked as looked at")

    def _edit(self, consideration: str, field: str, value: str) -> None:
        row, column = self.table.currentIndex().row(), self.table.currentIndex().column()
        change = {field: value}
        result = self.session.do(
            lambda bench: bench.hypotheses.edit_consideration(consideration, **change), initiator=self
        )
        if result is None and field in ("text", "query"):
            # Refused: open the editor again with what was typed, so that nothing is lost.
            QTimer.singleShot(0, self, lambda: self._edit_again(row, column, value))

    def _edit_again(self, row: int, column: int, text: str) -> None:
        index = self.model.index(row, column)
        self.table.setCurrentIndex(index)
        self.table.edit(index)
        editor = self.table.findChild(TextEditor)
        if editor is not None:
            editor.setPlainText(text)
