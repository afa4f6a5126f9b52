"""Sixty quotations with omissions: the misleading ones are all altered, and each says what it leaves out."""

from __future__ import annotations

import hashlib

import pytest

from core.audit.omissions import left_out
from core.audit.quotations import check
from core.domain import Page
from core.evidence.framing import sentence_around
from core.evidence.quotes import QuoteFinder

# (the page, the quotation, what the finding must show)
MISLEADING = [
    ("Aske said that Fenn broke the relay.", "Aske … broke the relay", "said that Fenn"),
    ("Aske claimed the guard had opened the gate.", "Aske … had opened the gate", "claimed the guard"),
    ("The clerk believes Fenn took the money.", "The clerk … took the money", "believes Fenn"),
    ("The relay, according to Fenn, was broken by Aske.", "The relay … was broken by Aske", ", according to Fenn,"),
    ("The valve will open if the lamp is lit.", "The valve will open … the lamp is lit", "if"),
    ("The gate stays shut unless the guard unlocks it.", "The gate stays shut … the guard unlocks it", "unless"),
    ("The alarm rings when the wire is cut, and the wire was cut.", "The alarm rings … the wire was cut",
     "when the wire is cut, and"),
    ("The fire destroyed some of the houses.", "The fire destroyed … the houses", "some of"),
    ("The well was almost dry in June.", "The well was … dry in June", "almost"),
    ("They paid up to 400 crowns a day.", "They paid … 400 crowns a day", "up to"),
    ("The valve was not open at noon.", "The valve was … open at noon", "not"),
    ("The letter never reached the office.", "The letter … reached the office", "never"),
    ("Fenn and the two guards left the hall.", "Fenn … left the hall", "and the two guards"),
    ("Aske met Fenn, who burned the barn.", "Aske … burned the barn", "met Fenn, who"),
    ("The pump failed. Fenn was at home. Aske was in the hall.", "The pump failed … Aske was in the hall",
     ". Fenn was at home."),
    ("The relay broke. The clerk laughed.", "The relay … laughed", "broke. The clerk"),
    ("The mayor dreamt that the bridge fell.", "The mayor … fell", "dreamt that the bridge"),
    ("No lamp in the hall was lit.", "No lamp … was lit", "in the hall"),
    ("The president of the village resigned.", "The president … resigned", "of the village"),
    ("Every house in the village burned.", "Every house … burned", "in the village"),
    ("The statement, which was later withdrawn, names Aske.", "The statement … names Aske",
     ", which was later withdrawn,"),
    ("The letter, a forgery, names Aske.", "The letter … names Aske", ", a forgery,"),
    ("Aske failed to close the valve.", "Aske … close the valve", "failed to"),
    ("The alleged thief ran to the harbour.", "The … thief ran to the harbour", "alleged"),
    ("Der Wirt sagt, Aske habe das Relais zerbrochen.", "Der Wirt … habe das Relais zerbrochen", "sagt, Aske"),
    ("Aske n’a pas ouvert la vanne du hall.", "Aske … ouvert la vanne du hall", "n’a pas"),
    ("He broke the relay at noon.", "[Fenn] broke the relay at noon", "He"),
    ("Aske broke it at noon.", "Aske broke [the relay] at noon", "it"),
    ("Aske tried to break the relay.", "Aske [did] break the relay", "tried to"),
    ("The guards may have left the gate open.", "The guards … left the gate open", "may have"),
]  # fmt: skip

HONEST = [
    ("The pump of the hall was out for 47 minutes.", "The pump … was out for 47 minutes"),
    ("The lamp on the old tower went out at noon.", "The lamp … went out at noon"),
    ("The relay stood in the cellar beside the door and hummed.", "The relay stood … and hummed"),
    ("He carried a heavy brass box to the quay.", "He carried a … box to the quay"),
    ("The valve was very hot to the touch.", "The valve was … hot to the touch"),
    ("The clerk quietly closed the ledger.", "The clerk … closed the ledger"),
    ("The boat, near the pier, lay on its side.", "The boat … lay on its side"),
    ("The road by the river was flooded in May.", "The road … was flooded in May"),
    ("Aske put the letter in the drawer of the desk and left.", "Aske put the letter … and left"),
    ("The old wooden bridge fell at dawn.", "The … bridge fell at dawn"),
    ("The fire began in the attic of the house at noon.", "The fire began … at noon"),
    ("Moreover, the valve was open.", "… the valve was open"),
    ("The relay was broken at noon, and Aske was there.", "The relay was broken at noon …"),
    ("He signed the contract, of course, on Friday.", "He signed the contract … on Friday"),
    ("The engine stopped\nin the tunnel and smoked.", "The engine stopped … and smoked"),
    ("Aske broke the relay at noon.", "[A]ske broke the relay at noon"),
    ("The man broke teh relay at noon.", "The man broke teh [sic] relay at noon"),
    ("the valve was open at noon.", "[T]he valve was open at noon"),
    ("Aske broke relay four at noon.", "Aske broke [the] relay four at noon"),
    ("Aske broke the relay at noon.", "Aske broke the relay [emphasis added] at noon"),
    ("The train waited at the platform in front of the station for an hour.", "The train waited … for an hour"),
    ("The lock of the door was old, and it rusted.", "The lock … was old, and it rusted"),
    ("The smoke, dark and cold, filled the corridor.", "The smoke … filled the corridor"),
    # What follows is left out in good faith too, but no rule shows it.
    ("The committee, which met on Tuesdays, approved the plan.", "The committee … approved the plan"),
    ("Aske, who wore a hat, opened the valve.", "Aske … opened the valve"),
    ("The valve was open. The weather was fine. The pump ran.", "The valve was open. [...] The pump ran."),
    ("He opened the valve with a small key and left.", "He opened the valve … and left"),
    ("The town council, after a long debate, sold the mill.", "The town council … sold the mill"),
    ("Aske walked to the shop and broke the lamp.", "Aske … broke the lamp"),
    ("He told the board that the mill was sold.", "He told the board that [it] was sold"),
]
SHOWN_HARMLESS = 23


def verdict(text: str, quotation: str):
    page = Page(1, "D1", 1, text, hashlib.sha256(text.encode()).hexdigest(), 0, 0, "embedded", None, "", (), "f")
    return check(quotation, QuoteFinder([page]).find, lambda *_: page)


@pytest.mark.parametrize(("text", "quotation", "omission"), MISLEADING)
def test_a_misleading_omission_is_altered_and_shown(text, quotation, omission):
    finding = verdict(text, quotation)
    assert (finding.status, [row.page for row in finding.differences]) == ("altered", [omission])


def test_honest_omissions_are_verified_if_a_rule_proves_them_harmless():
    findings = [verdict(text, quotation) for text, quotation in HONEST]
    assert [row.status for row in findings] == ["verified"] * SHOWN_HARMLESS + ["altered"] * (30 - SHOWN_HARMLESS)
    assert all(row.differences and row.matches for row in findings[SHOWN_HARMLESS:])


@pytest.mark.parametrize(
    "words", ["the", "of the Hall", "of the ha\u0430ll", "in the hall.", "in the hall; on the wall", "of de hall"]
)
def test_only_complete_details_of_known_words_may_be_omitted(words):
    text = f"The pump {words} was out."
    difference, may_go = left_out(text, 8, text.index(" was"))
    assert (difference.page, may_go) == (words, False)


def test_the_sentence_around_a_place_ends_at_its_marks_and_at_blank_lines():
    text = "One. Two three four.\n\nFive six"
    assert text[slice(*sentence_around(text, 9, 9))].strip() == "Two three four."
    assert text[slice(*sentence_around(text, 24, 24))].strip() == "Five six"
