"""What an analyst says of a document, or of several at once: where it comes from, its grade, date, tags, a note."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from core.domain import Document
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.formatting import INFORMATION, RELIABILITY, counted
from gui_app.shared.labels import plain


class _Note(QPlainTextEdit):
    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class DocumentFields(QWidget):
    """Every field is kept when it is left, as one step of undo for all documents on show."""

    def __init__(self, session: CaseSession, documents: Sequence[Document]) -> None:
        super().__init__()
        self._session = session
        self._ids = [document.id for document in documents]
        self._documents = list(documents)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.origin = QLineEdit()
        self.tags = QLineEdit()
        self.dated = QLineEdit()
        self.reliability = self._grades(RELIABILITY, "Reliability of the source")
        self.information = self._grades(INFORMATION, "Credibility of the information")
        self.note = _Note()
        self.note.setFixedHeight(theme.px(56))
        self.note.setTabChangesFocus(True)
        self.note.setProperty("kind", "field")
        rows: tuple[tuple[str, QWidget, str], ...] = (
            ("Tags", self.tags, "separated by commas"),
            ("Origin", self.origin, "where it comes from"),
            ("Source", self.reliability, ""),
            ("Information", self.information, ""),
            ("Date", self.dated, "YYYY-MM-DD"),
            ("Note", self.note, ""),
        )
        for at, (name, field, hint) in enumerate(rows):
            middle = Qt.AlignmentFlag.AlignTop if field is self.note else Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(plain(name, "muted"), at, 0, middle)
            if not field.accessibleName():
                field.setAccessibleName(name)
            grid.addWidget(field, at, 1)
            if isinstance(field, QLineEdit):
                field.setPlaceholderText(hint)
        tags = session.do(lambda bench: bench.documents.tags()) or []
        completer = QCompleter(tags, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.tags.setCompleter(completer)
        self.tags.editingFinished.connect(self._tags_left)
        self.origin.editingFinished.connect(lambda: self._text_left("origin", self.origin.text()))
        self.dated.editingFinished.connect(lambda: self._text_left("dated", self.dated.text()))
        self.note.left.connect(lambda: self._text_left("note", self.note.toPlainText()))
        self.reliability.activated.connect(lambda _at: self._grade_chosen("reliability", self.reliability))
        self.information.activated.connect(lambda _at: self._grade_chosen("information", self.information))
        self.setEnabled(not session.read_only)
        self._show()

    def _grades(self, words: dict[str, str], name: str) -> QComboBox:
        box = QComboBox()
        box.addItem("–", "")
        for grade, meaning in words.items():
            box.addItem(f"{grade}  {meaning}", grade)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(3)
        box.setAccessibleName(name)
        box.setToolTip(name)
        return box

    def _show(self) -> None:
        """Show the fields as the documents have them; a field in which they differ says so and stays empty."""
        differ = "different"
        for name, field, hint in (("origin", self.origin, ""), ("dated", self.dated, "")):
            values = {str(getattr(document, name)) for document in self._documents}
            field.setText(values.pop() if len(values) == 1 else "")
            if values:
                field.setPlaceholderText(differ)
            field.setModified(False)
            field.setProperty("hint", hint)
        for name, box in (("reliability", self.reliability), ("information", self.information)):
            values = {str(getattr(document, name)) for document in self._documents}
            box.setCurrentIndex(box.findData(values.pop()) if len(values) == 1 else -1)
            box.setPlaceholderText(differ)
        notes = {document.note for document in self._documents}
        self.note.setPlainText(notes.pop() if len(notes) == 1 else "")
        if notes:
            self.note.setPlaceholderText(differ)
        self.tags.setText(", ".join(self._common()))
        if any(set(document.tags) != set(self._common()) for document in self._documents):
            self.tags.setToolTip("These are the tags that all of them have; each keeps its others.")

    def _common(self) -> list[str]:
        """Return the tags that all of them have, in the order of the first."""
        first, *others = self._documents
        return [tag for tag in first.tags if all(tag in other.tags for other in others)]

    def _tags_left(self) -> None:
        tags = [tag for tag in (" ".join(part.split()) for part in self.tags.text().split(",")) if tag]
        had = self._common()
        folded_tags = {tag.casefold() for tag in tags}
        new_tags = [tag for tag in tags if tag.casefold() not in {each.casefold() for each in had}]
        old_tags = [tag for tag in had if tag.casefold() not in folded_tags]
        if new_tags or old_tags:
            self._keep({"add_tags": new_tags, "remove_tags": old_tags}, "Tags")

    def _text_left(self, name: str, value: str) -> None:
        value = value.strip()
        values = {str(getattr(document, name)) for document in self._documents}
        if values == {value} or (len(values) > 1 and not value):
            return  # nothing new; and an empty field above different values was left as it was
        self._keep({name: value}, {"origin": "Origin", "dated": "Date"}.get(name, "Note"))

    def _grade_chosen(self, name: str, box: QComboBox) -> None:
        value = box.currentData()
        if value is not None and {getattr(document, name) for document in self._documents} != {value}:
            self._keep({name: str(value)}, "Grade")

    def _keep(self, fields: dict[str, str | list[str]], what: str) -> None:
        changes = self._session.do(lambda bench: bench.documents.describe(self._ids, **fields), initiator=self)
        fresh = self._session.do(lambda bench: [bench.documents.get(identity) for identity in self._ids])
        if fresh is not None:
            self._documents = fresh
        if changes is None:
            self._show()
            return
        of = counted(len(self._ids), "document")
        self._session.tell(f"{what} of {of} saved", undo=True)
