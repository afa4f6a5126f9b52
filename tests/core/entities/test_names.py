"""Names in texts: whole words, every alias, and suggestions that are only suggestions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Entity
from core.entities.names import Mention, candidates, co_occurrences, name_matcher

REYES = Entity("N1", "Dana Reyes", "person", ("D. Reyes", "Reyes"))
STATION = Entity("N2", "Harbour Street station", "place", ("the station",))
IT = Entity("N3", "IT", "organisation")


def spots(text, *entities):
    return [(m.entity, text[m.start : m.end]) for m in name_matcher(entities)(text)]


def test_the_longest_name_counts_once():
    text = "DANA REYES left; d. reyes came back to Harbour Street station. Reyesson did not."
    assert spots(text, REYES, STATION) == [
        ("N1", "DANA REYES"),
        ("N1", "d. reyes"),
        ("N2", "Harbour Street station"),
    ]


def test_a_short_name_is_written_exactly_so():
    assert spots("it was IT that did it", IT) == [("N3", "IT")]


def test_a_match_inside_a_word_does_not_hide_one_that_is_whole():
    ann, ann_lee = Entity("N1", "Ann"), Entity("N2", "Ann Lee")
    assert spots("Ann Leeds and Ann Lee", ann, ann_lee) == [("N1", "Ann"), ("N2", "Ann Lee")]


def test_rejected_names_are_not_found():
    assert spots("Dana Reyes", Entity("N1", "Dana Reyes", status="rejected")) == []
    assert spots("anything") == []


@given(st.text(max_size=60))
def test_offsets_stand_in_any_script(noise):
    text = f"{noise} İstanbul Dana Reyes {noise}"
    assert any(text[m.start : m.end] == "Dana Reyes" for m in name_matcher([REYES])(text))
    assert all(isinstance(m, Mention) and m.end <= len(text) for m in name_matcher([REYES])(text))


def names(*texts, entities=()):
    return {
        suggestion.name: suggestion
        for suggestion in candidates([(f"D{n}", text) for n, text in enumerate(texts, 1)], entities)
    }


def test_names_are_suggested_and_words_that_begin_sentences_are_not():
    suggestions = names(
        "Yesterday the guard saw Dana Reyes. Nobody else came. Water rose. Meridian Controls Ltd sent an invoice.",
        "The invoice of Meridian Controls Ltd named Reyes. Water fell. Reyes paid. Dr. Orsolya Bakos signed.",
    )
    assert suggestions["Meridian Controls Ltd"].kind == "organisation"
    assert (suggestions["Meridian Controls Ltd"].documents, suggestions["Meridian Controls Ltd"].mentions) == (2, 2)
    assert suggestions["Dr. Orsolya Bakos"].kind == "person"
    assert "Dana Reyes" in suggestions
    assert "Reyes" in suggestions
    assert not {"Water", "Nobody", "Yesterday", "The"} & set(suggestions)


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("write to o.bakos@example.org today", "o.bakos@example.org", "address"),
        ("see https://example.org/a?b=1.", "https://example.org/a?b=1", "web"),
        ("from 10.20.30.40 at night", "10.20.30.40", "network"),
        ("paid to GB33 BUKB 2020 1555 5555 55 then", "GB33 BUKB 2020 1555 5555 55", "account"),
        ("call +44 20 7946 0958 now", "+44 20 7946 0958", "phone"),
        ("valve DN-4711 leaked", "DN-4711", "plate or code"),
        ("walked down Harbour Street slowly", "Harbour Street", "place"),
        ("the Ministry of Defence denied", "Ministry of Defence", "organisation"),
        ("said Ludwig van Beethoven once", "Ludwig van Beethoven", ""),
        ("сказала Анна Каренина тогда", "Анна Каренина", ""),
    ],
)
def test_forms_of_names(text, name, kind):
    assert names(text)[name].kind == kind


def test_what_was_decided_is_not_suggested_again():
    entities = [Entity("N1", "Dana Reyes"), Entity("N2", "Meridian", aliases=("Meridian Ltd",), status="rejected")]
    assert not names("and dana reyes met Dana Reyes of Meridian Ltd", entities=entities)


def test_spellings_are_one_name():
    suggestions = names("met Dana Reyes, then Dana Reyes", "the file on DANA REYES")
    assert suggestions["Dana Reyes"].spellings == ("DANA REYES",)
    assert suggestions["Dana Reyes"].documents == 2


def test_who_stands_with_whom():
    find = name_matcher([REYES, STATION, IT])
    passages = [("D1", find("Reyes left the station")), ("D1", find("Reyes, IT, the station")), ("D2", find("IT"))]
    assert [(t.one, t.other, t.passages, t.documents) for t in co_occurrences(passages)] == [
        ("N1", "N2", 2, 1),
        ("N1", "N3", 1, 1),
        ("N2", "N3", 1, 1),
    ]


@given(st.lists(st.text(max_size=80), max_size=6))
def test_any_text_gives_the_same_suggestions_again(texts):
    pages = [("D1", text) for text in texts]
    assert candidates(pages) == candidates(pages)


def test_people_and_places_come_first_and_codes_are_told_apart_and_last():
    text = "At PRN-3 in Harbour Street nobody saw REF-1207, said Mr Fenn, and the Skelby Bridge by PRN-3 was shut."
    suggestions = candidates([("D1", f"{text} Write to fenn@skelby.example, not to PRN-3."), ("D2", text)])
    assert [(s.name, s.is_code) for s in suggestions] == [
        ("Harbour Street", False),
        ("Mr Fenn", False),
        ("Skelby Bridge", False),
        ("PRN-3", True),
        ("REF-1207", True),
        ("fenn@skelby.example", True),
    ]


def test_a_name_with_a_figure_in_small_letters_is_no_code():
    (suggestion,) = candidates([("D1", "He took Baltic2 there and Baltic2 back."), ("D2", "We met on Baltic2 again.")])
    assert not suggestion.is_code


def test_headlines_peoples_and_words_at_the_beginning_of_sentences_are_no_names():
    suggestions = names(
        "END OF EXTRACT. The German police met in Ohio. Moreover, it rained. “Moreover,” he said. On Thursday’s train "
        "the NATO envoy and a French colleague left Mobile, Ala. for South Korea. Streets were wet; wet Streets were.",
        "END OF EXTRACT. Moreover, German and French officers of NATO came to South Korea on Thursday’s plane. Streets "
        "of Ala. were dry.",
    )
    assert {"NATO", "South Korea", "Ohio"} & set(suggestions) == {"NATO", "South Korea"}  # Ohio stands there once
    assert not {"END OF EXTRACT", "German", "French", "Moreover", "Thursday", "Ala", "Korea"} & set(suggestions)


def test_what_is_of_something_keeps_its_name_whole():
    suggestions = names(
        "He left the National Association of Securities Dealers for Dana Reyes of Meridian Ltd that day."
    )
    assert "National Association of Securities Dealers" in suggestions
    assert {"Dana Reyes", "Meridian Ltd"} <= set(suggestions)
    assert suggestions["National Association of Securities Dealers"].kind == "organisation"


def test_a_name_that_is_also_set_in_capitals_is_kept():
    assert names("DANA REYES left. It was Dana Reyes who left.")["Dana Reyes"].spellings == ("DANA REYES",)
    assert not names("the SIGNED BY DANA REYES stamp, SIGNED BY DANA REYES again")


def with_model(named, *texts, entities=()):
    """Suggestions where a model says that these names stand in every text that holds them."""

    def model_names(text):
        return [(name, kind) for name, kind in named for _ in range(text.count(name))]

    pages = [(f"D{n}", text) for n, text in enumerate(texts, 1)]
    return {suggestion.name: suggestion for suggestion in candidates(pages, entities, model_names=model_names)}


def test_a_model_adds_names_and_says_what_they_are():
    texts = (
        "aske paid. Bost went to the docks. Meridian Ltd said so.",
        "Bost and aske left. Bost slept. Nobody saw Ruben Aske.",
    )
    alone = names(*texts)
    assert "Bost" not in alone
    assert alone["Ruben Aske"].kind == ""
    named = [("Bost", "person"), ("Ruben Aske", "person"), ("aske", "person"), ("Meridian Ltd", "vessel")]
    suggestions = with_model(named, *texts)
    assert (suggestions["Bost"].kind, suggestions["Bost"].mentions, suggestions["Bost"].documents) == ("person", 3, 2)
    assert (suggestions["Ruben Aske"].kind, suggestions["Ruben Aske"].by) == ("person", "both")
    assert suggestions["Meridian Ltd"].kind == "vessel"
    assert "aske" not in suggestions  # as often a word in small letters as a name
    assert {suggestion.by for suggestion in alone.values()} == {"form"}
    assert with_model([], *texts) == alone


def test_places_that_form_and_model_find_count_once():
    texts = ["Dana Reyes met Dana Reyes. Dana Reyes left.", "It was DANA\nREYES."]
    named = {texts[0]: [("Dana Reyes", "person")] * 2, texts[1]: [("DANA\nREYES", "person")]}
    (suggestion,) = candidates([("D1", texts[0]), ("D2", texts[1])], model_names=named.__getitem__)
    assert (suggestion.name, suggestion.mentions, suggestion.documents, suggestion.by) == ("Dana Reyes", 4, 2, "both")
    (suggestion,) = candidates(
        [("D1", texts[0]), ("D3", "x")], model_names=lambda text: [("Dana Reyes", "person")] * (text == "x")
    )
    assert (suggestion.mentions, suggestion.documents, suggestion.by) == (3, 1, "form")


def test_what_only_a_model_finds_is_said_to_be_by_it():
    suggestions = with_model(
        [("al-Quds brigade", "organisation")], "They met the al-Quds brigade.", "The al-Quds brigade left."
    )
    brigade = suggestions["al-Quds brigade"]
    assert (brigade.by, brigade.kind, brigade.mentions, brigade.documents) == ("model", "organisation", 2, 2)


def test_a_model_is_not_believed_against_most_of_the_places():
    text = "Peter left. Peter came. Peter slept. Peter woke."

    def suggested(times):
        suggestions = candidates(
            [("D1", text), ("D2", "x")], model_names=lambda of: [("Peter", "person")] * times * (of == text)
        )
        return [(suggestion.name, suggestion.by, suggestion.mentions) for suggestion in suggestions]

    assert suggested(1) == []
    assert suggested(2) == [("Peter", "both", 4)]


@pytest.mark.parametrize(
    "name", ["Monday", "the", "12 May", "  ", "x|y Ltd", "[Aske] Ruben", "<b>Aske</b> Ruben", "Box 104101 Kent"]
)
def test_what_no_case_would_keep_is_not_suggested(name):
    suggestions = candidates([("D1", name), ("D2", name)], model_names=lambda _text: [(name, "person")])
    assert [suggestion for suggestion in suggestions if suggestion.by != "form"] == []


def test_a_name_over_two_lines_counts_for_the_one_on_one_line():
    texts = ("He saw al-Quds\nbrigade men.", "He saw al-Quds brigade men.")
    suggestions = {
        suggestion.name: suggestion
        for suggestion in candidates(
            [("D1", texts[0]), ("D2", texts[1])],
            model_names=lambda text: [("al-Quds\nbrigade" if "\n" in text else "al-Quds brigade", "organisation")],
        )
    }
    assert suggestions["al-Quds brigade"].documents == 2
    assert suggestions["al-Quds brigade"].spellings == ()


def test_a_name_that_was_decided_on_is_not_suggested_by_a_model_either():
    rejected = Entity("N1", "Bost", status="rejected")
    assert "Bost" not in with_model([("Bost", "person")], "Bost left. Bost paid.", "It was Bost.", entities=[rejected])


@given(st.lists(st.sampled_from(["Ann Lee", "ann", "Oslo", "the Ann Lee", "Ltd", "Ann\nLee"]), max_size=8))
def test_suggestions_do_not_depend_on_the_order_of_the_pages(sampled_names):
    pages = [(f"D{n}", f"We saw {name}.") for n, name in enumerate(sampled_names)]
    named = {text: [(text[7:-1], "person")] for _, text in pages}
    suggestions = candidates(pages, model_names=named.__getitem__)
    assert suggestions == candidates(pages[::-1], model_names=named.__getitem__)
    assert all(suggestion.mentions >= suggestion.documents for suggestion in suggestions)


@pytest.mark.parametrize("blank", ["", " ", "\t\n "])
def test_a_name_without_letters_stands_nowhere(blank):
    find = name_matcher([Entity("N1", blank), Entity("N2", "Fenn", aliases=(blank,))])
    assert [(mention.entity, mention.start, mention.end) for mention in find("Aske met Fenn.")] == [("N2", 9, 13)]
    assert name_matcher([Entity("N1", blank)])("Aske met Fenn.") == ()


def test_a_name_in_a_script_without_blanks_is_found_within_a_run():
    find = name_matcher([Entity("N1", "王伟"), Entity("N2", "Dana")])
    text = "昨晚王伟打开了阀门。Dana和王伟在场。"
    assert [text[m.start : m.end] for m in find(text)] == ["王伟", "Dana", "王伟"]
