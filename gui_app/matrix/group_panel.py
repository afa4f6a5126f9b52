"""Several analysts side by side: what each holds likely, where they disagree, and the mean of all."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QPushButton, QWidget
from shiboken6 import isValid

from core.domain import Dispute, Group, Hypothesis, Likelihood, Opinion
from core.matrix import coherent
from gui_app import window_state
from gui_app.session import CaseSession
from gui_app.shared import file_dialogs
from gui_app.shared.charts import Bar, BarList
from gui_app.shared.fields import bare
from gui_app.shared.formatting import counted
from gui_app.shared.labels import plain, tooltip
from gui_app.shared.layout import hbox
from gui_app.shared.responsive_panels import ResponsivePanels, fit, inset
from gui_app.shared.snippet_list import SnippetList

if TYPE_CHECKING:
    from core.store import CaseKey, Merged
    from core.workbench import Workbench

LEVELS = ("extreme", "large", "mild", "consensus")
MAX_DISPUTES = 300
_UNSTATED = -1.0  # below every likelihood: the field says that none was given


@dataclass(frozen=True, slots=True)
class Standpoint:
    """Everything the tab shows, as read from the case for ``who``.

    ``others`` says whether colleagues may be shown; ``disputes`` are those on show, ``levels`` counts all of them.
    """

    group: Group
    likelihoods: tuple[Likelihood, ...]
    hypotheses: tuple[Hypothesis, ...]
    who: str
    blind: bool
    cells: int
    others: bool
    disputes: tuple[Dispute, ...]
    levels: Mapping[str, int]


def read_standpoint(bench: Workbench) -> Standpoint:
    """Read the group and pick out its disputes: a large matrix of two people has as many as cells."""
    hypotheses = tuple(bench.hypotheses.all())
    group, who, blind = bench.matrix.group(), bench.case.who, bench.case.settings().blind
    likelihoods = tuple(bench.evidence.likelihoods())
    cells = len(hypotheses) * len(bench.evidence.all())
    shows_all = not blind or has_judged(group, likelihoods, hypotheses, who, cells)
    # Under blind rating a cell's dispute opens with one's own rating of it.
    visible = [dispute for dispute in group.disputes if shows_all or who in dispute.ratings]
    open_disputes = (dispute for dispute in visible if dispute.level != "consensus" or not dispute.bearing)
    return Standpoint(
        group=group,
        likelihoods=likelihoods,
        hypotheses=hypotheses,
        who=who,
        blind=blind,
        cells=cells,
        others=shows_all,
        disputes=tuple(itertools.islice(open_disputes, MAX_DISPUTES)),
        levels=Counter(dispute.level for dispute in visible),
    )


def has_judged(
    group: Group, likelihoods: Sequence[Likelihood], hypotheses: Sequence[Hypothesis], who: str, cells: int
) -> bool:
    """Return whether ``who`` has judged for themselves: every cell rated, or every likelihood stated."""
    own_opinion = next((opinion for opinion in group.opinions if opinion.by == who), None)
    own_hypotheses = {likelihood.hypothesis for likelihood in likelihoods if likelihood.by == who}
    all_stated = bool(hypotheses) and all(hypothesis.id in own_hypotheses for hypothesis in hypotheses)
    return all_stated or (own_opinion is not None and 0 < cells <= own_opinion.rated)


def has_voice(opinion: Opinion) -> bool:
    """Return whether a person rated or stated anything; who did neither is shown, but has no voice."""
    return bool(opinion.rated or opinion.stated)


def opinion_bars(view: Standpoint) -> list[Bar]:
    """List the bars: by hypothesis each person, the plain mean, and that of the adjusted; one's own while blind."""
    shows_all = view.others
    opinions = [
        opinion for opinion in view.group.opinions if has_voice(opinion) and (shows_all or opinion.by == view.who)
    ]
    bars = []
    for hypothesis in view.hypotheses:
        h = hypothesis.id
        bars.append(Bar(f"{h}  {' '.join(hypothesis.text.split())}", None, "", f"Hypothesis {h}", heading=True))
        for opinion in opinions:
            is_stated = opinion.stated is not None and h in opinion.stated
            value = opinion.stated[h] if is_stated and opinion.stated else opinion.read.get(h)
            if value is None:
                continue
            how = "stated" if is_stated else "read from the ratings"
            mark = opinion.coherent.get(h)
            also = f", adjusted to {mark:.2f}" if mark is not None and abs(mark - value) > 0.004 else ""
            words = f"{h}: {opinion.by} {value:.2f}, {how}{also}"
            bars.append(
                Bar(opinion.by, value, f"{value:.2f}", words, None, "accent", is_outlined=not is_stated, mark=mark)
            )
        if shows_all and len(opinions) > 1:
            for name, shares, strong in (("Mean", view.group.mean, False), ("Coherent", view.group.aggregate, True)):
                if h in shares:
                    kind = "mean of the adjusted" if strong else "plain mean"
                    words = f"{h}: {kind} {shares[h]:.2f}"
                    bars.append(
                        Bar(
                            name,
                            shares[h],
                            f"{shares[h]:.2f}",
                            words,
                            None,
                            "neutral",
                            strong=strong,
                            is_outlined=not strong,
                        )
                    )
    return bars


class GroupPanel(ResponsivePanels):
    """Opinions, disputes, one's own likelihoods, and the way to merge a colleague's copy."""

    def __init__(self, session: CaseSession, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._view: Standpoint | None = None
        self._fields: dict[str, QDoubleSpinBox] = {}
        self.blind = plain("", "strong", wrap=True)
        self.people = plain("", "muted", wrap=True)
        self.opinions = BarList("How likely each analyst finds each hypothesis")
        self.opinions.setMinimumHeight(112)
        self.legend = plain(
            "Filled: stated. Outlined: read from the ratings. Tick: made to sum to 1.", "small", wrap=True
        )
        heading = plain("Who finds what likely", "section")
        self.add(inset(heading), inset(self.blind), inset(self.people), self.opinions, inset(self.legend), grows=3)

        self.dispute_heading = plain("", "section", wrap=True)
        self.disputes = SnippetList("Cells on which people disagree", quotes=False, lines=2)
        self.disputes.chosen.connect(lambda target: self.chosen.emit(*target))
        self.disputes.setMinimumHeight(48)
        self._dispute_part = self.add(inset(self.dispute_heading), self.disputes, grows=2)

        self.own = QGridLayout()
        self.own.setHorizontalSpacing(8)
        self.own.setVerticalSpacing(4)
        self.own.setColumnStretch(1, 1)
        self.sum = plain("", "", wrap=True)
        self.sum.setAccessibleName("Sum of your likelihoods")
        self.merge_button = QPushButton("Merge another copy...")
        self.merge_button.setAccessibleName("Merge another copy of this case")
        self.merge_button.setToolTip("Add what a colleague's copy of this case has and this one does not.")
        self.merge_button.clicked.connect(lambda _on=False: self.ask_merge())
        self.merge_report = plain("", "", wrap=True, selectable=True)
        self.merge_report.hide()
        merge = hbox()
        merge.addWidget(self.merge_button)
        merge.addStretch(1)
        self.add(
            inset(plain("How likely do you find each, by itself?", "section", wrap=True)),
            inset(self.own),
            inset(self.sum),
            inset(merge),
            inset(self.merge_report),
        )

    def refresh(self) -> None:
        """Read everything again, beside the work."""
        self._session.read(read_standpoint, self.show_standpoint, key="group")

    def show_standpoint(self, view: Standpoint) -> None:
        """Show what was read, unless the window is gone."""
        if not isValid(self):  # the window closed while this was read
            return
        self._view = view
        self._say(view, view.others)
        self.opinions.show_bars(opinion_bars(view), most=1.0)
        self._show_disputes(view.disputes, view.levels)
        self._show_own(view)
        self.merge_button.setEnabled(not self._session.read_only)

    def _say(self, view: Standpoint, shows_all: bool) -> None:
        colleagues = [opinion for opinion in view.group.opinions if has_voice(opinion) and opinion.by != view.who]
        if view.blind and not shows_all:
            self.blind.setText(
                "Blind rating: what colleagues think is hidden until you have rated every cell or stated every "
                "likelihood. A cell's dispute opens with your own rating of it."
            )
        elif view.blind:
            self.blind.setText("Blind rating: yours is given, so colleagues are shown.")
        self.blind.setVisible(view.blind)
        people = []
        for opinion in view.group.opinions:
            if not (shows_all or opinion.by == view.who):
                continue
            coverage = f"{opinion.rated} of {view.cells} cells"
            leads = ", {who} leads".format(who=" = ".join(opinion.leaders)) if opinion.leaders else ""
            if opinion.comparison.state == "incomplete":
                leads = ", no leader: not all on the same rows"
            people.append(f"{opinion.by}: {coverage}{leads}")
        text = " · ".join(people)
        if not colleagues:
            alone = "Only you have rated here. Merge a colleague's copy to see where you differ."
            text = f"{text}\n{alone}" if text else alone
        self.people.setText(text)

    def _show_disputes(self, disputes: Sequence[Dispute], counts: Mapping[str, int]) -> None:
        self.disputes.clear()
        for dispute in disputes:
            ratings = ", ".join(f"{name} {rating}" for name, rating in dispute.ratings.items())
            level = {"extreme": "Extreme dispute", "large": "Large dispute", "mild": "Mild dispute"}.get(
                dispute.level, "Does it bear at all?"
            )
            place = f"{dispute.evidence} × {dispute.hypothesis}"
            text = f"{ratings}; the group: {dispute.rating}"
            if not dispute.bearing and dispute.level != "consensus":
                text += "; some say it does not bear"
            self.disputes.add(f"{level} · {place}", text, (dispute.evidence, dispute.hypothesis))
        fit(self.disputes)
        parts = [f"{counts[level]:,} {level}" for level in LEVELS if counts.get(level)]
        heading = "Disputes" + (f": {', '.join(parts)}" if parts else "")
        self.dispute_heading.setText(heading)
        self.disputes.setVisible(bool(disputes))
        self.show_part(self._dispute_part, bool(parts))

    # --- one's own ---

    def _show_own(self, view: Standpoint) -> None:
        ids = [hypothesis.id for hypothesis in view.hypotheses]
        if list(self._fields) != ids:
            self._make_fields(view.hypotheses)
        likelihoods = self.likelihoods()
        for h, field in self._fields.items():
            if not field.hasFocus() or h not in likelihoods:
                field.blockSignals(True)
                field.setValue(likelihoods[h] * 100 if h in likelihoods else _UNSTATED)
                field.blockSignals(False)
            field.setEnabled(not self._session.read_only)
        self._show_sum(likelihoods)

    def _make_fields(self, hypotheses: Sequence[Hypothesis]) -> None:
        while (item := self.own.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        self._fields.clear()
        for row, hypothesis in enumerate(hypotheses):
            name = plain(hypothesis.id, "strong")
            name.setToolTip(tooltip(hypothesis.text))
            field = QDoubleSpinBox()
            field.setRange(_UNSTATED, 100.0)
            field.setSpecialValueText("–")
            field.setDecimals(0)
            field.setSingleStep(5.0)
            field.setSuffix("%")
            field.setKeyboardTracking(False)
            question = "How likely you find {h}, in percent: {text}"
            bare(field, question.format(h=hypothesis.id, text=hypothesis.text), letters=6)
            field.setToolTip(tooltip(hypothesis.text))
            field.valueChanged.connect(lambda value, h=hypothesis.id: self._state(h, value))
            self.own.addWidget(name, row, 0)
            self.own.addWidget(plain(hypothesis.text, "muted", wrap=True), row, 1)
            self.own.addWidget(field, row, 2)
            self._fields[hypothesis.id] = field

    def field(self, hypothesis: str) -> QDoubleSpinBox:
        """Return the field of one's own likelihood of a hypothesis."""
        return self._fields[hypothesis]

    def likelihoods(self) -> dict[str, float]:
        """Return one's own likelihoods (0..1) by hypothesis."""
        view = self._view
        if view is None:
            return {}
        return {likelihood.hypothesis: likelihood.value for likelihood in view.likelihoods if likelihood.by == view.who}

    def _state(self, hypothesis: str, percent: float) -> None:
        value = None if percent < 0 else percent / 100
        if (
            self._session.do(lambda bench: bench.evidence.state_likelihood(hypothesis, value), initiator=self)
            is not None
        ):
            self.refresh()

    def _show_sum(self, likelihoods: Mapping[str, float]) -> None:
        self.sum.setVisible(bool(likelihoods))
        if not likelihoods:
            return
        total = math.fsum(likelihoods.values())
        text = f"Together {100 * total:.0f}%."
        missing = [h for h in self._fields if h not in likelihoods]
        if missing:
            text += " " + "Not stated: {missing}; that is read from your ratings.".format(missing=", ".join(missing))
        elif abs(total - 1) < 0.005:
            text += " " + "They sum to 100 %."
        else:
            nearest = coherent([likelihoods[h] for h in self._fields])
            figures = ", ".join(f"{h} {100 * value:.0f}" for h, value in zip(self._fields, nearest, strict=True))
            text += " " + f"The nearest that sum to 100%, which count in the aggregate: {figures}."
        self.sum.setText(text)

    # --- merging ---

    def ask_merge(self) -> None:
        """Ask for a colleague's copy, and merge it."""
        path = file_dialogs.ask_case(self, window_state.folder("cases"), "Merge which copy?")
        if path is not None:
            window_state.keep_folder("cases", path.parent)
            self.merge(path)

    def merge(self, path: Path) -> None:
        """Take in what another copy of this case has and this one has not."""
        self._session.with_key(path, lambda key: self._merge(path, key))

    def _merge(self, path: Path, key: CaseKey | None) -> None:
        self.merge_report.setText(f"Merging {path.name}...")
        self.merge_report.show()
        title = f"Merging {path.name}"
        task = self._session.run(
            title,
            lambda bench, _progress: bench.case.merge(path, key=key),
            done=lambda report: self._tell_merged(path, report),
        )
        if task is not None:
            task.ended.connect(lambda: self._not_merged(path))

    def _not_merged(self, path: Path) -> None:
        if not isValid(self):  # the window is gone, and the merge ends behind it
            return
        if self.merge_report.text() == f"Merging {path.name}...":
            self.merge_report.hide()  # the session has said why

    def _tell_merged(self, path: Path, report: Merged) -> None:
        lines = [f"Merged {path.name}: {merge_summary(report)}."]
        if report.conflicts:
            number = counted(len(report.conflicts), "conflict")
            lines.append(f"{number}; this case's version was kept, and each is listed for you to settle:")
            lines += [f"· {conflict}" for conflict in report.conflicts]
        lines += [f"· {problem.where}: {problem.what} {problem.hint}" for problem in report.problems]
        self.merge_report.setText("\n".join(lines))
        self.merge_report.show()
        self._session.tell(lines[0], undo=False)
        self.refresh()


def merge_summary(report: Merged) -> str:
    """Return what a merge brought."""
    parts = [
        counted(report.documents, "document"),
        counted(report.hypotheses, "hypothesis", "hypotheses"),
        counted(report.evidence, "row"),
        counted(report.ratings, "rating"),
        counted(report.proposals, "proposal"),
        counted(report.considerations, "point to consider", "points to consider"),
    ]
    additions = [part for part in parts if not part.startswith("0 ")]
    return f"{', '.join(additions)} added" if additions else "nothing new"
