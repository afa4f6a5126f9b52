"""Time from a folder of short texts to a searchable case, and searches in it.

    python -m tests.bench.ingest [DOCUMENTS] [--searches N]
    python -m tests.bench.ingest --read FOLDER [--readers 2 4]     readers side by side, on the PDFs of a folder
    python -m tests.bench.ingest --memory 500                      memory of this process while documents are added
    python -m tests.bench.ingest --start                           what confining costs when a child starts

Makes DOCUMENTS (default 1,000) invented texts of about 5 KB with a fixed seed, adds them with the real engines, and
prints documents, passages, seconds, passages a second, search latency (median, p95) and memory. Targets on two cores:
1,000 documents under 4 minutes; search p95 under 150 ms at 20,000 passages once warm (about 2,300 documents).

With --read the documents are read by one reader and by several, outputs checked equal first; printed are seconds, and
how many times as fast several are as one. Targets: 0.75 n with n readers on n free cores. Where the machine has fewer
free cores than that (its load is printed), compare the processor time as well: what n readers take together over what
one takes is what reading side by side costs, and stays near 1. With --memory the memory of this
process, which never holds a parsed document, is printed as documents are added. Target: flat from some 100 of them on;
what is left are the signatures for near-duplicates (15 KB a document of 60 KB, while an import runs).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from core import settings
from core.domain import PageText
from core.errors import AppError
from core.ports import Engines
from core.runtime import launch
from core.workbench import Workbench
from core.workers.engines import ReaderClient
from core.workers.pool import ToRead, read_documents
from tests.bench.machine import describe, peak_mb

PEOPLE = ("the operator", "a guard", "the night engineer", "our contractor", "the harbour master", "an auditor")
THINGS = ("valve", "pump", "ledger", "badge reader", "camera", "container", "transformer", "server", "shipment", "gate")
ACTS = (
    "opened",
    "inspected",
    "denied touching",
    "replaced",
    "reported",
    "signed for",
    "photographed",
    "moved",
    "sealed",
)
PLACES = ("in hall 3", "at the north gate", "near the quay", "in the archive", "behind the substation", "at platform 7")
WHENS = ("before midnight", "on 3 May", "at 02:14", "after the alarm", "during the audit", "a week later", "on Sunday")


def text(rng: random.Random, size: int) -> str:
    sentences: list[str] = []
    length = 0
    while length < size:
        words = [rng.choice(PEOPLE), rng.choice(ACTS), "the", rng.choice(THINGS), f"no. {rng.randrange(900)}",
                 rng.choice(PLACES), rng.choice(WHENS)]  # fmt: skip
        sentence = " ".join(words).capitalize() + "."
        sentences.append(sentence + ("\n\n" if rng.random() < 0.15 else " "))
        length += len(sentences[-1])
    return "".join(sentences)


def read_all(files: Sequence[Path], readers: int) -> tuple[float, float, list[str]]:
    """Seconds on the clock and of all processors, and a digest of what was read from each file."""
    clients = [ReaderClient() for _ in range(readers)]
    for reader in clients:  # libraries are loaded with the first document
        assert sum(1 for _ in reader.read(files[0].read_bytes(), files[0].name))
    processors = processor_seconds(clients)
    began = time.perf_counter()
    digests = []
    for _, items in read_documents(clients, ((file, ToRead(file.read_bytes(), file.name)) for file in files)):
        digest = hashlib.sha256()
        try:
            for item in items or ():
                content = (item.text, item.words.buffer) if isinstance(item, PageText) else (repr(item), b"")
                digest.update(content[0].encode("utf-8", "replace") + content[1])
        except AppError as error:
            digest.update(type(error).__name__.encode())
        digests.append(digest.hexdigest())
    seconds = time.perf_counter() - began
    processors = processor_seconds(clients) - processors
    for reader in clients:
        reader.close()
    return seconds, processors, digests


def processor_seconds(readers: Sequence[ReaderClient]) -> float:
    """Of this process, of the children that ended, and of those that run."""
    used, ended = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    total = used.ru_utime + used.ru_stime + ended.ru_utime + ended.ru_stime
    for reader in readers:
        if reader.child is not None and reader.child.running():
            fields = Path(f"/proc/{reader.child.process.pid}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


def side_by_side(folder: Path, many: Sequence[int], runs: int, times: int) -> None:
    reader = ReaderClient()
    files = []
    for file in sorted(folder.rglob("*.pdf")):
        try:  # a file that ends its child or runs into a limit would measure the limit
            if file.stat().st_size < 50_000_000 and sum(1 for _ in reader.read(file.read_bytes(), file.name)):
                files.append(file)
        except AppError:
            continue
    reader.close()
    files *= times
    size = sum(file.stat().st_size for file in files)
    print(f"{len(files)} files, {size / 1e6:.0f} MB, read {runs} times; load of the machine {os.getloadavg()[0]:.1f}")
    print(f"{'readers':>8} {'seconds':>8} {'times as fast':>14} {'processor s':>12} {'of one':>7}")
    best: dict[int, tuple[float, float]] = {}
    expected: list[str] = []
    for _ in range(runs):
        for readers in (1, *many):  # in turn, so that what else the machine does meets all alike
            seconds, processors, digests = read_all(files, readers)
            expected = expected or digests
            assert digests == expected, "readers side by side read something else"
            least = best.get(readers, (seconds, processors))
            best[readers] = (min(least[0], seconds), min(least[1], processors))
    for readers, (seconds, processors) in best.items():
        faster, cost = best[1][0] / seconds, processors / best[1][1]
        print(f"{readers:>8} {seconds:>8.2f} {faster:>14.2f} {processors:>12.2f} {cost:>7.2f}")


def memory(documents: int) -> None:
    """Memory of this process while texts of 60 KB are added, 50 at a time."""
    rng = random.Random(7)
    readers = tuple(ReaderClient() for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        case = Path(folder) / "bench.disconfirm"
        with Workbench.create(case, Engines(reader=readers[0], readers=readers)) as bench:
            print(f"{'documents':>10} {'MB now':>8} {'MB peak':>8}")
            for start in range(0, documents, 50):
                inbox = Path(folder) / f"inbox{start}"
                inbox.mkdir()
                for number in range(start, start + 50):
                    (inbox / f"{number:05}.txt").write_text(text(rng, 60_000), "utf-8")
                report = bench.documents.add([inbox])
                assert len(report.documents) == 50
                assert not report.problems
                pages = int(Path("/proc/self/statm").read_text().split()[1])
                print(f"{start + 50:>10} {pages * os.sysconf('SC_PAGE_SIZE') / 1e6:>8.1f} {peak_mb():>8.1f}")
    for reader in readers:
        reader.close()


def start(times: int = 15) -> None:
    """From nothing to a reader that is ready, confined and not, in turn."""
    plain = (
        "import sys; from core.workers import server; from core.workers.sandbox import Sandbox\n"
        "server.enter_sandbox = lambda *_, **__: Sandbox()\n"
        "sys.exit(server.main(sys.argv[1:]))"
    )
    confined = plain.replace("server.enter_sandbox = lambda *_, **__: Sandbox()", "")
    times_of: dict[str, list[float]] = {"not confined": [], "confined": []}
    for _ in range(times):
        for name, code in (("not confined", plain), ("confined", confined)):
            reader = ReaderClient(command=[sys.executable, "-P", "-c", code])
            began = time.perf_counter()
            assert reader.fingerprint
            times_of[name].append(1000 * (time.perf_counter() - began))
            sandbox = reader.sandbox
            assert sandbox is not None
            assert sandbox.files == (name == "confined") or not sys.platform.startswith("linux")
            reader.close()
    for name, times_ms in times_of.items():
        print(f"{name:>13}: median {statistics.median(times_ms):.0f} ms, best {min(times_ms):.0f} ms")
    print(f"confining costs {min(times_of['confined']) - min(times_of['not confined']):.0f} ms (best of {times} each)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", nargs="?", type=int, default=1000)
    parser.add_argument("--searches", type=int, default=100)
    parser.add_argument("--size", type=int, default=5000, help="characters a document")
    parser.add_argument("--read", type=Path, metavar="FOLDER", help="read its PDFs with one reader and with several")
    parser.add_argument("--readers", type=int, nargs="+", default=[2])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--times", type=int, default=1, help="each file so many times")
    parser.add_argument("--memory", type=int, metavar="DOCUMENTS", help="memory of this process while they are added")
    parser.add_argument("--start", action="store_true", help="what confining costs at the start of a child")
    options = parser.parse_args()
    print(describe())
    if options.read:
        side_by_side(options.read, options.readers, options.runs, options.times)
        return
    if options.memory:
        memory(options.memory)
        return
    if options.start:
        start()
        return
    rng = random.Random(7)
    engines = launch.build_engines(settings.load())
    with tempfile.TemporaryDirectory() as folder:
        inbox = Path(folder) / "inbox"
        inbox.mkdir()
        for number in range(options.documents):
            (inbox / f"{number:05}.txt").write_text(text(rng, options.size), "utf-8")
        with Workbench.create(Path(folder) / "bench.disconfirm", engines) as bench:
            report = bench.documents.add([inbox])
            counts = bench.store.counts()
            print(
                f"{len(report.documents)} documents, {counts['chunks']} passages, {len(report.problems)} problems: "
                f"{report.seconds:.1f} s ({counts['chunks'] / report.seconds:.0f} passages/s)"
            )
            queries = [text(rng, 90) for _ in range(options.searches)]
            bench.search.passages_for(queries[0])
            times = []
            for query in queries:
                began = time.perf_counter()
                bench.search.passages_for(query)
                times.append(1000 * (time.perf_counter() - began))
            times.sort()
            print(
                f"search at {counts['chunks']} passages: median {statistics.median(times):.0f} ms, "
                f"p95 {times[int(0.95 * len(times))]:.0f} ms, worst {times[-1]:.0f} ms"
            )
            began = time.perf_counter()
            second = bench.documents.add([inbox])
            assert {item.status for item in second.documents} == {"duplicate"}
            print(f"second run over the same folder: {time.perf_counter() - began:.1f} s")
            size = bench.path.stat().st_size
        launch.close(engines)
        print(f"case {size / 1e6:.1f} MB; this process peak {peak_mb():.0f} MB, largest child {peak_mb(True):.0f} MB")


if __name__ == "__main__":
    main()
