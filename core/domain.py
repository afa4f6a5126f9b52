"""The nouns of the product. Frozen values, no behaviour beyond reading them.

Offsets are counted in Unicode code points into the text of one page; ``end`` is exclusive. Similarities and
probabilities lie in 0..1. Times are ISO 8601 in UTC. Ids ('D1', 'H1', 'P1', 'E1') are unique in a case, never reused.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Literal, NamedTuple, get_args

from core.report_settings import ReportSettings
from core.titles import Titled
from core.words import HIDDEN as HIDDEN
from core.words import MARKS as MARKS
from core.words import NO_WORDS
from core.words import WORD_BYTES as WORD_BYTES
from core.words import Section as Section
from core.words import Table as Table
from core.words import Word as Word
from core.words import Words as Words

Label = Literal["supports", "contradicts", "neutral", "ambiguous"]
Rating = Literal["CC", "C", "N", "I", "II", "NA"]
Level = Literal["L", "M", "H"]
ShowMode = Literal["strict", "exploratory", "audit"]  # how sure what is shown has to be
LABELS: tuple[Label, ...] = get_args(Label)
RATINGS: tuple[Rating, ...] = get_args(Rating)
# What people call the halves of the exam: passages that say outright that a hypothesis is so or not, and others.
HALF_WORDS: dict[str, str] = {"statements": "direct statements", "clues": "indirect evidence"}
# The modes with the name a person reads.
SHOW_NAMES: dict[ShowMode, str] = {
    "exploratory": "Normal",
    "strict": "High confidence only",
    "audit": "Everything",
}

# The scoring rules by their names in JSON, the default first, with the name a person reads.
RULES: dict[str, str] = {
    "weighted_inconsistency": "weighted inconsistency",
    "inconsistency_count": "inconsistency count",
    "open_synthesis": "squared inconsistency",
    "arkham_count": "count of cells against",
    "bayes": "Bayes",
}
DEFAULT_RULE = "weighted_inconsistency"


class LeftOut(NamedTuple):
    """A kind of part of a file that is on none of its pages and is no document of its own.

    ``what`` names the kind in the singular ('chart', 'calendar part', 'record of type application/json'), ``count``
    how many there are, ``where`` the place in the file ('sheet Costs', 'word/charts', 'message 3').
    """

    what: str
    count: int  # type: ignore[assignment]  # a tuple counts its items by a method of that name
    where: str


UNSHOWN_HEADER = "header that is not shown"  # the kind of the headers of a mail that only its transport needs
LAYER = "text layer of a scan, not checked"  # what is said wherever words of source 'layer' are shown
OF_THE_FILE = ("embedded", "layer")
LAYER_READING = "text of the file"  # names, among the readings of a page, what was there before its picture was read
STAMP = 1.0  # confidence of text of the file that is right, and no more than a stamp on a scan


@dataclass(frozen=True, slots=True)
class PageText:
    """The contents of one page as read, before they are kept. ``number`` counts from 1 as a person would.

    ``source`` is 'embedded' (text of the file), 'layer' (the same, but words of it are laid invisibly over a picture,
    and nobody compared them with it), 'ocr', or 'none' (an image without text). ``hidden_spans`` are what of ``text``
    a person looking at the page would not see: it is kept and shown, but not searched or judged;
    ``hidden_why`` has a key of HIDDEN for each. ``sections`` begin on this page. ``language`` is ISO 639-1, '' where
    the page is too short to tell. ``picture`` is the share of the page under pictures (0..1). ``confidence`` is that of
    what read a picture; text of the file has one where it is no text as far as one can tell, and is to be read again,
    and STAMP where the rest of the page is a picture of writing.
    ``struck_spans`` are struck through on the page: visible and searched, but marked wherever they are quoted.
    ``tables`` are the tables on the page, in order of place.
    """

    number: int
    text: str
    words: Words = NO_WORDS
    width: float = 0.0
    height: float = 0.0
    source: str = "embedded"
    confidence: float | None = None
    label: str = ""
    hidden_spans: tuple[tuple[int, int], ...] = ()
    hidden_why: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    language: str = ""
    picture: float = 0.0
    struck_spans: tuple[tuple[int, int], ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """An OCR engine's reading of the picture of a page, unchanged.

    ``confidences`` (0..1), ``alternatives`` and ``others`` (what another engine read there, '' where both agree) have
    one entry for each of ``words``.
    """

    engine: str
    text: str
    words: Words
    confidences: tuple[float, ...]
    alternatives: tuple[tuple[str, ...], ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OcrDecision:
    """A person's decision on one word that OCR read.

    ``word`` counts the words of the reading that made the page's text, ``action`` is 'accepted', 'corrected' (it is
    ``text``) or 'illegible'.
    """

    page_id: int
    word: int
    action: str
    text: str
    by: str
    at: str


ANALYST = "analyst"  # the place of what a person says of a document


class Attribution(NamedTuple):
    """The place where a field of a document was read, as 'line 2' or 'mail header', and how sure it is: H, M or L."""

    field: str
    where: str
    certainty: Level


@dataclass(frozen=True, slots=True)
class Document:
    """A document of the case.

    ``status`` is 'reading', 'ready', 'needs_ocr' (no page has text), 'failed' (its file is kept, ``reason`` and
    ``remedy`` say why it has no pages) or 'removed' (kept, but neither listed nor searched). ``title``, ``author``,
    ``publisher``, ``place``, ``date``, ``address`` and ``language`` (ISO 639-1) are what the file says or its text
    shows, ``attributions`` where (a language that a person set has
    ANALYST there); ``tags``, ``origin`` (where it comes from), ``reliability`` (A-F) and
    ``information`` (1-6), ``dated``, ``note``, ``own_title``, ``own_author`` and ``own_place`` are the analyst's.
    What both say is in core.documents.descriptions. ``parent`` is the document that it was found in.
    """

    id: str
    name: str
    sha256: str
    kind: str
    size: int
    pages: int
    chunks: int
    status: str
    imported_at: str
    title: str = ""
    author: str = ""
    date: str = ""
    address: str = ""
    reader: str = ""
    pages_without_text: int = 0
    included: bool = True
    superseded_by: str = ""  # a newer version of it in this case
    language: str = ""
    parent: str = ""
    reason: str = ""
    remedy: str = ""
    tags: tuple[str, ...] = ()
    origin: str = ""
    reliability: str = ""
    information: str = ""
    dated: str = ""
    note: str = ""
    publisher: str = ""
    place: str = ""
    own_title: str = ""
    own_author: str = ""
    own_place: str = ""
    attributions: tuple[Attribution, ...] = ()
    folder: str = ""  # where it was within the folder that was added, that one's name first
    left_out: tuple[LeftOut, ...] = ()  # what of its file no page holds and no other document is
    file_date: str = ""  # the day on which the file itself was made


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """The likeness of one document to an earlier one.

    ``measure`` is 'near' (share of all stretches of words that both have) or 'contained' (share of the shorter one's
    stretches that the longer one has); ``score`` lies in 0..1.
    """

    document: str
    of: str
    measure: str
    score: float


@dataclass(frozen=True, slots=True)
class Page:
    """A stored page. ``id`` is the case's own number for it, ``number`` the page number in the document."""

    id: int
    document: str
    number: int
    text: str
    sha256: str
    width: float
    height: float
    source: str
    confidence: float | None
    label: str
    hidden_spans: tuple[tuple[int, int], ...]
    fingerprint: str
    hidden_why: tuple[str, ...] = ()
    struck_spans: tuple[tuple[int, int], ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a page's text that is worth searching on its own."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk(Titled):
    """A stored span: passage ``id`` of page ``page`` of ``document``."""

    id: int
    page_id: int
    document: str
    name: str
    page: int
    start: int
    end: int
    text: str
    source: str = "embedded"  # of its page
    title: str = ""  # of its document
    with_headings: str = ""  # its text with the headings of table columns beside their values, where it lacks them

    @property
    def search_text(self) -> str:
        """The text that it is searched by."""
        return self.with_headings or self.text


@dataclass(frozen=True, slots=True)
class Passage(Titled):
    """A chunk that answers a query.

    A rank is None if that leg did not find it; ``similarity`` is the cosine, which says how near the passage is only
    where it is ``trusted``: for a measured model, in a language that it knows.
    """

    rank: int
    chunk: int
    page_id: int
    document: str
    name: str
    page: int
    start: int
    end: int
    text: str
    score: float
    vector_rank: int | None
    lexical_rank: int | None
    similarity: float | None
    confidence: Literal["high", "medium", "low"]
    trusted: bool = True
    source: str = "embedded"  # of its page
    title: str = ""  # of its document
    holds_query: bool = False  # word for word, a query of several telling words
    with_headings: str = ""  # as that of its chunk
    foreign: bool = False  # in another language than the query: its similarity alone makes its confidence

    @property
    def search_text(self) -> str:
        """The text that it is searched by."""
        return self.with_headings or self.text


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """``kind`` is '', 'null' or 'deception'; ``prior`` is the probability before any evidence, None: not given."""

    id: str
    text: str
    note: str = ""
    kind: str = ""
    prior: float | None = None


@dataclass(frozen=True, slots=True)
class Probabilities:
    """The judge's answer on one passage and one hypothesis; the three sum to 1."""

    supports: float
    contradicts: float
    neutral: float


@dataclass(frozen=True, slots=True)
class Bearing:
    """How a passage bears on a sentence that is to rest on it: five probabilities that sum to 1.

    ``absent``: the passage does not speak of what the sentence says. ``faults`` are the (start, end) of the words of
    the sentence that the passage does not bear out.
    """

    supported: float
    contradicted: float
    differs: float
    overstated: float
    absent: float
    faults: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """How a passage answers a question: the probability that it does, and which words of it would.

    ``words``: start, end and the probability to belong to the answer, of each token of the passage.
    """

    chance: float
    words: tuple[tuple[int, int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """Probabilities with the label they amount to and the model (fingerprint) that gave them."""

    label: Label
    probabilities: Probabilities
    model: str


SECOND_READER, EARLIER = "second reader", "earlier"


@dataclass(frozen=True, slots=True)
class OtherVerdict:
    """The verdict of another model than that of a proposal's own on its passage.

    A SECOND_READER, or the judge that was in use EARLIER.
    """

    proposal: str
    role: str
    verdict: Verdict
    explanation: str
    at: str


@dataclass(frozen=True, slots=True)
class QuotePart:
    """A further stretch of a quote that goes on over a page break: text == the text of that page[start:end]."""

    page_id: int
    page: int
    start: int
    end: int
    text: str
    page_sha256: str


@dataclass(frozen=True, slots=True)
class Quote:
    """A proven quote: page.text[start:end] == text. Built by ``core.evidence.quotes`` and nowhere else.

    ``more`` are its further stretches, on the pages that follow; each is proven by itself.
    """

    document: str
    page_id: int
    page: int
    start: int
    end: int
    text: str
    page_sha256: str
    more: tuple[QuotePart, ...] = ()


@dataclass(frozen=True, slots=True)
class Citation:
    """The place of a quote, as a person cites it.

    ``place`` is 'pp. iv–v (5–6), section 2.1 Timeline', without the name of the document; ``label`` what its first page
    is called in print, ``section`` the path of titles it lies in.
    """

    place: str
    label: str = ""
    section: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()  # of a quote over page breaks, for each: what is between its stretches
    source: str = "embedded"  # of its page; of several, that of the least sure: 'layer', then 'ocr'
    frame: str = ""  # what its sentence says around it that changes what it says: 'Aske said that'


@dataclass(frozen=True, slots=True)
class Proposal(Titled):
    """A quote the program suggests for a hypothesis. ``status`` is 'pending', 'accepted' or 'rejected'."""

    id: str
    hypothesis: str
    chunk: int
    quote: Quote
    name: str
    verdict: Verdict
    similarity: float | None
    vector_rank: int | None
    lexical_rank: int | None
    explanation: str
    status: str = "pending"
    possible_duplicate: str | None = None
    blind: bool = False  # the person is not to see the verdict yet
    others: tuple[OtherVerdict, ...] = ()  # of other models, in the order in which they were given
    withheld: bool = False  # only sure verdicts are to be shown, and this one is not sure enough
    doubtful: bool = False  # it is shown, but only sure verdicts are to suggest ratings, and this one is not
    outdated: bool = False  # its passage or its hypothesis has other words than those that were judged
    unmeasured_language: str = ""  # 'German': of its passage or hypothesis; the judge was not measured in it
    source: str = "embedded"  # of its pages, as in Citation
    title: str = ""  # of its document

    @property
    def shown_label(self) -> Label:
        """The label that a count may tell: none but 'ambiguous' of a verdict that is not shown, or is disputed."""
        is_hidden = self.withheld or self.outdated or self.unmeasured_language
        return "ambiguous" if is_hidden or self.disputed else self.verdict.label

    @property
    def is_hidden(self) -> bool:
        """Return whether the verdict is not to be seen: blind rating, not sure enough, other words, other language."""
        return self.blind or self.withheld or self.outdated or bool(self.unmeasured_language)

    @property
    def hidden_reason(self) -> str:
        """Why the verdict is not to be seen: 'blind', 'outdated', 'language' or 'withheld'; '' where it is."""
        if self.blind:
            return "blind"
        if self.outdated:
            return "outdated"
        if self.unmeasured_language:
            return "language"
        return "withheld" if self.withheld else ""

    @property
    def disputed(self) -> bool:
        """Return whether a second reader came to another label."""
        return any(label != self.verdict.label for label in self._second_labels)

    @property
    def agreed(self) -> bool:
        """Return whether second readers came to the label of the verdict, which is not 'ambiguous'."""
        labels = self._second_labels
        return bool(labels) and self.verdict.label != "ambiguous" and not self.disputed

    @property
    def _second_labels(self) -> list[Label]:
        return [reading.verdict.label for reading in self.others if reading.role == SECOND_READER]


@dataclass(frozen=True, slots=True)
class Absence:
    """A thing expected under ``hypothesis``, searched with ``queries`` at ``at``, and not found.

    ``passages`` were looked at in ``documents``; ``found`` counts those that the analyst kept nevertheless. The rest
    counts what the searches could not reach: pages without text, documents that were ``unread`` (failed, still being
    read, or not yet imported), ``out_of_scope``, or in a ``foreign`` language, where the words of the queries find
    nothing, and passages that were ``unindexed`` for search by meaning.
    """

    hypothesis: str
    queries: tuple[str, ...]
    at: str
    documents: int = 0
    passages: int = 0
    found: int = 0
    pages_without_text: int = 0
    unread: int = 0
    out_of_scope: int = 0
    foreign: int = 0
    unindexed: int = 0

    @property
    def gaps(self) -> str:
        """Word what searches could not reach: '2 pages without text, 1 document out of scope'; '' for nothing."""
        rows = (
            (self.pages_without_text, "page", "without text"),
            (self.unread, "document", "not read"),
            (self.out_of_scope, "document", "out of scope"),
            (self.foreign, "document", "in another language"),
            (self.unindexed, "passage", "not indexed by meaning"),
        )
        return ", ".join(f"{number:,} {noun}{'s' * (number != 1)} {words}" for number, noun, words in rows if number)


@dataclass(frozen=True, slots=True)
class Evidence:
    """A row of the matrix. ``method`` is 'manual' or 'corpus'; a corpus row has its quote, a manual one may not.

    ``kind`` is 'observation', 'assumption', 'absence' (then ``absence`` tells the search) or 'withdrawn' (its document
    was erased: its ratings stay and do not count). ``reliability`` of the
    source (A-F) and credibility of the ``information`` (1-6) are Admiralty grades, '' where not given; F and 6 say that
    it cannot be judged. Rows of one ``upstream`` count once. ``date`` is ISO 8601, whole or in part.
    """

    id: str
    text: str
    source: str
    method: Literal["manual", "corpus"]
    credibility: Level | None
    relevance: Level | None
    document: str | None = None
    page_id: int | None = None
    page: int | None = None
    start: int | None = None
    end: int | None = None
    quote: str | None = None
    similarity: float | None = None
    proposal: str | None = None
    created_by: str = ""
    created_at: str = ""
    kind: str = "observation"
    date: str = ""
    reliability: str = ""
    information: str = ""
    upstream: str = ""
    note: str = ""
    absence: Absence | None = None
    more: tuple[QuotePart, ...] = ()  # a quote over a page break goes on here; ``quote`` is its first stretch


@dataclass(frozen=True, slots=True)
class Assessment:
    """A person's rating of one piece of evidence against one hypothesis; one for each person and cell.

    ``confidence`` is '', 'low', 'medium' or 'high': how sure the person is of the rating, never how likely anything is.
    """

    evidence: str
    hypothesis: str
    rating: Rating
    by: str
    at: str
    note: str = ""
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, organisation, place or thing that the case is about, with the other names it goes by.

    ``status`` is 'confirmed' or 'rejected' (found by the program, and not one).
    """

    id: str
    name: str
    kind: str = ""
    aliases: tuple[str, ...] = ()
    status: str = "confirmed"
    note: str = ""
    by: str = ""
    at: str = ""


# What a query of a hypothesis's search plan stands for; each hypothesis gets the same number of searches of each.
ROLES: dict[str, str] = {
    "statement": "the hypothesis itself",
    "negation": "its opposite",
    "if true": "what one would see if it were true",
    "if false": "what one would see if it were false",
    "names": "names and their aliases",
    "keywords": "key words",
    "for": "a passage that would speak for it",
    "against": "a passage that would speak against it",
}


@dataclass(frozen=True, slots=True)
class PlanQuery:
    """One search for a hypothesis. ``role`` is a key of ROLES; ``origin`` is 'analyst', 'template' or a model."""

    id: str
    hypothesis: str
    role: str
    text: str
    origin: str = "template"
    by: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """One search for a hypothesis: passages, how many of them are new to it, and how many the judge took which way."""

    at: str
    hypothesis: str
    role: str
    query: str
    passages: int
    fresh: int
    supports: int = 0
    contradicts: int = 0


@dataclass(frozen=True, slots=True)
class Relevance:
    """A person's word on whether a passage bears on a hypothesis: for the estimate of what was missed."""

    hypothesis: str
    chunk: int
    relevant: bool
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Likelihood:
    """The likelihood (0..1) of one hypothesis as a person states it, for it alone: the sum may be off."""

    hypothesis: str
    by: str
    value: float
    at: str


@dataclass(frozen=True, slots=True)
class Consideration:
    """Something to keep in mind beside the matrix.

    ``kind`` is 'assumption' (a key assumption), 'premortem' (why the conclusion may be wrong), 'indicator' (a
    milestone: ``query`` is a saved search, ``seen`` the number of the last document that was looked at) or 'conflict'
    (what a merge could not settle). ``status`` is 'open' or 'done'.
    """

    id: str
    kind: str
    text: str
    hypothesis: str = ""
    query: str = ""
    seen: int = 0
    status: str = "open"
    by: str = ""
    at: str = ""


# Factor of each Admiralty grade in the weight of F2. Between PARC's Low (1/sqrt 2) and High (sqrt 2) in equal steps;
# F and 6 say that nothing can be judged, so they are missing here and count as not graded, never as worst.
GRADE_WEIGHTS: dict[str, float] = {
    grade: round(2.0 ** (0.5 - 0.25 * step), 3) for grades in ("ABCDE", "12345") for step, grade in enumerate(grades)
}


@dataclass(frozen=True, slots=True)
class CaseSettings:
    """Settings that belong to the case and are decided like everything else in it.

    ``blind`` hides the model's and colleagues' ratings of a cell until one's own is given. ``show`` says what becomes
    of those verdicts of a model that are not sure, of a class and a probability at which nine in ten were right when it
    was measured: they are hidden in 'strict', marked and without a suggestion in 'audit', like others in 'exploratory'.
    ``grade_weights`` maps the Admiralty grades A-E and 1-5 to factors. ``ocr_languages`` are those that scans are read
    in, by three letters; (): each document in its own. ``exclusive`` are the hypotheses of which at most one can be
    true, ('all',) all that there are. ``report`` is what people decided about its report.
    """

    blind: bool = False
    show: ShowMode = "exploratory"
    grade_weights: dict[str, float] = field(default_factory=lambda: dict(GRADE_WEIGHTS))
    ocr_languages: tuple[str, ...] = ()
    exclusive: tuple[str, ...] = ()
    report: ReportSettings = field(default_factory=ReportSettings)

    @property
    def strict(self) -> bool:
        """Return whether verdicts that are not sure are hidden."""
        return self.show == "strict"


@dataclass(frozen=True, slots=True)
class State:
    """The decisions up to entry ``seq`` of the log, written ``at``. Deterministic from the log alone."""

    seq: int
    at: str
    title: str
    documents: tuple[Document, ...]
    hypotheses: tuple[Hypothesis, ...]
    evidence: tuple[Evidence, ...]
    assessments: tuple[Assessment, ...]
    suggestions: tuple[Suggestion, ...]
    considerations: tuple[Consideration, ...]
    likelihoods: tuple[Likelihood, ...]
    settings: CaseSettings


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A model's rating of one cell. It never counts in a score until a person confirms it."""

    evidence: str
    hypothesis: str
    rating: Rating
    model: str
    probabilities: Probabilities
    at: str


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One decision. ``hash`` covers everything else here, ``previous`` the entry before it."""

    seq: int
    at: str
    who: str
    verb: str
    before: str
    after: str
    version: str
    undoes: int | None
    previous: str
    hash: str


@dataclass(frozen=True, slots=True)
class Changes:
    """The parts that a verb changed, so that a client knows what to show again."""

    documents: bool = False
    hypotheses: bool = False
    proposals: bool = False
    evidence: bool = False
    matrix: bool = False
    results: bool = False

    def __or__(self, other: Changes) -> Changes:
        return Changes(*(getattr(self, f.name) or getattr(other, f.name) for f in fields(self)))

    def __and__(self, other: Changes) -> bool:
        """Return whether any part is named by both."""
        return any(getattr(self, f.name) and getattr(other, f.name) for f in fields(self))


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A piece of evidence as scored.

    ``ratings`` holds only rated cells; ``diagnosticity`` is the population standard deviation over rated cells without
    NA, None when fewer than two remain. ``share`` is what counts of a row of a ``cluster`` (rows from one upstream,
    named by its first row; '' when it is alone): 1 / the number of its rows that bear on something.
    """

    id: str
    ratings: dict[str, Rating]
    weight: float = 1.0
    diagnosticity: float | None = None
    spread: float | None = None
    flags: tuple[str, ...] = ()
    cluster: str = ""
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Linchpin:
    """A change that changes the leaders under the default rule.

    ``change`` is 'one_step' or 'flip' (one cell, from ``before`` to ``after``), 'remove' (a row), 'pair' (two rows,
    none of which does it alone), 'source' (all rows of one source), 'deception' (all rows of one source turned to their
    opposite), 'grade' (all rows graded worse than ``label``) or 'drop_hypothesis'. ``rows`` are the rows it touches,
    ``evidence`` the first of them ('' for a dropped hypothesis); ``leaders`` is the new group, ``size`` the penalty
    that the change moves, ``sentence`` the same in words, ``label`` the source or grade it names.
    """

    change: str
    evidence: str
    leaders: tuple[str, ...]
    hypothesis: str | None = None
    before: Rating | None = None
    after: Rating | None = None
    size: float = 0.0
    sentence: str = ""
    rows: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """An unrated cell whose rating could separate hypotheses that are tied at the top."""

    evidence: str
    hypothesis: str
    could_lead: tuple[str, ...]  # who would then lead: one, or fewer than are tied now


@dataclass(frozen=True, slots=True)
class Comparison:
    """The rows that all hypotheses are rated on, without which none of them leads.

    ``state`` is 'complete', 'incomplete' (cells are ``missing``) or 'none' (there is nothing to compare); ``sentence``
    says why nothing leads, '' when complete. ``rated`` counts the rows rated against each hypothesis, NA included, of
    ``rows`` in all; ``common`` counts those rated against every one. ``missing`` are the open cells (evidence,
    hypothesis) of rows that are rated against some hypotheses only. ``provisional`` has, only while cells are missing,
    the ranks of the hypotheses that are rated at all, on the ``provisional_rows`` rows rated against all of these.
    """

    state: Literal["complete", "incomplete", "none"] = "complete"
    sentence: str = ""
    rated: dict[str, int] = field(default_factory=dict)
    rows: int = 0
    common: int = 0
    missing: tuple[tuple[str, str], ...] = ()
    provisional: dict[str, int] = field(default_factory=dict)
    provisional_rows: int = 0


@dataclass(frozen=True, slots=True)
class Matrix:
    """Everything computed from the ratings; never stored. Keys of the outer dicts are rule names.

    Unless the ``comparison`` is complete there are neither ``ranks`` nor ``leaders`` nor ``linchpins`` under any rule.
    ``order`` is the order of display: by rank under the default rule, ties ordered but not broken. ``untested`` are the
    hypotheses on which nothing bears yet: they are last and cannot lead. ``linchpins`` lists the smallest changes
    first, at most a few hundred; ``linchpin_counts`` has how many there are of each change. ``overlaps`` are groups of
    hypotheses rated alike everywhere, ``unattacked`` those with nothing against them, ``gaps`` the unrated cells that
    could separate tied leaders. ``one_source`` has the hypotheses of whom everything rated, two rows or more, comes
    from one source. ``priors`` sum to 1; empty where all are alike. ``caveats`` hold of the whole case, whatever was
    rated; the ``warnings`` begin with them.
    """

    hypotheses: tuple[str, ...]
    rows: tuple[MatrixRow, ...]
    scores: dict[str, dict[str, float]]
    ranks: dict[str, dict[str, int]]
    leaders: dict[str, tuple[str, ...]]
    linchpins: tuple[Linchpin, ...] = ()
    warnings: tuple[str, ...] = ()
    unrated: int = 0
    rules_agree: bool = True
    order: tuple[str, ...] = field(default=())
    untested: tuple[str, ...] = ()
    linchpin_counts: dict[str, int] = field(default_factory=dict)
    clusters: tuple[tuple[str, ...], ...] = ()
    overlaps: tuple[tuple[str, ...], ...] = ()
    unattacked: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    one_source: dict[str, str] = field(default_factory=dict)
    priors: dict[str, float] = field(default_factory=dict)
    comparison: Comparison = field(default_factory=Comparison)
    caveats: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dispute:
    """The disagreement of several people on one cell (F7).

    ``level`` is 'consensus', 'mild', 'large' or 'extreme', ``deviation`` the population standard deviation of II -2, I
    -1.5, N 0, C 1.5, CC 2 over those who did not say NA; ``bearing`` is False where some say NA and others do not.
    ``rating`` is the group's cell.
    """

    evidence: str
    hypothesis: str
    ratings: dict[str, Rating]  # by person
    rating: Rating
    level: str
    deviation: float
    bearing: bool = True


@dataclass(frozen=True, slots=True)
class Opinion:
    """One person's probabilities.

    ``stated`` as given (None: never stated), ``read`` as their ratings give them by the Bayes reading, ``coherent`` the
    nearest probabilities that sum to 1 (F21). ``rated`` counts the cells they rated; unless their ``comparison`` is
    complete, nothing leads for them.
    """

    by: str
    read: dict[str, float]
    coherent: dict[str, float]
    stated: dict[str, float] | None = None
    leaders: tuple[str, ...] = ()
    rated: int = 0
    comparison: Comparison = field(default_factory=Comparison)


@dataclass(frozen=True, slots=True)
class Group:
    """Several analysts side by side: everyone, the plain ``mean`` of what they said, and the coherent ``aggregate``."""

    opinions: tuple[Opinion, ...]
    disputes: tuple[Dispute, ...]  # every cell with two raters or more, most disputed first
    mean: dict[str, float]
    aggregate: dict[str, float]


@dataclass(frozen=True, slots=True)
class Move:
    """One thing that differs between two moments and what it does to the ranking.

    ``kind`` is 'rating', 'evidence', 'hypothesis', 'grade', 'setting' ...; ``moved`` says whether taking back this
    alone would change the leaders or the order at the later moment, ``sentence`` the same in words.
    """

    kind: str
    evidence: str
    hypothesis: str
    before: str
    after: str
    by: str
    at: str
    moved: bool
    sentence: str
