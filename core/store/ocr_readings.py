"""Pages read in their pictures once more: what the file or an earlier run gave makes way, and nothing decided is lost.

Text of a file that is no text is replaced only where no decision rests on it. A scan that was read before keeps what
people said of its words: words are the same where their boxes are. A page on which that cannot be told stays as it is,
and who asked is told why.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise

from core.domain import LAYER_READING, OF_THE_FILE, STAMP, Page, PageText, Reading, Span, Word, Words
from core.errors import BadInput
from core.language import fold
from core.store import decision_log, schema, values
from core.store.anchors import PageAnchors
from core.store.database import Database
from core.store.decision_log import READ_AGAIN, ChangeSet, Row, Rows
from core.store.documents import READ, DocumentTable, check_page, sha256_of
from core.store.log import DecisionLog
from core.store.ocr_corrections import LEFT, Corrected, OcrCorrections, Shift, with_decisions
from core.store.pages import PageTable
from core.store.records import Records

_SAME = 0.4  # of the area that two boxes cover together, for a word to be the same word
_REMEDY = "Undo those decisions if it must be read again, or leave the page as it is."


class OcrReadings:
    """Pages that wait to be read in their pictures, and pages read again."""

    def __init__(
        self,
        db: Database,
        anchors: PageAnchors,
        log: DecisionLog,
        records: Records,
        documents: DocumentTable,
        pages: PageTable,
        corrections: OcrCorrections,
    ) -> None:
        self._db = db
        self._anchors = anchors
        self._log = log
        self._records = records
        self._documents = documents
        self._pages = pages
        self._corrections = corrections

    def pages_to_read(self, document: str) -> list[Page]:
        """List the pages of a document that have no text, or text that is none, in order.

        Pages that a person left as they are do not count.
        """
        left = self.left_pages()
        pages = (page for page in self._pages.of(document) if page.width and page.height and _unread(page))
        return [page for page in pages if (document, page.number) not in left]

    def left_pages(self) -> frozenset[tuple[str, int]]:
        """Return (document, page) of every page whose text a person looked at and left as it is."""
        with self._db.reading():
            return frozenset(
                (document, int(number))
                for (name,) in self._db.rows("SELECT id FROM setting WHERE id GLOB ?", (f"{LEFT}*",))
                for document, _, number in (str(name).removeprefix(LEFT).partition("/"),)
            )

    def text_left(self, page_id: int) -> tuple[str, str] | None:
        """Return who left the text of a page as it is, and when; None if nobody did."""
        with self._db.reading():
            page = self._pages.by_id(page_id)
            row = self._records.row("setting", f"{LEFT}{page.document}/{page.number}")
            if row is None:
                return None
            by, moment = values.from_json(row["value"])
            return str(by), str(moment)

    def leave_text(self, pages: Sequence[tuple[str, int]], *, left: bool = True) -> None:
        """Note that a person looked at these pages, (document, page): their text is right as it is.

        ``left=False`` takes it back. Raises NoSuchItem.
        """
        with self._db.transaction():
            change = ChangeSet()
            for document, number in pages:
                self._pages.page(document, number)
                key = f"{LEFT}{document}/{number}"
                setting = self._records.row("setting", key)
                if left and setting is None:
                    self._records.put(
                        change, "setting", {"id": key, "value": decision_log.canonical([self._log.who, self._db.now()])}
                    )
                elif not left and setting is not None:
                    self._records.delete_cascade(change, "setting", key)
            self._log.append_change("leave text", change)

    def unread_pages(self) -> dict[str, tuple[int, int]]:
        """Count by document how many pages have no text but a stamp at most, and how many have text that is none.

        A document without any is left out, and so are pages that a person left as they are.
        """
        sql = (
            f"SELECT document, sum(source = 'none' OR confidence >= {STAMP}), "
            f"sum(source <> 'none' AND confidence < {STAMP}) FROM page WHERE width > 0 AND height > 0 "
            "AND (source = 'none' AND trim(text) = '' OR source IN ('embedded', 'layer') AND confidence IS NOT NULL) "
            f"AND document IN (SELECT id FROM document WHERE {READ}) "
            f"AND NOT EXISTS (SELECT 1 FROM setting WHERE setting.id = '{LEFT}' || document || '/' || number) "
            "GROUP BY document"
        )
        with self._db.reading():
            return {document: (bare, poor) for document, bare, poor in self._db.rows(sql)}

    def blank_pages(self) -> dict[str, int]:
        """Count by document that has any how many pages were read in their pictures and have no word."""
        with self._db.reading():
            sql = "SELECT document, count(*) FROM page WHERE source = 'ocr' AND trim(text) = '' GROUP BY document"
            return dict(self._db.rows(sql))

    def doubt_text(self, page_id: int, confidence: float) -> None:
        """Note that text of the file is not what is in the picture of its page: it waits to be read there.

        ``confidence`` is the share of it that does. Raises BadInput for a page whose text is not that of the file.
        """
        with self._db.transaction() as db:
            page = self._pages.by_id(page_id)
            if page.source not in OF_THE_FILE:
                where = f"Page {page.number} of {page.document}"
                raise BadInput(reason=f"The text of {where} is not that of the file.", remedy="Correct it instead.")
            db.execute("UPDATE page SET confidence = ? WHERE id = ?", (confidence, page_id))
            self._anchors.pending_pages.add(page_id)

    def confirm_text(self, page_id: int) -> None:
        """Note that each word of the layer of a page is in its picture: it is text of the file like any other."""
        with self._db.transaction() as db:
            document = self._pages.by_id(page_id).document
            db.execute("UPDATE page SET source = 'embedded' WHERE id = ? AND source = 'layer'", (page_id,))
            self._anchors.pending_pages.add(page_id)
            row: Rows = {"document": {document: self._documents.stored_row(document)}}
            self._log.append("read scan", row, row)

    def hide_text(self, page_id: int, confidence: float) -> None:
        """Hide the layer of a page that is nothing of what is in its picture: nobody sees it.

        It is kept and shown, but not searched or judged, and the page waits to be read. One that something rests on is
        only doubted.
        """
        if self.resting_on(page_id):
            self.doubt_text(page_id, confidence)
            return
        with self._db.transaction() as db:
            page = self._pages.by_id(page_id)
            key, old_row = page.document, self._documents.stored_row(page.document)
            self._drop_passages(page_id, key)
            hidden_spans = json.dumps([[0, len(page.text), "invisible"]])
            db.execute("UPDATE page SET hidden = ?, confidence = ? WHERE id = ?", (hidden_spans, confidence, page_id))
            self._anchors.pending_pages.add(page_id)
            self._log.append(
                "read scan", {"document": {key: old_row}}, {"document": {key: self._documents.stored_row(key)}}
            )

    def _drop_passages(self, page_id: int, document: str) -> None:
        """Take a page out of search: its passages, sections, and the signature of its document."""
        db = self._db
        chunks = [row[0] for row in db.execute("SELECT id FROM chunk WHERE page = ?", (page_id,)).fetchall()]
        for table, column in ((schema.WORD_TABLE, "rowid"), ("vector", "chunk"), ("chunk", "id")):
            if table in ("vector", "chunk") or self._db.has_table(table):
                db.executemany(f"DELETE FROM {table} WHERE {column} = ?", [(chunk,) for chunk in chunks])
        db.execute("DELETE FROM section WHERE page = ?", (page_id,))
        db.execute("DELETE FROM sketch WHERE document = ?", (document,))
        db.execute("UPDATE document SET chunks = chunks - ? WHERE id = ?", (len(chunks), document))

    def resting_on(self, page_id: int) -> tuple[str, ...]:
        """Return the ids of what quotes a page: rows of evidence and proposals, in order."""
        with self._db.reading():
            return tuple(dict.fromkeys((*self._quotes_on(page_id), *self._proposals_on(page_id))))

    def _quotes_on(self, page_id: int) -> list[str]:
        ids = [str(row["id"]) for row in self._records.rows("evidence", "page_id = ?", (page_id,))]
        return [*ids, *(identity for identity in self._goes_on(page_id) if identity not in ids)]

    def _goes_on(self, page_id: int) -> list[str]:
        """List rows of evidence that run over a page break, with a stretch on this page."""
        rows = self._records.rows("evidence", "instr(more, ?)", (f'"page_id":{page_id},',))
        return [str(row["id"]) for row in rows]

    def _proposals_on(self, page_id: int) -> list[str]:
        return [str(row["id"]) for row in self._records.rows("proposal", "page_id = ?", (page_id,))]

    def put(self, page_id: int, page: PageText, spans: Sequence[Span], readings: Sequence[Reading]) -> list[int]:
        """Set the text of a page without text to what was read in its picture; return the ids of its new chunks.

        One transaction, logged. The readings (the first made the text) are kept as they are, with the confidence of
        every word. Raises NoSuchItem; BadInput for a page that has text, because quotes may rest on it;
        UnreadableDocument for a text that cannot be kept.
        """
        check_page(page, spans)
        with self._db.transaction():
            old_page = self._pages.by_id(page_id)
            if old_page.text.strip() or old_page.source != "none":
                raise BadInput(
                    reason=f"Page {old_page.number} of {old_page.document} already has text.",
                    remedy="Correct that text instead.",
                )
            old_row = self._documents.stored_row(old_page.document)
            chunks = self._take_reading(page_id, page, spans, readings)
            after = self._documents.stored_row(old_page.document)
            key = old_page.document
            self._log.append("read scan", {"document": {key: old_row}}, {"document": {key: after}})
        return chunks

    def _take_reading(
        self, page_id: int, page: PageText, spans: Sequence[Span], readings: Sequence[Reading]
    ) -> list[int]:
        """Take in a reading as ``put`` does, within a transaction, without the log."""
        db = self._db
        document = str(db.execute("SELECT document FROM page WHERE id = ?", (page_id,)).get)
        db.execute(
            "UPDATE page SET text = ?, sha256 = ?, words = ?, source = 'ocr', confidence = ?, fingerprint = ? "
            "WHERE id = ?",
            (page.text, sha256_of(page.text), page.words.buffer, page.confidence, readings[0].engine, page_id),
        )
        self._anchors.pending_pages.add(page_id)
        for reading in readings:
            self._pages.keep_reading(page_id, reading)
        next_chunk = int(db.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'chunk'").get)
        chunks = list(range(next_chunk + 1, next_chunk + 1 + len(spans)))
        for chunk, span in zip(chunks, spans, strict=True):
            db.execute(
                'INSERT INTO chunk (id, page, document, start, "end") VALUES (?, ?, ?, ?, ?)',
                (chunk, page_id, document, span.start, span.end),
            )
            db.execute(schema.ADD_WORDS, (chunk, *fold.columns(page.text[span.start : span.end])))
        db.execute(
            "UPDATE document SET chunks = chunks + ?, pages_without_text = pages_without_text - ?, "
            "status = iif(status = 'needs_ocr' AND ?, 'ready', status) WHERE id = ?",
            (len(chunks), int(bool(page.text.strip())), bool(page.text.strip()), document),
        )
        return chunks

    def replace_text(
        self,
        page_id: int,
        page: PageText,
        spans: Sequence[Span],
        readings: Sequence[Reading],
        *,
        is_asked: bool = False,
    ) -> list[int]:
        """Put what was read in its picture in the place of text of the file that is none, or no more than a stamp.

        Returns the ids of the new chunks. What was there is kept as a reading of its own. Raises BadInput for a page
        whose text will do (unless ``is_asked``), one that a decision rests on or ever rested on, and where nothing was
        read in the picture.
        """
        check_page(page, spans)
        with self._db.transaction() as db:
            old_page = self._pages.by_id(page_id)
            where = f"Page {old_page.number} of {old_page.document}"
            if old_page.source not in OF_THE_FILE or (old_page.confidence is None and not is_asked):
                raise BadInput(reason=f"{where} already has text.", remedy="Correct that text instead.")
            self._nothing_rests_on(page_id, where)
            if not page.text.strip():
                raise BadInput(
                    reason=f"Nothing could be read in the image of {where[:1].lower() + where[1:]}; its text was kept.",
                    remedy="Look at the page; text that no search should find can be taken out of scope.",
                )
            words = self._pages.words(page_id)
            layer = Reading(
                LAYER_READING,
                old_page.text,
                words,
                (STAMP if old_page.confidence is None else old_page.confidence,) * len(words),
                ((),) * len(words),
                ("",) * len(words),
            )
            old_row = self._documents.stored_row(old_page.document)
            self._drop_passages(page_id, old_page.document)
            db.execute(
                "UPDATE page SET text = '', sha256 = ?, source = 'none', confidence = NULL, hidden = '[]', "
                "struck = '[]', tables = '[]' WHERE id = ?",
                (sha256_of(""), page_id),
            )
            db.execute(
                "UPDATE document SET pages_without_text = pages_without_text + ? WHERE id = ?",
                (int(old_page.confidence != STAMP), old_page.document),  # a scan with a stamp counts as one already
            )
            chunks = self._take_reading(page_id, page, spans, [*readings, layer])
            key = old_page.document
            self._log.append(
                "read scan", {"document": {key: old_row}}, {"document": {key: self._documents.stored_row(key)}}
            )
        return chunks

    def _nothing_rests_on(self, page_id: int, where: str) -> None:
        resting = self.resting_on(page_id)
        if resting:
            raise BadInput(
                reason=f"{where} has text of the file, and {', '.join(resting[:5])}"
                f"{' and others' if len(resting) > 5 else ''} {'rests' if len(resting) == 1 else 'rest'} on it; "
                "it was not replaced.",
                remedy="Remove what rests on it, and quote the page again once it is read.",
            )
        # What undo can bring back rests on it as well.
        chunks = [row[0] for row in self._db.rows("SELECT id FROM chunk WHERE page = ?", (page_id,))]
        signs = (f'"page_id":{page_id},', f'page_id\\":{page_id},', *(f'"chunk":{chunk},' for chunk in chunks))
        if self._log.mentions(*signs):
            raise BadInput(
                reason=f"{where} has text of the file, and a decision that was taken back rested "
                "on it; it was not replaced.",
                remedy="Add the file to a new case to run OCR on the page.",
            )

    def read_again(self, page_id: int, page: PageText, readings: Sequence[Reading]) -> Corrected:
        """Let what an engine read now take the place of what one read before. One transaction, logged.

        What people said of words stays with the words in the same places; quotes move with them, and one whose words
        are others now keeps them and is stale. Both readings are kept. Raises BadInput, and changes nothing, where a
        word that was decided on has no counterpart, or words come in another order.
        """
        check_page(page, ())
        with self._db.transaction() as db:
            change = ChangeSet()
            old_page = self._pages.by_id(page_id)
            where = f"Page {old_page.number} of {old_page.document}"
            if old_page.source != "ocr":
                raise BadInput(reason=f"{where} is not a scan.", remedy="Choose a scanned page.")
            if readings[0].engine == old_page.fingerprint:
                return Corrected((), 0)
            earlier = next(
                reading for reading in self._pages.readings(page_id) if reading.engine == old_page.fingerprint
            )
            matches = _word_pairs(list(earlier.words), list(readings[0].words))
            to = dict(matches)
            by_word = {decision.word: decision for decision in self._corrections.decisions(page_id)}
            orphans = [
                earlier.text[w.start : w.end]
                for index, w in enumerate(earlier.words)
                if index in by_word and index not in to
            ]
            if orphans or any(match[1] >= two[1] for match, two in pairwise(matches)):
                what = (
                    f"{', '.join(f'“{word}”' for word in orphans[:3])} that somebody checked cannot be found in the "
                    "new reading"
                    if orphans
                    else "the new reading has its words in another order"
                )
                raise BadInput(reason=f"{where} was kept as it is: {what}.", remedy=_REMEDY)
            old_words, old_text = list(self._pages.words(page_id)), old_page.text
            for number in sorted(by_word):
                self._records.delete_cascade(change, "ocr_word", f"{page_id}/{number}")
            now = list(readings[0].words)
            for number, decision in sorted(by_word.items()):
                word = now[to[number]]
                wording = old_text[old_words[number].start : old_words[number].end]
                action, text = decision.action, decision.text
                if action == "accepted" and readings[0].text[word.start : word.end] != wording:
                    action, text = "corrected", wording  # what the person saw on the page, whatever is read there now
                row: Row = {"page": page_id, "word": to[number], "action": action, "text": text}
                self._records.put(change, "ocr_word", {**row, "by": decision.by, "at": decision.at})
            self._anchors.pending_pages.add(page_id)
            engines = {reading.engine for reading in self._pages.readings(page_id)}
            for reading in readings:
                if reading.engine not in engines:
                    self._pages.keep_reading(page_id, reading)
            text, words = with_decisions(readings[0], self._corrections.decisions(page_id))
            db.execute(
                "UPDATE page SET text = ?, sha256 = ?, words = ?, confidence = ?, fingerprint = ? WHERE id = ?",
                (text, sha256_of(text), Words.of(words).buffer, page.confidence, readings[0].engine, page_id),
            )
            shift = _ReadingShift([(old_words[old], words[two]) for old, two in matches], old_text, text)
            for start, end in self._db.rows('SELECT start, "end" FROM chunk WHERE page = ?', (page_id,)):
                first, last = shift.chunk(start, end)
                if first >= last:
                    what = f"“{old_text[start:end][:40]}” is empty in the new reading"
                    raise BadInput(reason=f"{where} was kept as it is: {what}.", remedy=_REMEDY)
            self._corrections.reindex(page_id, shift)
            stale, moves = self._corrections.carry(change, page_id, shift)
            rows = [
                row
                for table in ("evidence", "proposal")
                for row in self._records.rows(table, "page_id = ?", (page_id,))
            ]
            for row in rows:
                if not text[int(str(row["start"])) : int(str(row["end"]))].strip():
                    what = f"the words that {row['id']} quotes are not in the new reading"
                    raise BadInput(reason=f"{where} was kept as it is: {what}.", remedy=_REMEDY)
            # Undo could otherwise put a decision on the word that has its number now.
            has_decisions = change or self._log.mentions(f'"page_id":{page_id},', f'"{page_id}/')
            self._log.append(READ_AGAIN if has_decisions else "read scan", change.before, change.after)
            return Corrected(tuple(stale), moves)


def _unread(page: Page) -> bool:
    if page.source == "none":
        return not page.text.strip()
    return page.source in OF_THE_FILE and page.confidence is not None


class _ReadingShift(Shift):
    """A map of places to another reading of the page: words that both have correspond, others lie between."""

    def __init__(self, pairs: Sequence[tuple[Word, Word]], old_text: str, after: str) -> None:
        super().__init__([old for old, _ in pairs], [new for _, new in pairs], old_text, after)

    def start(self, place: int) -> int:
        """Map the first character of a stretch."""
        _, inside = self._word_at(place)
        return super().start(place) if inside else self._border(place)

    def end(self, place: int) -> int:
        """Map the border behind the last character of a stretch."""
        inside = place > 0 and self._word_at(place - 1)[1]
        return super().end(place) if inside else len(self.after[: self._border(place)].rstrip())

    def chunk(self, start: int, end: int) -> tuple[int, int]:
        """Map a passage: passages side by side stay so."""
        return self._border(start), len(self.after[: self._border(end)].rstrip())

    def _border(self, place: int) -> int:
        """Find where the first word that both have begins, at a place or behind it."""
        index = bisect_left(self.starts, place)
        return 0 if place <= 0 else self.pairs[index][2] if index < len(self.pairs) else len(self.after)


def _word_pairs(old: Sequence[Word], new: Sequence[Word]) -> list[tuple[int, int]]:
    """Pair words in the same places, each once, in the order of the earlier ones."""
    rows = sorted(range(len(new)), key=lambda index: new[index].y0)
    tops = [new[index].y0 for index in rows]
    tallest = max((word.y1 - word.y0 for word in new), default=0.0)
    overlaps: list[tuple[float, int, int]] = []
    for index, word in enumerate(old):
        for place in range(bisect_left(tops, word.y0 - tallest), bisect_left(tops, word.y1)):
            new_word = new[rows[place]]
            wide = min(word.x1, new_word.x1) - max(word.x0, new_word.x0)
            high = min(word.y1, new_word.y1) - max(word.y0, new_word.y0)
            if wide > 0 and high > 0:
                both = wide * high
                share = both / (_area(word) + _area(new_word) - both)
                if share >= _SAME:
                    overlaps.append((-share, index, rows[place]))
    pairs: dict[int, int] = {}
    partners: set[int] = set()
    for _, first, second in sorted(overlaps):
        if first not in pairs and second not in partners:
            pairs[first] = second
            partners.add(second)
    return sorted(pairs.items())


def _area(word: Word) -> float:
    return (word.x1 - word.x0) * (word.y1 - word.y0)
