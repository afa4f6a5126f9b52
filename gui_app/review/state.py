"""What the review screen reads of a case, and the sentences it makes of it. No widget lives here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from core.domain import LAYER, MARKS, Hypothesis, Page, Proposal, ShowMode
from core.evidence.quotes import marks_of
from core.search.passages import short
from core.verdicts.agreement import Fit, in_this_case
from gui_app.review.verdict_block import ModelReading
from gui_app.shared.probabilities import two_digits
from gui_app.shared.proposal_queue import Filter, of_other_model, ranks

if TYPE_CHECKING:
    from core.plans.service import Effort
    from core.workbench import Workbench

FINDING = "The passages are being judged. Those that speak for or against a hypothesis appear here."
MAX_FIT_ROWS = 2_000  # of evidence, for which the fit on the case is worked out whenever something changes


@dataclass(frozen=True, slots=True)
class ReviewState:
    """The state of a case that the review shows.

    ``other_models`` are models that are not in use, with words for it; ``reasons`` says of a proposal why the second
    reader would be asked, if there is one, ``fits`` of a model what its probabilities would be in this case.
    ``ranks`` are those of the proposals in the order of review, by id. ``missing`` says why nothing can be judged,
    ``sure`` which verdicts a strict case shows. ``is_read``: it is that of a case, and not of none.
    """

    hypotheses: Sequence[Hypothesis] = ()
    proposals: Sequence[Proposal] = ()
    by_chunk: Mapping[int, Sequence[Proposal]] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    efforts: Sequence[Effort] = ()
    other_models: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    fits: Mapping[str, Fit] = field(default_factory=dict)
    missing: str = ""
    sure: str = ""
    show: ShowMode = "exploratory"
    read_only: bool = False
    is_blind: bool = False
    is_read: bool = False

    def with_statuses(self, statuses: Mapping[str, str]) -> ReviewState:
        """Return the state with proposals that are as they are now; without those that are gone."""
        if all(statuses.get(proposal.id) == proposal.status for proposal in self.proposals):
            return self
        proposals = [
            proposal if status == proposal.status else with_status(proposal, status, is_blind=self.is_blind)
            for proposal in self.proposals
            if (status := statuses.get(proposal.id)) is not None
        ]
        reasons = {key: words for key, words in self.reasons.items() if statuses.get(key, "rejected") != "rejected"}
        # What is decided shows its verdict, so that it may come to another place.
        same = not self.is_blind and len(proposals) == len(self.proposals)
        order = self.ranks if same and self.ranks else ranks(proposals)
        return replace(self, proposals=proposals, by_chunk=_by_chunk(proposals), ranks=order, reasons=reasons)

    def undecided_again(self, old_state: ReviewState) -> list[str]:
        """List the proposals that were decided ``old_state`` and are not now: their decision was taken back."""
        ids = {proposal.id for proposal in old_state.proposals if proposal.status != "pending"}
        return [p.id for p in self.proposals if p.status == "pending" and p.id in ids]

    def status_of(self, identity: str | None) -> str:
        """Return the status of a proposal; '' for one that the case does not have."""
        return next((proposal.status for proposal in self.proposals if proposal.id == identity), "")

    def of_other_models(self) -> int:
        """Count the undecided proposals with a verdict of a model that is not in use, or on other words."""
        if not (self.other_models or any(proposal.outdated for proposal in self.proposals)):
            return 0
        return sum(of_other_model(proposal, self.other_models) for proposal in self.proposals)


def load(bench: Workbench, former: ReviewState | None = None) -> ReviewState:
    """Read what there is to review, beside the work; proposals that are as in the ``former`` state are those of it.

    So the window, which shows both, has nothing to compare or to put in order again.
    """
    settings = bench.case.settings()
    earlier = {proposal.id: proposal for proposal in former.proposals} if former is not None else {}
    proposals = [earlier[p.id] if earlier.get(p.id) == p else p for p in bench.verdicts.proposals()]
    close = bench.review.close_or_decisive() if bench.engines.second_reader is not None else ()
    return ReviewState(
        hypotheses=bench.hypotheses.all(),
        proposals=proposals,
        by_chunk=_by_chunk(proposals),
        ranks=ranks(proposals),
        efforts=bench.plans.effort(proposals),
        other_models=bench.verdicts.other_models({proposal.verdict.model for proposal in proposals}),
        reasons={row.proposal: row.why for row in close},
        fits=_fits(bench, proposals),
        missing=bench.review.judge_missing(),
        sure=_sure_words(bench, proposals[-1].verdict.model) if proposals else "",
        show=settings.show,
        read_only=bench.case.read_only,
        is_blind=settings.blind,
        is_read=True,
    )


def with_status(proposal: Proposal, status: str, *, is_blind: bool) -> Proposal:
    """Return a proposal as it is with a status; ``is_blind``: verdicts are hidden until one decides."""
    if proposal.status == status:
        return proposal
    return replace(proposal, status=status, blind=is_blind and status == "pending")


def _by_chunk(proposals: Sequence[Proposal]) -> dict[int, list[Proposal]]:
    by_chunk: dict[int, list[Proposal]] = {}
    for proposal in proposals:
        by_chunk.setdefault(proposal.chunk, []).append(proposal)
    return by_chunk


def _fits(bench: Workbench, proposals: Sequence[Proposal]) -> dict[str, Fit]:
    """Return what each model's probabilities would be in this case, where a fit helps.

    Of very large cases it is told on the page of the agreement alone.
    """
    if len(bench.evidence.all()) > MAX_FIT_ROWS:
        return {}
    agreements = bench.review.agreements(proposals)
    return {row.model: row.fit for row in agreements if row.fit is not None and row.fit.helps}


def _sure_words(bench: Workbench, model: str) -> str:
    """Describe the verdicts that a strict case shows, of the model that judged last."""
    sure = bench.verdicts.show_thresholds(model)
    if not sure:
        return "Nobody has measured from what probability this model is right, so none would be shown."
    return "\n".join(row.sentence() for row in sure)


# --- words of one proposal -------------------------------------------------------------------------------------------


def readings(
    proposal: Proposal, fits: Mapping[str, Fit], model: Callable[[str], tuple[str, str, str]]
) -> list[ModelReading]:
    """List what each model says of a proposal, that of its own verdict first.

    ``model`` gives a model's name, what it reached in its exam, and everything that was measured of it.
    """
    has_several = bool(proposal.others)
    words = [("Judge", proposal.verdict, proposal.explanation)]
    words += [(reading.role.capitalize(), reading.verdict, reading.explanation) for reading in proposal.others]
    lines = []
    for role, verdict, explanation in words:
        name, figure, summary = model(verdict.model)
        fit = fits.get(verdict.model)
        here = in_this_case(fit, verdict.probabilities) if fit is not None else None
        name_of_model = f"{role}: {name}" if has_several else name
        # Of one model the top bar says it already.
        figure = figure if has_several else ""
        count = fit.n if fit is not None else 0
        lines.append(ModelReading(name_of_model, figure, verdict, explanation, here, count, summary))
    return lines


def warnings(proposal: Proposal, page: Page, state: ReviewState) -> list[str]:
    """List what to mind about a proposal."""
    lines = []
    if proposal.id in state.reasons and not proposal.disputed and not proposal.is_hidden:
        lines.append(f"Worth a second reading: {state.reasons[proposal.id]}.")
    if proposal.status == "pending" and proposal.verdict.model in state.other_models:
        lines.append(f"Judged {state.other_models[proposal.verdict.model]}. Shift+J has it judged again.")
    if proposal.possible_duplicate:
        lines.append(f"Nearly the same as {proposal.possible_duplicate}.")
    marks = marks_of(page, proposal.quote.start, proposal.quote.end)
    lines += [f"Some words of this passage are {MARKS[mark]}." for mark in marks if mark in ("struck", "hidden")]
    if page.hidden_spans:
        lines.append("This page also has text that a reader could not see; it was not judged.")
    if page.source == "layer":
        lines.append(f"The words are from the {LAYER}: check them on the page.")
    if page.source == "ocr" and page.confidence is not None:
        lines.append(f"The words were read by OCR (confidence {two_digits(page.confidence)}): check them on the page.")
    return lines


def retrieval_words(proposal: Proposal) -> list[str]:
    """Describe how the search found this passage: similarity, and its rank by meaning and by words."""
    words = []
    if proposal.similarity is not None:
        words.append(f"similarity {short(proposal.similarity)}")
    words.append(f"by meaning {_rank(proposal.vector_rank)}")
    words.append(f"by words {_rank(proposal.lexical_rank)}")
    return words


def _rank(rank: int | None) -> str:
    return "not found" if rank is None else f"rank {rank}"


# --- words where there is nothing to decide --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next step while there is nothing to decide: a sentence, the words of a button, and what that does.

    ``action`` is 'find' for the search, 'first' for the first proposal, 'clear' for the filter, else the
    name of a screen.
    """

    sentence: str
    button: str
    action: str


def first_step(hypotheses: Sequence[Hypothesis], missing: str, *, is_finding: bool) -> NextStep:
    """Return the step before there is anything to review; ``missing`` says why nothing can be judged."""
    if is_finding:
        return NextStep(FINDING, "", "")
    if not hypotheses:
        sentence = "Write at least two rival hypotheses; then passages can be found for and against each."
        return NextStep(sentence, "Write hypotheses", "Hypotheses")
    if missing:
        return NextStep(missing, "Search by hand", "Viewer")
    sentence = "Look through the documents for passages that speak for or against each hypothesis."
    return NextStep(sentence, "Find evidence", "find")


def next_step(state: ReviewState, filter_: Filter, *, is_finding: bool = False) -> NextStep:
    """Return the next step while no proposal is shown; ``is_finding``: evidence is being found already."""
    if not (state.hypotheses and state.proposals):
        return first_step(state.hypotheses, state.missing, is_finding=is_finding)
    if filter_ == Filter(group=filter_.group):
        sentence = f"{_all(len(state.proposals))} decided. The matrix shows what they add up to."
        return NextStep(sentence, "Open the matrix", "Matrix")
    sentence = "No proposal matches this filter."
    if filter_.only:
        sentence = f"None of the selected ones ({filter_.words}) matches this filter."
    return NextStep(sentence, "Show everything to review", "clear")


def _all(proposals: int) -> str:
    return "The only proposal is" if proposals == 1 else f"All {proposals:,} proposals are"
