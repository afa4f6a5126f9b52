"""The thing selected, always in the same order: its words, where they stand, what was made of them, actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPainterPath, QPaintEvent, QPixmap
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core.domain import (
    DEFAULT_RULE,
    LAYER,
    RULES,
    Absence,
    Changes,
    Citation,
    Document,
    Entity,
    Evidence,
    Hypothesis,
    Label,
    Passage,
    Probabilities,
    Proposal,
    Word,
)
from core.matrix import coverage
from core.text import over_pages
from gui_app.documents.documents_model import Chosen, language_name
from gui_app.matrix.grid_painter import printable
from gui_app.matrix.rules_panel import rank_text
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.flow_layout import FlowLayout
from gui_app.shared.formatting import STATUSES, VERDICTS, counted, file_size, flowing, kind_of, when
from gui_app.shared.labels import ElidedLabel, line, plain, tooltip
from gui_app.shared.page_geometry import lines
from gui_app.shared.probabilities import probability_of, two_digits
from gui_app.shared.selected_cell import Cell
from gui_app.shell.cell_detail import CellDetail
from gui_app.shell.document_form import DocumentFields

if TYPE_CHECKING:
    from core.workbench import Workbench

WIDTH = 328
LONGEST_WORD = 26  # characters that have room in one line beside the name of a fact
_CROP_SCALE = 1.6
# What a change must concern for a thing on show to be read again.
_SHOWS: dict[type, Changes] = {
    Cell: Changes(evidence=True, matrix=True, hypotheses=True),
    Proposal: Changes(proposals=True),
    Evidence: Changes(evidence=True, matrix=True, hypotheses=True),
    Document: Changes(documents=True),
    Chosen: Changes(documents=True),
    Hypothesis: Changes(hypotheses=True, matrix=True),
}
NAMES = 8  # of the case, shown of a document
_CELL_MS = 60  # the same for cells: a held arrow key is never waited for
_SETTLE_MS = 160  # a person running through a list is not shown every page on the way


@dataclass(frozen=True, slots=True)
class _Crop:
    """A strip of a page around some words, in pixels of ``png``."""

    png: bytes
    scale: float
    boxes: tuple[Word, ...]
    height: float


class _CropView(QWidget):
    """The strip of the page itself with the words boxed."""

    def __init__(self) -> None:
        super().__init__()
        self._picture = QPixmap()
        self._boxes: list[QRectF] = []
        self._strip = QRectF()
        self.setAccessibleName("The words on the page itself")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_crop(self, crop: _Crop) -> bool:
        """Whether there was something to show."""
        picture = QPixmap()
        if not crop.boxes or not picture.loadFromData(crop.png):
            return False
        top = min(word.y0 for word in crop.boxes) * crop.scale - 14
        bottom = max(word.y1 for word in crop.boxes) * crop.scale + 14
        bottom = min(bottom, top + 260)
        self._picture = picture
        self._boxes = [QRectF(box.topLeft() * crop.scale, box.bottomRight() * crop.scale) for box in lines(crop.boxes)]
        left = max(0.0, min(box.left() for box in self._boxes) - 16)
        right = min(float(picture.width()), max(box.right() for box in self._boxes) + 16)
        self._strip = QRectF(left, max(0.0, top), max(120.0, right - left), bottom - max(0.0, top))
        self._fit()
        self.update()
        return True

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def resizeEvent(self, event: object) -> None:
        self._fit()

    def _fit(self) -> None:
        if self._strip.isEmpty() or not self.width():
            return
        self.setFixedHeight(max(24, round(self._strip.height() * self._zoom())))

    def _zoom(self) -> float:
        return min(1.0, self.width() / self._strip.width())

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self._picture.isNull():
            return
        t = theme.tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = QPainterPath()
        clip.addRoundedRect(QRectF(self.rect()), 3, 3)
        painter.setClipPath(clip)
        zoom = self._zoom()
        painter.scale(zoom, zoom)
        painter.translate(-self._strip.topLeft())
        painter.drawPixmap(0, 0, self._picture)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Multiply)
        for box in self._boxes:
            painter.fillRect(box.adjusted(-1, -1, 1, 1), QColor(theme.LIGHT.mark))
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.resetTransform()
        painter.setPen(QColor(t.line))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


class _Shares(QWidget):
    """Three probabilities as one bar with figures: supports, neutral, contradicts."""

    def __init__(self, probabilities: Probabilities, basis: str) -> None:
        super().__init__()
        self._parts: list[tuple[Label, float]] = [
            ("supports", probabilities.supports),
            ("neutral", probabilities.neutral),
            ("contradicts", probabilities.contradicts),
        ]
        words = ", ".join(f"{VERDICTS[label]} {share:.2f}" for label, share in self._parts)
        self.setAccessibleName(f"Probabilities: {words}")
        self.setToolTip(f"{words}\n{basis}".strip())
        self.setFixedHeight(8 + theme.px(20))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        at = 0.0
        for label, share in self._parts:
            width = share * self.width()
            painter.setBrush(theme.tone(label) if label != "neutral" else QColor(theme.tokens().line))
            painter.drawRect(QRectF(at, 0, max(0.0, width - 1), 6))
            at += width
        painter.setFont(theme.sans(theme.SMALL))
        painter.setPen(QColor(theme.tokens().muted))
        row = QRect(0, 10, self.width(), theme.px(16))
        places = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for place, (label, share) in zip(places, self._parts, strict=True):
            painter.drawText(row, int(place), f"{VERDICTS[label]} {share:.2f}".replace(" 0.", " ."))


class DetailPanel(QFrame):
    """Shows one value at a time and reloads it when the case changes. ``chosen(evidence, hypothesis)`` when another
    cell of a row was asked for here, ``searched(text)`` when something is to be looked for, ``edit(hypothesis)`` when
    one is to be reworded, ``gone()`` when the case no longer has what was on show.
    """

    show_source = Signal(str, int, int, int)
    edit = Signal(str)
    gone = Signal()
    chosen = Signal(str, str)
    searched = Signal(str)

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._shown: object = None
        self._cell: CellDetail | None = None
        self._fields: DocumentFields | None = None
        self.setProperty("kind", "panel")
        self.setAccessibleName("Details of what is selected")
        self.setMinimumWidth(theme.px(296))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._head = plain("DETAIL", "section")
        self._head.setContentsMargins(16, 16, 16, 8)
        column.addWidget(self._head)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setStyleSheet("QScrollArea { background: transparent; border: none; }")
        column.addWidget(self._scroll, 1)
        self._line = line()
        column.addWidget(self._line)
        self._actions = QWidget()
        self._buttons = QVBoxLayout(self._actions)
        self._buttons.setContentsMargins(16, 12, 16, 12)
        self._buttons.setSpacing(8)
        column.addWidget(self._actions)
        self._made: list[QPushButton] = []
        self._body = QVBoxLayout()
        self._crop_timer = QTimer(self)
        self._crop_timer.setSingleShot(True)
        self._crop_timer.setInterval(_SETTLE_MS)
        self._crop_timer.timeout.connect(self._read_crop)
        self._cell_timer = QTimer(self)
        self._cell_timer.setSingleShot(True)
        self._cell_timer.setInterval(_CELL_MS)
        self._cell_timer.timeout.connect(self._build)
        self._at = 0
        self._crop_of: tuple[str, int, int, int] | None = None
        self._crop_place: QVBoxLayout | None = None
        session.changed.connect(self._case_changed)
        session.opened.connect(self._case_opened)
        theme.changed.connect(self._restyled)
        self.show_value(None)

    # --- what is shown -----------------------------------------------------------------------------------------------

    def shown(self) -> object:
        return self._shown

    def show_value(self, value: object) -> None:
        """Show a Document, Passage, Proposal, Evidence, Cell or Hypothesis; None empties the panel."""
        wait = isinstance(value, Cell) and isinstance(self._shown, Cell) and not _same(value, self._shown)
        self._at = self._scroll.verticalScrollBar().value() if _same(value, self._shown) else 0
        self._shown = value
        if wait:
            self._cell_timer.start()
        else:
            self._build()

    def _build(self) -> None:
        value = self._shown
        self._cell_timer.stop()
        self._begin()
        if isinstance(value, Proposal):
            self._proposal(value)
        elif isinstance(value, Evidence):
            self._evidence(value, "")
        elif isinstance(value, Cell):
            self._evidence(value.evidence, value.hypothesis)
        elif isinstance(value, Passage):
            self._passage(value)
        elif isinstance(value, Document):
            self._document(value)
        elif isinstance(value, Chosen):
            self._several(value)
        elif isinstance(value, Hypothesis):
            self._hypothesis(value)
        else:
            self._head.setText("DETAIL")
            self._add(plain("Select a document, a passage or a piece of evidence to see it here.", "muted", wrap=True))
        self._body.addStretch(1)
        has_buttons = bool(self._made)
        self._actions.setVisible(has_buttons)
        self._line.setVisible(has_buttons)
        if self._crop_of is not None:
            self._crop_timer.start()

    def _case_opened(self) -> None:
        self.show_value(None)

    def _restyled(self) -> None:
        self.setMinimumWidth(theme.px(296))
        if self._session.workbench is not None:
            self.show_value(self._shown)

    def _case_changed(self, changes: Changes, initiator: object) -> None:
        shown = self._shown
        if self._session.workbench is None or shown is None:
            return
        if not changes & _SHOWS.get(type(shown), Changes()):
            return
        fresh = self._session.do(lambda bench: _again(bench, shown))
        if initiator is not None and initiator in (self._cell, self._fields):
            self._shown = fresh  # it shows what it did by itself, and the person may be writing in it
            return
        if fresh != shown or changes & Changes(matrix=True, hypotheses=True):
            self.show_value(fresh)
        if fresh is None:
            self.gone.emit()

    # --- the kinds ---------------------------------------------------------------------------------------------------

    def _proposal(self, proposal: Proposal) -> None:
        self._head.setText(f"PROPOSAL {proposal.id}")
        self._quote(proposal.quote.text)
        self._origin(proposal.name, f"page {proposal.quote.page}")
        self._crop(proposal.quote.document, proposal.quote.page, proposal.quote.start, proposal.quote.end)
        self._add(line())
        row = QHBoxLayout()
        row.setSpacing(6)
        hidden = proposal.blind or proposal.withheld
        unseen = "Verdict hidden until you decide" if proposal.blind else "Verdict not sure enough to be shown"
        verdict = plain(unseen if hidden else VERDICTS[proposal.verdict.label])
        verdict.setProperty("tone", "neutral" if hidden else proposal.verdict.label)
        row.addWidget(verdict)
        row.addWidget(plain(proposal.hypothesis, "strong"))
        row.addStretch(1)
        if not hidden:
            row.addWidget(plain("the machine's reading", "small"))
        self._add(row)
        if not hidden:
            basis = self._measured(proposal.verdict.model)
            self._add(_Shares(proposal.verdict.probabilities, basis))
            if basis:
                self._add(plain(basis, "small", wrap=True))
            if proposal.explanation:
                self._add(plain(proposal.explanation, "muted", wrap=True))
        facts = []
        if proposal.similarity is not None:
            facts.append(("Similarity", f"{proposal.similarity:.2f}"))
        if not hidden:
            for other in proposal.others:
                told = f"{other.verdict.label} {two_digits(probability_of(other.verdict))}"
                told = f"{told}\n{self._measured(other.verdict.model)}".strip()
                facts.append((other.role.capitalize(), told))
        facts += [("Found", _legs(proposal.vector_rank, proposal.lexical_rank)), ("Status", proposal.status)]
        if proposal.possible_duplicate:
            facts.append(("May repeat", proposal.possible_duplicate))
        self._facts(facts)
        quote = proposal.quote
        if proposal.status == "pending":
            self._button("Accept as evidence", lambda: self._accept(proposal.id), primary=True)
            self._button("Reject", lambda: self._reject(proposal.id))
        self._button("Show the page", lambda: self._source(quote.document, quote.page, quote.start, quote.end))

    def _cited(self, evidence: Evidence) -> Citation | None:
        return (self._session.do(lambda bench: bench.evidence.cite([evidence])) or {}).get(evidence.id)

    def _evidence(self, evidence: Evidence, hypothesis: str) -> None:
        self._head.setText(f"EVIDENCE {evidence.id}" + (f" × {hypothesis}" if hypothesis else ""))
        if evidence.quote is not None:
            words = over_pages(evidence.quote, *(part.text for part in evidence.more))
            cited = self._cited(evidence) if evidence.more else None
            skipped = cited.skipped if cited is not None else ()
            self._quote(over_pages(evidence.quote, *(part.text for part in evidence.more), skipped=skipped))
            if evidence.text.strip() != words.strip():
                self._add(plain(evidence.text, "", wrap=True, selectable=True))
        else:
            self._add(plain(evidence.text, "heading", wrap=True, selectable=True))
        if evidence.document is not None and evidence.page is not None:
            cited = self._cited(evidence)
            # The section stands in full below; beside the name it would leave no room for it.
            place = f", {cited.place}".partition(", section ")[0][2:] if cited is not None else f"page {evidence.page}"
            self._origin(evidence.source or evidence.document, place)
            if cited is not None and cited.section:
                self._add(plain(" › ".join(cited.section), "muted", wrap=True))
            self._crop(evidence.document, evidence.page, evidence.start or 0, evidence.end or 0)
        elif evidence.source:
            self._add(plain(evidence.source, "muted", wrap=True))
        said = graded(evidence)
        if said:
            self._add(plain(said + self._inherited(evidence), "muted", wrap=True))
        self._shared(evidence)
        self._hidden(evidence)
        self._scan(evidence)
        if evidence.absence is not None:
            self._absence(evidence.absence)
        if evidence.note:
            self._add(plain(evidence.note, "", wrap=True, selectable=True))
        self._add(line())
        self._cell = CellDetail(self._session, evidence, hypothesis)
        self._cell.picked.connect(lambda h: self._pick(evidence.id, h))
        self._cell.filled.connect(self._scroll_back)
        self._add(self._cell)
        self._facts(_making(evidence))
        document, page = evidence.document, evidence.page
        if document is not None and page is not None:
            start, end = evidence.start or 0, evidence.end or 0
            self._button("Show the page", lambda: self._source(document, page, start, end), primary=True)
        self._button("Remove", lambda: self._remove(evidence.id))

    def _inherited(self, evidence: Evidence) -> str:
        """Whether grade and date are the ones that the row got from its document."""
        document = evidence.document
        told = None if document is None else self._session.do(lambda bench: bench.documents.get(document))
        if told is None or not (told.reliability or told.information or told.dated):
            return ""
        same = (evidence.reliability, evidence.information, evidence.date)
        return " (as its document)" if same == (told.reliability, told.information, told.dated) else ""

    def _shared(self, evidence: Evidence) -> None:
        """Why a row counts together with others, where it does."""

        def why(bench: Workbench) -> str:
            row = next((row for row in bench.matrix.compute().rows if row.id == evidence.id), None)
            return bench.evidence.shared_origins().get(evidence.id, "") if row is not None and row.cluster else ""

        if said := self._session.do(why):
            self._add(plain(said, "muted", wrap=True))

    def _scan(self, evidence: Evidence) -> None:
        """A quote from a scan says who compared it with the picture, or warns that nobody has."""
        check = self._session.do(lambda bench: bench.evidence.scan_check(evidence))
        if check is None:
            return
        if not self._session.do(lambda bench: bench.evidence.quote_is_current(evidence)):
            self._stale(evidence)
            return
        if check.by:
            day = check.at[:10]
            self._add(plain(f"Checked against the page by {' and '.join(check.by)} on {day}", "muted", wrap=True))
            return
        sure = "" if check.confidence is None else f" (confidence {check.confidence:.2f})"
        unchecked = LAYER.capitalize() if check.layer else f"Read by OCR{sure} and not yet checked against the page"
        warning = plain(unchecked, "", wrap=True)
        warning.setProperty("tone", "contradicts")
        self._add(warning)
        if not (self._session.read_only or check.layer):
            compared = QPushButton("I compared it with the page")
            compared.clicked.connect(lambda: self._session.do(lambda bench: bench.evidence.confirm_scan(evidence.id)))
            self._add(compared)

    def _hidden(self, evidence: Evidence) -> None:
        """A quote of words that nobody sees on the page says so."""
        if evidence.quote is None or evidence.id not in (
            self._session.do(lambda bench: bench.evidence.hidden_quotes()) or ()
        ):
            return
        told = "Some words of this quote are not visible on the page: compare both readings"
        warning = plain(told, "", wrap=True)
        warning.setProperty("tone", "contradicts")
        self._add(warning)

    def _stale(self, evidence: Evidence) -> None:
        """A quote that its page does not have any more says so, above what can be done about it."""
        told = "Its page was corrected or read again: these words are no longer there"
        warning = plain(told, "", wrap=True)
        warning.setProperty("tone", "contradicts")
        self._add(warning)
        if not self._session.read_only:
            take = QPushButton("Update the quote to the new words")
            take.clicked.connect(lambda: self._session.do(lambda bench: bench.evidence.update_quote(evidence.id)))
            self._add(take)

    def _scroll_back(self) -> None:
        """Where the person was, when the same row is shown anew."""
        if self._at:
            at, self._at = self._at, 0
            QTimer.singleShot(0, self, lambda: self._scroll.verticalScrollBar().setValue(at))

    def _pick(self, evidence: str, hypothesis: str) -> None:
        """Another cell of the row on show."""
        item = self._session.do(lambda bench: next((e for e in bench.evidence.all() if e.id == evidence), None))
        if item is not None:
            self.show_value(Cell(item, hypothesis))
            self.chosen.emit(evidence, hypothesis)

    def _absence(self, absence: Absence) -> None:
        said = f"Expected if {absence.hypothesis} is true, searched {when(absence.at)} and not found."
        self._add(plain(said, "", wrap=True))
        looked = f"{counted(absence.passages, 'passage')} in {counted(absence.documents, 'document')} looked at"
        if absence.found:
            looked += f"; {absence.found} added as evidence nevertheless"
        self._facts([("Searched for", "\n".join(absence.queries)), ("Covered", looked)])

    def _passage(self, passage: Passage) -> None:
        self._head.setText(f"PASSAGE {passage.rank}")
        self._quote(passage.text)
        self._origin(passage.name, f"page {passage.page}")
        self._crop(passage.document, passage.page, passage.start, passage.end)
        self._add(line())
        facts = []
        if (passage.vector_rank, passage.lexical_rank) != (None, None):  # else nothing ranked it
            facts = [("Confidence", passage.confidence), ("Found", _legs(passage.vector_rank, passage.lexical_rank))]
        if passage.similarity is not None:
            facts.append(("Similarity", f"{passage.similarity:.2f}"))
        self._facts(facts)
        place = (passage.document, passage.page, passage.start, passage.end)
        self._button("Show the page", lambda: self._source(*place), primary=True)
        self._button("Add as evidence", lambda: self._add_quote(*place))

    def _document(self, document: Document) -> None:
        self._head.setText(f"DOCUMENT {document.id}")
        self._add(_words(document.name, "heading"))
        if document.title and document.title != document.name:
            self._add(_words(document.title))
        self._add(plain(STATUSES.get(document.status, document.status), "muted"))
        read = document.status not in ("failed", "removed")
        if document.reason:
            told = plain(document.reason, "", wrap=True, selectable=True)
            told.setProperty("tone", "contradicts")
            self._add(told)
            self._add(plain(document.remedy, "muted", wrap=True, selectable=True))
        if read:
            self._names(document)
            self._describe((document,))
        self._add(line())
        facts = [("Type", kind_of(document.kind))] if document.kind else []
        if document.pages:
            facts += [("Pages", f"{document.pages:,}"), ("Passages", f"{document.chunks:,}")]
        facts += [("Size", file_size(document.size)), ("Added", when(document.imported_at))]
        if document.language:
            facts.append(("Language", language_name(document.language)))
        facts += self._relations(document)
        for name, value in (("Date", document.date), ("Author", document.author), ("Address", document.address)):
            if value:
                facts.append((name, value))
        if document.pages_without_text:
            facts.append(("No text on", counted(document.pages_without_text, "page")))
        if read:
            facts.append(("In scope", "yes" if document.included else "no: not searched"))
        self._facts(facts)
        self._add(plain("SHA-256", "section"))
        digest = plain(_grouped(document.sha256), "mono", wrap=True, selectable=True)
        digest.setToolTip(document.sha256)
        self._add(digest)
        if read:
            self._button("Open", lambda: self._source(document.id, 1, 0, 0), primary=True)
            word = "Leave out of scope" if document.included else "Put in scope"
            self._button(word, lambda: self._include(document))
        self._button("Copy the SHA-256", lambda: QGuiApplication.clipboard().setText(document.sha256))

    def _names(self, document: Document) -> None:
        """The names of the case that stand in the document most, each a search for it there; read beside the work."""
        place = QWidget()
        place.hide()
        self._add(place)

        def show(found: list[tuple[Entity, int]]) -> None:
            if not isValid(place) or not found:
                return
            chips = FlowLayout(place, gap=4)
            for entity, times in found[:NAMES]:
                chip = QPushButton(f"{entity.name}  {times:,}")
                chip.setProperty("kind", "chip")
                chip.setAccessibleName(f"{entity.name}, {counted(times, 'passage')} of this document")
                chip.setToolTip(tooltip(f"Search for {entity.name} in this document"))
                wanted = f'name:"{entity.name}" document:{document.id}'
                chip.clicked.connect(lambda _checked=False, wanted=wanted: self.searched.emit(wanted))
                chips.addWidget(chip)
            place.show()

        self._session.read(lambda bench: bench.entities.names_in(document.id), show, key="names of a document")

    def _describe(self, documents: Sequence[Document]) -> None:
        """The fields in which the analyst says what these documents are."""
        self._add(line())
        self._fields = DocumentFields(self._session, documents)
        self._add(self._fields)
        self._add(plain("New evidence starts with origin, grade and date of its document.", "small", wrap=True))

    def edit_fields(self) -> None:
        """Put the cursor into the fields of the documents on show."""
        if self._fields is not None:
            self._fields.tags.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _relations(self, document: Document) -> list[tuple[str, str]]:
        """Other documents that this one belongs with."""
        near = self._session.do(lambda bench: bench.documents.relatives(document.id))
        found: list[tuple[str, str]] = []
        if near is None:
            return found
        if near.parent is not None:
            found.append(("Found in", f"{near.parent.name} ({near.parent.id})"))
        if near.inside:
            found.append(("Holds", counted(near.inside, "document")))
        if near.newer is not None:
            found.append(("Newer", f"{near.newer.name} ({near.newer.id})"))
        if near.older:
            found.append(("Older", ", ".join(f"{other.name} ({other.id})" for other in near.older)))
        if near.like is not None and near.likeness is not None:
            alike = "Nearly" if near.likeness.measure == "near" else "Shares"
            share = f"{100 * near.likeness.score:.0f}%"
            found.append((alike, f"{near.like.name} ({near.like.id}), {share} of the wording"))
        return found

    def _several(self, chosen: Chosen) -> None:
        documents = chosen.documents
        self._head.setText(f"{len(documents)} DOCUMENTS")
        names = [document.name for document in documents[:6]]
        if len(documents) > len(names):
            names.append(f"and {len(documents) - len(names):,} more")
        for name in names:
            self._add(ElidedLabel(name, "", mode=Qt.TextElideMode.ElideMiddle))
        self._describe(documents)
        self._add(line())
        pages, size = sum(d.pages for d in documents), sum(d.size for d in documents)
        left = sum(not document.included for document in documents)
        facts = [("Pages", f"{pages:,}"), ("Size", file_size(size))]
        if left:
            facts.append(("Left out", f"{left:,} of them"))
        self._facts(facts)

    def _hypothesis(self, hypothesis: Hypothesis) -> None:
        self._head.setText(f"HYPOTHESIS {hypothesis.id}")
        self._add(plain(hypothesis.text, "heading", wrap=True, selectable=True))
        if hypothesis.note:
            self._add(plain(hypothesis.note, "", wrap=True, selectable=True))
        matrix = self._session.do(lambda bench: bench.matrix.compute())
        if matrix is not None and any(hypothesis.id in row.ratings for row in matrix.rows):
            self._add(line())
            self._add(plain("BY RULE", "section"))
            grid = QGridLayout()
            grid.setHorizontalSpacing(12)
            grid.setVerticalSpacing(4)
            for at, (rule, words) in enumerate(RULES.items()):
                bold = "strong" if rule == DEFAULT_RULE else ""
                grid.addWidget(plain(words.capitalize(), bold), at, 0)
                place = rank_text(matrix, rule, hypothesis.id)
                compared = rule != "bayes" or bool(matrix.leaders.get(rule))
                tested = hypothesis.id not in matrix.untested and compared
                shown = f"{matrix.scores[rule][hypothesis.id]:.2f}" if tested else "–"
                score = plain(shown, bold)
                rank = plain(f"rank {place}" if place != "–" else "no rank", "muted")
                grid.addWidget(score, at, 1, Qt.AlignmentFlag.AlignRight)
                grid.addWidget(rank, at, 2, Qt.AlignmentFlag.AlignRight)
            grid.setColumnStretch(0, 1)
            self._add(grid)
            self._add(plain(coverage(matrix, hypothesis.id), "muted"))
            if matrix.comparison.sentence:
                self._add(plain(matrix.comparison.sentence, "", wrap=True))
            if hypothesis.id in matrix.unattacked:
                self._add(plain("Nothing rated speaks against it yet.", "muted", wrap=True))
            pins = [pin.sentence for pin in matrix.linchpins if hypothesis.id in (pin.hypothesis, *pin.leaders)]
            if pins:
                self._add(plain("IT HANGS ON", "section"))
                for sentence in pins[:5]:
                    self._add(plain(sentence, "", wrap=True))
        self._button("Edit", lambda: self.edit.emit(hypothesis.id))

    # --- parts -------------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._crop_timer.stop()
        self._crop_of = None
        self._cell = None
        self._fields = None
        self._crop_place = None
        inside = QWidget()
        self._body = QVBoxLayout(inside)
        self._body.setContentsMargins(16, 4, 16, 16)
        self._body.setSpacing(10)
        self._scroll.setWidget(inside)
        for made in self._made:
            self._buttons.removeWidget(made)
            made.hide()
            made.deleteLater()
        self._made.clear()

    def _add(self, part: QWidget | QLayout) -> None:
        if isinstance(part, QWidget):
            self._body.addWidget(part)
        else:
            self._body.addLayout(part)

    def _quote(self, text: str) -> None:
        # Signs that turn the direction of what follows would show other words than the page has.
        label = plain(printable(flowing(text)), "", wrap=True, selectable=True)
        label.setFont(theme.serif(theme.LARGE))
        label.setAccessibleName(f"Quote: {text}")
        self._add(label)

    def _origin(self, name: str, place: str) -> None:
        row = QHBoxLayout()
        row.setSpacing(8)
        icon = QLabel()
        theme.set_icon(icon, "document")
        row.addWidget(icon)
        row.addWidget(ElidedLabel(f"{name}", "muted", mode=Qt.TextElideMode.ElideMiddle), 1)
        row.addWidget(plain(place, "muted"))
        self._add(row)

    def _facts(self, facts: Sequence[tuple[str, str]]) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        for at, (name, value) in enumerate(facts):
            grid.addWidget(plain(name, "muted"), at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(_words(value), at, 1)
        self._add(grid)

    def _button(self, text: str, pressed: Callable[[], object], *, primary: bool = False) -> None:
        made = QPushButton(text)
        if primary:
            made.setProperty("kind", "primary")
        changes_the_case = text not in ("Open", "Show the page", "Edit", "Copy the SHA-256")
        made.setEnabled(not (changes_the_case and self._session.read_only))
        value = self._shown
        made.clicked.connect(lambda _checked=False: self._press(value, pressed))
        self._buttons.addWidget(made)
        self._made.append(made)

    def _press(self, value: object, pressed: Callable[[], object]) -> None:
        """Do what a button says, as long as the thing it was made for is the one selected and the case has it."""
        if value != self._shown and not _same(value, self._shown):
            return  # another cell was gone to, and its details are a moment away
        if self._session.do(lambda bench: _again(bench, value)) is None:
            self.show_value(None)
            self.gone.emit()
            return
        pressed()

    def _measured(self, model: str) -> str:
        """What is known of the model that gave a verdict: its name, and what it reached in its exam."""
        card = self._session.do(lambda bench: bench.verdicts.model_card(model))
        if card is None:
            return ""
        if card.right is None:
            return f"{card.name}: it has not taken the exam"
        return card.line()

    # --- the page itself ---------------------------------------------------------------------------------------------

    def _crop(self, document: str, page: int, start: int, end: int) -> None:
        if end <= start:
            return
        self._crop_of = (document, page, start, end)
        self._crop_place = QVBoxLayout()
        self._add(self._crop_place)

    def _read_crop(self) -> None:
        wanted = self._crop_of
        if wanted is None:
            return
        document, number, start, end = wanted

        def read(bench: Workbench) -> _Crop | None:
            page = bench.documents.page(document, number)
            boxes = tuple(bench.documents.words(page.id).within(start, end))
            if not boxes:
                return None
            picture = bench.documents.picture(document, number, _CROP_SCALE)
            return _Crop(picture.png, picture.scale, boxes, page.height)

        def arrived(crop: _Crop | None) -> None:
            if crop is None or self._crop_of != wanted or self._crop_place is None or self._crop_place.count():
                return
            view = _CropView()
            if view.show_crop(crop):
                self._crop_place.addWidget(view)
            else:
                view.deleteLater()

        # A format without pages has no picture; the quote itself is already on show.
        self._session.read(read, arrived, key="detail crop", failed=lambda _error: None)

    # --- actions -----------------------------------------------------------------------------------------------------

    def _source(self, document: str, page: int, start: int, end: int) -> None:
        self.show_source.emit(document, page, start, end)

    def _accept(self, proposal: str) -> None:
        accepted = self._session.do(lambda bench: bench.review.accept([proposal], rate=True))
        if accepted is not None:
            self._session.tell(f"Accepted as {', '.join(pair[0] for pair in accepted.pairs)}", undo=True)
            if isinstance(self._shown, Proposal) and self._shown.id == proposal:  # no screen went on to the next
                self._show_evidence(accepted.pairs[0][0])

    def _reject(self, proposal: str) -> None:
        if self._session.do(lambda bench: bench.review.reject([proposal])) is not None:
            self._session.tell(f"Rejected {proposal}", undo=True)

    def _remove(self, evidence: str) -> None:
        if self._session.do(lambda bench: bench.evidence.remove(evidence)) is not None:
            self._session.tell(f"Removed {evidence}", undo=True)

    def _include(self, document: Document) -> None:
        included = not document.included
        if self._session.do(lambda bench: bench.documents.set_included([document.id], included)) is not None:
            self._session.tell(f"{document.name} {'put in' if included else 'taken out of'} scope", undo=True)

    def _add_quote(self, document: str, page: int, start: int, end: int) -> None:
        added = self._session.do(lambda bench: bench.evidence.add_quote(document, page, start, end))
        if added is not None:
            told = "Added as {0}" if added.new else "This quote is in the matrix already: {0}"
            self._session.tell(told.format(added.id), undo=added.new)
            self._show_evidence(added.id)

    def _show_evidence(self, identity: str) -> None:
        made = self._session.do(lambda bench: next((one for one in bench.evidence.all() if one.id == identity), None))
        if made is not None:
            self.show_value(made)


def _again(bench: Workbench, value: object) -> object:
    """The same thing as it is now; None when it is gone. A passage does not change."""
    if isinstance(value, Proposal):
        return next((p for p in bench.verdicts.proposals() if p.id == value.id), None)
    if isinstance(value, Evidence):
        return next((e for e in bench.evidence.all() if e.id == value.id), None)
    if isinstance(value, Cell):
        item = next((e for e in bench.evidence.all() if e.id == value.evidence.id), None)
        there = any(h.id == value.hypothesis for h in bench.hypotheses.all())
        return None if item is None else Cell(item, value.hypothesis if there else "")
    if isinstance(value, Document):
        return _document(bench, value.id)
    if isinstance(value, Chosen):
        found = [_document(bench, document.id) for document in value.documents]
        kept = tuple(document for document in found if document is not None)
        return Chosen(kept) if len(kept) > 1 else kept[0] if kept else None
    if isinstance(value, Hypothesis):
        return next((h for h in bench.hypotheses.all() if h.id == value.id), None)
    return value


def _document(bench: Workbench, identity: str) -> Document | None:
    """A document as it is now, be it one that could not be read; None when it is gone."""
    return next((d for d in (*bench.documents.all(), *bench.documents.failed()) if d.id == identity), None)


def _same(value: object, shown: object) -> bool:
    """Whether two values are of the same row, document or hypothesis."""
    one = value.evidence if isinstance(value, Cell) else value
    other = shown.evidence if isinstance(shown, Cell) else shown
    identity = getattr(one, "id", None)
    return type(one) is type(other) and identity is not None and identity == getattr(other, "id", None)


def graded(evidence: Evidence) -> str:
    """Date and Admiralty grade for the line of origin: '2021-05-03 · grade B2'."""
    grade = evidence.reliability + evidence.information
    return " · ".join(part for part in (evidence.date, f"grade {grade}" if grade else "") if part)


def _making(evidence: Evidence) -> list[tuple[str, str]]:
    """How a row came about."""
    by_hand = "quoted by hand" if evidence.quote is not None else "written by hand"
    method = "proposed by the machine, accepted" if evidence.method == "corpus" else by_hand
    facts = [("Made", method)]
    if evidence.created_by:
        facts.append(("By", evidence.created_by))
    if evidence.created_at:
        facts.append(("On", when(evidence.created_at)))
    if evidence.similarity is not None:
        facts.append(("Similarity", f"{evidence.similarity:.2f}"))
    return facts


def _words(text: str, role: str = "") -> QLabel:
    """A label that wraps; with a word that has no room in one line, which Qt breaks nowhere, it gives up its middle."""
    if max(map(len, text.split()), default=0) > LONGEST_WORD:
        return ElidedLabel(text, role, mode=Qt.TextElideMode.ElideMiddle)
    return plain(text, role, wrap=True, selectable=True)


def _legs(vector: int | None, lexical: int | None) -> str:
    """How each way of searching ranked a passage."""
    found = []
    if vector is not None:
        found.append(f"rank {vector} by meaning")
    if lexical is not None:
        found.append(f"{lexical} by words" if found else f"rank {lexical} by words")
    return ", ".join(found) or "–"


def _grouped(digest: str) -> str:
    return " ".join(digest[at : at + 8] for at in range(0, len(digest), 8))
