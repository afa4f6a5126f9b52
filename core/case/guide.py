"""Where a case is in the eight steps of the method, and the one next thing to do.

The steps are those of Heuer, Psychology of Intelligence Analysis (1999), chapter 8. They are a reminder, not a gate:
nothing in the program waits for a step, and a step that was passed with something left to wish for comes up again only
when all others are walked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

State = Literal["open", "partly", "done"]
NAMES = (
    "Hypotheses", "Evidence", "Matrix", "Refine", "Try to disprove", "Sensitivity", "Report", "Milestones",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts known of a case. Counts are counts of things that are there now.

    ``looked`` names what the person has looked at ('diagnosticity', 'sensitivity'), ``declined`` the prompts they said
    no to ('null', 'deception'). ``dull`` rows say the same about every hypothesis. ``linchpins`` are the rows that the
    conclusion hangs on. ``since_report`` counts the decisions made after the last report, None: never reported.
    """

    documents: int = 0
    hypotheses: int = 0
    null: bool = False
    deception: bool = False
    evidence: int = 0
    absences: int = 0
    waiting: int = 0  # proposals that nobody has decided on
    cells: int = 0
    rated: int = 0
    dull: int = 0
    overlaps: tuple[tuple[str, ...], ...] = ()
    leaders: tuple[str, ...] = ()
    unattacked: tuple[str, ...] = ()
    linchpins: tuple[str, ...] = ()
    assumptions: int = 0
    premortems: int = 0
    indicators: int = 0
    new_documents: int = 0  # that an indicator flags and nobody has looked at
    since_report: int | None = None
    looked: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Step:
    """One step. ``sentence`` says its state and what to do next in it; ``button`` names the way there.

    ``state`` is 'open' (what the step needs is missing), 'partly' (it has what it needs and lacks what would make it
    better) or 'done'. ``place`` is a screen by name, ``part`` a page of it, '' for the screen as it is.
    """

    number: int
    name: str
    state: State
    sentence: str
    button: str
    place: str
    part: str = ""


def steps(facts: Facts) -> tuple[Step, ...]:
    """Return the eight steps with their state."""
    makers = (_hypotheses, _evidence, _matrix, _refine, _disprove, _sensitivity, _report, _milestones)
    return tuple(
        Step(number, name, *make(facts)) for number, (name, make) in enumerate(zip(NAMES, makers, strict=True), start=1)
    )


def current(facts: Facts, all_steps: Sequence[Step]) -> Step | None:
    """Return the step the case is at; None when all eight are walked.

    The first open one, unless an earlier step lacks something and nothing after it was begun.
    """
    has_begun = _steps_begun(facts)
    for step in all_steps:
        later = any(has_begun[step.number :])
        if step.state == "open" or (step.state == "partly" and not later):
            return step
    return next((step for step in all_steps if step.state == "partly"), None)


def _steps_begun(facts: Facts) -> tuple[bool, ...]:
    """Return the state of each of the eight steps."""
    return (
        facts.hypotheses > 0,
        facts.evidence > 0,
        facts.rated > 0,
        "diagnosticity" in facts.looked,
        facts.assumptions > 0,
        "sensitivity" in facts.looked or facts.premortems > 0,
        facts.since_report is not None,
        facts.indicators > 0,
    )


_StepParts = tuple[State, str, str, str, str]  # state, sentence, button, place, part


def _hypotheses(facts: Facts) -> _StepParts:
    if facts.hypotheses < 2:
        so_far = "One is there; add a rival." if facts.hypotheses else "Name at least two."
        sentence = f"List every explanation worth considering, including the unwelcome ones. {so_far}"
        return "open", sentence, "Write hypotheses", "Hypotheses", ""
    if not facts.null and "null" not in facts.declined:
        sentence = (
            "No hypothesis says that nothing out of the ordinary happened. Add one, so that chance is considered."
        )
        return "partly", sentence, "Add a null hypothesis", "Hypotheses", "null"
    if not facts.deception and "deception" not in facts.declined:
        sentence = "No hypothesis says that somebody wants to mislead. Add one, so that planted evidence has a place."
        return "partly", sentence, "Add a deception hypothesis", "Hypotheses", "deception"
    kinds = [kind for kind, is_present in (("a null", facts.null), ("a deception", facts.deception)) if is_present]
    among = f", among them {' and '.join(kinds)} hypothesis" if kinds else ""
    return "done", f"{facts.hypotheses} hypotheses{among}.", "Show the hypotheses", "Hypotheses", ""


def _evidence(facts: Facts) -> _StepParts:
    if facts.evidence == 0:
        if facts.documents == 0:
            sentence = "List what bears on the hypotheses. Begin with the documents that may say something about them."
            return "open", sentence, "Add documents", "Documents", ""
        if facts.waiting:
            sentence = f"{_count(facts.waiting, 'passage')} proposed from the documents: take what is evidence."
            return "open", sentence, "Review the passages", "Review", ""
        sentence = "Find the passages that bear on the hypotheses, for and against, and take them as evidence."
        return (
            "open",
            sentence,
            *(("Find evidence", "Review", "find") if facts.hypotheses else ("Search", "Search", "")),
        )
    if facts.absences == 0:
        sentence = (
            "What is missing is evidence too: ask of each hypothesis what you would expect to find if it were true, "
            "and search for it."
        )
        return "partly", sentence, "Look for what is expected", "Hypotheses", "expected"
    sentence = f"{_count(facts.evidence, 'row')}, of which {facts.absences} looked for and not found."
    return "done", sentence, "Show the matrix", "Matrix", ""


def _matrix(facts: Facts) -> _StepParts:
    if facts.rated == 0:
        sentence = (
            "Rate every piece of evidence against every hypothesis, one row at a time: how well does it fit if the "
            "hypothesis is true?"
        )
        return "open", sentence, "Rate the cells", "Matrix", ""
    left = facts.cells - facts.rated
    if left > 0:
        unrated = "1 of them is" if left == 1 else f"{left:,} of them are"
        sentence = f"{facts.cells:,} cells; {unrated} not rated yet. Work across a row, not down a column."
        return "open" if facts.rated * 2 < facts.cells else "partly", sentence, "Rate the rest", "Matrix", "unrated"
    return "done", f"All {facts.cells:,} cells are rated.", "Show the matrix", "Matrix", ""


def _refine(facts: Facts) -> _StepParts:
    if "diagnosticity" not in facts.looked:
        many = _count(facts.dull, "row")
        dull = f"{many} {'says' if facts.dull == 1 else 'say'} the same about every hypothesis. " if facts.dull else ""
        sentence = f"{dull}Sort by diagnosticity: what helps to choose, and is a hypothesis missing or one too many?"
        return "open", sentence, "Look at diagnosticity", "Matrix", "diagnosticity"
    if facts.overlaps:
        alike = " and ".join(facts.overlaps[0])
        sentence = f"{alike} are rated alike everywhere: merge them, or find evidence that tells them apart."
        return "partly", sentence, "Show the hypotheses", "Hypotheses", ""
    return "done", "You know which rows are diagnostic.", "Look at diagnosticity", "Matrix", "diagnosticity"


def _disprove(facts: Facts) -> _StepParts:
    if not facts.leaders:
        if facts.rated:
            sentence = "Nothing leads until all hypotheses are rated on the same rows. Rate each row across."
            return "open", sentence, "Rate the rest", "Matrix", "unrated"
        sentence = "Nothing leads yet. A hypothesis falls by what speaks against it; what agrees with it proves little."
        return "open", sentence, "Rate the cells", "Matrix", ""
    untouched_leaders = [hypothesis for hypothesis in facts.leaders if hypothesis in facts.unattacked]
    if untouched_leaders:
        sentence = (
            f"Nothing speaks against {_join(untouched_leaders)} yet. Look for what would refute it before you trust it."
        )
        return "open", sentence, "Search for what refutes it", "Search", ""
    if facts.assumptions == 0:
        sentence = (
            "Which assumptions carry the conclusion? Write down the ones that would overturn it if they were wrong."
        )
        return "partly", sentence, "Write an assumption", "Hypotheses", "assumptions"
    if len(facts.leaders) > 1:
        sentence = f"{_join(facts.leaders)} cannot be separated by what is rated now. That is an answer, too."
    else:
        sentence = f"{facts.leaders[0]} has least against it; {_count(facts.assumptions, 'assumption')} noted."
    return "done", sentence, "Show the assumptions", "Hypotheses", "assumptions"


def _sensitivity(facts: Facts) -> _StepParts:
    if facts.rated and not facts.leaders:
        sentence = "Nothing leads yet, so nothing depends on a row: rate all hypotheses on the same rows first."
        return "open", sentence, "Rate the rest", "Matrix", "unrated"
    if not facts.rated or "sensitivity" not in facts.looked:
        if facts.linchpins:
            sentence = f"The conclusion depends on {_join(facts.linchpins)}. Check these sources first."
        else:
            sentence = "See how far the conclusion depends on a few rows, and what changes if one of them is wrong."
        return "open", sentence, "See what it depends on", "Matrix", "sensitivity"
    if facts.premortems == 0:
        sentence = "Imagine a year from now that the conclusion turned out wrong. Write down how that came about."
        return "partly", sentence, "Write a premortem", "Hypotheses", "premortem"
    hangs = f"depends on {_join(facts.linchpins)}" if facts.linchpins else "depends on no single row"
    return "done", f"The conclusion {hangs}.", "See what it depends on", "Matrix", "sensitivity"


def _report(facts: Facts) -> _StepParts:
    if facts.since_report is None:
        sentence = "Report how all hypotheses stand, not only the leading one, and what speaks against each."
        return "open", sentence, "Go to the report", "Report", ""
    if facts.since_report:
        sentence = f"{_count(facts.since_report, 'decision')} made since the last report."
        return "partly", sentence, "Go to the report", "Report", ""
    return "done", "The last report is up to date.", "Go to the report", "Report", ""


def _milestones(facts: Facts) -> _StepParts:
    if facts.indicators == 0:
        sentence = "What would you see if events took another course? Save a search for it: new documents are flagged."
        return "open", sentence, "Add an indicator", "Hypotheses", "indicators"
    if facts.new_documents:
        many = "1 new document" if facts.new_documents == 1 else f"{facts.new_documents:,} new documents"
        sentence = f"{many} found by the indicators. Does any of them change the ranking?"
        return "partly", sentence, "Look at what is new", "Hypotheses", "indicators"
    sentence = f"{_count(facts.indicators, 'indicator')} watched; nothing new."
    return "done", sentence, "Show the indicators", "Hypotheses", "indicators"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _join(names: Sequence[str], limit: int = 4) -> str:
    """Join ids: 'E1', 'E1 and E2', 'E1, E2, E3, E4 and 7 more'."""
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
