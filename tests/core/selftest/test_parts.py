"""How the self-test words what it saw."""

from __future__ import annotations

from core.selftest.parts import Outcome, Part

GOOD = Part("Judge", "ok", 1.234, "both verdicts are right")
BAD = Part("Reading: PDF", "failed", 0.5, "It was read, but the sentence was not found.", "Install the program again.")
ABSENT = Part("torch", "not installed", 0.0, "only other search models need it")
NO_LANDLOCK = Part("Kept apart: judge", "not available", 0.1, "this system has nothing to refuse it to write files")


def test_a_part_that_need_not_be_here_is_no_failure():
    outcome = Outcome((GOOD, ABSENT, NO_LANDLOCK))
    assert outcome.ok
    assert outcome.sentence() == "1 part works: 1 s. Not installed: torch. Not available: Kept apart: judge."
    assert Outcome((GOOD, ABSENT)).sentence() == "1 part works: 1 s. Not installed: torch."


def test_the_part_that_fails_is_named_with_its_remedy():
    outcome = Outcome((GOOD, BAD))
    assert not outcome.ok
    assert outcome.sentence() == "1 of 2 parts fails: Reading: PDF."
    assert Outcome((BAD, ABSENT)).sentence() == "1 of 2 parts fails: Reading: PDF. Not installed: torch."
    assert Outcome((BAD, BAD, GOOD)).sentence() == "2 of 3 parts fail: Reading: PDF, Reading: PDF."
    assert outcome.lines() == [
        "ok              1.23 s  Judge: both verdicts are right",
        "FAILED          0.50 s  Reading: PDF: It was read, but the sentence was not found.",
        "                        Install the program again.",
        "1 of 2 parts fails: Reading: PDF.",
    ]


def test_the_fields_are_those_of_the_contract():
    assert Outcome((BAD,)).facts() == {
        "ok": False,
        "parts": [
            {
                "name": "Reading: PDF",
                "ok": False,
                "state": "failed",
                "seconds": 0.5,
                "note": "It was read, but the sentence was not found.",
                "remedy": "Install the program again.",
            }
        ],
    }
