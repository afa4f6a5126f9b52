"""What the matrix screen reads of a case, and what it makes of the ranks. No widget lives here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.documents import descriptions
from core.domain import DEFAULT_RULE, Hypothesis, Matrix
from core.matrix import group_rating
from gui_app.matrix.grid_model import GROUP_VIEW, MINE_VIEW, Sheet, build
from gui_app.matrix.grid_painter import Standing
from gui_app.matrix.rules_panel import standing

if TYPE_CHECKING:
    from core.workbench import Workbench


@dataclass(frozen=True, slots=True)
class MatrixState:
    """The matrix as one view shows it. ``views`` are those on offer, each with its words; ``alone``: nobody else rated.

    ``has_hidden``: colleagues rated what one has not, and may not be seen until one has.
    """

    sheet: Sheet = field(default_factory=Sheet)
    view: str = ""
    views: tuple[tuple[str, str], ...] = (("Mine", MINE_VIEW),)
    alone: bool = True
    has_colleagues: bool = False
    has_hidden: bool = False


def load(bench: Workbench, hypotheses: Sequence[Hypothesis], view: str, former: Sheet) -> MatrixState:
    """Read the matrix as ``view`` shows it ('': what is usual in this case), with the scores of ``former``."""
    who, blind = bench.case.who, bench.case.settings().blind
    assessments = bench.evidence.assessments()
    raters = bench.evidence.raters() if blind else sorted({assessment.by for assessment in assessments})
    has_hidden = blind and len(assessments) < len(bench.evidence.assessments(everyone=True))
    colleagues = [name for name in raters if name != who]
    views = [("Mine", MINE_VIEW)]
    if not has_hidden:  # else ranks of the group would give it away
        views += [("Everyone", GROUP_VIEW), *((" ".join(name.split()) or "–", name) for name in colleagues)]
    usual = MINE_VIEW if blind else GROUP_VIEW
    view = view if view in {name for _words, name in views} else usual
    evidence = bench.evidence.all()
    citations = bench.evidence.cite(item for item in evidence if item.more)
    sheet = build(
        hypotheses,
        evidence,
        assessments,
        bench.evidence.suggestions(),
        who=who,
        view=view,
        dates={document.id: descriptions.date_of(document) for document in bench.documents.all()},
        gaps={row: citation.skipped for row, citation in citations.items()},
        group_rating=group_rating,
        raters_before=bench.evidence.outdated_ratings(),
    )
    keep_scores(sheet, former)
    return MatrixState(
        sheet,
        view,
        tuple(views),
        alone=not blind and set(raters) <= {who},
        has_colleagues=bool(colleagues),
        has_hidden=has_hidden,
    )


def keep_scores(sheet: Sheet, former: Sheet) -> None:
    """Let the old scores stand until the new ones are there."""
    for index, row in enumerate(sheet.rows):
        was = former.row_of(row.id)
        if was is not None:
            sheet.row_scores[index], sheet.dull[index] = former.row_scores[was], former.dull[was]
    sheet.sizes = former.sizes


def standings(matrix: Matrix | None, what_if: Matrix | None, hypotheses: Sequence[Hypothesis]) -> list[Standing]:
    """Return what is under each hypothesis in the header; in a what-if the rank it would have beside its own."""
    if matrix is None:
        return [Standing("", "")] * len(hypotheses)
    lines = []
    for hypothesis in hypotheses:
        now = standing(matrix, hypothesis.id)
        if what_if is not None:
            then = standing(what_if, hypothesis.id)
            before, after = now.rank or "–", then.rank or "–"
            now = Standing(before, then.score, after if after != before else "", then.coverage)
        lines.append(now)
    return lines


def who_would_lead(matrix: Matrix | None, what_if: Matrix | None) -> str:
    """Return who would lead in a what-if; '' while that is not known."""
    if what_if is None or matrix is None:
        return ""
    then, now = what_if.leaders.get(DEFAULT_RULE, ()), matrix.leaders.get(DEFAULT_RULE, ())
    if not then:
        return f"Nothing would lead. {what_if.comparison.sentence}".strip()
    names = then[0] if len(then) == 1 else f"{', '.join(then[:-1])} and {then[-1]}"
    still = "still " * (set(then) == set(now))
    return f"{names} would {still}lead." if len(then) == 1 else f"{names} would {still}share the lead."
