"""Citations: where they begin and end, what they name, and that no sentence is cut or swallowed by one."""

from __future__ import annotations

import pytest

from core import formats
from core.audit.citations import Source, attachments, entry, find, is_source_list, named_in, numbers, resolve
from core.audit.document_text import split

SOURCES = (
    Source("D1", "interim report.v2.pdf", "Interim report on the flood", "https://www.example.org/a/", 9, {"iv": 4}),
    Source("D2", "access_log.txt", "", "", 2),
    Source("D10", "relay-examination.docx", "", "", 3),
)
NAMES = [source.name for source in SOURCES]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The door was open (D2, p. 4).", [("document", "D2", ("4",))]),
        ("It rained [3-5,7].", [("number", "3-5,7", ())]),
        ("He left early. (interim report.v2.pdf, p. 9) Then she came.", [("file", "interim report.v2.pdf", ("9",))]),
        ("The log says so, access_log.txt, pp. 2–3, twice.", [("file", "access_log.txt", ("2", "3"))]),
        ("As it says.[^1]", [("note", "1", ())]),
        ("Then (ibid., p. 5).", [("ibid", "ibid", ("5",))]),
        ("Seen at https://example.org/a.html.", [("address", "https://example.org/a.html", ())]),
        ("Good (E3), and (see Interim Report, pp. 4–6; D2, p. 1).",
         [("evidence", "E3", ()), ("title", "Interim Report", ("4", "5", "6")), ("document", "D2", ("1",))]),
        ("Late (about 5 p.m.) and cold (in 1999, P77, similarity 0.5).", []),
    ],
)  # fmt: skip
def test_citations_are_found_with_their_pages(text, expected):
    mentions = find(text, NAMES)
    assert [(mention.kind, mention.name, mention.pages) for mention in mentions] == expected
    assert all(mention.text in text for mention in mentions)


@pytest.mark.parametrize("ending", formats.ENDINGS)
def test_a_file_of_any_format_can_be_cited(ending):
    for text, pages in (
        (f"It rained (register{ending}, row 3).", ()),
        (f"The log, register{ending}, p. 2, says.", ("2",)),
    ):
        assert [(mention.kind, mention.name, mention.pages) for mention in find(text)] == [
            ("file", f"register{ending}", pages)
        ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left. (interim report.v2.pdf, p. 9) She came.", ["He left. (interim report.v2.pdf, p. 9)", "She came."]),
        ("It is in access_log.txt, p. 9 and dry. It rained.", ["It is in access_log.txt, p. 9 and dry.", "It rained."]),
        ("It rained. [3] It snowed.", ["It rained. [3]", "It snowed."]),
    ],
)
def test_a_citation_neither_ends_nor_begins_a_sentence(text, expected):
    assert [text[span.start : span.end] for span in split(text, NAMES)] == expected


@pytest.mark.parametrize(
    ("text", "document", "pages", "stray"),
    [
        ("(D2, p. 1)", "D2", (1,), ()),
        ("(D2, p. 9)", "D2", (), ("9",)),
        ("(D77, p. 9)", "", (), ()),
        ("(interim report.v2.pdf, p. iv)", "D1", (4,), ()),
        ("(Interim report on the flood, p. 2)", "D1", (2,), ()),
        ("(relay-examination.docx)", "D10", (), ()),
        ("http://example.org/a#top", "D1", (), ()),
        ("(Minutes of the board, p. 2)", "", (), ()),
        ("(E1)", "D2", (2,), ()),
    ],
)
def test_a_citation_is_resolved_or_has_no_target(text, document, pages, stray):
    (mention,) = find(text, NAMES)
    target = resolve(mention, SOURCES, {"E1": ("D2", 2)})
    assert (target.document, target.pages, target.stray_pages) == (document, pages, stray)


def test_a_list_of_sources_is_read():
    assert is_source_list("3. References")
    assert not is_source_list("What the sources say")
    assert entry("[4] Access log, p. 2") == (4, "Access log, p. 2")
    assert named_in("Access log, p. 2", SOURCES, {}).document == "D2"
    assert named_in("Something else entirely, p. 2", SOURCES, {}).document == ""
    assert numbers("3-5,7") == [3, 4, 5, 7]


def test_attachments_are_cited_with_their_message():
    documents = attachments("D1", {"": ["D1", "D4"], "D1": ["D2"], "D2": ["D3"]})
    source = Source("D1", "handover.eml", pages=1, attachments=documents)
    (mention,) = find("The crate left at noon (handover.eml).")
    assert resolve(mention, [source], {}).documents == {"D1", "D2", "D3"}
    assert resolve(mention, [], {}).documents == frozenset()
