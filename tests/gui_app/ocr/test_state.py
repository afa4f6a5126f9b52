"""What the screen for words of scans knows and says, without a window."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import pytest

from core.ocr.suspect_words import SuspectWord
from gui_app.ocr.state import NextStep, OcrState, load, next_step, resting_lines, scan_message, stale_sentence, words_of
from gui_app.ocr.suspects_model import decision_message, group_title
from tests.fakes import FakeOcr

BARE = OcrState([], (), scans=0, unread=0, poor=0, decision_count=0, resting=None, languages=(), names={}, rows={})
READY = {"has_case": True, "is_reading": False, "can_read": True}


@pytest.fixture
def bench(case, tmp_path):
    """A case with a scan of one line, of which E1 quotes the first two words."""
    (tmp_path / "scan.txt").write_text(" ", "utf-8")
    case.do(lambda bench: bench.documents.add([tmp_path / "scan.txt"]))
    case.engines = case.workbench.engines = dataclasses.replace(case.engines, ocr=FakeOcr("The gaurd~guard slept."))
    case.do(lambda bench: bench.ocr.read())
    case.do(lambda bench: bench.evidence.add_quote("D1", 1, 0, len("The gaurd")))
    return case.workbench


def test_loading_reads_words_rows_and_counts(bench):
    state = load(bench)
    assert [doubt.text for doubt in state.doubts] == ["gaurd"]
    assert (state.scans, state.unread, state.poor, state.decision_count, state.stale) == (1, 0, 0, 0, ())
    assert state.names == {"D1": "scan.txt"}
    assert list(state.rows) == ["E1"]
    assert [text for text, _box in words_of(bench, state.doubts[0])] == ["The", "gaurd", "slept."]


def test_a_quote_whose_words_changed_is_stale(bench):
    [doubt] = load(bench).doubts
    bench.ocr.decide([(doubt.page_id, doubt.word, "corrected", "guard")])
    state = load(bench)
    assert (state.stale, state.decision_count, state.doubts) == (("E1",), 1, [])
    assert state.resting is not None
    assert stale_sentence(state.stale, state.resting) == "The quote of E1 changed: nothing rests on it yet."


@pytest.mark.parametrize(
    ("state", "flags", "step"),
    [
        (None, {}, NextStep("Looking for words to check …")),
        (None, {"has_case": False}, NextStep("")),
        (BARE, {"is_reading": True}, NextStep("Reading the scans. Doubtful words appear here as they come.")),
        (
            dataclasses.replace(BARE, unread=2, poor=1),
            {},
            NextStep(
                "2 pages without text: images that OCR has not read yet. 1 page with text that looks garbled or "
                "doesn’t match the page image: OCR reads the image.",
                "Run OCR",
            ),
        ),
        (
            dataclasses.replace(BARE, unread=1),
            {"can_read": False},
            NextStep(
                "1 page without text, but no OCR engine is on this computer to read them.",
                "Open the documents",
                "Documents",
            ),
        ),
        (
            dataclasses.replace(BARE, scans=1, decision_count=1_200),
            {},
            NextStep("No doubtful word is left on 1 scanned page (1,200 decided).", "Open the matrix", "Matrix"),
        ),
        (
            dataclasses.replace(BARE, scans=3, blank=1),
            {},
            NextStep(
                "No doubtful word is left on 3 scanned pages (0 decided). 1 page is blank.", "Open the matrix", "Matrix"
            ),
        ),
        (
            dataclasses.replace(BARE, scans=1, blank=1),
            {},
            NextStep("OCR found no word on 1 scanned page: blank.", "Open the matrix", "Matrix"),
        ),
    ],
)
def test_the_next_step_follows_from_what_the_case_holds(state, flags, step):
    assert next_step(state, **{**READY, **flags}) == step


def test_without_any_scan_it_leads_to_the_documents():
    step = next_step(BARE, **READY)
    assert step.sentence.startswith("No page of this case was read by OCR.")
    assert (step.button, step.place) == ("Open the documents", "Documents")


def test_what_rests_on_changed_quotes_is_counted_and_listed():
    resting = SimpleNamespace(evidence=("E1", "E2"), cells=(("E1", "H1"),), sentences=("It was so.",))
    assert stale_sentence(("E1", "E2"), None) == "The quotes of E1, E2 changed."
    assert stale_sentence(("E1", "E2"), resting).endswith("changed: 1 rating and 1 sentence of the report rest on it.")
    assert resting_lines(resting) == "Ratings: E1 × H1\n• It was so."
    many = SimpleNamespace(cells=[("E1", f"H{number}") for number in range(14)], sentences=["So."] * 13)
    lines = resting_lines(many).splitlines()
    assert lines[0].endswith("E1 × H11 … (14)")
    assert (len(lines), lines[-1]) == (14, "… and 1 more")


def test_a_report_of_reading_names_the_first_page_that_failed():
    assert scan_message(SimpleNamespace(pages=2, words=1, problems=())) == "2 pages read, 1 word."
    problem = SimpleNamespace(where="scan.pdf, page 3", what="It is blank.", hint="Leave it out")
    report = SimpleNamespace(pages=0, words=0, problems=(problem, problem))
    assert scan_message(report) == ("0 pages read, 0 words; 2 pages not: scan.pdf, page 3: It is blank. Leave it out.")


def test_words_alike_and_decisions_are_put_into_words(bench):
    [doubt] = load(bench).doubts
    assert isinstance(doubt, SuspectWord)
    pair = [doubt, doubt]
    assert group_title("au/ua", pair) == "2 words in which “au” may be “ua”"
    assert group_title("/s", pair) == "2 words in which “s” may be missing"
    assert group_title("s/", pair) == "2 words in which “s” may be superfluous"
    alone = dataclasses.replace(doubt, other="")
    assert group_title("gaurd", [alone, alone]) == "2 words read “gaurd”"
    assert decision_message(doubt, "accepted", "") == "“gaurd” is as read; U undoes it"
    assert decision_message(doubt, "corrected", "guard") == "“gaurd” is “guard” now; U undoes it"
    assert decision_message(doubt, "illegible", "") == "“gaurd” is “[?]” now; U undoes it"


def test_words_in_charts_are_told_where_nothing_else_is_left():
    state = dataclasses.replace(BARE, scans=2, in_charts=3)
    step = next_step(state, has_case=True, is_reading=False, can_read=True)
    assert step.sentence.endswith("3 words in charts set aside.")
