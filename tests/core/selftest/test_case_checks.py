"""The checks of the work on a case: all of them on a real case, and each with a fault of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.engines.readers.dispatch import FileReader
from core.engines.report_writers.dispatch import FileWriter
from core.errors import Problem, UnreadableDocument
from core.evidence.quotes import Answer
from core.matrix.service import MatrixService
from core.passphrase import Passphrase
from core.ports import Engines
from core.progress import silent
from core.report.service import FORMS, Reports
from core.selftest import case_checks
from core.selftest.parts import PartFailed
from core.selftest.trial import Trial
from core.workbench import Workbench, encryption
from tests.fakes import HashEmbedder

ENGINES = Engines(reader=FileReader(), embedder=HashEmbedder(), writer=FileWriter())


@pytest.fixture
def trial(tmp_path):
    trial = Trial(ENGINES, tmp_path, silent())
    yield trial
    trial.close()


@pytest.fixture
def begun(trial):
    """A trial whose case has its documents and the quote."""
    case_checks.add_documents(trial)
    case_checks.find_quote(trial)
    return trial


def test_every_check_passes_on_a_whole_program(trial):
    notes = {name: check(trial) for name, check in case_checks.checks(trial)}
    assert len(notes) == 7 + len(FORMS)
    assert notes["Case: documents"] == "4 documents, 4 passages"
    assert notes["Case: true quote"] == "verified on page 1 of note.pdf"
    assert notes["Case: matrix"] == "H1 1.00, H2 4.00, as worked out by hand"
    assert notes["Export: PDF (pdf)"].endswith("the quote is in it")


def test_without_a_case_every_other_part_says_why(trial):
    alone = ("Case: documents", "Case: encryption")
    rest = [check for name, check in case_checks.checks(trial) if name not in alone]
    for check in rest:
        with pytest.raises(PartFailed) as failure:
            check(trial)
        assert failure.value.remedy == "Fix the part “Case: documents”."


def test_a_document_that_is_not_read_is_named(trial):
    class Refusing(FileReader):
        def read(self, data, name, **options):
            if name == "note.pdf":
                raise UnreadableDocument(reason="The page tree is damaged.", remedy="Print it again.")
            yield from super().read(data, name, **options)

    trial.engines = replace(ENGINES, reader=Refusing())
    with pytest.raises(PartFailed, match=r"note\.pdf: The page tree is damaged") as failure:
        case_checks.add_documents(trial)
    assert failure.value.remedy == "Print it again."


def test_a_search_that_does_not_find_the_passage_fails(begun, monkeypatch):
    assert case_checks.search(begun) == "found first by words and meaning"
    monkeypatch.setattr(case_checks, "QUESTION", "apples on the market square")
    with pytest.raises(PartFailed, match="not found first"):
        case_checks.search(begun)


def test_a_search_by_words_alone_fails_where_there_is_a_search_model(trial, monkeypatch):
    trial.engines = replace(ENGINES, embedder=None)
    case_checks.add_documents(trial)
    assert case_checks.search(trial) == "found first by words"
    trial.engines = ENGINES
    with pytest.raises(PartFailed, match="words alone"):
        case_checks.search(trial)


def test_a_true_quote_that_is_not_verified_and_a_false_one_that_is_fail(begun, monkeypatch):
    truth = begun.bench.evidence.check(case_checks.SENTENCE)
    monkeypatch.setattr(type(begun.bench.evidence), "check", lambda *_: Answer("not_found"))
    with pytest.raises(PartFailed, match="not found"):
        case_checks.find_quote(begun)
    assert case_checks.refuse_quote(begun) == "refused: not found"
    monkeypatch.setattr(type(begun.bench.evidence), "check", lambda *_: truth)
    with pytest.raises(PartFailed, match="taken for true"):
        case_checks.refuse_quote(begun)
    monkeypatch.setattr(type(begun.bench.evidence), "check", lambda *_: replace(truth, status="near"))
    with pytest.raises(PartFailed, match="misprint"):
        case_checks.refuse_quote(begun)


def test_other_scores_or_another_leader_fail(begun, monkeypatch):
    compute = MatrixService.compute
    monkeypatch.setattr(
        MatrixService, "compute", lambda self: replace(compute(self), leaders={"weighted_inconsistency": ("H2",)})
    )
    with pytest.raises(PartFailed, match="wrong hypothesis"):
        case_checks.score_matrix(begun)


def test_scores_that_differ_are_shown(begun, monkeypatch):
    monkeypatch.setattr(case_checks, "SCORES", {"H1": 1.0, "H2": 3.0})
    with pytest.raises(PartFailed, match="should be"):
        case_checks.score_matrix(begun)


@pytest.mark.parametrize("form", [form for form in FORMS if form not in (".json", ".achz")])
def test_an_export_without_the_quote_fails(begun, monkeypatch, form):
    monkeypatch.setattr(case_checks, "SENTENCE", "The pump went on.")
    with pytest.raises(PartFailed, match="the quote is missing"):
        case_checks.export(begun, form)


@pytest.mark.parametrize("form", [".json", ".achz"])
def test_a_matrix_that_comes_back_smaller_fails(begun, form):
    begun.bench.hypotheses.add("The pump failed.")
    with pytest.raises(PartFailed, match="two hypotheses"):
        case_checks.export(begun, form)


def test_a_file_that_cannot_be_read_again_fails(begun, monkeypatch):
    render = Reports.render
    monkeypatch.setattr(Reports, "render", lambda self, *arguments: render(self, *arguments)[:200])
    with pytest.raises(Exception, match=r"damaged|archive"):
        case_checks.export(begun, ".docx")


def test_a_case_that_does_not_verify_fails(begun, monkeypatch):
    assert case_checks.verify(begun)
    real = type(begun.bench.case).verify
    problem = Problem("page 1", "was changed", "Restore a backup.")
    for fault in ({"problems": (problem,)}, {"ok": False}):
        monkeypatch.setattr(
            type(begun.bench.case), "verify", lambda self, progress, fault=fault: replace(real(self), **fault)
        )
        with pytest.raises(PartFailed, match=r"was changed|does not verify"):
            case_checks.verify(begun)
    assert isinstance(begun.bench, Workbench)


def test_a_case_that_is_not_encrypted_or_opens_with_anything_fails(trial, monkeypatch, tmp_path):
    assert case_checks.encrypt(trial) == "opens with its passphrase and with no other"
    key = encryption.unlock(tmp_path / "encrypted.disconfirm", Passphrase("right"))
    (tmp_path / "encrypted.disconfirm").unlink()
    monkeypatch.setattr(encryption, "make_key", lambda _passphrase: key)
    monkeypatch.setattr(encryption, "unlock", lambda *_: key)
    with pytest.raises(PartFailed, match="wrong passphrase"):
        case_checks.encrypt(trial)
    (tmp_path / "encrypted.disconfirm").unlink()
    monkeypatch.setattr(encryption, "make_key", lambda _passphrase: None)
    with pytest.raises(PartFailed, match="can be read in its file"):
        case_checks.encrypt(trial)
