"""What people decide, and what the machine suggests to them. Every change is one transaction with one log entry."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import get_args

import apsw

from core.domain import (
    RATINGS,
    Assessment,
    Evidence,
    Hypothesis,
    Level,
    LogEntry,
    Probabilities,
    Proposal,
    Quote,
    Rating,
    Suggestion,
    Verdict,
)
from core.errors import BadInput, BadRating, CaseCorrupt, NoSuchItem, QuoteNotProven
from core.store import connect, log
from core.store.index import Index
from core.store.log import Row, Rows
from core.store.storage import clean

_LEVELS = (None, *get_args(Level))
_BY_NUMBER = "ORDER BY CAST(substr(id, 2) AS INTEGER)"
_EVIDENCE_FIELDS = tuple(column for column in log.TABLES["evidence"].columns if column != "page_sha256")


class _Change:
    """Rows as they were and as they are, gathered while a verb runs."""

    def __init__(self) -> None:
        self.before: Rows = {}
        self.after: Rows = {}

    def note(self, table: str, key: str, before: Row | None, after: Row | None) -> None:
        # A row changed twice in one verb: what it was at first counts.
        self.before.setdefault(table, {}).setdefault(key, before)
        self.after.setdefault(table, {})[key] = after

    def __bool__(self) -> bool:
        return self.before != self.after


class Decisions(Index):
    """Hypotheses, proposals, evidence, ratings, and the log that tells how they came about."""

    # --- rows --------------------------------------------------------------------------------------------------------

    def _row(self, table: str, key: str) -> Row | None:
        shape = log.TABLES[table]
        keys = key.split("/") if len(shape.key) > 1 else [key]
        where = " AND ".join(f'"{column}" = ?' for column in shape.key)
        found = self._db.execute(f"SELECT {_columns(shape)} FROM {table} WHERE {where}", tuple(keys)).fetchone()
        return None if found is None else dict(zip(shape.columns, found, strict=True))

    def _rows(self, table: str, where: str = "", bindings: Sequence[object] = ()) -> list[Row]:
        shape = log.TABLES[table]
        order = " ".join(("", _BY_NUMBER)) if shape.key == ("id",) else ""
        sql = f"SELECT {_columns(shape)} FROM {table}" + (f" WHERE {where}" if where else "") + order
        return [dict(zip(shape.columns, row, strict=True)) for row in self._db.execute(sql, tuple(bindings))]

    def _put(self, change: _Change, table: str, row: Row) -> None:
        """Write a row, new or not, and note it."""
        shape = log.TABLES[table]
        key = shape.key_of(row)
        before = self._row(table, key)
        if before == row:
            return
        keys = ", ".join(f'"{column}"' for column in shape.key)
        others = [column for column in shape.columns if column not in shape.key]
        updates = ", ".join(f'"{column}" = excluded."{column}"' for column in others)
        self._db.execute(
            f"INSERT INTO {table} ({_columns(shape)}) VALUES ({', '.join('?' * len(shape.columns))}) "
            f"ON CONFLICT ({keys}) DO UPDATE SET {updates}",
            tuple(row[column] for column in shape.columns),
        )
        change.note(table, key, before, row)

    def _take_out(self, change: _Change, table: str, key: str) -> None:
        """Delete a row with those that hang on it, and note them."""
        before = self._row(table, key)
        if before is None:
            return
        if table in ("hypothesis", "evidence"):
            for dependent in ("proposal", "rating", "suggestion"):
                if table in log.TABLES[dependent].columns:
                    for row in self._rows(dependent, f"{table} = ?", (key,)):
                        self._take_out(change, dependent, log.TABLES[dependent].key_of(row))
        shape = log.TABLES[table]
        keys = key.split("/") if len(shape.key) > 1 else [key]
        self._db.execute(
            f"DELETE FROM {table} WHERE " + " AND ".join(f'"{column}" = ?' for column in shape.key), tuple(keys)
        )
        change.note(table, key, before, None)

    def _must(self, table: str, key: str) -> Row:
        row = self._row(table, key)
        if row is None:
            listing = {"hypothesis": "hypothesis", "proposal": "propose", "evidence": "evidence"}.get(table, table)
            raise NoSuchItem(kind=table, id=key, listing=listing)
        return row

    def _log_change(self, verb: str, change: _Change) -> LogEntry | None:
        """One entry for what changed; none when nothing did."""
        return self._append(verb, change.before, change.after) if change else None

    # --- title and hypotheses ----------------------------------------------------------------------------------------

    def title(self) -> str:
        with self._reading():
            row = self._row("about", "case")
            return str(row["title"]) if row else ""

    def set_title(self, title: str) -> None:
        with self._writing():
            change = _Change()
            self._put(change, "about", {"id": "case", "title": clean(title)})
            self._log_change("set title", change)

    def hypotheses(self) -> list[Hypothesis]:
        with self._reading():
            return [_hypothesis(row) for row in self._rows("hypothesis")]

    def hypothesis(self, hypothesis: str) -> Hypothesis:
        """Raises NoSuchItem."""
        with self._reading():
            return _hypothesis(self._must("hypothesis", hypothesis))

    def add_hypothesis(self, text: str, *, note: str = "") -> Hypothesis:
        with self._writing():
            change = _Change()
            row: Row = {"id": f"H{self._number('hypothesis')}", "text": clean(text), "note": clean(note)}
            self._put(change, "hypothesis", row)
            self._log_change("add hypothesis", change)
            return _hypothesis(row)

    def edit_hypothesis(self, hypothesis: str, *, text: str, note: str) -> None:
        with self._writing():
            change = _Change()
            row = self._must("hypothesis", hypothesis)
            self._put(change, "hypothesis", {**row, "text": clean(text), "note": clean(note)})
            self._log_change("edit hypothesis", change)

    def remove_hypothesis(self, hypothesis: str) -> None:
        """Take it out with its proposals, ratings and suggestions; evidence stays, it may speak to other hypotheses."""
        with self._writing():
            change = _Change()
            self._must("hypothesis", hypothesis)
            self._take_out(change, "hypothesis", hypothesis)
            self._log_change("remove hypothesis", change)

    # --- proposals ---------------------------------------------------------------------------------------------------

    def proposals(self, *, hypothesis: str | None = None, status: str | None = None) -> list[Proposal]:
        """In order of id."""
        wanted = [
            (name, value) for name, value in (("hypothesis", hypothesis), ("status", status)) if value is not None
        ]
        with self._reading() as db:
            rows = self._rows("proposal", " AND ".join(f"{name} = ?" for name, _ in wanted), [v for _, v in wanted])
            names = dict(db.execute("SELECT id, name FROM document"))
            return [_proposal(row, names) for row in rows]

    def proposal(self, proposal: str) -> Proposal:
        """Raises NoSuchItem."""
        with self._reading() as db:
            row = self._must("proposal", proposal)
            return _proposal(row, dict(db.execute("SELECT id, name FROM document WHERE id = ?", (row["document"],))))

    def put_proposals(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Keep what the machine proposes; one for each hypothesis and span of a page.

        A pending one that is already there gets the new verdict, a decided one stays as it is. Gives the stored
        proposals in the same order. Raises QuoteNotProven, NoSuchItem.
        """
        with self._writing():
            change = _Change()
            kept = [self._put_proposal(change, proposal) for proposal in proposals]
            self._log_change("propose", change)
            return [self.proposal(identity) for identity in kept]

    def _put_proposal(self, change: _Change, proposal: Proposal) -> str:
        quote = proposal.quote
        self._must("hypothesis", proposal.hypothesis)
        self._prove_quote(quote)
        chunk = self._db.execute("SELECT document FROM chunk WHERE id = ?", (proposal.chunk,)).get
        if chunk != quote.document:
            raise NoSuchItem(kind="passage", id=str(proposal.chunk), listing="documents")
        there = self._rows(
            "proposal",
            'hypothesis = ? AND page_id = ? AND start = ? AND "end" = ?',
            (proposal.hypothesis, quote.page_id, quote.start, quote.end),
        )
        if there and there[0]["status"] != "pending":
            return str(there[0]["id"])
        identity = str(there[0]["id"]) if there else f"P{self._number('proposal')}"
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
            "label": proposal.verdict.label,
            "supports": float(proposal.verdict.probabilities.supports),
            "contradicts": float(proposal.verdict.probabilities.contradicts),
            "neutral": float(proposal.verdict.probabilities.neutral),
            "model": clean(proposal.verdict.model),
            "similarity": None if proposal.similarity is None else float(proposal.similarity),
            "vector_rank": proposal.vector_rank,
            "lexical_rank": proposal.lexical_rank,
            "explanation": clean(proposal.explanation),
            "status": "pending",
            "possible_duplicate": proposal.possible_duplicate,
        }
        self._put(change, "proposal", row)
        return identity

    def _prove_quote(self, quote: Quote) -> None:
        """The last gate: a quote is a stretch of the page that is stored, or it is not kept."""
        page = self.page_by_id(quote.page_id)
        proven = (
            0 <= quote.start < quote.end <= len(page.text)
            and page.text[quote.start : quote.end] == quote.text
            and (page.sha256, page.document, page.number) == (quote.page_sha256, quote.document, quote.page)
        )
        if not proven:
            raise QuoteNotProven(page=quote.page, document=quote.document)

    def accept(self, proposals: Collection[str], *, suggestions: Sequence[Suggestion] = ()) -> list[tuple[str, str]]:
        """Make evidence of proposals: (evidence id, proposal id) pairs in order. The same span is the same evidence.

        ``suggestions`` are kept beside the ratings; their ``evidence`` may be the id of an accepted proposal. Raises
        NoSuchItem, BadRating; then nothing is accepted.
        """
        with self._writing() as db:
            change = _Change()
            pairs: list[tuple[str, str]] = []
            for identity in dict.fromkeys(proposals):
                row = self._must("proposal", identity)
                where = 'page_id = ? AND start = ? AND "end" = ?'
                there = self._rows("evidence", where, (row["page_id"], row["start"], row["end"]))
                if there:
                    evidence = str(there[0]["id"])
                else:
                    self._prove_quote(_quote(row))
                    evidence = f"E{self._number('evidence')}"
                    name = db.execute("SELECT name FROM document WHERE id = ?", (row["document"],)).get
                    copied = ("document", "page_id", "page", "start", "end", "quote", "page_sha256", "similarity")
                    self._put(
                        change,
                        "evidence",
                        {
                            "id": evidence,
                            "text": row["quote"],
                            "source": name,
                            "method": "corpus",
                            "credibility": None,
                            "relevance": None,
                            **{column: row[column] for column in copied},
                            "proposal": identity,
                            "created_by": self.who,
                            "created_at": self.now(),
                        },
                    )
                self._put(change, "proposal", {**row, "status": "accepted"})
                pairs.append((evidence, identity))
            evidence_of = {proposal: evidence for evidence, proposal in pairs}
            for suggestion in suggestions:
                self._put_suggestion(change, suggestion, evidence_of.get(suggestion.evidence, suggestion.evidence))
            self._log_change("accept", change)
            return pairs

    def _put_suggestion(self, change: _Change, suggestion: Suggestion, evidence: str) -> None:
        self._must("evidence", evidence)
        self._must("hypothesis", suggestion.hypothesis)
        there = self._row("suggestion", f"{evidence}/{suggestion.hypothesis}")
        row: Row = {
            "evidence": evidence,
            "hypothesis": suggestion.hypothesis,
            "rating": _rating(suggestion.rating),
            "model": clean(suggestion.model),
            "supports": float(suggestion.probabilities.supports),
            "contradicts": float(suggestion.probabilities.contradicts),
            "neutral": float(suggestion.probabilities.neutral),
            "at": suggestion.at,
        }
        if there is None or {**there, "at": row["at"]} != row:
            self._put(change, "suggestion", row)

    def reject(self, proposals: Collection[str]) -> None:
        """Put proposals aside. Raises NoSuchItem, and BadInput for one that is evidence already: then nothing is."""
        with self._writing():
            change = _Change()
            for identity in dict.fromkeys(proposals):
                row = self._must("proposal", identity)
                if row["status"] == "accepted":
                    raise BadInput(
                        reason=f"{identity} was accepted and is evidence now; nothing was rejected.",
                        remedy="Undo the acceptance or remove the evidence first.",
                    )
                self._put(change, "proposal", {**row, "status": "rejected"})
            self._log_change("reject", change)

    # --- evidence ----------------------------------------------------------------------------------------------------

    def evidence(self) -> list[Evidence]:
        with self._reading():
            return [_evidence(row) for row in self._rows("evidence")]

    def add_evidence(
        self,
        *,
        text: str,
        source: str,
        credibility: Level | None = None,
        relevance: Level | None = None,
        quote: Quote | None = None,
    ) -> Evidence:
        """A row by hand, with a quote or without. A span that is evidence already gives that row, unchanged.

        Raises QuoteNotProven, BadInput.
        """
        with self._writing():
            change = _Change()
            row: Row = dict.fromkeys(log.TABLES["evidence"].columns)
            if quote is not None:
                self._prove_quote(quote)
                there = self._rows(
                    "evidence", 'page_id = ? AND start = ? AND "end" = ?', (quote.page_id, quote.start, quote.end)
                )
                if there:
                    return _evidence(there[0])
                row |= {"document": quote.document, "page_id": quote.page_id, "page": quote.page}
                row |= {"start": quote.start, "end": quote.end, "quote": quote.text, "page_sha256": quote.page_sha256}
            row |= {
                "id": f"E{self._number('evidence')}",
                "text": clean(text),
                "source": clean(source),
                "method": "manual",
                "credibility": _level(credibility),
                "relevance": _level(relevance),
                "created_by": self.who,
                "created_at": self.now(),
            }
            self._put(change, "evidence", row)
            self._log_change("add evidence", change)
            return _evidence(row)

    def grade(
        self,
        evidence: str,
        *,
        credibility: Level | None,
        relevance: Level | None,
        source: str | None = None,
        text: str | None = None,
    ) -> None:
        """Set both grades (None: not graded), and source and text where they are given."""
        with self._writing():
            change = _Change()
            row = self._must("evidence", evidence)
            row |= {"credibility": _level(credibility), "relevance": _level(relevance)}
            if source is not None:
                row["source"] = clean(source)
            if text is not None:
                row["text"] = clean(text)
            self._put(change, "evidence", row)
            self._log_change("grade", change)

    def remove_evidence(self, evidence: str) -> None:
        """Take it out with its ratings; the proposals it came from are pending again."""
        with self._writing():
            change = _Change()
            row = self._must("evidence", evidence)
            if row["page_id"] is not None:
                where = "page_id = ? AND start = ? AND \"end\" = ? AND status = 'accepted'"
                for proposal in self._rows("proposal", where, (row["page_id"], row["start"], row["end"])):
                    self._put(change, "proposal", {**proposal, "status": "pending"})
            self._take_out(change, "evidence", evidence)
            self._log_change("remove evidence", change)

    # --- ratings -----------------------------------------------------------------------------------------------------

    def rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> None:
        """Rate one cell; None clears it. Raises NoSuchItem, BadRating."""
        with self._writing():
            change = _Change()
            self._must("evidence", evidence)
            self._must("hypothesis", hypothesis)
            key = f"{evidence}/{hypothesis}"
            there = self._row("rating", key)
            if rating is None:
                self._take_out(change, "rating", key)
            elif there is None or there["rating"] != _rating(rating):
                row: Row = {"evidence": evidence, "hypothesis": hypothesis, "rating": _rating(rating)}
                self._put(change, "rating", {**row, "by": self.who, "at": self.now()})
            self._log_change("rate", change)

    def assessments(self) -> list[Assessment]:
        """Every rating of a person, by evidence and hypothesis."""
        with self._reading():
            rows = sorted(self._rows("rating"), key=_cell)
            return [Assessment(**row) for row in rows]  # type: ignore[arg-type]

    def suggestions(self) -> list[Suggestion]:
        """Every rating of a model, by evidence and hypothesis."""
        with self._reading():
            return [
                Suggestion(
                    evidence=str(row["evidence"]),
                    hypothesis=str(row["hypothesis"]),
                    rating=_rating(row["rating"]),
                    model=str(row["model"]),
                    probabilities=_probabilities(row),
                    at=str(row["at"]),
                )
                for row in sorted(self._rows("suggestion"), key=_cell)
            ]

    # --- undo --------------------------------------------------------------------------------------------------------

    def undo(self) -> LogEntry | None:
        """Take back the last decision of a person; the new entry has its verb. None when there is none."""
        with self._writing():
            return self._take_back(self._history.undo[-1]) if self._history.undo else None

    def redo(self) -> LogEntry | None:
        """Do again what was undone last."""
        with self._writing():
            return self._take_back(self._history.redo[-1]) if self._history.redo else None

    def undoable(self) -> LogEntry | None:
        """The entry that ``undo`` would take back."""
        with self._reading():
            return self._entry(self._history.undo[-1]) if self._history.undo else None

    def redoable(self) -> LogEntry | None:
        """The entry that ``redo`` would take back."""
        with self._reading():
            return self._entry(self._history.redo[-1]) if self._history.redo else None

    def _take_back(self, seq: int) -> LogEntry:
        """Put the rows of entry ``seq`` back as they were before it."""
        entry = self._entry(seq)
        change = _Change()
        try:
            if log.digest(entry) != entry.hash:
                raise ValueError("its hash does not fit")
            self._put_back(change, json.loads(entry.before))
        except (KeyError, TypeError, AttributeError, ValueError, apsw.ConstraintError) as error:
            raise CaseCorrupt(
                path=self.path, reason=f"log entry {seq} was altered", backups=connect.backups_of(self.path)
            ) from error
        return self._append(entry.verb, change.before, change.after, undoes=seq)

    def _put_back(self, change: _Change, rows: dict[str, dict[str, Row | None]]) -> None:
        for table in reversed(log.TABLES):
            for key, row in rows.get(table, {}).items():
                if row is None:
                    self._take_out(change, table, key)
        for table in log.TABLES:
            for row in rows.get(table, {}).values():
                if row is not None:
                    self._put(change, table, row)

    def note_export(self, name: str, sha256: str) -> None:
        """Remember that a report left the case, and its hash."""
        with self._writing():
            self._append("export", {}, {"export": {clean(name): {"name": clean(name), "sha256": sha256}}})

    # --- verdicts ----------------------------------------------------------------------------------------------------

    def verdicts(self, model: str, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Probabilities]:
        """Kept verdicts by (sha256 of the passage's text, of the hypothesis's text); unknown pairs are left out."""
        found = {}
        with self._reading() as db:
            number = self._model(model)
            if number is None:
                return {}
            for passage, hypothesis in pairs:
                row = db.execute(
                    "SELECT supports, contradicts, neutral FROM verdict "
                    "WHERE model = ? AND passage = ? AND hypothesis = ?",
                    (number, bytes.fromhex(passage), bytes.fromhex(hypothesis)),
                ).fetchone()
                if row is not None:
                    found[passage, hypothesis] = Probabilities(*row)
        return found

    def put_verdicts(self, model: str, rows: Sequence[tuple[str, str, Probabilities]]) -> None:
        """Keep verdicts, so that the model is asked nothing twice."""
        if not rows:
            return
        with self._writing() as db:
            number = self._keep_model(model, None)
            db.executemany(
                "INSERT INTO verdict (model, passage, hypothesis, supports, contradicts, neutral) "
                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (model, passage, hypothesis) DO UPDATE SET "
                "supports = excluded.supports, contradicts = excluded.contradicts, neutral = excluded.neutral",
                (
                    (
                        *(number, bytes.fromhex(passage), bytes.fromhex(hypothesis)),
                        *(verdict.supports, verdict.contradicts, verdict.neutral),
                    )
                    for passage, hypothesis, verdict in rows
                ),
            )


def _columns(shape: log.Table) -> str:
    return ", ".join(f'"{column}"' for column in shape.columns)


def _cell(row: Mapping[str, object]) -> tuple[int, int]:
    return _number_of(str(row["evidence"])), _number_of(str(row["hypothesis"]))


def _number_of(identity: str) -> int:
    match = re.search(r"\d+$", identity)
    return int(match[0]) if match else 0


def _rating(value: object) -> Rating:
    if value not in RATINGS:
        raise BadRating(value=value)
    return value


def _level(value: str | None) -> str | None:
    if value not in _LEVELS:
        raise BadInput(reason=f"'{value}' is not a grade.", remedy="Use L, M or H.")
    return value


def _hypothesis(row: Row) -> Hypothesis:
    return Hypothesis(**row)  # type: ignore[arg-type]


def _evidence(row: Row) -> Evidence:
    return Evidence(**{column: row[column] for column in _EVIDENCE_FIELDS})  # type: ignore[arg-type]


def _probabilities(row: Row) -> Probabilities:
    return Probabilities(row["supports"], row["contradicts"], row["neutral"])  # type: ignore[arg-type]


def _quote(row: Row) -> Quote:
    return Quote(
        document=row["document"],  # type: ignore[arg-type]
        page_id=row["page_id"],  # type: ignore[arg-type]
        page=row["page"],  # type: ignore[arg-type]
        start=row["start"],  # type: ignore[arg-type]
        end=row["end"],  # type: ignore[arg-type]
        text=row["quote"],  # type: ignore[arg-type]
        page_sha256=row["page_sha256"],  # type: ignore[arg-type]
    )


def _proposal(row: Row, names: Mapping[str, str]) -> Proposal:
    copied = ("id", "hypothesis", "chunk", "similarity", "vector_rank", "lexical_rank", "explanation", "status")
    return Proposal(
        **{column: row[column] for column in copied},  # type: ignore[arg-type]
        quote=_quote(row),
        name=names[str(row["document"])],
        verdict=Verdict(row["label"], _probabilities(row), row["model"]),  # type: ignore[arg-type]
        possible_duplicate=row["possible_duplicate"],  # type: ignore[arg-type]
    )
