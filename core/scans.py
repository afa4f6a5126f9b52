"""Scans of a case: pages read in their pictures, the words of them that people check. The part of the workbench that
works with OCR."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.domain import Changes, Page, PageText, Reading
from core.errors import (
    BadInput,
    EngineStopped,
    ModelMissing,
    ModelUnreadable,
    Problem,
    UnreadableDocument,
)
from core.exports import Exports
from core.ports import OcrEngine, OcrPage
from core.progress import Progress, silent
from core.steps import chunk as chunking
from core.steps import doubts as doubting
from core.store import Corrected

_OCR_SCALE = 300 / 72  # pixels a point: 300 dots an inch, what OCR engines are made for
_CHUNKS_AT_ONCE = 128  # passages an embedding call; texts of equal length share a batch, so more at once is faster


@dataclass(frozen=True, slots=True)
class ScanReport:
    """How many pages were read in their pictures, with how many words, and which could not be."""

    pages: int
    words: int
    problems: tuple[Problem, ...]
    seconds: float
    changes: Changes = Changes(documents=True)


class Scans(Exports):
    """Verbs on the scans of one case."""

    def read_scans(self, documents: Collection[str] | None = None, progress: Progress | None = None) -> ScanReport:
        """Read the pages that have no text of their own in their pictures, and make them searchable.

        A page is kept as soon as it is read: cancelling keeps what was read, and the next run goes on from there. One
        that cannot be read becomes a Problem. Raises ModelMissing without an OCR engine, NoSuchItem.
        """
        progress = progress or silent()
        began = time.monotonic()
        engine = self.engines.ocr
        if engine is None:
            raise ModelMissing(role="OCR", path="the program's own packages", effect="scans cannot be read")
        wanted = [d for d in self.case.documents() if d.pages_without_text and d.status in ("ready", "needs_ocr")]
        if documents is not None:
            for identity in documents:
                self.case.document(identity)
            wanted = [d for d in wanted if d.id in set(documents)]
        pages = [(d, page) for d in wanted for page in self.case.pages_to_ocr(d.id)]
        problems: list[Problem] = []
        words = read = 0
        originals: dict[str, bytes] = {}
        for done, (document, page) in enumerate(pages):
            progress.step(done, len(pages), f"Reading the scan {document.name}, page {page.number}")
            try:
                if document.id not in originals:
                    originals = {document.id: self.case.original(document.id)}
                found = self._read_scan(engine, originals[document.id], document.name, page)
                self.case.put_reading(page.id, found[0], chunking.split(found[0]), found[1])
            except (UnreadableDocument, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at(f"{document.name}, page {page.number}", error))
                continue
            read += 1
            words += len(found[0].words)
        if read:
            try:
                self._embed(progress)
            except (ModelMissing, ModelUnreadable, EngineStopped) as error:
                progress.check()
                problems.append(Problem.at("search by meaning", error))
        progress.step(len(pages), len(pages), "Scans read")
        return ScanReport(read, words, tuple(problems), time.monotonic() - began)

    def _read_scan(self, engine: OcrEngine, data: bytes, name: str, page: Page) -> tuple[PageText, list[Reading]]:
        picture = (self.engines.viewer or self.engines.reader).render(data, name, page.number, scale=_OCR_SCALE)
        width, height = page.width or picture.width / picture.scale, page.height or picture.height / picture.scale
        seen = engine.read(picture.png, width=width, height=height)
        readings = [_reading(one) for one in (seen, *seen.readings)]
        # One row for each engine: a second one of the same name would be the same reading.
        kept = list({reading.engine: reading for reading in reversed(readings)}.values())[::-1]
        confidence = seen.confidence if len(seen.words) else None
        text = PageText(page.number, seen.text, seen.words, width, height, "ocr", confidence, page.label)
        return text, kept

    def decide_words(self, decisions: Sequence[tuple[int, int, str, str]]) -> Corrected:
        """What a person says of words of scans, as one decision: (page id, word, action, text).

        ``word`` counts the words of the page's reading; ``action`` is accepted, corrected (to ``text``), illegible, or
        '' to take it back. Raises BadInput.
        """
        return self.case.decide_words(decisions)

    def ocr_queue(self, limit: int = 500) -> list[doubting.Doubt]:
        """The words of scans that a person should check, those first in which an error would change most."""
        decided: dict[int, set[int]] = {}
        for decision in self.case.ocr_decisions():
            decided.setdefault(decision.page_id, set()).add(decision.word)
        cited: dict[int, list[tuple[int, int, str]]] = {}
        for row in self.case.evidence():
            if row.page_id is not None and row.start is not None and row.end is not None:
                cited.setdefault(row.page_id, []).append((row.start, row.end, row.id))
        found: list[doubting.Doubt] = []
        for page in self.case.scanned_pages():
            reading = next((one for one in self.case.readings(page.id) if one.engine == page.fingerprint), None)
            if reading is not None:
                words = self.case.words(page.id)
                found += doubting.doubts(page, reading, words, decided.get(page.id, ()), cited.get(page.id, ()))
        return doubting.in_order(found)[:limit]

    def check_quote(self, evidence: str) -> Corrected:
        """A person has compared the whole quote with the picture of its page: every word of it not yet decided on is
        accepted as it stands. Raises BadInput for what is no quote from a scan."""
        item = next((item for item in self.case.evidence() if item.id == evidence), None)
        if item is None or self.scan_check(item) is None:
            raise BadInput(reason=f"{evidence} quotes no scan.", remedy="Only words read from a picture need this.")
        places = [(item.page_id or 0, item.start or 0, item.end or 0)]
        places += [(part.page_id, part.start, part.end) for part in item.more]
        accepted = []
        for page_id, start, end in places:
            if self.case.page_by_id(page_id).source != "ocr":
                continue
            known = {decision.word for decision in self.case.ocr_decisions(page_id)}
            accepted += [
                (page_id, number, "accepted", "")
                for number, word in enumerate(self.case.words(page_id))
                if word.start < end and word.end > start and number not in known
            ]
        return self.decide_words(accepted)

    def refresh_quote(self, evidence: str) -> Changes:
        """Let a row whose page was corrected quote what stands there now."""
        self.case.refresh_quote(evidence)
        return Changes(evidence=True, matrix=True)

    def _embed(self, progress: Progress) -> None:
        """Give a vector to every passage that has none."""
        embedder = self.engines.embedder
        if embedder is None:
            return
        waiting = self.case.count_without_vector(embedder.fingerprint)
        done = 0
        while chunks := self.case.chunks_without_vector(embedder.fingerprint, _CHUNKS_AT_ONCE):
            progress.step(done, waiting, "Making passages searchable by meaning")
            vectors = embedder.embed([chunk.text for chunk in chunks])
            self.case.put_vectors(
                embedder.fingerprint, [(chunk.id, vector) for chunk, vector in zip(chunks, vectors, strict=True)]
            )
            done += len(chunks)

    def finish_embedding(self, progress: Progress | None = None) -> None:
        """Embed what an earlier run left without vectors (cancelled, or added while the model was missing)."""
        self._embed(progress or silent())


def _reading(seen: OcrPage) -> Reading:
    return Reading(seen.engine, seen.text, seen.words, seen.confidences, seen.alternatives, seen.others)
