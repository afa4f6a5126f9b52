"""What leaves a case: everything the report says at a moment, the pictures behind it, and the one file it becomes.

The part of the workbench between the decisions (``core.matrix.service``) and the verbs that need documents and models.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core import __version__, files
from core import matrix as matrices
from core import report as reports
from core.conflicts.results import STATUSES, ConflictRecord
from core.domain import (
    SECOND_READER,
    Assessment,
    Document,
    Evidence,
    Likelihood,
    LogEntry,
    Matrix,
    Proposal,
    QuotePart,
    State,
    Suggestion,
    Word,
    Words,
)
from core.errors import BadInput, CaseNotProven, EngineStopped, IndexDamaged, ModelMissing, Problem, UnreadableDocument
from core.ocr.page_selection import is_scan
from core.plans import elusion as missing
from core.plans import queries as planning
from core.plans.passage_counts import passage_counts
from core.progress import Progress, silent
from core.report import Ruling
from core.store import DESCRIBED, spare_cases
from core.store import integrity as check
from core.store.decision_log import NAMING, replay
from core.store.proposals import verdict_of
from core.text import over_pages
from core.verdicts import agreement as agreeing
from core.verdicts import exam, label_imbalance, prompt_injection

if TYPE_CHECKING:
    from core.accuracy.service import Accuracy
    from core.answers.service import Answers
    from core.case.service import CaseService
    from core.conflicts.service import Conflicts
    from core.evidence.service import EvidenceService
    from core.matrix.service import MatrixService
    from core.open_case import OpenCase
    from core.plans.service import SearchPlans
    from core.verdicts.policy import VerdictPolicy


T = TypeVar("T", Assessment, Suggestion)

Box = tuple[float, float, float, float]

# Endings of the forms of a report, the longer before the shorter, with what each is.
FORMS: dict[str, str] = {
    ".pack.html": "evidence pack",
    ".html": "web page",
    ".pdf": "PDF",
    ".docx": "text document",
    ".xlsx": "workbook",
    ".csv": "table",
    ".md": "Markdown",
    ".json": "JSON",
    ".achz": "PARC matrix",
}


# Ratings and facts that a printed form holds: typesetting takes some 30 kB of memory for each.
PRINTED_CELLS = 100_000

AROUND = 400  # characters of a page shown before and after a quote where it has no picture

_TRIES = 3  # to gather a report of one moment while decisions go on

_SCALE = 2.0  # pixels of a picture a point

_WIDEST = 1_400  # pixels of a picture


@dataclass(frozen=True, slots=True)
class _Material:
    """The decisions that a report is about, with their matrix and the verdicts as they were, all of one moment.

    ``moment`` is '' for now; ``later`` is the time of the first decision that is left out, '' for none.
    """

    log: list[LogEntry]
    state: State
    moment: str
    later: str
    view: str
    matrix: Matrix
    proposals: list[Proposal]
    suggestions: tuple[Suggestion, ...]
    assessments: tuple[Assessment, ...]
    likelihoods: tuple[Likelihood, ...]


@dataclass(frozen=True, slots=True)
class Allowance:
    """The number of pictures of pages that a form takes, and of bytes that they may have together."""

    pictures: int
    bytes: int


ALLOWANCE = {".pack.html": Allowance(300, 32 << 20), ".pdf": Allowance(80, 12 << 20), ".docx": Allowance(80, 12 << 20)}


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report that was written."""

    file: Path
    bytes: int
    sha256: str
    problems: tuple[Problem, ...] = ()  # what in the case fails its own check, as the report says at its top


def form_of(path: Path) -> str:
    """Return the ending that names a form of the report. Raises BadInput."""
    name = path.name.lower()
    form = next((ending for ending in FORMS if name.endswith(ending) and name != ending), None)
    if form is None:
        raise BadInput(
            reason=f"A report cannot be written as '{path.suffix or path.name}'.", remedy=f"Use {', '.join(FORMS)}."
        )
    return form


def check_target(path: Path) -> None:
    """Raise BadInput where a file written at ``path``, or its unfinished part beside it, would overwrite a case."""
    spare_cases(path)
    spare_cases(path.with_name(path.name + ".part"))


class Reports:
    """The reports of the case."""

    def __init__(
        self,
        case: OpenCase,
        about: CaseService,
        verdicts: VerdictPolicy,
        evidence: EvidenceService,
        matrix: MatrixService,
        plans: SearchPlans,
        answers: Answers,
        accuracy: Accuracy,
        conflicts: Conflicts,
        confirmations: Callable[[], Sequence[Ruling]],
    ) -> None:
        """Build reports from the other parts; ``confirmations`` gives the findings of audits that people confirmed."""
        self._open = case
        self._store = case.store
        self._about = about
        self._verdicts = verdicts
        self._evidence = evidence
        self._matrix = matrix
        self._plans = plans
        self._answers = answers
        self._accuracy = accuracy
        self._conflicts = conflicts
        self._confirmations = confirmations

    def data(self, *, as_of: str | None = None, short: bool = False) -> reports.ReportData:
        """Gather everything the report says, now or at a moment (see ``History.moment``); ``short``: on a page or two.

        It says what the log says was decided; where the case is something else, that is told in ``failed``. Words that
        are not on their page are no quote of it. Raises BadInput, and CaseNotProven where the log itself fails.
        """
        try:
            return self._data(as_of, short)
        except IndexDamaged:  # noticed where nothing may be written
            if self._store.read_only:
                raise
            self._store.rebuild_index()
            return self._data(as_of, short)

    def _data(self, as_of: str | None, short: bool) -> reports.ReportData:
        for number in range(_TRIES):
            # People and jobs go on beside it; in the end they wait for the moment that this takes.
            with self._store.db.snapshot() if number + 1 == _TRIES else nullcontext():
                now = check.snapshot(self._store)
                if fault := next(check.chain_faults(now), None):
                    what = fault.what.rstrip(".")
                    raise CaseNotProven(
                        path=self._store.path, fault=f"its log: {what}", effect="no report of it can be trusted"
                    )
                problems = tuple(check.stated(self._store, now))
                with self._store.db.snapshot():
                    if as_of is None and self._store.history.position() != now.last:
                        continue
                    material = self._material_of(now.entries, as_of) if not problems else None
            if material is not None:
                return replace(self._report_data(material, as_of), short=short)
            break
        self._matrix.forget()  # made of what is in the case
        try:
            with self._store.history.as_the_log_says():
                data = self._report_data(self._material_of(now.entries, as_of), as_of)
        finally:
            self._matrix.forget()
        return replace(data, failed=(*problems, *data.failed), short=short)

    def _report_data(self, material: _Material, as_of: str | None) -> reports.ReportData:
        log, state, documents = material.log, material.state, self._documents_of(material.state)
        proposals, suggestions = material.proposals, material.suggestions
        assessments, likelihoods, moment = material.assessments, material.likelihoods, material.moment
        several = len({item.by for item in assessments} | {item.by for item in likelihoods}) > 1
        matrix, view = material.matrix, material.view
        evidence, unproven = self._rows_with_faults(state.evidence)
        return reports.ReportData(
            title=state.title,
            generated_at=moment or self._store.db.now(),
            program=f"Disconfirm {__version__}",
            engines=self._engine_names(documents, proposals),
            documents=tuple(documents),
            pages_without_text={
                document.id: tuple(p.number for p in self._store.pages.of(document.id) if is_scan(p))
                for document in documents
                if document.pages_without_text
            },
            page_sha256={page: self._store.pages.by_id(page).sha256 for page in sorted(_pages_of(evidence))},
            citations=self._evidence.cite(evidence),
            shared=self._evidence.shared_origins(state.evidence),
            checks={
                item.id: check.words for item in evidence if (check := self._evidence.scan_check(item)) is not None
            },
            hypotheses=state.hypotheses,
            matrix=matrix,
            evidence=evidence,
            failed=unproven,
            assessments=assessments,
            suggestions=suggestions,
            proposals=reports.count_proposals(proposals, state.hypotheses),
            decisions=reports.count_decisions(log),
            judges=self._judges(proposals, suggestions),
            agreement=tuple(
                (self._verdicts.model_card(agreement.model).name, tuple(agreeing.lines(agreement)))
                for agreement in self._verdicts.agreements_of(state.evidence, proposals, assessments)
            ),
            second=() if state.settings.blind else self._second(proposals),
            shown=self._thresholds(proposals) if state.settings.strict else (),
            warnings=_mind_the_judge(proposals, blind=state.settings.blind),
            search=self._search_effort(state, proposals, now=as_of is None, later=material.later),
            log_entries=len(log),
            log_head=log[-1].hash if log else "",
            as_of=moment,
            view=view,
            robustness=matrices.robustness(matrix).sentence,
            considerations=state.considerations,
            likelihoods=likelihoods,
            # One person who rated and stated nothing is no group.
            group=self._matrix.group_of(replace(state, assessments=assessments), likelihoods)
            if several or likelihoods
            else None,
            settings=state.settings,
            questions=tuple(record for record in self._answers.all() if record.in_report) if as_of is None else (),
            rulings=(*map(_ruling, self._resolved()), *self._confirmations()) if as_of is None else (),
            figures=self._accuracy.figures() if as_of is None else (),
        )

    def _resolved(self) -> Iterator[ConflictRecord]:
        return (record for record in self._conflicts.all() if not record.is_open)

    def _material_of(self, log: list[LogEntry], as_of: str | None) -> _Material:
        """Gather what is in the tables of decisions, all of it of one moment."""
        seq = log[-1].seq if log and as_of is None else self._store.history.moment(as_of) if as_of is not None else 0
        later = next((entry.at for entry in log if entry.seq > seq), "") if as_of is not None else ""
        log = [entry for entry in log if entry.seq <= seq]
        state = self._store.history.state_at(seq)
        moment = "" if as_of is None else _moment(as_of, state.at)
        # What left the case since the last decision is no part of what the report says, nor that the case was closed:
        # the same case, the same bytes.
        while log and log[-1].verb in ("export", NAMING):
            log.pop()
        proposals = self._store.proposals.all()
        if as_of is not None:
            rows = replay(log)["proposal"]
            then = [(proposal, rows.get(proposal.id)) for proposal in proposals]
            proposals = [
                replace(
                    proposal,
                    status=str(row["status"]),
                    verdict=verdict_of(row),
                    others=tuple(reading for reading in proposal.others if reading.at <= state.at),
                )
                for proposal, row in then
                if row is not None
            ]
        former = state if as_of is not None else None
        proposals = self._verdicts.mark_languages(self._verdicts.mark_outdated(proposals, former))
        proposals = self._verdicts.mark_abstained(proposals, state.settings.show)
        assessments, suggestions, likelihoods = state.assessments, state.suggestions, state.likelihoods
        if state.settings.blind:
            suggestions = tuple(self._evidence.of_own_cells(suggestions, assessments))
            assessments = tuple(self._evidence.of_own_cells(assessments, assessments))
            likelihoods = tuple(self._evidence.of_own_hypotheses(likelihoods))
        suggestions = tuple(self._verdicts.without_outdated(suggestions, former))
        suggestions = tuple(self._verdicts.shown_suggestions(suggestions, state.settings.show))
        view = "mine" if state.settings.blind else "group"
        matrix = self._matrix.compute(view, as_of=str(seq))  # it warns of more where that is still now
        return _Material(log, state, moment, later, view, matrix, proposals, suggestions, assessments, likelihoods)

    def _rows_with_faults(self, evidence: Sequence[Evidence]) -> tuple[tuple[Evidence, ...], tuple[Problem, ...]]:
        """Return the rows, without quotes that are not on their page, and what is wrong with each of these."""
        rows: list[Evidence] = []
        problems: list[Problem] = []
        for item in evidence:
            if item.page_id is not None and item.quote is not None and not self._evidence.quote_is_current(item):
                where = f"page {item.page} of {item.document}"
                problems.append(
                    Problem(
                        f"evidence {item.id}",
                        f"Its words are not on {where} as it reads now, so they are not quoted.",
                        "Look at the page; take the new words or remove the row.",
                    )
                )
                words = over_pages(item.quote, *(part.text for part in item.more))
                text = f"(Not on {where} now) {item.text}" if item.text == words else item.text
                item = replace(item, text=text, quote=None, start=None, end=None, more=())
            rows.append(item)
        documents = {item.document for item in evidence if item.document}
        problems += check.quoted(self._store, _pages_of(evidence), documents)
        return tuple(rows), tuple(problems)

    def days(self) -> list[tuple[str, int]]:
        """List the days (UTC) on which something was decided, the last first, with how many decisions."""
        return self._store.history.decision_days()

    def write(
        self, path: Path, *, as_of: str | None = None, short: bool = False, progress: Progress | None = None
    ) -> ReportFile:
        """Write the report; the ending of the name chooses the form. An older file is replaced whole or not at all.

        The same case and the same ``as_of`` give the same bytes; the table and the PARC matrix have no ``short`` form
        and hold the whole matrix in either. Raises BadInput, CannotWrite, EngineStopped, and
        CaseNotProven where the log of the case fails.
        """
        form, progress = form_of(path), progress or silent()
        check_target(path)
        files.check_target(path, never=self._store.path)
        progress.step(0, 0, f"Gathering the report for {path.name}")
        report = self.data(as_of=as_of, short=short)
        data = self.render(form, report, progress)
        digest = hashlib.sha256(data).hexdigest()
        progress.step(0, 0, f"Writing {path.name}")
        files.write(path, data, never=self._store.path)
        if not self._about.read_only:
            self._store.log.note_export(path.name, digest)
        return ReportFile(path, len(data), digest, report.failed)

    def render(self, form: str, data: reports.ReportData, progress: Progress) -> bytes:
        """Render one form."""
        match form:
            case ".html":
                return reports.render_html(data)
            case ".json":
                return reports.render_json(data)
            case ".csv":
                return reports.render_csv(data)
            case ".md":
                return reports.render_markdown(data)
            case ".achz":
                return reports.render_parc(data)
        exhibits: Mapping[str, reports.Exhibit] = {}
        left_out = ""
        if form in ALLOWANCE:
            quoted_rows = data.evidence
            if data.short:
                telling = {item.evidence.id for item in reports.most_diagnostic(reports.items(data))}
                quoted_rows = tuple(e for e in quoted_rows if e.id in telling and form == ".pack.html")
            exhibits, left_out, problems = self._exhibits(quoted_rows, ALLOWANCE[form], progress)
            data = replace(data, problems=(*data.problems, *problems))
        if form == ".pack.html":
            data = replace(data, excerpts=self._excerpts(data.evidence, exhibits))
            return reports.render_pack(data, exhibits, left_out=left_out)
        if left_out:
            data = replace(data, warnings=(*data.warnings, left_out))
        if self._open.engines.writer is None:
            raise BadInput(
                reason=f"This program has no writer for {form} files.", remedy="Save it as .html and print that."
            )
        limit = PRINTED_CELLS // (len(data.hypotheses) + 20)
        if form != ".xlsx" and len(data.matrix.rows) > limit and not data.short:
            omission = (
                f"{len(data.matrix.rows) - limit:,} of {len(data.matrix.rows):,} pieces of evidence are not printed "
                "here, although all of them count: the web page, workbook, table and JSON forms have them."
            )
            data = replace(data, warnings=(*data.warnings, omission))
        progress.step(0, 0, f"Exporting the report as {FORMS[form]}")
        content = (
            reports.render_sheets(data)
            if form == ".xlsx"
            else reports.render_story(data, figures_of=tuple(exhibits), most=limit)
        )
        return self._open.engines.writer.write(form[1:], content, {name: item.png for name, item in exhibits.items()})

    def _search_effort(
        self, state: State, proposals: Sequence[Proposal], *, now: bool, later: str
    ) -> tuple[reports.SearchEffort, ...]:
        """Gather for every hypothesis what was searched and looked at.

        Before the first decision that is left out (at ``later``; '' where none is).
        """
        run = [search for search in self._store.plans.searches() if not later or search.at < later]
        counts = passage_counts(proposals, run, {h.id: h.text for h in state.hypotheses})
        uneven = planning.effort_gaps({hypothesis: count.passages for hypothesis, count in counts.items()})
        efforts = []
        for hypothesis, count in counts.items():
            roles = [s.role for s in run if s.hypothesis == hypothesis and s.role != planning.EVERYTHING]
            # Of an earlier moment nobody can say any more which passages had been left unread.
            estimate = self._plans.elusion_if_judged(hypothesis) if now else None
            efforts.append(
                reports.SearchEffort(
                    hypothesis,
                    count.passages,
                    queries=len(roles),
                    searches_for=sum(role in planning.FOR for role in roles),
                    searches_against=sum(role in planning.AGAINST for role in roles),
                    supports=count.labels.get("supports", 0),
                    contradicts=count.labels.get("contradicts", 0),
                    neutral=count.labels.get("neutral", 0),
                    ambiguous=count.labels.get("ambiguous", 0),
                    uneven=uneven.get(hypothesis, ""),
                    missed=None if estimate is None else _missed_words(hypothesis, estimate),
                )
            )
        return tuple(efforts)

    def _documents_of(self, state: State) -> list[Document]:
        """List the documents as they are read by now, with what was decided of them then.

        Without those that had been removed; one that could not be read then is listed so.
        """
        now = {document.id: document for document in self._store.documents.all()}
        result = []
        for then in state.documents:
            if then.status == "removed" or (then.status == "failed" and then.superseded_by):
                continue
            current = then if then.status == "failed" else now.get(then.id, then)
            description = {name: getattr(then, name) for name in ("included", "superseded_by", *DESCRIBED)}
            result.append(replace(current, **description))
        return result

    def _second(self, proposals: Sequence[Proposal]) -> tuple[str, ...]:
        """Return what second readers made of the verdicts, a sentence each."""
        read: dict[str, list[Proposal]] = {}
        for proposal in proposals:
            for reading in proposal.others:
                if reading.role == SECOND_READER:
                    read.setdefault(reading.verdict.model, []).append(proposal)
        sentences = []
        for model, of_model in sorted(read.items()):
            labels = [next(o.verdict.label for o in p.others if o.verdict.model == model) for p in of_model]
            apart = sum(label != p.verdict.label for label, p in zip(labels, of_model, strict=True))
            verdicts = "verdict was" if len(of_model) == 1 else "verdicts were"
            card = self._verdicts.model_card(model)
            reader = card.line() if card.right is not None else f"{card.name}, which has not taken the exam"
            sentences.append(
                f"{len(of_model):,} close or decisive {verdicts} read a second time by {reader}. It "
                f"came to another label on {apart:,}. A verdict on which the readers disagree is taken as undecided "
                "and suggests no rating; where they agree, no probability rises. Both are kept, and neither counts."
            )
        return tuple(sentences)

    def _thresholds(self, proposals: Sequence[Proposal]) -> tuple[str, ...]:
        """Return which verdicts a strict case shows, model by model."""
        sentences = []
        for model in sorted({proposal.verdict.model for proposal in proposals}):
            name, sure = self._verdicts.model_card(model).name, self._verdicts.show_thresholds(model)
            sentences += [f"{name}: {row.sentence()}" for row in sure]
            if not sure:
                sentences.append(
                    f"{name}: no verdict is shown, because nobody has measured from which probability on its "
                    "verdicts are right."
                )
        return tuple(sentences)

    def _judges(
        self, proposals: Sequence[Proposal], suggestions: Sequence[Suggestion]
    ) -> tuple[reports.JudgeSummary, ...]:
        """List every model whose verdicts are in the case, that of the most first."""
        # A verdict is one on a passage and a hypothesis, however many quotes of it are proposals.
        pairs = {(p.verdict.model, p.hypothesis, p.chunk) for p in proposals if not p.unmeasured_language}
        first_models = Counter({proposal.verdict.model: 0 for proposal in proposals})
        first_models.update(model for model, _, _ in pairs)
        beside = Counter(
            model
            for model, _, _ in {
                (second.verdict.model, p.hypothesis, p.chunk)
                for p in proposals
                if not p.unmeasured_language
                for second in p.others
            }
        )
        # A rating suggested from a verdict that is counted already is no verdict of its own.
        of_suggestions = Counter(
            suggestion.model for suggestion in suggestions if suggestion.model not in first_models | beside
        )
        models = sorted(
            {*first_models, *beside, *of_suggestions},
            key=lambda model: (-first_models[model] - of_suggestions[model], model),
        )
        return tuple(
            self._summary_of(model, first_models[model] + of_suggestions[model], beside[model]) for model in models
        )

    def _summary_of(self, model: str, verdicts: int, beside: int) -> reports.JudgeSummary:
        card, result = self._verdicts.model_card(model), self._verdicts.exam_of(model)
        benchmarks = (
            reports.Benchmark(m.set, m.n, m.accuracy, m.macro_f1, m.contradicts_f1, m.seen) for m in card.measured
        )
        return reports.JudgeSummary(
            name=card.name,
            fingerprint=model,
            measured=tuple(benchmarks),
            limits=card.limits,
            verdicts=verdicts,
            beside=beside,
            exam=None if result is None else _exam_summary(result),
        )

    def _engine_names(
        self, documents: Sequence[Document], proposals: Sequence[Proposal]
    ) -> tuple[tuple[str, str], ...]:
        """Name what made the results that are in the case; no engine is started to ask."""
        readers = sorted({document.reader for document in documents if document.reader})
        models = sorted({proposal.verdict.model for proposal in proposals})
        names = [("reader", name) for name in readers]
        names += [("search model", name) for name in self._store.vectors.models()]
        names += [("judging model", name) for name in models]
        again = {o.verdict.model for p in proposals for o in p.others if o.role == SECOND_READER}
        return tuple(names + [("second reader", name) for name in sorted(again)])

    def _exhibits(
        self, evidence: Sequence[Evidence], allowance: Allowance, progress: Progress
    ) -> tuple[dict[str, reports.Exhibit], str, list[Problem]]:
        """Cut out the pages behind quotes, as many as allowed, the first rows first; say in words what is missing."""
        boxes: dict[str, list[Box]] = {}
        requests: list[tuple[str, str, QuotePart]] = []  # what the picture is called, the document, where
        beyond = 0
        has_geometry: dict[str | None, bool] = {}  # whether the pages of a document have a geometry
        for item in evidence:
            for name, part in stretches_of(item):
                if item.document not in has_geometry:
                    has_geometry[item.document] = self._store.pages.by_id(part.page_id).width > 0
                if not has_geometry[item.document]:
                    continue
                if len(boxes) == allowance.pictures:
                    beyond += 1
                elif boxes_of_part := self._boxes(part):
                    boxes[name] = boxes_of_part
                    requests.append((name, item.document or "", part))
        cut: dict[str, reports.Exhibit] = {}
        problems: list[Problem] = []
        reader = self._open.engines.viewer or self._open.engines.reader
        original: tuple[str, bytes] = ("", b"")
        without_picture: set[str] = set()
        # Document after document, so that each is sent once; page after page within it.
        order = sorted(requests, key=lambda request: (request[1], request[2].page))
        for n, (exhibit_name, document, part) in enumerate(order):
            progress.step(n, len(order), f"Cutting out the page behind {exhibit_name}")
            if document in without_picture:
                continue
            if original[0] != document:
                original = (document, self._store.documents.original(document))
            name, width = self._store.documents.get(document).name, self._store.pages.by_id(part.page_id).width
            scale = min(_SCALE, _WIDEST / width) if width else _SCALE
            try:
                picture = reader.crop(original[1], name, part.page, boxes[exhibit_name], scale=scale)
            except UnreadableDocument:
                without_picture.add(document)  # a format without pictures of its pages
            except (EngineStopped, ModelMissing) as error:
                progress.check()  # stopped because the person asked for it
                without_picture.add(document)
                problems.append(Problem(name, error.sentence, error.hint))
            else:
                cut[exhibit_name] = reports.Exhibit(picture.png, picture.width, picture.height)
        exhibits: dict[str, reports.Exhibit] = {}
        room = allowance.bytes
        for name, _document, _part in requests:
            exhibit = cut.get(name)
            if exhibit is not None and len(exhibit.png) <= room:
                exhibits[name] = exhibit
                room -= len(exhibit.png)
        missing = beyond + sum(document not in without_picture for _, document, _ in requests) - len(exhibits)
        if missing <= 0:
            return exhibits, "", problems
        omission = (
            f"{missing:,} of {missing + len(exhibits):,} page images are left out: this form holds at most "
            f"{allowance.pictures} pictures and {allowance.bytes >> 20} MB of them. The text is complete."
        )
        return exhibits, omission, problems

    def _boxes(self, part: QuotePart) -> list[Box]:
        """List where a part of a quote is on its page, a box a line; none without geometry or on a changed page."""
        page = self._store.pages.by_id(part.page_id)
        if not page.width or not page.height or page.text[part.start : part.end] != part.text:
            return []
        return lines_of(self._store.pages.words(part.page_id), part.start, part.end)

    def _excerpts(self, evidence: Iterable[Evidence], with_picture: Collection[str]) -> dict[str, reports.Excerpt]:
        """Cut out the words around quotes that have no picture."""
        excerpts = {}
        for item in evidence:
            for name, part in stretches_of(item):
                text = self._store.pages.by_id(part.page_id).text
                if name not in with_picture and text[part.start : part.end] == part.text:
                    excerpts[name] = excerpt(text, part.start, part.end)
        return excerpts


def _pages_of(evidence: Iterable[Evidence]) -> set[int]:
    """List the pages that rows quote, by their ids."""
    return {
        page for item in evidence for page in (item.page_id, *(part.page_id for part in item.more)) if page is not None
    }


def stretches_of(item: Evidence) -> list[tuple[str, QuotePart]]:
    """List every part of a row's quote with the name of its picture; none for a row that quotes nothing."""
    if item.page_id is None or item.page is None or item.start is None or item.end is None or not item.quote:
        return []
    first = QuotePart(item.page_id, item.page, item.start, item.end, item.quote, "")
    return [(reports.stretch_name(item.id, number), part) for number, part in enumerate((first, *item.more), start=1)]


def excerpt(text: str, start: int, end: int) -> reports.Excerpt:
    """Return text[start:end] with what is around it, cut between words."""
    first, last = max(0, start - AROUND), min(len(text), end + AROUND)
    head, after = text[first:start], text[end:last]
    if first:
        head = "…" + head[head.find(" ") :] if " " in head else head
    if last < len(text):
        after = after[: after.rfind(" ")] + " …" if " " in after else after
    return reports.Excerpt(head, text[start:end], after)


def lines_of(words: Words, start: int, end: int) -> list[Box]:
    """Draw one box around each run of words that are beside each other on one line."""
    boxes: list[Box] = []
    for word in words.within(start, end):
        if boxes and _beside(boxes[-1], word):
            x0, y0, x1, y1 = boxes[-1]
            boxes[-1] = (min(x0, word.x0), min(y0, word.y0), max(x1, word.x1), max(y1, word.y1))
        else:
            boxes.append((word.x0, word.y0, word.x1, word.y1))
    return boxes


def _beside(box: Box, word: Word) -> bool:
    """Return whether a word goes on in the line of a box.

    It is as high up, and there is no more than a wide space between them, on either side (lines run from right to left
    too).
    """
    height = min(box[3] - box[1], word.y1 - word.y0)
    together = min(box[3], word.y1) - max(box[1], word.y0)
    return together > height / 2 and max(word.x0 - box[2], box[0] - word.x1) <= 2 * height


def _missed_words(hypothesis: str, estimate: missing.ElusionEstimate) -> reports.MissedEstimate:
    def share(value: float | None) -> float | None:
        return None if value is None else round(value, 6)

    return reports.MissedEstimate(
        judged=estimate.judged,
        expected=round(estimate.expected, 6),
        low=round(estimate.low, 6),
        high=round(estimate.high, 6),
        found=share(estimate.recall),
        found_low=share(estimate.recall_low),
        found_high=share(estimate.recall_high),
        confidence=estimate.confidence,
        words=missing.words(hypothesis, estimate),
    )


def _moment(as_of: str, moment: str) -> str:
    """Return the moment asked for, as ISO 8601 in UTC; for the number of an entry ``moment``, when it was made."""
    text = as_of.strip()
    if text.isdecimal() and len(text) < 8:
        return moment
    time = datetime.fromisoformat(text)
    if len(text) <= 10:
        time += timedelta(days=1, milliseconds=-1)
    time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    return time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _mind_the_judge(proposals: Sequence[Proposal], *, blind: bool) -> tuple[str, ...]:
    """Return what a reader should know of the verdicts: one-sided ones, and passages that speak to the judge.

    Where rating is ``blind`` only the latter, which tells no verdict.
    """
    names = {proposal.quote.document: proposal.name for proposal in proposals}
    imbalances = label_imbalance.find([(proposal.quote.document, proposal.verdict.label) for proposal in proposals])
    remarks = [] if blind else [imbalance.sentence(names.get(imbalance.document, "")) for imbalance in imbalances]
    places: dict[str, list[str]] = {}
    for proposal in proposals:
        if prompt_injection.SAID in proposal.explanation:
            pages = places.setdefault(proposal.name, [])
            if str(proposal.quote.page) not in pages:
                pages.append(str(proposal.quote.page))
    if places:
        where = "; ".join(f"{name}, page {', '.join(pages)}" for name, pages in places.items())
        remarks.append(
            "Some passages that were judged contain text addressed to a reader or a model, such as an instruction "
            f"({where}): their verdicts may be what that text asks for."
        )
    return tuple(remarks)


def _ruling(record: ConflictRecord) -> Ruling:
    """Make the line of the report on a conflict that a person resolved."""
    positions = record.conflict.positions
    words = STATUSES[record.status]
    if record.status == "held":
        words = f"position {record.position} is right: “{positions[record.position - 1].text}”"
    texts = [
        (" ".join(source.quote.text.split()), f"position {number}: {source.name}, page {source.quote.page}")
        for number, position in enumerate(positions, start=1)
        for source in position.sources
        if not source.is_copy
    ]
    subject = record.conflict.subject.replace("___", "…")
    return Ruling(record.id, subject, tuple(texts), words, record.note, record.by, record.at)


def _exam_summary(result: exam.Result) -> reports.ExamSummary:
    f1 = {row.label: row.f1 for row in result.classes}
    return reports.ExamSummary(
        pairs=result.accuracy.n,
        right=(result.accuracy.value, result.accuracy.low, result.accuracy.high),
        macro_f1=(result.macro_f1.value, result.macro_f1.low, result.macro_f1.high),
        f1=(f1["supports"], f1["contradicts"], f1["neutral"]),
        calibration_error=result.calibration_error,
        injected=None
        if result.injected is None
        else (result.injected.success.value, result.injected.success.low, result.injected.success.high),
        halves=tuple(
            reports.ExamHalf(
                name=half.name,
                pairs=half.accuracy.n,
                right=(half.accuracy.value, half.accuracy.low, half.accuracy.high),
                macro_f1=(half.macro_f1.value, half.macro_f1.low, half.macro_f1.high),
                chance=half.chance,
                beats_chance=half.beats_chance,
            )
            for half in result.halves
        ),
    )
