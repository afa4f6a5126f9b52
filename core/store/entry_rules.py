"""What an entry of the log may tell: which verb writes which tables and page texts, and which texts its words make.

The chain of hashes has no key, so anybody can append an entry to it. These rules find one that no version of the
program writes: a change that its verb never makes, or a page text that neither its file nor a reading with corrections
gave. An entry that the program itself could have written is not told from one that it wrote.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from core.domain import LogEntry, OcrDecision, Reading
from core.errors import CaseCorrupt, Problem
from core.store import decision_log, values
from core.store.anchors import Anchor, anchors_in, names_record
from core.store.decision_log import ANCHOR, READ_AGAIN, RECOVER, REWORDING, Row, Rows
from core.store.documents import sha256_of
from core.store.ocr_corrections import decision_of, with_decisions

_RESTORE = "Keep the file as it is, and open your last copy of it."

# What goes with a row of a table that is taken out.
_HANGING = {
    "hypothesis": (
        *("proposal", "other_verdict", "rating", "suggestion", "likelihood", "plan_query", "relevance"),
        "consideration",
    ),
    "evidence": ("rating", "suggestion"),
    "proposal": ("other_verdict",),
    "document": ("proposal", "other_verdict", "relevance"),
}
_RESULTS = ("answer", "conflict", "audit")
_WORDS = ("ocr_word", "evidence", "proposal")  # a quote follows the words of its scan
# The tables that the entries of each verb write; all verbs there are.
WRITES: Mapping[str, frozenset[str]] = {
    verb: frozenset(tables)
    for verb, tables in {
        "accept": ("evidence", "proposal", "suggestion"),
        decision_log.ACCEPT_ROW: ("evidence", "proposal", "suggestion", "rating"),
        "add consideration": ("consideration",),
        "add document": ("document",),
        "add evidence": ("evidence",),
        "add hypothesis": ("hypothesis",),
        "add name": ("entity",),
        ANCHOR: (),
        "annotate": ("rating",),
        "change settings": ("setting",),
        decision_log.SAMPLE_BUILT: (),
        "check words": _WORDS,
        "create case": ("about",),
        "describe": ("evidence",),
        "describe documents": ("document",),
        "edit consideration": ("consideration",),
        "edit hypothesis": ("hypothesis",),
        "edit name": ("entity",),
        decision_log.DISCARD: (),
        decision_log.ERASE: decision_log.TABLES.keys(),
        "export": (),
        decision_log.FORGET: (),
        "grade": ("evidence",),
        "import matrix": ("hypothesis", "evidence", "rating"),
        decision_log.AGAIN: ("proposal", "other_verdict"),
        decision_log.INCOMPLETE: (),
        decision_log.NAMING: (),
        decision_log.JOIN_ROWS: ("evidence", *_HANGING["evidence"]),
        "judge passage": ("relevance",),
        decision_log.KEEP_RESULTS: _RESULTS,
        "leave text": ("setting",),
        "look": ("consideration",),
        "mark hypothesis": ("hypothesis",),
        "merge": decision_log.TABLES.keys() - {"about"},
        "plan search": ("plan_query",),
        "plan searches": ("plan_query",),
        "propose": ("proposal", "other_verdict"),
        "rate": ("rating",),
        "read scan": ("document",),
        READ_AGAIN: _WORDS,
        "read descriptions": ("document",),
        decision_log.RECOGNISE: ("document",),
        "refresh quote": ("evidence",),
        "reject": ("proposal",),
        "remove consideration": ("consideration",),
        "remove documents": ("document", "evidence", "rating", "suggestion", *_HANGING["document"]),
        "remove evidence": ("evidence", "proposal", *_HANGING["evidence"]),
        "remove hypothesis": ("hypothesis", *_HANGING["hypothesis"]),
        "remove name": ("entity",),
        "remove planned search": ("plan_query",),
        "remove results": (*_RESULTS, "resolution"),
        "resolve": ("resolution",),
        decision_log.RECOVER: decision_log.TABLES.keys(),
        decision_log.REWRITE: (),
        "restore documents": ("document",),
        decision_log.SECOND: ("other_verdict",),
        "set included": ("document",),
        "set priors": ("hypothesis",),
        "set title": ("about",),
        decision_log.SIGN: ("rating", "likelihood", "relevance"),
        "state likelihood": ("likelihood",),
        decision_log.SPLIT_ROW: ("evidence", *_HANGING["evidence"]),
        decision_log.SUGGEST: ("suggestion",),
        "supersede": ("document",),
    }.items()
}
_ANCHORING = REWORDING | {"add document", ANCHOR}
_NO_TEXT = sha256_of("")
# A quote changes with the words of its page; a proposal that is made again quotes its page as it is now.
_RESPANNING = frozenset({decision_log.JOIN_ROWS, decision_log.SPLIT_ROW})
_QUOTING = {
    "evidence": frozenset({"check words", READ_AGAIN, "merge", "refresh quote", decision_log.ERASE, RECOVER})
    | _RESPANNING,
    "proposal": frozenset({"check words", READ_AGAIN, "merge", "propose", RECOVER}),
}
_QUOTED = ("document", "page_id", "quote", "page_sha256", "more")


class Course:
    """The log read in order: the faults of its entries, and every text that each page had, as the log says.

    ``texts`` are by page (its SHA-256, what people had said of its words by then, the verb of the entry).
    """

    def __init__(self, entries: Iterable[LogEntry]) -> None:
        self.faults: list[Problem] = []
        self.texts: dict[int, list[tuple[str, tuple[OcrDecision, ...], str]]] = {}
        self._verbs: dict[int, str] = {}
        self._rows: Rows = {"evidence": {}, "proposal": {}}
        self._decisions: dict[int, dict[str, OcrDecision]] = {}
        self._quote_pages: set[int] = set()  # pages that a quote or a word's decision ever named
        self._anchors: dict[int, Anchor] = {}
        # The pages whose last entry changes what belongs to their text alone: the program does so where it doubts that
        # the text of a file is what is in the picture of the page.
        self.touched_pages: set[int] = set()
        self._bound = False
        for entry in entries:
            try:
                rows = decision_log.rows_of(entry)[1]
            except (CaseCorrupt, ValueError, AttributeError, TypeError, KeyError, RecursionError):
                continue  # told where the log is replayed
            try:
                faults = list(self._read(entry, rows))
            except (ValueError, TypeError, KeyError):
                faults = ["holds what cannot be read"]
            self.faults += (Problem("log", f"Entry {entry.seq} {what}.", _RESTORE) for what in faults)

    def _read(self, entry: LogEntry, rows: Rows) -> Iterator[str]:
        writes = WRITES.get(entry.verb)
        self._verbs[entry.seq] = entry.verb
        if writes is None:
            yield "is of a kind that no version of the program writes"
            writes = frozenset()
        if entry.undoes is not None:
            if self._verbs.get(entry.undoes) != entry.verb or entry.verb in (*decision_log.NOT_UNDOABLE, READ_AGAIN):
                yield "undoes what cannot be undone"
            writes = writes.union(*(_HANGING.get(table, ()) for table in writes))
        for table in rows.keys() - writes:
            yield f"changes '{table}', which an entry of its kind never does"
        anchors = anchors_in(entry)
        if anchors and entry.verb not in _ANCHORING:
            yield "changes pages, which an entry of its kind never does"
        decided_pages = {int(key.partition("/")[0]) for key in rows.get("ocr_word", {})}
        for page, anchor in anchors.items():
            yield from self._page_faults(entry.verb, page, anchor, decided_pages)
        yield from self._quote_faults(entry.verb, rows)
        for key, row in rows.get("ocr_word", {}).items():
            page = int(key.partition("/")[0])
            words = self._decisions.setdefault(page, {})
            if row is None:
                words.pop(key, None)
            else:
                words[key] = decision_of(row)
        self._quote_pages |= decided_pages
        for page, anchor in anchors.items():
            if entry.verb == ANCHOR and page in self._anchors:
                self.touched_pages.add(page)
            else:
                self.touched_pages.discard(page)
            self._anchors[page] = anchor
            if entry.verb == RECOVER:  # nothing says what became of its text before
                self.texts.pop(page, None)
            decisions = tuple(self._decisions.get(page, {}).values())
            self.texts.setdefault(page, []).append((anchor.sha256, decisions, entry.verb))
        self._bound = self._bound or bool(anchors) or names_record(entry)

    def _page_faults(self, verb: str, page: int, anchor: Anchor, decided_pages: Collection[int]) -> Iterator[str]:
        """Yield what is wrong with what an entry says of a page."""
        earlier = self._anchors.get(page)
        where = f"page {anchor.number} of {anchor.document}"
        if earlier is None:
            if verb not in ("add document", RECOVER) and (verb != ANCHOR or self._bound):
                yield f"adds {where}, which an entry of its kind never does"
        elif (earlier.document, earlier.number) != (anchor.document, anchor.number):
            yield f"makes page {earlier.number} of {earlier.document} another page"
        elif earlier.sha256 != anchor.sha256:
            if verb == RECOVER and anchor.sha256 == _NO_TEXT:
                return
            resting = verb == "read scan" and page in self._quote_pages
            if (
                verb not in REWORDING
                or verb == RECOVER
                or resting
                or (verb in ("check words", "merge") and page not in decided_pages)
            ):
                yield f"changes the text of {where}, which an entry of its kind never does"

    def _quote_faults(self, verb: str, rows: Rows) -> Iterator[str]:
        """Yield what is wrong with the quotes of an entry, beside what it says of pages."""
        for table, quoting in _QUOTING.items():
            for key, row in rows.get(table, {}).items():
                old_row = self._rows[table].get(key)
                self._rows[table][key] = row
                if row is None:
                    continue
                if (
                    old_row is not None
                    and any(row.get(name) != old_row.get(name) for name in _QUOTED)
                    and (verb not in quoting or (verb in _RESPANNING and not _one_holds_other(old_row, row)))
                ):
                    yield f"changes what {key[:20]} quotes, which an entry of its kind never does"
                if isinstance(row["page_id"], int):
                    self._quote_pages.add(row["page_id"])
                if row.get("more", "[]") != "[]":
                    self._quote_pages |= _further(str(row["more"]))

    def changed_pages(self) -> list[int]:
        """List the pages that had more than one text."""
        return sorted(page for page, texts in self.texts.items() if len({sha256 for sha256, _, _ in texts}) > 1)

    def has_unread_text(self, page: int, readings: Sequence[Reading]) -> bool:
        """Return whether a page came to a text that nothing accounts for.

        That is one that no reading makes with what people had said of its words, or one that is of no reading and had
        its words checked. Its first text is that of its file, or of another copy.
        """
        plain = {sha256_of(""), *(sha256_of(reading.text) for reading in readings)}
        texts = self.texts[page]
        digests = [
            {sha256_of(with_decisions(reading, decisions)[0]) for reading in readings} for _, decisions, _ in texts
        ]
        for index in range(1, len(texts)):
            (previous, _, _), (text, decisions, verb) = texts[index - 1], texts[index]
            if text != previous and text not in (digests[index] if decisions else digests[index] | plain):
                return True
            if verb == "check words" and previous not in digests[index - 1] | plain:
                return True
        return False


def _one_holds_other(old_row: Row, row: Row) -> bool:
    """Return whether one of two quotes of a page holds the other, as where rows are joined or a row is split."""
    starts, ends = (sorted(int(str(span_row[name])) for span_row in (old_row, row)) for name in ("start", "end"))
    wide = any(
        (int(str(span_row["start"])), int(str(span_row["end"]))) == (starts[0], ends[1]) for span_row in (old_row, row)
    )
    return wide and all(old_row[name] == row[name] for name in ("document", "page_id", "page_sha256", "more"))


def _further(more: str) -> set[int]:
    """Return the pages on which a quote goes on."""
    try:
        return {part["page_id"] for part in values.from_json(more) if isinstance(part["page_id"], int)}
    except (ValueError, TypeError, KeyError):
        return set()  # told where quotes are checked
