"""What the machine proposes as evidence, with the verdicts of models, and what people make of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from core.domain import EARLIER, OtherVerdict, Proposal, Quote, Rating, Suggestion, Verdict
from core.errors import BadInput, NoSuchItem, QuoteNotProven
from core.store import decision_log, values
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.documents import TITLE
from core.store.evidence import BLANK, EvidenceTable
from core.store.log import DecisionLog
from core.store.quotes import QuoteProof, parts_of, quote_of, quoting
from core.store.ratings import RatingTable
from core.store.records import Fields, Records, proven
from core.store.values import probabilities_of

_SHARES = ("supports", "contradicts", "neutral")
_DOCUMENT, _PAGE = map(decision_log.TABLES["proposal"].columns.index, ("document", "page_id"))
_PROPOSAL_OF_OTHER = decision_log.TABLES["other_verdict"].columns.index("proposal")


class ProposalTable:
    """Proposals, other verdicts on them, and their acceptance."""

    def __init__(
        self,
        db: Database,
        log: DecisionLog,
        records: Records,
        quotes: QuoteProof,
        evidence: EvidenceTable,
        ratings: RatingTable,
    ) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._quotes = quotes
        self._evidence = evidence
        self._ratings = ratings
        self._made: dict[str, tuple[object, Proposal]] = {}  # by id: what a listed one was made of, and the proposal

    def all(
        self, *, hypothesis: str | None = None, status: str | None = None, document: str | None = None
    ) -> list[Proposal]:
        """List proposals, of one hypothesis, status or document or of all, in order of id.

        One that is as it was is the same object as the last time: a large case is listed again with each passage that
        is judged. They are made when the lock is released, so that nobody waits for it meanwhile.
        """
        conditions = (("hypothesis", hypothesis), ("status", status), ("document", document))
        filters = [(name, value) for name, value in conditions if value is not None]
        where, values = " AND ".join(f"{name} = ?" for name, _ in filters), [value for _, value in filters]
        of_these = f"FROM proposal WHERE {where or 'TRUE'}"
        with self._db.reading() as db:
            rows = self._records.fields("proposal", where, values)
            sql = f"SELECT id, name, {TITLE} FROM document WHERE id IN (SELECT document {of_these})"
            names = {id_: (name, title) for id_, name, title in db.execute(sql, values)}
            sql = f"SELECT id, source FROM page WHERE source <> 'embedded' AND id IN (SELECT page_id {of_these})"
            sources = dict(db.execute(sql, values))
            verdicts_by_proposal: dict[str, list[Fields]] = {}
            condition = f"proposal IN (SELECT id {of_these})" if filters else ""
            for fields in self._records.fields("other_verdict", condition, values):
                verdicts_by_proposal.setdefault(fields[_PROPOSAL_OF_OTHER], []).append(fields)
        return [
            self._listed(
                fields,
                names[fields[_DOCUMENT]],
                sources.get(fields[_PAGE], "embedded"),
                verdicts_by_proposal.get(fields[0], []),
            )
            for fields in rows
        ]

    def _listed(self, fields: Fields, names: tuple[str, str], source: str, other_verdicts: list[Fields]) -> Proposal:
        """Return the proposal that these are of, rebuilt if any of them is another than the last time."""
        parts = fields, names, source, other_verdicts
        former = self._made.get(fields[0])
        if former is not None and former[0] == parts:
            return former[1]
        verdicts = [_other_verdict(proven("other_verdict", other)) for other in other_verdicts]
        proposal = _proposal(proven("proposal", fields), names, source, verdicts)
        self._made[fields[0]] = parts, proposal
        return proposal

    def statuses(self) -> dict[str, str]:
        """Return the status of each proposal by its id."""
        with self._db.reading() as db:
            return dict(db.execute("SELECT CAST(id AS TEXT), CAST(status AS TEXT) FROM proposal"))

    def get(self, proposal: str) -> Proposal:
        """Return a proposal. Raises NoSuchItem."""
        with self._db.reading() as db:
            row = self._records.require("proposal", proposal)
            sql = f"SELECT name, {TITLE} FROM document WHERE id = ?"
            ((name, title),) = db.execute(sql, (row["document"],))
            other_verdicts = self._records.rows("other_verdict", "proposal = ?", (proposal,))
            source = db.execute("SELECT source FROM page WHERE id = ?", (row["page_id"],)).get
        return _proposal(row, (str(name), str(title)), source, [_other_verdict(verdict) for verdict in other_verdicts])

    def put(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Keep what the machine proposes; one for each hypothesis and span of a page.

        A pending one that is already there gets the new verdict, and that of another model is kept beside it; a
        decided one stays as it is. Gives the stored proposals in the same order. Raises QuoteNotProven, NoSuchItem.
        """
        with self._db.transaction():
            change = ChangeSet()
            ids = [self._put_proposal(change, proposal) for proposal in proposals]
            self._log.append_change("propose", change)
            return [self.get(identity) for identity in ids]

    def _put_proposal(self, change: ChangeSet, proposal: Proposal) -> str:
        quote = proposal.quote
        self._records.require("hypothesis", proposal.hypothesis)
        if quote.more:
            raise QuoteNotProven(page=quote.page, document=quote.document)  # a passage lies on one page
        self._quotes.prove(quote)
        chunk = self._db.execute("SELECT document FROM chunk WHERE id = ?", (proposal.chunk,)).get
        if chunk != quote.document:
            raise NoSuchItem(kind="passage", id=str(proposal.chunk), listing="documents")
        existing = self._records.rows(
            "proposal",
            'hypothesis = ? AND page_id = ? AND start = ? AND "end" = ?',
            (proposal.hypothesis, quote.page_id, quote.start, quote.end),
        )
        if existing and existing[0]["status"] != "pending":
            return str(existing[0]["id"])
        identity = str(existing[0]["id"]) if existing else f"P{self._db.number('proposal')}"
        row: Row = {
            "id": identity,
            "hypothesis": proposal.hypothesis,
            "chunk": proposal.chunk,
            "document": quote.document,
            "page_id": quote.page_id,
            "page": quote.page,
            "start": quote.start,
            "end": quote.end,
            "quote": quote.text,
            "page_sha256": quote.page_sha256,
            **_verdict_row(proposal.verdict),
            "similarity": None if proposal.similarity is None else float(proposal.similarity),
            "vector_rank": proposal.vector_rank,
            "lexical_rank": proposal.lexical_rank,
            "explanation": clean(proposal.explanation),
            "status": "pending",
            "possible_duplicate": proposal.possible_duplicate,
        }
        if existing:
            self._keep_earlier(change, existing[0], str(row["model"]))
        self._records.put(change, "proposal", row)
        return identity

    def _keep_earlier(self, change: ChangeSet, row: Row, model: str) -> None:
        """Put the present verdict beside a proposal, before ``model`` gives it another, if it is not its own."""
        identity = str(row["id"])
        self._records.delete_cascade(change, "other_verdict", f"{identity}/{model}")
        if row["model"] != model:
            verdict = {column: row[column] for column in ("model", "label", *_SHARES, "explanation")}
            self._records.put(
                change, "other_verdict", {**verdict, "proposal": identity, "role": EARLIER, "at": self._db.now()}
            )

    def put_verdicts_again(self, verdicts: Mapping[str, tuple[Verdict, str]]) -> None:
        """Store the verdict and explanation of another model on pending proposals.

        That of the model before is kept beside it. A decided one stays as it is. Raises NoSuchItem.
        """
        with self._db.transaction():
            change = ChangeSet()
            for identity, (verdict, explanation) in verdicts.items():
                row = self._records.require("proposal", identity)
                if row["status"] == "pending":
                    self._keep_earlier(change, row, clean(verdict.model))
                    self._records.put(
                        change, "proposal", {**row, **_verdict_row(verdict), "explanation": clean(explanation)}
                    )
            self._log.append_change(decision_log.AGAIN, change)

    def put_other_verdicts(self, verdicts: Sequence[OtherVerdict]) -> None:
        """Keep what another model said of the passages of proposals, whatever became of these.

        One of the proposal's own model is left out. Raises NoSuchItem.
        """
        with self._db.transaction():
            change = ChangeSet()
            for verdict in verdicts:
                model = clean(verdict.verdict.model)
                if self._records.require("proposal", verdict.proposal)["model"] == model:
                    continue
                row: Row = {"proposal": verdict.proposal, "role": verdict.role, **_verdict_row(verdict.verdict)}
                row |= {"explanation": clean(verdict.explanation), "at": verdict.at}
                existing = self._records.row("other_verdict", f"{verdict.proposal}/{model}")
                if existing is None or {**existing, "at": verdict.at} != row:
                    self._records.put(change, "other_verdict", row)
            self._log.append_change(decision_log.SECOND, change)

    def accept_row(
        self,
        proposals: Collection[str],
        quote: Quote,
        *,
        suggestions: Sequence[Suggestion] = (),
        ratings: Mapping[str, Rating] | None = None,
        aside: Collection[str] = (),
    ) -> str:
        """Make one row of evidence of the proposals of a passage, and return its id.

        ``quote`` is what the row quotes; the same span is the same evidence. ``ratings`` are one's own, by hypothesis;
        ``aside`` are proposals that are rejected with the same decision, unless they were accepted.
        Raises NoSuchItem, QuoteNotProven, BadRating; then nothing is accepted.
        """
        with self._db.transaction():
            change = ChangeSet()
            self._quotes.prove(quote)
            rows = [self._records.require("proposal", identity) for identity in dict.fromkeys(proposals)]
            cosines = [float(str(row["similarity"])) for row in rows if row["similarity"] is not None]
            evidence = self._row_of(quote) or self._add_row(
                change, quote, str(rows[0]["id"]) if rows else None, max(cosines, default=None)
            )
            for row in rows:
                self._records.put(change, "proposal", {**row, "status": "accepted"})
            for identity in dict.fromkeys(aside):
                row = self._records.require("proposal", identity)
                if row["status"] == "pending":
                    self._records.put(change, "proposal", {**row, "status": "rejected"})
            for suggestion in suggestions:
                self._ratings.put_suggestion(change, suggestion, evidence)
            self._ratings.put_own(change, [(evidence, h, rating) for h, rating in (ratings or {}).items()])
            self._log.append_change(decision_log.ACCEPT_ROW, change)
            return evidence

    def _row_of(self, quote: Quote) -> str | None:
        """Return the row of evidence that quotes the same span."""
        where = 'page_id = ? AND start = ? AND "end" = ?'
        same = self._records.rows("evidence", where, (quote.page_id, quote.start, quote.end))
        return str(same[0]["id"]) if same else None

    def _add_row(self, change: ChangeSet, quote: Quote, proposal: str | None, similarity: float | None) -> str:
        """Make a row of evidence of a proven quote, in the transaction that is open, and return its id."""
        identity = f"E{self._db.number('evidence')}"
        name = self._db.execute("SELECT name FROM document WHERE id = ?", (quote.document,)).get
        row: Row = {"id": identity, "text": quote.text, "source": name, "method": "corpus", "proposal": proposal}
        row |= {"similarity": similarity, "created_by": self._log.who, "created_at": self._db.now()}
        new = quoting({**BLANK, **row}, quote.document, parts_of(quote))
        self._records.put(change, "evidence", self._evidence.new_from(new, quote.document))
        return identity

    def accept(self, proposals: Collection[str], *, suggestions: Sequence[Suggestion] = ()) -> list[tuple[str, str]]:
        """Make evidence of proposals: (evidence id, proposal id) pairs in order. The same span is the same evidence.

        ``suggestions`` are kept beside the ratings; their ``evidence`` may be the id of an accepted proposal. Raises
        NoSuchItem, BadRating; then nothing is accepted.
        """
        with self._db.transaction():
            change = ChangeSet()
            pairs: list[tuple[str, str]] = []
            for identity in dict.fromkeys(proposals):
                row = self._records.require("proposal", identity)
                quote = quote_of(row)
                evidence = self._row_of(quote)
                if evidence is None:
                    self._quotes.prove(quote)
                    evidence = self._add_row(change, quote, identity, row["similarity"])  # type: ignore[arg-type]
                self._records.put(change, "proposal", {**row, "status": "accepted"})
                pairs.append((evidence, identity))
            evidence_of = {proposal: evidence for evidence, proposal in pairs}
            for suggestion in suggestions:
                self._ratings.put_suggestion(
                    change, suggestion, evidence_of.get(suggestion.evidence, suggestion.evidence)
                )
            self._log.append_change("accept", change)
            return pairs

    def reject(self, proposals: Collection[str]) -> None:
        """Put proposals aside. Raises NoSuchItem, and BadInput for one that is evidence already: then nothing is."""
        with self._db.transaction():
            change = ChangeSet()
            for identity in dict.fromkeys(proposals):
                row = self._records.require("proposal", identity)
                if row["status"] == "accepted":
                    raise BadInput(
                        reason=f"{identity} was accepted and is evidence now; nothing was rejected.",
                        remedy="Undo the acceptance or remove the evidence first.",
                    )
                self._records.put(change, "proposal", {**row, "status": "rejected"})
            self._log.append_change("reject", change)

    def as_judged(self, row: Row, key: str) -> Row:
        """Return a proposal's row as it was, with the verdict it has now: another model may have judged it since."""
        existing = self._records.stored_row("proposal", key)  # where it stands may be parked, which no row says
        if existing is None or existing["model"] == row["model"]:
            return row
        verdict = {column: existing[column] for column in ("model", "label", *_SHARES, "explanation")}
        return values.prove("proposal", key, {**row, **verdict})


def _verdict_row(verdict: Verdict) -> Row:
    p = verdict.probabilities
    row: Row = {"label": verdict.label, "model": clean(verdict.model)}
    return {**row, "supports": float(p.supports), "contradicts": float(p.contradicts), "neutral": float(p.neutral)}


def verdict_of(row: Row) -> Verdict:
    """Return the verdict that a row holds."""
    return Verdict(row["label"], probabilities_of(row), row["model"])  # type: ignore[arg-type]


def _other_verdict(row: Row) -> OtherVerdict:
    texts = (str(row[column]) for column in ("explanation", "at"))
    return OtherVerdict(str(row["proposal"]), str(row["role"]), verdict_of(row), *texts)


def _proposal(row: Row, names: tuple[str, str], source: str, other_verdicts: Sequence[OtherVerdict]) -> Proposal:
    """Return a proposal from its row, with the name and the title of its document and the source of its page."""
    columns = ("id", "hypothesis", "chunk", "similarity", "vector_rank", "lexical_rank", "explanation", "status")
    return Proposal(
        **{column: row[column] for column in columns},  # type: ignore[arg-type]
        quote=quote_of(row),
        name=names[0],
        title=" ".join(names[1].split()),
        verdict=verdict_of(row),
        possible_duplicate=row["possible_duplicate"],  # type: ignore[arg-type]
        others=tuple(sorted(other_verdicts, key=lambda verdict: (verdict.at, verdict.verdict.model))),
        source=source,
    )
