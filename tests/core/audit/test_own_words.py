"""The words that a case says of itself."""

from __future__ import annotations

from core.audit.own_words import OwnWords

OWN = OwnWords.of(["H2 leads with 1.00 against 3.00 under the default rule.", "The relay was faulty."])


def test_only_texts_of_its_words_are_known():
    assert OWN.has("leads with 1.00 against 3.00")
    assert OWN.has("The re\u200blay was faulty.")
    assert OWN.has("default rule")
    assert not OWN.has("leads with 2.00 against 3.00")
    assert not OWN.has("rule the relay")
    assert not OWN.has("")


def test_words_that_a_column_breaks_or_cuts_off():
    words = OwnWords.of(["The statement of the grid-company-reply.eml in section four of it."])
    assert words.has("The state ment of the grid-companyreply.eml in sec…")
    assert not words.has("The state ment of the grid-companyreply.eml in chapter…")
