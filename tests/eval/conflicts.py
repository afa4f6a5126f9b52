"""Which conflicts are found, how many of those shown are worth a look, and what it costs.

    python -m tests.eval.conflicts [FOLDER] [--show 60] [--documents 1000] [--judge]

FOLDER holds ``analyst/vast2011_vastopolis`` (2,663 news texts, of which many stand there twice with other names) and
``analyst/jfk_mexico_city`` (scans, records in two releases). Forty sentences of the news texts are edited, ten each in
a figure, a date, a name and by a denial; half of the edits stand in a second version of their text, half in a note of
three sentences by somebody else. Reported are those that are found, and at which rank among all conflicts. ``--show``
prints the first conflicts of both collections for a person to label: a conflict, worth a minute, or noise.
``--documents`` measures the time of that many news texts. Without ``--judge`` only what rules settle alone is found.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from core import settings
from core.conflicts.gates import is_changing, is_prose
from core.conflicts.results import ConflictRecord, ConflictsReport
from core.conflicts.statements import is_name, quantities_of, words_of
from core.ports import Engines
from core.runtime import launch
from core.text import sentences
from core.workbench import Workbench

KINDS = ("number", "date", "name", "denial")
EACH = 10
_AUXILIARY = re.compile(r"\b(was|were|is|are|has|have|had|will|would|could)\s(?=[a-z])(?!not\b)")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_MONTHS = ("January", "February", "March", "April", "June", "July", "August", "September", "October", "November")


@dataclass(frozen=True)
class Edit:
    """A sentence of a text as it was, and as it was altered."""

    kind: str
    source: str
    sentence: str
    altered: str
    is_version: bool


def alter(kind: str, sentence: str, names: list[str], chance: random.Random) -> str | None:
    """Return the sentence with one thing altered; None where there is nothing of that kind in it."""
    if kind == "number":
        figures = [
            quantity
            for quantity in quantities_of(sentence)
            if quantity.text.isdigit()
            and 1 < int(quantity.text) < 1900
            and quantity.heads
            and not is_changing(quantity.heads)
        ]
        if not figures:
            return None
        quantity = figures[0]
        replacement = str(int(quantity.text) + chance.randint(2, max(3, int(quantity.text) // 2)))
        return sentence[: quantity.start] + replacement + sentence[quantity.end :]
    if kind == "date":
        match = re.search(rf"\b({'|'.join((*_DAYS, *_MONTHS))})\b", sentence)
        if match is None:
            return None
        among = _DAYS if match[0] in _DAYS else _MONTHS
        return (
            sentence[: match.start()]
            + chance.choice([day for day in among if day != match[0]])
            + sentence[match.end() :]
        )
    if kind == "name":
        spots = [
            match for match in re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b(?! [A-Z])", sentence) if is_name(match[0])
        ]
        if not spots:
            return None
        replacement = chance.choice([name for name in names if name not in sentence])
        return sentence[: spots[0].start()] + replacement + sentence[spots[0].end() :]
    match = _AUXILIARY.search(sentence)
    if match is None or re.search(r"\b(?:not|no|never|n't)\b", sentence):
        return None
    return f"{sentence[: match.end()]}not {sentence[match.end() :]}"


def plant(folder: Path, into: Path, chance: random.Random) -> list[Edit]:
    """Write the edits as new texts."""
    files = sorted(folder.iterdir())
    chance.shuffle(files)
    names = [word for file in files[:200] for word in words_of(file.read_text("utf-8", "replace"))
             if len(word) > 5 and is_name(word) and word.istitle()]  # fmt: skip
    edits: list[Edit] = []
    for file in files:
        count = len(edits)
        if count == EACH * len(KINDS):
            break
        kind, text = KINDS[count % len(KINDS)], file.read_text("utf-8", "replace")
        body = text.split("\n", 2)[-1]
        lines = [body[span.start : span.end] for span in sentences(body)]
        candidates = [line for line in lines if is_prose(line) and 9 <= len(words_of(line)) <= 40 and "\n" not in line
                      and sum(is_name(word) for word in words_of(line)[1:]) >= 1]  # fmt: skip
        chance.shuffle(candidates)
        for line in candidates:
            altered = alter(kind, line, names, chance)
            if altered is not None and altered != line and text.count(line) == 1:
                break
        else:
            continue
        is_version = count % (2 * len(KINDS)) < len(KINDS)
        if is_version:
            new = text.replace(line, altered)
        else:
            head = "\n".join(text.split("\n", 2)[:2])
            new = f"{head}\nThis note was written by another desk. {altered} Nothing else is known here.\n"
        (into / f"planted_{count:02}.txt").write_text(new, "utf-8")
        edits.append(Edit(kind, file.name, line, altered, is_version))
    return edits


def rank_of(edit: Edit, records: tuple[ConflictRecord, ...]) -> int:
    """Return the rank of the conflict that names an edit; 0: there is none."""
    flat = " ".join(edit.altered.split())
    for rank, record in enumerate(records, start=1):
        quotes = [" ".join(source.quote.text.split()) for position in record.conflict.positions
                  for source in position.sources]  # fmt: skip
        if any(quote in flat or flat in quote for quote in quotes) and len(set(quotes)) > 1:
            return rank
    return 0


def report_on(engines: Engines, folders: list[Path], versions: list[tuple[str, str]] | None = None) -> ConflictsReport:
    """Make a case of folders, with those files as versions of each other, and find its conflicts."""
    with (
        tempfile.TemporaryDirectory() as scratch,
        Workbench.create(Path(scratch) / "case.disconfirm", engines) as bench,
    ):
        bench.documents.add(folders, embed=False)
        ids = {document.name: document.id for document in bench.documents.all()}
        for old, new in versions or ():
            if old in ids and new in ids:
                bench.documents.supersede(ids[old], ids[new])
        return bench.conflicts.find()


def record_pairs(file: Path) -> list[tuple[str, str]]:
    """Read which files are the same record in two releases, each as the older one once."""
    rows = [row.split("\t") for row in file.read_text("utf-8").splitlines()[1:]]
    return list({row[0]: (row[0], row[1]) for row in rows}.values())


def show(report: ConflictsReport, count: int) -> None:
    """Print the first conflicts, to be labelled."""
    for rank, record in enumerate(report.conflicts[:count], start=1):
        print(f"{rank}. {record.conflict.kind} ({record.conflict.basis}): {record.conflict.subject}")
        for position in record.conflict.positions:
            source = position.sources[0]
            print(f"     {position.text[:80]} | {source.name}: {' '.join(source.quote.text.split())[:240]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("../shared/data"))
    parser.add_argument("--show", type=int, default=0, metavar="N")
    parser.add_argument("--documents", type=int, default=0, metavar="N")
    parser.add_argument("--judge", action="store_true")
    args = parser.parse_args()
    engines = launch.build_engines(settings.load())
    if not args.judge:
        engines = replace(engines, judge=None)
    news, records = (args.folder / "analyst" / name for name in ("vast2011_vastopolis/txt", "jfk_mexico_city/docs_dev"))
    if args.documents:
        work = time.process_time()
        with tempfile.TemporaryDirectory() as scratch:
            for file in sorted(news.iterdir())[: args.documents]:
                (Path(scratch) / file.name).write_bytes(file.read_bytes())
            report = report_on(engines, [Path(scratch)])
        print(f"{args.documents} documents, {report.statements} statements, {report.pairs} pairs, "
              f"{report.pairs_judged} judged: {report.seconds:.0f} s, of this process {time.process_time() - work:.0f} "
              "on the processor, reading in included")  # fmt: skip
    elif args.show:
        for name, folder in (("news", news), ("records", records)):
            listing = folder.parent / "same_record_pairs_dev.tsv"
            report = report_on(engines, [folder], record_pairs(listing) if listing.exists() else None)
            print(f"== {name}: {len(report.conflicts)} conflicts in {report.seconds:.0f} s")
            show(report, args.show)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            edits = plant(news, Path(scratch), random.Random(7))
            began = time.monotonic()
            report = report_on(engines, [news, Path(scratch)])
        ranks = [rank_of(edit, report.conflicts) for edit in edits]
        for kind in KINDS:
            places = [rank for edit, rank in zip(edits, ranks, strict=True) if edit.kind == kind]
            print(f"{kind}: {sum(map(bool, places))} of {len(places)} found, at {sorted(filter(None, places))}")
        for edit, rank in zip(edits, ranks, strict=True):
            if not rank:
                print(f"missed ({edit.kind}, {edit.source}): {edit.sentence[:160]} -> {edit.altered[:160]}")
        print(f"{sum(map(bool, ranks))} of {len(ranks)} among {len(report.conflicts)} conflicts; "
              f"{report.seconds:.0f} s of {time.monotonic() - began:.0f} s")  # fmt: skip
    launch.close(engines)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
