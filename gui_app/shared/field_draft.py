"""What is typed in a field, kept while it is typed, and offered again after the program ended in the middle of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QBoxLayout, QFrame, QLayout, QLineEdit, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.announce import announce
from gui_app.shared.labels import ElidedLabel
from gui_app.shared.layout import hbox

if TYPE_CHECKING:
    from core.store.typed_text import UnsavedText

PAUSE_MS = 1_000  # of typing that a crash can cost; not begun again by each key
_LEAST = 420  # pixels of the offer at the default text size
_SHOWN = 120  # characters of a text that the offer shows


class FieldDraft(QObject):
    """The net below a field.

    A field that always stands for one thing has its ``place`` from the start. Of others, ``begin(place)`` says in words
    what they show. What a person typed is kept until the field is empty, or ``end()`` says that it is saved or not
    wanted; where the field shows something else before that, it is offered again at the next start.
    """

    def __init__(self, session: CaseSession, field: QLineEdit | QPlainTextEdit, place: str = "") -> None:
        super().__init__(field)
        self._session, self._field, self._own_place = session, field, place
        self.place = ""  # what is kept of the field is the text of; '' for none
        self._id = 0  # of what is kept of it; 0 for nothing
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(PAUSE_MS)
        self._soon.timeout.connect(self.keep)
        self.offer: DraftOffer | None = None
        field.textChanged.connect(self._look_soon)
        if isinstance(field, QLineEdit):
            field.editingFinished.connect(self._look_soon)
        else:
            field.document().modificationChanged.connect(self._look_soon)
        session.opened.connect(self._another_case)
        self.begin(place)

    def begin(self, place: str) -> None:
        """Keep what is typed from now on as the text of ``place``, and offer what was lost there before."""
        if place == self.place:
            return
        self.place, self._id = place, 0
        self._take_offer_away()
        bench = self._session.workbench
        texts = bench.typed_text.leftovers() if bench is not None and place else []
        text = next((item for item in reversed(texts) if item.place == place), None)
        if text is not None:
            self.offer = DraftOffer(self._field, text)
            self.offer.restore_button.clicked.connect(lambda *_: self._restore(text))
            self.offer.discard_button.clicked.connect(lambda *_: self._discard(text))

    def end(self) -> None:
        """Forget what was kept: it is saved, or not wanted."""
        self._set_modified(False)
        self.keep()
        self._take_offer_away()
        self.place = self._own_place

    def keep(self) -> None:
        """Keep what was typed by now; forget what is not there any more."""
        self._soon.stop()
        bench = self._session.workbench
        if bench is None or not self.place:
            return
        field = self._field
        text = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        if self.is_modified() and text.strip():
            self._id = bench.typed_text.keep(self.place, text, self._id)
        else:
            bench.typed_text.drop(self._id)
            self._id = 0

    def is_modified(self) -> bool:
        """Return whether a person typed something that is not saved."""
        field = self._field
        return field.isModified() if isinstance(field, QLineEdit) else field.document().isModified()

    def _look_soon(self, *_: object) -> None:
        if not self._soon.isActive():  # not later with every key: nobody pauses in the middle of a thought
            self._soon.start()

    def _set_modified(self, is_modified: bool) -> None:
        field = self._field
        if isinstance(field, QLineEdit):
            field.setModified(is_modified)
        else:
            field.document().setModified(is_modified)

    def _restore(self, text: UnsavedText) -> None:
        self._take_offer_away()
        if isinstance(self._field, QLineEdit):
            self._field.setText(text.text)
        else:
            self._field.setPlainText(text.text)
        self._set_modified(True)
        if self._session.workbench is not None:
            self._session.workbench.typed_text.drop(self._id)  # what was typed in its place
        self._id = text.id
        self._session.take_up(text)
        self._field.setFocus()

    def _discard(self, text: UnsavedText) -> None:
        if self._session.workbench is not None:
            self._session.workbench.typed_text.drop(text.id)
        self._session.take_up(text)
        self._take_offer_away()
        self._field.setFocus()

    def _take_offer_away(self) -> None:
        if self.offer is not None:
            self.offer.leave()
            self.offer = None

    def _another_case(self) -> None:
        self.place = ""
        self.begin(self._own_place)


class DraftOffer(QFrame):
    """A text that was lost, with what can be done about it, over the window just below its field.

    What is below the field makes room for it; over a cell of a table or a card, which have none, it lies on top.
    """

    def __init__(self, field: QWidget, text: UnsavedText) -> None:
        super().__init__(field.window())
        self._field = field
        self._room: QWidget | None = None
        self.setProperty("kind", "popup")
        self.setAutoFillBackground(True)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._row.setContentsMargins(12, 4, 8, 4)
        self._row.setSpacing(8)
        flat = " ".join(text.text.split())
        self.words = ElidedLabel(f"Not saved: “{flat[:_SHOWN]}{'…' if len(flat) > _SHOWN else ''}”")
        self._row.addWidget(self.words, 1)
        buttons = hbox(spacing=8)
        self._row.addLayout(buttons)
        self.restore_button, self.discard_button = QPushButton("&Restore"), QPushButton("&Discard")
        for button, does in ((self.restore_button, "Restore"), (self.discard_button, "Discard")):
            button.setAccessibleName(f"{does} the text that was not saved")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a field that loses the focus may save and close
            buttons.addWidget(button)
        for target in (field, field.window()):
            target.installEventFilter(self)
        self._place_below()

    def eventFilter(self, target: QObject, event: QEvent) -> bool:
        """Stay below the field, and go where it goes."""
        kinds = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)
        if event.type() in kinds:
            QTimer.singleShot(0, self, self._place_below)
        return False

    def leave(self) -> None:
        """Go for good, with the room that was made."""
        self.hide()
        for widget in (self, self._room):
            if widget is not None:
                widget.deleteLater()

    def _place_below(self) -> None:
        """Show it below the field, or above where there is no room; nowhere while the field is not on show."""
        field, window = self._field, self._field.window()
        if not field.isVisible():
            self.hide()
            return
        if self.parentWidget() is not window:  # the field was made before it was put into its window
            self.setParent(window)
            window.installEventFilter(self)
        if self._room is None and (place := _below(field)) is not None:
            self._make_room(*place)
            return  # and comes when that is laid out
        corner = field.mapTo(window, QPoint(0, field.height() + 4))
        least = theme.px(_LEAST)
        wide = min(max(field.width(), least), window.width() - 16)
        if self._room is not None:
            corner.setY(self._room.mapTo(window, QPoint(0, 0)).y())
            wide = max(
                field.width(), min(wide, self._room.mapTo(window, QPoint(self._room.width(), 0)).x() - corner.x())
            )
        towards = QBoxLayout.Direction.LeftToRight if wide >= least else QBoxLayout.Direction.TopToBottom
        self._row.setDirection(towards)
        high = self.sizeHint().height()
        if self._room is not None:
            self._room.setFixedHeight(high + 4)
        elif corner.y() + high > window.height():
            corner = field.mapTo(window, QPoint(0, -high - 4))
        was_hidden = self.isHidden()
        self.setGeometry(max(8, min(corner.x(), window.width() - wide - 8)), corner.y(), wide, high)
        self.show()
        self.raise_()
        if was_hidden:
            announce(self, f"{self.words.text()} Alt+R restores it, Alt+D discards it.")

    def _make_room(self, column: QBoxLayout, index: int) -> None:
        self._room = QWidget()
        self._room.setFixedHeight(self.sizeHint().height())
        self._room.installEventFilter(self)
        column.insertWidget(index, self._room)


def _below(field: QWidget) -> tuple[QBoxLayout, int] | None:
    """Return the column that a field is in, and which place in it is below the field."""
    inner, parent = field, field.parentWidget()
    while parent is not None and parent.property("kind") != "popup" and (layout := parent.layout()) is not None:
        for box, index in reversed(_way(layout, inner)):
            if isinstance(box, QVBoxLayout):
                return box, index + 1
        inner, parent = parent, parent.parentWidget()
    return None


def _way(layout: QLayout, widget: QWidget) -> list[tuple[QLayout, int]]:
    """List the layouts that lead to a widget, from the outermost, each with the place in it."""
    for index in range(layout.count()):
        item = layout.itemAt(index)
        if item is None:
            continue
        if item.widget() is widget:
            return [(layout, index)]
        inner = item.layout()
        if inner is not None and (way := _way(inner, widget)):
            return [(layout, index), *way]
    return []
