"""What a sentence says otherwise than its source: each rule on a sentence that breaks it and one that does not."""

from __future__ import annotations

import pytest

from core.audit.rules import Evidence, compare, stock

PAIRS = [
    ("number", "The relay was out for 74 minutes.", "The relay of pump two was out for 47 minutes.", "74", "47"),
    ("date", "The account was used on 4 May 2021.", "The account was used on 3 May 2021.", "4 May 2021", "3 May 2021"),
    ("name", "Ruben Aske signed the log.", "Klara Bost signed the log.", "Ruben Aske", "Klara Bost"),
    ("negation", "The door was locked at midnight.", "The door was not locked at midnight.", "locked", "not locked"),
    ("negation", "The door was not locked at midnight.", "The door was locked at midnight.", "not locked", ""),
    ("opposite", "The valve was closed before midnight.", "The valve was opened before midnight.", "closed", "opened"),
    ("hedge", "The valve was opened from outside.", "The valve may have been opened from outside.", "opened", "may"),
    ("share", "All pumps failed that night.", "Some pumps failed that night.", "All", "Some"),
]
TRUE = [
    ("The relay was out for 47 minutes.", "The relay of pump two was out for 47 minutes."),
    ("The relay was out for about 45 minutes.", "The relay of pump two was out for 47 minutes."),
    ("Bost signed the log.", "Klara Bost signed the log of the plant."),
    ("The door was not locked.", "The door was unlocked at midnight."),
    ("Fenn, who does not smoke, had a cough.", "Fenn, a non-smoker, had a cough in smoke."),
    ("The valve was probably opened from outside.", "The valve may have been opened from outside."),
    ("Some pumps failed that night.", "All pumps failed that night."),
    ("The account was used in May 2021.", "The account was used on 3 May 2021."),
    ("Not only the pumps failed.", "The pumps failed, and the relay too."),
    ("The pump was out for two hours.", "The pump was out from noon until 14:00."),
]


def faults(sentence: str, source: str) -> list[tuple[str, str, str]]:
    differences = compare(sentence, [Evidence(source, source)], stock(source))
    for difference in differences:
        assert sentence[difference.start : difference.end].strip() == difference.own.strip()
    return [
        (difference.what, difference.own.strip(), difference.source.strip())
        for difference in differences
        if difference.is_sure
    ]


@pytest.mark.parametrize(("kind", "sentence", "source", "own", "replacement"), PAIRS)
def test_faults_are_listed_with_their_words(kind, sentence, source, own, replacement):
    assert (kind, own, replacement) in faults(sentence, source)


@pytest.mark.parametrize(("sentence", "source"), TRUE)
def test_a_true_sentence_has_no_fault(sentence, source):
    assert faults(sentence, source) == []


def test_a_report_stated_as_fact_is_a_doubt():
    source = "Aske claimed that he locked the door at midnight."
    (difference,) = compare("Aske locked the door at midnight.", [Evidence(source, source)], stock(source))
    assert (difference.what, difference.is_sure) == ("reported", False)


def test_without_sources_nothing_is_compared():
    assert compare("The relay was out.", [], stock("")) == []


def test_a_figure_of_another_thing_supports_nothing():
    about = "The relay of pump two was out for 47 minutes."
    distractor = "A train from the coast was late by 74 minutes."
    sources = [Evidence(about, about), Evidence(distractor, distractor)]
    (difference,) = compare("The relay of pump two was out for 74 minutes.", sources, stock(f"{about} {distractor}"))
    assert (difference.what, difference.own, difference.source) == ("number", "74", "47")


def test_a_date_of_another_thing_is_no_replacement():
    distractor = "The milestone found under the kerb on 27 February is being cleaned."
    differences = compare(
        "The examination was finished on 12 April 2025.", [Evidence(distractor, distractor)], stock(distractor)
    )
    assert [(difference.own, difference.source) for difference in differences if difference.what == "date"] == [
        ("12 April 2025", "")
    ]
