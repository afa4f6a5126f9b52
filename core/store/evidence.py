"""Rows of evidence."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

from core.documents import descriptions
from core.domain import Absence, Evidence, Level, Quote, QuotePart
from core.errors import BadInput
from core.store import decision_log, values
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row
from core.store.documents import document_of
from core.store.log import DecisionLog
from core.store.quotes import QuoteProof, parts_of, quoting
from core.store.records import Records, RowValues, proven
from core.store.values import EVIDENCE_KINDS, LEVELS

EDITABLE = frozenset(
    {"text", "source", "date", "credibility", "relevance", "reliability", "information", "upstream", "note", "kind"}
)
# A row of evidence before anything is known of it.
BLANK: Row = {
    **dict.fromkeys(decision_log.TABLES["evidence"].columns),
    **decision_log.TABLES["evidence"].later,
    "text": "",
    "source": "",
    "method": "manual",
}
_EVIDENCE_FIELDS = tuple(column for column in decision_log.TABLES["evidence"].columns if column != "page_sha256")


class EvidenceTable:
    """The rows of evidence of a case."""

    def __init__(self, db: Database, log: DecisionLog, records: Records, quotes: QuoteProof) -> None:
        self._db = db
        self._log = log
        self._records = records
        self._quotes = quotes
        self._values = RowValues(lambda fields: evidence_of(proven("evidence", fields)))

    def all(self) -> list[Evidence]:
        """List the evidence, in order of id."""
        with self._db.reading():
            rows = self._records.fields("evidence")
        return self._values.of(rows)

    def add(
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
        """Add a row by hand: with a quote, with the search for what was expected and not found, or with neither.

        A quote that is evidence already gives that row, unchanged. Raises QuoteNotProven, NoSuchItem, BadInput; the
        latter too for a quote that begins with a stretch that is evidence already and goes on otherwise.
        """
        with self._db.transaction():
            change = ChangeSet()
            row: Row = dict(BLANK)
            if absence is not None:
                self._records.require("hypothesis", absence.hypothesis)
                row |= {"kind": "absence", "absence": decision_log.canonical(asdict(absence))}
            if quote is not None:
                self._quotes.prove(quote)
                existing = self._records.rows(
                    "evidence", 'page_id = ? AND start = ? AND "end" = ?', (quote.page_id, quote.start, quote.end)
                )
                row = quoting(row, quote.document, parts_of(quote))
                if existing and existing[0]["more"] == row["more"]:
                    return evidence_of(existing[0])
                if existing:
                    raise BadInput(
                        reason=f"{existing[0]['id']} quotes the same words of page {quote.page} and "
                        f"{'ends elsewhere' if existing[0]['more'] != '[]' else 'ends there'}; nothing was added.",
                        remedy="Remove that row first, or mark another span.",
                    )
            row |= {
                "id": f"E{self._db.number('evidence')}",
                "text": clean(text),
                "source": clean(source),
                "method": "manual",
                "credibility": _level(credibility),
                "relevance": _level(relevance),
                "note": clean(note.strip()),
                "created_by": self._log.who,
                "created_at": self._db.now(),
            }
            row = self.new_from(row, None if quote is None else quote.document)
            self._records.put(change, "evidence", row)
            self._log.append_change("add evidence", change)
            return evidence_of(row)

    def new_from(self, row: Row, document: str | None) -> Row:
        """Complete a new row with what was said of its document, where nothing else is said of the row."""
        if document is None:
            return row
        description = document_of(self._records.require("document", document))
        source = descriptions.citation_of(description) if row["source"] in ("", description.name) else row["source"]
        return {
            **row,
            "source": source,
            "reliability": row["reliability"] or description.reliability,
            "information": row["information"] or description.information,
            "date": row["date"] or descriptions.certain_date_of(description),
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
        wording = {"source": source, "text": text}
        fields = {name: value for name, value in wording.items() if value is not None}
        self.describe([evidence], {"credibility": credibility, "relevance": relevance, **fields}, verb="grade")

    def describe(self, evidence: Collection[str], fields: Mapping[str, str | None], *, verb: str = "describe") -> None:
        """Set fields of rows, the same for all of them, in one entry.

        Fields: text, source, date, credibility, relevance (L, M, H or None), reliability (A-F), information (1-6),
        upstream, note, kind. Raises NoSuchItem, BadInput; then nothing is changed.
        """
        new = {name: checked_field(name, value) for name, value in fields.items()}
        with self._db.transaction():
            change = ChangeSet()
            for identity in dict.fromkeys(evidence):
                row = self._records.require("evidence", identity)
                if row["kind"] == values.WITHDRAWN:
                    raise BadInput(
                        reason=f"{identity} was withdrawn, as its document was erased; nothing was changed.",
                        remedy="Remove the row, or leave it as it is.",
                    )
                self._records.put(change, "evidence", {**row, **new})
            self._log.append_change(verb, change)

    def remove(self, *evidence: str) -> None:
        """Take rows out with their ratings; the proposals they came from are pending again."""
        with self._db.transaction():
            change = ChangeSet()
            for identity in dict.fromkeys(evidence):
                row = self._records.require("evidence", identity)
                self._records.delete_cascade(change, "evidence", identity)
                for proposal in self._resting_on(row):
                    self._records.put(change, "proposal", {**proposal, "status": "pending"})
            self._log.append_change("remove evidence", change)

    def _resting_on(self, row: Row) -> list[Row]:
        """List the accepted proposals that became this row, and that no row stands for any more.

        These are the proposals whose quotes it holds, and those of its passage whose quotes no row holds.
        """
        if row["page_id"] is None:
            return []
        page = (row["page_id"],)
        rows = [row, *self._records.rows("evidence", "page_id = ?", page)]
        ours, *left = [self._passages_of(row) for row in rows]
        resting = []
        for proposal in self._records.rows("proposal", "page_id = ? AND status = 'accepted'", page):
            inside, *elsewhere = [_spans(row, proposal) for row in rows]
            chunk = proposal["chunk"]
            of_passage = chunk in ours and not any(chunk in chunks for chunks in left)
            if not any(elsewhere) and (inside or of_passage):
                resting.append(proposal)
        return resting

    def _passages_of(self, row: Row) -> set[object]:
        """Return the passages in which a row lies that came of a proposal; none of a row that was made by hand."""
        if row["method"] != "corpus":
            return set()
        sql = 'SELECT id FROM chunk WHERE page = ? AND start <= ? AND "end" >= ?'
        return {chunk for (chunk,) in self._db.rows(sql, (row["page_id"], row["start"], row["end"]))}

    def join(self, rows: Collection[str], quote: Quote) -> str:
        """Make one row of several that quote the same passage, and return its id: the first of them.

        It quotes ``quote``, which must hold the quotes of all, and takes over their ratings, suggestions and notes; its
        other fields are those of the first row, its text too where that is not just the quote. Raises NoSuchItem,
        QuoteNotProven, and BadInput where somebody rated the same hypothesis differently in two of them, or where the
        page of one was read again since; then nothing is joined.
        """
        with self._db.transaction():
            change = ChangeSet()
            self._quotes.prove(quote)
            first, *joined = (self._records.require("evidence", identity) for identity in dict.fromkeys(rows))
            for row in (first, *joined):
                if not _holds(quote, row):
                    raise BadInput(
                        reason=f"{row['id']} quotes another passage than {first['id']}; nothing was joined.",
                        remedy="Join only rows that quote the same passage.",
                    )
                if row["page_sha256"] != quote.page_sha256:
                    raise BadInput(
                        reason=f"The page of {row['id']} was read again since, so its quote is not what is there "
                        "now; nothing was joined.",
                        remedy="Look at the page; take the new words or remove the row.",
                    )
            cells = [
                (table, cell)
                for row in joined
                for table in ("rating", "suggestion")
                for cell in self._records.rows(table, "evidence = ?", (row["id"],))
            ]
            for row in joined:
                self._records.delete_cascade(change, "evidence", str(row["id"]))
            where = 'page_id = ? AND start = ? AND "end" = ? AND id <> ?'
            for row in self._records.rows("evidence", where, (quote.page_id, quote.start, quote.end, first["id"])):
                raise BadInput(
                    reason=f"{row['id']} quotes just the words that the joined row would; nothing was joined.",
                    remedy=f"Join {row['id']} with the others.",
                )
            notes = dict.fromkeys(str(row["note"]) for row in (first, *joined) if row["note"])
            methods = {row["method"] for row in (first, *joined)}
            quoted = quoting({**first, "note": "\n".join(notes)}, quote.document, parts_of(quote))
            quoted["method"] = "corpus" if "corpus" in methods else first["method"]
            if str(first["text"]).split() == str(first["quote"]).split():
                quoted["text"] = quote.text
            self._records.put(change, "evidence", quoted)
            for table, cell in cells:
                self._take_over(change, table, cell, str(first["id"]))
            self._log.append_change(decision_log.JOIN_ROWS, change)
            return str(first["id"])

    def _take_over(self, change: ChangeSet, table: str, cell: Row, row: str) -> None:
        """Move a rating with its note, or a suggestion, to another row, which keeps its own. Raises BadInput."""
        key = f"{row}/{cell['hypothesis']}" + (f"/{cell['by']}" if table == "rating" else "")
        evidence_row = self._records.row(table, key)
        if evidence_row is None:
            self._records.put(change, table, {**cell, "evidence": row})
        elif table == "rating" and (former_rating := evidence_row["rating"]) != cell["rating"]:
            raise BadInput(
                reason=f"{cell['by']} rated {cell['hypothesis']} {former_rating} in {row} and {cell['rating']} in "
                f"{cell['evidence']}; nothing was joined.",
                remedy="Make both ratings the same first.",
            )
        elif table == "rating":
            notes = dict.fromkeys(str(noted_row["note"]) for noted_row in (evidence_row, cell) if noted_row["note"])
            confidence = evidence_row["confidence"] or cell["confidence"]
            self._records.put(change, table, {**evidence_row, "note": "\n".join(notes), "confidence": confidence})

    def split(self, row: str, parts: Sequence[tuple[Quote, str, Collection[str]]]) -> list[str]:
        """Make a row of each part of what a row quotes, and return their ids: the first part keeps the row's own.

        A part is its quote, the proposal that it came of, and the hypotheses whose ratings and suggestions go with it;
        all others stay with the first. Raises NoSuchItem, QuoteNotProven, and BadInput for a part that lies elsewhere,
        that another row quotes, or where the page of the row was read again since; then nothing is split.
        """
        with self._db.transaction():
            change = ChangeSet()
            original = self._records.require("evidence", row)
            ids = [row]
            for index, (quote, proposal, hypotheses) in enumerate(parts):
                self._quotes.prove(quote)
                self._check_part(original, quote)
                new_row: Row = {"text": quote.text, "proposal": proposal}
                if index:
                    ids.append(f"E{self._db.number('evidence')}")
                    new_row |= {"id": ids[-1], "note": "", "created_by": self._log.who, "created_at": self._db.now()}
                elif str(original["text"]).split() != str(original["quote"]).split():
                    new_row["text"] = original["text"]  # somebody's own words
                self._records.put(change, "evidence", quoting({**original, **new_row}, quote.document, parts_of(quote)))
                if index:
                    self._give_cells(change, row, ids[-1], hypotheses)
            self._log.append_change(decision_log.SPLIT_ROW, change)
            return ids

    def _check_part(self, original: Row, quote: Quote) -> None:
        """Raise BadInput for a quote that cannot be a part of what a row quotes."""
        inside = int(str(original["start"])) <= quote.start and quote.end <= int(str(original["end"]))
        if original["page_id"] != quote.page_id or original["more"] != "[]" or not inside:
            raise BadInput(
                reason=f"{original['id']} does not hold “{quote.text[:40]}”; nothing was split.",
                remedy="Split a row only into parts of what it quotes.",
            )
        if original["page_sha256"] != quote.page_sha256:
            raise BadInput(
                reason=f"The page of {original['id']} was read again since; nothing was split.",
                remedy="Look at the page; take the new words or remove the row.",
            )
        where = 'page_id = ? AND start = ? AND "end" = ? AND id <> ?'
        for row in self._records.rows("evidence", where, (quote.page_id, quote.start, quote.end, original["id"])):
            raise BadInput(
                reason=f"{row['id']} quotes a part of {original['id']} already; nothing was split.",
                remedy=f"Remove {row['id']}, or leave both rows as they are.",
            )

    def _give_cells(self, change: ChangeSet, row: str, to: str, hypotheses: Collection[str]) -> None:
        """Move what was rated and suggested for these hypotheses from one row to another."""
        for table in ("rating", "suggestion"):
            for cell in self._records.rows(table, "evidence = ?", (row,)):
                if cell["hypothesis"] in hypotheses:
                    key = f"{row}/{cell['hypothesis']}" + (f"/{cell['by']}" if table == "rating" else "")
                    self._records.delete_cascade(change, table, key)
                    self._records.put(change, table, {**cell, "evidence": to})

    def stale(self) -> frozenset[str]:
        """Return the rows of which a page has been read again since with another text."""
        with self._db.reading() as db:
            sql = "SELECT evidence.id FROM evidence JOIN page ON page.id = evidence.page_id "
            ids = {row[0] for row in db.execute(sql + "WHERE page.sha256 <> evidence.page_sha256")}
            sql = "SELECT evidence.id FROM evidence, json_each(evidence.more) AS part JOIN page "
            sql += "ON page.id = part.value ->> 'page_id' WHERE page.sha256 <> part.value ->> 'page_sha256' "
            ids.update(row[0] for row in db.execute(sql + "AND evidence.more <> '[]'"))
            return frozenset(ids)

    def marks(self) -> dict[str, tuple[str, ...]]:
        """Return 'struck' and 'hidden' of the rows that quote words struck through or not visible on the page."""
        marks: dict[str, tuple[str, ...]] = {}
        with self._db.reading():
            for mark in ("struck", "hidden"):
                for row in sorted(self._touching(mark)):
                    marks[row] = (*marks.get(row, ()), mark)
        return marks

    def _touching(self, column: str) -> set[str]:
        """Return the rows that quote words in one of the spans that a column of their page lists."""
        sql = "SELECT evidence.id FROM evidence JOIN page ON page.id = evidence.page_id, "
        sql += f"json_each(page.{column}) AS h WHERE page.{column} <> '[]' "
        sql += 'AND h.value ->> 0 < evidence."end" AND h.value ->> 1 > evidence.start'
        ids = {str(row[0]) for row in self._db.rows(sql)}
        sql = "SELECT evidence.id FROM evidence, json_each(evidence.more) AS part JOIN page "
        sql += f"ON page.id = part.value ->> 'page_id', json_each(page.{column}) AS h WHERE evidence.more <> '[]' "
        sql += "AND h.value ->> 0 < part.value ->> 'end' AND h.value ->> 1 > part.value ->> 'start'"
        return ids | {str(row[0]) for row in self._db.rows(sql)}

    def quoting(self, document: str) -> list[Evidence]:
        """List the rows of evidence that quote a document, in order of id."""
        with self._db.reading():
            return [evidence_of(row) for row in self._records.of_documents("evidence", [document])]


def _holds(quote: Quote, row: Row) -> bool:
    """Return whether a row quotes a stretch of one page that lies within a quote."""
    if row["page_id"] != quote.page_id or row["more"] != "[]":
        return False
    return quote.start <= int(str(row["start"])) and int(str(row["end"])) <= quote.end


def _spans(row: Row, proposal: Row) -> bool:
    """Return whether a row quotes, on the same page, all that a proposal does."""
    start, end = int(str(row["start"])), int(str(row["end"]))
    return start <= int(str(proposal["start"])) and int(str(proposal["end"])) <= end


def checked_field(name: str, value: str | None) -> str | None:
    """Return a field of evidence as it can be kept. Raises BadInput."""
    if name in ("credibility", "relevance"):
        return _level(value)
    value = clean(value or "").strip()
    choices = {"reliability": ("", *"ABCDEF"), "information": ("", *"123456"), "kind": EVIDENCE_KINDS}.get(name)
    if name not in EDITABLE or (choices is not None and value not in choices):
        raise BadInput(
            reason=f"'{value}' cannot be the {name} of a piece of evidence.",
            remedy=f"Use {', '.join(item or 'nothing' for item in choices)}." if choices else "Choose another field.",
        )
    if name == "text" and not value:
        raise BadInput(reason="Evidence cannot be empty.", remedy="Say in one sentence what was observed.")
    return value


def _level(value: str | None) -> str | None:
    if value not in LEVELS:
        raise BadInput(reason=f"'{value}' is not a grade.", remedy="Use L, M or H.")
    return value


def evidence_of(row: Row) -> Evidence:
    """Return a piece of evidence from its row."""
    fields = {column: row[column] for column in _EVIDENCE_FIELDS}
    if row["absence"] is not None:
        absence = values.from_json(row["absence"])
        fields["absence"] = Absence(**{**absence, "queries": tuple(absence["queries"])})
    fields["more"] = tuple(QuotePart(**part) for part in values.from_json(row["more"]))
    return Evidence(**fields)  # type: ignore[arg-type]
