from __future__ import annotations

import codecs
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut
from core.engines.readers import plain_text
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument

READER = FileReader()
GERMAN = "Die Pumpe fiel um zwei Uhr aus. Später prüften Überwacher die Ölstände mehrfach; größere Schäden fehlten. "
RUSSIAN = "Ночной сторож записал, что второй насос остановился в два часа утра, и никто к нему не подходил. "


def read(data: bytes, name: str = "a.txt"):
    items = list(READER.read(data, name))
    return items[0], items[1:]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_unicode_encodings_with_and_without_a_mark(encoding):
    text = "The pump stopped. Grüße, 世界.\n" * 3
    assert read(text.encode(encoding))[1][0].text == text


def test_big_endian_marks():
    for mark, name in ((codecs.BOM_UTF16_BE, "utf-16-be"), (codecs.BOM_UTF32_BE, "utf-32-be")):
        assert read(mark + "Grüße".encode(name))[1][0].text == "Grüße"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [("können", "cp1252"), ("“quoted” – dash", "cp1252"), (GERMAN * 5, "cp1252"), (RUSSIAN * 8, "cp1251")],
)
def test_older_encodings(text, encoding):
    assert read(text.encode(encoding))[1][0].text == text


def test_a_stated_encoding_is_believed_where_it_fits():
    assert plain_text.decode("прибор".encode("koi8-r"), encoding="koi8-r") == "прибор"
    assert plain_text.decode("Grüße".encode(), encoding="latin-1") == "Grüße"  # valid UTF-8 is no accident
    assert plain_text.decode("日本語".encode("iso-2022-jp"), encoding="iso-2022-jp") == "日本語"
    for nonsense in ("no-such-code", "base64", "rot13", "", "utf-8\0"):
        assert plain_text.decode(b"caf\xe9", encoding=nonsense) == "café"


def test_line_ends_and_control_characters():
    assert read(b"a\r\nb\rc\x0bd\0e\x07f\tg")[1][0].text == "a\nb\nc\nd\ufffde\ufffdf\tg"


def test_blocks_of_zeros_in_a_log_are_counted_and_no_text():
    _, page, left_out = FileReader().read(b"12:00 shut\n" + bytes(4_096) + b"12:01 open\n", "a.log")
    assert page.text == "12:00 shut\n12:01 open\n"
    assert left_out == LeftOut("zero byte", 4_096, "blocks between the lines")


def test_codes_for_a_terminal_are_counted_and_no_text():
    _, page, left_out = FileReader().read(b"\x1b[1;31mERROR\x1b[0m gate 7 \x1b]0;title\x07open", "a.log")
    assert page.text == "ERROR gate 7 open"
    assert left_out == LeftOut("terminal code", 3, "whole file")


def test_a_form_feed_starts_a_page():
    outline, pages = read(b"one\ftwo\f\fthree\f\n")
    assert [page.text for page in pages] == ["one", "two", "", "three"]
    assert [page.source for page in pages] == ["embedded", "embedded", "none", "embedded"]
    assert (outline.kind, outline.pages) == ("text", 4)
    assert [page.label for page in pages] == ["", "", "", ""]


def test_a_very_long_text_is_cut_at_paragraphs():
    paragraph = "The pump stopped at two. " * 40 + "\n\n"
    text = paragraph * 700
    _, pages = read(text.encode())
    assert "".join(page.text for page in pages) == text
    assert all(page.text.endswith("\n\n") and len(page.text) <= plain_text.PAGE for page in pages)
    assert [page.label for page in pages] == [f"part {n}" for n in range(1, len(pages) + 1)]


def test_a_long_text_without_any_gap_is_cut_anyway():
    _, pages = read(b"x" * 600_000)
    assert [len(page.text) for page in pages] == [250_000, 250_000, 100_000]


def test_markdown_is_text_with_its_marks():
    outline, pages = read(b"# Title\n\n- item\n", "notes.MD")
    assert outline.kind == "markdown"
    assert pages[0].text == "# Title\n\n- item\n"


@pytest.mark.parametrize("data", [b"", b" \n\t\f\n", b"\xef\xbb\xbf"])
def test_nothing_to_read_is_said(data):
    with pytest.raises(UnreadableDocument) as caught:
        read(data)
    assert "empty" in caught.value.sentence or "no text" in caught.value.sentence


def test_bytes_that_are_no_text_are_refused_under_its_name():
    noise = bytes(range(128, 160)) * 100 + bytes(range(8)) * 200
    with pytest.raises(UnreadableDocument):
        read(noise, "noise.txt")


@given(st.binary(max_size=300))
def test_any_bytes_become_characters(data):
    text = plain_text.clean(plain_text.decode(data))
    text.encode("utf-8")
    assert "\0" not in text
    assert "\r" not in text


@given(st.text(max_size=300))
def test_pages_lose_nothing(text):
    pages = [part for part, _ in plain_text.sheets(text)]
    assert "\f".join(pages).rstrip("\f \n\t\r\x0b\x1c\x1d\x1e\x1f\x85\xa0") in text


@pytest.mark.parametrize(
    ("text", "unseen"),
    [
        ("plain", []),
        ("family \U0001f468\u200d\U0001f469\u200d\U0001f467 and می\u200cخواهم", []),
        ("Wales \U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f plays", []),
        ("yes\U000e0073\U000e0061\U000e0079 no", ["\U000e0073\U000e0061\U000e0079"]),
        ("a\u200b\u200c\u200b\u200d\u2060b", ["\u200b\u200c\u200b\u200d\u2060"]),
        ("file \u202efdp.exe\u202c end", ["\u202efdp.exe\u202c"]),
        ("a\u3164\u3164\u3164\u3164b and \u1100\u1160\u11a8", ["\u3164\u3164\u3164\u3164"]),
    ],
)
def test_characters_that_nobody_sees(text, unseen):
    why = "direction" if "\u202e" in text else "zero width"
    assert [(text[start:end], reason) for start, end, reason in plain_text.unseen_why(text)] == [
        (u, why) for u in unseen
    ]


def test_hidden_characters_are_flagged_on_the_page():
    _, (page,) = read("The pump \U000e0073\U000e0061\U000e0079 stopped.".encode())
    assert page.hidden_spans == ((9, 12),)


REASON = st.sampled_from(["tiny", "colour", "unseen"])


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 10), REASON).map(lambda p: (p[0], p[0] + p[1], p[2]))))
def test_explained_spans_are_apart_cover_the_same_and_keep_a_reason_that_was_given(spans):
    merged, why = plain_text.split_reasons(spans)
    assert len(merged) == len(why)
    assert {n for s, e, _ in spans for n in range(s, e)} == {n for s, e in merged for n in range(s, e)}
    for (start, end), reason in zip(merged, why, strict=True):
        assert start < end
        for place in range(start, end):
            assert any(s <= place < e and reason == w for s, e, w in spans)
    for (left, left_reason), (right, right_reason) in pairwise(zip(merged, why, strict=True)):
        assert left[1] < right[0] or (left[1] == right[0] and left_reason != right_reason)


def test_zero_bytes_among_words():
    items = list(READER.read(b"The pump\0\0\0 stopped.", "a.txt"))
    assert "pump" in items[1].text
    with pytest.raises(UnreadableDocument) as caught:
        list(READER.read(b"The pump stopped.\0\0\0\0\0\0\0\0" * 40, "a.txt"))
    assert "zero bytes" in caught.value.sentence
    assert "Text File" not in caught.value.sentence
    assert "plain text" in caught.value.hint


@pytest.mark.parametrize("name", ["a.txt", "a.html", "a.csv"])
def test_a_word_of_millions_of_letters_is_refused_with_the_reason(name):
    with pytest.raises(UnreadableDocument, match="without a space") as caught:
        list(READER.read(b"The pump. " + b"a" * 2_000_000, name))
    assert caught.value.hint
    assert list(READER.read(b"The pump. " + b"a" * 900_000, name))
    assert list(READER.read("水が止まった。".encode() * 300_000, "a.txt"))
