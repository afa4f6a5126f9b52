"""What the case says of where everything comes from, and that a change of it is found."""

from __future__ import annotations

import hashlib

import pytest

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
        hashes = {hashlib.sha256(bench.documents.original(one.id)).hexdigest() for one in bench.documents.all()}
        for form in ("html", "md", "json"):
            file = tmp_path / f"report.{form}"
            bench.reports.write(file)
            text = file.read_text("utf-8")
            assert {one for one in hashes if one not in text} == set(), form
    assert len(hashes) > 2
    record_property("n", 3 * len(hashes))


def test_h3_a_changed_log_is_found(lost):
    assert lost == []


def test_h4_the_tables_are_what_the_log_replays(lost):
    assert lost == []


def test_h5_every_proposal_says_where_it_comes_from(lost, path, record_property):
    assert lost == []
    with Workbench.open(path, engines()) as bench:
        entries = bench.store.log.entries()
        made = {entry.verb: entry for entry in entries if entry.verb == "propose"}
        proposals = bench.verdicts.proposals()
        for one in proposals:
            document = bench.documents.get(one.quote.document)
            page = bench.store.pages.by_id(one.quote.page_id)
            original = bench.documents.original(document.id)
            assert hashlib.sha256(original).hexdigest() == document.sha256
            assert page.text[one.quote.start : one.quote.end] == one.quote.text
            assert document.reader or page.fingerprint
            assert one.verdict.model == "scripted judge 1"
            assert abs(sum(vars_of(one.verdict.probabilities)) - 1) < 1e-6
        for one in bench.evidence.all():
            assert one.created_by
            assert one.created_at
        assert made["propose"].at.endswith("Z")
        assert bench.store.vectors.models() == ["hash embedder 1"]
    assert len(proposals) > 2
    record_property("n", len(proposals))


def vars_of(probabilities):
    return (probabilities.supports, probabilities.contradicts, probabilities.neutral)


def test_h6_a_clock_that_was_set_back_changes_no_order(lost):
    assert lost == []
