"""What stands beside the matrix: settings, considerations, stated likelihoods; and the case as it once was."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import apsw

from core.domain import (
    GRADE_WEIGHTS,
    Assessment,
    CaseSettings,
    Consideration,
    Likelihood,
    LogEntry,
    Rating,
    State,
    Suggestion,
)
from core.errors import BadInput, CaseNotProven
from core.store import decision_log, values
from core.store.database import clean
from core.store.decision_log import Row, Rows
from core.store.decisions import (
    _cell,
    _Change,
    _number_of,
    assessment_of,
    evidence_of,
    hypothesis_of,
    suggestion_of,
)
from core.store.documents import as_logged, document_of
from core.store.ocr_readings import Readings

CONSIDERATIONS = ("assumption", "premortem", "indicator", "conflict", "search")
STATUSES = ("open", "done")


class Considerations(Readings):
    """Settings of the case, considerations, likelihoods, versions of documents, and time."""

    # --- settings ----------------------------------------------------------------------------------------------------

    def settings(self) -> CaseSettings:
        with self._reading():
            return _settings({str(row["id"]): row for row in self._rows("setting")})

    def change_settings(
        self,
        *,
        blind: bool | None = None,
        strict: bool | None = None,
        grade_weights: Mapping[str, float] | None = None,
        ocr_languages: Sequence[str] | None = None,
    ) -> None:
        """Change what is given. Raises BadInput for a weight that is missing or not above 0, and for no language."""
        with self._writing():
            change = _Change()
            for name, value in (("blind", blind), ("strict", strict)):
                if value is not None:
                    self._put(change, "setting", {"id": name, "value": decision_log.canonical(bool(value))})
            if grade_weights is not None:
                weights = {grade: float(grade_weights.get(grade, 0)) for grade in GRADE_WEIGHTS}
                if not all(0 < weight <= 10 for weight in weights.values()):
                    raise BadInput(
                        reason="A weight of a grade must be a number above 0 and at most 10.",
                        remedy="Correct it, or take the table back to what it was.",
                    )
                self._put(change, "setting", {"id": "grade_weights", "value": decision_log.canonical(weights)})
            if ocr_languages is not None:
                if not all(re.fullmatch(r"[a-z]{3}(_[a-z]{2,8})*", language) for language in ocr_languages):
                    raise BadInput(
                        reason=f"{'+'.join(ocr_languages)} does not name languages.",
                        remedy="Give each by three letters, such as eng or deu.",
                    )
                self._put(
                    change, "setting", {"id": "ocr_languages", "value": decision_log.canonical(list(ocr_languages))}
                )
            self._log_change("change settings", change)

    def blind_times(self) -> list[tuple[str, bool]]:
        """When verdicts were hidden from whoever rates, and when shown again, in order of time."""
        with self._reading():
            rows = self._all("SELECT at, after FROM log WHERE verb = 'change settings' ORDER BY seq")
        found = []
        for at, after in rows:
            try:
                told = values.parsed(after).get("setting", {})
                if "blind" in told:
                    found.append((str(at), bool(values.parsed(told["blind"]["value"])) if told["blind"] else False))
            except (ValueError, AttributeError, TypeError, KeyError) as error:
                raise values.wrong("log", f"of {str(at)[:30]}", "after") from error
        return found

    # --- considerations ----------------------------------------------------------------------------------------------

    def considerations(self, kind: str | None = None) -> list[Consideration]:
        """In order of id."""
        with self._reading():
            rows = self._rows("consideration")
            return [_consideration(row) for row in rows if kind is None or row["kind"] == kind]

    def add_consideration(self, kind: str, text: str, *, hypothesis: str = "", query: str = "") -> Consideration:
        """Raises BadInput, NoSuchItem. An indicator looks at documents that come after it."""
        if kind not in CONSIDERATIONS:
            raise BadInput(reason=f"'{kind}' is not a consideration.", remedy=f"Use {', '.join(CONSIDERATIONS)}.")
        with self._writing():
            change = _Change()
            row = self._new_consideration(change, kind, text, hypothesis, query)
            self._log_change("add consideration", change)
            return _consideration(row)

    def _new_consideration(
        self, change: _Change, kind: str, text: str, hypothesis: str = "", query: str = "", status: str = "open"
    ) -> Row:
        if not text.strip():
            raise BadInput(reason="There is nothing written yet.", remedy="Say it in a sentence.")
        if hypothesis:
            self._must("hypothesis", hypothesis)
        row: Row = {"id": f"C{self._number('consideration')}", "kind": kind, "text": clean(text.strip())}
        row |= {"hypothesis": hypothesis, "query": clean(query.strip()), "status": status, "by": self.who}
        row |= {"seen": self._last_document(), "at": self.now()}
        self._put(change, "consideration", row)
        return row

    def edit_consideration(self, consideration: str, fields: Mapping[str, str]) -> None:
        """Set text, hypothesis, query or status. Raises NoSuchItem, BadInput."""
        with self._writing():
            change = _Change()
            row = self._must("consideration", consideration)
            given = {name: clean(value.strip()) for name, value in fields.items()}
            if given.keys() - {"text", "hypothesis", "query", "status"} or given.get("status", "open") not in STATUSES:
                raise BadInput(reason="This cannot be changed in this way.", remedy="A consideration is open or done.")
            if given.get("hypothesis"):
                self._must("hypothesis", given["hypothesis"])
            if not given.get("text", "x"):
                raise BadInput(reason="There is nothing written.", remedy="Say it in a sentence, or remove it.")
            self._put(change, "consideration", {**row, **given})
            self._log_change("edit consideration", change)

    def remove_consideration(self, consideration: str) -> None:
        with self._writing():
            change = _Change()
            self._must("consideration", consideration)
            self._take_out(change, "consideration", consideration)
            self._log_change("remove consideration", change)

    def mark_seen(self, consideration: str) -> None:
        """The documents there are now have been looked at for this indicator."""
        with self._writing():
            change = _Change()
            row = self._must("consideration", consideration)
            self._put(change, "consideration", {**row, "seen": self._last_document()})
            self._log_change("look", change)

    def _last_document(self) -> int:
        return int(self._db.execute("SELECT last FROM counter WHERE kind = 'document'").get or 0)

    # --- likelihoods -------------------------------------------------------------------------------------------------

    def likelihoods(self) -> list[Likelihood]:
        with self._reading():
            rows = sorted(
                self._rows("likelihood"), key=lambda row: (_number_of(str(row["hypothesis"])), str(row["by"]))
            )
            return [_likelihood(row) for row in rows]

    def state_likelihood(self, hypothesis: str, value: float | None) -> None:
        """In one's own name; None takes it back. Raises NoSuchItem, BadInput."""
        if value is not None and not 0 <= value <= 1:
            raise BadInput(reason="A likelihood is a number from 0 to 1.", remedy="Use 0.7 for 70%.")
        with self._writing():
            change = _Change()
            self._must("hypothesis", hypothesis)
            if value is None:
                self._take_out(change, "likelihood", f"{hypothesis}/{self.who}")
            else:
                there = self._row("likelihood", f"{hypothesis}/{self.who}")
                if there is None or there["value"] != float(value):
                    row: Row = {"hypothesis": hypothesis, "by": self.who, "value": float(value), "at": self.now()}
                    self._put(change, "likelihood", row)
            self._log_change("state likelihood", change)

    # --- versions of documents ---------------------------------------------------------------------------------------

    def supersede(self, document: str, by: str) -> None:
        """Say that ``by`` is a newer version of a document; '' takes it back. Raises NoSuchItem, BadInput."""
        with self._writing():
            change = _Change()
            row = self._must("document", document)
            seen, newer = {document}, by
            while newer:
                if newer in seen:
                    raise BadInput(
                        reason=f"{by} cannot be a newer version of {document}: it would be newer than itself.",
                        remedy="Choose another document.",
                    )
                seen.add(newer)
                newer = str(self._must("document", newer)["superseded_by"])
            self._put(change, "document", {**row, "superseded_by": by})
            self._log_change("supersede", change)

    # --- time --------------------------------------------------------------------------------------------------------

    def position(self) -> int:
        """The number of the last entry of the log: as long as it stays, nothing decided has changed."""
        with self._reading() as db:
            return int(db.execute("SELECT last FROM counter WHERE kind = 'log'").get or 0)

    def last_report(self, after: int = 0) -> int:
        """The entry of the last report that was written later than entry ``after``; 0: none was."""
        with self._reading() as db:
            return int(db.execute("SELECT max(seq) FROM log WHERE seq > ? AND verb = 'export'", (after,)).get or 0)

    def decided_since(self, seq: int) -> int:
        """How many decisions came after entry ``seq``: what can be taken back, and the taking back itself."""
        marks = ", ".join("?" * len(decision_log.NOT_UNDOABLE))
        sql = f"SELECT count(*) FROM log WHERE seq > ? AND verb NOT IN ({marks})"
        with self._reading() as db:
            return int(db.execute(sql, (seq, *sorted(decision_log.NOT_UNDOABLE))).get)

    def moment(self, as_of: str) -> int:
        """The last entry at or before ``as_of``: an ISO 8601 time (UTC where no zone is given), a date (its end), or
        the number of an entry. 0: before the first. Raises BadInput."""
        text = as_of.strip()
        if text.isdigit() and len(text) < 8:
            return min(int(text), self.position())
        try:
            time = datetime.fromisoformat(text)
        except ValueError as error:
            raise BadInput(
                reason=f"'{text[:40]}' is not a moment of this case.",
                remedy="Use a time such as 2026-11-21T14:30, or a date.",
            ) from error
        if len(text) <= 10:
            time += timedelta(days=1, milliseconds=-1)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        wanted = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with self._reading() as db:
            return int(db.execute("SELECT coalesce(max(seq), 0) FROM log WHERE at <= ?", (wanted,)).get)

    def decision_days(self) -> list[tuple[str, int]]:
        """The days (UTC) on which something was decided, the last first, with how many entries."""
        marks = ", ".join("?" * len(decision_log.NOT_UNDOABLE))
        sql = (
            f"SELECT substr(at, 1, 10) AS day, count(*) FROM log WHERE verb NOT IN ({marks}) "
            "GROUP BY day ORDER BY day DESC"
        )
        with self._reading() as db:
            return [(str(day), int(many)) for day, many in db.execute(sql, sorted(decision_log.NOT_UNDOABLE))]

    def state(self, as_of: str | None = None) -> State:
        """What is decided now, or was at a moment. Raises BadInput."""
        with self._reading():
            seq = self.position() if as_of is None else self.moment(as_of)
            return self.state_at(seq)

    def state_at(self, seq: int) -> State:
        """What was decided up to entry ``seq``."""
        with self._reading():
            if seq == self.position():
                rows: Rows = {
                    name: {shape.key_of(row): row for row in self._rows(name)}
                    for name, shape in decision_log.TABLES.items()
                }
                # A document still being read is no decision yet.
                told = {key: as_logged(row) for key, row in rows["document"].items() if row}
                rows["document"] = {key: row for key, row in told.items() if row}
                at = self._entry(seq).at if seq else ""
                return _state(rows, seq, at)
            entries = [entry for entry in self.log() if entry.seq <= seq]
        return _state(decision_log.replay(entries), seq, entries[-1].at if entries else "")

    @contextlib.contextmanager
    def as_the_log_says(self) -> Iterator[None]:
        """Let the decision tables be what the log says while the block runs; nothing of that is kept.

        Raises CaseNotProven where the log cannot be put in the place of the tables.
        """
        with self._lock:
            told = decision_log.replay(self.log())
            self._db.execute("BEGIN IMMEDIATE")
            try:
                try:
                    self._stand_in(told)
                except (apsw.Error, KeyError, TypeError) as error:
                    what = "the log cannot be put in place of its entry"
                    raise CaseNotProven(path=self.path, fault=what, effect="nothing can be said of it") from error
                yield
            finally:
                with contextlib.suppress(apsw.Error):
                    self._db.execute("ROLLBACK")
                self._totals.clear()

    def _stand_in(self, told: Rows) -> None:
        db = self._db
        db.execute("PRAGMA defer_foreign_keys = ON").fetchall()  # until the transaction ends, which is taken back
        for name in reversed(decision_log.TABLES):
            shape = decision_log.TABLES[name]
            stand = {shape.key_of(row): row for row in self._stored_rows(name)}
            gone = [key for key, row in stand.items() if told[name].get(key) != row]
            if name == "document":  # one being read is not in the log yet
                gone = [key for key in gone if as_logged(stand[key]) != told[name].get(key)]
            where = " AND ".join(f'"{column}" = ?' for column in shape.key)
            # By its values: the key of an altered row may hold anything.
            db.executemany(
                f"DELETE FROM {name} WHERE {where}",
                [tuple(stand[key][column] for column in shape.key) for key in gone],
            )
            columns = ", ".join(f'"{column}"' for column in shape.columns)
            db.executemany(
                f"INSERT INTO {name} ({columns}) VALUES ({', '.join('?' * len(shape.columns))})",
                [
                    tuple(row[column] for column in shape.columns)
                    for key, row in told[name].items()
                    if row is not None and (key in gone or key not in stand)
                ],
            )

    def touched(self) -> Iterator[tuple[LogEntry, set[str]]]:
        """Every entry with the decision tables it touched, oldest first."""
        for entry in self.log():
            yield entry, set(decision_log.rows_of(entry)[1])

    def states(self, seqs: Iterable[int]) -> Iterator[tuple[LogEntry, State]]:
        """The case after each of these entries, oldest first."""
        wanted = set(seqs)
        rows: Rows = {name: {} for name in decision_log.TABLES}
        for entry in self.log():
            decision_log.apply(rows, entry)
            if entry.seq in wanted:
                yield entry, _state(rows, entry.seq, entry.at)

    def rated_cells(self) -> list[tuple[str, str, str, Rating]]:
        """(evidence, hypothesis, person, rating) of every rating, in no order."""
        with self._reading():
            return self._all('SELECT evidence, hypothesis, "by", rating FROM rating')

    def stale_evidence(self) -> frozenset[str]:
        """Rows of which a page has been read again since with another text."""
        with self._reading() as db:
            sql = "SELECT evidence.id FROM evidence JOIN page ON page.id = evidence.page_id "
            found = {row[0] for row in db.execute(sql + "WHERE page.sha256 <> evidence.page_sha256")}
            sql = "SELECT evidence.id FROM evidence, json_each(evidence.more) AS part JOIN page "
            sql += "ON page.id = part.value ->> 'page_id' WHERE page.sha256 <> part.value ->> 'page_sha256' "
            found.update(row[0] for row in db.execute(sql + "AND evidence.more <> '[]'"))
            return frozenset(found)

    def ratings_of(self, evidence: str) -> tuple[list[Assessment], list[Suggestion]]:
        """People's and the model's ratings of one row, without reading those of all others."""
        with self._reading():
            people = sorted(self._rows("rating", "evidence = ?", (evidence,)), key=_cell)
            model = sorted(self._rows("suggestion", "evidence = ?", (evidence,)), key=_cell)
            return [assessment_of(row) for row in people], [suggestion_of(row) for row in model]

    def entries_about(self, evidence: str) -> list[LogEntry]:
        """The entries that name a piece of evidence, oldest first; some may name it in passing."""
        with self._reading():
            sql = f"{self._ENTRY} WHERE instr(before, ?) OR instr(after, ?) ORDER BY seq"
            return [LogEntry(*row) for row in self._all(sql, (f'"{evidence}', f'"{evidence}'))]


def _state(rows: Rows, seq: int, at: str) -> State:
    def of(table: str) -> list[Row]:
        found = [row for row in rows[table].values() if row is not None]
        if decision_log.TABLES[table].key == ("id",):
            found.sort(key=lambda row: _number_of(str(row["id"])))
        return found

    about = rows["about"].get("case")
    return State(
        seq=seq,
        at=at,
        title=str(about["title"]) if about else "",
        documents=tuple(document_of(row) for row in of("document")),
        hypotheses=tuple(hypothesis_of(row) for row in of("hypothesis")),
        evidence=tuple(evidence_of(row) for row in of("evidence")),
        assessments=tuple(assessment_of(row) for row in sorted(of("rating"), key=_cell)),
        suggestions=tuple(suggestion_of(row) for row in sorted(of("suggestion"), key=_cell)),
        considerations=tuple(_consideration(row) for row in of("consideration")),
        likelihoods=tuple(
            _likelihood(row)
            for row in sorted(of("likelihood"), key=lambda r: (_number_of(str(r["hypothesis"])), str(r["by"])))
        ),
        settings=_settings({str(row["id"]): row for row in of("setting")}),
    )


def _settings(rows: Mapping[str, Row]) -> CaseSettings:
    kept = CaseSettings()
    if "blind" in rows:
        kept = replace(kept, blind=bool(values.parsed(rows["blind"]["value"])))
    if "strict" in rows:
        kept = replace(kept, strict=bool(values.parsed(rows["strict"]["value"])))
    if "ocr_languages" in rows:
        kept = replace(kept, ocr_languages=tuple(map(str, values.parsed(rows["ocr_languages"]["value"]))))
    if "grade_weights" in rows:
        told = values.parsed(rows["grade_weights"]["value"])
        kept = replace(
            kept, grade_weights={grade: float(told.get(grade, usual)) for grade, usual in GRADE_WEIGHTS.items()}
        )
    return kept


def _consideration(row: Row) -> Consideration:
    return Consideration(**row)  # type: ignore[arg-type]


def _likelihood(row: Row) -> Likelihood:
    return Likelihood(**row)  # type: ignore[arg-type]
