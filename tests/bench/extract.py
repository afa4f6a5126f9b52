"""Pages a second from files to passages, through the child process as the program does it.

    python -m tests.bench.extract [FILE_OR_FOLDER ...] [--pages 300]

Without arguments a text PDF of two columns, a DOCX, an HTML page and a text file are made and read. With arguments
every file given is read as well. Prints, for each, pages, characters, passages, seconds of wall time and of processor
time (reader child and cutting apart), and pages a second. Target on one core: text PDFs at 100 pages a second or more.
"""

from __future__ import annotations

import argparse
import io
import random
import resource
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import docx
import pymupdf

from core.documents import chunking
from core.domain import PageText
from core.errors import EngineStopped, UnreadableDocument
from core.workers.engines import ReaderClient
from tests.bench.machine import describe, peak_mb

STORY = (
    "the night guard wrote that second pump had stopped at two in morning and nobody touched it before engineer came "
    "with report about pressure valve which was opened by a contractor during audit of north gate"
)
WORDS = STORY.split()


def sentences(rng: random.Random, count: int) -> str:
    return " ".join(" ".join(rng.choices(WORDS, k=rng.randint(8, 24))).capitalize() + "." for _ in range(count))


def samples(pages: int) -> Iterator[tuple[str, bytes]]:
    """One file a format, about ``pages`` pages of 2,500 characters each, the same on every run."""
    rng = random.Random(7)
    pdf = pymupdf.open()
    for _ in range(pages):
        page = pdf.new_page()
        for x in (50, 310):
            page.insert_textbox((x, 60, x + 240, 790), sentences(rng, 14), fontsize=9)
    yield "two columns.pdf", pdf.tobytes(deflate=True)
    word = docx.Document()
    for _ in range(pages):
        for _ in range(4):
            word.add_paragraph(sentences(rng, 6))
    file = io.BytesIO()
    word.save(file)
    yield "paragraphs.docx", file.getvalue()
    paragraphs = [sentences(rng, 6) for _ in range(4 * pages)]
    yield "page.html", ("<!doctype html><title>T</title>" + "".join(f"<p>{p}</p>" for p in paragraphs)).encode()
    yield "plain.txt", "\n\n".join(paragraphs).encode()
    yield ("pages.txt", "\f".join("\n\n".join(paragraphs[i : i + 4]) for i in range(0, len(paragraphs), 4)).encode())


def child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(name: str, data: bytes) -> str:
    """Read one file in a child of its own, so that its processor time is known when it has ended."""
    reader = ReaderClient()
    began = time.perf_counter()
    started = reader.fingerprint and time.perf_counter() - began
    child_began, cutting, pages, size, passages = child_seconds(), 0.0, 0, 0, 0
    began = time.perf_counter()
    try:
        for item in reader.read(data, name):
            if isinstance(item, PageText):
                pages, size = pages + 1, size + len(item.text)
                cut_began = time.perf_counter()
                passages += len(chunking.split(item))
                cutting += time.perf_counter() - cut_began
    except (UnreadableDocument, EngineStopped) as error:
        return f"{name[:40]:40s} {error.sentence}"
    finally:
        wall = time.perf_counter() - began
        reader.close()
    busy = child_seconds() - child_began
    return (
        f"{name[:40]:40s} {pages:6d} p {size:9d} chars {passages:6d} passages {wall:7.2f} s wall {busy:7.2f} s reader "
        f"{cutting:6.2f} s cutting {pages / wall:7.0f} p/s wall {pages / max(busy, 1e-9):7.0f} p/s reader "
        f"(start {started:.2f} s)"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("paths", nargs="*", type=Path)
    options.add_argument("--pages", type=int, default=300)
    arguments = options.parse_args()
    print(describe(), "pymupdf", version("pymupdf"))
    for name, data in samples(arguments.pages):
        print(measure(name, data), flush=True)
    for path in arguments.paths:
        for file in sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]:
            print(measure(file.name, file.read_bytes()), flush=True)
    print(f"largest reader {peak_mb(children=True):.0f} MB")


if __name__ == "__main__":
    main()
