"""The engines the product needs, as the core sees them.

Every implementation, the fakes included, passes the same contract tests (``tests/contracts.py``). An engine's
``fingerprint`` names what made a result: library, version, weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from core.domain import Attribution, Bearing, LeftOut, Level, PageText, Probabilities, Rating, Reply, Words
from core.errors import Problem


@dataclass(frozen=True, slots=True)
class Outline:
    """A file's word about itself, and how many pages follow (0: not known before reading).

    ``date`` is that of what the file says, ``file_date`` the day on which the file itself was made. ``attributions``
    say where each of it was read; a reader leaves them to core.documents.descriptions.
    """

    kind: str
    pages: int
    title: str = ""
    author: str = ""
    date: str = ""
    address: str = ""
    publisher: str = ""
    place: str = ""
    attributions: tuple[Attribution, ...] = ()
    file_date: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file: attached to a mail, or packed into an archive. It becomes a document of its own.

    ``reason`` and ``remedy`` are given, and ``data`` is empty, where it could not be taken out.
    """

    name: str
    data: bytes
    reason: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A rendered page: PNG bytes, size in pixels, and the scale from points to pixels."""

    png: bytes
    width: int
    height: int
    scale: float


@dataclass(frozen=True, slots=True)
class FileHypothesis:
    """A column of a matrix made elsewhere."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class FileCell:
    """A cell of a matrix made elsewhere; ``rating`` None: unrated. ``confidence`` as in core.domain.Assessment."""

    rating: Rating | None = None
    note: str = ""
    confidence: str = ""


@dataclass(frozen=True, slots=True)
class FileRow:
    """A row of a matrix made elsewhere: one cell a hypothesis, in their order; the rest as in core.domain.Evidence."""

    text: str
    cells: tuple[FileCell, ...]
    source: str = ""
    date: str = ""
    credibility: Level | None = None
    relevance: Level | None = None
    reliability: str = ""
    information: str = ""
    note: str = ""
    kind: str = "observation"


@dataclass(frozen=True, slots=True)
class MatrixFile:
    """A matrix made elsewhere, whole. ``format`` names what wrote it.

    ``problems`` are places where the file says something that could not be taken as it is, ``left_out`` the parts
    of it that a case has no place for, or that are computed again: a sentence each.
    """

    title: str
    format: str
    hypotheses: tuple[FileHypothesis, ...]
    rows: tuple[FileRow, ...]
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()


class Reader(Protocol):
    """A reader of any supported file; never returns half a document.

    Raises UnreadableDocument with cause and remedy.
    """

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def read(
        self, data: bytes, name: str, *, password: str = "", note_marks: bool = False
    ) -> Iterator[Outline | PageText | Attachment | LeftOut]:
        """Yield the Outline, then the pages in order, then what the file holds. ``name`` only helps to tell the type.

        What is inside is handed out as it is, unread; what cannot be taken out is named with the reason. Every part of
        the file is text of a page, an Attachment, or counted in a LeftOut, which may stand anywhere. With
        ``note_marks`` footnotes and endnotes are marked where they are referred to, as in '[^1]'. Raises PasswordNeeded
        for a file that ``password`` does not open.
        """
        ...

    def render(
        self,
        data: bytes,
        name: str,
        page: int,
        *,
        scale: float,
        password: str = "",
        clip: tuple[float, float, float, float] | None = None,
    ) -> Picture:
        """Draw page ``page`` (from 1) as a picture; 1.0 is 72 dots an inch. The pixel count is capped.

        ``clip`` (x0, y0, x1, y1 in points, as shown) asks for that part of it alone, at a scale that the whole page
        would be too large for.
        """
        ...

    def crop(
        self,
        data: bytes,
        name: str,
        page: int,
        boxes: Sequence[tuple[float, float, float, float]],
        *,
        scale: float,
        password: str = "",
    ) -> Picture:
        """Draw the part of a page around ``boxes`` (x0, y0, x1, y1 in points, as shown), each with a line around it.

        As wide as the page. Nothing but the lines is changed; what does not fit under the pixel cap gets smaller.
        """
        ...

    def read_matrix(self, data: bytes, name: str, *, choose: str = "") -> MatrixFile:
        """Read a matrix that another program made; ``choose`` names one where the file holds several.

        Raises BadInput with cause and remedy for anything else, SeveralMatrices where one must be chosen: a matrix is
        whole or there is none.
        """
        ...


class Embedder(Protocol):
    """A model that turns text into vectors of unit length."""

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    @property
    def dimensions(self) -> int:
        """Return how many numbers a vector has."""
        ...

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a text: ``dimensions`` float32, little endian, unit length.

        Text beyond the window is cut off. The same text gives the same vector whatever else is in the batch.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Do the same for what is looked for: some models want it to begin in another way than what is searched."""
        ...

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """Count the pieces of its vocabulary that each text makes, however long it is.

        The more pieces a word, the less the model knows the language.
        """
        ...

    def token_matches(self, query: str, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return for each text how well each token of ``query`` is met in it: the best cosine among its tokens.

        One number a token of the query that has a letter or a digit, in their order, rounded to six places; the same
        tokens for every text. The same query and text give the same numbers whatever else is asked.
        """
        ...


class Reranker(Protocol):
    """A model that says how well passages answer a query, more closely than a vector can."""

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return one number a passage, higher is better. It depends on nothing but the query and that passage."""
        ...


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name of somebody or something, text[start:end].

    ``kind`` is 'person', 'organisation', 'place', 'thing' or what the model itself calls it.
    """

    start: int
    end: int
    kind: str


class NameFinder(Protocol):
    """A finder of names in texts, by what is around them. What it finds is suggested, and never kept by itself."""

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def find(self, texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
        """Find the names in each text, in order of place; none is empty, begins or ends with a blank, or overlaps.

        However long a text is; what is found in it depends on nothing but that text.
        """
        ...


class Judge(Protocol):
    """A model that says how a passage bears on hypotheses. No free text is generated."""

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        """Return one result a hypothesis, in order. It depends on nothing but the passage and these hypotheses.

        A judge may read the hypotheses of one call beside each other, as rivals.
        """
        ...


class StatementReader(Protocol):
    """A model that reads a statement beside a passage. It proposes; what it proposes is held to the text."""

    @property
    def fingerprint(self) -> str:
        """The weights that make the results."""
        ...

    def bearing(self, passage: str, sentence: str) -> Bearing:
        """Read a sentence against the passage that is to bear it out. Raises BadInput for what is too long."""
        ...

    def reply(self, passage: str, question: str) -> Reply:
        """Read a passage for what answers a question. Raises BadInput for what is too long."""
        ...


class TextModel(Protocol):
    """A model that words a short text: a passage as it might be in a document, a hypothesis.

    A draft, and never evidence.
    """

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def write(self, order: str, material: str = "", *, most: int = 160) -> str:
        """Answer ``order``, which is ours, about ``material``, which may be anybody's, in ``most`` tokens at most.

        The same input gives the same text. Raises BadInput for what is empty or too long.
        """
        ...


class Writer(Protocol):
    """A library that sets a report in a form of its own. What is said is decided before."""

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def write(self, form: str, report: bytes, pictures: Mapping[str, bytes]) -> bytes:
        """Set a report: ``form`` is 'pdf', 'docx' or 'xlsx', ``report`` the JSON of core.report for it.

        ``pictures`` are PNG by evidence. 'comments' puts those of core.audit.forms into a text document: the one that
        ``pictures`` has as 'original', or a new one. The same input gives the same bytes. Raises
        BadInput for what cannot be set.
        """
        ...


# What ``OcrWord.other`` says where a second engine looked and saw nothing.
UNREAD = "\u2205"


@dataclass(frozen=True, slots=True)
class OcrWord:
    """A word that was read in a picture, in the box (x0, y0)-(x1, y1): points, origin top left, of the page as shown.

    ``confidence`` lies in 0..1 and is the engine's own; ``alternatives`` are its other readings, best first; ``other``
    is what a second engine read in the same place: '' where there is none or both agree, UNREAD where it saw nothing.
    """

    text: str
    confidence: float
    x0: float
    y0: float
    x1: float
    y1: float
    alternatives: tuple[str, ...] = ()
    other: str = ""


@dataclass(frozen=True, slots=True)
class OcrPage:
    """The words read in the picture of a page. The tuples have one item a word, in the order of ``words``.

    ``text`` is in reading order, a line a line, an empty line between paragraphs, one blank between words; offsets of
    ``words`` point into it. ``confidence`` is the mean over the words, weighted by length; 0 without words. ``engine``
    names what read, ``seconds`` how long it took. ``readings`` are the single readings where two engines read.
    """

    text: str
    words: Words
    confidences: tuple[float, ...]
    alternatives: tuple[tuple[str, ...], ...]
    others: tuple[str, ...]
    confidence: float
    engine: str
    seconds: float
    readings: tuple[OcrPage, ...] = ()

    def each_word(self) -> Iterator[OcrWord]:
        """Yield the words one by one."""
        rows = zip(self.words, self.confidences, self.alternatives, self.others, strict=True)
        for (start, end, x0, y0, x1, y1), confidence, alternatives, second_reading in rows:
            yield OcrWord(self.text[start:end], confidence, x0, y0, x1, y1, alternatives, second_reading)


class OcrEngine(Protocol):
    """An engine that reads the text in the picture of a page."""

    @property
    def fingerprint(self) -> str:
        """The library, version and weights that make the results."""
        ...

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        """Read a picture; ``width`` and ``height`` are those of the page in points; about 300 dots an inch read best.

        ``languages`` by their three letters ('eng', 'deu'); () for the engine to guess. The same picture gives the same
        reading (``seconds`` apart); one without text gives an empty one. Raises UnreadableDocument for what is no
        picture or takes too long, BadInput for a language that is not installed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Engines:
    """The engines of one running program. None: not on this computer; the program does everything else."""

    reader: Reader
    embedder: Embedder | None = None
    judge: Judge | None = None
    # A second reader, so that a page can be shown while another document is being read. None: ``reader`` does both.
    viewer: Reader | None = None
    writer: Writer | None = None
    ocr: OcrEngine | None = None
    # All that read documents, and scans, side by side (core.workers.pool.read_documents, read_scans); the first is
    # ``reader``, ``ocr``. Empty: that one alone.
    readers: tuple[Reader, ...] = ()
    ocrs: tuple[OcrEngine, ...] = ()
    # Bytes that a search may hold of a case's vectors; one that has more is searched in the file.
    search_memory: int = 800_000_000
    # Whether the judge must have passed its exam before its verdicts are shown, as in the program it must
    # (core.runtime.launch); engines that are put together by hand, for a test or a measurement, decide it themselves.
    examine: bool = False
    # The weights of the judge, where they are a file.
    judge_file: Path | None = None
    # A larger judge for the cells that matter. Only where the person gave a model this role; its verdicts are asked for
    # through core.verdicts.exam_results.second_reader, so that it has passed its exam.
    second_reader: Judge | None = None
    second_reader_file: Path | None = None
    # Reads sentences of a report against their sources. Always the program's own.
    statements: StatementReader | None = None
    # What words drafts for searches and hypotheses. Only where the person gave a model this role.
    text_model: TextModel | None = None
    # Puts the best passages of a search in another order. Only where the person has set a model for it.
    reranker: Reranker | None = None
    # Finds names for the suggestions. Only where the person has chosen a model for it.
    names: NameFinder | None = None
    # The embedder before the present one: searches go on with it until all passages have vectors of the present one.
    former: Embedder | None = None
