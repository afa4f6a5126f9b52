"""Words of scans that people checked or corrected: a layer over the reading, which itself stays as it was read.

The text of a scanned page is made from its reading and these decisions. When a word changes its length, everything that
points into the page moves with it; a quote that holds a changed word keeps the words it had and is stale until a person
takes the new ones.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from core.domain import Changes, OcrDecision, Page, QuotePart, Reading, Word, Words
from core.errors import BadInput
from core.language import fold
from core.store import schema
from core.store.anchors import PageAnchors
from core.store.database import Database, clean
from core.store.decision_log import ChangeSet, Row, Rows
from core.store.documents import sha256_of
from core.store.log import DecisionLog
from core.store.pages import PageTable
from core.store.quotes import quoting, stretches
from core.store.records import Records
from core.text import over_pages

ACTIONS = ("accepted", "corrected", "illegible")
LEFT = "left "  # before document/page, what the setting is called that says a person left a text as it is
ILLEGIBLE = "[?]"
_LONGEST = 200  # characters of a corrected word


@dataclass(frozen=True, slots=True)
class Corrected:
    """The effect of corrections: rows whose quote holds a changed word, and how many others only moved."""

    stale: tuple[str, ...]
    moves: int
    changes: Changes = Changes(documents=True, proposals=True, evidence=True, matrix=True)


class OcrCorrections:
    """Decisions on single words of scans."""

    def __init__(
        self, db: Database, anchors: PageAnchors, log: DecisionLog, records: Records, pages: PageTable
    ) -> None:
        self._db = db
        self._anchors = anchors
        self._log = log
        self._records = records
        self._pages = pages

    def scanned_pages(self) -> list[Page]:
        """List the pages whose text was read in their pictures, by document."""
        return [page for page in self._pages.of(None) if page.source == "ocr"]

    def decisions(self, page_id: int | None = None) -> list[OcrDecision]:
        """List the decisions, on one page or on all, by page and word."""
        with self._db.reading():
            rows = (
                self._records.rows("ocr_word")
                if page_id is None
                else self._records.rows("ocr_word", "page = ?", (page_id,))
            )
            rows.sort(key=lambda row: (int(str(row["page"])), int(str(row["word"]))))
            return [decision_of(row) for row in rows]

    def decide(self, decisions: Sequence[tuple[int, int, str, str]]) -> Corrected:
        """Decide on words: (page id, word, action, text) of each; '' as action takes a decision back.

        One entry of the log. Raises BadInput for a page that is no scan, a word it does not have, or an empty
        correction, NoSuchItem for a page that is not there; then nothing is changed.
        """
        with self._db.transaction():
            change = ChangeSet()
            moment = self._db.now()
            for page_id, word, action, text in decisions:
                key = f"{page_id}/{word}"
                self._check_word(page_id, word, action, text)
                if not action:
                    self._records.delete_cascade(change, "ocr_word", key)
                    continue
                wording = " ".join(clean(text).split()) if action == "corrected" else ""
                existing = self._records.row("ocr_word", key)
                if existing is None or (existing["action"], existing["text"]) != (action, wording):
                    row: Row = {"page": page_id, "word": word, "action": action, "text": wording}
                    self._records.put(change, "ocr_word", {**row, "by": self._log.who, "at": moment})
            stale: list[str] = []
            moves = 0
            for page_id in sorted({page_id for page_id, *_ in decisions}):
                stale_rows, row_moves = self.follow(change, page_id)
                stale += stale_rows
                moves += row_moves
            self._log.append_change("check words", change)
            return Corrected(tuple(stale), moves)

    def _check_word(self, page_id: int, word: int, action: str, text: str) -> None:
        page = self._pages.by_id(page_id)
        if page.source != "ocr":
            raise BadInput(
                reason=f"Page {page.number} of {page.document} is not a scan.", remedy="Choose a scanned page."
            )
        if not 0 <= word < len(self._pages.words(page_id)) or action not in ("", *ACTIONS):
            raise BadInput(reason="There is no such word, or it cannot be marked in this way.", remedy="Try again.")
        if action == "corrected" and not 0 < len(" ".join(text.split())) <= _LONGEST:
            raise BadInput(reason="A correction cannot be empty.", remedy="Mark the word as illegible, or skip it.")

    def refresh_quote(self, evidence: str) -> None:
        """Let a row quote what is at its place now. Raises NoSuchItem, BadInput for a row without a place."""
        with self._db.transaction():
            change = ChangeSet()
            row = self._records.require("evidence", evidence)
            if row["page_id"] is None:
                raise BadInput(reason=f"{evidence} does not quote a page.", remedy="Edit its text instead.")
            old_stretches = stretches(row)
            after = []
            for part in old_stretches:
                page = self._pages.by_id(part.page_id)
                after.append(replace(part, text=page.text[part.start : part.end], page_sha256=page.sha256))
            is_quote = row["text"] == over_pages(*(part.text for part in old_stretches))
            text = over_pages(*(part.text for part in after)) if is_quote else row["text"]
            self._records.put(change, "evidence", {**quoting(row, str(row["document"]), after), "text": text})
            self._log.append_change("refresh quote", change)

    def follow(self, change: ChangeSet, page_id: int) -> tuple[list[str], int]:
        """Make the page again and move what points into it: (stale rows of evidence, rows that only moved)."""
        old_page = self._pages.by_id(page_id)
        shift = self._remake(old_page)
        if shift is None:
            return [], 0
        return self.carry(change, page_id, shift)

    def carry(self, change: ChangeSet, page_id: int, shift: Shift) -> tuple[list[str], int]:
        """Move what points into a page that was made again: (stale rows of evidence, rows that only moved)."""
        after = self._pages.by_id(page_id)
        stale: list[str] = []
        moves = 0
        new: dict[str, list[Row]] = {"evidence": [], "proposal": []}
        for row in self._records.rows("evidence", "page_id = ? OR instr(more, ?)", (page_id, f'"page_id":{page_id},')):
            parts = [shift.part(part, after) if part.page_id == page_id else part for part in stretches(row)]
            new["evidence"].append(quoting(row, str(row["document"]), parts))
            if any(part.page_id == page_id and part.page_sha256 != after.sha256 for part in parts):
                stale.append(str(row["id"]))
            else:
                moves += 1
        for row in self._records.rows("proposal", "page_id = ?", (page_id,)):
            start, end = shift.start(int(str(row["start"]))), shift.end(int(str(row["end"])))
            words = after.text[start:end]
            # The machine's own: it must be on its page, or nobody could accept it.
            new["proposal"].append({**row, "start": start, "end": end, "quote": words, "page_sha256": after.sha256})
            moves += words == row["quote"]
        self._park(change, {table: [str(row["id"]) for row in rows] for table, rows in new.items()})
        for table, rows in new.items():
            for row in rows:
                self._records.put(change, table, row)
        return stale, moves

    def _park(self, change: ChangeSet, rows: dict[str, list[str]]) -> None:
        """Take rows out of the way of each other: two of one page may change places, and a place is given only once."""
        for table, ids in rows.items():
            for identity in ids:
                row = self._records.row(table, identity)
                if row is not None:
                    change.note(table, identity, row, row)
                    sql = f'UPDATE {table} SET start = -1 - start, "end" = -1 - "end" WHERE id = ?'
                    self._db.execute(sql, (identity,))

    def _remake(self, page: Page) -> Shift | None:
        """Write the text that the reading and the decisions make; None when it is what is there."""
        reading = next(reading for reading in self._pages.readings(page.id) if reading.engine == page.fingerprint)
        text, words = with_decisions(reading, self.decisions(page.id))
        if text == page.text:
            return None
        shift = Shift(list(self._pages.words(page.id)), words, page.text, text)
        self._db.execute(
            "UPDATE page SET text = ?, sha256 = ?, words = ? WHERE id = ?",
            (text, sha256_of(text), Words.of(words).buffer, page.id),
        )
        self._anchors.pending_pages.add(page.id)
        self.reindex(page.id, shift)
        return shift

    def reindex(self, page_id: int, shift: Shift) -> None:
        """Move chunks, which keep their ids; those whose words changed are indexed again and lose their vectors."""
        for chunk, start, end in self._db.rows('SELECT id, start, "end" FROM chunk WHERE page = ?', (page_id,)):
            first, last = shift.chunk(start, end)
            self._db.execute('UPDATE chunk SET start = ?, "end" = ? WHERE id = ?', (first, last, chunk))
            words = shift.after[first:last]
            if words == shift.before[start:end]:
                continue
            if self._db.has_table(schema.WORD_TABLE):
                self._db.execute(f"DELETE FROM {schema.WORD_TABLE} WHERE rowid = ?", (chunk,))
                self._db.execute(schema.ADD_WORDS, (chunk, *fold.columns(words)))
            self._db.execute("DELETE FROM vector WHERE chunk = ?", (chunk,))

    def unchecked(self) -> frozenset[str]:
        """Return the rows that quote what nobody has checked yet.

        That is a scan in which nobody has looked at every word of the quote, or a text layer of one that nobody left as
        it is.
        """
        with self._db.reading():
            layer = (
                f"page.source = 'layer' AND '{LEFT}' || page.document || '/' || number NOT IN (SELECT id FROM setting)"
            )
            sql = 'SELECT evidence.id, page.id, start, "end" FROM evidence JOIN page ON page.id = evidence.page_id '
            ocr_rows = self._db.rows(sql + "WHERE page.source = 'ocr'")
            layer_rows = self._db.rows(sql + f"WHERE {layer}")
            sql = "SELECT evidence.id, page.id, part.value ->> 'start', part.value ->> 'end' FROM evidence, "
            sql += "json_each(evidence.more) AS part JOIN page ON page.id = part.value ->> 'page_id' "
            ocr_rows += self._db.rows(sql + "WHERE evidence.more <> '[]' AND page.source = 'ocr'")
            layer_rows += self._db.rows(sql + f"WHERE evidence.more <> '[]' AND {layer}")
            pages: dict[int, list[tuple[str, int, int]]] = {}
            for row, page_id, start, end in ocr_rows:
                pages.setdefault(page_id, []).append((row, start, end))
            ids = {str(row) for row, *_ in layer_rows}
            for page_id, quotes in pages.items():
                decided_words = {decision.word for decision in self.decisions(page_id)}
                open_words = [
                    word for number, word in enumerate(self._pages.words(page_id)) if number not in decided_words
                ]
                ids |= {row for row, start, end in quotes if any(w.start < end and w.end > start for w in open_words)}
            return frozenset(ids)

    def words_checked(self, page_id: int, start: int, end: int) -> Collection[OcrDecision] | None:
        """Return the decisions on every word of a stretch of a scan; None when a word of it was never looked at."""
        by_word = {decision.word: decision for decision in self.decisions(page_id)}
        inside = [
            number for number, word in enumerate(self._pages.words(page_id)) if word.start < end and word.end > start
        ]
        return [by_word[number] for number in inside] if all(number in by_word for number in inside) else None

    def make_room(self, change: ChangeSet, rows: Rows) -> None:
        """Take what is on pages of words out of each other's way, before an entry on words is taken back."""
        if rows.get("ocr_word"):
            keys = {
                table: [key for key, row in rows.get(table, {}).items() if row is not None]
                for table in ("evidence", "proposal")
            }
            self._park(change, keys)

    def remake_pages(self, _change: ChangeSet, rows: Rows) -> None:
        """Make the pages of words again that were put back; what points into them was put back with them."""
        for page_id in sorted({int(key.split("/")[0]) for key in rows.get("ocr_word", {})}):
            self._remake(self._pages.by_id(page_id))


def with_decisions(reading: Reading, decisions: Iterable[OcrDecision]) -> tuple[str, list[Word]]:
    """Make the text of a reading with the decisions on its words, and say where each word is in it."""
    by_word = {decision.word: decision for decision in decisions}
    pieces: list[str] = []
    offset = length = 0
    positions: dict[int, Word] = {}
    for number, word in sorted(enumerate(reading.words), key=lambda item: item[1].start):
        gap = reading.text[offset : word.start]
        text = reading.text[word.start : word.end]
        decision = by_word.get(number)
        if decision is not None and decision.action != "accepted":
            text = ILLEGIBLE if decision.action == "illegible" else decision.text
        pieces += [gap, text]
        length += len(gap)
        positions[number] = Word(length, length + len(text), *word[2:])
        length += len(text)
        offset = word.end
    pieces.append(reading.text[offset:])
    return "".join(pieces), [positions[number] for number in range(len(positions))]


class Shift:
    """A map of places from the text before to the text after; words correspond one to one, gaps are alike."""

    def __init__(self, old: Iterable[Word], new: Iterable[Word], before: str, after: str) -> None:
        pairs = sorted(
            ((old_word.start, old_word.end, two.start, two.end) for old_word, two in zip(old, new, strict=True))
        )
        self.pairs = pairs
        self.starts = [pair[0] for pair in pairs]
        self.before = before
        self.after = after

    def _word_at(self, place: int) -> tuple[tuple[int, int, int, int] | None, bool]:
        """Find the word at or before a place, and whether the place lies inside it."""
        index = bisect_right(self.starts, place) - 1
        if index < 0:
            return None, False
        pair = self.pairs[index]
        return pair, place < pair[1]

    def start(self, place: int) -> int:
        """Map the first character of a stretch."""
        pair, inside = self._word_at(place)
        if pair is None:
            return place
        if not inside:
            return pair[3] + place - pair[1]
        same = self.before[pair[0] : pair[1]] == self.after[pair[2] : pair[3]]
        return pair[2] + (place - pair[0] if same else 0)

    def part(self, part: QuotePart, page: Page) -> QuotePart:
        """Map a stretch of a quote to the text after, ``page``.

        Where its words changed it keeps those it had, and the hash of the page on which they stood.
        """
        new = replace(part, start=self.start(part.start), end=self.end(part.end))
        same = page.text[new.start : new.end] == part.text
        return replace(new, page_sha256=page.sha256) if same else new

    def chunk(self, start: int, end: int) -> tuple[int, int]:
        """Map a passage: passages side by side stay so."""
        return self.start(start), self.end(end)

    def end(self, place: int) -> int:
        """Map the border behind the last character of a stretch."""
        if place == 0:
            return 0
        pair, inside = self._word_at(place - 1)
        if pair is None:
            return place
        if not inside:
            return pair[3] + place - pair[1]
        same = self.before[pair[0] : pair[1]] == self.after[pair[2] : pair[3]]
        return pair[2] + place - pair[0] if same else pair[3]


def decision_of(row: Row) -> OcrDecision:
    """Return a decision on a word from its row."""
    return OcrDecision(
        int(str(row["page"])),
        int(str(row["word"])),
        str(row["action"]),
        str(row["text"]),
        str(row["by"]),
        str(row["at"]),
    )
