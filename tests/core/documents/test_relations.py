"""Which documents repeat which: by version, copy, and the sentences that both print."""

from __future__ import annotations

import pytest

from core import __main__ as cli
from core.documents import relations
from core.documents.relations import Family, families, places_of
from core.domain import Document, NearDuplicate
from core.ports import Engines
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader

LONG = (
    "The minister said on Monday that the dam above the town had been inspected twice in the last year and that no "
    "crack had been found in it. "
)
SHORT = "Nobody was hurt when the ferry sank at its berth below it. "
OTHER = "The harbour master wrote to the paper that nobody had asked him about it. "


def document(number, **fields):
    return Document(f"D{number}", f"{number}.txt", "", "text", 1, 1, 1, "ready", "", **fields)


def related(texts, dates=None, likenesses=(), documents=None):
    documents = documents or [document(number) for number in range(1, len(texts) + 1)]
    places = {source.id: places_of(text, 1) for source, text in zip(documents, texts, strict=True)}
    return families(documents, dates or {}, likenesses, places)


def steps(family: Family):
    return [(relation.document, relation.of, relation.kind, relation.sentences) for relation in family.relations]


def test_documents_that_print_one_long_sentence_are_one_family_after_the_earliest():
    texts = [f"Our paper reports. {LONG}{OTHER}", "Nothing of the kind was said here at all.", f"{LONG}More tomorrow."]
    (family,) = related(texts)
    assert family.documents == ("D1", "D3")
    assert steps(family) == [("D3", "D1", "sentences", 1)]
    (relation,) = family.relations
    assert texts[2][relation.start : relation.end] == LONG.strip()
    (family,) = related(texts, {"D1": "2011-05-03", "D3": "2011-05-02"})
    assert family.documents == ("D3", "D1")
    assert steps(family) == [("D1", "D3", "sentences", 1)]


def test_one_short_sentence_is_no_repetition_and_two_are():
    assert related([f"He said so. {SHORT}", f"She said no. {SHORT}"]) == []
    (family,) = related([f"{SHORT}{OTHER}", f"He said so. {OTHER}{SHORT}"])
    assert steps(family) == [("D2", "D1", "sentences", 2)]


def test_a_quoted_mail_prints_the_sentences_of_the_mail():
    quoted = "> " + LONG.replace("had been inspected", "had been\n> inspected")
    (family,) = related([LONG, f"I doubt that.\n\n{quoted}\n"])
    assert steps(family) == [("D2", "D1", "sentences", 1)]


def test_what_stands_in_very_many_documents_is_a_footer():
    assert related([f"{LONG} Paper {number}." for number in range(40)]) == []


def test_sentences_of_a_form_do_not_make_one_source_of_different_reports():
    form = LONG + SHORT + "The board does not assign fault or blame for an accident or an incident of any kind. "
    findings = (
        "The engine number {n} lost its oil pressure above the valley and the pilot turned back at once. "
        "A bolt of the number {n} carburettor had worked loose since the inspection of the week before. "
        "The wreck of aircraft {n} was found on the next morning by two walkers from the village below. "
    )
    assert related([form + findings.format(n=100 + number) for number in range(20)]) == []


def test_a_report_that_six_papers_print_is_one_source():
    story = LONG + SHORT + OTHER
    remark = "Our own reporter in the town of {n} adds that the market was held as on any other day of the week. "
    (family,) = related([story + remark.format(n=number) for number in range(6)])
    assert len(family.documents) == 6


def test_equal_rows_of_a_form_are_no_sentence_that_two_documents_print():
    row = "Airplane Rating(s): Single-engine Land Seat Occupied: Left Instructor Rating(s): None Toxicology: No\n\n"
    assert (
        related([f"{row}{row.replace('Left', 'Right')}The first.", f"{row}{row.replace('Left', 'Right')}Other."]) == []
    )
    telegram = LONG.upper()
    (family,) = related([telegram, f"Seen here. {telegram}"])
    assert steps(family) == [("D2", "D1", "sentences", 1)]


def test_a_version_counts_before_a_copy_and_a_copy_before_sentences():
    documents = [document(1, superseded_by="D2"), document(2), document(3), document(4)]
    likenesses = [NearDuplicate("D2", "D1", "near", 0.97), NearDuplicate("D3", "D1", "contained", 0.8)]
    (family,) = related([LONG] * 4, likenesses=likenesses, documents=documents)
    assert family.documents == ("D1", "D2", "D3", "D4")
    assert steps(family) == [
        ("D2", "D1", "version", 1),
        ("D3", "D1", "part", 1),
        ("D4", "D1", "sentences", 1),
    ]
    assert [relations.words_of(relation) for relation in family.relations] == [
        "newer version",
        "much in common, 80% of the wording",
        "1 sentence",
    ]
    assert relations.distinct_sources(6, [family]) == 3


def test_the_largest_family_stands_first_and_a_member_without_a_document_is_left_out():
    texts = [f"{LONG}", f"{SHORT}{OTHER}", f"{LONG} x", f"{OTHER}{SHORT}", f"{LONG} y"]
    likenesses = [NearDuplicate("D9", "D1", "near", 1.0)]
    groups = related(texts, likenesses=likenesses)
    assert [family.documents for family in groups] == [("D1", "D3", "D5"), ("D2", "D4")]


@pytest.fixture
def case(tmp_path):
    for number, text in enumerate((f"{LONG}{OTHER}", f"Another paper. {LONG}", SHORT), 1):
        (tmp_path / f"{number}.txt").write_text(text, "utf-8")
    path = tmp_path / "case.disconfirm"
    with Workbench.create(path, Engines(PlainReader(), HashEmbedder())) as bench:
        bench.documents.add([tmp_path / f"{number}.txt" for number in (1, 2, 3)])
    return path


def test_the_families_of_a_case_are_listed(case, capsys):
    assert cli.main(["documents", str(case), "families"]) == 0
    out = capsys.readouterr().out
    assert "D2\tD1: much in common, " in out
    assert "3 documents, 2 sources" in out
