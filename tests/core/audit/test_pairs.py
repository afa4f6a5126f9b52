"""One sentence against one document, without a case."""

from __future__ import annotations

import pytest

from core.audit.pairs import PairChecks
from core.domain import Bearing
from tests.fakes import HashEmbedder

DOCUMENT = "The relay of pump two was out for 47 minutes on 3 May 2021. Klara Bost signed the log. Some pumps failed."


@pytest.mark.parametrize("embedder", [None, HashEmbedder()])
def test_pairs_are_decided(embedder):
    checks = PairChecks(embedder, [DOCUMENT])
    true = checks.check("The relay of pump two was out for 47 minutes.", DOCUMENT)
    false = checks.check("The relay of pump two was out for 74 minutes.", DOCUMENT)
    assert (true.finding, true.differences) == ("supported", ())
    assert false.finding == "differs"
    assert [(difference.own, difference.source) for difference in false.differences] == [("74", "47")]
    assert 0 <= false.score < 0.5 <= true.score <= 1
    assert checks.check("Bishops baptise orphans in spring.", DOCUMENT).finding == "not_found"
    assert checks.check("   ", DOCUMENT).finding == "not_a_claim"
    assert checks.check("The relay was out.", "").finding == "not_found"


def test_a_text_of_several_sentences_is_as_good_as_its_worst():
    checks = PairChecks(None, [DOCUMENT])
    text = "Klara Bost signed the log. All pumps failed."
    assert checks.check(text, DOCUMENT).finding == "overstated"


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("Die Lager wurden danach nicht mehr geschmiert.", "Die Lager wurden danach geschmiert."),
        ("Les paliers ne sont pas dans la cave.", "Les paliers sont dans la cave."),
        ("Подшипники насоса больше не смазывались ночью.", "Подшипники насоса смазывались ночью."),
        ("لم يكن قفل باب غرفة المضخات مكسورا.", "كان قفل باب غرفة المضخات مكسورا."),
        ("泵房的门锁 没有 损坏 和 打开。", "泵房的门锁 损坏 和 打开。"),
    ],
)
def test_a_denial_that_is_left_out_in_another_language_is_not_supported(document, sentence):
    checks = PairChecks(None, [document])
    assert checks.check(sentence, document).finding in ("not_judged", "not_found")
    assert checks.check(document, document).finding == "supported"


class Reader:
    """A reader of statements that finds what has the word 'rightly' supported, all else contradicted."""

    def bearing(self, passage, sentence):
        supported = 0.95 if "rightly" in sentence else 0.01
        return Bearing(supported, 0.98 - supported, 0.01, 0.005, 0.005)


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("Bost rightly put her name to the log.", "supported"),
        ("Bost put her name to no log.", "contradicted"),
        ("Bost rightly put her name to the log. Bost put her name to no log.", "contradicted"),
        ("Bost rightly put her name to the 19 logs.", "undecided"),
    ],
)
def test_paraphrases_are_decided_by_a_statement_reader(text, finding):
    assert PairChecks(None, [DOCUMENT], Reader()).check(text, DOCUMENT).finding == finding
