"""Bodies of mails: flowing lines, files in the text, pictures in a page."""

from __future__ import annotations

import base64
import binascii

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.engines.readers import mail_bodies
from core.engines.readers.text_flow import Piece


@pytest.mark.parametrize(
    ("text", "delete_space", "joined"),
    [
        ("The number is 4471 \n8890 and the refer \nence.", True, "The number is 44718890 and the reference."),
        ("One \ntwo.\n> Three \n> four.\n>> Five\n-- \nAnn", False, "One two.\n> Three four.\n>> Five\n-- \nAnn"),
        (" From the dam\n  two blanks", False, "From the dam\n two blanks"),
        ("A line \n> a quote", False, "A line \n> a quote"),
    ],
)
def test_lines_that_were_broken_for_the_way_are_joined(text, delete_space, joined):
    assert mail_bodies.unflow(text, delete_space=delete_space) == joined


def test_files_written_into_a_text_are_taken_out():
    lines = "".join(binascii.b2a_uu((b"one " * 20)[start : start + 45]).decode() for start in (0, 45))
    packed = base64.b64encode(b"two").decode()
    text = f"Before\nbegin 644 a b.txt\n{lines}`\nend\nBetween\nbegin-base64 644 c.bin\n{packed}\n====\nBehind"
    assert mail_bodies.without_files(text) == (
        "Before\nBetween\nBehind",
        [("a b.txt", b"one " * 20), ("c.bin", b"two")],
    )


@pytest.mark.parametrize(
    "text", ["begin 644 plan\nThe dam broke. \u20ac\nend", "begin 644 x.txt\nno end", "begin again\nend"]
)
def test_words_that_only_look_like_a_file_stay_text(text):
    assert mail_bodies.without_files(text) == (text, [])


def test_pictures_in_a_page_are_taken_out():
    source = '<img src="data:image/png;base64,b25l"><img src="data:image/svg+xml;base64,dHdv">'
    assert mail_bodies.pictures_in(source) == [("picture 1.png", b"one"), ("picture 2.svg", b"two")]


WORDS = st.lists(st.sampled_from(["dam", "not", "48,200", "valve", "open", "\n\n"]), max_size=12)


@settings(max_examples=300, deadline=None)
@given(WORDS, WORDS)
def test_no_word_of_either_form_is_lost(plain, rich):
    forms = [Piece(" ".join(plain))], [Piece(" ".join(rich))]
    text = " ".join(piece.text for piece in mail_bodies.merge(*forms)).split()
    assert {word for word in plain if word != "\n\n"} <= set(text)
    for word in set(rich) - {"\n\n"}:
        assert text.count(word) >= rich.count(word)


def test_addresses_that_only_the_plain_form_spells_out_are_kept():
    plain = [Piece("Read it here: https://example.org/a?id=4711 and call tel:+1555. Or https://example.org/b")]
    rich = [Piece("Read it here and call. Or see https://example.org/b, with the picture of the day.")]
    body, addresses = mail_bodies.merge(plain, rich)
    assert body == rich[0]
    assert addresses.text.split("\n")[1:] == ["https://example.org/a?id=4711", "tel:+1555"]


def test_the_rich_form_is_read_where_it_marks_what_the_plain_one_does_not():
    plain = [Piece("We pay 900 700 euros. He left.")]
    for marks in ({"struck_spans": ((7, 10),)}, {"hidden_spans": ((22, 30, "style"),)}):
        rich = [Piece("We pay 900 700 euros. He left.", **marks)]
        assert mail_bodies.merge(plain, rich) == rich
    assert mail_bodies.merge(plain, [Piece("We pay 900 700 euros. He left.")]) == plain
