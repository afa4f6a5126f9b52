"""What an analyst says of a document, or of several at once: title, source, date, language, grade, tags, a note.

An empty field shows what the document says itself, and its tooltip where that was read and how sure it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QGridLayout, QLineEdit, QPlainTextEdit, QWidget

from core.documents.descriptions import attribution_of, author_of, date_of, place_of, source_of, title_of
from core.domain import ANALYST, Document
from core.language import identification
from gui_app.documents.documents_model import language_name
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import INFORMATION, RELIABILITY, attribution_words, counted
from gui_app.shared.labels import plain, tooltip
from gui_app.shared.layout import hbox

# By field of the form: the column that keeps the analyst's word, the field of the document, and what it says itself.
_COLUMNS = {"title": "own_title", "author": "own_author", "origin": "origin", "place": "own_place", "dated": "dated"}
_FIELDS = {"title": "title", "author": "author", "origin": "publisher", "place": "place", "dated": "date"}
_NAMES = {"title": "Title", "author": "Author", "origin": "Source", "place": "Place", "dated": "Date"}
_READ: dict[str, Callable[[Document], str]] = {
    "title": title_of,
    "author": author_of,
    "origin": source_of,
    "place": place_of,
    "dated": date_of,
}


def _origin_of_language(document: Document) -> str:
    """Return whether a person set the language of a document."""
    attribution = attribution_of(document, "language")
    if attribution is not None and attribution.where == ANALYST:
        return "set by hand"
    return "recognised" if document.language else ""


def _unsaid(document: Document) -> Document:
    """Return a document without what people said of it."""
    return replace(document, own_title="", own_author="", origin="", own_place="", dated="")


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
        self.title, self.author, self.origin = QLineEdit(), QLineEdit(), QLineEdit()
        self.place, self.dated, self.tags = QLineEdit(), QLineEdit(), QLineEdit()
        self._texts: dict[str, QLineEdit] = {
            **{"title": self.title, "author": self.author, "origin": self.origin},
            **{"place": self.place, "dated": self.dated},
        }
        self.language, self.language_origin = QComboBox(), plain("", "muted")
        self.language.setAccessibleName("Language")
        self.language.setToolTip("What is not in English is not judged; say so where the program took it for another.")
        self.language.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.language.setMinimumContentsLength(3)
        language_row = QWidget()
        pair = hbox(language_row, spacing=8)
        pair.addWidget(self.language, 1)
        pair.addWidget(self.language_origin)
        self.reliability = self._grades(RELIABILITY, "Reliability of the source")
        self.information = self._grades(INFORMATION, "Credibility of the information")
        self.note = _Note()
        self.note.setFixedHeight(theme.px(56))
        self.note.setTabChangesFocus(True)
        self.note.setProperty("kind", "field")
        rows: tuple[tuple[str, QWidget, str], ...] = (
            ("Title", self.title, ""),
            ("Author", self.author, ""),
            ("Source", self.origin, "where it comes from"),
            ("Place", self.place, ""),
            ("Date", self.dated, "YYYY-MM-DD"),
            ("Language", language_row, ""),
            ("Reliability", self.reliability, ""),
            ("Information", self.information, ""),
            ("Tags", self.tags, "separated by commas"),
            ("Note", self.note, ""),
        )
        for row, (name, field, hint) in enumerate(rows):
            middle = Qt.AlignmentFlag.AlignTop if field is self.note else Qt.AlignmentFlag.AlignVCenter
            grid.addWidget(plain(name, "muted"), row, 0, middle)
            if not field.accessibleName():
                field.setAccessibleName(name)
            grid.addWidget(field, row, 1)
            if isinstance(field, QLineEdit):
                field.setPlaceholderText(hint)
                field.setProperty("hint", hint)
        tags = session.do(lambda bench: bench.documents.tags()) or []
        completer = QCompleter(tags, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.tags.setCompleter(completer)
        self.tags.editingFinished.connect(self._tags_left)
        for name, field in self._texts.items():
            field.editingFinished.connect(partial(self._field_left, name))
        self.note.left.connect(lambda: self._text_left("note", self.note.toPlainText()))
        self._draft = FieldDraft(session, self.note)
        self.language.activated.connect(lambda _at: self._language_chosen())
        self.reliability.activated.connect(lambda _at: self._grade_chosen("reliability", self.reliability))
        self.information.activated.connect(lambda _at: self._grade_chosen("information", self.information))
        self.setEnabled(not session.read_only)
        self._show()
        self._draft.begin(f"Note on {', '.join(self._ids)}")

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
        for name, field in self._texts.items():
            values = {str(getattr(document, _COLUMNS[name])) for document in self._documents}
            field.setText(values.pop() if len(values) == 1 else "")
            field.setModified(False)
            self._show_read(name, field, differ if values else "")
        for name, box in (("reliability", self.reliability), ("information", self.information)):
            values = {str(getattr(document, name)) for document in self._documents}
            box.setCurrentIndex(box.findData(values.pop()) if len(values) == 1 else -1)
            box.setPlaceholderText(differ)
        self._show_language(differ)
        notes = {document.note for document in self._documents}
        self.note.setPlainText(notes.pop() if len(notes) == 1 else "")
        if notes:
            self.note.setPlaceholderText(differ)
        self.tags.setText(", ".join(self._common()))
        if any(set(document.tags) != set(self._common()) for document in self._documents):
            self.tags.setToolTip("These are the tags that all of them have; each keeps its others.")

    def _show_language(self, differ: str) -> None:
        languages = {document.language for document in self._documents}
        names = {code: language_name(code) for code in (identification.names().keys() | languages) - {""}}
        self.language.clear()
        self.language.addItem("–", "")
        for code in sorted(names, key=lambda code: (names[code].casefold(), code)):
            self.language.addItem(names[code], code)
        self.language.setPlaceholderText(differ)
        self.language.setCurrentIndex(self.language.findData(languages.pop()) if len(languages) == 1 else -1)
        origins = {_origin_of_language(document) or self._why_no_language(document) for document in self._documents}
        self.language_origin.setText(origins.pop() if len(origins) == 1 else "")

    def _why_no_language(self, document: Document) -> str:
        """Return why the language of a document is not known; '' for one that has no text yet."""
        if not document.pages:
            return ""
        if len(self._documents) > 1:
            return "not recognised"
        has_text = self._session.do(lambda bench: bench.documents.has_running_text(document.id))
        return "not recognised" if has_text else "too little text"

    def _show_read(self, name: str, field: QLineEdit, hint: str) -> None:
        """Show in an empty field what the documents say themselves, or ``hint``; the tooltip says where they do."""
        read = {_READ[name](_unsaid(document)) for document in self._documents}
        of_itself = read.pop() if len(read) == 1 else ""
        field.setPlaceholderText(hint or of_itself or str(field.property("hint") or ""))
        attribution = attribution_of(_unsaid(self._documents[0]), _FIELDS[name])
        where = f"\n{attribution_words(attribution)}" if attribution is not None and len(self._documents) == 1 else ""
        whose = "The document says: " if field.text() else ""
        field.setToolTip(tooltip(f"{whose}{of_itself}{where}") if of_itself else "")
        field.setCursorPosition(0)

    def _field_left(self, name: str) -> None:
        self._text_left(name, self._texts[name].text())

    def _common(self) -> list[str]:
        """Return the tags that all of them have, in the order of the first."""
        first, *further = self._documents
        return [tag for tag in first.tags if all(tag in document.tags for document in further)]

    def _tags_left(self) -> None:
        tags = [tag for tag in (" ".join(part.split()) for part in self.tags.text().split(",")) if tag]
        had = self._common()
        folded_tags = {tag.casefold() for tag in tags}
        new_tags = [tag for tag in tags if tag.casefold() not in {own_tag.casefold() for own_tag in had}]
        old_tags = [tag for tag in had if tag.casefold() not in folded_tags]
        if new_tags or old_tags:
            self._keep({"add_tags": new_tags, "remove_tags": old_tags}, "Tags")

    def _text_left(self, name: str, value: str) -> None:
        value = value.strip()
        if name == "note":
            self._draft.end()
        values = {str(getattr(document, _COLUMNS.get(name, name))) for document in self._documents}
        if values == {value} or (len(values) > 1 and not value):
            return  # nothing new; and an empty field above different values was left as it was
        self._keep({name: value}, _NAMES.get(name, "Note"))

    def _grade_chosen(self, name: str, box: QComboBox) -> None:
        value = box.currentData()
        if value is not None and {getattr(document, name) for document in self._documents} != {value}:
            self._keep({name: str(value)}, "Grade")

    def _language_chosen(self) -> None:
        value = str(self.language.currentData() or "")
        if any(
            (document.language, _origin_of_language(document)) != (value, "set by hand") for document in self._documents
        ):
            self._keep({"language": value}, "Language")

    def _keep(self, fields: dict[str, str | list[str]], what: str) -> None:
        changes = self._session.do(lambda bench: bench.documents.describe(self._ids, **fields), initiator=self)
        fresh = self._session.do(lambda bench: [bench.documents.get(identity) for identity in self._ids])
        if fresh is not None:
            self._documents = fresh
        if changes is None:
            self._show()
            return
        if "language" in fields:
            self._show_language("")
        of = counted(len(self._ids), "document")
        self._session.tell(f"{what} of {of} saved", undo=True)
