"""RTF: letters of all code pages, tables, notes, and what is hidden."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import rtf
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.ports import Attachment
from tests.core.engines.readers.test_package_parts import native
from tests.core.engines.readers.test_pictures import picture

READER = FileReader()
FONTS = r"{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}{\f2\fcharset128 Mincho;}}"
COLOURS = r"{\colortbl;\red255\green255\blue255;\red0\green0\blue0;\red9\green9\blue90;}"


def read(body: str, head: str = ""):
    data = (r"{\rtf1\ansi\ansicpg1252\deff0" + FONTS + COLOURS + head + body + "}").encode("latin-1")
    outline, *items = READER.read(data, "a.rtf")
    return outline, [item for item in items if isinstance(item, PageText)]


def text_of(body: str) -> str:
    _, (page,) = read(body)
    return page.text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"The pump\par stopped.", "The pump\n\nstopped."),
        (r"a\line b\tab c", "a\nb\tc"),
        (r"\{braces\} and \\stroke", r"{braces} and \stroke"),
        (r"na\'efve \'80 5", "naïve € 5"),
        (r"{\f1\'cf\'f0\'e8}", "При"),
        (r"{\f2\'93\'fa\'96\'7b}", "日本"),
        (r"\u8364?\u-10179?\u-8704? end", "€😀 end"),
        (r"\uc2\u8364 EU5", "€5"),
        (r"\uc0\u8364 5", "€5"),
        (r"\uc1\u8364\'805", "€5"),
        (r"one\~two\_three\-four", "one\xa0two-three\xadfour"),
        (r"\ldblquote so\rdblquote\emdash\bullet", "“so”—•"),
        ("line\nends\r\nmean nothing", "lineendsmean nothing"),
        (r"a{\*\unknown b{c}}d{\*\generator x;}", "ad"),
        (r"x{\pict\wmetafile8 010203}y{\object{\*\objdata 0102}{\result shown}}", "xyshown"),
        (r"{\field{\*\fldinst HYPERLINK http://a.b}{\fldrslt link}}", "link"),
        (r"a\bin3 {{{b", "ab"),
        (r"{\deleted gone}kept", "kept\n\nDeleted: gone"),
        (r"{\listtext 1.\tab}First", "1.\tFirst"),
        ("raw \xe9", "raw é"),
    ],
)
def test_words_and_signs(body, text):
    assert text_of(body) == text


def test_rows_are_lines_and_cells_are_apart_even_empty_ones():
    body = (
        r"Before\par\trowd\cellx100\cellx200\cellx300 Item\cell\cell Cost\par in EUR\cell\row"
        r"\trowd\cellx100 Pump\cell B\cell 12\cell\row\pard After"
    )
    assert text_of(body) == "Before\n\nItem · Cost in EUR\nPump · B · Cost in EUR: 12\n\nAfter"


def test_notes_comments_headers_and_pages():
    outline, pages = read(
        r"The pump{\footnote\pard Type B.} stopped.{\*\atnauthor Bo Lind}\chatn{\*\annotation Says who?}\page "
        r"Next page.{\header Secret report}{\footer 12}",
        r"{\info{\title The log}{\author Ann Berg}{\creatim\yr2024\mo3\dy5\hr8\min30}{\doccomm no}}",
    )
    assert (outline.kind, outline.title, outline.author, outline.file_date) == (
        "rtf",
        "The log",
        "Ann Berg",
        "2024-03-05T08:30:00",
    )
    assert [page.text for page in pages] == [
        "The pump stopped.\n\nFootnote: Type B.\n\nComment by Bo Lind: Says who?",
        "Next page.\n\nSecret report",
    ]


@pytest.mark.parametrize(
    ("format", "why"),
    [
        (r"\v", "unseen"),
        (r"\fs2", "tiny"),
        (r"\cf1", "colour"),
        (r"\fs1\b", "tiny"),
        (r"\cf1\highlight1", "colour"),
        (r"\highlight2", "blacked out"),
        (r"\cf2\chcbpat2", "blacked out"),
        (r"\cf3\cb3", "colour"),
    ],
)
def test_text_that_nobody_sees_is_kept_and_flagged(format, why):
    _, (page,) = read(rf"seen {{{format} hidden words}} seen")
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["hidden words"]
    assert page.hidden_why == (why,)


def test_deleted_text_is_kept_aside():
    _, (page,) = read(r"It {\deleted never }{\deleted\b ever }stopped{\deleted .}.")
    assert page.text == "It stopped.\n\nDeleted: never ever"
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["Deleted: never ever"]


@pytest.mark.parametrize(
    "format", [r"\v\v0", r"\fs24", r"\cf2", r"\cf1\highlight2", r"\cf1\plain", r"\v\plain", r"\cb2", r"\cf9"]
)
def test_text_that_is_seen_is_not_flagged(format):
    _, (page,) = read(rf"seen {{{format} plain words}} seen")
    assert page.hidden_spans == ()


def test_a_file_that_was_cut_off_gives_what_is_there():
    data = (r"{\rtf1 one\par two {\b three" + FONTS).encode()
    assert list(READER.read(data, "a.rtf"))[1].text == "one\n\ntwo three"


def test_what_stands_after_the_end_is_not_read():
    assert text_of("a}{b") == "a"


@pytest.mark.parametrize(
    ("body", "words"),
    [("", "no text"), (r"{\pict 00}", "no text"), ("{" * 20_000, "without end")],
)
def test_what_cannot_be_read_is_refused_with_its_cause(body, words):
    with pytest.raises(UnreadableDocument, match=words) as caught:
        read(body)
    assert caught.value.hint


def test_numbers_made_to_harm_do_not():
    text = text_of(r"a\bin-5 b\u99999999?c\uc999999\fs9 d\f999999999 e\li99999999999999 f")
    assert text.startswith("ab")
    assert text.endswith("cdef")


BOX = r"{\*\formfield\fftype1\ffres%d\ffdefres0}"
LIST = r"{\*\formfield\fftype2\ffres1{\*\ffl North}{\*\ffl South}}"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (r"10{\super 6} CO{\sub 2} 1{\super st}", "10⁶ CO₂ 1st"),
        (r"10{\up8 3} a{\up2 3}", "10³ a3"),
        (r"{\mmath{\*\moMath{\msSup{\me 10}{\msup 3}}{\mf{\mnum 1}{\mden 2}}}}", "10³ 1/2"),
        (r"{\field{\*\fldinst FORMCHECKBOX " + BOX % 1 + r"}{\fldrslt}} yes", "☒ yes"),
        (r"{\field{\*\fldinst FORMCHECKBOX " + BOX % 0 + r"}{\fldrslt}} yes", "☐ yes"),
        (r"{\field{\*\fldinst FORMDROPDOWN " + LIST + r"}{\fldrslt}}", "South"),
        (r"{\field{\*\fldinst SYMBOL 163 \\f Symbol}{\fldrslt}}", "≤"),
        (r"{\upr{a}{\*\ud{b}}}c", "bc"),
        (r"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv The valve}}{\shptxt Boxed}}{\shprslt Boxed}}",
         "[picture: The valve]\nBoxed"),
        (r"{\*\do\dobxcolumn{\dptxbxtext Old box}}", "Old box"),
        (r"{\f9 a\'a3}", "α≤"),
    ],
)  # fmt: skip
def test_figures_forms_and_drawings(body, text):
    _, (page,) = read(body, r"{\fonttbl{\f9\fcharset2 Symbol;}}")
    assert page.text == text


def test_struck_words_are_marked_also_in_notes_and_cells():
    body = r"may {\strike not} sublet{\footnote was {\strike never} so}\trowd\cellx1 a\cell {\striked b}\cell\row"
    _, (page,) = read(body)
    assert [page.text[start:end] for start, end in page.struck_spans] == ["not", "b", "never"]


HIDDEN = ("xe", "tc", "docvar", "userprops", "odd", "oddest")


def test_pictures_and_files_are_handed_out_and_groups_with_words_are_named():
    large, small = picture("PNG", 300, 100), picture("PNG", 9, 9)
    inside = native("plan.txt", b"Meet at noon.")
    package = (
        b"\1\5\0\0\2\0\0\0\x08\0\0\0Package\0" + bytes(8) + len(inside[4:]).to_bytes(4, "little") + inside[4:]
    ).hex()
    groups = "".join(rf"{{\*\{word} word of {word}}}" for word in HIDDEN) + r"{\*\empty\x1}{\*\listname secret}"
    body = "".join(
        (
            rf"text {{\*\shppict{{\pict\pngblip {large.hex()}}}}}{{\nonshppict{{\pict\wmetafile8 0102}}}}",
            rf"{{\pict\pngblip {small.hex()}}}{{\pict\wmetafile8 0102}}",
            rf"{{\object\objemb{{\*\objclass Package}}{{\*\objdata {package}}}{{\result shown}}}}",
            groups,
            r"{\info{\keywords secret}{\doccomm secret}}",
        )
    )
    data = (r"{\rtf1 " + body + "}").encode("latin-1")
    items = list(READER.read(data, "a.rtf"))
    assert [(file.name, file.data) for file in items if isinstance(file, Attachment)] == [
        ("picture.png", large),
        ("plan.txt", b"Meet at noon."),
    ]
    lines = {line.what: line.count for line in items if isinstance(line, LeftOut)}
    assert lines == {
        "small picture": 1,
        "vector picture (WMF)": 1,
        "index entry": 1,
        "entry of a table of contents": 1,
        "document variable": 1,
        "property of the file": 1,
        "part of an unknown kind (odd)": 1,
        "part of an unknown kind (oddest)": 1,
        "property of the file (keywords)": 1,
        "property of the file (remarks)": 1,
    }


def test_a_block_of_binary_data_hides_no_text_unsaid():
    def texts(source):
        items = list(rtf.read(source, "a.rtf"))
        pages = " ".join(item.text for item in items if isinstance(item, PageText))
        return pages, [item.what for item in items if isinstance(item, LeftOut)]

    assert texts(rb"{\rtf1 one \bin99999999999 two}") == ("one two", [])
    assert texts(rb"{\rtf1 one \bin3 xyz two}") == ("one  two", ["block of binary data"])


# What a word of this place is in: a page, or a line of the ledger that names the place.
PLACES = {
    r"%s\par ": "",
    r"{\b %s}": "",
    r"{\strike %s}": "",
    r"{\v %s}": "",
    r"{\deleted %s}": "",
    r"{\footnote\pard %s}": "",
    r"{\*\atnauthor Bo}\chatn{\*\annotation %s}": "",
    r"{\header %s}": "",
    r"{\footer %s on page}": "",
    r"\trowd\cellx100\cellx200 %s\cell x\cell\row\pard ": "",
    r"{\field{\*\fldinst REF a}{\fldrslt %s}}": "",
    r"{\*\do\dobxcolumn{\dptxbxtext %s}}": "",
    r"{\shp{\*\shpinst{\sp{\sn wzDescription}{\sv %s}}}}": "",
    r"{\*\xe %s}": "index entry",
    r"{\*\tc %s}": "entry of a table of contents",
    r"{\*\docvar {a}{%s}}": "document variable",
    r"{\info{\keywords %s}}": "property of the file (keywords)",
    r"{\info{\doccomm %s}}": "property of the file (remarks)",
    r"{\*\bkmkstart %s}": "bookmark name",
    r"{\*\ftnsep %s}": "line above notes",
    r"{\*\revtbl {Unknown;}{%s;}}": "author of a change",
    r'{\field{\*\fldinst IF 1 = 2 "%s" "x"}{\fldrslt x}}': "code of a field (IF)",
    r'{\field{\*\fldinst HYPERLINK "https://a.example/%s"}{\fldrslt x}}': "link address",
    r"{\field{\*\fldinst FORMDROPDOWN{\*\formfield{\fftype2\ffres0{\*\ffl x}{\*\ffl %s}}}}{\fldrslt x}}": (
        "choice of a form field"
    ),
    r"{\field{\*\fldinst FORMTEXT{\*\formfield{\fftype0{\*\ffhelptext %s}}}}{\fldrslt x}}": "help text of a form field",
    r"{\*\nevercalled %s}": "part of an unknown kind (nevercalled)",
}


@settings(max_examples=60)
@given(st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=8, unique=True))
def test_every_word_is_on_a_page_or_under_a_line_that_names_its_place(places):
    body = "text " + " ".join(place % f"qx{number}z" for number, place in enumerate(places))
    items = list(READER.read((r"{\rtf1\ansi" + FONTS + body + "}").encode("latin-1"), "a.rtf"))
    text = " ".join(item.text for item in items if isinstance(item, PageText))
    lines = {item.what for item in items if isinstance(item, LeftOut)}
    for number, place in enumerate(places):
        assert f"qx{number}z" in text or (PLACES[place] and PLACES[place] in lines), place
