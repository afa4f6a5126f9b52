"""The case as it once was: its log read for what was decided when."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import apsw

from core.domain import LogEntry, State
from core.errors import BadInput, CaseNotProven
from core.store import decision_log
from core.store.case_settings import settings_of
from core.store.considerations import consideration_of
from core.store.database import Database
from core.store.decision_log import ENTRY, Row, Rows
from core.store.documents import as_logged, document_of
from core.store.evidence import evidence_of
from core.store.hypotheses import hypothesis_of, likelihood_of
from core.store.log import DecisionLog
from core.store.rated_words import RatedWords, outdated_by_merge
from core.store.ratings import assessment_of, suggestion_of
from core.store.records import Records, cell, number_of
from core.store.recovery_caveat import caveat
from core.store.redaction import ERASED

# Entries that change words which a model may have judged.
_REWORDS = ("edit hypothesis", "check words", decision_log.READ_AGAIN, "refresh quote", "merge")


class History:
    """Moments of a case, and what was decided by then."""

    def __init__(self, db: Database, log: DecisionLog, records: Records) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._reworded: tuple[int, dict[str, frozenset[str]]] = -1, {}  # up to that entry of the log
        self._rated_words = RatedWords()

    def position(self) -> int:
        """Return the number of the last entry of the log: as long as it stays, nothing decided has changed."""
        with self._db.reading() as db:
            return int(db.execute("SELECT last FROM counter WHERE kind = 'log'").get or 0)

    def last_report(self, after: int = 0) -> int:
        """Find the entry of the last report that was written later than entry ``after``; 0: none was."""
        with self._db.reading() as db:
            return int(db.execute("SELECT max(seq) FROM log WHERE seq > ? AND verb = 'export'", (after,)).get or 0)

    def exports(self) -> dict[str, str]:
        """List what was written from this case, reports and audits: the name that each had, by its sha256."""
        with self._db.reading() as db:
            entries = [LogEntry(*row) for row in db.execute(f"{ENTRY} WHERE verb = 'export' ORDER BY seq")]
        names: dict[str, str] = {}
        for entry in entries:
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):  # told where the log is checked
                names.update(
                    (str(export["sha256"]), str(export["name"]))
                    for export in json.loads(entry.after)["export"].values()
                )
        return names

    def has_entry(self, hashes: Collection[str]) -> bool:
        """Return whether one of these is the hash of an entry of this case's log: nothing else in the world has it."""
        with self._db.reading():
            sql = "SELECT 1 FROM log WHERE hash IN (SELECT value FROM json_each(?)) LIMIT 1"
            return bool(hashes) and bool(self._db.rows(sql, (json.dumps(sorted(hashes)),)))

    def recoveries(self, source: str = "", without: Collection[str] = ()) -> tuple[str, ...]:
        """Return what was lost each time that the case, or one merged into it, was recovered from a damaged file.

        ``source`` is the name of this case where it is merged into another, ``without`` hashes of entries that are left
        out.
        """
        with self._db.reading() as db:
            rows: list[tuple[Any, ...]] = db.execute(
                f"{ENTRY} WHERE verb IN (?, 'merge') ORDER BY seq", (decision_log.RECOVER,)
            ).fetchall()
        words: list[str] = []
        for entry in (LogEntry(*row) for row in rows):
            with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):  # told where the log is checked
                if entry.hash in without:
                    continue
                if entry.verb == decision_log.RECOVER:
                    words.append(caveat(entry, source))
                else:
                    (origin,) = json.loads(entry.after)["merge"].values()
                    words += map(str, origin["caveats"])
        return tuple(dict.fromkeys(words))

    def reworded(self) -> dict[str, frozenset[str]]:
        """List what may have been judged in other words, by table: hypotheses, proposals, rows of evidence, ratings.

        Hypotheses whose text was changed, and what lies on a page whose words were; both may have been taken back. An
        erasure blanks words also in the log, so there it is the blank that tells. Ratings are those that a merge
        brought though they were given for other words.
        """
        position = self.position()
        if self._reworded[0] == position:
            return self._reworded[1]
        ids: dict[str, set[str]] = {"hypothesis": set(), "proposal": set(), "evidence": set()}
        ratings: set[str] = set()
        marks = ", ".join("?" * len(_REWORDS))
        with self._db.reading():
            entries = [LogEntry(*row) for row in self._db.rows(f"{ENTRY} WHERE verb IN ({marks})", _REWORDS)]
            hypotheses = self._records.rows("hypothesis")
        for entry in entries:
            ratings |= outdated_by_merge(entry)
            before, after = decision_log.rows_of(entry)
            for table, changed in ids.items():
                column = "text" if table == "hypothesis" else "page_sha256"
                rows = [(key, row, after[table][key]) for key, row in before.get(table, {}).items()]
                changed.update(key for key, was, now in rows if was and now and was[column] != now[column])
        ids["hypothesis"].update(str(row["id"]) for row in hypotheses if ERASED in str(row["text"]))
        result = {table: frozenset(changed) for table, changed in (*ids.items(), ("rating", ratings))}
        if not self._db.is_writing:  # an entry that is taken back leaves its number to another
            self._reworded = position, result
        return result

    def outdated_ratings(self, until: int | None = None) -> frozenset[str]:
        """List people's ratings, by key, whose hypothesis or quote had other words when they were given.

        ``until`` is the entry up to which the log is read; None: all of it.
        """
        with self._db.snapshot():  # whoever asks meanwhile would take in the same entries
            suspects = self.reworded()
            if not any(suspects[table] for table in ("hypothesis", "evidence", "rating")):
                return frozenset()
            position = self.position()
            last = position if until is None else until
            words = self._rated_words
            if self._db.is_writing or words.suspects != suspects or last < position:
                words = RatedWords(suspects)
            entries = self._entries(words.position, last)
            if words.position and any(entry.verb == decision_log.ERASE for entry in entries):
                words = RatedWords(suspects)  # the entries before it have other words now
                entries = self._entries(0, last)
            for entry in entries:
                words.take(entry)
            if not self._db.is_writing and last == position:  # an entry that is taken back leaves its number to another
                self._rated_words = words
            return words.outdated_keys()

    def _entries(self, after: int, until: int) -> list[LogEntry]:
        with self._db.reading():
            sql = f"{ENTRY} WHERE seq > ? AND seq <= ? ORDER BY seq"
            return [LogEntry(*row) for row in self._db.rows(sql, (after, until))]

    def decided_since(self, seq: int) -> int:
        """Count the decisions after entry ``seq``: what can be taken back, and the taking back itself."""
        marks = ", ".join("?" * len(decision_log.NOT_UNDOABLE))
        sql = f"SELECT count(*) FROM log WHERE seq > ? AND verb NOT IN ({marks})"
        with self._db.reading() as db:
            return int(db.execute(sql, (seq, *sorted(decision_log.NOT_UNDOABLE))).get)

    def moment(self, as_of: str) -> int:
        """Find the last entry at or before ``as_of``; 0: before the first.

        ``as_of`` is an ISO 8601 time (UTC where no zone is given), a date (its end), or the number of an entry. Raises
        BadInput, also where the clock went back past that time: then nothing says what was decided by then.
        """
        text = as_of.strip()
        if text.isdecimal() and len(text) < 8:
            return min(int(text), self.position())
        try:
            time = datetime.fromisoformat(text)
            if len(text) <= 10:
                time += timedelta(days=1, milliseconds=-1)
            time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
        except (ValueError, OverflowError) as error:  # the second: before the year 1 or after 9999 in UTC
            raise BadInput(
                reason=f"'{text[:40]}' is not a moment of this case.",
                remedy="Use a time such as 2026-11-21T14:30, or a date.",
            ) from error
        until = time.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        with self._db.reading() as db:
            last = int(db.execute("SELECT coalesce(max(seq), 0) FROM log WHERE at <= ?", (until,)).get)
            later = db.execute("SELECT min(seq) FROM log WHERE at > ? AND seq < ?", (until, last)).get
        if later is not None:
            raise BadInput(
                reason=f"The clock was set back while the case was worked on: entry {later} of its log has a later "
                f"time than {text}, and entry {last}, written after it, an earlier one. So nobody can say what was "
                "decided by then.",
                remedy=f"Give the number of an entry: {int(later) - 1}, the last before entry {later}, or {last}.",
            )
        return last

    def setbacks(self) -> list[tuple[int, str, str]]:
        """List the entries before which the clock was put back by an hour or more, with both times."""
        with self._db.reading():
            rows = self._db.rows(
                "SELECT seq, before, at FROM (SELECT seq, at, lag(at) OVER (ORDER BY seq) AS before FROM log) "
                "WHERE julianday(before) - julianday(at) > 1.0 / 24 ORDER BY seq"
            )
        return [(int(seq), str(earlier), str(later)) for seq, earlier, later in rows]

    def decision_days(self) -> list[tuple[str, int]]:
        """List the days (UTC) on which something was decided, the last first, with how many entries."""
        marks = ", ".join("?" * len(decision_log.NOT_UNDOABLE))
        sql = (
            f"SELECT substr(at, 1, 10) AS day, count(*) FROM log WHERE verb NOT IN ({marks}) "
            "GROUP BY day ORDER BY day DESC"
        )
        with self._db.reading() as db:
            return [(str(day), int(many)) for day, many in db.execute(sql, sorted(decision_log.NOT_UNDOABLE))]

    def state(self, as_of: str | None = None) -> State:
        """Return what is decided now, or was at a moment. Raises BadInput."""
        with self._db.reading():
            seq = self.position() if as_of is None else self.moment(as_of)
            return self.state_at(seq)

    def state_at(self, seq: int) -> State:
        """Return what was decided up to entry ``seq``."""
        with self._db.reading():
            if seq == self.position():
                rows: Rows = {
                    name: {shape.key_of(row): row for row in self._records.rows(name)}
                    for name, shape in decision_log.TABLES.items()
                }
                # A document still being read is no decision yet.
                documents = {key: as_logged(row) for key, row in rows["document"].items() if row}
                rows["document"] = {key: row for key, row in documents.items() if row}
                moment = self._log.entry(seq).at if seq else ""
                return _state(rows, seq, moment)
            entries = [entry for entry in self._log.entries() if entry.seq <= seq]
        return _state(decision_log.replay(entries), seq, entries[-1].at if entries else "")

    @contextlib.contextmanager
    def as_the_log_says(self) -> Iterator[None]:
        """Let the decision tables be what the log says while the block runs; nothing of that is kept.

        Raises CaseNotProven where the log cannot be put in the place of the tables.
        """
        with self._db.snapshot():
            tables = decision_log.replay(self._log.entries())
            with self._db.rehearsal():
                try:
                    self._stand_in(tables)
                except (apsw.Error, KeyError, TypeError) as error:
                    what = "the log cannot be put in place of its entry"
                    raise CaseNotProven(path=self._db.path, fault=what, effect="nothing can be said of it") from error
                yield

    def _stand_in(self, tables: Rows) -> None:
        db = self._db
        db.execute("PRAGMA defer_foreign_keys = ON").fetchall()  # until the transaction ends, which is taken back
        for name in reversed(decision_log.TABLES):
            shape = decision_log.TABLES[name]
            present = {shape.key_of(row): row for row in self._records.stored_rows(name)}
            obsolete = [key for key, row in present.items() if tables[name].get(key) != row]
            if name == "document":  # one being read is not in the log yet
                obsolete = [key for key in obsolete if as_logged(present[key]) != tables[name].get(key)]
            where = " AND ".join(f'"{column}" = ?' for column in shape.key)
            # By its values: the key of an altered row may hold anything.
            db.executemany(
                f"DELETE FROM {name} WHERE {where}",
                [tuple(present[key][column] for column in shape.key) for key in obsolete],
            )
            columns = ", ".join(f'"{column}"' for column in shape.columns)
            db.executemany(
                f"INSERT INTO {name} ({columns}) VALUES ({', '.join('?' * len(shape.columns))})",
                [
                    tuple(row[column] for column in shape.columns)
                    for key, row in tables[name].items()
                    if row is not None and (key in obsolete or key not in present)
                ],
            )

    def touched(self) -> Iterator[tuple[LogEntry, set[str]]]:
        """Yield every entry with the decision tables it touched, oldest first."""
        for entry in self._log.entries():
            yield entry, set(decision_log.rows_of(entry)[1])

    def states(self, seqs: Iterable[int]) -> Iterator[tuple[LogEntry, State]]:
        """Yield the case after each of these entries, oldest first."""
        numbers = set(seqs)
        rows: Rows = {name: {} for name in decision_log.TABLES}
        for entry in self._log.entries():
            decision_log.apply(rows, entry)
            if entry.seq in numbers:
                yield entry, _state(rows, entry.seq, entry.at)

    def entries_about(self, evidence: str) -> list[LogEntry]:
        """List the entries that name a piece of evidence, oldest first; some may name it in passing."""
        with self._db.reading():
            sql = f"{ENTRY} WHERE instr(before, ?) OR instr(after, ?) ORDER BY seq"
            return [LogEntry(*row) for row in self._db.rows(sql, (f'"{evidence}', f'"{evidence}'))]


def _state(rows: Rows, seq: int, moment: str) -> State:
    def of(table: str) -> list[Row]:
        rows_of_table = [row for row in rows[table].values() if row is not None]
        if decision_log.TABLES[table].key == ("id",):
            rows_of_table.sort(key=lambda row: number_of(str(row["id"])))
        return rows_of_table

    about = rows["about"].get("case")
    return State(
        seq=seq,
        at=moment,
        title=str(about["title"]) if about else "",
        documents=tuple(document_of(row) for row in of("document")),
        hypotheses=tuple(hypothesis_of(row) for row in of("hypothesis")),
        evidence=tuple(evidence_of(row) for row in of("evidence")),
        assessments=tuple(assessment_of(row) for row in sorted(of("rating"), key=cell)),
        suggestions=tuple(suggestion_of(row) for row in sorted(of("suggestion"), key=cell)),
        considerations=tuple(consideration_of(row) for row in of("consideration")),
        likelihoods=tuple(
            likelihood_of(row)
            for row in sorted(of("likelihood"), key=lambda r: (number_of(str(r["hypothesis"])), str(r["by"])))
        ),
        settings=settings_of({str(row["id"]): row for row in of("setting")}),
    )
