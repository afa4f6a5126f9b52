"""Audits of written reports: whether the documents of this case support each sentence, quotation and citation."""

from __future__ import annotations

import hashlib
import html
import re
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from core import files
from core.audit import bearing, citations, disputes, forms, likelihood, quotations
from core.audit.citations import Mention, Target
from core.audit.claims import NO_CLAIM, no_claim
from core.audit.document_text import Report, Sentence, read
from core.audit.finding import (
    DECISIONS,
    ERRORS,
    FINDINGS,
    Audit,
    AuditedCitation,
    AuditedQuotation,
    AuditedSentence,
    AuditRecord,
    Decision,
    Finding,
    decide,
    item,
)
from core.audit.foreign import is_verbatim
from core.audit.own_words import OwnWords
from core.audit.pairs import LIMITS
from core.audit.readings import WRONG, Reading, speaks, weigh
from core.audit.rules import NEAR, Difference
from core.audit.sources import MOST_JUDGED, CaseSources, Place, Reference
from core.documents import near_duplicates
from core.documents.folder_scan import file_bytes
from core.documents.importing import comparable_text
from core.domain import DEFAULT_RULE, Changes, PageText
from core.errors import AppError, BadInput, UnreadableDocument
from core.evidence import quotes
from core.language.figures import lacking
from core.language.identification import has_running_text, is_known, read_as_english
from core.ports import Attachment, Outline
from core.progress import Progress, silent
from core.report import html as html_form
from core.report import markdown as markdown_form
from core.report.data import Ruling
from core.report.service import ReportFile, check_target

if TYPE_CHECKING:
    from core.conflicts.service import Conflicts
    from core.matrix.service import MatrixService
    from core.open_case import OpenCase
    from core.report.service import Reports
    from core.search.embedding_index import EmbeddingIndex
    from core.search.service import Search
    from core.store.results import StoredResult

MOST_PAGES = 3_000
MOST_SENTENCES = 40_000
_TOGETHER = 16  # sentences that are searched at once
_SHOWN = 0.2  # share of its words that a further source must hold
_PAGE_AHEAD = 0.25  # share of the words that a page must have more than the cited one to be called the right one
_NUMBERED = re.compile(r"\W*H\d+\b")
_LOG_LENGTH = re.compile(r"log of decisions has ([\d,]+) entr")
_OF_THE_LOG = re.compile(r"log of decisions|\d{4}-\d\d-\d\d \d\d:\d\d")
_ZIP = b"PK"
_MARKDOWN_NAMES = (".md", ".markdown")


@dataclass(slots=True)
class _Run:
    """One audit while it goes on."""

    report: Report
    names: tuple[str, ...]
    sources: tuple[citations.Source, ...]
    evidence: Mapping[str, tuple[str, int]]
    left_out: frozenset[str]
    progress: Progress
    case: CaseSources
    own_words: OwnWords | None = None
    entries: dict[int, Target] = field(default_factory=dict)  # by number in the list of sources
    notes_by_mark: dict[str, Target] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    languages: Mapping[int, str] = field(default_factory=dict)  # of its pages, by number


class Audits:
    """Audits of written reports."""

    def __init__(
        self,
        case: OpenCase,
        index: EmbeddingIndex,
        search: Search,
        conflicts: Conflicts,
        matrix: MatrixService,
        reports: Reports,
    ) -> None:
        self._open = case
        self._store = case.store
        self._index = index
        self._search = search
        self._conflicts = conflicts
        self._matrix = matrix
        self._reports = reports

    def audit(
        self,
        path: Path,
        progress: Progress | None = None,
        *,
        password: str = "",
        keep: bool = False,
        data: bytes | None = None,
    ) -> AuditRecord:
        """Audit a report, a file of any readable format, and store the audit if ``keep`` is set.

        ``data`` is what it holds, where that is in no file: then ``path`` is its name alone.

        An audit of a file of the same name replaces the previous one; decisions on findings that both have are
        kept. Raises UnreadableDocument and PasswordNeeded for an unreadable file, BadInput for one that is too
        long.
        """
        start, progress = time.monotonic(), progress or silent()
        progress.step(0, 0, f"Reading {path.name or path}")
        data = file_bytes(path, progress) if data is None else data
        digest = self._store.scope.digest()
        pages, is_markdown, messages = self._pages_of(data, path.name, password, progress)
        run = self._begin(pages, data, is_markdown, progress)
        run.messages[:0] = messages
        sentences = self._sentences(run)
        self._resolve_lists(run)
        references = [self._cited(run, sentence) for sentence in run.report.sentences]
        audited_quotations = self._quotations(run)
        sentences_out, audited_citations = self._check(run, sentences, references, audited_quotations)
        if run.case.judgements >= MOST_JUDGED:
            run.messages.append(
                f"The judge read the first {MOST_JUDGED:,} undecided sentences; the rest stay undecided."
            )
        audit = Audit(
            file=path.name,
            sha256=hashlib.sha256(data).hexdigest(),
            pages=len(pages),
            sentences=tuple(sentences_out),
            quotations=tuple(audited_quotations),
            citations=tuple(audited_citations),
            notes=(*run.messages, *self._languages_not_known(sentences_out), self._extent(run)),
            models=run.case.models(),
            at=self._store.db.now(),
            seconds=round(time.monotonic() - start, 4),
        )
        if not keep or self._store.read_only:
            return AuditRecord("", self._with_other_accounts(audit), self._store.who)
        progress.check()
        identity = self._store.results.keep("audit", [(audit.file, _stored_form(audit))], digest=digest)[0]
        return self.get(identity)

    def all(self) -> list[AuditRecord]:
        """List the audits that the case keeps, in order of id."""
        return [self._record(result) for result in self._store.results.all("audit")]

    def get(self, audit: str) -> AuditRecord:
        """Return an audit. Raises NoSuchItem."""
        return self._record(self._store.results.get("audit", audit))

    def _record(self, result: StoredResult) -> AuditRecord:
        """Return a stored audit; findings whose sources are no longer valid become undecided."""
        audit = result.decode(Audit)
        quotations_now = tuple(map(self._current_quotation, audit.quotations))
        obsolete = {
            (stored.sentence, stored.text)
            for stored, current in zip(audit.quotations, quotations_now, strict=True)
            if stored.differences != current.differences
        }
        audit = replace(
            audit,
            sentences=tuple(_without_quotations(self._current(sentence), obsolete) for sentence in audit.sentences),
            quotations=quotations_now,
        )
        decisions = {row.item: Decision(row.status, row.note, row.by, row.at) for row in result.resolutions if row.item}
        audit = self._with_other_accounts(audit)
        return AuditRecord(result.id, audit, result.by, result.at, result.is_stale, decisions)

    def _with_other_accounts(self, audit: Audit) -> Audit:
        """Add to its supported sentences the contradicting sources of the conflicts that the case lists."""
        rows = [row for row in audit.sentences if row.finding == "supported"]
        support = [source.quote for row in rows for source in row.sources]
        records = self._conflicts.touching((row.page_id, row.start, row.end) for row in support)
        return replace(audit, sentences=disputes.with_other_accounts(audit.sentences, records)) if records else audit

    def _current(self, sentence: AuditedSentence) -> AuditedSentence:
        sources = self._store.quotes.current(sentence.sources)
        if len(sources) == len(sentence.sources):
            return replace(sentence, sources=sources) if sources != sentence.sources else sentence
        return replace(sentence, finding="undecided", sources=sources, differences=(), score=0.0)

    def _current_quotation(self, quotation: AuditedQuotation) -> AuditedQuotation:
        places = tuple(place for place in quotation.places if self._store.quotes.stands(place))
        if not places:
            is_lost = bool(quotation.places or quotation.status != "not_found")
            return replace(quotation, status="not_found", places=(), differences=()) if is_lost else quotation
        if places[0] != quotation.places[0]:  # where the differences were seen
            quotation = replace(quotation, differences=())
        name = self._store.documents.get(places[0].document).name
        return (
            quotation
            if (places, name) == (quotation.places, quotation.name)
            else replace(quotation, places=places, name=name)
        )

    def remove(self, *audits: str) -> Changes:
        """Remove audits from the case. Raises NoSuchItem."""
        self._store.results.remove("audit", *audits)
        return Changes(results=True)

    def decide(self, audit: str, sentence: int, status: str, note: str = "") -> Changes:
        """Accept or overrule the finding on a sentence; '' takes that back. Raises NoSuchItem, BadInput."""
        if status and status not in DECISIONS:
            raise BadInput(reason=f"'{status}' is not a decision on a finding.", remedy="Use accepted or overruled.")
        sentences = self.get(audit).audit.sentences
        row = next((row for row in sentences if row.number == sentence), None)
        if row is None:
            raise BadInput(
                reason=f"{audit} has no sentence {sentence}.", remedy=f"It has sentences 1 to {len(sentences):,}."
            )
        self._store.results.resolve("audit", audit, status, item=item(row), note=note)
        return Changes(results=True)

    def confirmed(self) -> list[Ruling]:
        """List the findings that people confirmed, as the report prints them."""
        rows = []
        for record in self.all():
            for sentence in record.audit.sentences:
                decision = record.decision(sentence)
                if decision is None or decision.status != "accepted":
                    continue
                texts = [(sentence.text, f"{record.audit.file}, page {sentence.page}")]
                texts += [
                    (" ".join(source.quote.text.split()), f"source: {source.name}, page {source.quote.page}")
                    for source in sentence.sources
                ]
                identity = f"{record.id}, sentence {sentence.number}"
                words = f"confirmed: {FINDINGS[sentence.finding]}".rstrip(".")
                rows.append(
                    Ruling(identity, record.audit.file, tuple(texts), words, decision.note, decision.by, decision.at)
                )
        return rows

    def write(
        self, record: AuditRecord, path: Path, *, report: Path | None = None, progress: Progress | None = None
    ) -> ReportFile:
        """Write an audit; the ending of the name chooses the form.

        ``report`` is the audited file itself: a DOCX gets its comments in a copy of it. Raises BadInput, CannotWrite.
        """
        form, progress, audit = path.suffix.lower(), progress or silent(), record.audit
        if form not in forms.FORMS:
            raise BadInput(
                reason=f"An audit cannot be written as '{form or path.name}'.", remedy=f"Use {', '.join(forms.FORMS)}."
            )
        check_target(path)
        files.check_target(path, never=self._store.path)
        if report is not None and path.exists() and report.exists() and path.samefile(report):
            raise BadInput(reason=f"{path.name} is the report that was audited.", remedy="Choose another name.")
        progress.step(0, 0, f"Writing {path.name}")
        match form:
            case ".json":
                data = forms.render_json(audit, record.decisions)
            case ".html":
                data = forms.render_html(audit, record.decisions)
            case ".md":
                data = forms.render_markdown(audit, record.decisions)
            case _:
                data = self._with_comments(record, report, progress)
        files.write(path, data, never=self._store.path)
        digest = hashlib.sha256(data).hexdigest()
        if not self._store.read_only:
            self._store.log.note_export(path.name, digest)
        return ReportFile(path, len(data), digest)

    def _with_comments(self, record: AuditRecord, report: Path | None, progress: Progress) -> bytes:
        if self._open.engines.writer is None:
            raise BadInput(reason="This program has no writer for DOCX files.", remedy="Save the audit as .html.")
        original = b""
        if report is not None and report.suffix.lower() == ".docx" and report.is_file():
            original = file_bytes(report, progress)
            if hashlib.sha256(original).hexdigest() != record.audit.sha256:
                raise BadInput(reason=f"{report.name} has changed since it was audited.", remedy="Audit it again.")
            if not original.startswith(_ZIP):
                original = b""  # it opens with a password, which is not stored: its sentences go into a plain document
        with progress.asking():
            content = forms.docx_content(record.audit, record.decisions)
            return self._open.engines.writer.write("comments", content, {"original": original} if original else {})

    # --- the report --------------------------------------------------------------------------------------------------

    def _pages_of(
        self, data: bytes, name: str, password: str, progress: Progress
    ) -> tuple[list[PageText], bool, list[str]]:
        if not data:
            raise UnreadableDocument(reason=f"{name} is empty.", remedy="Check that it was saved completely.")
        reader = self._open.engines.viewer or self._open.engines.reader
        pages: list[PageText] = []
        kind, messages = "", []
        with progress.asking():
            for item in reader.read(data, name, password=password, note_marks=True):
                progress.check()
                match item:
                    case Outline():
                        kind = item.kind
                    case PageText():
                        pages.append(item)
                        if len(pages) > MOST_PAGES:
                            raise BadInput(
                                reason=f"{name} has more than {MOST_PAGES:,} pages.", remedy="Audit it in parts."
                            )
                    case Attachment():
                        messages.append(f"{item.name} inside the file was not audited.")
        unread = [page.number for page in pages if page.source == "none"]
        if len(unread) == len(pages):
            raise UnreadableDocument(
                reason=f"{name} has no readable text.",
                remedy="If it is a scan, add it to the case, read it on the OCR screen, and audit a text version.",
            )
        if unread:
            messages.append(f"{len(unread):,} of its {len(pages):,} pages have no text and were not audited.")
        return pages, kind == "markdown" or name.lower().endswith(_MARKDOWN_NAMES), messages

    def _begin(self, pages: Sequence[PageText], data: bytes, is_markdown: bool, progress: Progress) -> _Run:
        contents: dict[str, list[str]] = {}
        all_documents = self._store.documents.all()
        for document in all_documents:
            contents.setdefault(document.parent, []).append(document.id)
        documents = [document for document in all_documents if document.pages]
        sources = tuple(
            citations.Source(
                document.id,
                document.name,
                document.title,
                document.address,
                document.pages,
                {label: number for number, label in self._store.pages.labels(document.id).items() if label},
                citations.attachments(document.id, contents),
            )
            for document in documents
        )
        names = tuple(source.name for source in sources)
        report = read(pages, markdown=is_markdown, names=names)
        if len(report.sentences) > MOST_SENTENCES:
            raise BadInput(
                reason=f"The report has {len(report.sentences):,} sentences; {MOST_SENTENCES:,} is the limit.",
                remedy="Audit it in parts.",
            )
        messages = []
        if report.deletions:
            messages.append("It has tracked changes: insertions were read, deletions were not.")
        if any(quotations.turns(paragraph.text) for paragraph in report.paragraphs):
            messages.append(
                "The report has characters that change the order of its text or show blanks: some of it may read "
                "otherwise on the screen than it was audited."
            )
        left_out = self._copies_of_report(data, "\n".join(page.text for page in pages), progress)
        if left_out:
            ids = ", ".join(sorted(left_out, key=lambda id: (len(id), id)))
            messages.append(f"The report is itself in the case ({ids}): it was not compared with itself.")
        evidence = {row.id: (row.document, row.page or 0) for row in self._store.evidence.all() if row.document}
        place = CaseSources(self._open, self._index, self._search, sources, frozenset(left_out), progress)
        run = _Run(report, names, sources, evidence, frozenset(left_out), progress, place, messages=messages)
        run.own_words = self._own_words(report)
        run.languages = {page.number: page.language for page in pages}
        return run

    def _copies_of_report(self, data: bytes, text: str, progress: Progress) -> set[str]:
        """Return the documents of the case that are this report, or nearly the same."""
        digest = hashlib.sha256(data).hexdigest()
        copies = {document.id for document in self._store.documents.all() if document.sha256 == digest}
        sketch = near_duplicates.minhash_sketch(text[: near_duplicates.LONGEST])
        if not sketch:
            return copies
        rows = [row for row in self._store.documents.sketches() if row[0] not in copies]
        report_key = "the report"
        while rows:
            progress.check()
            index = near_duplicates.NearDuplicateIndex(
                rows, lambda document: text if document == report_key else comparable_text(self._store, document)
            )
            likeness = index.take(report_key, sketch)
            if likeness is None:
                break
            rows = [row for row in rows if row[0] != likeness.of]
            # A document that the report contains is a quoted source; one that contains the report is a copy of it.
            if likeness.measure == "near" or len(comparable_text(self._store, likeness.of)) > len(text):
                copies.add(likeness.of)
            elif likeness.measure == "contained":
                continue
        return copies

    def _own_words(self, report: Report) -> OwnWords:
        texts: list[str] = []
        head = " ".join(sentence.text for sentence in report.sentences[:60]).casefold()
        if "competing hypotheses" in head or "disconfirm" in head:
            try:
                texts += self._report_texts()
                if entries := _LOG_LENGTH.search(" ".join(sentence.text for sentence in report.sentences)):
                    # Its count of log entries was right when it was written: exports and audits are entries, too.
                    lines = self._report_texts(as_of=entries[1].replace(",", ""))[0].split("\n")
                    texts.append("\n".join(line for line in lines if _OF_THE_LOG.search(line)))
            except AppError:
                pass  # a case that fails its own check proves nothing
        return OwnWords.of(texts)

    def _report_texts(self, *, as_of: str | None = None) -> list[str]:
        """Return the text of the case's own report, now or at a past moment, without what a person wrote into it."""
        data = self._reports.data(as_of=as_of)
        settings = data.settings.report
        settings = replace(settings, summary="–" if settings.summary else "", omissions=())
        data = replace(data, settings=replace(data.settings, report=settings))
        texts = []
        for variant in (data, replace(data, short=True)):
            page = html_form.render_html(variant).decode("utf-8").partition("</style>")[2]
            texts.append(markdown_form.render_markdown(variant).decode("utf-8").replace("\\", ""))
            texts += [html.unescape(re.sub(r"<[^>]+>", gap, page)) for gap in (" ", "")]
        return texts

    def _sentences(self, run: _Run) -> list[tuple[Sentence, str]]:
        """List the sentences, each with the reason why it is no claim, '' for a claim."""
        result: list[tuple[Sentence, str]] = []
        # With its number a hypothesis is named; without, its words are a claim like any other.
        names = [OwnWords.of([f"{hypothesis.id} {hypothesis.text}"]) for hypothesis in self._store.hypotheses.all()]
        for sentence in run.report.sentences:
            reason = no_claim(sentence, run.names)
            is_name = _NUMBERED.match(sentence.text) and any(name.has(sentence.text) for name in names)
            if is_name or (run.own_words is not None and run.own_words.has(sentence.text)):
                reason = "of the analysis"
            result.append((sentence, reason))
        return result

    def _resolve_lists(self, run: _Run) -> None:
        """Resolve the entries of the list of sources and the notes."""
        number = 0
        for paragraph in run.report.paragraphs:
            if paragraph.kind == "note":
                number += 1
                target = citations.named_in(paragraph.text, run.sources, run.evidence)
                run.notes_by_mark[paragraph.mark or str(number)] = target
            elif citations.is_source_list(paragraph.section) and paragraph.kind != "heading":
                read_entry = citations.entry(paragraph.text)
                number_there = read_entry[0] if read_entry else len(run.entries) + 1
                words = read_entry[1] if read_entry else paragraph.text
                run.entries.setdefault(number_there, citations.named_in(words, run.sources, run.evidence))
            elif (read_entry := citations.entry(paragraph.text)) and paragraph.text.startswith("["):
                run.entries.setdefault(read_entry[0], citations.named_in(read_entry[1], run.sources, run.evidence))

    # --- citations ---------------------------------------------------------------------------------------------------

    def _cited(self, run: _Run, sentence: Sentence) -> list[Reference]:
        """List the citations of a sentence; without any, those of the next sentence of its paragraph that has some."""
        result = []
        for mention in citations.find(sentence.text, run.names):
            result += [Reference(mention, target, is_own=True) for target in self._targets(run, mention, sentence)]
        if result:
            return result
        for successor in run.report.sentences[sentence.number :]:
            if successor.paragraph != sentence.paragraph:
                break
            if mentions := citations.find(successor.text, run.names):
                return [
                    Reference(mention, target, is_own=False)
                    for mention in mentions
                    for target in self._targets(run, mention, successor)
                ]
        return []

    def _targets(self, run: _Run, mention: Mention, sentence: Sentence) -> list[Target]:
        match mention.kind:
            case "number":
                targets = [run.entries.get(number, Target("")) for number in citations.numbers(mention.name)]
                return [_with_pages(run, target, mention) for target in targets]
            case "note":
                return [_with_pages(run, run.notes_by_mark.get(mention.name, Target("")), mention)]
            case "ibid":
                return [_with_pages(run, self._last_target(run, mention, sentence), mention)]
        return [citations.resolve(mention, run.sources, run.evidence)]

    def _last_target(self, run: _Run, mention: Mention, sentence: Sentence) -> Target:
        """Return the target of the last citation before an ibid."""
        earlier = [m for m in citations.find(sentence.text, run.names) if m.start < mention.start and m.kind != "ibid"]
        if earlier:
            return self._targets(run, earlier[-1], sentence)[-1]
        for predecessor in reversed(run.report.sentences[: sentence.number - 1]):
            mentions = [m for m in citations.find(predecessor.text, run.names) if m.kind != "ibid"]
            if mentions:
                return self._targets(run, mentions[-1], predecessor)[-1]
        return Target("")

    # --- quotations --------------------------------------------------------------------------------------------------

    def _quotations(self, run: _Run) -> list[AuditedQuotation]:
        """Look every quotation up on the pages of the case."""
        result: list[AuditedQuotation] = []
        spots = [(paragraph, row) for paragraph in run.report.paragraphs for row in quotations.extract(paragraph.text)]
        spots += [
            (paragraph, quotations.Quotation(paragraph.text, 0, len(paragraph.text)))
            for paragraph in run.report.paragraphs
            if paragraph.kind == "quote" and not quotations.extract(paragraph.text)
        ]
        if not spots:
            return []
        pages = [page for page in self._store.pages.of(None) if page.document not in run.left_out]
        finder = quotes.QuoteFinder(pages)
        by_place = {(page.document, page.number): page for page in pages}
        titles = {_flat(name) for source in run.sources for name in (source.name, source.title) if name}
        texts = [_flat(hypothesis.text) for hypothesis in self._store.hypotheses.all()]
        for number, (paragraph, quotation) in enumerate(spots):
            run.progress.step(number, len(spots), "Looking up quotations")
            if _flat(quotation.text) in titles or any(_flat(quotation.text) in text for text in texts):
                continue
            sentence = next(
                row
                for row in run.report.sentences
                if row.paragraph == paragraph.number and (row.end > quotation.start or row.end == len(paragraph.text))
            )
            context, own_words = quotations.surroundings(paragraph.text, quotation, sentence.start, sentence.end)
            finding = quotations.check(
                quotation.text, finder.find, lambda *place: by_place[place], context=context, sentence=own_words
            )
            if finding.status != "verified" and run.own_words is not None and run.own_words.has(quotation.text):
                continue  # the case's own report has it in these words
            places = [quotes.span(by_place[m.document, m.page], m.start, m.end) for m in finding.matches[:5]]
            run.case.prove([place.page_id for place in places])
            name = next((source.name for source in run.sources if places and source.id == places[0].document), "")
            result.append(
                AuditedQuotation(
                    sentence.number,
                    quotation.text,
                    finding.status,
                    tuple((row.quote, row.page, row.what) for row in finding.differences),
                    tuple(places),
                    name,
                )
            )
        order = {id(row): index for index, row in enumerate(result)}
        return sorted(result, key=lambda row: (row.sentence, order[id(row)]))

    # --- sentences ---------------------------------------------------------------------------------------------------

    def _check(
        self,
        run: _Run,
        rows: Sequence[tuple[Sentence, str]],
        references: Sequence[Sequence[Reference]],
        quotation_rows: Sequence[AuditedQuotation],
    ) -> tuple[list[AuditedSentence], list[AuditedCitation]]:
        quotations_of: dict[int, list[AuditedQuotation]] = {}
        for quotation in quotation_rows:
            quotations_of.setdefault(quotation.sentence, []).append(quotation)
        places_of: dict[int, list[Place]] = {}
        claims = [sentence for sentence, reason in rows if not reason]
        by_number = {sentence.number: index for index, (sentence, _) in enumerate(rows)}
        for first in range(0, len(claims), _TOGETHER):
            run.progress.step(first, len(claims), "Searching for what the sentences say")
            batch = claims[first : first + _TOGETHER]
            places_of |= run.case.places(batch, [references[by_number[quotation.number]] for quotation in batch])
        matrix = self._likelihoods()
        sentences_out: list[AuditedSentence] = []
        audited_citations: list[AuditedCitation] = []
        for number, ((sentence, reason), cited) in enumerate(zip(rows, references, strict=True)):
            run.progress.step(number, len(rows), "Comparing sentences with their sources")
            places = places_of.get(sentence.number, [])
            row, readings = self._finding(run, sentence, reason, cited, places, quotations_of, matrix)
            sentences_out.append(row)
            for citation in cited:
                is_own_report = row.reason == NO_CLAIM["of the analysis"]
                if citation.is_own and (citation.target.document or not is_own_report):
                    audited_citations.append(
                        self._citation(
                            run, sentence, citation, row, places, quotations_of.get(sentence.number, []), readings
                        )
                    )
        return sentences_out, audited_citations

    def _finding(
        self,
        run: _Run,
        sentence: Sentence,
        reason: str,
        references: Sequence[Reference],
        places: Sequence[Place],
        quotations_of: Mapping[int, Sequence[AuditedQuotation]],
        matrix: tuple[list[tuple[str, str]], dict[str, float], tuple[str, ...]],
    ) -> tuple[AuditedSentence, Sequence[Reading]]:
        """Return the finding on a sentence, and the statement reader's readings if it was asked."""
        text = run.case.without_citations(sentence.text)
        differences = [
            Difference(
                "quote",
                quotation.text,
                quotation.places[0].text if quotation.places else "",
                start,
                start + len(quotation.text),
            )
            for quotation in quotations_of.get(sentence.number, ())
            if quotation.status == "altered" and (start := max(0, sentence.text.find(quotation.text))) >= 0
        ]
        for quotation in quotations_of.get(sentence.number, ()):
            differences += run.case.unattributed_speakers(
                sentence.text, quotation.text, quotation.places if quotation.status == "verified" else ()
            )
        if reason != "of the analysis" and reason != "heading":
            differences += likelihood.check(text, *matrix)
        if reason:
            errors = [row for row in differences if row.is_sure]
            finding, by = decide(errors, 0.0, 1.0, None, limits=LIMITS) if errors else ("not_a_claim", "rule")
            row = AuditedSentence(
                sentence.number,
                sentence.text,
                sentence.page,
                sentence.section,
                is_claim=False,
                finding=finding,
                reason=NO_CLAIM[reason],  # type: ignore[index]
                differences=tuple(differences),
                by=by,
            )
            return row, ()
        sources, shares = run.case.best(text, places, references)
        claim = _compared(run.case, text, places, references, differences, (sources, shares))
        # A claim whose parts are all in one source needs no reader.
        verbatim = [
            quotation.places[0]
            for quotation in quotations_of.get(sentence.number, ())
            if quotation.status == "verified" and quotation.places
        ]
        readings = run.case.readings(text, places, references, verbatim) if claim.finding != "supported" else []
        if readings:
            claim = _read(run.case, text, claim, readings)
        language = run.case.foreign_language(text, run.languages.get(sentence.page, ""), sources)
        texts = (place.candidate.text for place, _ in claim.ranking)
        is_same = claim.finding == "supported" and is_verbatim(text, texts)
        if language and not is_same and claim.finding not in ("not_found", "not_judged"):
            claim = replace(claim, finding="not_judged", by="rule", differences=())
        finding, ranking = claim.finding, list(claim.ranking)
        visible = claim.differences if finding != "not_found" else ()  # those are from what is about something else
        if finding == "supported":  # sources with the claim's own figures come first
            ranking.sort(key=lambda row: lacking(text, row[0].candidate.text))
        row = AuditedSentence(
            sentence.number,
            sentence.text,
            sentence.page,
            sentence.section,
            is_claim=True,
            finding=finding,
            differences=tuple(sorted(visible, key=lambda quotation: (quotation.start, quotation.end, quotation.what))),
            sources=tuple(
                run.case.source(place, references)
                for index, (place, part) in enumerate(ranking)
                if finding != "not_found" and (not index or part >= _SHOWN)
            ),
            score=round(claim.score, 4),
            by=claim.by,
            missing=claim.missing if finding == "undecided" else (),
            language=language if finding == "not_judged" else "",
        )
        return row, readings

    def _citation(
        self,
        run: _Run,
        sentence: Sentence,
        reference: Reference,
        row: AuditedSentence,
        places: Sequence[Place],
        quotations_of: Sequence[AuditedQuotation],
        readings: Sequence[Reading],
    ) -> AuditedCitation:
        """Judge a citation: whether the cited place supports the sentence."""
        target = reference.target
        blank = AuditedCitation(sentence.number, reference.mention.text, "PASS", target.document, "", target.pages)
        if not target.document:
            reason = "It names no document of this case."
            return replace(blank, status="SOURCE NOT IN CASE", reason=reason)
        blank = replace(blank, name=next(source.name for source in run.sources if source.id == target.document))
        if target.document in run.left_out:
            return replace(blank, status="REVIEW", reason="It cites the report itself.")
        verbatim = [
            place.page for quotation in quotations_of if quotation.status == "verified" for place in quotation.places
            if place.document == target.document
        ]  # fmt: skip
        right = min(verbatim, default=None)
        is_absent = False
        is_there = speaks(readings, target.documents) or any(
            place.document in target.attachments
            for quotation in quotations_of if quotation.status == "verified" for place in quotation.places
        )  # fmt: skip
        if right is None and row.is_claim:
            text = run.case.without_citations(sentence.text)
            cited_places = [place for place in places if place.page.document == target.document]
            ranking = bearing.order(text, [place.candidate for place in cited_places], run.case.rarity(text))
            on_pages = [share for share, index in ranking if cited_places[index].page.number in target.pages]
            cited_share = max(on_pages, default=0.0)
            best, index = max(((share, -index) for share, index in ranking), default=(0.0, 0))
            if best >= NEAR and (not target.pages or cited_share < best - _PAGE_AHEAD):
                right = cited_places[-index].page.number
            elif target.pages and max(cited_share, best) >= LIMITS["not found"]:
                right = target.pages[0]
            else:
                attached = [place.candidate for place in places if place.page.document in target.attachments]
                nearest = max((share for share, _ in bearing.order(text, attached, run.case.rarity(text))), default=0.0)
                is_there = is_there or nearest >= LIMITS["not found"]
                is_absent = best < LIMITS["not found"] or bool(target.stray_pages)
        sources = (source for source in row.sources if source.quote.document not in target.documents)
        see = next((f" See {forms.place(source)}." for source in sources), "")
        if target.stray_pages:
            pages = ", ".join(target.stray_pages)
            words = f"The document has no page {pages}."
            return replace(blank, status="REVIEW", right_page=right, reason=words + (see if right is None else ""))
        if not is_there and (is_absent or (right is None and see and row.finding == "supported")):
            return replace(blank, status="REVIEW", reason=f"Nothing about this was found there.{see}")
        if right is not None and target.pages and right not in target.pages and not set(verbatim) & set(target.pages):
            return replace(blank, status="REVIEW", right_page=right, reason=f"Page wrong: see p. {right}.")
        return replace(blank, right_page=right if not target.pages else None)

    def _likelihoods(self) -> tuple[list[tuple[str, str]], dict[str, float], tuple[str, ...]]:
        hypotheses = [(hypothesis.id, hypothesis.text) for hypothesis in self._store.hypotheses.all()]
        if not hypotheses or not self._store.evidence.all():
            return hypotheses, {}, ()
        matrix = self._matrix.compute()
        leaders = matrix.leaders.get(DEFAULT_RULE, ())
        return hypotheses, dict(matrix.scores.get("bayes", {})) if leaders else {}, leaders

    def _languages_not_known(self, sentences: Sequence[AuditedSentence]) -> list[str]:
        """Return the note on sources of which no language was recognised; tables and logs have too little text."""
        languages = self._store.documents.languages()
        sources = {
            source.quote.document: source.name
            for sentence in sentences
            for source in sentence.sources
            if not is_known(source.quote.text, languages.get(source.quote.document, ""))
            and has_running_text(source.quote.text)
        }
        return read_as_english([name for _, name in sorted(sources.items())])

    def _extent(self, run: _Run) -> str:
        documents, passages = self._store.scope.searched(None, [*self._store.scope.left_out(), *run.left_out])
        gap = " ".join(self._search.unsearched()[1])
        return f"{passages:,} passages of {documents:,} documents were searched. {gap}".rstrip()


@dataclass(frozen=True, slots=True)
class _Claim:
    """The finding on a claim and its sources, each with the share of the claim's words that it has."""

    finding: Finding
    by: str
    score: float
    differences: tuple[Difference, ...]
    missing: tuple[str, ...]
    ranking: tuple[tuple[Place, float], ...]


def _compared(
    case: CaseSources,
    text: str,
    places: Sequence[Place],
    references: Sequence[Reference],
    differences: Sequence[Difference],
    best: tuple[Sequence[Place], Sequence[float]],
) -> _Claim:
    """Compare a claim with its best sources by rules and words, and by the judge if there is no statement reader."""
    sources, shares = best
    stocks = case.stock(places, sources, references)
    candidates = [place.candidate for place in sources]
    differences = [*differences, *bearing.compare(text, candidates, stocks)]
    signs = bearing.signs(text, candidates, stocks, differences)
    score, share = bearing.score(signs, bearing.IN_A_CASE), max(shares, default=0.0)
    is_sure = any(row.is_sure for row in differences)
    verdict = None
    if not (is_sure or case.can_read) and share >= LIMITS["not found"] and score < LIMITS["supported"]:
        verdict = case.verdict(text, candidates)
    missing = case.missing(text, sources, references)
    finding, by = decide(differences, score, share, verdict, limits=LIMITS, is_accounted=not missing)
    score = min(score, 0.25) if is_sure else score
    ranking = tuple(zip(sources, shares, strict=True))
    return _Claim(finding, by, score, tuple(differences), tuple(missing), ranking)


def _read(case: CaseSources, text: str, claim: _Claim, readings: Sequence[Reading]) -> _Claim:
    """Let the statement reader decide on a claim, except where a rule is certain and the reader is not."""
    finding, reading = weigh(readings)
    if finding == "supported" and case.is_opposed(text, reading.stretch):
        finding = "undecided"
    exact = {row.what for row in claim.differences if row.is_sure}
    if exact & {"quote", "speaker", "likelihood"} or (exact and reading.bearing.supported < WRONG):
        return claim
    if exact and finding == "supported":
        return replace(claim, finding="undecided", by="rule")
    differences = claim.differences
    if finding in ERRORS:
        faults = reading.bearing.faults
        differences = tuple(Difference("word", text[start:end], "", start, end) for start, end in faults)
    elif finding != "undecided":
        differences = ()
    ranking = tuple(case.ranking(text, reading.stretch.places)[: bearing.SHOWN])
    return _Claim(finding, "reader", reading.bearing.supported, differences, reading.lacks, ranking)


def _without_quotations(sentence: AuditedSentence, obsolete: Collection[tuple[int, str]]) -> AuditedSentence:
    """Return a sentence without findings that rest on obsolete quotations."""
    if not any(row.what == "quote" and (sentence.number, row.own) in obsolete for row in sentence.differences):
        return sentence
    finding: Literal["undecided", "not_a_claim"] = "undecided" if sentence.is_claim else "not_a_claim"
    return replace(sentence, finding=finding, differences=(), score=0.0)


def _with_pages(run: _Run, target: Target, mention: Mention) -> Target:
    """Return the target of a citation by number, note or ibid., with the citation's own pages."""
    if not mention.pages or not target.document:
        return target
    source = next(source for source in run.sources if source.id == target.document)
    places = [(words, source.page(words)) for words in mention.pages]
    pages = tuple(page for _, page in places if page is not None)
    return replace(target, pages=pages, stray_pages=tuple(words for words, page in places if page is None))


def _flat(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _stored_form(audit: Audit) -> Audit:
    """Return the form that is stored: one source of a supported sentence, all sources of others."""
    rows = [replace(row, sources=row.sources[:1]) if row.finding == "supported" else row for row in audit.sentences]
    return replace(audit, sentences=tuple(rows))
