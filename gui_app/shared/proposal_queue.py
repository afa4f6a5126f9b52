"""The queue of proposals: which of them are shown, in what order, in which groups. No widget lives here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from core.domain import Label, Proposal
from core.verdicts.labels import hidden_words
from gui_app.shared.formatting import VERDICTS
from gui_app.shared.labels import tooltip
from gui_app.shared.probabilities import probability_of, two_digits

PROPOSAL = int(Qt.ItemDataRole.UserRole)
GROUP = PROPOSAL + 1

# What speaks against a hypothesis first: that is what the method is for.
_ORDER: dict[Label, int] = {"contradicts": 0, "supports": 1, "ambiguous": 2, "neutral": 3}
DISPUTED, OTHER_MODEL = "disputed", "other model"
_STATUS = {"pending": 0, "accepted": 1, "rejected": 2}


@dataclass(frozen=True, slots=True)
class Filter:
    """The choice of what the queue shows; an empty field means everything.

    ``group`` is 'verdict', 'hypothesis' or 'document'; ``verdict`` a label, DISPUTED or OTHER_MODEL; ``only`` are the
    ids of what was picked elsewhere, in ``words``.
    """

    hypothesis: str = ""
    verdict: str = ""
    status: str = "pending"
    group: str = "verdict"
    only: frozenset[str] = frozenset()
    words: str = ""

    def takes(self, proposal: Proposal, others: Collection[str] = ()) -> bool:
        """Return whether a proposal is shown; ``others`` are the models that are not in use."""
        return (
            (not self.only or proposal.id in self.only)
            and (not self.hypothesis or proposal.hypothesis == self.hypothesis)
            and (not self.verdict or self._verdict(proposal, others))
            and (not self.status or proposal.status == self.status)
        )

    def _verdict(self, proposal: Proposal, others: Collection[str]) -> bool:
        if self.verdict == OTHER_MODEL:
            return of_other_model(proposal, others)
        if proposal.is_hidden:
            return False
        return proposal.disputed if self.verdict == DISPUTED else proposal.verdict.label == self.verdict


def sign_label(proposal: Proposal) -> Label:
    """Return the label whose sign is drawn: 'neutral' for a verdict that is not to be seen."""
    return "neutral" if proposal.is_hidden else proposal.verdict.label


def of_other_model(proposal: Proposal, others: Collection[str]) -> bool:
    """Return whether it waits for a decision with a verdict of a model that is not in use, or on other words."""
    return proposal.status == "pending" and (proposal.outdated or proposal.verdict.model in others)


@lru_cache(maxsize=100_000)
def number(identity: str) -> int:
    """Return the figure of an id such as 'H12', for ordering."""
    return int(identity[1:]) if identity[1:].isdigit() else 0


def group_of(proposal: Proposal, group: str) -> str:
    """Return the heading that a proposal is under."""
    if group == "hypothesis":
        return proposal.hypothesis
    if group == "document":
        return proposal.label
    return hidden_reason(proposal) or VERDICTS[proposal.verdict.label]


def hidden_reason(proposal: Proposal) -> str:
    """Return what is in the place of a verdict that is not to be seen; '' for others."""
    return hidden_words(proposal)


def ranks(proposals: Sequence[Proposal]) -> dict[str, int]:
    """Return the place of each proposal by id in the order of review of one status and group; ties go by id."""

    def key(proposal: Proposal) -> tuple[Any, ...]:
        # A hidden verdict must not show in the order either.
        verdict = (
            (4, 0.0) if proposal.is_hidden else (_ORDER[proposal.verdict.label], -probability_of(proposal.verdict))
        )
        return (*verdict, number(proposal.hypothesis), number(proposal.id))

    return {proposal.id: rank for rank, proposal in enumerate(sorted(proposals, key=key))}


def review_order(
    proposals: Sequence[Proposal],
    criteria: Filter,
    others: Collection[str] = (),
    known_ranks: Mapping[str, int] | None = None,
) -> list[Proposal]:
    """List the proposals that pass the filter in the order of review; ``known_ranks`` are those of all proposals."""
    rank = ranks(proposals) if known_ranks is None else known_ranks
    count = len(rank)

    def key(proposal: Proposal) -> Any:
        status = _STATUS.get(proposal.status, 3)
        if criteria.group == "hypothesis":
            return status, number(proposal.hypothesis), rank[proposal.id]
        if criteria.group == "document":
            return status, proposal.name, number(proposal.quote.document), rank[proposal.id]
        return status * count + rank[proposal.id]

    return sorted((proposal for proposal in proposals if criteria.takes(proposal, others)), key=key)


class Queue(QAbstractListModel):
    """The proposals in the order of review as a list model."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Proposal] = []
        self.group = "verdict"
        self.headings: list[str] = []  # above a row: that of its group where a group begins, else ''

    def show(self, rows: list[Proposal], group: str) -> None:
        """Show these proposals below the headings of their groups."""
        self.beginResetModel()
        self.rows, self.group = rows, group
        groups = [group_of(proposal, group) for proposal in rows]
        counts = Counter(groups)
        self.headings = [
            f"{name}  {counts[name]}" if index == 0 or groups[index - 1] != name else ""
            for index, name in enumerate(groups)
        ]
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008
        """Return how many proposals there are."""
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a row shows or says of its proposal, and the heading above it."""
        if not index.isValid():
            return None
        proposal = self.rows[index.row()]
        if role == PROPOSAL:
            return proposal
        if role == GROUP:
            return self.headings[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return " ".join(proposal.quote.text.split())
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{proposal.label}, page {proposal.quote.page}")
        if role == Qt.ItemDataRole.AccessibleTextRole:
            suggests = f"{VERDICTS[proposal.verdict.label]} {two_digits(probability_of(proposal.verdict))}"
            readers = ", the second reader disagrees" if proposal.disputed else ""
            readers = ", the second reader agrees" if proposal.agreed else readers
            verdict = hidden_reason(proposal) or f"the model suggests: {suggests}{readers}"
            return (
                f"{proposal.hypothesis}, {verdict}, {proposal.status}. "
                f"{' '.join(proposal.quote.text.split())}. {proposal.label}, page {proposal.quote.page}"
            )
        return None
