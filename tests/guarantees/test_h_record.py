"""What the case says of where everything comes from, and that a change of it is found."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess

import pytest

from core.documents import service
from core.domain import Document
from core.workbench import Workbench
from tests.guarantees.verbs import build, engines


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return build(tmp_path_factory.mktemp("case"))


def test_h1_every_change_is_found(lost):
    assert lost == []


def test_h2_a_report_names_the_hash_of_every_original(lost, path, tmp_path, record_property):
    assert lost == []
    with Workbench.open(path, engines()) as bench:
        hashes = {hashlib.sha256(bench.documents.original(item.id)).hexdigest() for item in bench.documents.all()}
        for form in ("html", "md", "json"):
            file = tmp_path / f"report.{form}"
            bench.reports.write(file)
            text = file.read_text("utf-8")
            assert {digest for digest in hashes if digest not in text} == set(), form
    assert len(hashes) > 2
    record_property("n", 3 * len(hashes))


def test_originals_are_compared_with_what_the_case_recorded(path, tmp_path, record_property):
    """By the usual program of the system, which knows nothing of this one; a changed file is found."""
    folder, copy = tmp_path / "out", tmp_path / "case.disconfirm"
    shutil.copyfile(path, copy)
    with Workbench.open(copy, engines()) as bench:
        files = bench.documents.write_originals(folder)
        hashes = {document.sha256 for document, _ in files}
        bench.reports.write(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text("utf-8")
    assert {digest for digest in hashes if digest not in report} == set()
    if shutil.which("sha256sum") is None:
        pytest.skip("this system has no sha256sum")
    compare = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    process = subprocess.run(compare, cwd=folder, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stdout.count(": OK")) == (0, len(files))
    for _, name in files:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content + b" ")
        process = subprocess.run(compare, cwd=folder, capture_output=True, text=True, check=False)
        assert (process.returncode, process.stdout.count("FAILED")) == (1, 1), name
        (folder / name).write_bytes(content)
    record_property("n", 2 * len(files))


@pytest.mark.parametrize("name", ["../a.txt", "a/b.TXT", "..", "a.b c", "x.\u202etxt", "a." + "x" * 9, "C:\\a.txt:b"])
@pytest.mark.parametrize("identity", ["D1", "../D1", "D1/x", "C:", "nul", "D1\n"])
def test_no_name_of_a_document_leads_out_of_the_folder(identity, name):
    file_name = service._file_name(Document(identity, name, "", "", 0, 1, 0, "ready", ""))
    assert re.fullmatch(r"(D1|([0-9a-f]{2})+)(\.[a-z0-9]{1,8})?", file_name)
    assert file_name.startswith("D1") == (identity == "D1")


def test_h3_a_changed_log_is_found(lost):
    assert lost == []


def test_h4_the_tables_are_what_the_log_replays(lost):
    assert lost == []


def test_h5_every_proposal_says_where_it_comes_from(lost, path, record_property):
    assert lost == []
    with Workbench.open(path, engines()) as bench:
        entries = bench.store.log.entries()
        entry_of = {entry.verb: entry for entry in entries if entry.verb == "propose"}
        proposals = bench.verdicts.proposals()
        for proposal in proposals:
            document = bench.documents.get(proposal.quote.document)
            page = bench.store.pages.by_id(proposal.quote.page_id)
            original = bench.documents.original(document.id)
            assert hashlib.sha256(original).hexdigest() == document.sha256
            assert page.text[proposal.quote.start : proposal.quote.end] == proposal.quote.text
            assert document.reader or page.fingerprint
            assert proposal.verdict.model == "scripted judge 1"
            assert abs(sum(vars_of(proposal.verdict.probabilities)) - 1) < 1e-6
        for row in bench.evidence.all():
            assert row.created_by
            assert row.created_at
        assert entry_of["propose"].at.endswith("Z")
        assert bench.store.vectors.models() == ["hash embedder 1"]
    assert len(proposals) > 2
    record_property("n", len(proposals))


def vars_of(probabilities):
    return (probabilities.supports, probabilities.contradicts, probabilities.neutral)


def test_h6_a_clock_that_was_set_back_changes_no_order(lost):
    assert lost == []
