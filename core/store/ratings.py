"""The cells of the matrix: what people rate, and what a model suggests; and whole matrices from elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime, timedelta

from core.domain import RATINGS, Assessment, Rating, Suggestion
from core.errors import BadInput, BadRating
from core.store import decision_log, values
from core.store.database import SOMEBODY, Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.evidence import BLANK, checked_field
from core.store.hypotheses import HypothesisTable, plain
from core.store.log import DecisionLog
from core.store.records import Records, cell, number_of
from core.store.values import CONFIDENCES, probabilities_of


class RatingTable:
    """Ratings of people and suggestions of models, by evidence and hypothesis."""

    def __init__(self, db: Database, log: DecisionLog, records: Records, hypotheses: HypothesisTable) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._hypotheses = hypotheses

    def put_suggestion(self, change: ChangeSet, suggestion: Suggestion, evidence: str) -> None:
        """Keep what a model suggests for a cell, in the transaction that is open. Raises NoSuchItem, BadRating."""
        self._records.require("evidence", evidence)
        self._records.require("hypothesis", suggestion.hypothesis)
        existing = self._records.row("suggestion", f"{evidence}/{suggestion.hypothesis}")
        row: Row = {
            "evidence": evidence,
            "hypothesis": suggestion.hypothesis,
            "rating": checked_rating(suggestion.rating),
            "model": clean(suggestion.model),
            "supports": float(suggestion.probabilities.supports),
            "contradicts": float(suggestion.probabilities.contradicts),
            "neutral": float(suggestion.probabilities.neutral),
            "at": suggestion.at,
        }
        if existing is None or {**existing, "at": row["at"]} != row:
            self._records.put(change, "suggestion", row)

    def add_matrix(
        self,
        hypotheses: Sequence[tuple[str, str]],
        rows: Sequence[tuple[Mapping[str, str | None], Mapping[int, Rating]]],
        *,
        remarks: Mapping[tuple[int, int], tuple[str, str]] | None = None,
    ) -> tuple[list[str], list[str]]:
        """Add a whole matrix from elsewhere as one entry.

        ``hypotheses`` are (text, note); ``rows`` are fields of evidence as in ``describe`` with the ratings by position
        of the hypothesis. A hypothesis whose text is here already is that one. ``remarks`` are (note, confidence) of
        rated cells by the positions of row and hypothesis.

        Returns the ids of the hypotheses and of the rows. Raises BadInput, BadRating; then nothing is added.
        """
        with self._db.transaction():
            change = ChangeSet()
            moment = self._db.now()
            by_words = {plain(str(row["text"])): str(row["id"]) for row in self._records.rows("hypothesis")}
            columns = []
            for text, note in hypotheses:
                existing = by_words.get(plain(text))
                # Two of the same name in one file are two; only the case's own are matched.
                columns.append(existing or str(self._hypotheses.new(change, text, note)["id"]))
            ids = []
            for position, (fields, ratings) in enumerate(rows):
                row: Row = {**BLANK, **{name: checked_field(name, value) for name, value in fields.items()}}
                row |= {"id": f"E{self._db.number('evidence')}", "created_by": self._log.who, "created_at": moment}
                self._records.put(change, "evidence", row)
                ids.append(str(row["id"]))
                for column, rating in ratings.items():
                    note, confidence = (remarks or {}).get((position, column), ("", ""))
                    if confidence not in CONFIDENCES:
                        raise BadInput(reason=f"'{confidence}' is not a confidence.", remedy="Use low, medium, high.")
                    cell_row = self._new_rating(str(row["id"]), columns[column], rating, moment)
                    self._records.put(change, "rating", {**cell_row, "note": clean(note), "confidence": confidence})
            self._log.append_change("import matrix", change)
            return columns, ids

    def _new_rating(self, evidence: str, hypothesis: str, rating: Rating, moment: str) -> Row:
        row: Row = {
            "evidence": evidence,
            "hypothesis": hypothesis,
            "rating": checked_rating(rating),
            "by": self._log.who,
            "at": moment,
        }
        return {**row, "note": "", "confidence": ""}

    def rate(self, evidence: str, hypothesis: str, rating: Rating | None) -> None:
        """Rate one cell in one's own name; None clears one's own rating. Raises NoSuchItem, BadRating."""
        self.rate_many([(evidence, hypothesis, rating)])

    def rate_many(self, cells: Iterable[tuple[str, str, Rating | None]], again: Collection[str] = ()) -> None:
        """Rate cells in one's own name, in one entry. Raises NoSuchItem, BadRating; then none is rated.

        A rating that stays is a decision only where its key is in ``again``: it was given for other words.
        """
        with self._db.transaction():
            change = ChangeSet()
            self.put_own(change, cells, again)
            self._log.append_change("rate", change)

    def put_own(
        self, change: ChangeSet, cells: Iterable[tuple[str, str, Rating | None]], again: Collection[str] = ()
    ) -> None:
        """Rate cells in one's own name, in the transaction that is open. Raises NoSuchItem, BadRating."""
        moment = self._db.now()
        for evidence, hypothesis, rating in cells:
            self._records.require("evidence", evidence)
            self._records.require("hypothesis", hypothesis)
            key = f"{evidence}/{hypothesis}/{self._log.who}"
            present = self._records.row("rating", key)
            if self._log.who != SOMEBODY:
                # What was rated before anybody gave a name is nobody's opinion beside a signed one.
                self._records.delete_cascade(change, "rating", f"{evidence}/{hypothesis}/{SOMEBODY}")
            if rating is None:
                self._records.delete_cascade(change, "rating", key)
            elif present is None:
                self._records.put(change, "rating", self._new_rating(evidence, hypothesis, rating, moment))
            elif present["rating"] != checked_rating(rating):
                self._records.put(change, "rating", {**present, "rating": rating, "at": moment})
            elif key in again:
                self._records.put(
                    change, "rating", {**present, "at": moment if moment != present["at"] else _moment_later(moment)}
                )

    def sign(self, former: str) -> int:
        """Put one's own name under all that was rated as ``former``, in one entry; return how many ratings those are.

        The times stay. Nothing changes where anybody else, or oneself, rated as well: then these are two opinions.
        """
        with self._db.transaction():
            change, count = ChangeSet(), 0
            own_tables = [(table, self._records.rows(table)) for table in ("rating", "likelihood", "relevance")]
            if {row["by"] for _, rows in own_tables for row in rows} != {former} or former == self._log.who:
                return 0
            for table, rows in own_tables:
                for row in rows:
                    self._records.delete_cascade(change, table, decision_log.TABLES[table].key_of(row))
                    self._records.put(change, table, {**row, "by": self._log.who})
                    count += table == "rating"
            self._log.append_change(decision_log.SIGN, change)
            return count

    def suggest(self, suggestions: Sequence[Suggestion]) -> list[Suggestion]:
        """Keep what a model suggests for cells, in one entry; return it without that for cells that are gone meanwhile.

        Raises BadRating; then nothing is kept.
        """
        with self._db.transaction():
            change = ChangeSet()
            present = [
                suggestion
                for suggestion in suggestions
                if self._records.row("evidence", suggestion.evidence)
                and self._records.row("hypothesis", suggestion.hypothesis)
            ]
            for suggestion in present:
                self.put_suggestion(change, suggestion, suggestion.evidence)
            self._log.append_change(decision_log.SUGGEST, change)
            return present

    def annotate(self, evidence: str, hypothesis: str, *, note: str | None, confidence: str | None) -> None:
        """Set the note and the confidence of a rating. Raises NoSuchItem, BadInput without a rating."""
        if confidence not in (None, *CONFIDENCES):
            raise BadInput(reason=f"'{confidence}' is not a confidence.", remedy="Use low, medium, high, or none.")
        with self._db.transaction():
            change = ChangeSet()
            self._records.require("evidence", evidence)
            self._records.require("hypothesis", hypothesis)
            row = self._records.row("rating", f"{evidence}/{hypothesis}/{self._log.who}")
            if row is None:
                raise BadInput(
                    reason=f"{evidence} has no rating of yours against {hypothesis} that a note could go with.",
                    remedy="Rate the cell first.",
                )
            remarks = {"note": None if note is None else clean(note), "confidence": confidence}
            self._records.put(change, "rating", {**row, **{k: v for k, v in remarks.items() if v is not None}})
            self._log.append_change("annotate", change)

    def assessments(self, document: str | None = None) -> list[Assessment]:
        """List every rating of every person, or those of the rows that quote a document.

        By evidence, hypothesis and name.
        """
        where = "" if document is None else " WHERE evidence IN (SELECT id FROM evidence WHERE document = ?)"
        bindings = () if document is None else (document,)
        with self._db.reading():
            # Straight from the row: a large matrix has 150,000 of them, and they are read whenever it is opened.
            names = ", ".join(f'"{field.name}"' for field in fields(Assessment))
            rows = [Assessment(*row) for row in self._db.execute(f"SELECT {names} FROM rating{where}", bindings)]
        for suggestion in rows:
            if suggestion.rating not in RATINGS:
                raise values.wrong("rating", f"{suggestion.evidence}/{suggestion.hypothesis}/{suggestion.by}", "rating")
        number = {
            identity: number_of(identity)
            for suggestion in rows
            for identity in (suggestion.evidence, suggestion.hypothesis)
        }
        rows.sort(key=lambda suggestion: (number[suggestion.evidence], number[suggestion.hypothesis], suggestion.by))
        return rows

    def suggestions(self) -> list[Suggestion]:
        """List every rating of a model, by evidence and hypothesis."""
        with self._db.reading():
            return [suggestion_of(row) for row in sorted(self._records.rows("suggestion"), key=cell)]

    def of(self, evidence: str) -> tuple[list[Assessment], list[Suggestion]]:
        """Return people's and the model's ratings of one row, without reading those of all others."""
        with self._db.reading():
            people = sorted(self._records.rows("rating", "evidence = ?", (evidence,)), key=cell)
            model = sorted(self._records.rows("suggestion", "evidence = ?", (evidence,)), key=cell)
            return [assessment_of(row) for row in people], [suggestion_of(row) for row in model]

    def rated_cells(self) -> list[tuple[str, str, str, Rating]]:
        """List (evidence, hypothesis, person, rating) of every rating, in no order."""
        with self._db.reading():
            return self._db.rows('SELECT evidence, hypothesis, "by", rating FROM rating')


def _moment_later(moment: str) -> str:
    """Return the next time: two ratings of a cell by one person cannot have the same."""
    later = datetime.fromisoformat(moment.replace("Z", "+00:00")) + timedelta(milliseconds=1)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def checked_rating(value: object) -> Rating:
    """Return the rating itself. Raises BadRating."""
    if value not in RATINGS:
        raise BadRating(value=value)
    return value


def assessment_of(row: Row) -> Assessment:
    """Return a person's rating from its row."""
    return Assessment(**row)  # type: ignore[arg-type]


def suggestion_of(row: Row) -> Suggestion:
    """Return a model's rating from its row."""
    return Suggestion(
        evidence=str(row["evidence"]),
        hypothesis=str(row["hypothesis"]),
        rating=checked_rating(row["rating"]),
        model=str(row["model"]),
        probabilities=probabilities_of(row),
        at=str(row["at"]),
    )
