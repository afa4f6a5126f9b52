"""Small whole engines for tests. Each passes the contract of its port (tests/contracts.py), like the real ones."""

from __future__ import annotations

import hashlib
import io
import math
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence

from core.domain import RATINGS, PageText, Probabilities, Word, Words
from core.errors import BadInput, Problem, UnreadableDocument
from core.ports import Attachment, FileCell, FileHypothesis, FileRow, FoundName, MatrixFile, OcrPage, Outline, Picture

LINE = 60  # characters a line of a PlainReader page


def png(width: int, height: int, grey: int = 255) -> bytes:
    """A plain grey PNG picture."""
    rows = (b"\0" + bytes([grey]) * width) * height

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


class PlainReader:
    """Reads UTF-8 text; a form feed starts a page; every word has a box on a grid of 7 x 14 points."""

    fingerprint = "plain reader 1"

    def read(
        self, data: bytes, name: str, *, password: str = "", note_marks: bool = False
    ) -> Iterator[Outline | PageText | Attachment]:
        if name.endswith(".zip"):
            yield from self._archive(data, name)
            return
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UnreadableDocument(reason=f"{name} is not UTF-8 text.", remedy="Save it as UTF-8.") from error
        if not data:
            raise UnreadableDocument(reason=f"{name} is empty.", remedy="Add the file again when it has content.")
        pages = text.replace("\0", "\ufffd").split("\f")
        yield Outline(kind="text", pages=len(pages), title=name)
        for number, page in enumerate(pages, start=1):
            words = []
            for match in re.finditer(r"\S+", page):
                line = page.count("\n", 0, match.start())
                column = match.start() - (page.rfind("\n", 0, match.start()) + 1)
                line, column = line + column // LINE, column % LINE
                words.append(
                    Word(
                        match.start(),
                        match.end(),
                        20 + 7 * column,
                        20 + 14 * line,
                        20 + 7 * (column + len(match.group())),
                        32 + 14 * line,
                    )
                )
            source = "embedded" if page.strip() else "none"
            yield PageText(number, page, Words.of(words), 460.0, 640.0, source)

    @staticmethod
    def _archive(data: bytes, name: str) -> Iterator[Outline | PageText | Attachment]:
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
        except zipfile.BadZipFile as error:
            raise UnreadableDocument(reason=f"{name} is damaged.", remedy="Pack it again.") from error
        yield Outline(kind="zip", pages=1)
        yield PageText(1, "\n".join(["Archive", *archive.namelist()]))
        for part in archive.infolist():
            if part.filename.startswith("locked"):
                yield Attachment(part.filename, b"", f"{part.filename} is locked.", "Unlock it.")
            else:
                yield Attachment(part.filename, archive.read(part))

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
        if not 1 <= page <= data.decode("utf-8", "replace").count("\f") + 1:
            raise UnreadableDocument(reason=f"{name} has no page {page}.", remedy="Choose a page it has.")
        x0, y0, x1, y1 = clip or (0, 0, 460, 640)
        width, height = round((min(460, x1) - x0) * scale), round((min(640, y1) - y0) * scale)
        return Picture(png(width, height), width, height, scale)

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
        """A grey strip whose shade depends on where the boxes are."""
        whole = self.render(data, name, page, scale=scale)
        top, bottom = min(box[1] for box in boxes), max(box[3] for box in boxes)
        height = min(whole.height - 1, round((bottom - top + 96) * scale))
        return Picture(png(whole.width, height, int(sum(map(sum, boxes))) % 255), whole.width, height, scale)

    def read_matrix(self, data: bytes, name: str, *, choose: str = "") -> MatrixFile:
        """Lines of 'evidence,H1,H2': the first has the hypotheses, the others letters."""
        try:
            head, *lines = (line.split(",") for line in data.decode("utf-8").split("\n") if line)
        except ValueError as error:
            raise BadInput(reason=f"{name} contains no matrix.", remedy="Give a table.") from error
        if len(head) < 2 or head[0] != "evidence":
            raise BadInput(reason=f"{name} contains no matrix.", remedy="Give a table.")
        problems = []
        rows = []
        for number, (text, *values) in enumerate(lines, start=2):
            cells = []
            for column in range(len(head) - 1):
                value = values[column].strip() if column < len(values) else ""
                rating = next((letter for letter in RATINGS if letter == value), None)
                if value and rating is None:
                    problems.append(Problem(f"row {number}", f"“{value}” is not a rating.", "Rate it yourself."))
                cells.append(FileCell(rating))
            rows.append(FileRow(text, tuple(cells)))
        hypotheses = tuple(FileHypothesis(text) for text in head[1:])
        return MatrixFile(name, "plain table", hypotheses, tuple(rows), tuple(problems))


class PlainWriter:
    """Writes what it was told as it is, with the hashes of the pictures behind it."""

    fingerprint = "plain writer 1"

    def write(self, form: str, report: bytes, pictures: Mapping[str, bytes]) -> bytes:
        if form not in ("pdf", "docx", "xlsx", "comments"):
            raise BadInput(reason=f"A report cannot be exported as '{form}'.", remedy="Use pdf, docx, xlsx.")
        hashes = "".join(f"{name} {hashlib.sha256(picture).hexdigest()}\n" for name, picture in pictures.items())
        return f"{form}\n".encode() + report + hashes.encode()


class FakeOcr:
    """Reads in every picture what it was told to, a page a call, then ``always``; one of a single dot contains no text.

    Told 'word~other' it says that a second engine read 'other' and is half as sure. ``asked`` keeps the languages.
    """

    fingerprint = "fake ocr 1"

    def __init__(self, *pages: str, always: str = "") -> None:
        self.pages = list(pages)
        self.always = always
        self.asked: list[tuple[str, ...]] = []

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        if len(png) < 24 or not png.startswith(b"\x89PNG"):
            raise UnreadableDocument(reason="The picture of the page cannot be opened.", remedy="Scan it again.")
        if not all(re.fullmatch("[a-z]{3}", language) and language != "xxx" for language in languages):
            raise BadInput(reason=f"There is no data to read {languages}.", remedy="Install it.")
        self.asked.append(languages)
        dot = png[16:24] == struct.pack(">II", 1, 1)
        page_text = "" if dot else self.pages.pop(0) if self.pages else self.always
        words: list[Word] = []
        others: list[str] = []
        text = ""
        for row, line in enumerate(page_text.split("\n")):
            text += "\n" if row else ""
            for column, piece in enumerate(line.split()):
                word, _, guess = piece.partition("~")
                text += " " if column else ""
                x, y = min(10.0 + 50 * column, width - 45), min(20.0 + 14 * row, height - 14)
                words.append(Word(len(text), len(text) + len(word), x, y, x + 40, y + 12))
                others.append(guess)
                text += word
        sure = tuple(0.45 if guess else 0.96 for guess in others)
        mean = sum(sure) / len(sure) if sure else 0.0
        return OcrPage(text, Words.of(words), sure, ((),) * len(words), tuple(others), mean, self.fingerprint, 0.0)


class HashEmbedder:
    """Words hashed into 64 dimensions: texts that share words are near. The same text, the same bytes."""

    fingerprint = "hash embedder 1"
    dimensions = 64

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [self._vector(text) for text in texts]

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        return self.embed(texts)

    def pieces(self, texts: Sequence[str]) -> list[int]:
        return [len(re.findall(r"\w+", text)) for text in texts]

    def token_matches(self, query: str, texts: Sequence[str]) -> list[tuple[float, ...]]:
        words = re.findall(r"\w+", query.casefold())
        words_of_texts = [set(re.findall(r"\w+", text.casefold())) for text in texts]
        return [tuple(1.0 if word in words_of_text else 0.0 for word in words) for words_of_text in words_of_texts]

    def _vector(self, text: str) -> bytes:
        values = [0.0] * self.dimensions
        for word in re.findall(r"\w+", text.casefold()):
            digest = hashlib.sha256(word.encode()).digest()
            values[digest[0] % self.dimensions] += 1.0 if digest[1] % 2 else -1.0
        values[0] += 0.01  # a text without words has a direction too
        norm = math.sqrt(sum(value * value for value in values))
        return struct.pack(f"<{self.dimensions}f", *(value / norm for value in values))


class WordsReranker:
    """Counts the words of the query that stand in a passage."""

    fingerprint = "words reranker 1"

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        words = set(re.findall(r"\w+", query.casefold()))
        return [float(len(words & set(re.findall(r"\w+", passage.casefold())))) for passage in passages]


class ListedNames:
    """Knows the names of a list. ``history`` keeps the texts it was asked about."""

    fingerprint = "listed names 1"
    kinds: Mapping[str, str] = {
        "Klara Bost": "person",
        "Ruben Aske": "person",
        "Meridian Ltd": "organisation",
        "Weir Lane": "place",
    }

    def __init__(self, kinds: Mapping[str, str] | None = None) -> None:
        self.kinds = kinds or self.kinds
        self.history: list[str] = []

    def find(self, texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
        self.history += texts
        # Blanks of a name may be the end of a line in the text.
        listed = {name: r"\s".join(map(re.escape, name.split())) for name in self.kinds}
        pattern = re.compile("|".join(rf"(?P<n{number}>\b{name}\b)" for number, name in enumerate(listed.values())))
        kinds = list(self.kinds.values())
        return [
            tuple(FoundName(m.start(), m.end(), kinds[int(m.lastgroup[1:])]) for m in pattern.finditer(text))
            for text in texts
        ]


class ScriptedJudge:
    """A judge by rule: shared words make it a support, shared words and a negation a contradiction.

    ``history`` keeps what it was asked, so that a test can count the calls.
    """

    fingerprint = "scripted judge 1"

    def __init__(self) -> None:
        self.history: list[tuple[str, tuple[str, ...]]] = []

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        self.history.append((passage, tuple(hypotheses)))
        for part, text in (("passage", passage), *(("hypothesis", hypothesis) for hypothesis in hypotheses)):
            if not text.strip():
                raise BadInput(reason=f"The {part} is empty.", remedy="Give it at least one word.")
        return [self._one(passage, hypothesis) for hypothesis in hypotheses]

    @staticmethod
    def _one(passage: str, hypothesis: str) -> Probabilities:
        inside = set(re.findall(r"\w{4,}", passage.casefold()))
        wanted = set(re.findall(r"\w{4,}", hypothesis.casefold()))
        share = len(inside & wanted) / max(1, len(wanted))
        if share < 0.3:
            return Probabilities(0.05, 0.05, 0.9)
        if re.search(r"\b(not|never|no|denied)\b", passage.casefold()):
            return Probabilities(0.08, 0.85, 0.07)
        return Probabilities(0.85, 0.08, 0.07)


class ContraryJudge(ScriptedJudge):
    """A second reader that takes every support for a contradiction, and the other way round."""

    fingerprint = "contrary judge 1"

    def judge(self, passage: str, hypotheses: Sequence[str]) -> list[Probabilities]:
        return [Probabilities(p.contradicts, p.supports, p.neutral) for p in super().judge(passage, hypotheses)]
