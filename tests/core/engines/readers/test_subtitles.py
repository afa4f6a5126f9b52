from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import subtitles
from core.engines.readers.dispatch import FileReader

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
