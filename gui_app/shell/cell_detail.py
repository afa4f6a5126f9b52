"""A row of the matrix and one of its cells in detail.

How the source is graded, who rated what and why, what went before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QWheelEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from core.case.decision_words import verb_in_words
from core.domain import Assessment, Evidence, Hypothesis, Level, Rating, Suggestion
from core.matrix import group_rating, group_words
from core.verdicts.labels import ModelCard
from gui_app.session import CaseSession
from gui_app.shared import theme
from gui_app.shared.field_draft import FieldDraft
from gui_app.shared.formatting import INFORMATION, LEVELS, RATING_WORDS, RELIABILITY, when
from gui_app.shared.header import segment
from gui_app.shared.labels import ElidedLabel, line, plain, tooltip
from gui_app.shared.layout import hbox, vbox
from gui_app.shared.probabilities import exam_words, two_digits

if TYPE_CHECKING:
    from core.evidence.service import Past
    from core.workbench import Workbench

CONFIDENCES = ("low", "medium", "high")
MAX_HISTORY = 40  # entries of the history that are shown
ERASING = "erase documents"  # what the log calls it
MAX_CHANGE_CHARS = 200  # characters of one side of a change


class _Choice(QComboBox):
    """A choice that a turn of the wheel over it does not change by accident; ``before`` fills it when it opens."""

    def __init__(self, name: str, before: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._before = before
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(10)

    def showPopup(self) -> None:
        if self._before is not None:
            self._before()
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


class _Note(QPlainTextEdit):
    """A few lines of text; ``left`` when the focus goes elsewhere."""

    left = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setTabChangesFocus(True)
        self.setFixedHeight(3 * QFontMetrics(theme.sans()).lineSpacing() + 16)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


@dataclass(frozen=True, slots=True)
class _CellFacts:
    """The facts of a row in the case, read together."""

    who: str
    hypotheses: Sequence[Hypothesis]
    assessments: Sequence[Assessment]
    suggestions: Sequence[Suggestion]
    blind: bool
    other_models: Mapping[str, str] = field(default_factory=dict)
    cards: Mapping[str, ModelCard] = field(default_factory=dict)  # of each model named, by its fingerprint

    def own(self, hypothesis: str) -> Assessment | None:
        return next((a for a in self.assessments if a.hypothesis == hypothesis and a.by == self.who), None)

    def suggestion(self, hypothesis: str) -> Suggestion | None:
        return next((s for s in self.suggestions if s.hypothesis == hypothesis), None)


class CellDetail(QWidget):
    """Grades of a row, its ratings, and everything about its cell against one hypothesis.

    Decisions made here are announced with this widget as their initiator, so that the panel around it does not build it
    again under the person's hands; ``picked(hypothesis)`` when another cell of the row is asked for, ``filled()`` when
    what had to be read is on show.
    """

    picked = Signal(str)
    filled = Signal()

    def __init__(self, session: CaseSession, evidence: Evidence, hypothesis: str = "") -> None:
        super().__init__()
        self._session = session
        self.evidence = evidence
        self.hypothesis = hypothesis
        self._column = vbox(self, spacing=10)
        self._facts: _CellFacts | None = None
        self._note: _Note | None = None
        self._confidences: dict[str, QPushButton] = {}
        self._people, self._ratings, self._past = QWidget(), QWidget(), QWidget()
        self._own = vbox(spacing=10)
        self._column.addWidget(self._people)
        self._column.addLayout(self._own)
        if hypothesis:
            self._column.addWidget(line())
        self._grades()
        self._column.addWidget(line())
        self._column.addWidget(self._ratings)
        self._column.addWidget(self._past)
        self.refresh()

    def refresh(self) -> None:
        """Read ratings and history again, beside the work; what can be written in stays as it is."""
        row, hypothesis = self.evidence.id, self.hypothesis or None

        def read(bench: Workbench) -> tuple[_CellFacts, list[Past]]:
            people, model = bench.evidence.ratings_of(row)
            models = {suggestion.model for suggestion in model}
            other_models = bench.verdicts.other_models(models)
            past = list(bench.evidence.history(row, hypothesis))
            cards = {
                model: bench.verdicts.model_card(model)
                for model in models | {entry.who for entry in past if entry.machine}
            }
            facts = _CellFacts(
                bench.case.who, bench.hypotheses.all(), people, model, bench.case.settings().blind, other_models, cards
            )
            return facts, past

        self._session.read(read, lambda result: self._arrived(*result), key="cell detail")

    def _arrived(self, facts: _CellFacts, past: Sequence[Past]) -> None:
        if not isValid(self):  # another row has been chosen while this was read
            return
        first, self._facts = self._facts is None, facts
        if not any(hypothesis.id == self.hypothesis for hypothesis in facts.hypotheses):
            self.hypothesis = ""
        if first and self.hypothesis:
            self._cell(facts.own(self.hypothesis))
        self._people = self._replaced(self._people, lambda place: self._fill_people(place, facts))
        self._ratings = self._replaced(self._ratings, lambda place: self._fill_ratings(place, facts))
        self._past = self._replaced(self._past, lambda place: self._fill_past(place, past, facts))
        self._enable()
        self.filled.emit()

    def _replaced(self, old: QWidget, fill: Callable[[QWidget], None]) -> QWidget:
        fresh = QWidget()
        fill(fresh)
        self._column.replaceWidget(old, fresh)
        old.hide()
        old.deleteLater()
        return fresh

    # --- the row ---

    def _grades(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        item = self.evidence
        self.reliability = self._scale("Reliability of the source", RELIABILITY, item.reliability, "reliability")
        self.information = self._scale("Credibility of the information", INFORMATION, item.information, "information")
        self.date = QLineEdit(item.date)
        self.date.setPlaceholderText("not known")
        self.date.setAccessibleName("Date of the evidence")
        self.date.editingFinished.connect(lambda: self._describe("date", self.date.text()))
        self.upstream = _Choice("Upstream source: rows that share it count once", self.list_upstreams)
        self.upstream.setEditable(True)
        self.upstream.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        field = self.upstream.lineEdit()
        if field is not None:
            field.setPlaceholderText("nothing else")
            field.setAccessibleName(self.upstream.accessibleName())
        self.upstream.setToolTip("Rows that share a source count once in every score.")
        self.upstream.setCurrentText(item.upstream)
        self.upstream.textActivated.connect(lambda text: self._describe("upstream", text))
        if field is not None:
            field.editingFinished.connect(lambda: self._describe("upstream", self.upstream.currentText()))
        rows: list[tuple[str, QWidget]] = [
            ("Source", self.reliability),
            ("Information", self.information),
            ("Date", self.date),
            ("Derived from", self.upstream),
        ]
        for row, (name, widget) in enumerate(rows):
            grid.addWidget(plain(name, "muted"), row, 0)
            grid.addWidget(widget, row, 1)
            widget.setEnabled(not self._session.read_only)
        self._column.addLayout(grid)
        self._column.addLayout(self._levels("Credibility", "credibility", item.credibility))
        self._column.addLayout(self._levels("Relevance", "relevance", item.relevance))

    def _scale(self, name: str, words: Mapping[str, str], grade: str, field: str) -> _Choice:
        choice = _Choice(f"{name}, {self.evidence.id}")
        choice.addItem("not graded", "")
        for value, text in words.items():
            choice.addItem(f"{value}  {text}", value)
        choice.setCurrentIndex(max(0, choice.findData(grade)))
        choice.activated.connect(lambda _at: self._describe(field, choice.currentData()))
        return choice

    def _levels(self, name: str, field: str, level: Level | None) -> QHBoxLayout:
        row = hbox(spacing=0)
        row.addWidget(plain(name, "muted"), 1)
        group = QButtonGroup(self)
        for value, words in LEVELS.items():
            choice = segment(words, first=not group.buttons())
            choice.setChecked(level == value)
            choice.setAccessibleName(f"{name} of {self.evidence.id}: {words}")
            choice.setEnabled(not self._session.read_only)
            choice.clicked.connect(lambda _on=False, value=value: self._describe(field, value))
            group.addButton(choice)
            row.addWidget(choice)
        return row

    def list_upstreams(self) -> None:
        """Offer the original sources that rows of the case are known to have."""
        sources = self._session.do(
            lambda bench: sorted({item.upstream for item in bench.evidence.all() if item.upstream})
        )
        text = self.upstream.currentText()
        self.upstream.clear()
        self.upstream.addItems(["", *(sources or [])])
        self.upstream.setCurrentText(text)

    def _describe(self, field: str, value: str) -> None:
        """Keep one field of the row; nothing when it already says so."""
        value = value.strip()
        if (getattr(self.evidence, field) or "") == value:
            return
        row = self.evidence.id
        changes = self._session.do(
            lambda bench: bench.evidence.describe([row], **{field: value or None}), initiator=self
        )
        if changes is not None:
            self.evidence = replace(self.evidence, **{field: value})  # type: ignore[arg-type]
            self.refresh()

    # --- ratings ---

    def _fill_ratings(self, place: QWidget, facts: _CellFacts) -> None:
        column = vbox(place, spacing=6)
        if not facts.hypotheses:
            return
        column.addWidget(plain("RATINGS", "section"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(1, 1)
        for row, hypothesis in enumerate(facts.hypotheses):
            pick = QPushButton(hypothesis.id)
            pick.setProperty("kind", "quiet")
            pick.setCheckable(True)
            pick.setChecked(hypothesis.id == self.hypothesis)
            pick.setToolTip(tooltip(hypothesis.text))
            pick.clicked.connect(lambda _on=False, h=hypothesis.id: self.picked.emit(h))
            grid.addWidget(pick, row, 0)
            words = "strong" if hypothesis.id == self.hypothesis else "muted"
            grid.addWidget(ElidedLabel(hypothesis.text, words), row, 1)
            sign, explanation, tone = self._mark(facts, hypothesis.id)
            pick.setAccessibleName(f"{self.evidence.id} against {hypothesis.id}: {explanation}")
            mark = plain(sign, "" if tone else "muted")
            if tone:
                mark.setProperty("tone", tone)
            mark.setToolTip(tooltip(explanation))
            grid.addWidget(mark, row, 2, Qt.AlignmentFlag.AlignRight)
        column.addLayout(grid)

    def _mark(self, facts: _CellFacts, h: str) -> tuple[str, str, str]:
        """Return what is for a cell, in words too, and its tone.

        It is one's own rating, else the colleagues', else the model's.
        """
        own_rating = facts.own(h)
        colleagues = [a.rating for a in facts.assessments if a.hypothesis == h and a.by != facts.who]
        if own_rating is not None:
            sign, explanation = own_rating.rating, f"{RATING_WORDS[own_rating.rating]}, yours"
            if any(rating != own_rating.rating for rating in colleagues):
                explanation += f"; the group: {RATING_WORDS[group_rating([own_rating.rating, *colleagues])]}"
                return f"{sign} ≠", explanation, theme.rating_label(own_rating.rating)
            return sign, explanation, theme.rating_label(own_rating.rating)
        if colleagues:
            group = group_rating(colleagues)
            return f"({group})", f"{RATING_WORDS[group]}, by colleagues; not rated by you", ""
        suggestion = facts.suggestion(h)
        if suggestion is not None:
            explanation = (
                f"{RATING_WORDS[suggestion.rating]}, suggested by the model; it does not count until you confirm it"
            )
            return f"{suggestion.rating}?", explanation, ""
        return "–", "not rated", ""

    def _fill_people(self, place: QWidget, facts: _CellFacts) -> None:
        """Add everybody's rating of the cell, one's own first, the model's last."""
        column = vbox(place, spacing=6)
        h = self.hypothesis
        if not h:
            return
        ratings_of_cell = [a for a in facts.assessments if a.hypothesis == h]
        ratings_of_cell.sort(key=lambda a: (a.by != facts.who, a.by))
        text = next((hypothesis.text for hypothesis in facts.hypotheses if hypothesis.id == h), "")
        column.addWidget(plain(f"{h}  {text}", "strong", wrap=True, selectable=True))
        for assessment in ratings_of_cell:
            self._person(column, assessment, facts.who)
        ratings, own_rating = [a.rating for a in ratings_of_cell], facts.own(h)
        if own_rating is not None and group_rating(ratings) != own_rating.rating:
            words = "Your {own} is saved; Everyone shows {group}."
            column.addWidget(plain(words.format(own=own_rating.rating, group=group_words(ratings)), wrap=True))
        suggestion = facts.suggestion(h)
        if suggestion is not None:
            p = suggestion.probabilities
            best = max(p.supports, p.contradicts, p.neutral)
            card = facts.cards[suggestion.model]
            template = "the model {name}, {when}; {share} sure; a suggestion, not a rating"
            words = template.format(name=card.name, when=when(suggestion.at), share=two_digits(best))
            if facts.other_models.get(suggestion.model):
                words = f"{words}; {facts.other_models[suggestion.model]}"
            self._line(column, f"{suggestion.rating}?", "", words, exam_words(card))
        if facts.blind and own_rating is None:
            notice = "Blind rating: what the model and colleagues say is shown when you have rated the cell."
            column.addWidget(plain(notice, "small", wrap=True))
        elif not ratings_of_cell and suggestion is None:
            column.addWidget(plain("Nobody has rated this cell.", "muted", wrap=True))

    def _person(self, column: QVBoxLayout, assessment: Assessment, who: str) -> None:
        name = f"you ({assessment.by})" if assessment.by == who else assessment.by
        words = f"{name or 'unsigned'}, {when(assessment.at)}"
        if assessment.confidence:
            words += f"; confidence {assessment.confidence}"
        note = "" if assessment.by == who else assessment.note  # one's own is in the field below
        self._line(column, assessment.rating, theme.rating_label(assessment.rating), words, note)

    @staticmethod
    def _line(column: QVBoxLayout, rating: str, tone: str, words: str, note: str) -> None:
        row = hbox(spacing=8)
        mark = plain(rating, "" if tone else "muted")
        mark.setMinimumWidth(theme.px(28))
        mark.setAlignment(Qt.AlignmentFlag.AlignTop)
        if tone:
            mark.setProperty("tone", tone)
        base: Rating | str = rating.rstrip("?")
        mark.setAccessibleName(f"{RATING_WORDS.get(base, rating)}: {words}")  # type: ignore[arg-type]
        row.addWidget(mark)
        row.addWidget(plain(f"{words}\n{note}" if note else words, "muted", wrap=True, selectable=True), 1)
        column.addLayout(row)

    # --- one's own words on the cell ---

    def _cell(self, own_rating: Assessment | None) -> None:
        self._note = _Note()
        self._note.setPlaceholderText("Why you rated it so")
        self._note.setAccessibleName(f"Note on {self.evidence.id} against {self.hypothesis}")
        self._note.setPlainText(own_rating.note if own_rating is not None else "")
        self._note.left.connect(self._keep_note)
        self._draft = FieldDraft(self._session, self._note)
        self._draft.begin(self._note.accessibleName())
        self._own.addWidget(self._note)
        row = hbox(spacing=0)
        row.addWidget(plain("Confidence", "muted"), 1)
        for value in CONFIDENCES:
            choice = segment(value.capitalize(), first=not self._confidences)
            choice.setChecked(own_rating is not None and own_rating.confidence == value)
            choice.setAccessibleName(f"Confidence in the rating: {value}")
            choice.clicked.connect(lambda on, value=value: self._keep_confidence(value if on else ""))
            self._confidences[value] = choice
            row.addWidget(choice)
        self._own.addLayout(row)

    def note_field(self) -> QPlainTextEdit | None:
        """Return where the note on the cell is written; None when no cell is on show."""
        return self._note

    def confidence_button(self, value: str) -> QPushButton:
        return self._confidences[value]

    def _enable(self) -> None:
        """Enable note and confidence where there is a rating: without one there is nothing to say them of."""
        own_rating = self._facts.own(self.hypothesis) if self._facts is not None and self.hypothesis else None
        able = own_rating is not None and not self._session.read_only
        if self._note is not None:
            self._note.setEnabled(able)
            self._note.setToolTip("" if own_rating is not None else "Rate the cell first")
        for value, choice in self._confidences.items():
            choice.setEnabled(able)
            choice.setChecked(own_rating is not None and own_rating.confidence == value)

    def _keep_note(self) -> None:
        if self._note is None or self._facts is None:
            return
        own_rating, text = self._facts.own(self.hypothesis), self._note.toPlainText().strip()
        changes = own_rating is not None and text != own_rating.note
        if (
            changes
            and self._session.do(
                lambda bench: bench.evidence.annotate(self.evidence.id, self.hypothesis, note=text), initiator=self
            )
            is None
        ):
            return  # not saved, so what was typed is not forgotten
        self._draft.end()
        self._draft.begin(self._note.accessibleName())
        if changes:
            self.refresh()

    def _keep_confidence(self, value: str) -> None:
        self._annotate(lambda bench: bench.evidence.annotate(self.evidence.id, self.hypothesis, confidence=value))

    def _annotate(self, verb: Callable[[Workbench], object]) -> None:
        if self._session.do(verb, initiator=self) is not None:
            self.refresh()

    # --- history ---

    def _fill_past(self, place: QWidget, past: Sequence[Past], facts: _CellFacts) -> None:
        column = vbox(place, spacing=4)
        if past:
            column.addWidget(plain("HISTORY", "section"))
        for entry in list(past)[-MAX_HISTORY:][::-1]:
            column.addWidget(plain(told(entry, facts.cards), "muted", wrap=True, selectable=True))
        if len(past) > MAX_HISTORY:
            more = f"{len(past) - MAX_HISTORY} older entries are in the log."
            column.addWidget(plain(more, "small"))


def told(entry: Past, cards: Mapping[str, ModelCard]) -> str:
    """'2026-11-21 08:02  Ada: rate cell H2, C → I'; a model is named as one, as its card in ``cards`` calls it."""
    if entry.verb == ERASING:
        return (
            f"{when(entry.at)}  {entry.who or 'unsigned'}: the words of an erased document were taken out of this row"
        )
    who = f"the model {cards[entry.who].name}" if entry.machine else entry.who or "unsigned"
    where = f" {entry.hypothesis}" if entry.hypothesis else ""
    change = f", {short(entry.before) or '–'} → {short(entry.after) or '–'}" if entry.before or entry.after else ""
    return f"{when(entry.at)}  {who}: {verb_in_words(entry.verb)}{where}{change}"


def short(text: str) -> str:
    """Cut a long entry of the history."""
    return text if len(text) <= MAX_CHANGE_CHARS else f"{text[:MAX_CHANGE_CHARS]}…"
