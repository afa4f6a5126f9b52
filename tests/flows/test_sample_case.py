"""The sample case: its documents are what the script makes, its quotes stand in them, its ratings give the answer."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import sys
from collections import Counter

import pytest

from core import matrix, paths
from core.domain import DEFAULT_RULE, PageText
from core.engines.readers.dispatch import FileReader

FOLDER = paths.RESOURCES / "sample_case"
DOCUMENTS = FOLDER / "documents"
CASE = json.loads((FOLDER / "case.json").read_text("utf-8"))
EXPECTED = json.loads((FOLDER / "expected.json").read_text("utf-8"))
MANIFEST = json.loads((FOLDER / "manifest.json").read_text("utf-8"))
HYPOTHESES = [hypothesis["id"] for hypothesis in CASE["hypotheses"]]
SCANS = ["delivery-note-scan.pdf", "duty-sheet-scan.pdf"]


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("sample_case_build", FOLDER / "build.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def made(build):
    """Every document, made anew: name -> bytes."""
    return {name: make() for name, make in build.MAKE.items()}


@pytest.fixture(scope="module")
def pages() -> dict[tuple[str, int], PageText]:
    """Every page as the product reads it."""
    reader = FileReader()
    return {
        (file.name, found.number): found
        for file in sorted(DOCUMENTS.iterdir())
        for found in reader.read(file.read_bytes(), file.name)
        if isinstance(found, PageText)
    }


# --- the documents ---------------------------------------------------------------------------------------------------


def test_manifest_lists_the_kept_documents():
    kept = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in DOCUMENTS.iterdir()}
    assert kept == MANIFEST["sha256"]
    assert sum(file.stat().st_size for file in DOCUMENTS.iterdir()) < 2_000_000


def test_two_runs_make_the_same_bytes(build, made):
    assert {name: make() for name, make in build.MAKE.items()} == made


def test_script_makes_the_kept_bytes(build, made):
    different = [name for name, data in made.items() if hashlib.sha256(data).hexdigest() != MANIFEST["sha256"][name]]
    if build.versions() == MANIFEST["made_with"]:
        assert different == []
    else:  # another PyMuPDF or Pillow may pack the same page in other bytes, but nothing else may change
        assert [name for name in different if not name.endswith(".pdf")] == []


def test_script_makes_the_kept_text(made, pages):
    reader = FileReader()
    for name, data in made.items():
        texts = [page.text for page in reader.read(data, name) if isinstance(page, PageText)]
        assert texts == [page.text for (document, _), page in pages.items() if document == name], name


@pytest.mark.parametrize("name", SCANS)
def test_script_makes_the_kept_scan(made, name):
    image = pytest.importorskip("PIL.Image")
    reader = FileReader()
    one, two = (
        image.open(io.BytesIO(reader.render(data, name, 1, scale=1.0).png)).convert("L")
        for data in (made[name], (DOCUMENTS / name).read_bytes())
    )
    assert one.size == two.size
    differences = [abs(a - b) for a, b in zip(one.tobytes(), two.tobytes(), strict=True)]
    assert sum(differences) / len(differences) < 4


def test_only_the_scans_have_no_text(pages):
    assert sorted({document for (document, _), page in pages.items() if not page.text.strip()}) == SCANS


def test_every_document_is_short(pages):
    words = Counter()
    for (document, _), page in pages.items():
        words[document] += len(page.text.split())
    assert {name: count for name, count in words.items() if name not in SCANS and not 150 <= count <= 1400} == {}


# --- what is expected of them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["passages", "ratings"])
def test_every_quote_stands_on_its_page(pages, kind):
    for item in EXPECTED[kind]:
        page = pages[item["document"], item["page"]]
        assert flat(item["quote"]) in flat(page.text), item
        hidden = " ".join(page.text[start:end] for start, end in page.hidden_spans)
        assert flat(item["quote"]) not in flat(hidden), item


def test_passages_cover_both_sides_of_every_hypothesis():
    sides = Counter((item["hypothesis"], item["stance"]) for item in EXPECTED["passages"])
    assert len(EXPECTED["passages"]) >= 24
    assert {hypothesis for hypothesis, _ in sides} == set(HYPOTHESES)
    assert all(sides[hypothesis, "contradicts"] >= 3 for hypothesis in HYPOTHESES)
    assert all(sides[hypothesis, "supports"] >= 2 for hypothesis in HYPOTHESES)


def test_hypotheses_are_single_short_sentences():
    for hypothesis in CASE["hypotheses"]:
        assert len(hypothesis["text"].split()) <= 25
        assert hypothesis["text"].count(".") == 1


def test_ratings_give_the_expected_leaders():
    rows = [
        matrix.Row(str(number), item["ratings"], item["credibility"], item["relevance"])
        for number, item in enumerate(EXPECTED["ratings"])
    ]
    result = matrix.build(HYPOTHESES, rows)
    assert list(result.leaders[DEFAULT_RULE]) == EXPECTED["leaders"] == [EXPECTED["answer"]]
    assert result.unrated == 0
    quotes = {str(number): item["quote"] for number, item in enumerate(EXPECTED["ratings"])}
    removals = [linchpin for linchpin in result.linchpins if linchpin.change == "remove"]
    assert [(quotes[linchpin.evidence], linchpin.leaders) for linchpin in removals] == [
        (EXPECTED["linchpin"], ("H3", "H4"))
    ]
    [flagged] = [row for row in result.rows if "all_C" in row.flags]
    assert quotes[flagged.id] == EXPECTED["non_diagnostic"]


# --- what is planted -------------------------------------------------------------------------------------------------


def test_planted_instruction_is_visible_once_and_hidden_thrice(build, pages):
    planted = EXPECTED["planted_instruction"]
    page = pages[planted["document"], planted["page"]]
    seen, hidden, at = "", "", 0
    for start, end in sorted(page.hidden_spans):
        seen, hidden, at = seen + page.text[at:start], hidden + " " + page.text[start:end], end
    seen += page.text[at:]
    assert planted["quote"] == build.VISIBLE
    assert flat(planted["quote"]) in flat(seen)
    for sentence in planted["hidden"]:
        assert flat(sentence) in flat(hidden)
        assert flat(sentence) not in flat(seen)


def test_near_duplicates_differ_in_one_figure_and_the_line_of_the_date(pages):
    one, two = (flat(pages[name, 1].text).split() for name in EXPECTED["near_duplicates"]["documents"])
    dated = {"09:30", "16:40,", "corrected", "version"}
    rest_one, rest_two = ([word for word in words if word not in dated] for words in (one, two))
    assert [pair for pair in zip(rest_one, rest_two, strict=True) if pair[0] != pair[1]] == [
        tuple(EXPECTED["near_duplicates"]["figure"])
    ]


def test_forged_mail_contradicts_its_own_headers():
    import email.utils
    from email import message_from_bytes

    mail = message_from_bytes((DOCUMENTS / EXPECTED["forged"]["document"]).read_bytes())
    written = email.utils.parsedate_to_datetime(mail["Date"])
    received = email.utils.parsedate_to_datetime(mail.get_all("Received")[0].rpartition(";")[2].strip())
    assert (received - written).total_seconds() > 8 * 3600
    assert written.utcoffset() != received.utcoffset()
    assert mail["From"].split("@")[1].rstrip(">") != mail["Reply-To"].split("@")[1]
    assert "spf=fail" in mail["Authentication-Results"]
    assert f"{EXPECTED['near_duplicates']['figure'][0]} minutes" in mail.get_payload()
