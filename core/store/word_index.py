"""The search by words: FTS5, which lasts and reads phrases, and postings in memory, which rank whole sentences fast.

What is written to the case is taken up by the next search. Everything here can be built again from the pages.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from core.errors import IndexDamaged
from core.language import fold, row_headings
from core.progress import Progress, silent
from core.store import schema, values
from core.store.bm25 import Postings
from core.store.database import Database
from core.store.documents import READ, TITLE
from core.store.pages import WITH_PLAIN_TABLES, PageTable, plain_tables
from core.store.search_scope import SearchScope, chunk_array

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

_VOCABULARY = "passage_vocabulary"  # temporary views of the word table: never in the file
_INSTANCES = "passage_instance"
_SIZES = f"{schema.WORD_TABLE}_docsize"  # FTS5's own: the number of words in each column of a row
_TAKEN_UP = 2_000  # passages whose words are counted one by one when they are new; more are read from the index
_BATCH = 2_000
_LONGEST_PASSAGE = 1 << 20  # words: no passage has so many


WordCounts = dict[str, dict[int, int]]  # by word and passage


class WordIndex:
    """Search by words. Hits are chunk ids; a document that is still being read is not searched."""

    def __init__(self, db: Database, pages: PageTable, scope: SearchScope) -> None:
        self._db = db
        self._pages = pages
        self._scope = scope
        self._postings: Postings | None = None
        self._has_forms = True  # whether any passage has other forms of its words
        self._surroundings: dict[int, tuple[object, ...]] = {}  # by number of document: what its context was made of
        self._new_words: set[int] = set()  # rows that were written since the postings were loaded
        self._context_changed = False
        db.on_row(_SIZES, self._words_written)
        for table in ("document", "section"):
            db.on_row(table, self._context_written)

    def matching(self, match: str) -> list[int]:
        """List every chunk that an FTS5 expression of folded words (core.language.fold) fits, in order of id.

        Only chunks of documents that can be read. Raises ValueError for an expression that FTS5 does not read,
        IndexDamaged.
        """
        if not match.strip():
            return []
        with self._db.reading(), self._db.index_seam():
            # The index keeps what was removed, so that undo brings it back at once.
            removed_chunks = (
                f"SELECT chunk.id FROM chunk JOIN document ON document.id = chunk.document WHERE NOT {READ}"
            )
            rows = self._db.rows(
                f"SELECT rowid FROM {schema.WORD_TABLE} WHERE {schema.WORD_TABLE} MATCH ? "
                f"AND rowid NOT IN ({removed_chunks}) ORDER BY rowid",
                (match,),
            )
            return [int(row[0]) for row in rows]

    def best(
        self,
        words: Sequence[str],
        k: int,
        *,
        include: Collection[str] | None = None,
        exclude: Collection[str] = (),
        among: Collection[int] | None = None,
        forms: bool = False,
    ) -> list[tuple[int, float]]:
        """Return the ``k`` best chunks that hold any of ``words`` by BM25.

        Each is (chunk id, score): best first, ties by id. Words are folded, cut and stemmed like the index; one that
        comes twice counts once. With ``forms`` a word counts with those that look like it, too. A scope
        of up to OWN_STATISTICS chunks is ranked by its own statistics. Raises IndexDamaged.
        """
        if k <= 0 or not words:
            return []
        with self._db.reading(), self._db.index_seam():
            postings = self._words_in_memory()
            try:
                return postings.rank(
                    list(dict.fromkeys(term for word in words for term in self._terms(word))),
                    k,
                    document_mask=self._scope.allowed(include, exclude),
                    among=chunk_array(among),
                    counts=self._frequencies_in,
                    forms=forms,
                )
            except LookupError as error:
                self._postings = None
                raise IndexDamaged(path=self._db.path, reason=str(error)) from error

    def _words_in_memory(self) -> Postings:
        """Return the word index, as it is in the file now."""
        if self._postings is not None and self._new_words and min(self._new_words) <= self._postings.last:
            self._postings = None  # a passage that was known has changed or is gone
        if self._postings is None:
            self._new_words.clear()
            self._open_vocabulary()
            postings = Postings(read=self._passages_with, frequencies=self._frequencies)
            self._add_words(postings, 0, None)
            if len(postings) != self._db.total("passages", "SELECT count(*) FROM chunk"):
                raise IndexDamaged(path=self._db.path, reason="it lacks the words of some passages")
            self._surroundings.clear()
            self._surround(postings)
            self._postings = postings
        elif self._new_words:
            last, rows = self._postings.last, sorted(self._new_words)
            self._new_words.clear()
            try:
                self._add_words(self._postings, last, self._count_words(rows) if len(rows) <= _TAKEN_UP else None)
            except BaseException:
                self._postings = None
                raise
            self._context_changed = True
        if self._context_changed:
            self._surround(self._postings)
        return self._postings

    def _surround(self, postings: Postings) -> None:
        """Update in the postings the context of the passages of documents that are new or have another title."""
        self._context_changed = False
        heading_counts = dict(
            self._db.rows(
                "SELECT CAST(substr(page.document, 2) AS INTEGER), count(*) FROM section "
                "JOIN page ON page.id = section.page GROUP BY page.document"
            )
        )
        plain: dict[int, tuple[str, ...]] = {}
        with_headings: list[str] = []
        for document, title, name, date, chunks in self._db.rows(
            f"SELECT id, {TITLE}, name, {_DATE}, chunks FROM document"
        ):
            if not document[1:].isdecimal():
                raise values.wrong("document", document, "id")
            number = int(document[1:])
            signature = (title, name, date, chunks, heading_counts.get(number, 0))
            if self._surroundings.get(number) == signature:
                continue
            self._surroundings[number] = signature
            plain[number] = tuple(
                self._cut(fold.columns(_title_line(title, name, date))[0], apsw.FTS5_TOKENIZE_DOCUMENT)
            )
            if number in heading_counts:
                with_headings.append(document)
        postings.surround(plain)
        cut: dict[str, tuple[str, ...]] = {}
        for start in range(0, len(with_headings), _BATCH):
            contexts = self._contexts(with_headings[start : start + _BATCH])
            for text in set(contexts.values()) - cut.keys():
                cut[text] = tuple(self._cut(fold.columns(text)[0], apsw.FTS5_TOKENIZE_DOCUMENT))
            last = postings.last
            postings.surround({}, {chunk: cut[text] for chunk, text in contexts.items() if chunk <= last})

    def _contexts(self, documents: Sequence[str]) -> dict[int, str]:
        """Return what surrounds each chunk: the title of its document and the headings above it, outermost first."""
        titles = {
            document: _title_line(title, name, date)
            for document, title, name, date in self._db.rows(
                f"SELECT DISTINCT document.id, {TITLE}, name, {_DATE} FROM chunk "
                "JOIN document ON document.id = chunk.document "
                "WHERE chunk.document IN (SELECT value FROM json_each(?))",
                (json.dumps(documents),),
            )
        }
        headings = _Headings(
            self._db.rows(
                "SELECT page.document, page.number, section.start, section.level, section.title FROM section "
                "JOIN page ON page.id = section.page WHERE page.document IN (SELECT value FROM json_each(?)) "
                "ORDER BY page.document, page.number, section.start, section.rowid",
                (json.dumps(list(titles)),),
            )
        )
        rows = self._db.rows(
            "SELECT chunk.id, chunk.document, page.number, chunk.start FROM chunk JOIN page ON page.id = chunk.page "
            "WHERE chunk.document IN (SELECT value FROM json_each(?))",
            (json.dumps(documents),),
        )
        return {
            chunk: "\n".join(dict.fromkeys((titles[document], *headings.above(document, page, start))))
            for chunk, document, page, start in rows
        }

    def _add_words(self, postings: Postings, after: int, words: tuple[WordCounts, WordCounts] | None) -> None:
        rows = self._db.rows(
            f"SELECT size.id, CAST(substr(chunk.document, 2) AS INTEGER), size.sz FROM {_SIZES} AS size "
            "LEFT JOIN chunk ON chunk.id = size.id WHERE size.id > ? ORDER BY size.id",
            (after,),
        )
        if any(row[1] is None for row in rows):
            raise IndexDamaged(path=self._db.path, reason="it has the words of a passage that is not there")
        columns = [_numbers(sizes) for _chunk, _document, sizes in rows]
        self._has_forms = any(column[1:2] > (0,) for column in columns) or (after > 0 and self._has_forms)
        lengths = [column[0] for column in columns]
        if max(lengths, default=0) > _LONGEST_PASSAGE:
            raise IndexDamaged(path=self._db.path, reason="a passage in it has an impossible length")
        postings.add([(row[0], row[1], length) for row, length in zip(rows, lengths, strict=True)], *(words or ()))

    def _count_words(self, chunks: Sequence[int]) -> tuple[WordCounts, WordCounts]:
        """{word: {chunk: count}} of single chunks, cut like the index, and the same of their other forms."""
        counts: tuple[WordCounts, WordCounts] = (defaultdict(dict), defaultdict(dict))
        for chunk in self._pages.chunks(chunks).values():
            for column, text in zip(counts, fold.columns(chunk.text, chunk.with_headings), strict=True):
                for word, count in Counter(self._cut(text, apsw.FTS5_TOKENIZE_DOCUMENT)).items():
                    if chunk.id not in counts[0].get(word, ()):
                        column[word][chunk.id] = count
        return counts

    def _passages_with(self, word: str) -> NDArray[numpy.int64]:
        """Return the passages in which a word of the index stands, one item each time, ascending.

        Where it is only among the other forms of a passage, those are counted.
        """
        import numpy

        def passages(column: str) -> NDArray[numpy.int64]:
            id_text = self._db.execute(
                f"SELECT group_concat(doc, ' ') FROM temp.{_INSTANCES} WHERE term = ? AND col = ?", (word, column)
            ).get
            return numpy.fromstring(id_text or "", dtype=numpy.int64, sep=" ")

        chunks = passages("text")
        if not self._has_forms:
            return chunks
        further = passages("form")
        return numpy.sort(numpy.concatenate([chunks, further[~numpy.isin(further, chunks)]]))

    def _frequencies(self) -> dict[str, int]:
        return dict(self._db.rows(f"SELECT term, doc FROM temp.{_VOCABULARY} WHERE col = 'text'"))

    def _frequencies_in(self, chunks: NDArray[numpy.int64]) -> list[int]:
        return [len(passages) for passages in self._count_words(chunks.tolist())[0].values()]

    def _terms(self, word: str) -> Iterator[tuple[str, ...]]:
        """Yield what the index cuts a word of a query into, each with the other forms it is under."""
        tokens = self._cut(fold.text_of_query(word), apsw.FTS5_TOKENIZE_QUERY)
        for token in tokens:
            if fold.is_beginning(token) and token == tokens[-1]:
                yield (token, *self._beginning_with(token))
            elif len(tokens) == 1 and self._has_forms:
                forms = self._cut(" ".join(fold.forms_of_query(word)), apsw.FTS5_TOKENIZE_QUERY)
                yield (token, *dict.fromkeys(forms))
            else:
                yield (token,)

    def _beginning_with(self, start: str) -> list[str]:
        rows = self._db.rows(
            f"SELECT term FROM temp.{_VOCABULARY} WHERE term > ? AND term < ? AND col = 'text'",
            (start, f"{start}\U0010ffff"),
        )
        return [str(row[0]) for row in rows]

    def _cut(self, text: str, how: int) -> list[str]:
        with self._db.lock:
            tokenizer = self._db.connection.fts5_tokenizer(schema.TOKENIZER[0], list(schema.TOKENIZER[1:]))
            data = text.encode("utf-8", "replace")
            cut = tokenizer(data, how, None, include_offsets=False, include_colocated=False)
        return [str(token) for token in cut]

    def document_frequency(self, terms: Iterable[str]) -> dict[str, int]:
        """Count the chunks in which each term is in any form, cut and stemmed like the index.

        Of several words the rarest counts.
        """
        with self._db.reading(), self._db.index_seam():
            self._open_vocabulary()
            return {
                term: min((max(map(self._frequency, forms)) for forms in self._terms(term)), default=0)
                for term in terms
            }

    def _frequency(self, word: str) -> int:
        query = f"SELECT max(doc) FROM temp.{_VOCABULARY} WHERE term = ?"
        return int(self._db.execute(query, (word,)).get or 0)

    def _open_vocabulary(self) -> None:
        self._db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{_VOCABULARY} "
            f"USING fts5vocab('main', '{schema.WORD_TABLE}', 'col')"
        )
        self._db.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{_INSTANCES} "
            f"USING fts5vocab('main', '{schema.WORD_TABLE}', 'instance')"
        )

    def with_words(self, phrase: str) -> set[int]:
        """Return the passages that hold the words of a phrase one after the other, in any form of them."""
        words = fold.WORD.findall(phrase)
        return set(self.matching(fold.phrase(words))) if words else set()

    def with_all(self, text: str) -> set[int]:
        """Return the passages that hold every word of a text somewhere, in any form of it."""
        words = dict.fromkeys(fold.WORD.findall(text))
        return set(self.matching(" AND ".join(f"({fold.any_form(word)})" for word in words)))

    def with_any(self, phrases: Sequence[str], limit: int) -> list[int]:
        """List passages that hold one of these phrases, at most ``limit`` of them, in order of id."""
        expression = " OR ".join(fold.phrase(words) for phrase in phrases if (words := fold.WORD.findall(phrase)))
        return self.matching(expression)[:limit] if expression else []

    # --- health ------------------------------------------------------------------------------------------------------

    def _words_written(self, row: int) -> None:
        if self._postings is not None:
            self._new_words.add(row)

    def _context_written(self, _row: int) -> None:
        if self._postings is not None:
            self._context_changed = True

    def forget(self) -> None:
        """Load the postings again at the next search."""
        self._postings = None

    def rebuild(self, progress: Progress | None = None) -> None:
        """Make the search table again from the pages, in the transaction that is open, whatever state it is in."""
        for view in (_VOCABULARY, _INSTANCES):
            self._db.execute(f"DROP TABLE IF EXISTS temp.{view}")
        schema.drop_virtual(self._db.connection, schema.WORD_TABLE)
        schema.create_words(self._db.connection)
        index_pages(self._db.connection, progress or silent())


def index_pages(db: apsw.Connection, progress: Progress, *, is_new_format: bool = False) -> None:
    """Fill the empty word index from the pages, in the transaction that is open. Raises Cancelled.

    In a case that comes to a new format, passages that are read with headings lose the vectors of their bare text.
    """
    total = int(db.execute("SELECT count(*) FROM page").get)
    pages = db.execute(f"SELECT id, text, iif({WITH_PLAIN_TABLES}, tables, '[]') FROM page ORDER BY id")
    for number, (page, text, grids) in enumerate(pages):
        progress.step(number, total, "Making the word index again")
        tables = plain_tables(grids, len(text))
        words, with_headings = [], []
        for chunk, start, end in db.execute('SELECT id, start, "end" FROM chunk WHERE page = ? ORDER BY id', (page,)):
            reading = row_headings.with_headings(text, start, end, tables)
            words.append((chunk, *fold.columns(text[start:end], reading)))
            if reading:
                with_headings.append((chunk,))
        db.executemany(schema.ADD_WORDS, words)
        if is_new_format:
            db.executemany("DELETE FROM vector WHERE chunk = ?", with_headings)


def _numbers(sizes: bytes) -> tuple[int, ...]:
    """Read SQLite's variable-length numbers (7 bits a byte, the highest bit says that more follow)."""
    values, value = [], 0
    for byte in sizes:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            values.append(value)
            value = 0
    return (*values, value) if value else tuple(values)


_DATE = "iif(document.dated = '', document.date, document.dated)"


def _title_line(title: str, name: str, date: str) -> str:
    return f"{title or _stem(name)} {date[:10]}".strip()


def _stem(name: str) -> str:
    """Return a file name without its ending."""
    stem, dot, ending = name.rpartition(".")
    return stem if dot and stem and len(ending) <= 5 else name


class _Headings:
    """The headings of documents, given as (document, page, start, level, title) in order of reading."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        self._places: dict[str, list[tuple[int, int]]] = {}
        self._paths: dict[str, list[tuple[str, ...]]] = {}
        above: list[tuple[int, str]] = []
        for document, page, start, level, title in rows:
            if document not in self._places:
                above = []
            above = [*(heading for heading in above if heading[0] < level), (level, title)]
            self._places.setdefault(document, []).append((page, start))
            self._paths.setdefault(document, []).append(tuple(heading[1] for heading in above))

    def above(self, document: str, page: int, start: int) -> tuple[str, ...]:
        """Return the headings under which a place is, outermost first; one that begins there is among them."""
        places = self._places.get(document)
        index = bisect_right(places, (page, start)) if places else 0
        return self._paths[document][index - 1] if index else ()
