"""The pictures the grid is painted from: cells, texts and the header, each drawn once and kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Literal, NamedTuple

from PySide6.QtCore import QCoreApplication, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QPainter, QPen, QPixmap, QPolygonF

from core.domain import Hypothesis, Rating
from gui_app.matrix.grid_model import DISPUTED, NOTE, OUTDATED, UNCOUNTED, UNSURE, GridRow, is_decided, rating_of
from gui_app.shared import theme
from gui_app.shared.painted_text import LONGEST, draw_lines
from gui_app.shared.row_painting import LEFT, RIGHT

MAX_TEXTS = 700  # pictures of texts kept: some two screens of rows with five columns each, 50 kB each at most

CENTRE = int(Qt.AlignmentFlag.AlignCenter)

Kind = Literal["evidence", "source", "date", "grade", "credibility", "relevance", "cell", "diagnosticity"]
CENTRED = frozenset({"grade", "credibility", "relevance", "diagnosticity"})


class Column(NamedTuple):
    """A column: what it holds, from where to where in pixels of the whole grid, and which hypothesis it is for."""

    kind: Kind
    left: int
    width: int
    hypothesis: int = -1


class Standing(NamedTuple):
    """The words under a hypothesis in the header: rank ('1=') and score of the default rule, '' without any.

    ``new_rank`` is the rank it would have in a what-if, '' when that is the same; ``coverage`` '3 of 22 rated'.
    """

    rank: str
    score: str
    new_rank: str = ""
    coverage: str = ""


def _tr(text: str) -> str:
    return QCoreApplication.translate("MatrixGrid", text)


class Pictures:
    """The pictures of cells, texts and header, drawn when they are asked for and kept.

    All are forgotten when the theme, the text size or the screen's scale changes.
    """

    def __init__(self) -> None:
        self.ratio = 1.0
        self.line = 48
        self.head = 96
        self.is_compact = False
        self._glyphs: dict[tuple[int, int, int], QPixmap] = {}
        self._texts: OrderedDict[tuple[str, int, int], tuple[GridRow, str, QPixmap]] = OrderedDict()
        self.measure()

    def measure(self) -> None:
        """Take the heights of a row and of the header from the text size in force."""
        self._glyphs.clear()
        self._texts.clear()
        small = QFontMetrics(theme.sans(theme.SMALL)).height()
        body = QFontMetrics(theme.serif(theme.BODY)).height()
        self.is_compact = theme.density() == "compact"
        self.line = max(26, body + 9) if self.is_compact else max(48, 2 * body + 16)
        lines = 2 if self.is_compact else 3
        self.head = 16 + QFontMetrics(theme.sans(bold=True)).height() + lines * small + 8

    def forget_texts(self) -> None:
        """Have the texts drawn again."""
        self._texts.clear()

    def _empty(self, width: int, height: int) -> QPixmap:
        picture = QPixmap(QSize(max(1, round(width * self.ratio)), max(1, round(height * self.ratio))))
        picture.setDevicePixelRatio(self.ratio)
        picture.fill(Qt.GlobalColor.transparent)
        return picture

    # --- cells -------------------------------------------------------------------------------------------------------

    def glyph(self, code: int, marks: int, width: int) -> QPixmap:
        """Return a cell: letters, a shape for the direction, a tint, and the corners that its marks take."""
        key = (code, marks, width)
        picture = self._glyphs.get(key)
        if picture is None:
            picture = self._glyphs[key] = self._draw_glyph(code, marks, width)
        return picture

    def _draw_glyph(self, code: int, marks: int, width: int) -> QPixmap:
        picture = self._empty(width, self.line)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        side, above = (4.5, 2.5) if self.is_compact else (6.5, 7.5)
        box = QRectF(side, above, width - 2 * side, self.line - 2 * above - 1)
        rating = rating_of(code)
        if rating is None:
            painter.setPen(QColor(theme.tokens().strong_line))
            painter.drawText(box, CENTRE, "·")
        else:
            size = theme.BODY if self.is_compact else theme.LARGE
            if marks & UNCOUNTED:
                painter.setPen(QColor(theme.tokens().muted))
                painter.setFont(theme.sans(size))
                painter.drawText(box, CENTRE, rating)
            else:
                unsure = bool(marks & (UNSURE | OUTDATED))
                _draw_rating(painter, rating, box, size, by_person=is_decided(code), unsure=unsure)
        if marks & NOTE:
            _draw_note(painter, box)
        if marks & DISPUTED:
            _draw_dispute(painter, box)
        painter.end()
        return picture

    # --- texts -------------------------------------------------------------------------------------------------------

    def text(self, row: GridRow, column: Column, *, indent: int = 0, share: str = "") -> QPixmap:
        """Return a text cell, drawn once: breaking lines costs more than all the rest of a frame."""
        kind = column.kind
        if kind != "evidence":  # what many rows have in common is drawn once for all of them
            value = {
                "source": row.place,
                "grade": row.grade,
                "credibility": row.item.credibility or "",
                "relevance": row.item.relevance or "",
                "date": row.date,
            }[kind]
            key = (f"{kind} {value}", column.width, 0)
            entry = self._texts.get(key)
            if entry is None:
                picture = self._draw_source(value, column) if kind == "source" else self._draw_value(value, column)
                entry = self._keep(key, row, "", picture)
            else:
                self._texts.move_to_end(key)
            return entry[2]
        key = (row.id, column.left - indent, column.width)
        entry = self._texts.get(key)
        # The row itself is compared: a text that changed is drawn again, one that was only read again is not.
        if entry is None or entry[1] != share or (entry[0] is not row and entry[0] != row):
            entry = self._keep(key, row, share, self._draw_text(row, column, indent, share))
        else:
            self._texts.move_to_end(key)
        return entry[2]

    def _keep(
        self, key: tuple[str, int, int], row: GridRow, share: str, picture: QPixmap
    ) -> tuple[GridRow, str, QPixmap]:
        entry = self._texts[key] = (row, share, picture)
        if len(self._texts) > MAX_TEXTS:
            self._texts.popitem(last=False)
        return entry

    def _draw_value(self, value: str, column: Column) -> QPixmap:
        ink = theme.tokens()
        picture = self._empty(column.width, self.line)
        painter = QPainter(picture)
        date = column.kind == "date"
        painter.setFont(theme.sans(theme.SMALL) if date else theme.sans(bold=bool(value)))
        painter.setPen(QColor(ink.strong_line if not value else ink.muted if date else ink.text))
        box = QRect(12 if date else 0, 0, column.width - (12 if date else 0), self.line)
        text = QFontMetrics(painter.font()).elidedText(value or "·", Qt.TextElideMode.ElideRight, box.width() - 4)
        painter.drawText(box, LEFT if date else CENTRE, text)
        painter.end()
        return picture

    def _draw_text(self, row: GridRow, column: Column, indent: int, share: str) -> QPixmap:
        ink = theme.tokens()
        picture = self._empty(column.width, self.line)
        painter = QPainter(picture)
        gap = 2 if self.is_compact else 4
        box = QRect(12 + indent, gap, column.width - 20 - indent, self.line - 2 * gap - 1)
        painter.setPen(QColor(ink.muted))
        painter.setFont(theme.sans(theme.SMALL, bold=True))
        wide = max(theme.px(28), QFontMetrics(painter.font()).horizontalAdvance(row.id) + 8)
        line_height = box.height() if self.is_compact else box.height() // 2
        painter.drawText(QRect(box.left(), box.top() + (not self.is_compact), wide, line_height), LEFT, row.id)
        share_width = 0
        if share:
            painter.setFont(theme.sans(theme.SMALL))
            if self.is_compact:  # at the end of the line, so that the texts begin below each other
                share_width = QFontMetrics(painter.font()).horizontalAdvance(share) + 8
                painter.drawText(box, RIGHT, share)
            else:
                painter.drawText(QRect(box.left(), box.top() + line_height, wide, line_height), LEFT, share)
        painter.setPen(QColor(ink.muted if row.is_withdrawn else ink.text))
        painter.setFont(theme.serif(theme.BODY) if row.item.quote else theme.sans())
        lines = 1 if self.is_compact else 2
        text_box = box.adjusted(wide, 0, -share_width, 0)
        draw_lines(painter, _enough(row.text, box), text_box, lines=lines)
        painter.end()
        return picture

    def _draw_source(self, place: str, column: Column) -> QPixmap:
        picture = self._empty(column.width, self.line)
        painter = QPainter(picture)
        painter.setPen(QColor(theme.tokens().muted))
        painter.setFont(theme.sans(theme.SMALL))
        gap = 2 if self.is_compact else 4
        box = QRect(12, gap, column.width - 20, self.line - 2 * gap - 1)
        text = printable(place[:LONGEST]) or _tr("your own words")
        if self.is_compact:  # what tells files of one kind apart is at either end of their names
            metrics = QFontMetrics(painter.font())
            text = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
        draw_lines(painter, text, box, lines=1 if self.is_compact else 2, middle=True)
        painter.end()
        return picture

    # --- the header --------------------------------------------------------------------------------------------------

    def header(
        self,
        columns: Sequence[Column],
        hypotheses: Sequence[Hypothesis],
        standings: Sequence[Standing],
        *,
        sort: str,
        reverse: bool,
        room: int,
        indent: int,
    ) -> QPixmap:
        """Return the header as wide as the grid, which shows the part that is scrolled to."""
        ink = theme.tokens()
        last = columns[-1]
        picture = self._empty(max(last.left + last.width, room), self.head)
        painter = QPainter(picture)
        painter.fillRect(QRect(0, 0, picture.width(), self.head), QColor(ink.surface))
        names = {
            "evidence": _tr("Evidence"),
            "source": _tr("Source"),
            "date": _tr("Date"),
            "grade": _tr("Grade"),
            "credibility": _tr("Cred."),
            "relevance": _tr("Rel."),
            "diagnosticity": _tr("Diagnosticity"),
        }
        for column in columns:
            box = QRect(column.left, 0, column.width, self.head)
            if column.hypothesis >= 0:
                hypothesis = hypotheses[column.hypothesis]
                standing = standings[column.hypothesis] if column.hypothesis < len(standings) else Standing("", "")
                here = sort == f"h:{hypothesis.id}"
                self._draw_hypothesis(painter, box, hypothesis, standing, (-1 if reverse else 1) if here else 0)
                continue
            painter.setFont(theme.sans(theme.SMALL, bold=True))
            here = sort == column.kind or (column.kind == "evidence" and sort in ("id", "text"))
            painter.setPen(QColor(ink.text if here else ink.muted))
            name = names[column.kind]
            is_centred = column.kind in CENTRED
            left = 0 if is_centred else 12 + (indent if column.kind == "evidence" else 0)
            line = QFontMetrics(painter.font()).height()
            place = QRect(box.left() + left, self.head - line - 8, box.width() - left, line)
            painter.drawText(place, CENTRE if is_centred else LEFT, name)
            if column.kind == "evidence":
                _draw_legend(painter, QRect(place.left(), 8, column.width - place.left() - 12, place.top() - 12))
                painter.setFont(theme.sans(theme.SMALL, bold=True))
            if here:
                wide = QFontMetrics(painter.font()).horizontalAdvance(name)
                x = place.center().x() + wide // 2 if is_centred else place.left() + wide
                _draw_way(painter, QPointF(min(x + 7, box.right() - 4), place.center().y()), reverse, ink.text)
        painter.end()
        return picture

    def _draw_hypothesis(
        self, painter: QPainter, box: QRect, hypothesis: Hypothesis, standing: Standing, way: int
    ) -> None:
        ink = theme.tokens()
        small, strong = theme.sans(theme.SMALL), theme.sans(bold=True)
        leads = (standing.new_rank or standing.rank).startswith("1")
        painter.setFont(strong)
        painter.setPen(QColor(ink.accent if leads else ink.text))
        top, line = QFontMetrics(strong).height(), QFontMetrics(small).height()
        rank = f"{standing.rank} → {standing.new_rank}" if standing.new_rank else standing.rank
        painter.setFont(theme.sans(theme.SMALL, bold=bool(standing.new_rank)))
        rank_wide = QFontMetrics(painter.font()).horizontalAdvance(rank)
        if rank:
            painter.setPen(QColor(ink.accent if leads else ink.text if standing.new_rank else ink.muted))
            painter.drawText(QRect(box.left() + 4, 8, box.width() - 12, top), RIGHT, rank)
        painter.setFont(strong)
        painter.setPen(QColor(ink.accent if leads else ink.text))
        name_wide = max(0, box.width() - 20 - rank_wide)
        name = QFontMetrics(strong).elidedText(hypothesis.id, Qt.TextElideMode.ElideRight, name_wide)
        painter.drawText(QRect(box.left() + 8, 8, name_wide + 4, top), LEFT, name)
        if way:
            x = box.left() + 8 + QFontMetrics(strong).horizontalAdvance(name) + 7
            if x < box.right() - rank_wide - 12:
                _draw_way(painter, QPointF(x, 8 + top / 2), way < 0, ink.text)
            else:
                _draw_way(painter, QPointF(box.right() - 12, self.head - line / 2 - 7), way < 0, ink.text)
        painter.setFont(small)
        painter.setPen(QColor(ink.muted))
        text = printable(" ".join(hypothesis.text.split()))
        foot = QRect(box.left() + 8, self.head - line - 7, box.width() - 12, line)
        words = [part for part in (standing.score, standing.coverage) if part]
        metrics = QFontMetrics(small)
        if metrics.horizontalAdvance(" · ".join(words)) > foot.width():  # '1.00 · 3/22'
            words[-1] = words[-1].removesuffix(" rated").replace(" of ", "/")
        above = len(words) > 1 and metrics.horizontalAdvance(" · ".join(words)) > foot.width()
        # In a narrow column the second line of the text gives way, or the coverage, which is said on hover as well.
        lines = 1 if above or self.is_compact else 2
        if above and self.is_compact:
            words, above = words[:1], False
        draw_lines(painter, text, QRect(box.left() + 8, 10 + top, box.width() - 14, lines * line), lines=lines)
        if above:
            painter.drawText(foot.translated(0, -line - 2), LEFT, words[-1])
            words = words[:1]
        painter.drawText(foot, LEFT, " · ".join(words))


def _draw_legend(painter: QPainter, box: QRect) -> None:
    """Draw what the letters of ratings mean, in the part of the header that is free, where they can be read."""
    lines = (
        _tr("CC, C consistent · N neutral · I, II inconsistent"),
        _tr("NA not applicable · dotted: suggested, not confirmed"),
    )
    painter.setFont(theme.sans(theme.SMALL))
    metrics = QFontMetrics(painter.font())
    fits = max(map(metrics.horizontalAdvance, lines)) <= box.width() and 2 * metrics.height() <= box.height()
    if fits:
        painter.setPen(QColor(theme.tokens().muted))
        for index, text in enumerate(lines):
            painter.drawText(
                QRect(box.left(), box.top() + index * metrics.height(), box.width(), metrics.height()), LEFT, text
            )


def _enough(text: str, box: QRect) -> str:
    """Return as much of a text as two lines could hold: laying out what nobody sees costs as much as the rest."""
    return printable(text[: 8 + box.width() * 2 // 3])


def printable(text: str) -> str:
    """Return text without control characters; right-to-left text itself stays as it is.

    A font draws them as boxes, and some could turn the direction of what follows (the signs that override it).
    """
    if text.isprintable():
        return text
    signs = (sign for sign in text if sign not in _TURNING)
    return "".join(sign if sign.isprintable() or sign in _JOINING else " " for sign in signs)


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_JOINING = frozenset("\u200c\u200d\u200e\u200f\u00ad")


def _draw_rating(painter: QPainter, rating: Rating, box: QRectF, size: int, *, by_person: bool, unsure: bool) -> None:
    """Draw a rating with its shape and its tint.

    Decided is filled, suggested is outlined with dots, a decision with low confidence, or before a rewording, is
    outlined with a hollow shape and thin letters.
    """
    ink = theme.tokens()
    label = theme.rating_label(rating)
    tone = theme.tone(label)
    strong = rating in ("CC", "II")
    full = by_person and not unsure
    if by_person:
        edge = QColor(tone)
        edge.setAlpha(110 if full else 200)  # seen on a selected row too, whose blue is near that of C
        painter.setPen(QPen(edge, 1))
        tint = QColor(ink.neutral_tint) if rating == "NA" else theme.tint(label)
        painter.setBrush((tone if strong else tint) if full else QColor(ink.surface))
        painter.drawRoundedRect(box, 3, 3)
        if theme.tokens() is theme.CONTRAST and rating not in ("N", "NA"):
            _draw_hatch(painter, rating, box, QColor(ink.surface) if strong and full else tone)
    else:
        painter.setPen(QPen(tone, 1, Qt.PenStyle.DotLine))
        painter.drawRoundedRect(box, 3, 3)
    colour = tone
    if full:
        colour = QColor(ink.surface) if strong else (QColor(ink.muted) if rating == "NA" else tone)
    font = theme.sans(size, bold=full)
    painter.setFont(font)
    letters = QFontMetrics(font).horizontalAdvance(rating)
    sign = 9.0
    both = letters + (8 + sign if rating != "NA" else 0)
    left = box.center().x() - both / 2
    painter.setPen(colour)
    painter.drawText(QRectF(left, box.top(), letters + 2, box.height()), LEFT, rating)
    if rating != "NA":
        place = QRectF(left + letters + 8, box.center().y() - sign / 2, sign, sign)
        _draw_direction(painter, rating, place, colour, solid=full)


def _draw_hatch(painter: QPainter, rating: Rating, box: QRectF, colour: QColor) -> None:
    """Draw stripes at both ends of a cell, seen without any colour: rising for consistent, else falling."""
    rising = rating in ("C", "CC")
    pattern = Qt.BrushStyle.BDiagPattern if rising else Qt.BrushStyle.FDiagPattern
    wide = min(12.0, box.width() / 8)
    painter.save()
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QBrush(colour, pattern))
    painter.drawRect(QRectF(box.left() + 1, box.top() + 1, wide, box.height() - 2))
    painter.drawRect(QRectF(box.right() - wide - 1, box.top() + 1, wide, box.height() - 2))
    painter.restore()


def _draw_note(painter: QPainter, box: QRectF) -> None:
    """Draw the corner of a cell with a note, as spreadsheets have it."""
    right, top = box.right() + 0.5, box.top() - 0.5
    painter.setPen(QPen(QColor(theme.tokens().surface), 1))
    painter.setBrush(QColor(theme.tokens().text))
    painter.drawPolygon(QPolygonF([QPointF(right - 9, top), QPointF(right, top), QPointF(right, top + 9)]))


def _draw_dispute(painter: QPainter, box: QRectF) -> None:
    """Draw two arrowheads away from each other in the left corner: people rate this cell differently."""
    ink = theme.tokens()
    plate = QRectF(box.left() + 1, box.top() + 1, 13, 8)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(ink.surface))
    painter.drawRoundedRect(plate, 2, 2)
    painter.setBrush(QColor(ink.ambiguous))
    middle = plate.center().y()
    for tip, base in ((plate.left() + 1, plate.left() + 5.5), (plate.right() - 1, plate.right() - 5.5)):
        painter.drawPolygon(QPolygonF([QPointF(tip, middle), QPointF(base, middle - 3.5), QPointF(base, middle + 3.5)]))


def _draw_way(painter: QPainter, tip: QPointF, reverse: bool, colour: str) -> None:
    """Draw which way the rows are sorted by this column."""
    high = -3.0 if reverse else 3.0
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(
        QPolygonF(
            [
                QPointF(tip.x() - 4, tip.y() - high),
                QPointF(tip.x() + 4, tip.y() - high),
                QPointF(tip.x(), tip.y() + high),
            ]
        )
    )
    painter.restore()


def _draw_direction(painter: QPainter, rating: Rating, box: QRectF, colour: QColor, *, solid: bool) -> None:
    """Draw an arrow: up for consistent, down for inconsistent, twice for the strong ones, a bar for neutral."""
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(colour if solid else Qt.BrushStyle.NoBrush)
    if rating == "N":
        painter.drawRect(QRectF(box.left(), box.center().y() - 1.5, box.width(), 3))
        return
    count = 2 if rating in ("CC", "II") else 1
    high = box.height() / count
    for index in range(count):
        top = box.top() + index * high
        tip, base = (top, top + high - 1) if rating in ("C", "CC") else (top + high - 1, top)
        painter.drawPolygon(
            QPolygonF([QPointF(box.center().x(), tip), QPointF(box.right(), base), QPointF(box.left(), base)])
        )
