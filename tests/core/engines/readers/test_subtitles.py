from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import subtitles
from core.engines.readers.dispatch import FileReader
from tests.core.engines.format_material import contents

SRT = """1
00:00:01,000 --> 00:00:02,500
<i>The valve</i>

2
00:00:02,600 --> 00:00:04,000
was open.

3
00:00:09,000 --> 00:00:10,000
Nobody noticed 40
"""
VTT = """WEBVTT - Interview

NOTE
checked by Ines

STYLE
::cue {color:red}

intro
00:01.000 --> 00:04.000 position:10%
<v Ines Varga>Never &amp; never <c.x>drink</c>

00:04.100 --> 00:05.000
<v Tom>Ok.
"""
ASS = """[Script Info]
Title: Door
[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:01.00,0:00:03.00,Default,Tom,0,0,0,,{\\an8}Hello,\\Nworld
Comment: 0,0:00:01.00,0:00:03.00,Default,,0,0,0,,x
"""


def read(text: str):
    return list(FileReader().read(text.encode(), "a"))


def test_cues_of_a_sentence_are_one_line_with_its_times():
    outline, page = read(SRT)
    assert outline.kind == "subtitles"
    assert (
        page.text
        == "[00:00:01,000 – 00:00:04,000] The valve was open.\n[00:00:09,000 – 00:00:10,000] Nobody noticed 40"
    )


def test_voices_and_notes_are_kept():
    assert read(VTT)[1].text.split("\n") == [
        "Interview",
        "NOTE checked by Ines",
        "[00:01.000 – 00:04.000] Ines Varga: Never & never drink",
        "[00:04.100 – 00:05.000] Tom: Ok.",
    ]


def test_substation_dialogue():
    outline, page, left_out = read(ASS)
    assert (outline.title, page.text) == ("Door", "[0:00:01.00 – 0:00:03.00] Tom: Hello, world")
    assert left_out == LeftOut("comment", 1, "subtitles")


def test_captions_that_roll_are_read_once():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nThe valve\n\n00:02.000 --> 00:03.000\nThe valve\nwas open\n"
    assert read(text)[1].text == "[00:01.000 – 00:03.000] The valve was open"


@pytest.mark.parametrize("text", ["The log says --> 00:01", "1\nNo cue\n", "WEBVTT was the word"])
def test_other_text_is_no_subtitles(text):
    assert not subtitles.looks_like(text)


@given(
    st.lists(
        st.lists(st.from_regex(r"[a-z]{2,8}( [a-z]{2,8}){0,3}[.!]?", fullmatch=True), min_size=1, max_size=3),
        min_size=1,
    )
)
def test_no_word_is_lost(cues):
    cues = [[f"{line} n{number}n{index}" for index, line in enumerate(lines)] for number, lines in enumerate(cues)]
    blocks = [
        f"{n}\n00:00:{n % 60:02},000 --> 00:00:{n % 60:02},900\n" + "\n".join(lines)
        for n, lines in enumerate(cues, start=1)
    ]
    text = read("\n\n".join(blocks))[1].text
    for lines in cues:
        for line in lines:
            assert line in text


def test_lines_that_end_as_on_windows_are_read_alike():
    pages = [
        next(item.text for item in FileReader().read(text.encode(), "film.vtt") if isinstance(item, PageText))
        for text in ("WEBVTT\n\n00:01.000 --> 00:02.000\nOpen.\n", "WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nOpen.\r\n")
    ]
    assert pages == ["[00:01.000 – 00:02.000] Open."] * 2


CUE, SAID = "00:01.000 --> 00:02.000", "Dialogue: 0,0:00:01.00,0:00:03.00,Default,Tom,0,0,0,,x\n"
PLACES = {  # and the line of the ledger that stands for one
    "text": (f"WEBVTT\n\n{CUE}\n{{w}}\n", ""),
    "second line": (f"WEBVTT\n\n{CUE}\nx\n{{w}}\n", ""),
    "voice": (f"WEBVTT\n\n{CUE}\n<v {{w}}>x</v>\n", ""),
    "title": (f"WEBVTT - {{w}}\n\n{CUE}\nx\n", ""),
    "head": (f"WEBVTT\nLanguage: {{w}}\n\n{CUE}\nx\n", ""),
    "note": (f"WEBVTT\n\nNOTE {{w}}\n\n{CUE}\nx\n", ""),
    "note behind": (f"WEBVTT\n\n{CUE}\nx\n\nNOTE {{w}}\n", ""),
    "name of a cue": (f"WEBVTT\n\n{{w}}\n{CUE}\nx\n", "name of a cue"),
    "style": (f"WEBVTT\n\nSTYLE\n::cue({{w}}) {{{{color:red}}}}\n\n{CUE}\nx\n", "style"),
    "region": (f"WEBVTT\n\nREGION\nid:{{w}}\n\n{CUE}\nx\n", "style"),
    "text behind a blank line": (f"1\n{CUE}\nx\n\n{{w}}\n\n2\n{CUE}\ny", ""),
    "number with words": ("1 {w}\n00:00:01,000 --> 00:00:02,000\nx\n", "name of a cue"),
    "unknown tag": ("1\n00:00:01,000 --> 00:00:02,000\n<{w}> x\n", ""),
    "title of a script": (f"[Script Info]\nTitle: {{w}}\n[Events]\n{SAID}", ""),
    "what a script says of itself": (f"[Script Info]\nSource: {{w}}\n[Events]\n{SAID}", ""),
    "setting": (f"[Script Info]\nCollisions: {{w}}\n[Events]\n{SAID}", "setting"),
    "remark": (f"[Script Info]\n; {{w}}\n[Events]\n{SAID}", "comment"),
    "odd line": (f"[Script Info]\n{{w}}\n[Events]\n{SAID}", ""),
    "unknown section": (f"[Script Info]\n[Own]\n{{w}}: 1\n[Events]\n{SAID}", ""),
    "style of a script": (f"[Script Info]\n[V4+ Styles]\nStyle: {{w}},Arial\n[Events]\n{SAID}", "style"),
    "font": (f"[Script Info]\n[Fonts]\nfontname: {{w}}\n[Events]\n{SAID}", "line of an embedded font"),
    "speaker": (f"[Script Info]\n[Events]\n{SAID.replace('Tom', '{w}')}", ""),
    "said": (f"[Script Info]\n[Events]\n{SAID.replace(',,x', ',,{w}')}", ""),
    "effect": (f"[Script Info]\n[Events]\n{SAID.replace(',,x', ',{w},x')}", "effect of a line"),
    "comment": (f"[Script Info]\n[Events]\nComment: 0,0,0,,,0,0,0,,{{w}}\n{SAID}", "comment"),
    "picture": (f"[Script Info]\n[Events]\nPicture: 0,0,0,,,0,0,0,,{{w}}\n{SAID}", "picture that is not in the file"),
}  # fmt: skip


@pytest.mark.parametrize("place", PLACES)
def test_a_word_in_each_kind_of_place_is_read_or_its_place_is_named(place):
    data, line = PLACES[place]
    text, left_out = contents(data.format(w="quartzword").encode(), "a.vtt")
    assert line in left_out if line else "quartzword" in text
