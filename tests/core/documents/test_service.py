"""The life of a document: failed and tried again, locked and opened, described, replaced, removed, brought back."""

from __future__ import annotations

import dataclasses
import json
import os

import pytest

from core.documents import folder_scan
from core.errors import AppError, BadInput, NoSuchItem
from core.progress import Cancelled, Progress
from core.workbench import Workbench
from tests.contracts import zipped
from tests.fakes import HashEmbedder

LOG = "The night log shows that the dosing pump stopped at 02:14.\nThe operator did not touch the dosing pump."
MEMO = "The vendor account opened the valve remotely.\fThe vendor never had an account for the valve."
SECRET = "LOCKED:swordfish:The vault was opened at midnight by the night guard."


def put(folder, name, text, *, age=0):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (1_700_000_000 + age, 1_700_000_000 + age))
    return path


def statuses(report):
    return {item.name: item.status for item in report.documents}


def rows_of(bench):
    return [(d.id, d.name, d.status) for d in bench.documents.all()]


# --- failed ----------------------------------------------------------------------------------------------------------


def test_a_failed_file_is_kept_with_its_bytes_and_reason_and_is_no_document(bench, inbox):
    put(inbox, "noise.bin", b"\xff\xfe\xfd")
    put(inbox, "log.txt", LOG)
    report = bench.documents.add([inbox])
    failed = report.documents[1]
    assert statuses(report) == {"log.txt": "added", "noise.bin": "failed"}
    assert (failed.id, failed.reason) == ("D2", "noise.bin is not UTF-8 text.")
    assert [(d.id, d.status, d.pages) for d in bench.documents.failed()] == [("D2", "failed", 0)]
    assert bench.documents.failed()[0].remedy == "Save it as UTF-8."
    assert bench.documents.original("D2") == b"\xff\xfe\xfd"
    assert rows_of(bench) == [("D1", "log.txt", "ready")]
    counts = bench.store.counts()
    assert (counts["documents"], counts["pages"]) == (1, 1)
    with pytest.raises(NoSuchItem):
        bench.search.passages_for("pump", include=["D9"])
    data = bench.reports.data()
    assert [(d.id, d.status) for d in data.documents] == [("D1", "ready"), ("D2", "failed")]
    told_html = bench.reports.render(".html", data, Progress(lambda *_: None)).decode()
    assert "not read, so search cannot find it: noise.bin is not UTF-8 text." in told_html


def test_adding_a_failed_file_again_tries_again_and_keeps_its_number(bench, inbox, reader):
    reader.broken = {"memo.txt"}
    path = put(inbox, "memo.txt", MEMO)
    assert bench.documents.add([path]).documents[0].id == "D1"
    item = bench.documents.add([path]).documents[0]
    assert (item.status, item.id) == ("failed", "D1")
    reader.broken = set()
    assert bench.documents.add([path]).documents[0].status == "added"
    assert rows_of(bench) == [("D1", "memo.txt", "ready")]
    assert (bench.documents.get("D1").reason, bench.documents.failed()) == ("", [])
    assert bench.search.passages_for("vendor account").passages
    verbs = [entry.verb for entry in bench.store.log.entries()]
    assert verbs == ["create case", "add document", "add document"]  # a second failure alike is no news
    assert bench.store.undo.undoable() is None


def test_retrying_reads_what_is_kept(bench, inbox, reader):
    reader.broken = {"memo.txt", "log.txt"}
    put(inbox, "memo.txt", MEMO)
    put(inbox, "log.txt", LOG)
    bench.documents.add([inbox])
    for path in inbox.iterdir():
        path.unlink()
    reader.broken = {"memo.txt"}
    assert statuses(bench.documents.retry()) == {"log.txt": "added", "memo.txt": "failed"}
    reader.broken = set()
    assert statuses(bench.documents.retry(["D2"])) == {"memo.txt": "added"}
    with pytest.raises(BadInput):
        bench.documents.retry(["D1"])
    assert bench.documents.retry().documents == ()


def test_a_failed_file_inside_another_is_kept_and_counted_once(bench, inbox):
    put(inbox, "a.zip", zipped({"log.txt": LOG.encode(), "noise.bin": b"\xff\xfe", "locked.txt": b"x"}))
    report = bench.documents.add([inbox])
    assert statuses(report) == {
        "a.zip": "added",
        "a.zip/log.txt": "added",
        "a.zip/noise.bin": "failed",
        "a.zip/locked.txt": "failed",
    }
    ids = {item.name: item.id for item in report.documents}
    assert ids["a.zip/locked.txt"] is None  # there was nothing to keep
    assert bench.documents.get(ids["a.zip/log.txt"]).parent == ids["a.zip"]
    assert bench.documents.get(ids["a.zip/noise.bin"]).parent == ids["a.zip"]
    assert len(report.problems) == 2


def test_cancelling_leaves_no_half_read_document_and_a_failed_one_failed(bench, inbox, reader):
    reader.broken = {"memo.txt"}
    put(inbox, "memo.txt", MEMO)
    bench.documents.add([inbox])
    document = bench.documents.get("D1")
    reader.broken = set()
    progress = Progress(lambda *_: None)
    real = reader.read

    def cancels(data, name, *, password=""):
        for item in real(data, name, password=password):
            yield item
            progress.cancel()

    reader.read = cancels
    with pytest.raises(Cancelled):
        bench.documents.add([inbox], progress)
    assert bench.documents.get("D1") == document
    assert bench.case.verify().ok
    del reader.read
    assert bench.documents.add([inbox]).documents[0].status == "added"


def test_a_kill_while_a_failed_file_is_read_again_loses_nothing(bench, inbox, reader):
    reader.broken = {"memo.txt"}
    put(inbox, "memo.txt", MEMO)
    bench.documents.add([inbox])
    bench.store.documents.restart("D1", name="memo.txt", reader="plain reader 1")
    assert bench.case.verify().ok
    assert [d.status for d in bench.store.history.state().documents] == ["failed"]
    reader.broken = set()
    assert bench.documents.add([inbox]).documents[0].status == "added"


# --- passwords -------------------------------------------------------------------------------------------------------


def test_a_locked_file_says_so_and_opens_with_its_password(bench, inbox, reader):
    put(inbox, "vault.txt", SECRET)
    put(inbox, "vault2.txt", SECRET + " Again.")
    report = bench.documents.add([inbox])
    assert [(item.status, item.locked) for item in report.documents] == [("failed", True), ("failed", True)]
    assert bench.documents.locked() == {"D1", "D2"}
    assert statuses(bench.documents.unlock("D1", "wrong")) == {"vault.txt": "failed"}
    assert bench.documents.locked() == {"D1", "D2"}
    assert statuses(bench.documents.unlock(["D1", "D2"], "swordfish")) == {"vault.txt": "added", "vault2.txt": "added"}
    assert bench.documents.locked() == set()
    assert bench.search.passages_for("vault midnight").passages[0].document in ("D1", "D2")
    bench.documents.picture("D1", 1)
    assert reader.shown == ["swordfish"]
    bench.documents.strip("D1", 1, (1, 1, 9, 9), 1.0)
    with pytest.raises(BadInput):
        bench.documents.unlock("D1", "")


def test_a_forgotten_password_can_be_given_again(bench, inbox, reader):
    put(inbox, "vault.txt", SECRET)
    put(inbox, "memo.txt", MEMO)
    bench.documents.add([inbox], passwords=["swordfish"])
    locked = next(document.id for document in bench.documents.all() if document.name == "vault.txt")
    memo = next(document.id for document in bench.documents.all() if document.name == "memo.txt")
    texts = [page.text for page in bench.documents.pages(locked)]
    assert bench.documents.without_password() == set()
    bench.documents.forget_passwords([locked])
    assert (bench.documents.with_password(), bench.documents.without_password()) == ([], {locked})
    assert bench.documents.locked() == set()
    for wrong in ("", "wrong"):
        assert bench.documents.store_password([locked], wrong) == []
    assert bench.documents.without_password() == {locked}
    with pytest.raises(BadInput):
        bench.documents.store_password([memo], "swordfish")
    assert bench.documents.store_password([locked], "swordfish") == [locked]
    assert (bench.documents.with_password(), bench.documents.without_password()) == ([locked], set())
    assert [page.text for page in bench.documents.pages(locked)] == texts
    bench.documents.picture(locked, 1)
    assert reader.shown == ["swordfish"]
    assert bench.case.verify().ok


def test_a_password_is_tried_on_what_comes_later_and_stands_nowhere_else(bench, inbox, tmp_path):
    put(inbox, "vault.txt", SECRET)
    assert statuses(bench.documents.add([inbox], passwords=["no", "swordfish"])) == {"vault.txt": "added"}
    late_file = put(tmp_path, "late.txt", SECRET + " Later.")
    assert statuses(bench.documents.add([late_file])) == {"late.txt": "added"}
    assert all("swordfish" not in entry.before + entry.after for entry in bench.store.log.entries())
    for form in ("html", "json", "csv", "md", "pack.html"):
        bench.reports.write(tmp_path / f"out.{form}")
        assert b"swordfish" not in (tmp_path / f"out.{form}").read_bytes()


# --- described -------------------------------------------------------------------------------------------------------


def test_language_is_that_of_most_of_the_text(bench, inbox):
    put(inbox, "a.txt", "Le pont est fermé depuis hier soir, dit la police.\fShort.\fTiny.")
    bench.documents.add([inbox])
    assert bench.documents.get("D1").language == "fr"


def test_documents_are_described_together_and_new_evidence_starts_with_it(bench, inbox):
    put(inbox, "log.txt", LOG)
    put(inbox, "memo.txt", MEMO)
    bench.documents.add([inbox])
    bench.documents.describe(["D1", "D2"], tags=["night", "pump"], origin="County police", reliability="b")
    bench.documents.describe(["D1"], add_tags=["log"], remove_tags=["PUMP"], information="2", dated="2021-05-03")
    first, second = bench.documents.all()
    assert (first.tags, first.origin, first.reliability, first.information, first.dated) == (
        ("night", "log"), "County police", "B", "2", "2021-05-03",
    )  # fmt: skip
    assert second.tags == ("night", "pump")
    assert bench.documents.tags() == ["log", "night", "pump"]
    added = bench.evidence.add_quote("D1", 1, 0, 20)
    row = next(item for item in bench.evidence.all() if item.id == added.id)
    assert (row.source, row.reliability, row.information, row.date) == (
        "County police: log.txt", "B", "2", "2021-05-03",
    )  # fmt: skip
    bench.hypotheses.add("The vendor account opened the valve.")
    bench.review.propose()
    pending = [p.id for p in bench.verdicts.proposals(status="pending") if p.quote.document == "D2"][:1]
    accepted = bench.review.accept(pending).pairs[0][0]
    row = next(item for item in bench.evidence.all() if item.id == accepted)
    assert (row.source, row.reliability, row.information) == ("County police: memo.txt", "B", "")
    bench.case.undo()
    bench.case.undo()  # the hypothesis
    bench.case.undo()  # the quote
    assert bench.case.undo().verb == "describe documents"
    assert bench.documents.get("D1").tags == ("night", "pump")
    bench.case.redo()
    assert bench.documents.get("D1").dated == "2021-05-03"


@pytest.mark.parametrize(
    "fields",
    [
        {"reliability": "G"},
        {"information": "0"},
        {"dated": "yesterday"},
        {"colour": "red"},
        {"tags": ["x" * 61]},
        {"tags": [str(n) for n in range(51)]},
        {"origin": ["a"]},
        {"pages": "7"},
    ],
)
def test_what_cannot_be_said_of_a_document_is_refused(bench, inbox, fields):
    put(inbox, "log.txt", LOG)
    bench.documents.add([inbox])
    with pytest.raises(BadInput):
        bench.documents.describe(["D1"], **fields)
    with pytest.raises(NoSuchItem):
        bench.documents.describe(["D1", "D7"], note="x")
    assert bench.documents.get("D1").note == ""
    for fine in ("2021", "2021-05", "2021-05-03/2021-06", ""):
        bench.documents.describe(["D1"], dated=fine)
        assert bench.documents.get("D1").dated == fine


# --- versions --------------------------------------------------------------------------------------------------------


def test_other_bytes_at_the_same_place_are_a_newer_version(bench, inbox):
    path = put(inbox, "log.txt", LOG)
    bench.documents.add([path])
    row = bench.evidence.add_quote("D1", 1, 0, 20).id
    put(inbox, "log.txt", LOG.replace("02:14", "03:14"), age=5)
    item = bench.documents.add([path]).documents[0]
    assert (item.id, item.status, item.version_of, item.dependents) == ("D2", "added", "D1", (row,))
    assert bench.documents.get("D1").superseded_by == "D2"
    assert bench.documents.imports(0)[0].status == "new_version"
    assert "superseded" in bench.matrix.compute().rows[0].flags
    assert bench.case.undo().verb == "supersede"
    assert bench.documents.get("D1").superseded_by == ""
    put(inbox, "log.txt", LOG, age=9)  # the older one came back: nothing is newer than itself
    assert bench.documents.add([path]).documents[0].status == "duplicate"


def test_a_version_that_cannot_be_read_is_passed_over(bench, inbox):
    path = put(inbox, "log.txt", LOG)
    bench.documents.add([path])
    put(inbox, "log.txt", b"\xff\xfe", age=5)
    assert bench.documents.add([path]).documents[0].status == "failed"
    assert bench.documents.get("D1").superseded_by == ""
    put(inbox, "log.txt", LOG + " More.", age=9)
    assert bench.documents.add([path]).documents[0].version_of == "D1"


def test_the_same_name_elsewhere_with_nearly_the_same_words_is_only_suggested(bench, inbox, tmp_path):
    words = " ".join(f"word{n} says thing{n}" for n in range(120))
    put(inbox, "log.txt", words)
    bench.documents.add([inbox])
    (tmp_path / "new").mkdir()
    item = bench.documents.add([put(tmp_path / "new", "log.txt", words + " And a last sentence.")]).documents[0]
    assert (item.status, item.of, item.may_replace, item.version_of) == ("near_duplicate", "D1", "D1", None)
    assert bench.documents.get("D1").superseded_by == ""


def test_only_what_changed_is_added(bench, inbox, monkeypatch):
    put(inbox, "log.txt", LOG)
    put(inbox, "memo.txt", MEMO)
    put(inbox, "noise.bin", b"\xff\xfe")
    bench.documents.add([inbox])
    put(inbox, "memo.txt", MEMO + " More.", age=5)
    put(inbox, "new.txt", "Something else entirely.")
    read = []
    real = folder_scan.file_bytes
    monkeypatch.setattr(
        "core.documents.importing.file_bytes", lambda path, *more: read.append(path.name) or real(path, *more)
    )
    report = bench.documents.add([inbox], changed_only=True)
    assert (statuses(report), report.unchanged_files) == ({"memo.txt": "added", "new.txt": "added"}, 2)
    assert set(read) == {"memo.txt", "new.txt"}
    assert bench.documents.add([inbox], changed_only=True).documents == ()


# --- removal ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def filled(bench, inbox):
    put(inbox, "a.zip", zipped({"log.txt": LOG.encode(), "memo.txt": MEMO.encode()}))
    bench.documents.add([inbox])
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.hypotheses.add("The vendor account opened the valve.")
    bench.review.propose()
    log = next(d.id for d in bench.documents.all() if d.name == "a.zip/log.txt")
    bench.evidence.add_quote(log, 1, 0, 20)
    bench.evidence.rate("E1", "H1", "CC")
    bench.evidence.rate("E1", "H2", "I")
    return bench


def state_of(bench):
    case = bench.store
    return (
        case.documents.all(),
        case.evidence.all(),
        case.ratings.assessments(),
        case.proposals.all(),
        bench.matrix.compute(),
    )


def test_removing_says_what_hangs_on_it_and_takes_it_only_when_told(filled):
    log = filled.evidence.all()[0].document
    hanging = filled.documents.dependents([log])
    assert (hanging.evidence, hanging.cells, hanging.children) == (("E1",), 2, ())
    assert hanging.proposals == sum(p.quote.document == log for p in filled.verdicts.proposals()) > 0
    initial_state = state_of(filled)
    with pytest.raises(BadInput) as refused:
        filled.documents.remove([log])
    assert "E1 with 2 ratings" in refused.value.sentence
    assert state_of(filled) == initial_state
    removal = filled.documents.remove([log], with_evidence=True)
    assert removal.dependents == hanging
    assert log not in [d.id for d in filled.documents.all()]
    assert [d.id for d in filled.documents.removed()] == [log]
    assert filled.evidence.all() == []
    assert all(p.quote.document != log for p in filled.verdicts.proposals())
    assert all(p.document != log for mode in ("hybrid", "vector", "lexical")
               for p in filled.search.passages_for("dosing pump", mode=mode).passages)  # fmt: skip
    assert filled.evidence.check("the dosing pump stopped at 02:14").status == "not_found"
    assert not set(filled.store.pages.every_chunk()) & set(filled.store.pages.chunk_ids(log))
    assert log not in {page.document for page in filled.store.pages.of(None)}
    assert filled.case.verify().ok
    with pytest.raises(AppError):
        filled.evidence.add_quote(log, 1, 0, 20)
    assert filled.case.undo().verb == "remove documents"
    assert state_of(filled) == initial_state
    assert filled.search.passages_for("dosing pump").passages
    filled.case.redo()
    assert log not in [d.id for d in filled.documents.all()]
    assert log not in [d.id for d in filled.reports.data().documents]


def test_what_was_found_in_a_document_goes_with_it(filled):
    container = next(d.id for d in filled.documents.all() if d.name == "a.zip")
    hanging = filled.documents.dependents([container])
    assert len(hanging.children) == 2
    filled.documents.remove([container], with_evidence=True)
    assert filled.documents.all() == []
    assert filled.case.counts()["documents"] == filled.case.counts()["chunks"] == 0
    filled.case.undo()
    assert len(filled.documents.all()) == 3


def test_adding_a_removed_file_again_brings_it_back(bench, inbox):
    path = put(inbox, "log.txt", LOG)
    bench.documents.add([path])
    bench.documents.describe(["D1"], origin="Police")
    bench.documents.remove(["D1"])
    assert bench.search.passages_for("pump").passages == ()
    back = bench.documents.add([path]).documents[0]
    assert (back.id, back.status, back.pages) == ("D1", "added", 1)
    assert (bench.documents.get("D1").status, bench.documents.get("D1").origin) == ("ready", "Police")
    assert bench.search.passages_for("pump").passages
    bench.case.undo()
    assert bench.documents.all() == []


def test_a_document_removed_before_it_was_embedded_is_embedded_when_it_is_back(bench, inbox):
    engines = bench.engines
    bench.engines = dataclasses.replace(engines, embedder=None)
    put(inbox, "log.txt", LOG)
    bench.documents.add([inbox])
    bench.documents.remove(["D1"])
    bench.engines = engines
    put(inbox, "memo.txt", MEMO)
    bench.documents.add([inbox / "memo.txt"])
    bench.index.finish()
    assert bench.store.vectors.count_without(HashEmbedder.fingerprint) == 0
    bench.case.undo()
    assert bench.store.vectors.count_without(HashEmbedder.fingerprint) > 0
    bench.index.finish()
    assert bench.store.vectors.count_without(HashEmbedder.fingerprint) == 0
    assert bench.search.passages_for("dosing pump", mode="vector").passages


def test_removing_the_newer_version_frees_the_older_one(bench, inbox):
    path = put(inbox, "log.txt", LOG)
    bench.documents.add([path])
    put(inbox, "log.txt", LOG + " More.", age=5)
    bench.documents.add([path])
    bench.documents.remove(["D2"])
    assert bench.documents.get("D1").superseded_by == ""
    bench.case.undo()
    assert bench.documents.get("D1").superseded_by == "D2"


def test_what_was_proposed_after_an_undo_goes_with_a_redone_removal(bench, inbox):
    put(inbox, "log.txt", LOG)
    bench.documents.add([inbox])
    bench.hypotheses.add("The operator stopped the dosing pump.")
    bench.documents.remove(["D1"])
    bench.case.undo()
    bench.review.propose()
    assert bench.verdicts.proposals()
    bench.case.redo()
    assert bench.verdicts.proposals() == []
    bench.case.undo()
    assert bench.verdicts.proposals()


def test_reports_that_left_with_a_row_are_named(filled, tmp_path):
    log = filled.evidence.all()[0].document
    assert filled.documents.dependents([log]).reports == ()
    filled.reports.write(tmp_path / "out.html")
    assert filled.documents.dependents([log]).reports == ("out.html",)


# --- before and after an import --------------------------------------------------------------------------------------


def test_the_import_report_is_kept(bench, inbox, tmp_path):
    words = " ".join(f"word{n} says thing{n}" for n in range(120))
    put(inbox, "a.txt", words)
    bench.documents.add([inbox])
    put(inbox, "b.txt", words + " And more.")
    put(inbox, "noise.bin", b"\xff")
    bench.documents.add([inbox, tmp_path / "gone.txt"])
    first, *second = bench.documents.imports()
    assert (first.run, first.name, first.status, first.document) == (1, "a.txt", "added", "D1")
    assert [(row.run, row.name, row.status, row.of) for row in second] == [
        (2, "a.txt", "duplicate", "D1"),
        (2, "b.txt", "near_duplicate", "D1"),
        (2, "noise.bin", "failed", None),
        (2, "gone.txt", "failed", None),
    ]
    assert (second[1].measure, second[1].score > 0.9) == ("near", True)
    assert second[3].reason
    assert second[3].remedy
    assert bench.documents.imports(0) == second
    assert bench.store.log.entries()[-1].verb == "add document"  # what is kept here is no decision


# --- two copies ------------------------------------------------------------------------------------------------------


def test_a_merge_brings_what_is_known_of_documents(bench, inbox, tmp_path, reader):
    path = put(inbox, "vault.txt", SECRET)
    bench.documents.add([path], passwords=["swordfish"])
    put(inbox, "noise.bin", b"\xff")
    put(inbox, "a.zip", zipped({"log.txt": LOG.encode()}))
    bench.documents.add([inbox])
    bench.documents.describe(["D1"], tags=["one"], origin="Police", note="kept")
    target = tmp_path / "other.disconfirm"
    with Workbench.create(target, bench.engines, title="Other") as target_bench:
        put(inbox, "vault.txt", SECRET)
        assert target_bench.documents.add([path]).documents[0].locked
        bench.close()
        target_bench.case.merge(tmp_path / "case.disconfirm")
        vault = next(d for d in target_bench.documents.all() if d.name == "vault.txt")
        assert (vault.tags, vault.origin, vault.note, vault.language) == (("one",), "Police", "kept", "en")
        assert target_bench.store.imports.password(vault.id) == "swordfish"
        assert target_bench.documents.locked() == set()
        assert [d.name for d in target_bench.documents.failed()] == ["noise.bin"]
        inner = next(d for d in target_bench.documents.all() if d.name == "a.zip/log.txt")
        assert target_bench.documents.get(inner.parent).name == "a.zip"
        assert target_bench.case.verify().ok
    bench.__init__(type(bench.store).open(tmp_path / "case.disconfirm"), bench.engines)


def test_two_copies_that_said_different_things(bench, inbox, tmp_path):
    for number in range(3):
        put(inbox, f"{number}.txt", f"Text number {number} speaks of the pump.")
    bench.documents.add([inbox])
    bench.documents.describe(["D1", "D2", "D3"], tags=["old", "shared"], origin="Police")
    bench.close()
    copy = tmp_path / "copy.disconfirm"
    copy.write_bytes((tmp_path / "case.disconfirm").read_bytes())
    with Workbench.open(copy, bench.engines, who="bob") as copied_bench:
        copied_bench.documents.describe(["D1"], add_tags=["theirs"], remove_tags=["old"], origin="Court")
        copied_bench.evidence.add_quote("D2", 1, 0, 11)
        copied_bench.documents.remove(["D3"])
    bench.__init__(type(bench.store).open(tmp_path / "case.disconfirm", who="ann"), bench.engines)
    bench.documents.describe(["D1"], add_tags=["ours"], origin="Press")
    bench.documents.remove(["D2"])
    merged = bench.case.merge(copy)
    document = bench.documents.get("D1")
    assert set(document.tags) == {"shared", "theirs", "ours"}
    assert document.origin == "Press"
    assert any("origin is “Press” here and “Court”" in text for text in merged.conflicts)
    assert bench.documents.get("D2").status == "ready"
    assert any(text.startswith("D2 was removed here and is quoted") for text in merged.conflicts)
    assert any(text.startswith("D3 was removed in the other copy") for text in merged.conflicts)
    assert bench.case.verify().ok
    bench.case.undo()
    assert bench.documents.get("D2").status == "removed"
    assert json.loads(bench.store.log.entries()[-1].after)["document"]["D2"]["status"] == "removed"
