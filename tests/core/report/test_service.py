"""Reports as they leave a case: every form, any moment, pictures of pages within bounds, nothing half written."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.domain import Word, Words
from core.engines.readers.dispatch import FileReader
from core.engines.report_writers.dispatch import FileWriter
from core.errors import BadInput, CannotWrite, EngineStopped, UnreadableDocument
from core.ports import Engines
from core.progress import Cancelled, Progress
from core.report import service
from core.report.service import AROUND, FORMS, Allowance, excerpt, form_of, lines_of
from core.store import integrity as check
from core.workbench import Workbench
from core.workers.engines import ReaderClient, WriterClient
from tests.fakes import HashEmbedder, PlainReader, PlainWriter, ScriptedJudge

LOG = "The night log shows that the dosing pump stopped at 02:14.\nThe operator did not touch the dosing pump."
MEMO = "The vendor account opened the valve remotely.\fThe vendor never had an account for the valve."


class Clock:
    """Seven seconds later each time it is asked."""

    def __init__(self) -> None:
        self.time = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=7)
        return self.time


def build(folder: Path, engines: Engines, clock: Clock) -> Workbench:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "log.txt").write_text(LOG, "utf-8")
    (folder / "memo.txt").write_text(MEMO, "utf-8")
    bench = Workbench.create(folder / "case.disconfirm", engines, title="Pump", who="Ann", now=clock)
    bench.documents.add([folder / "log.txt", folder / "memo.txt"])
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.hypotheses.add("The vendor account opened the valve.")
    for document, page, words in (
        ("D1", 1, "the dosing pump stopped at 02:14."),
        ("D1", 1, "The operator did not touch the dosing pump."),
        ("D2", 1, "The vendor account opened the valve remotely."),
        ("D2", 2, "The vendor never had an account for the valve."),
    ):
        text = bench.documents.page(document, page).text
        start = text.index(words)
        bench.evidence.add_quote(document, page, start, start + len(words))
    for evidence, hypothesis, rating in (("E1", "H1", "C"), ("E2", "H1", "II"), ("E3", "H2", "CC"), ("E4", "H2", "I")):
        bench.evidence.rate(evidence, hypothesis, rating)
    return bench


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def bench(tmp_path, engines, clock):
    with build(tmp_path / "case", engines, clock) as bench:
        yield bench


@pytest.mark.parametrize("ending", FORMS)
def test_the_ending_chooses_the_form(bench, tmp_path, ending):
    report = bench.reports.write(tmp_path / f"Out.Name{ending.upper()}")
    raw = report.file.read_bytes()
    assert (report.bytes, report.sha256) == (len(raw), hashlib.sha256(raw).hexdigest())
    entry = bench.store.log.entries()[-1]
    assert entry.verb == "export"
    assert report.sha256 in entry.after
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("name", ["a.exe", "a", ".pdf", "pdf", "a.pack", "a.htm"])
def test_another_ending_is_refused_with_those_that_there_are(bench, tmp_path, name):
    with pytest.raises(BadInput) as caught:
        bench.reports.write(tmp_path / name)
    assert ".pack.html" in caught.value.hint
    assert sorted(p.name for p in tmp_path.iterdir()) == ["case"]


def test_a_pack_is_not_taken_for_a_web_page():
    assert form_of(Path("a.pack.html")) == ".pack.html"
    assert form_of(Path("a.PACK.HTML")) == ".pack.html"
    assert form_of(Path("pack.html")) == ".html"


# --- moments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", FORMS)
def test_the_same_moment_gives_the_same_bytes_whatever_came_later(bench, tmp_path, clock, ending):
    moment = clock.time.isoformat()
    digest = bench.reports.write(tmp_path / f"a{ending}", as_of=moment).sha256
    bench.evidence.rate("E1", "H1", "II")
    bench.evidence.add("Something new", "a letter")
    bench.hypotheses.add("It never stopped.")
    bench.review.propose(passages=5)
    bench.evidence.describe(["E1"], reliability="E")
    bench.documents.supersede("D1", "D2")
    bench.hypotheses.add_consideration("assumption", "The log is whole.")
    bench.evidence.state_likelihood("H1", 0.3)
    bench.evidence.remove("E4")
    bench.case.sign_as("Ben")
    bench.evidence.rate("E2", "H2", "C")
    bench.case.change_settings(blind=True)
    bench.case.change_settings(grade_weights=dict.fromkeys("ABCDE12345", 1.0))
    bench.documents.set_included(["D2"], False)
    assert bench.reports.write(tmp_path / f"b{ending}", as_of=moment).sha256 == digest
    assert bench.reports.write(tmp_path / f"c{ending}").sha256 != digest


def test_a_report_of_now_and_one_as_of_now_hold_the_same_matrix(bench, clock):
    now, past = bench.reports.data(), bench.reports.data(as_of=clock.time.isoformat())
    assert (now.matrix, now.evidence, now.assessments, now.log_head) == (
        past.matrix, past.evidence, past.assessments, past.log_head
    )  # fmt: skip
    assert now.as_of == ""
    assert past.as_of == past.generated_at == clock.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")


@pytest.mark.parametrize("times", [1, 2])
def test_a_report_is_of_one_moment_whatever_is_decided_while_it_is_gathered(bench, monkeypatch, times):
    bench.review.propose(passages=5)
    waiting = [proposal.id for proposal in bench.verdicts.proposals(status="pending")][:times]
    stated = check.stated

    def decide_meanwhile(store, now):
        yield from stated(store, now)
        if waiting:
            decisions.append(bench.review.accept([waiting.pop()], rate=True))

    decisions = []
    monkeypatch.setattr(check, "stated", decide_meanwhile)
    data = bench.reports.data()
    monkeypatch.undo()
    seq = next(entry.seq for entry in bench.store.log.entries() if entry.hash == data.log_head)
    past = bench.reports.data(as_of=str(seq))
    assert decisions
    assert (data.proposals, data.suggestions, data.evidence) == (past.proposals, past.suggestions, past.evidence)


def test_a_number_of_a_log_entry_a_date_and_a_time_name_a_moment(bench, clock):
    entry = bench.store.log.entries()[-2]
    by_number = bench.reports.data(as_of=str(entry.seq))
    assert (by_number.log_head, by_number.as_of) == (entry.hash, entry.at)
    assert bench.reports.data(as_of=entry.at).log_head == entry.hash
    assert bench.reports.data(as_of="2026-11-03").log_entries == len(bench.store.log.entries())
    assert bench.reports.data(as_of="2026-11-02").evidence == ()
    with pytest.raises(BadInput):
        bench.reports.data(as_of="yesterday")


def test_proposals_are_counted_as_they_stood(bench, clock):
    bench.review.propose(passages=5)
    counts = bench.reports.data().proposals
    moment = clock.time.isoformat()
    pending = bench.verdicts.proposals(status="pending")
    bench.review.accept([pending[0].id])
    bench.review.reject([pending[1].id])
    assert bench.reports.data(as_of=moment).proposals == counts
    assert bench.reports.data().proposals != counts
    assert sum(count.made for count in bench.reports.data(as_of="1").proposals) == 0


def test_days_with_decisions_are_listed_the_last_first(bench, clock, tmp_path):
    clock.time = datetime(2026, 11, 5, 8, 0, tzinfo=UTC)
    bench.evidence.rate("E1", "H2", "C")
    bench.reports.write(tmp_path / "r.md")
    days = bench.reports.days()
    assert days[0] == ("2026-11-05", 1)
    assert [day for day, _ in days] == ["2026-11-05", "2026-11-03"]


def test_where_rating_is_blind_the_report_hides_what_its_writer_may_not_see(bench):
    bench.case.sign_as("Ben")
    bench.evidence.rate("E1", "H1", "II")
    bench.evidence.rate("E3", "H1", "II")
    bench.case.change_settings(blind=True)
    data = bench.reports.data()
    assert data.view == "mine"
    assert {(a.evidence, a.hypothesis) for a in data.assessments} == {("E1", "H1"), ("E3", "H1")}
    assert {row.id: row.ratings for row in data.matrix.rows}["E2"] == {}
    text = json.dumps(dataclasses.asdict(data.group), default=str)
    assert "II" in text
    assert {o.by for o in data.group.opinions} == {"Ann", "Ben"}


# --- pictures --------------------------------------------------------------------------------------------------------


def pictures_of(page: bytes) -> list[bytes]:
    return [base64.b64decode(encoded) for encoded in re.findall(rb'src="data:image/png;base64,([^"]+)"', page)]


def test_the_pack_holds_a_picture_for_every_quote(bench, tmp_path):
    page = bench.reports.write(tmp_path / "a.pack.html").file.read_bytes()
    assert len(pictures_of(page)) == 4
    assert len(set(pictures_of(page))) >= 3
    assert b"pictures of pages are left out" not in page


def test_too_many_pictures_are_left_out_and_said(bench, tmp_path, monkeypatch):
    monkeypatch.setitem(service.ALLOWANCE, ".pack.html", Allowance(3, 1 << 20))
    page = bench.reports.write(tmp_path / "a.pack.html").file.read_bytes()
    assert len(pictures_of(page)) == 3
    assert "1 of 4 page images are left out: this form holds at most 3 pictures" in page.decode()
    size = len(pictures_of(page)[0])
    monkeypatch.setitem(service.ALLOWANCE, ".pack.html", Allowance(10, size))
    page = bench.reports.write(tmp_path / "b.pack.html").file.read_bytes()
    assert sum(map(len, pictures_of(page))) <= size
    monkeypatch.setitem(service.ALLOWANCE, ".pdf", Allowance(2, 1 << 20))
    assert "2 of 4 page images are left out" in bench.reports.write(tmp_path / "c.pdf").file.read_text()


class NoPictures(PlainReader):
    """Reads, but has no picture of any page."""

    def crop(self, data, name, page, boxes, *, scale, password=""):
        raise UnreadableDocument(reason="This format has no page image.", remedy="Read its text instead.")


class Breaking(PlainReader):
    """Its child dies over every picture."""

    def crop(self, data, name, page, boxes, *, scale, password=""):
        raise EngineStopped(engine="document reader", item="a picture", reason="it was killed by signal SIGSEGV")


def with_reader(bench, reader):
    bench.engines = dataclasses.replace(bench.engines, reader=reader)
    return bench


def test_a_page_without_picture_is_shown_by_its_words(bench, tmp_path):
    page = with_reader(bench, NoPictures()).reports.write(tmp_path / "a.pack.html").file.read_text("utf-8")
    assert pictures_of(page.encode()) == []
    assert "The night log shows that <mark>the dosing pump stopped at 02:14.</mark>" in page
    assert page.count("This kind of document has no page picture") == 4


def test_a_reader_that_dies_costs_pictures_and_not_the_report(bench, tmp_path):
    page = with_reader(bench, Breaking()).reports.write(tmp_path / "a.pack.html").file.read_text("utf-8")
    assert "<mark>" in page
    data = with_reader(bench, Breaking()).reports.write(tmp_path / "a.pdf").file.read_text("utf-8")
    assert "log.txt" in data
    assert "SIGSEGV" in data


def test_a_quote_whose_page_has_changed_gets_no_picture(bench, tmp_path, monkeypatch):
    whole = bench.store.pages.by_id
    monkeypatch.setattr(
        bench.store.pages, "by_id", lambda number: dataclasses.replace(whole(number), text="another text altogether")
    )
    page = bench.reports.write(tmp_path / "a.pack.html").file.read_bytes()
    assert pictures_of(page) == []
    assert b"<mark>" not in page


def word(start: int, x0: float, y0: float, x1: float, y1: float) -> Word:
    return Word(start, start + 1, x0, y0, x1, y1)


def test_words_beside_each_other_share_a_box_and_lines_do_not():
    words = Words.of(
        [word(0, 10, 10, 30, 20), word(2, 34, 10, 60, 20), word(4, 10, 24, 40, 34), word(6, 300, 24, 340, 34)]
    )
    assert lines_of(words, 0, 7) == [(10, 10, 60, 20), (10, 24, 40, 34), (300, 24, 340, 34)]
    assert lines_of(words, 2, 3) == [(34, 10, 60, 20)]
    right_to_left = Words.of([word(0, 60, 10, 90, 20), word(2, 34, 10, 56, 20)])
    assert lines_of(right_to_left, 0, 3) == [(34, 10, 90, 20)]


def test_an_excerpt_is_cut_between_words():
    text = "one two " * 200 + "THE QUOTE" + " three four" * 200
    start = text.index("THE QUOTE")
    cutting = excerpt(text, start, start + 9)
    assert cutting.quote == "THE QUOTE"
    assert cutting.before.startswith("… ")
    assert cutting.after.endswith(" …")
    assert len(cutting.before) <= AROUND + 2
    assert text.startswith(
        cutting.before.removeprefix("…").lstrip(), start - len(cutting.before.removeprefix("…").lstrip())
    )
    whole = excerpt("a QUOTE b", 2, 7)
    assert (whole.before, whole.quote, whole.after) == ("a ", "QUOTE", " b")


# --- when something goes wrong ---------------------------------------------------------------------------------------


def test_without_a_writer_the_other_forms_go_on(tmp_path, clock):
    with build(tmp_path / "x", Engines(reader=PlainReader()), clock) as bench:
        with pytest.raises(BadInput) as caught:
            bench.reports.write(tmp_path / "a.pdf")
        assert "html" in caught.value.hint
        for ending in (".html", ".pack.html", ".csv", ".md", ".json"):
            bench.reports.write(tmp_path / f"a{ending}")


class StoppedWriter(PlainWriter):
    def write(self, form, report, pictures):
        raise EngineStopped(engine="report writer", item="the report as PDF", reason="it was stopped on request")


def test_an_older_file_survives_whatever_fails(bench, tmp_path):
    target = tmp_path / "a.pdf"
    target.write_bytes(b"older")
    bench.engines = dataclasses.replace(bench.engines, writer=StoppedWriter())
    entries = len(bench.store.log.entries())
    with pytest.raises(EngineStopped):
        bench.reports.write(target)
    with pytest.raises(CannotWrite):
        bench.reports.write(tmp_path / "no such folder" / "a.md")
    assert target.read_bytes() == b"older"
    assert len(bench.store.log.entries()) == entries
    assert not list(tmp_path.glob("*.part"))


def test_cancelling_writes_nothing(bench, tmp_path):
    steps: list[str] = []
    progress = Progress(lambda done, total, step: steps.append(step) or (done == 2 and progress.cancel()))
    with pytest.raises(Cancelled):
        bench.reports.write(tmp_path / "a.pack.html", progress=progress)
    assert any("Cutting out the page behind" in step for step in steps)
    assert not (tmp_path / "a.pack.html").exists()


# --- with the real engines -------------------------------------------------------------------------------------------

REAL = """
import hashlib, sys
from datetime import UTC, datetime
from pathlib import Path
from core.runtime import launch
from core.workers.engines import ReaderClient, WriterClient
from core.report.service import FORMS
from core.ports import Engines
from core.store import integrity as check
from core.workbench import Workbench
folder, case, moment = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
engines = Engines(reader=ReaderClient(), writer=WriterClient())
with Workbench.open(case, engines) as bench:
    for ending in FORMS:
        print(ending, bench.reports.write(folder / f'r{ending}', as_of=moment).sha256)
launch.close(engines)
"""


@pytest.mark.slow
def test_two_processes_write_the_same_bytes_of_every_form(tmp_path, clock):
    import pymupdf

    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The hoist motor of gate two was serviced in March.", fontsize=11)
    folder = tmp_path / "case"
    folder.mkdir()
    document.save(folder / "inspection.pdf")
    engines = Engines(reader=ReaderClient(), writer=WriterClient(), embedder=HashEmbedder(), judge=ScriptedJudge())
    with build(folder, engines, clock) as bench:
        bench.documents.add([folder / "inspection.pdf"])
        text = bench.documents.page("D3", 1).text
        start = text.index("hoist motor")
        bench.evidence.add_quote("D3", 1, start, start + len("hoist motor of gate two"))
        bench.evidence.rate("E5", "H1", "I")
    engines.reader.close()
    engines.writer.close()
    moment = clock.time.isoformat()
    outputs = []
    for seed, zone in (("1", "Asia/Tokyo"), ("2", "America/New_York")):
        out = tmp_path / f"out{seed}"
        out.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone}
        run = subprocess.run(
            [sys.executable, "-c", REAL, str(out), str(folder / "case.disconfirm"), moment],
            env=environment, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True,
        )  # fmt: skip
        outputs.append(run.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0].splitlines()) == len(FORMS)
    pack = (tmp_path / "out1" / "r.pack.html").read_bytes()
    (picture,) = pictures_of(pack)
    pixels = pymupdf.Pixmap(picture)
    assert any(pixels.pixel(x, y)[:3] == (200, 96, 0) for x in range(pixels.width) for y in range(pixels.height))
    with pymupdf.open(tmp_path / "out1" / "r.pdf") as pdf:
        assert sum(len(page.get_images()) for page in pdf) == 1


def test_what_is_too_much_to_print_is_said_and_counted(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(service, "PRINTED_CELLS", 3 * 22)
    text = bench.reports.write(tmp_path / "a.pdf").file.read_text()
    assert "1 of 4 pieces of evidence are not printed here, although all of them count" in text
    assert "And 1 more piece of evidence" in text
    assert "not printed" not in bench.reports.write(tmp_path / "a.html").file.read_text("utf-8")
    assert "not printed" not in bench.reports.write(tmp_path / "a.xlsx").file.read_text("utf-8")


@pytest.mark.parametrize("ending", FORMS)
def test_no_form_tells_where_or_by_which_computer_it_was_written(tmp_path, clock, ending):
    import getpass
    import io
    import socket
    import zipfile

    engines = Engines(reader=PlainReader(), writer=FileWriter())
    folder = tmp_path / "canary_folder"
    with build(folder, engines, clock) as bench:
        raw = bench.reports.write(folder / f"out{ending}").file.read_bytes()
    parts = [raw]
    if raw[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts += [archive.read(name) for name in archive.namelist()]
    elif raw[:2] == b"\x1f\x8b":
        parts.append(gzip.decompress(raw))
    elif raw[:4] == b"%PDF":
        import pymupdf

        with pymupdf.open(stream=raw) as pdf:
            parts.append(pdf.get_xml_metadata().encode())
            parts.append(repr(pdf.metadata).encode())
            parts += [page.get_text().encode() for page in pdf]
    # A name of a few letters could be part of any word.
    names = [name.encode() for name in (socket.gethostname(), getpass.getuser()) if len(name) > 4]
    words = [b"canary_folder", str(tmp_path).encode(), *names]
    for part in parts:
        for word in words:
            assert word not in part
            assert word.decode().encode("utf-16-le") not in part


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".json", ".achz"])
def test_what_was_written_can_be_brought_into_another_case(tmp_path, clock, ending):
    engines = Engines(reader=FileReader(), writer=FileWriter())
    with build(tmp_path / "one", engines, clock) as bench:
        bench.case.sign_as("Ben")
        bench.evidence.rate("E1", "H1", "I")  # the two disagree, so that there is more than the matrix to tell
        file = bench.reports.write(tmp_path / f"out{ending}").file
        ratings = [row.ratings for row in bench.matrix.compute().rows]
        texts = [h.text for h in bench.hypotheses.all()]
    with Workbench.create(tmp_path / "two.disconfirm", engines, who="Ben", now=clock) as second:
        brought = second.matrix.import_file(file)
        assert (brought.hypotheses, brought.evidence, brought.ratings) == (2, 4, 4)
        assert [h.text for h in second.hypotheses.all()] == texts
        assert [row.ratings for row in second.matrix.compute().rows] == ratings


WRITES = """
import sys
import time
from pathlib import Path
from core.ports import Engines
from core.store import integrity as check
from core.workbench import Workbench
from tests.fakes import PlainReader
with Workbench.open(Path(sys.argv[1]), Engines(reader=PlainReader())) as bench:
    print('open', flush=True)
    while True:
        for seq in ('5', '12'):
            bench.reports.write(Path(sys.argv[2]), as_of=seq)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_kill_leaves_the_old_report_or_the_new_one(tmp_path, engines, clock):
    with build(tmp_path / "case", engines, clock) as bench:
        whole = {bench.reports.write(tmp_path / f"{seq}.html", as_of=seq).file.read_bytes() for seq in ("5", "12")}
    target = tmp_path / "out.html"
    target.write_bytes(next(iter(whole)))
    for pause in (0.003, 0.01, 0.02, 0.05, 0.11):
        child = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(tmp_path / "case" / "case.disconfirm"), str(target)],
            cwd=Path(__file__).parents[3], stdout=subprocess.PIPE,
        )  # fmt: skip
        assert child.stdout.readline() == b"open\n"
        time.sleep(pause)
        child.kill()
        child.wait()
        child.stdout.close()
        assert target.read_bytes() in whole


def test_a_reading_of_every_passage_is_even_effort(bench):
    bench.hypotheses.add("Nothing in the documents shares a word with this quasar.")
    bench.review.propose()
    search = {effort.hypothesis: effort for effort in bench.reports.data().search}
    passages = len(bench.plans.passages_in_use())
    assert {effort.passages for effort in search.values()} == {passages}
    assert not any(effort.uneven for effort in search.values())
    for effort in search.values():
        assert effort.supports + effort.contradicts + effort.neutral + effort.ambiguous == passages


def test_the_report_counts_passages_as_the_search_log_does(bench):
    bench.review.propose()
    fields = ("hypothesis", "passages", "supports", "contradicts", "neutral", "ambiguous")
    report, log = bench.reports.data().search, bench.plans.effort()
    assert [[getattr(row, name) for name in fields] for row in report] == [
        [getattr(row, name) for name in fields] for row in log
    ]
