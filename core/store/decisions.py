"""What people decide, and what the machine suggests to them. Every change is one transaction with one log entry."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import lru_cache

import apsw

from core.domain import (
    EARLIER,
    RATINGS,
    Absence,
    Assessment,
    Evidence,
    Hypothesis,
    Level,
    LogEntry,
    OtherVerdict,
    Probabilities,
    Proposal,
    Quote,
    QuotePart,
    Rating,
    Suggestion,
    Verdict,
)
from core.errors import BadInput, BadRating, CaseCorrupt, NoSuchItem, QuoteNotProven
from core.store import connection, decision_log, values
from core.store.anchors import digest_of, verdict_key
from core.store.database import SOMEBODY, clean
from core.store.decision_log import Row, Rows
from core.store.documents import document_of
from core.store.values import CONFIDENCES, EVIDENCE_KINDS, HYPOTHESIS_KINDS, LEVELS
from core.store.word_index import Index

_SHARES = ("supports", "contradicts", "neutral")
_BY_NUMBER = "ORDER BY CAST(substr(id, 2) AS INTEGER)"
EXAM = "exam "  # before a fingerprint: what is known of that model
EDITABLE = frozenset(
    {"text", "source", "date", "credibility", "relevance", "reliability", "information", "upstream", "note", "kind"}
)
# A row of evidence before anything is known of it.
_BLANK: Row = {
    **dict.fromkeys(decision_log.TABLES["evidence"].columns),
    **decision_log.TABLES["evidence"].later,
    "text": "",
    "source": "",
    "method": "manual",
}
_EVIDENCE_FIELDS = tuple(column for column in decision_log.TABLES["evidence"].columns if column != "page_sha256")


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
        row = self._stored_row(table, key)
        return None if row is None else values.proven(table, key, row)

    def _stored_row(self, table: str, key: str) -> Row | None:
        """A row as it stands, whatever it holds."""
        shape = decision_log.TABLES[table]
        where = " AND ".join(f'"{column}" = ?' for column in shape.key)
        sql = f"SELECT {_columns(shape)} FROM {table} WHERE {where}"
        found = self._db.execute(sql, tuple(shape.keys(key))).fetchone()
        return None if found is None else dict(zip(shape.columns, found, strict=True))

    def _rows(self, table: str, where: str = "", bindings: Sequence[object] = ()) -> list[Row]:
        shape = decision_log.TABLES[table]
        order = " ".join(("", _BY_NUMBER)) if shape.key == ("id",) else ""
        sql = f"SELECT {_columns(shape)} FROM {table}" + (f" WHERE {where}" if where else "") + order
        rows = [dict(zip(shape.columns, row, strict=True)) for row in self._db.execute(sql, tuple(bindings))]
        return [values.proven(table, shape.key_of(row), row) for row in rows]

    def _stored_rows(self, table: str) -> list[Row]:
        """Every row as it stands, whatever it holds."""
        shape = decision_log.TABLES[table]
        return [
            dict(zip(shape.columns, row, strict=True)) for row in self._all(f"SELECT {_columns(shape)} FROM {table}")
        ]

    def _put(self, change: _Change, table: str, row: Row) -> None:
        """Write a row, new or not, and note it."""
        shape = decision_log.TABLES[table]
        key = shape.key_of(row)
        before = self._stored_row(table, key)
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
        if table in ("hypothesis", "evidence", "proposal"):
            dependents = ("proposal", "rating", "suggestion", "likelihood", "plan_query", "relevance")
            for dependent in dependents if table != "proposal" else ("other_verdict",):
                if table in decision_log.TABLES[dependent].columns:
                    for row in self._rows(dependent, f"{table} = ?", (key,)):
                        self._take_out(change, dependent, decision_log.TABLES[dependent].key_of(row))
        if table == "hypothesis":  # what was noted about it stays, for the case as a whole
            for row in self._rows("consideration", "hypothesis = ?", (key,)):
                self._put(change, "consideration", {**row, "hypothesis": ""})
        shape = decision_log.TABLES[table]
        where = " AND ".join(f'"{column}" = ?' for column in shape.key)
        self._db.execute(f"DELETE FROM {table} WHERE {where}", tuple(shape.keys(key)))
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
            return [hypothesis_of(row) for row in self._rows("hypothesis")]

    def hypothesis(self, hypothesis: str) -> Hypothesis:
        """Raises NoSuchItem."""
        with self._reading():
            return hypothesis_of(self._must("hypothesis", hypothesis))

    def add_hypothesis(self, text: str, *, note: str = "", kind: str = "") -> Hypothesis:
        """``kind`` is '', 'null' or 'deception'. Raises BadInput."""
        _must_be_kind(kind)
        with self._writing():
            change = _Change()
            row = self._new_hypothesis(change, text, note, kind)
            self._log_change("add hypothesis", change)
            return hypothesis_of(row)

    def _new_hypothesis(self, change: _Change, text: str, note: str, kind: str = "") -> Row:
        row: Row = {"id": f"H{self._number('hypothesis')}", "text": clean(text), "note": clean(note)}
        row |= {"kind": kind, "prior": None}
        self._put(change, "hypothesis", row)
        return row

    def set_hypothesis_kind(self, hypothesis: str, kind: str) -> None:
        """'' (one like others), 'null' or 'deception'. Raises NoSuchItem, BadInput."""
        _must_be_kind(kind)
        with self._writing():
            change = _Change()
            self._put(change, "hypothesis", {**self._must("hypothesis", hypothesis), "kind": kind})
            self._log_change("mark hypothesis", change)

    def set_priors(self, priors: Mapping[str, float] | None) -> None:
        """Probabilities before any evidence, as given (they are normalised where they are used); None takes them away.

        Raises NoSuchItem for an unknown hypothesis.
        """
        with self._writing():
            change = _Change()
            for hypothesis in priors or ():
                self._must("hypothesis", hypothesis)
            for row in self._rows("hypothesis"):
                given = None if priors is None else priors.get(str(row["id"]))
                self._put(change, "hypothesis", {**row, "prior": None if given is None else float(given)})
            self._log_change("set priors", change)

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
            sources = dict(
                db.execute(
                    "SELECT id, source FROM page WHERE source <> 'embedded' AND id IN (SELECT page_id FROM proposal)"
                )
            )
            others: dict[str, list[OtherVerdict]] = {}
            for row in self._rows("other_verdict"):
                others.setdefault(str(row["proposal"]), []).append(_other_verdict(row))
            return [_proposal(row, names, sources, others.get(str(row["id"]), ())) for row in rows]

    def proposal(self, proposal: str) -> Proposal:
        """Raises NoSuchItem."""
        with self._reading() as db:
            row = self._must("proposal", proposal)
            names = dict(db.execute("SELECT id, name FROM document WHERE id = ?", (row["document"],)))
            others = self._rows("other_verdict", "proposal = ?", (proposal,))
            sources = dict(db.execute("SELECT id, source FROM page WHERE id = ?", (row["page_id"],)))
            return _proposal(row, names, sources, [_other_verdict(other) for other in others])

    def put_proposals(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """Keep what the machine proposes; one for each hypothesis and span of a page.

        A pending one that is already there gets the new verdict, and that of another model is kept beside it; a
        decided one stays as it is. Gives the stored proposals in the same order. Raises QuoteNotProven, NoSuchItem.
        """
        with self._writing():
            change = _Change()
            kept = [self._put_proposal(change, proposal) for proposal in proposals]
            self._log_change("propose", change)
            return [self.proposal(identity) for identity in kept]

    def _put_proposal(self, change: _Change, proposal: Proposal) -> str:
        quote = proposal.quote
        self._must("hypothesis", proposal.hypothesis)
        if quote.more:
            raise QuoteNotProven(page=quote.page, document=quote.document)  # a passage lies on one page
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
            **_verdict_row(proposal.verdict),
            "similarity": None if proposal.similarity is None else float(proposal.similarity),
            "vector_rank": proposal.vector_rank,
            "lexical_rank": proposal.lexical_rank,
            "explanation": clean(proposal.explanation),
            "status": "pending",
            "possible_duplicate": proposal.possible_duplicate,
        }
        if there:
            self._keep_earlier(change, there[0], str(row["model"]))
        self._put(change, "proposal", row)
        return identity

    def _keep_earlier(self, change: _Change, row: Row, model: str) -> None:
        """Before ``model`` gives a proposal another verdict: the present one goes beside it if it is not its own."""
        identity = str(row["id"])
        self._take_out(change, "other_verdict", f"{identity}/{model}")
        if row["model"] != model:
            told = {column: row[column] for column in ("model", "label", *_SHARES, "explanation")}
            self._put(change, "other_verdict", {**told, "proposal": identity, "role": EARLIER, "at": self.now()})

    def put_verdicts_again(self, verdicts: Mapping[str, tuple[Verdict, str]]) -> None:
        """Give pending proposals the verdict and explanation of another model; that of the model before is kept beside
        it. A decided one stays as it is. Raises NoSuchItem."""
        with self._writing():
            change = _Change()
            for identity, (verdict, explanation) in verdicts.items():
                row = self._must("proposal", identity)
                if row["status"] == "pending":
                    self._keep_earlier(change, row, clean(verdict.model))
                    self._put(change, "proposal", {**row, **_verdict_row(verdict), "explanation": clean(explanation)})
            self._log_change(decision_log.AGAIN, change)

    def put_other_verdicts(self, verdicts: Sequence[OtherVerdict]) -> None:
        """Keep what another model said of the passages of proposals, whatever became of these. One of the proposal's
        own model is left out. Raises NoSuchItem."""
        with self._writing():
            change = _Change()
            for other in verdicts:
                model = clean(other.verdict.model)
                if self._must("proposal", other.proposal)["model"] == model:
                    continue
                row: Row = {"proposal": other.proposal, "role": other.role, **_verdict_row(other.verdict)}
                row |= {"explanation": clean(other.explanation), "at": other.at}
                there = self._row("other_verdict", f"{other.proposal}/{model}")
                if there is None or {**there, "at": other.at} != row:
                    self._put(change, "other_verdict", row)
            self._log_change(decision_log.SECOND, change)

    def _prove_quote(self, quote: Quote) -> None:
        """The last gate: a quote is a stretch of the page that is stored, or several of pages that follow one another,
        or it is not kept."""
        for number, part in enumerate(parts_of(quote)):
            page = self.page_by_id(part.page_id)
            proven = (
                0 <= part.start < part.end <= len(page.text)
                and page.text[part.start : part.end] == part.text
                and (page.sha256, page.document, page.number) == (part.page_sha256, quote.document, part.page)
                and part.page == quote.page + number
            )
            if not proven:
                raise QuoteNotProven(page=part.page, document=quote.document)

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
                    new: Row = {
                        **_BLANK,
                        "id": evidence,
                        "text": row["quote"],
                        "source": name,
                        "method": "corpus",
                        **{column: row[column] for column in copied},
                        "proposal": identity,
                        "created_by": self.who,
                        "created_at": self.now(),
                    }
                    self._put(change, "evidence", self._new_from(new, str(row["document"])))
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
            return [evidence_of(row) for row in self._rows("evidence")]

    def add_evidence(
        self,
        *,
        text: str,
        source: str,
        credibility: Level | None = None,
        relevance: Level | None = None,
        quote: Quote | None = None,
        absence: Absence | None = None,
        note: str = "",
    ) -> Evidence:
        """A row by hand: with a quote, with the search for what was expected and not found, or with neither.

        A quote that is evidence already gives that row, unchanged. Raises QuoteNotProven, NoSuchItem, BadInput; the
        latter too for a quote that begins with a stretch that is evidence already and goes on otherwise.
        """
        with self._writing():
            change = _Change()
            row: Row = dict(_BLANK)
            if absence is not None:
                self._must("hypothesis", absence.hypothesis)
                row |= {"kind": "absence", "absence": decision_log.canonical(asdict(absence))}
            if quote is not None:
                self._prove_quote(quote)
                there = self._rows(
                    "evidence", 'page_id = ? AND start = ? AND "end" = ?', (quote.page_id, quote.start, quote.end)
                )
                row = quoting(row, quote.document, parts_of(quote))
                if there and there[0]["more"] == row["more"]:
                    return evidence_of(there[0])
                if there:
                    raise BadInput(
                        reason=f"{there[0]['id']} quotes the same words of page {quote.page} and "
                        f"{'ends elsewhere' if there[0]['more'] != '[]' else 'ends there'}; nothing was added.",
                        remedy="Remove that row first, or mark another span.",
                    )
            row |= {
                "id": f"E{self._number('evidence')}",
                "text": clean(text),
                "source": clean(source),
                "method": "manual",
                "credibility": _level(credibility),
                "relevance": _level(relevance),
                "note": clean(note.strip()),
                "created_by": self.who,
                "created_at": self.now(),
            }
            row = self._new_from(row, None if quote is None else quote.document)
            self._put(change, "evidence", row)
            self._log_change("add evidence", change)
            return evidence_of(row)

    def _new_from(self, row: Row, document: str | None) -> Row:
        """A new row of evidence with what was said of its document, where nothing else is said of the row."""
        if document is None:
            return row
        told = document_of(self._must("document", document))
        source = f"{told.origin}: {told.name}" if told.origin and row["source"] in ("", told.name) else row["source"]
        return {
            **row,
            "source": source,
            "reliability": row["reliability"] or told.reliability,
            "information": row["information"] or told.information,
            "date": row["date"] or told.dated,
        }

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
        given = {"source": source, "text": text}
        fields = {name: value for name, value in given.items() if value is not None}
        self.describe([evidence], {"credibility": credibility, "relevance": relevance, **fields}, verb="grade")

    def describe(self, evidence: Collection[str], fields: Mapping[str, str | None], *, verb: str = "describe") -> None:
        """Set fields of rows, the same for all of them, in one entry.

        Fields: text, source, date, credibility, relevance (L, M, H or None), reliability (A-F), information (1-6),
        upstream, note, kind. Raises NoSuchItem, BadInput; then nothing is changed.
        """
        checked = {name: _checked(name, value) for name, value in fields.items()}
        with self._writing():
            change = _Change()
            for identity in dict.fromkeys(evidence):
                self._put(change, "evidence", {**self._must("evidence", identity), **checked})
            self._log_change(verb, change)

    def remove_evidence(self, *evidence: str) -> None:
        """Take rows out with their ratings; the proposals they came from are pending again."""
        with self._writing():
            change = _Change()
            for identity in dict.fromkeys(evidence):
                row = self._must("evidence", identity)
                if row["page_id"] is not None:
                    where = "page_id = ? AND start = ? AND \"end\" = ? AND status = 'accepted'"
                    for proposal in self._rows("proposal", where, (row["page_id"], row["start"], row["end"])):
                        self._put(change, "proposal", {**proposal, "status": "pending"})
                self._take_out(change, "evidence", identity)
            self._log_change("remove evidence", change)

    def add_matrix(
        self,
        hypotheses: Sequence[tuple[str, str]],
        rows: Sequence[tuple[Mapping[str, str | None], Mapping[int, Rating]]],
        *,
        remarks: Mapping[tuple[int, int], tuple[str, str]] | None = None,
    ) -> tuple[list[str], list[str]]:
        """A whole matrix from elsewhere as one entry: (text, note) of hypotheses; fields of evidence as in ``describe``
        with the ratings by position of the hypothesis. A hypothesis whose text is here already is that one.
        ``remarks`` are (note, confidence) of rated cells by the positions of row and hypothesis.

        Gives the ids of the hypotheses and of the rows. Raises BadInput, BadRating; then nothing is added.
        """
        with self._writing():
            change = _Change()
            at = self.now()
            known = {plain(str(row["text"])): str(row["id"]) for row in self._rows("hypothesis")}
            columns = []
            for text, note in hypotheses:
                there = known.get(plain(text))
                # Two of the same name in one file are two; only the case's own are matched.
                columns.append(there or str(self._new_hypothesis(change, text, note)["id"]))
            ids = []
            for position, (fields, ratings) in enumerate(rows):
                row: Row = {**_BLANK, **{name: _checked(name, value) for name, value in fields.items()}}
                row |= {"id": f"E{self._number('evidence')}", "created_by": self.who, "created_at": at}
                self._put(change, "evidence", row)
                ids.append(str(row["id"]))
                for column, rating in ratings.items():
                    note, confidence = (remarks or {}).get((position, column), ("", ""))
                    if confidence not in CONFIDENCES:
                        raise BadInput(reason=f"'{confidence}' is not a confidence.", remedy="Use low, medium, high.")
                    said = self._new_rating(str(row["id"]), columns[column], rating, at)
                    self._put(change, "rating", {**said, "note": clean(note), "confidence": confidence})
            self._log_change("import matrix", change)
            return columns, ids

    # --- ratings -----------------------------------------------------------------------------------------------------

    def _new_rating(self, evidence: str, hypothesis: str, rating: Rating, at: str) -> Row:
        row: Row = {"evidence": evidence, "hypothesis": hypothesis, "rating": _rating(rating), "by": self.who, "at": at}
        return {**row, "note": "", "confidence": ""}

    def rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> None:
        """Rate one cell in one's own name; None clears one's own rating. Raises NoSuchItem, BadRating."""
        self.rate_many([(evidence, hypothesis, rating)])

    def rate_many(self, cells: Iterable[tuple[str, str, Rating | None]]) -> None:
        """Rate cells in one's own name, in one entry. Raises NoSuchItem, BadRating; then none is rated."""
        with self._writing():
            change = _Change()
            at = self.now()
            for evidence, hypothesis, rating in cells:
                self._must("evidence", evidence)
                self._must("hypothesis", hypothesis)
                there = self._row("rating", f"{evidence}/{hypothesis}/{self.who}")
                if self.who != SOMEBODY:
                    # What was rated before anybody gave a name is nobody's opinion beside a signed one.
                    self._take_out(change, "rating", f"{evidence}/{hypothesis}/{SOMEBODY}")
                if rating is None:
                    self._take_out(change, "rating", f"{evidence}/{hypothesis}/{self.who}")
                elif there is None:
                    self._put(change, "rating", self._new_rating(evidence, hypothesis, rating, at))
                elif there["rating"] != _rating(rating):
                    self._put(change, "rating", {**there, "rating": rating, "at": at})
            self._log_change("rate", change)

    def annotate(self, evidence: str, hypothesis: str, *, note: str | None, confidence: str | None) -> None:
        """Say why a cell is rated as it is, and how sure one is. Raises NoSuchItem, BadInput without a rating."""
        if confidence not in (None, *CONFIDENCES):
            raise BadInput(reason=f"'{confidence}' is not a confidence.", remedy="Use low, medium, high, or none.")
        with self._writing():
            change = _Change()
            self._must("evidence", evidence)
            self._must("hypothesis", hypothesis)
            row = self._row("rating", f"{evidence}/{hypothesis}/{self.who}")
            if row is None:
                raise BadInput(
                    reason=f"{evidence} has no rating of yours against {hypothesis} that a note could go with.",
                    remedy="Rate the cell first.",
                )
            given = {"note": None if note is None else clean(note), "confidence": confidence}
            self._put(change, "rating", {**row, **{k: v for k, v in given.items() if v is not None}})
            self._log_change("annotate", change)

    def assessments(self) -> list[Assessment]:
        """Every rating of every person, by evidence, hypothesis and name."""
        with self._reading():
            # Straight from the row: a large matrix has 150,000 of them, and they are read whenever it is opened.
            names = ", ".join(f'"{field.name}"' for field in fields(Assessment))
            found = [Assessment(*row) for row in self._db.execute(f"SELECT {names} FROM rating")]
        for one in found:
            if one.rating not in RATINGS:
                raise values.wrong("rating", f"{one.evidence}/{one.hypothesis}/{one.by}", "rating")
        number = {identity: _number_of(identity) for one in found for identity in (one.evidence, one.hypothesis)}
        found.sort(key=lambda one: (number[one.evidence], number[one.hypothesis], one.by))
        return found

    def suggestions(self) -> list[Suggestion]:
        """Every rating of a model, by evidence and hypothesis."""
        with self._reading():
            return [suggestion_of(row) for row in sorted(self._rows("suggestion"), key=_cell)]

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

    def end_building(self) -> None:
        """Note that the sample case is built: nothing that was decided until now is taken back by undo."""
        with self._writing():
            self._append(decision_log.SAMPLE_BUILT, {}, {})

    def _take_back(self, seq: int) -> LogEntry:
        """Put the rows of entry ``seq`` back as they were before it."""
        entry = self._entry(seq)
        change = _Change()
        try:
            if decision_log.digest(entry) != entry.hash:
                raise ValueError("its hash does not fit")
            self._put_back(change, decision_log.rows_of(entry)[0])
        except (KeyError, TypeError, AttributeError, ValueError, apsw.ConstraintError) as error:
            raise CaseCorrupt(
                path=self.path, reason=f"log entry {seq} was altered", backups=connection.backups_of(self.path)
            ) from error
        return self._append(entry.verb, change.before, change.after, undoes=seq)

    def _put_back(self, change: _Change, rows: dict[str, dict[str, Row | None]]) -> None:
        for table in reversed(decision_log.TABLES):
            for key, row in rows.get(table, {}).items():
                if row is None:
                    self._take_out(change, table, key)
        for table in decision_log.TABLES:
            for key, row in rows.get(table, {}).items():
                if row is not None:
                    decided = {"document": self._as_decided, "proposal": self._as_judged}.get(table)
                    self._put(change, table, decided(row, key) if decided else row)

    def _as_decided(self, row: Row, key: str) -> Row:
        """A document's row as it stands, with what people decided of it as it was: pages may have been read since."""
        return {**self._must("document", key), "included": row["included"], "superseded_by": row["superseded_by"]}

    def _as_judged(self, row: Row, key: str) -> Row:
        """A proposal's row as it was, with the verdict it has now: another model may have judged it since."""
        there = self._row("proposal", key)
        if there is None or there["model"] == row["model"]:
            return row
        return {**row, **{column: there[column] for column in ("model", "label", *_SHARES, "explanation")}}

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
                if row is not None and self._verdict_holds(verdict_key(model, passage, hypothesis), row):
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
            said = {
                verdict_key(model, passage, hypothesis): tuple(
                    map(float, (verdict.supports, verdict.contradicts, verdict.neutral))
                )
                for passage, hypothesis, verdict in rows
            }
            self._record("verdict", said)
            if self._verdict_digests is not None:
                self._verdict_digests |= {key: digest_of(values) for key, values in said.items()}

    # --- what was known of models ------------------------------------------------------------------------------------

    def exams(self) -> dict[str, str]:
        """What the case keeps of models that gave verdicts in it, by fingerprint, as it was when each first did."""
        with self._reading():
            rows = self._all("SELECT key, value FROM meta WHERE key GLOB ? ORDER BY key", (f"{EXAM}*",))
        return {str(key).removeprefix(EXAM): str(value) for key, value in rows}

    def exam_of(self, model: str) -> str:
        """The same of one model; '' for nothing."""
        with self._reading() as db:
            return str(db.execute("SELECT value FROM meta WHERE key = ?", (EXAM + clean(model),)).get or "")

    def keep_exam(self, model: str, told: str) -> None:
        """Keep what is known of a model that gives verdicts. What is kept already stays: undo does not touch it."""
        if told and not self.exam_of(model):
            with self._writing() as db:
                db.execute("INSERT OR IGNORE INTO meta (key, value) VALUES (?, ?)", (EXAM + clean(model), told))
                self._record_where("meta", "key = ?", (EXAM + clean(model),))


def _must_be_kind(kind: str) -> None:
    if kind not in HYPOTHESIS_KINDS:
        raise BadInput(reason=f"'{kind}' is not a kind of hypothesis.", remedy="Use null, deception, or none.")


def _columns(shape: decision_log.Table) -> str:
    return ", ".join(f'"{column}"' for column in shape.columns)


def _cell(row: Mapping[str, object]) -> tuple[int, int, str]:
    return _number_of(str(row["evidence"])), _number_of(str(row["hypothesis"])), str(row.get("by", ""))


@lru_cache(maxsize=1 << 16)  # a large matrix is sorted by a few thousand ids, each of them in many cells
def _number_of(identity: str) -> int:
    match = re.search(r"\d+$", identity)
    return int(match[0]) if match else 0


def plain(text: str) -> str:
    """A text for comparison: case and spaces do not matter."""
    return " ".join(text.casefold().split())


def _rating(value: object) -> Rating:
    if value not in RATINGS:
        raise BadRating(value=value)
    return value


def _checked(name: str, value: str | None) -> str | None:
    """A field of evidence as it can be kept. Raises BadInput."""
    if name in ("credibility", "relevance"):
        return _level(value)
    value = clean(value or "").strip()
    allowed = {"reliability": ("", *"ABCDEF"), "information": ("", *"123456"), "kind": EVIDENCE_KINDS}.get(name)
    if name not in EDITABLE or (allowed is not None and value not in allowed):
        raise BadInput(
            reason=f"'{value}' cannot be the {name} of a piece of evidence.",
            remedy=f"Use {', '.join(item or 'nothing' for item in allowed)}." if allowed else "Choose another field.",
        )
    if name == "text" and not value:
        raise BadInput(reason="Evidence cannot be empty.", remedy="Say in one sentence what was observed.")
    return value


def _level(value: str | None) -> str | None:
    if value not in LEVELS:
        raise BadInput(reason=f"'{value}' is not a grade.", remedy="Use L, M or H.")
    return value


def parts_of(quote: Quote) -> tuple[QuotePart, ...]:
    """Every stretch of a quote, the first included."""
    first = QuotePart(quote.page_id, quote.page, quote.start, quote.end, quote.text, quote.page_sha256)
    return (first, *quote.more)


def stretches(row: Row) -> tuple[QuotePart, ...]:
    """Every stretch that a row of evidence quotes; none for a row without a place."""
    if row["page_id"] is None:
        return ()
    return (*parts_of(_quote(row)), *(QuotePart(**part) for part in values.parsed(row.get("more") or "[]")))


def quoting(row: Row, document: str, parts: Sequence[QuotePart]) -> Row:
    """A row of evidence that quotes these stretches of a document."""
    first, *more = parts
    place: Row = {"document": document, "page_id": first.page_id, "page": first.page, "start": first.start}
    place |= {"end": first.end, "quote": first.text, "page_sha256": first.page_sha256}
    return {**row, **place, "more": decision_log.canonical([asdict(part) for part in more])}


def hypothesis_of(row: Row) -> Hypothesis:
    return Hypothesis(**row)  # type: ignore[arg-type]


def evidence_of(row: Row) -> Evidence:
    kept = {column: row[column] for column in _EVIDENCE_FIELDS}
    if row["absence"] is not None:
        told = values.parsed(row["absence"])
        kept["absence"] = Absence(**{**told, "queries": tuple(told["queries"])})
    kept["more"] = tuple(QuotePart(**part) for part in values.parsed(row["more"]))
    return Evidence(**kept)  # type: ignore[arg-type]


def assessment_of(row: Row) -> Assessment:
    return Assessment(**row)  # type: ignore[arg-type]


def suggestion_of(row: Row) -> Suggestion:
    return Suggestion(
        evidence=str(row["evidence"]),
        hypothesis=str(row["hypothesis"]),
        rating=_rating(row["rating"]),
        model=str(row["model"]),
        probabilities=_probabilities(row),
        at=str(row["at"]),
    )


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


def _verdict_row(verdict: Verdict) -> Row:
    p = verdict.probabilities
    row: Row = {"label": verdict.label, "model": clean(verdict.model)}
    return {**row, "supports": float(p.supports), "contradicts": float(p.contradicts), "neutral": float(p.neutral)}


def verdict_of(row: Row) -> Verdict:
    return Verdict(row["label"], _probabilities(row), row["model"])  # type: ignore[arg-type]


def _other_verdict(row: Row) -> OtherVerdict:
    told = (str(row[column]) for column in ("explanation", "at"))
    return OtherVerdict(str(row["proposal"]), str(row["role"]), verdict_of(row), *told)


def _proposal(
    row: Row, names: Mapping[str, str], sources: Mapping[object, str], others: Sequence[OtherVerdict]
) -> Proposal:
    """``names`` by document; ``sources`` by page, as far as they are not 'embedded'."""
    copied = ("id", "hypothesis", "chunk", "similarity", "vector_rank", "lexical_rank", "explanation", "status")
    return Proposal(
        **{column: row[column] for column in copied},  # type: ignore[arg-type]
        quote=_quote(row),
        name=names[str(row["document"])],
        verdict=verdict_of(row),
        possible_duplicate=row["possible_duplicate"],  # type: ignore[arg-type]
        others=tuple(sorted(others, key=lambda other: (other.at, other.verdict.model))),
        source=sources.get(row["page_id"], "embedded"),
    )
