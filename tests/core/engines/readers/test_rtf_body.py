"""Bodies of mails in RTF: compressed, and with a page of HTML in them."""

from __future__ import annotations

import compressed_rtf
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import rtf_body

PAGE = (
    r"{\rtf1\ansi\ansicpg1251\fromhtml1 \deff0{\fonttbl{\f0\fswiss\fcharset204 Arial;}{\f1\fswiss\fcharset0 Arial;}}"
    r"{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 The {\*\htmltag84 <b>}\htmlrtf \b hidden \htmlrtf0 valve{\*\htmltag92 </b>}"
    r" \'ed\'e5 \f1\'fc\f0 {\*\htmltag4 \par}\u8364? 5 {\*\mhtmltag84 no}\{x\}{\*\htmltag72 </p>}\htmlrtf }\htmlrtf0}"
)


def test_a_page_in_a_body_is_taken_out():
    assert rtf_body.page_in(PAGE) == "<p>The <b>valve</b> не ü\r\n€ 5 {x}</p>"
    assert rtf_body.read(PAGE.encode())[0].text == "The valve не ü € 5 {x}"


def test_a_compressed_body_is_read_and_a_damaged_one_is_none():
    data = compressed_rtf.compress(PAGE.encode())
    assert rtf_body.decompress(data) == PAGE.encode()
    assert rtf_body.decompress(data[:40] + b"\xff" + data[41:]) == b""
    assert rtf_body.decompress(b"short") == b""


def test_a_body_in_plain_rtf_keeps_what_is_hidden():
    piece, _ = rtf_body.read(rb"{\rtf1\ansi Seen.{\v  Unseen.}\par}")
    assert piece.text.startswith("Seen.")
    assert piece.hidden_spans
    assert rtf_body.read(b"no rtf at all")[0].text in ("", "no rtf at all")


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="{}\\\\*'abfhtmlrtg0123 \n<>u-~_", max_size=200))
def test_nothing_breaks_the_reader(text):
    rtf_body.page_in(text).encode("utf-8")
