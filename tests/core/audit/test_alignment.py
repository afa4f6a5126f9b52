"""Words of a sentence that its nearest source has in another role."""

from __future__ import annotations

import pytest

from core.audit.accounting import SourceText, in_words, least_missing
from core.audit.alignment import bonds, is_unreal


def missing(sentence, *texts, author="", about=""):
    return [in_words(part) for part in least_missing(sentence, [SourceText(t, t, about, author) for t in texts])]


@pytest.mark.parametrize(
    "source",
    [
        "The guard promised to lock the gate.",
        "The guard was ordered to lock the gate.",
        "The guard pretended to lock the gate.",
        "The guard will lock the gate.",
        "The guard should have locked the gate.",
        "Lock the gate, the guard was told.",
        "The gate is to be locked by the guard.",
        "The driver imagined that the guard locked the gate.",
        "According to the driver, the guard locked the gate.",
        "The driver said that the guard locked the gate.",
        "The guard partly locked the gate.",
        "The guard locked half of the gate.",
        "The guard's brother locked the gate.",
        "The deputy of the guard locked the gate.",
        "The deputy guard locked the gate.",
        "The guard closed the hatch; the cook locked the gate.",
        "The guard closed the hatch, and the gate was locked by the cook.",
    ],
)
def test_what_was_to_be_done_or_was_done_by_or_to_another_does_not_bear_out_a_fact(source):
    assert missing("The guard locked the gate.", source)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The gate was locked during the fire.", "The gate was locked before the fire."),
        ("The payment was made within ten days.", "The payment was made after ten days."),
        ("The pump ran in 2019.", "The pump ran until 2019."),
        ("Ruth stood in the hut.", "Ruth stood outside the hut."),
        ("The crate was sent by Ruth.", "The crate was sent to Ruth."),
        ("Ruth and Dana left.", "Ruth or Dana left."),
        ("Sales fell from 50 to 40.", "Sales fell from 40 to 50."),
        ("The sole key was lost.", "The key was lost."),
        ("The pump failed again.", "The pump failed."),
        ("None of the crew was trained.", "Some of the crew was not trained."),
        ("The crew was not trained.", "Some of the crew was not trained."),
        ("Ruth denied the theft.", "Ruth did not deny the theft."),
        ("The pump was dearer than the fan.", "The fan was dearer than the valve; the pump was old."),
        ("The inspector approved the plan.", "The plan is subject to the approval of the inspector."),
        ("Six boxes of salt were sold.", "Six boxes of sugar were brought for the cook, who then sold all salt."),
        ("The gate was locked, said Dana.", "The guard, Mr Fenn, told me that the gate was locked."),
        ("The cook opened the hatch.", "The cook stopped opening the hatch."),
        ("The cook opened the hatch.", "The cook watched as the guard opened the hatch."),
        ("The cook opened the hatch.", "The cook had the hatch opened by the guard."),
        ("The cook opened the hatch.", "The cook opened the old stove and left the hatch."),
        ("The cook opened the hatch.", "Before the cook opened the hatch, the fire went out."),
        ("The cook blamed the guard.", "The cook and the guard blamed the rain."),
        ("The guard's cook signed the list.", "The guard signed the cook's list."),
        ("The fee is 500 euros.", "The fee is 500 euros a day."),
        ("The fee is 500 euros per day.", "The fee is 500 euros per week."),
        ("The vat held 500 litres in 2019.", "The vat held 500 litres in 2018 and 600 in 2019."),
        ("The divers came.", "Two divers came."),
        ("Every diver came.", "Every second diver came."),
        ("The soup contained no salt.", "The soup contained salt, no sugar."),
        ("Fenn had a lamp only on Monday.", "Only Fenn had a lamp on Monday."),
        ("The mayor of Brede said that the gate was locked.", "The gate was locked."),
        ("Fenn paid the rent to Ruth.", "Fenn paid the rent for Ruth."),
        ("Every room was searched.", "Every room on the top floor was searched."),
        ("Fenn's cook was returned to Ruth.", "The money was returned to Ruth by Fenn's cook."),
        ("The lamp on the right broke.", "The lamp on the left broke, the one on the right was new."),
        ("The fire spread because it rained.", "The fire spread although it rained."),
        ("A few members read it.", "Few members read it."),
        ("Few members read it.", "A few members read it."),
        ("The second tree was felled.", "Every second tree was felled."),
        ("Ruth told Fenn that she would sell the barge.", "Ruth told Fenn that he would sell the barge."),
        ("Ruth Vance owns the barge.", "Ruth Vance, whose brother owns the barge, left."),
        ("Fenn left.", "Ruth Vance, who had married Fenn, left."),
        ("The brother left.", "Ruth Vance, whose brother owns the barge, left."),
        ("The barges from the south were sold.", "The barges from the north were sold, those from the south sank."),
    ],
)
def test_the_same_words_bound_otherwise_lack_a_part(sentence, source):
    assert missing(sentence, source)


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        ("The guard locked the gate.", "At ten the guard locked the gate, and Ruth left."),
        ("The guard locked the gate at ten.", "At ten the gate was locked by the guard."),
        ("The guard was ordered to lock the gate.", "They ordered the guard to lock the gate."),
        ("The crew of the barge was rescued.", "The barge's crew was rescued."),
        ("The gate was locked from 05:40 to 06:10.", "The gate was locked between 05:40 and 06:10."),
        ("Ruth and Dana left on Monday.", "On Monday Ruth and Dana left."),
        ("Dana said that the gate was locked.", "The gate was locked, said Dana."),
        ("Six boxes of salt were sold.", "They sold six boxes of salt."),
        ("The pump is dearer than the fan.", "The pump is much dearer than the fan."),
        ("The cook opened the hatch.", "The cook opened the old hatch of the hold at ten."),
        ("The two divers came.", "Both of the two divers came."),
        ("The divers came at ten.", "At ten the two divers came."),
        ("Few of the members read it.", "Few members read it."),
        ("The start was delayed by rain.", "Rain delayed the start by two hours."),
        ("Every room on the top floor was searched.", "On the top floor, every room was searched."),
        ("Every diver came.", "Every diver came in a boat."),
        ("The fire spread because it was dry.", "As it was dry, the fire spread."),
        ("Ruth Vance left.", "Ruth Vance, whose brother owns the barge, left."),
        ("Ruth Vance left.", "Ruth Vance, who owns the barge, left."),
        ("The gate was not opened.", "The guard did not open the gate."),
        ("The vat held 500 litres in 2018.", "In 2018 the vat held 500 litres, in 2019 600."),
        ("The guard refused to lock the gate.", "The guard refused to lock the gate of the yard."),
    ],
)
def test_the_same_said_in_another_order_lacks_nothing(sentence, source):
    assert missing(sentence, source) == []


def test_two_sources_with_some_of_the_words_each_do_not_bear_out_a_sentence():
    sources = ("Ruth counted the keys with Dana.", "Fenn took the lamp.")
    assert missing("Ruth and Fenn counted the keys.", *sources)
    assert missing("Ruth counted the keys and Fenn took the lamp.", *sources) == []


def test_the_sentence_before_says_who_he_is_and_not_what_is_said():
    before = "The cook asked whether the guard had met Fenn of Weir Works in January."
    source = SourceText(
        "The guard replied that he had met him once.", f"{before} The guard replied that he had met him once."
    )
    assert least_missing("The guard asked whether the cook had met Fenn of Weir Works in January.", [source])
    reply = SourceText("He locked the gate at ten.", "Fenn came back. He locked the gate at ten.")
    assert least_missing("Fenn locked the gate at ten.", [reply]) == []


def test_a_time_in_the_line_beside_is_not_that_of_a_sentence():
    log = SourceText("06:03 left the pier", "05:58 call from the pier\n06:03 left the pier\n06:10 man found", "log")
    assert in_words(least_missing("They left the pier at 06:10.", [log])[0]) == "06:10"
    assert least_missing("They left the pier at 06:03.", [log]) == []


def test_the_title_of_a_document_is_no_part_of_its_sentences():
    source = "The delivery was complete: 60 boxes came."
    assert missing("At least 60 boxes were missing.", source, about="Missing boxes")


def test_a_speaker_may_be_the_author():
    text = "The gate was locked."
    assert missing("Ruth Vance said that the gate was locked.", text, author="Ruth Vance") == []
    assert missing("The cook says that the gate was locked.", text, about="Statement of the cook") == []
    assert missing("Dana Okafor said that the gate was locked.", text, author="Ruth Vance")


def test_the_figure_of_another_column_does_not_bear_out_a_sentence():
    row = "Pump two · In: 12 · Balance: 36"
    assert missing("The balance of pump two was 36.", row) == []
    assert missing("The balance of pump two was 12.", row)


@pytest.mark.parametrize(
    ("question", "source", "expectation"),
    [
        ("Who repaired the pump?", "Fenn promised to repair the pump.", True),
        ("When did the firm pay for the pump?", "The firm will pay for the pump on Monday.", True),
        ("When will the firm pay for the pump?", "The firm will pay for the pump on Monday.", False),
        ("Who was asked to repair the pump?", "Fenn was asked to repair the pump.", False),
        ("When was the pump last serviced?", "Pump · Condition: good · Last service: May 2019", False),
        ("Who repaired the pump?", "Fenn repaired the pump to save money.", False),
    ],
)
def test_a_plan_answers_no_question_of_what_was_done(question, source, expectation):
    assert is_unreal(question, source) is expectation


def test_a_bond_names_the_words_of_the_source_or_the_place_in_the_sentence():
    (bond,) = bonds("The guard locked the gate.", "The guard wanted to lock the gate.")
    assert (bond.words, bond.end) == ("to lock", 0)
    (bond,) = bonds("Ruth walked to the gate.", "Ruth walked from the gate.")
    assert "Ruth walked to the gate."[bond.start : bond.end] == "to"


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        (
            "The cold pump was out for 47 minutes.",
            "The cold pump of the Weir Lane works stopped and was out for 47 minutes.",
        ),
        ("The guard locked the gate.", "The guard opened the hatch and locked the gate."),
    ],
)
def test_what_the_first_words_go_on_to_do_is_borne_out(sentence, source):
    assert not missing(sentence, source)


def test_what_somebody_else_in_the_source_goes_on_to_do_is_not():
    assert missing("Dana was arrested.", "Ruth paid Dana a fee of 400 euro and was arrested.")
