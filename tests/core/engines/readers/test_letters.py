from __future__ import annotations

import math

from core.engines.readers import letters


def test_letters_of_a_language_are_probabilities():
    for table in letters.tables():
        assert sum(math.exp(value) for value in table.values()) < 1.001


def test_a_text_is_likelier_in_its_own_letters_than_misread():
    czech = "Strážný nezamkl bránu, ačkoliv měl příkaz"
    for charset in ("cp1250", "cp1252", "koi8-r"):
        misread = czech.encode("iso8859-2").decode(charset, "replace")
        assert letters.likelihood(czech) > letters.likelihood(misread)
    assert letters.likelihood("plain") == 0
