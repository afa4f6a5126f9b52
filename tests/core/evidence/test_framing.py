"""What frames a quotation on its page and is left out: every misleading cut is altered, every honest one verified."""

from __future__ import annotations

import hashlib

import pytest

from core.audit.quotations import check
from core.domain import Page
from core.evidence.quotes import QuoteFinder

# (the page, the quotation, the report's own words in its sentence, what the finding must show)
MISLEADING = [
    ("Aske said that Fenn broke the relay.", "Fenn broke the relay", "", "Aske said that"),
    ("Aske told the police at noon that Fenn broke the relay.", "Fenn broke the relay",
     "", "Aske told the police at noon that"),
    ("According to Aske, Fenn broke the relay.", "Fenn broke the relay", "", "According to Aske"),
    ("Fenn broke the relay, according to Aske.", "Fenn broke the relay", "", "according to Aske"),
    ("Fenn broke the relay, Aske said.", "Fenn broke the relay", "", "Aske said"),
    ("“Fenn broke the relay,” said Aske.", "Fenn broke the relay", "", "said Aske"),
    ("Fenn broke the relay, or so Aske claims.", "Fenn broke the relay", "", "or so Aske claims"),
    ("Aske said Fenn broke the relay.", "Fenn broke the relay", "Holm said", "Aske said"),
    ("It is possible that Fenn broke the relay.", "Fenn broke the relay", "", "possible that"),
    ("It seems to me that Fenn broke the relay.", "Fenn broke the relay", "", "seems to me that"),
    ("Perhaps Fenn broke the relay.", "Fenn broke the relay", "", "Perhaps"),
    ("The rumour that Fenn broke the relay went round.", "Fenn broke the relay", "", "The rumour that"),
    ("That Fenn broke the relay is a lie.", "Fenn broke the relay", "", "is a lie"),
    ("The gate opens only if the guard agrees.", "The gate opens", "", "only if the guard agrees"),
    ("All guards of the hall left except Fenn.", "All guards of the hall left", "", "except Fenn"),
    ("The guards may leave the gate open.", "leave the gate open", "", "may"),
    ("The clerk believes that Fenn took the money.", "Fenn took the money", "", "The clerk believes that"),
    ("Aske said: “Fenn broke the relay.”", "Fenn broke the relay", "", "Aske said:"),
    ("According to the log of Aske, Fenn broke the relay.", "Fenn broke the relay",
     "Holm wrote that", "According to the log of Aske"),
    ("Rumours that Fenn broke the relay went round.", "Fenn broke the relay", "", "Rumours that"),
    ("I doubt that Fenn broke the relay.", "Fenn broke the relay", "", "doubt that"),
    ("There is little evidence that Fenn broke the relay.", "Fenn broke the relay", "", "little evidence that"),
    ("There is nothing to show that Fenn broke the relay.", "Fenn broke the relay", "", "nothing to show that"),
    ("It would be wrong to conclude that Fenn broke the relay.", "Fenn broke the relay",
     "", "wrong to conclude that"),
    ("Nobody saw that Fenn broke the relay.", "Fenn broke the relay", "", "Nobody saw that"),
    ("Somebody other than Fenn broke the relay.", "Fenn broke the relay", "", "other than"),
    ("Neither Holm nor Fenn broke the relay.", "Fenn broke the relay", "", "nor"),
    ("The guards cannot leave the gate open.", "leave the gate open", "", "cannot"),
    ("Either Fenn broke the relay or Holm did.", "Fenn broke the relay", "", "Either"),
    ("Suppose Fenn broke the relay.", "Fenn broke the relay", "", "Suppose"),
    ("He acted as though Fenn broke the relay.", "Fenn broke the relay", "", "as though"),
    ("It is a myth that Fenn broke the relay.", "Fenn broke the relay", "", "It is a myth that"),
    ("The headline “Fenn broke the relay” was withdrawn.", "Fenn broke the relay", "", "was withdrawn"),
    ("Fenn broke the relay (this was later disproved).", "Fenn broke the relay", "", "this was later disproved"),
    ("Fenn broke the relay – not.", "Fenn broke the relay", "", "– not"),
    ("Fenn broke the relay. That is a lie.", "Fenn broke the relay", "", "That is a lie"),
    ("Fenn broke the relay. This is not true.", "Fenn broke the relay", "", "This is not true"),
    ("Fenn broke the relay. This is not true.", "Fenn broke the relay.", "", "This is not true"),
    ("Fenn broke the relay. Not so! Holm did.", "Fenn broke the relay", "", "Not so!"),
    ("Fenn broke the relay, allegedly.", "Fenn broke the relay", "", "allegedly"),
    ("Fenn broke the relay, I suppose.", "Fenn broke the relay", "", "I suppose"),
    ("Allegations:\n- Fenn broke the relay.", "Fenn broke the relay", "", "Allegations"),
    ("Myth: Fenn broke the relay.", "Fenn broke the relay", "", "Myth"),
    ("If Aske is right, Fenn broke the relay.", "Fenn broke the relay", "", "If Aske is right"),
    ("The guards failed to close the gate.", "close the gate", "", "failed to"),
    ("The guards were told to close the gate.", "close the gate", "", "told to"),
    ("The guards should have closed the gate.", "closed the gate", "", "should have"),
    ("Fenn, the guard told me, broke nothing. If Fenn broke the relay, Aske lied.", "Fenn broke the relay", "", "If"),
    ("The so-called leader of the guards left at noon.", "leader of the guards left at noon", "", "so-called"),
    ("The guard was his so-called “friend of the house”.", "friend of the house", "", "so-called"),
    ("Had it rained, Fenn would be here.", "Fenn would be here", "", "Had it rained"),
    ("Should Aske be right, Fenn broke the relay.", "Fenn broke the relay", "", "Should Aske be right"),
    ("In the film, Fenn broke the relay.", "Fenn broke the relay", "", "In the film"),
    ("In a story that Aske wrote, Fenn broke the relay.", "Fenn broke the relay", "", "In a story that Aske wrote"),
    ("In the yearly drill, Fenn broke the relay.", "Fenn broke the relay", "", "In the yearly drill"),
    ("Fenn broke the relay. Aske later withdrew this.", "Fenn broke the relay", "", "Aske later withdrew this"),
    ("Fenn broke the relay. He has since retracted that statement.", "Fenn broke the relay",
     "", "He has since retracted that statement"),
    ("Aske or Fenn broke the relay.", "Fenn broke the relay", "", "or"),
    ("Fenn broke the relay, or Holm did.", "Fenn broke the relay", "", "or Holm did"),
    ("Fenn broke the relay or somebody moved it.", "Fenn broke the relay", "", "or somebody moved"),
    ("Fenn broke the relay, didn't he?", "Fenn broke the relay", "", "didn't he?"),
    ("Fenn broke the relay, did he not?", "Fenn broke the relay", "", "did he not?"),
    ("In the film Fenn broke the relay.", "Fenn broke the relay", "", "In the film"),
    ("Fenn broke the relay in Aske's imagination.", "Fenn broke the relay", "", "in Aske's imagination"),
    ("Fenn broke the relay (Aske's words).", "Fenn broke the relay", "", "Aske's words)"),
    ("Fenn broke the relay only in part.", "Fenn broke the relay", "", "only in part"),
    ("Theory of the prosecution: none.\n\nThe prosecutor's theory:\n\nFenn broke the relay.", "Fenn broke the relay",
     "", "theory"),
    ("Aske made two claims. First, Fenn broke the relay. Second, Holm lied. Both are false.", "Fenn broke the relay",
     "", "Both are false"),
    ("Fenn broke the relay. Holm ran. None of this is true.", "Fenn broke the relay", "", "None of this is true"),
    ("Nobody left the hall except Fenn.", "Nobody left the hall", "", "except Fenn"),
    ("Aske falsely claimed Fenn broke the relay.", "Fenn broke the relay", "", "falsely claimed"),
]  # fmt: skip

HONEST = [
    ("Aske said that Fenn broke the relay.", "Fenn broke the relay", "Aske said that"),
    ("Aske said that Fenn broke the relay.", "Fenn broke the relay", "According to Aske,"),
    ("Aske said that Fenn broke the relay.", "Fenn broke the relay", "A witness said"),
    ("The guard said that Fenn broke the relay.", "Fenn broke the relay", "One witness stated"),
    ("Aske said that Fenn broke the relay.", "Aske said that Fenn broke the relay", ""),
    ("Perhaps Fenn broke the relay.", "Fenn broke the relay", "It is possible that"),
    ("Fenn broke the relay, and Aske said nothing.", "Fenn broke the relay", ""),
    ("Fenn broke the relay and then left the hall.", "Fenn broke the relay", ""),
    ("He heard shots in the hall at noon.", "shots in the hall", ""),
    ("The fire claimed 40 lives in the hall.", "40 lives in the hall", ""),
    ("The gate opens only if the guard agrees.", "The gate opens", "If the guard agrees,"),
    ("Fenn broke the relay when the lamp was lit.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, which Aske wrote down.", "Fenn broke the relay", ""),
    ("Aske was in the hall, and Fenn broke the relay.", "Fenn broke the relay", ""),
    ("Fenn broke the relay at noon on 3 May.", "Fenn broke the relay", ""),
    ("Officials said that the dam broke at noon.", "the dam broke at noon", "Officials said that"),
    ("He may have left. Fenn broke the relay.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, said the guard.", "Fenn broke the relay", "The guard is clear:"),
    ("Fenn broke the relay, as planned.", "Fenn broke the relay", ""),
    ("Fenn broke the relay and told nobody.", "Fenn broke the relay", ""),
    ("It is not true that Holm was there, but Fenn broke the relay.", "Fenn broke the relay", ""),
    ("The alarm was false, and Fenn broke the relay.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, wrote a note and left.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, told Holm and left.", "Fenn broke the relay", ""),
    ("There is no doubt that Fenn broke the relay.", "Fenn broke the relay", ""),
    ("Nobody knew that Fenn broke the relay.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, perhaps by accident.", "Fenn broke the relay", ""),
    ("Fenn broke the relay. This was wrong of him.", "Fenn broke the relay", ""),
    ("Fenn broke the relay. Not everybody saw it.", "Fenn broke the relay", ""),
    ("Even if it rained, Fenn broke the relay.", "Fenn broke the relay", ""),
    ("He was going to the hall.", "the hall", ""),
    ("Fenn broke the relay. If it rains, the hall is shut.", "Fenn broke the relay.", ""),
    ("Fenn broke the relay. According to Aske, it was late.", "Fenn broke the relay.", ""),
    ("Fenn broke the relay. But not everybody saw it.", "Fenn broke the relay.", ""),
    ("He had doubts about the relay.", "about the relay", ""),
    ("He has nothing to show for his work.", "for his work", ""),
    ("The offer of 40 pounds was withdrawn.", "The offer of 40 pounds", ""),
    ("The guards were told to close the gate.", "close the gate", "They had orders to"),
    ("If Aske is right, Fenn broke the relay.", "Fenn broke the relay", "If he is right,"),
    ("The report that he wrote lists four lamps.", "he wrote lists four lamps", "This says that"),
    ("Fenn broke the relay but not the fuse.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, except that nobody noticed.", "Fenn broke the relay", ""),
    ("The fire took hundreds, if not thousands, of books.", "The fire took hundreds", ""),
    ("Aske, who denied everything, saw Fenn.", "saw Fenn", ""),
    ("The guard who denied everything saw Fenn.", "saw Fenn", ""),
    ("Fenn falsely signed the list and left the hall.", "left the hall", ""),
    ("In the film, Fenn broke the relay.", "Fenn broke the relay", "In the film,"),
    ("Fenn broke the relay in March or in April.", "Fenn broke the relay", ""),
    ("Fenn broke the relay. Aske withdrew to the hall.", "Fenn broke the relay", ""),
    ("Fenn broke the relay, as did he.", "Fenn broke the relay", ""),
    ("Had no lamp been lit, nobody would know; Fenn broke the relay.", "Fenn broke the relay", ""),
    ("The lamp was partly lit. Fenn broke the relay.", "Fenn broke the relay", ""),
    ("Fenn broke the relay. All of the lamps were lit.", "Fenn broke the relay", ""),
    ("Fenn broke the relay. Both are in the hall now.", "Fenn broke the relay", ""),
    ("The theory was read out.\n\nFenn broke the relay.", "Fenn broke the relay", ""),
    ("In the hall, Fenn broke the relay.", "Fenn broke the relay", ""),
]  # fmt: skip


def verdict(text: str, quotation: str, sentence: str):
    page = Page(1, "D1", 1, text, hashlib.sha256(text.encode()).hexdigest(), 0, 0, "embedded", None, "", (), "f")
    return check(quotation, QuoteFinder([page]).find, lambda *_: page, context=sentence, sentence=sentence)


@pytest.mark.parametrize(("text", "quotation", "sentence", "frame"), MISLEADING)
def test_a_quotation_cut_out_of_its_frame_is_altered_and_shows_it(text, quotation, sentence, frame):
    finding = verdict(text, quotation, sentence)
    assert (finding.status, [difference.page for difference in finding.differences]) == ("altered", [frame])


@pytest.mark.parametrize(("text", "quotation", "sentence"), HONEST)
def test_a_frame_that_the_report_has_too_or_that_is_none_alters_nothing(text, quotation, sentence):
    assert verdict(text, quotation, sentence).status == "verified"


def test_one_place_without_a_frame_is_enough():
    text = "Aske said that Fenn broke the relay. Fenn broke the relay. It was late."
    assert verdict(text, "Fenn broke the relay", "").status == "verified"
