"""Compare what the program reads of files with what readers that are not ours read of them.

    python -m tests.eval.reading FOLDER [--out FILE.jsonl] [--most N] [--seed 1] [--worst 20] [--seconds 60]

For each file: the share of an independent reader's words, and of its numbers, that the program lacks, and the share of
the program's that the independent reader lacks. What the program hands out as documents of their own (attachments,
pasted pictures) counts as read, and so do the lines of what it left out, which are printed. The independent readers are
those of this list that are installed: pdftotext (poppler), soffice (LibreOffice, without a window), chromium, antiword,
tesseract; mail and mailboxes are taken apart by Python's own email package, books by its zipfile and lxml, texts are
decoded. Words are compared without regard to case, accents of
form (NFKC) and hyphens at line ends, as often as they stand there. The last lines sum up by format, and list the files
that lack most, with the words that are missing, for a person to read.
"""

from __future__ import annotations

import argparse
import email
import email.policy
import json
import mailbox
import posixpath
import random
import re
import shutil
import subprocess
import tempfile
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from email.message import EmailMessage
from pathlib import Path

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.errors import AppError
from core.ports import Attachment, Outline

_DEEPEST = 4  # files inside files
_SAMPLE = 14  # missing words that are shown of a file
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One file beside one independent reader: counts of words and numbers, and how many the other side lacks."""

    file: str
    reader: str
    words: int
    words_missing: int
    numbers: int
    numbers_missing: int
    own_words: int
    own_words_missing: int
    sample: tuple[str, ...]
    left_out: tuple[str, ...]
    error: str = ""

    @property
    def lack(self) -> float:
        """The share of the independent reader's words and numbers that the program lacks."""
        return (self.words_missing + self.numbers_missing) / max(1, self.words + self.numbers)


def own_text(data: bytes, name: str, depth: int = 0) -> tuple[str, list[str]]:
    """Read a file as the program does, with the files inside it: the whole text, and a line a part left out."""
    parts: list[str] = []
    left_out: list[str] = []
    for item in FileReader().read(data, name):
        if isinstance(item, Outline):
            parts += [item.title, item.author]
        elif isinstance(item, PageText):
            parts.append(item.text)
        elif isinstance(item, LeftOut):
            left_out.append(f"{item.count} {item.what} ({item.where})")
        elif isinstance(item, Attachment):
            parts.append(item.name)
            if item.data and depth < _DEEPEST:
                try:
                    text, lines = own_text(item.data, item.name, depth + 1)
                except AppError as error:
                    left_out.append(f"{item.name}: {error.sentence}")
                    continue
                parts.append(text)
                left_out += lines
    return "\n".join(parts), left_out


# --- readers that are not ours ---------------------------------------------------------------------------------------


def _output(command: Sequence[str], seconds: float) -> str:
    return subprocess.run(command, capture_output=True, timeout=seconds, check=True).stdout.decode("utf-8", "replace")


def pdftotext(path: Path, folder: Path, seconds: float) -> str:
    """Read a PDF with poppler."""
    return _output(["pdftotext", "-enc", "UTF-8", str(path), "-"], seconds)


def _soffice(path: Path, folder: Path, seconds: float, form: str) -> list[Path]:
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", form, "--outdir", str(folder / "out"), str(path)]
    subprocess.run(command, capture_output=True, timeout=seconds, check=True)
    return sorted((folder / "out").iterdir())


def writer(path: Path, folder: Path, seconds: float) -> str:
    """Read a text document with LibreOffice."""
    return "\n".join(
        file.read_text("utf-8", "replace") for file in _soffice(path, folder, seconds, "txt:Text (encoded):UTF8")
    )


def calc(path: Path, folder: Path, seconds: float) -> str:
    """Read all sheets of a spreadsheet with LibreOffice, cells as they are shown."""
    form = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,true,false,false,false,-1"
    return "\n".join(file.read_text("utf-8", "replace") for file in _soffice(path, folder, seconds, form))


def impress(path: Path, folder: Path, seconds: float) -> str:
    """Read slides with LibreOffice, by way of a PDF."""
    return "\n".join(pdftotext(file, folder, seconds) for file in _soffice(path, folder, seconds, "pdf"))


_INNER_TEXT = b"""<script>addEventListener("load", () => {
const text = document.documentElement.innerText; document.documentElement.innerHTML = "<body></body>";
const shown = document.createElement("pre"); shown.textContent = text; document.body.append(shown); });</script>"""


def chromium(path: Path, folder: Path, seconds: float) -> str:
    """Read the text that a browser shows of a page, without a network."""
    page = folder / "page.html"
    page.write_bytes(_as_utf_8(path.read_bytes()) + _INNER_TEXT)
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--host-resolver-rules=MAP * ~NOTFOUND"]
    source = _output([*command, f"--user-data-dir={folder}/profile", "--dump-dom", page.as_uri()], seconds)
    import html

    return html.unescape(re.sub(r"<[^>]*>", "", source))


def mail(path: Path, folder: Path, seconds: float) -> str:
    """Take a mail apart with Python's own package: its headers, and every text part; of alternatives all words once."""
    return _message_text(_as_utf_8(path.read_bytes()))


def mailbox_of(path: Path, folder: Path, seconds: float) -> str:
    """Take a mailbox apart with Python's own package."""
    return "\n".join(_message_text(message.as_bytes()) for message in mailbox.mbox(path, create=False))


def _message_text(data: bytes) -> str:
    message = email.message_from_bytes(data, policy=email.policy.default)
    parts = [str(message.get(name, "")) for name in ("From", "To", "Cc", "Subject")]
    return "\n".join([*parts, _mail_text(message)])


def _mail_text(part: EmailMessage) -> str:
    if part.is_multipart():
        texts = [_mail_text(inner) for inner in part.iter_parts()]
        if part.get_content_subtype() != "alternative" or not texts:
            return "\n".join(texts)
        longest = max(texts, key=len)
        rest = (" ".join((tokens(text)[0] - tokens(longest)[0]).elements()) for text in texts if text is not longest)
        return "\n".join([longest, *rest])
    if part.get_content_maintype() != "text":
        return ""
    try:
        text = str(part.get_content())
    except (LookupError, ValueError):
        return ""
    return _html_text(text) if part.get_content_subtype() == "html" and text.strip() else text


def _html_text(text: str) -> str:
    from lxml import html

    tree = html.fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    for element in tree.xpath("//script | //style | //head"):
        element.drop_tree()
    return " ".join(tree.itertext())


def _as_utf_8(data: bytes) -> bytes:
    """Return a file with a UTF-16 mark, or with a zero byte in each character, in UTF-8."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode("utf-8")
    zeros = data[:400].count(0)
    if zeros > 100:
        return data.decode("utf-16-le" if data[1:2] == b"\0" else "utf-16-be", "replace").encode("utf-8")
    return data


def decoded(path: Path, folder: Path, seconds: float) -> str:
    """Decode a text: UTF-8, UTF-16 with a mark, else as Windows writes it in the West."""
    data = _as_utf_8(path.read_bytes())
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def book(path: Path, folder: Path, seconds: float) -> str:
    """Read the chapters that an e-book puts in order, as web pages."""
    with zipfile.ZipFile(path) as archive:
        contents = next(name for name in archive.namelist() if name.endswith(".opf"))
        package = archive.read(contents).decode()
        order = re.findall(r"<itemref\b[^>]*?\bidref=\"([^\"]+)", package)
        items = re.findall(r"<item\b[^>]*>", package)
        places = {
            match[1]: href[1]
            for item in items
            if (match := re.search(r"\bid=\"([^\"]+)", item)) and (href := re.search(r"\bhref=\"([^\"]+)", item))
        }
        chapters = [archive.read(posixpath.join(posixpath.dirname(contents), places[name])) for name in order]
        return "\n".join(_html_text(re.sub(r"^<\?xml.*?\?>", "", chapter.decode())) for chapter in chapters)


def antiword(path: Path, folder: Path, seconds: float) -> str:
    """Read an old Word document with antiword."""
    return _output(["antiword", "-m", "UTF-8.txt", "-w", "0", str(path)], seconds)


def tesseract(path: Path, folder: Path, seconds: float) -> str:
    """Read a picture with Tesseract."""
    return _output(["tesseract", str(path), "-"], seconds)


_Read = Callable[[Path, Path, float], str]
_READERS: tuple[tuple[str, str, _Read, tuple[str, ...]], ...] = (
    ("pdftotext", "pdftotext", pdftotext, (".pdf",)),
    ("antiword", "antiword", antiword, (".doc",)),
    ("LibreOffice", "soffice", writer, (".docx", ".odt", ".rtf", ".doc")),
    ("LibreOffice", "soffice", calc, (".xlsx", ".xls", ".ods", ".xlsm")),
    ("LibreOffice", "soffice", impress, (".pptx", ".ppt", ".odp")),
    ("Chromium", "chromium", chromium, (".html", ".htm", ".xhtml")),
    ("email", "", mail, (".eml",)),
    ("email", "", mailbox_of, (".mbox",)),
    ("zipfile", "", book, (".epub",)),
    ("decoded", "", decoded, (".txt", ".md", ".markdown", ".csv", ".log")),
)


# --- the comparison --------------------------------------------------------------------------------------------------


def tokens(text: str) -> tuple[Counter[str], Counter[str]]:
    """Count the words and the numbers of a text."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = re.sub(r"\xad\n?|(?<=[^\W\d])-\n(?=[^\W\d])", "", plain)
    return Counter(_WORD.findall(plain)), Counter(_NUMBER.findall(plain))


def lacking(left: Counter[str], right: Counter[str], text: str) -> Counter[str]:
    """Count what of ``left`` the right side lacks; a longer word may be part of what stands there unparted."""
    joined = "".join(re.findall(r"\w", unicodedata.normalize("NFKC", text).casefold()))
    return Counter(
        {
            token: count
            for token, count in (left - right).items()
            if len(token) < 4 or right[token] or token not in joined
        }
    )


def compare(path: Path, name: str, reader: str, read: _Read, seconds: float) -> Comparison:
    """Hold one file against one independent reader."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            independent = read(path, Path(folder), seconds)
        except (subprocess.SubprocessError, OSError, ValueError) as error:
            return Comparison(name, reader, 0, 0, 0, 0, 0, 0, (), (), f"not read by {reader}: {type(error).__name__}")
    words, numbers = tokens(independent)
    try:
        own_reading, left_out = own_text(path.read_bytes(), path.name)
    except AppError as error:
        total = words.total(), numbers.total()
        return Comparison(name, reader, total[0], total[0], total[1], total[1], 0, 0, (), (), error.sentence)
    own_words, own_numbers = tokens(own_reading)
    missing, missing_numbers = lacking(words, own_words, own_reading), lacking(numbers, own_numbers, own_reading)
    sample = [token for token, _ in (missing_numbers + missing).most_common(_SAMPLE)]
    return Comparison(
        *(name, reader, words.total(), missing.total(), numbers.total(), missing_numbers.total()),
        *(own_words.total(), lacking(own_words, words, independent).total(), tuple(sample), tuple(left_out)),
    )


def comparisons(files: Sequence[Path], folder: Path, seconds: float) -> Iterator[Comparison]:
    """Hold each file against each independent reader of its format."""
    for path in files:
        for reader, program, read, endings in _READERS:
            if path.suffix.lower() in endings and (not program or shutil.which(program)):
                yield compare(path, str(path.relative_to(folder)), reader, read, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    files = sorted(path for path in options.folder.rglob("*") if path.is_file())
    files = sorted(random.Random(options.seed).sample(files, min(options.most, len(files))))
    results: list[Comparison] = []
    for result in comparisons(files, options.folder, options.seconds):
        results.append(result)
        if options.out:
            with options.out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(result), ensure_ascii=False) + "\n")
    print(f"{'format':<7}{'reader':<13}{'files':>6}{'words':>9}{'had':>8}{'numbers':>9}{'had':>8}{'only ours':>11}")
    for key in sorted({(Path(result.file).suffix.lower(), result.reader) for result in results}):
        group = [r for r in results if (Path(r.file).suffix.lower(), r.reader) == key and r.words + r.numbers]
        words, numbers = sum(r.words for r in group), sum(r.numbers for r in group)
        had = 1 - sum(r.words_missing for r in group) / max(1, words)
        had_numbers = 1 - sum(r.numbers_missing for r in group) / max(1, numbers)
        extra = sum(r.own_words_missing for r in group) / max(1, sum(r.own_words for r in group))
        print(
            f"{key[0]:<7}{key[1]:<13}{len(group):>6}{words:>9,}{had:>8.4f}{numbers:>9,}{had_numbers:>8.4f}{extra:>11.4f}"
        )
    for result in sorted(results, key=lambda r: (-r.lack, r.file))[: options.worst]:
        if result.lack or result.error:
            print(f"{result.lack:.3f} {result.file} [{result.reader}] {result.error} {' '.join(result.sample)}")
            for line in result.left_out[:5]:
                print(f"        left out: {line}")


if __name__ == "__main__":
    main()
