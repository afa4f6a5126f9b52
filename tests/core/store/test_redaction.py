"""What is blanked in rows and in people's words, and what stays."""

from __future__ import annotations

from core.store.redaction import ERASED, Stretches, Traces, mentions, redacted_row, redacted_side, words_of

PAGE = "The dosing pump stopped at 02:14 in the night, said the guard."


def stretches(*texts, page=PAGE, other_text=""):
    matcher = Stretches(texts)
    matcher.stand_in(page)
    matcher.stand_elsewhere(other_text)
    return matcher


def test_five_words_in_a_row_are_blanked_and_four_are_not():
    text = "He said: “THE DOSING pump, stopped at” — I doubt it."
    assert stretches(text).blank(text) == f"He said: “{ERASED}” — I doubt it."
    text = "The dosing pump stopped again at 02:14."
    assert not stretches(text)
    assert stretches(text).blank(text) == text


def test_stretches_that_overlap_or_touch_are_one():
    text = "x the dosing pump stopped at 02:14 in the night, said the guard y"
    assert stretches(text).blank(text) == f"x {ERASED} y"


def test_what_another_document_says_too_stays():
    text = "The dosing pump stopped at 02:14 in the night."
    assert stretches(text, other_text=f"Copy: {PAGE}").blank(text) == text
    assert stretches(text, other_text="the dosing pump stopped at").blank(text) == f"The {ERASED}."


def test_a_short_page_and_a_name_count_as_a_whole():
    text = "See note 7.txt: strictly no comment, he wrote."
    matcher = stretches(text, page="Strictly no comment")
    matcher.phrase("note 7.txt")
    matcher.phrase("he")
    assert matcher.blank(text) == f"See {ERASED}, he wrote."
    assert not stretches("no comment", page="no comment")


def test_a_script_without_spaces_has_a_word_for_each_letter():
    text = "他说水泵在夜里停了。"
    assert words_of("水泵") == ("水", "泵")
    assert stretches(text, page="水泵在夜里停了").blank(text) == f"他说{ERASED}。"


def traces(**more):
    return Traces(frozenset(["D1"]), frozenset([7]), stretches(PAGE), **more)


def test_of_a_document_only_what_is_no_word_of_it_stays():
    row = {"id": "D1", "name": "a.txt", "sha256": "ab", "title": "T", "tags": '["x"]', "pages": 2, "status": "ready"}
    assert redacted_row("document", row, traces()) == {
        **row, "name": ERASED, "title": "", "tags": "[]"
    }  # fmt: skip
    other_row = {**row, "id": "D2"}
    assert redacted_row("document", other_row, traces()) == other_row


def test_a_row_that_quoted_it_keeps_its_place_and_grades():
    row = {"id": "E1", "text": "x", "document": "D1", "page_id": 7, "start": 3, "quote": "pump", "reliability": "B"}
    row |= {"more": '[{"text":"y","page_id":8}]', "note": f"{PAGE} But why?"}
    result = redacted_row("evidence", row, traces(evidence=frozenset(["E1"])))
    assert (result["quote"], result["text"], result["more"]) == ("", ERASED, '[{"page_id":8,"text":""}]')
    assert result["note"] == f"{ERASED}. But why?"
    assert (result["page_id"], result["start"], result["reliability"]) == (7, 3, "B")
    without = {"id": "E1", "text": "x", "document": None, "quote": None}
    assert redacted_row("evidence", without, traces(evidence=frozenset(["E1"]))) == {**without, "text": ERASED}


def test_a_name_keeps_the_forms_that_stand_elsewhere():
    row = {"id": "N1", "name": "Ann Bolt", "aliases": '["Bolt","A. B."]', "note": "n"}
    only = traces(names=frozenset(["ann bolt"]))
    assert redacted_row("entity", row, only) == {**row, "name": "Bolt", "aliases": '["A. B."]'}
    every = traces(names=frozenset(["ann bolt", "bolt", "a. b."]))
    assert redacted_row("entity", row, every) == {"id": "N1", "name": ERASED, "aliases": "[]", "note": ""}
    assert redacted_row("entity", row, traces()) == row


def test_words_inside_json_are_blanked_and_all_else_is_left_as_it_is_written():
    row = {"id": "report_summary", "value": f'["{PAGE}", "ann"]'}
    assert redacted_row("setting", row, traces())["value"] == f'["{ERASED}.","ann"]'
    other_row = {"id": "x", "value": '{"b": 1,  "a": 2}'}
    assert redacted_row("setting", other_row, traces()) == other_row
    broken_row = {"id": "x", "value": "{"}
    assert redacted_row("setting", broken_row, traces()) == broken_row


def test_results_and_what_was_decided_on_them():
    answer_traces = traces(results=frozenset(["A1"]))
    assert redacted_row("answer", {"id": "A1", "subject": "s", "value": '{"x":1}', "by": "ann"}, answer_traces) == {
        "id": "A1", "subject": ERASED, "value": "{}", "by": "ann"
    }  # fmt: skip
    assert redacted_row("resolution", {"result": "A1", "item": "s1", "note": "n"}, answer_traces)["note"] == ""
    assert mentions('{"document":"D1"}', ["D1"])
    assert not mentions('{"document":"D11"}', ["D1"])


def test_of_an_entry_only_decision_rows_change():
    side = {
        "document": {"D1": {"id": "D1", "name": "a.txt"}, "D2": None},
        "pages": {"D1": {"7": [1, "ab", "cd"]}},
        "export": {"a.txt": {"name": "a.txt"}},
    }
    assert redacted_side(side, traces()) == {**side, "document": {"D1": {"id": "D1", "name": ERASED}, "D2": None}}
