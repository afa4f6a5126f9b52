from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import Probabilities, Span, Verdict
from core.text import sentences
from core.verdicts import labels as classify
from core.verdicts.labels import Choice, ShowThreshold, choose_quote, explanation, is_withheld, warnings

# --- label and rating ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbers", "threshold", "expected"),
    [
        ((0.8, 0.1, 0.1), 0.2, "supports"),
        ((0.1, 0.8, 0.1), 0.2, "contradicts"),
        ((0.1, 0.1, 0.8), 0.2, "neutral"),
        ((0.5, 0.4, 0.1), 0.2, "ambiguous"),
        ((0.4, 0.1, 0.5), 0.2, "ambiguous"),
        ((0.5, 0.25, 0.25), 0.25, "supports"),  # exactly at the threshold is enough
        ((0.5, 0.4, 0.1), 0.0, "supports"),
        ((0.9, 0.1, 0.0), 1.0, "ambiguous"),
        ((1.0, 0.0, 0.0), 1.0, "supports"),
    ],
)
def test_the_label_is_the_most_probable_one_unless_the_next_is_too_near(numbers, threshold, expected):
    assert classify.label(Probabilities(*numbers), threshold) == expected


def test_the_threshold_of_the_card_holds_when_none_is_given():
    margin = classify.card().threshold
    assert 0 < margin < 1
    half = (1 - margin) / 2
    assert classify.label(Probabilities(half + margin + 0.01, half - 0.01, 0.0)) == "supports"
    assert classify.label(Probabilities(half + margin - 0.01, half + 0.01, 0.0)) == "ambiguous"


def test_a_label_suggests_a_careful_rating():
    labels = ("supports", "contradicts", "neutral", "ambiguous")
    assert [classify.rating_for(label) for label in labels] == ["C", "I", "N", None]


# --- the language that was measured ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The operator stopped the dosing pump.", False),
        ("Rust caused bridge collapse", False),
        ("Masks lower infection rates.", False),
        ("Mr van der Berg met the board of El Al in Los Angeles.", False),
        ("An die was cast.", False),
        ("", False),
        ("1931?", False),
        ("Der Bediener hat die Pumpe nicht angehalten.", True),
        ("Le vendeur a ouvert la vanne dans la nuit et les gardes ont dormi.", True),
        ("El operador no detuvo la bomba por la noche con los guardias.", True),
        ("Оператор остановил насос.", True),
        ("操作员停了泵。", True),
        ("أوقف المشغل المضخة", True),
    ],
)
def test_a_hypothesis_in_another_language_is_noticed(text, expected):
    assert bool(classify.foreign_language("The pump stopped at the works.", text)) is expected


@pytest.mark.parametrize(
    ("body", "document", "language"),
    [
        ("河口泵站的三号泵停机。泵房的门锁没有损坏。", "zh", "Chinese"),
        ("", "zh", "Chinese"),
        ("", "de", "German"),
        ("", "ru", "Russian"),
        ("The pump stopped at the works.", "en", ""),
        ("", "en", ""),
    ],
)
def test_the_header_of_a_mail_in_another_language_is_not_judged_as_english(body, document, language):
    head = "From: W. <w@works.example>\nTo: The board <b@works.example>\nDate: Wed, 13 Mar 2024\nSubject: P3\n\n"
    assert classify.foreign_language(head + body, "Somebody damaged the pump.", document) == language


# --- the sentence that carries the verdict ---------------------------------------------------------------------------


class Asked:
    """Answers by the first of ``answers`` whose words are in the text; keeps what it was asked."""

    def __init__(self, **answers: float) -> None:
        self.answers = answers
        self.history: list[str] = []

    def __call__(self, text: str) -> Probabilities:
        self.history.append(text)
        share = max((value for word, value in self.answers.items() if word in text), default=0.1)
        return Probabilities(share, (1 - share) / 4, (1 - share) * 3 / 4)


PASSAGE = "The day was warm.  The pump stopped at 02:14.\n Nobody was near it. It rained later. "


def quoted(passage: str, choice: Choice) -> str:
    return passage[choice.start : choice.end]


def test_the_sentence_with_the_verdict_is_quoted_with_exact_offsets():
    scorer = Asked(stopped=0.9, Nobody=0.3)
    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "The pump stopped.", scorer)
    assert quoted(PASSAGE, choice) == "The pump stopped at 02:14."
    assert (choice.probability, choice.agrees) == (0.9, True)
    assert not any("\n" in text for text in scorer.history)  # no pair was needed


def test_the_verdict_decides_and_not_the_shared_words():
    scorer = Asked(Nobody=0.9, stopped=0.2)
    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "The pump stopped by itself.", scorer)
    assert quoted(PASSAGE, choice) == "Nobody was near it."


def test_two_neighbours_are_quoted_when_each_alone_is_weak():
    class Together(Asked):
        def __call__(self, text):
            both = "stopped" in text and "Nobody" in text
            return Asked(stopped=0.8 if both else 0.4)(text)

    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "The pump stopped by itself.", Together())
    assert quoted(PASSAGE, choice) == "The pump stopped at 02:14.\n Nobody was near it."
    assert choice.agrees


def test_a_pair_that_adds_nothing_is_not_quoted():
    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "The pump stopped.", Asked(stopped=0.5))
    assert quoted(PASSAGE, choice) == "The pump stopped at 02:14."  # of equals the shorter one


def test_neighbours_across_a_paragraph_or_too_long_together_are_no_quote():
    for gap, tail in (("\n\n", "Nobody was near it."), (" ", "Nobody " + "was near it and " * 60 + "left.")):
        passage = f"The pump stopped.{gap}{tail}"
        scorer = Asked(stopped=0.4)
        spans = [Span(0, 17), Span(17 + len(gap), len(passage))]
        assert quoted(passage, choose_quote(passage, spans, "supports", "The pump", scorer)) == "The pump stopped."
        assert scorer.history == ["The pump stopped.", tail]


def test_without_a_sentence_that_agrees_the_best_one_is_quoted_and_said_not_to_agree():
    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "Aliens landed.", Asked(rained=0.3))
    assert quoted(PASSAGE, choice) == "It rained later."
    assert (choice.probability, choice.agrees) == (0.3, False)


@pytest.mark.parametrize("label", ["neutral", "ambiguous"])
def test_nothing_is_asked_where_no_sentence_can_carry_the_label(label):
    scorer = Asked()
    choice = choose_quote(PASSAGE, sentences(PASSAGE), label, "The pump stopped.", scorer)
    assert quoted(PASSAGE, choice) == "The pump stopped at 02:14."  # the nearest by words
    assert scorer.history == []
    assert choice.probability is None


def test_a_passage_of_one_sentence_is_quoted_without_asking():
    scorer = Asked()
    choice = choose_quote("  The pump stopped. ", [Span(0, 20)], "contradicts", "It ran.", scorer)
    assert quoted("  The pump stopped. ", choice) == "The pump stopped."
    assert scorer.history == []


def test_no_sentences_no_asking_the_whole_passage():
    choice = choose_quote("  The pump stopped. ", [], "supports", "It ran.", Asked())
    assert quoted("  The pump stopped. ", choice) == "The pump stopped."


def test_a_long_passage_has_its_nearest_sentences_asked_and_no_more():
    parts = [f"Item {number} was counted." for number in range(40)]
    parts[30] = "The pump stopped at night."
    passage = " ".join(parts)
    scorer = Asked(pump=0.9)
    choice = choose_quote(passage, sentences(passage), "supports", "The pump stopped at night.", scorer)
    assert quoted(passage, choice) == parts[30]
    assert len(scorer.history) == classify.MOST_SENTENCES
    weak = Asked()
    choose_quote(passage, sentences(passage), "supports", "The pump stopped at night.", weak)
    assert len(weak.history) <= classify.MOST_SENTENCES + 2  # and a pair on either side


PROSE = st.text(st.sampled_from("ab. \n\t\u00a0\u200bÄ中!?’\U0001f642"), max_size=80)


@given(PROSE, st.sampled_from(["supports", "contradicts", "neutral", "ambiguous"]), PROSE, st.data())
def test_the_choice_is_inside_the_passage_and_never_white_space_alone(passage, label, hypothesis, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(passage)), max_size=8)) | {0, len(passage)})
    spans = [Span(a, b) for a, b in itertools.pairwise(cuts)]
    numbers = st.sampled_from([(0.9, 0.1, 0.0), (0.2, 0.5, 0.3), (0.1, 0.0, 0.9)])

    def ask(text: str) -> Probabilities:
        assert text.strip()
        assert text in passage
        return Probabilities(*data.draw(numbers))

    choice = choose_quote(passage, spans, label, hypothesis, ask)
    assert 0 <= choice.start <= choice.end <= len(passage)
    text = quoted(passage, choice)
    assert text == text.strip()
    assert bool(text) == bool(passage.strip())


# --- one plain sentence ----------------------------------------------------------------------------------------------


def test_the_explanation_names_verdict_and_numbers():
    text = explanation("supports", Probabilities(0.81, 0.1, 0.09), Choice(0, 9, 0.77, True), "It ran.", "It ran.")
    assert text == "The model finds that the passage speaks for the hypothesis (0.81; the quoted sentence alone 0.77)."


def test_the_explanation_says_when_no_sentence_alone_carries_the_verdict():
    text = explanation("contradicts", Probabilities(0.1, 0.7, 0.2), Choice(0, 9, 0.31, False), "It ran.", "It ran.")
    assert "speaks against the hypothesis (0.70)" in text
    assert "no sentence alone does (the quoted one 0.31): read the passage" in text


def test_the_explanation_says_what_changed_between_sentence_and_passage():
    numbers = Probabilities(0.6, 0.1, 0.3)
    text = explanation("supports", numbers, Choice(0, 9, 0.9, True, "supports"), "It ran.", "It ran.")
    assert text.endswith("alone 0.90). The rest of the passage weakens it: read the passage.")
    text = explanation("supports", numbers, Choice(0, 9, 0.4, True, "supports"), "It ran.", "It ran.")
    assert text.endswith("alone 0.40). The rest of the passage adds to it.")
    text = explanation("supports", numbers, Choice(0, 9, 0.2, False, "contradicts"), "It ran.", "It ran.")
    assert "(the quoted one 0.20; by itself it speaks against it): read the passage" in text


def test_a_choice_tells_what_its_sentence_says_by_itself():
    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "Aliens landed.", Asked(rained=0.3))
    assert choice.alone == "neutral"
    assert choose_quote(PASSAGE, sentences(PASSAGE), "supports", "It rained.", Asked(rained=0.9)).alone == "supports"


def test_the_sentence_is_named_with_its_place_in_the_passage():
    choice = choose_quote(PASSAGE, sentences(PASSAGE), "supports", "The pump stopped.", Asked(stopped=0.9))
    assert choice.which == "2 of 4"
    text = explanation("supports", Probabilities(0.9, 0.05, 0.05), choice, quoted(PASSAGE, choice), "The pump stopped.")
    assert text.endswith("the quoted sentence, 2 of 4, speaks for the hypothesis (0.90).")
    pair_choice = Choice(19, 65, 0.8, True, "supports", "2 and 3 of 4")
    text = explanation("supports", Probabilities(0.8, 0.1, 0.1), pair_choice, "It ran.", "It ran.")
    assert "the quoted sentences, 2 and 3 of 4, speak for the hypothesis (0.80)" in text
    near = choose_quote(PASSAGE, sentences(PASSAGE), "neutral", "The pump stopped.", Asked())
    text = explanation("neutral", Probabilities(0.1, 0.1, 0.8), near, quoted(PASSAGE, near), "The pump stopped.")
    assert text.endswith("the sentence nearest by words, 2 of 4, is quoted.")
    assert choose_quote("It ran.", sentences("It ran."), "supports", "It ran.", Asked()).which == ""


def test_another_model_is_asked_about_the_same_sentence():
    quote = Span(19, 45)
    assert PASSAGE[quote.start : quote.end] == "The pump stopped at 02:14."
    scorer = Asked(stopped=0.8)
    choice = classify.weigh(PASSAGE, sentences(PASSAGE), quote, "supports", scorer)
    assert choice == Choice(19, 45, 0.8, True, "supports", "2 of 4")
    assert scorer.history == ["The pump stopped at 02:14."]
    for label, passage in (("neutral", PASSAGE), ("supports", "The pump stopped.")):
        scorer = Asked()
        assert classify.weigh(passage, sentences(passage), Span(0, 17), label, scorer).probability is None
        assert scorer.history == []


def test_an_ambiguous_verdict_names_the_two_it_stands_between():
    text = explanation("ambiguous", Probabilities(0.45, 0.11, 0.44), Choice(0, 9), "It ran.", "It ran.")
    assert "cannot decide between “speaks for” (0.45) and “neutral” (0.44)" in text


def test_a_neutral_verdict_says_how_its_sentence_was_found():
    text = explanation("neutral", Probabilities(0.1, 0.1, 0.8), Choice(0, 9), "It ran.", "It rained.")
    assert text == (
        "The model finds that the passage is neutral to the hypothesis (0.80); the sentence nearest by words is quoted."
    )


def test_the_explanation_points_at_what_a_reader_should_mind():
    words = explanation(
        "supports",
        Probabilities(0.8, 0.1, 0.1),
        Choice(0, 9, 0.7, True),
        "He said it may not have stopped.",
        "It stopped.",
        mind="the passage contains text addressed to a reader or a model (control words)",
    )
    mind = words.partition(" Note: ")[2]
    assert "only the quote is negated (“not”)" in mind
    assert "hedged (“may”)" in mind
    assert "reported speech (“said”)" in mind
    assert "addressed to a reader or a model (control words)" in mind
    assert words.endswith(".")


@pytest.mark.parametrize(
    ("quote", "hypothesis", "words"),
    [
        ("The pump did not stop.", "The pump stopped.", ["only the quote is negated (“not”)"]),
        ("The pump didn’t stop.", "The pump stopped.", ["only the quote is negated (“n’t”)"]),
        ("The pump didn't stop.", "The pump stopped.", ["only the quote is negated (“n't”)"]),
        ("Nobody stopped it.", "Ann stopped it.", ["only the quote is negated (“Nobody”)"]),
        ("It failed to stop.", "It stopped.", ["only the quote is negated (“failed to”)"]),
        ("The pump stopped.", "The pump never stopped.", ["only the hypothesis is negated (“never”)"]),
        ("The pump did not stop.", "The pump never stopped.", []),
        ("It appears that the pump stopped.", "The pump stopped.", ["hedged (“appears”)"]),
        ("The pump allegedly stopped.", "The pump stopped.", ["hedged (“allegedly”)"]),
        ("According to the guard the pump stopped.", "The pump stopped.", ["reported speech (“According to”)"]),
        ("The guard testified that it stopped.", "It stopped.", ["reported speech (“testified”)"]),
        ("The pump stopped at 02:14.", "The pump stopped.", []),
        ("The notary opened the cannery.", "The cannery opened.", []),  # no word within a word
        ("The pump stopped in May.", "The pump stopped.", []),  # a month
        ("The suspect stopped the pump.", "The pump stopped.", []),  # a person
        (
            "It stopped in 1931.",
            "It stopped in 1950.",
            ["different dates (hypothesis: “1950”; passage: “1931”)"],
        ),
        (
            "It stopped on 3 May.",
            "It stopped on May 4, 2019.",
            ["different dates (hypothesis: “May 4, 2019”; passage: “3 May”)"],
        ),
        ("It stopped on 3 May 1931.", "It stopped in 1931.", []),  # one says more than the other
        ("It stopped on 2020-03-04.", "It stopped on 4 March 2020.", []),
        ("It ran from 1931 to 1950.", "It stopped in 1950.", []),
        ("It cost 1,950 in 2019.", "It cost much in 2019.", []),
        ("It stopped.", "It stopped in 1931.", []),  # a quote need not repeat the hypothesis
        (
            "The man was in Madrid.",
            "The man was in Paris.",
            ["different names (hypothesis: “Paris”; passage: “Madrid”)"],
        ),
        ("The man met Ann Lee in Rome.", "The man saw Lee.", []),
        ("Mr Roe, as you asked:\nHolm in at 08:31. Lee in at 07:45.", "Ada Holm had the key.", []),  # begins a sentence
        ("Ada,\n\nthe key is with Roe.", "Ada Holm had the key.", []),
        ("Opened by a.holm on the screen of Roe.", "Ada Holm had the key.", []),  # within an address
        ("4. Conclusion\n\nThe board met at noon.", "Ada Holm had the key.", []),
        ("7 May, file 3\n\nThe lock was open.", "Ada Holm had the key.", []),
        ("It was printed on unit LPT-4 and on QX2.", "Ada Holm had the key.", []),  # codes
        ("[09:12] Messages are kept for a week.", "Ada Holm had the key.", []),
        ("Day · Fee\nMonday · Fee: high", "Ada Holm had the key.", []),
        ("The man’s house in Madrid’s south", "The man was in Madrid.", []),
        ("On a Monday it rained in Rome.", "It rained on a Tuesday.", []),  # days are no names
        (
            "It held 300 litres.",
            "It held 1,500 litres.",
            ["different numbers (hypothesis: “1,500”; passage: “300”)"],
        ),
        (
            "Three men were seen.",
            "12 men were there.",
            ["different numbers (hypothesis: “12”; passage: “Three”)"],
        ),
        ("Three of 12 men were seen.", "3 men were there.", []),
        ("She counted seven trays.", "It failed after three minutes.", []),  # of other things
        (
            "After 5 minutes all seven trays were gone.",
            "Three trays were gone.",
            ["different numbers (hypothesis: “Three”; passage: “seven”)"],
        ),
        ("The 7 of them left.", "Three men left.", ["different numbers (hypothesis: “Three”; passage: “7”)"]),
        ("It held 1500 litres.", "It held 1,500.0 litres.", []),
        ("At 02:14 on 3 May 2019 two men came.", "The 2 of them came in 2019.", []),
        ("Room 4-B held one man.", "It held 3 men.", []),  # “one” is seldom a number, and 4-B is a name
    ],
)
def test_negation_hedging_and_reported_speech_are_named_with_their_words(quote, hypothesis, words):
    assert warnings(quote, hypothesis) == words


# --- what a strict case shows ----------------------------------------------------------------------------------------


SURE = (ShowThreshold("contradicts", 0.8, 0.91, 0.4, 60, "the exam"), ShowThreshold("supports", None, on="the exam"))


@pytest.mark.parametrize(
    ("label", "probabilities", "hidden"),
    [
        ("contradicts", Probabilities(0.1, 0.8, 0.1), False),
        ("contradicts", Probabilities(0.11, 0.79, 0.1), True),
        ("supports", Probabilities(0.99, 0.0, 0.01), True),  # no probability reaches it
        ("neutral", Probabilities(0.0, 0.0, 1.0), True),  # not measured
        ("ambiguous", Probabilities(0.1, 0.85, 0.05), True),
    ],
)
def test_a_strict_case_shows_what_is_sure_enough_of_its_class(label, probabilities, hidden):
    assert is_withheld(Verdict(label, probabilities, "m"), SURE) == hidden
    assert is_withheld(Verdict(label, probabilities, "m"), ())


def test_what_is_shown_is_said_with_its_figures():
    assert SURE[0].sentence() == (
        "“contradicts” is shown from 0.80 on: 91% of 60 were right, 40% of all such verdicts (the exam)."
    )
    assert "never shown" in SURE[1].sentence()


def test_a_card_without_such_figures_shows_nothing_and_with_them_reads_them(tmp_path, monkeypatch):
    card = json.loads(classify.card_file().read_text("utf-8"))
    for rows in (None, [], [{"label": "contradicts", "threshold": 0.8, "precision": 0.9, "coverage": 0.4, "n": 50}]):
        card.pop("sure", None)
        (tmp_path / "card.json").write_text(json.dumps({**card, **({} if rows is None else {"sure": rows})}), "utf-8")
        monkeypatch.setattr(classify, "card_file", lambda: tmp_path / "card.json")
        classify.card.cache_clear()
        assert [row.threshold for row in classify.card().sure] == [row["threshold"] for row in rows or ()]
    monkeypatch.undo()
    classify.card.cache_clear()


# --- the card --------------------------------------------------------------------------------------------------------


def test_the_card_is_complete_and_its_figures_are_figures():
    card = classify.card()
    for text in (card.name, card.base, card.licence, card.summary, *card.data, *card.limits, *card.threshold_fitted_on):
        assert text.strip()
    assert card.data
    assert card.limits
    assert card.measured
    assert 0 < card.threshold < 1
    for row in (card, *card.measured):
        assert 0 <= row.coverage <= 1
        assert 0 <= row.accuracy_of_kept <= 1
    for row in card.measured:
        assert row.n >= 100
        assert row.seen
        figures = (row.accuracy, row.macro_f1, row.supports_f1, row.contradicts_f1, row.neutral_f1)
        assert all(0 <= figure <= 1 for figure in (*figures, row.calibration_error))
        assert row.macro_f1 == pytest.approx(sum(figures[2:]) / 3, abs=0.002)
    assert len({row.set for row in card.measured}) == len(card.measured)
    assert set(card.threshold_fitted_on) <= {row.set for row in card.measured}


def test_the_summary_of_the_card_agrees_with_its_rows():
    card = classify.card()
    rows = [row for row in card.measured if row.set in card.threshold_fitted_on]
    assert f"{len(rows)} development sets ({sum(row.n for row in rows):,} pairs)" in card.summary
    low, high = (f"{100 * pick(row.accuracy for row in rows):.0f}%" for pick in (min, max))
    assert f"{low} to {high}" in card.summary
    assert card.line() == f"{card.name}: {card.summary}"


def test_the_card_belongs_to_the_file_beside_it():
    assert classify.card_file().is_file()
    assert classify.card_file().with_suffix(".gguf").is_file()
    assert classify.card().name.startswith(classify.card_file().stem)


def test_a_pronoun_may_stand_for_a_name_before_the_quote():
    before, about = "Statement of Ada Holm.", "Somebody gave the key to Holm."
    note = ["different names (hypothesis: “Holm”; passage: “Roe”)"]
    assert warnings("There I met Roe.", about, before) == []
    assert warnings("There I met Roe.", about) == note
    assert warnings("The key was with Roe.", about, before) == note
