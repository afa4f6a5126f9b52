"""Two versions of a document side by side: the differences listed, both texts marked and scrolled together."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QSplitter, QTextEdit, QVBoxLayout, QWidget

from gui_app.shared import mark_colours, theme
from gui_app.shared.announce import announce
from gui_app.shared.formatting import counted
from gui_app.shared.header import button
from gui_app.shared.labels import ElidedLabel, line, plain
from gui_app.shared.qt_text import QtText
from gui_app.shared.snippet_list import SnippetList

if TYPE_CHECKING:
    from core.documents.service import Versions
    from core.documents.version_diff import Difference
    from core.domain import Label

MAX_LISTED = 2_000
# A line break that only the width of the page made: a sentence goes on behind it. One for one, so that offsets stay.
_FLOWS = re.compile(r"(?<=[^\n\t]{40})\n(?=[a-zß-öø-ÿ])")
_MARGIN = 40  # pixels at the left of a text, with the letters of what changed
_LETTERS = {"number": "F", "date": "D", "name": "N", "negation": "X"}
_SAID = {"number": "figure", "date": "date", "name": "name", "negation": "negation"}


class VersionText(QPlainTextEdit):
    """One of the two texts. What differs is marked where it can be seen only, so that long texts stay quick."""

    looked = Signal()  # scrolled by the person, or by a jump

    def __init__(self, name: str, *, older: bool) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            self.textInteractionFlags().TextSelectableByMouse | self.textInteractionFlags().TextSelectableByKeyboard
        )
        self._older = older
        self._text = QtText("")
        self._differences: list[Difference] = []
        self._starts: list[int] = []
        self._current: Difference | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportMargins(theme.px(_MARGIN), 8, 8, 8)
        self._margin = _Margin(self)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._mark)
        # Lines break elsewhere in another width: what was in the middle goes back there.
        self._anchor = 0
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(0)
        self._settling.timeout.connect(lambda: self.centre_on(self._anchor))
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._scrolled())

    def show_version(self, text: str, differences: tuple[Difference, ...]) -> None:
        """Show a text with its differences, from its beginning."""
        self._text = QtText(_FLOWS.sub(" ", text))
        self._differences = [difference for difference in differences if difference.kind != "same"]
        self._starts = [self.span(difference)[0] for difference in self._differences]
        self._current = None
        self.setFont(theme.serif())
        self.setPlainText(self._text.text)
        self._soon.start()

    def span(self, difference: Difference) -> tuple[int, int]:
        """Return where a difference is in this text, without the white space behind it."""
        if self._older:
            start, end = difference.old_start, difference.old_end
        else:
            start, end = difference.new_start, difference.new_end
        return start, start + len(self._text.text[start:end].rstrip())

    def restyle(self) -> None:
        """Take over colours and letters of another theme."""
        self.setFont(theme.serif())
        self.setViewportMargins(theme.px(_MARGIN), 8, 8, 8)
        self._soon.start()

    def go_to(self, difference: Difference) -> None:
        """Scroll to a difference and make it the current one."""
        self._current = difference
        self.centre_on(self.span(difference)[0])
        self._soon.start()

    def centre_on(self, offset: int) -> None:
        """Bring a place of the text into the middle, by its offset."""
        self._anchor = offset
        cursor = self.textCursor()
        cursor.setPosition(self._text.to_qt(offset))
        with QSignalBlocker(self.verticalScrollBar()):
            self.setTextCursor(cursor)
            self.centerCursor()
        self._soon.start()

    def middle(self) -> int:
        """Return the offset in the middle of what is on show."""
        return self._text.from_qt(self.cursorForPosition(self.viewport().rect().center()).position())

    def visible(self) -> tuple[int, int]:
        """Return the first and the last offset on show."""
        box = self.viewport().rect()
        first, last = self.cursorForPosition(box.topLeft()), self.cursorForPosition(box.bottomRight())
        return self._text.from_qt(first.position()), self._text.from_qt(last.position()) + 1

    def on_show(self) -> list[Difference]:
        """List the differences that can be seen; one that began above and reaches into view is among them."""
        first, last = self.visible()
        low, high = bisect_left(self._starts, first), bisect_right(self._starts, last)
        return self._differences[max(0, low - 1) : high]

    def rect_of(self, difference: Difference) -> QRect:
        """Return where a difference begins, in the viewport."""
        cursor = QTextCursor(self.document())
        cursor.setPosition(self._text.to_qt(self.span(difference)[0]))
        return self.cursorRect(cursor)

    def _scrolled(self) -> None:
        self._soon.start()
        if not self._settling.isActive():
            self._anchor = self.middle()
            self.looked.emit()

    def _mark(self) -> None:
        ink = theme.tokens()
        label: Label = "contradicts" if self._older else "supports"
        selections: list[QTextEdit.ExtraSelection] = []
        for difference in self.on_show():
            start, end = self.span(difference)
            if start == end:
                continue
            format_ = QTextCharFormat()
            tone, tint = theme.tone(label), theme.tint(label)
            if difference is self._current:
                format_.setBackground(mark_colours.find())
            elif difference.reasons:
                format_.setBackground(tint)
            else:
                tint.setAlpha(120)
                format_.setBackground(tint)
            format_.setForeground(tone if difference.reasons and difference is not self._current else QColor(ink.text))
            if difference.kind == "removed":
                format_.setFontStrikeOut(True)
            else:
                is_change = difference.kind == "changed"
                styles = QTextCharFormat.UnderlineStyle
                format_.setUnderlineStyle(styles.DashUnderline if is_change else styles.SingleUnderline)
                format_.setUnderlineColor(tone)
            selection = QTextEdit.ExtraSelection()
            cursor = QTextCursor(self.document())
            cursor.setPosition(self._text.to_qt(start))
            cursor.setPosition(self._text.to_qt(end), QTextCursor.MoveMode.KeepAnchor)
            selection.cursor, selection.format = cursor, format_
            selections.append(selection)
        self.setExtraSelections(selections)
        self._margin.setGeometry(0, self.viewport().y(), self.viewport().x(), self.viewport().height())
        self._margin.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Bring back into the middle what was there in the other width."""
        self._settling.start()
        super().resizeEvent(event)
        self._soon.start()

    def paint_margin(self, painter: QPainter) -> None:
        """Paint a letter for every fact that changed, and a caret where the other text has more."""
        painter.setFont(theme.sans(theme.SMALL, bold=True))
        tone = theme.tone("contradicts" if self._older else "supports")
        lines: dict[tuple[int, int], str] = {}
        for difference in self.on_show():
            box = self.rect_of(difference)
            start, end = self.span(difference)
            signs = "".join(_LETTERS[reason] for reason in difference.reasons) or ("›" if start == end else "")
            sign_list = lines.get((box.top(), box.height()), "")
            lines[(box.top(), box.height())] = sign_list + "".join(sign for sign in signs if sign not in sign_list)
        for (top, high), signs in lines.items():
            letters = signs.replace("›", "") or signs
            painter.setPen(tone if letters != "›" else QColor(theme.tokens().muted))
            place = QRect(0, top, self._margin.width() - 12, high)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), letters)


class _Margin(QWidget):
    def __init__(self, text: VersionText) -> None:
        super().__init__(text)
        self._of = text

    def paintEvent(self, _event: QPaintEvent) -> None:
        self._of.paint_margin(QPainter(self))


class VersionsView(QWidget):
    """The list of differences, facts first, and the two texts beside each other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Two versions compared")
        self.versions: Versions | None = None
        self._order: list[Difference] = []
        self._index = -1
        self.summary = ElidedLabel("", "muted")
        self.key = plain("F figure, D date, N name, X negation, › the other text has more", "small", wrap=True)
        self.key.setContentsMargins(16, 8, 8, 8)
        top = QHBoxLayout()
        top.setContentsMargins(24, 8, 16, 8)
        top.setSpacing(8)
        top.addWidget(self.summary, 1)
        self._top = top
        self.list = SnippetList("Differences, changed facts first", quotes=True)
        self.list.chosen.connect(self._chosen)
        self.old = VersionText("Older version", older=True)
        self.new = VersionText("Newer version", older=False)
        self.old.looked.connect(lambda: self._follow(self.old, self.new))
        self.new.looked.connect(lambda: self._follow(self.new, self.old))
        middle = Qt.TextElideMode.ElideMiddle
        self.names = (ElidedLabel("", "strong", mode=middle), ElidedLabel("", "strong", mode=middle))
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setHandleWidth(1)
        self.splitter.setChildrenCollapsible(False)
        self.left = QFrame()
        self.left.setProperty("kind", "surface")
        list_column = QVBoxLayout(self.left)
        list_column.setContentsMargins(0, 0, 0, 0)
        list_column.setSpacing(0)
        list_column.addWidget(self.list, 1)
        list_column.addWidget(self.key)
        self.splitter.addWidget(self.left)
        for name, text in zip(self.names, (self.old, self.new), strict=True):
            side = QFrame()
            side.setProperty("kind", "surface")
            column = QVBoxLayout(side)
            column.setContentsMargins(0, 8, 0, 0)
            column.setSpacing(0)
            name_row = QHBoxLayout()
            name_row.setContentsMargins(16, 0, 16, 0)
            name_row.addWidget(name)
            column.addLayout(name_row)
            column.addWidget(text, 1)
            self.splitter.addWidget(side)
        for index, share in enumerate((0, 1, 1)):
            self.splitter.setStretchFactor(index, share)
        self.splitter.setSizes([200, 400, 400])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(line())
        layout.addWidget(self.splitter, 1)
        self.setFocusProxy(self.list)
        theme.changed.connect(self._restyled)

    def offer(self, action: QAction, text: str) -> None:
        """Add a button for a command of the screen, with few words on it: there is little room beside two texts."""
        widget = button(action, kind="quiet")
        widget.setText(text)
        self._top.addWidget(widget)

    def show_versions(self, versions: Versions) -> None:
        """Show two versions and their differences, the first as the current one."""
        self.versions = versions
        self.old.show_version(versions.old, versions.differences)
        self.new.show_version(versions.new, versions.differences)
        for label, document in zip(self.names, (versions.older, versions.newer), strict=True):
            label.setText(f"{document.id}  {document.name}")
        differences = [difference for difference in versions.differences if difference.kind != "same"]
        facts = sum(1 for difference in differences if difference.reasons)
        self._order = sorted(differences, key=lambda row: not row.reasons)  # stable: else in the order of the texts
        self.list.clear()
        for index, difference in enumerate(self._order[:MAX_LISTED]):
            is_added = difference.kind == "added"
            page = versions.new_place(difference.new_start)[0] if is_added else self._old_page(difference)
            reasons = ", ".join(_SAID[reason] for reason in difference.reasons)
            title = f"{reasons} {difference.kind} · p. {page}" if reasons else f"{difference.kind} · p. {page}"
            self.list.add(title[0].upper() + title[1:], self._in_words(difference), index)
        summary = f"{counted(len(differences), 'difference')}, {facts:,} in figures, dates, names or negations"
        if len(differences) > MAX_LISTED:
            summary += f"; the first {MAX_LISTED:,} are listed"
        self.summary.setText(summary if differences else "The texts are the same")
        self.left.setVisible(bool(differences))
        self.setFocusProxy(self.list if differences else self.old)
        self._index = -1
        announce(self, self.summary.text())
        if differences:
            self.step(1)

    def step(self, steps: int) -> None:
        """Go to the next or the previous difference of the list; behind the last one comes the first."""
        if self._order:
            self._chosen((self._index + steps) % min(len(self._order), MAX_LISTED))

    def current(self) -> Difference | None:
        """Return the current difference."""
        return self._order[self._index] if 0 <= self._index < len(self._order) else None

    def place(self) -> tuple[str, int, int, int] | None:
        """Return document, page, start and end of the current difference.

        That is in the newer text, or in the older one where the words are gone.
        """
        difference, versions = self.current(), self.versions
        if difference is None or versions is None:
            return None
        if difference.kind == "removed":
            (page, start), (first, last) = versions.old_place(difference.old_start), self.old.span(difference)
            return versions.older.id, page, start, start + last - first
        (page, start), (first, last) = versions.new_place(difference.new_start), self.new.span(difference)
        return versions.newer.id, page, start, start + last - first

    def _chosen(self, index: int) -> None:
        self._index = index
        self.list.setCurrentRow(index)
        self.old.go_to(self._order[index])
        self.new.go_to(self._order[index])

    def _old_page(self, difference: Difference) -> int:
        return self.versions.old_place(difference.old_start)[0] if self.versions is not None else 1

    def _in_words(self, difference: Difference) -> str:
        if self.versions is None:
            return ""
        old, new = self.versions.old, self.versions.new
        old_words = " ".join(old[difference.old_start : difference.old_end][:400].split())
        new_words = " ".join(new[difference.new_start : difference.new_end][:400].split())
        text, view = (old, self.old) if difference.kind == "removed" else (new, self.new)
        start, end = view.span(difference)
        left = text[max(0, start - 80) : start].split()[-2:]
        right = text[end : end + 80].split()[:2]
        change = " → ".join(words[:120] for words in (old_words, new_words) if words)
        gap = "" if text[end : end + 1].strip() else " "  # none before a comma
        return f"{' '.join(left)} [{change}]{gap}{' '.join(right)}".strip()

    def _follow(self, leader: VersionText, follower: VersionText) -> None:
        """Keep the same words at the same height in both texts."""
        if self.versions is None:
            return
        offset, older = leader.middle(), leader is self.old
        pieces = self.versions.differences
        index = bisect_right(pieces, offset, key=lambda row: row.old_start if older else row.new_start) - 1
        if index < 0:
            return
        piece = pieces[index]
        start, other_start, other_end = piece.old_start, piece.new_start, piece.new_end
        if not older:
            start, other_start, other_end = piece.new_start, piece.old_start, piece.old_end
        follower.centre_on(min(other_start + offset - start, other_end))

    def _restyled(self) -> None:
        for text in (self.old, self.new):
            text.restyle()
