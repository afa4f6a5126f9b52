"""What of a page states nothing: headers of mails, heading rows, titles; never a line that says something."""

from __future__ import annotations

import pytest

from core.documents.furniture import furniture, is_navigation
from core.domain import Section, Table

MAIL = "From: Ada Holm <ada@mill.example>\nTo: Bo Lind <bo@mill.example>\nSubject: The turbine\n\n"
SAYING = "The turbine was stopped by hand at noon."


def stretches(text, *sections, **more):
    return [text[span.start : span.end].strip() for span in furniture(text, sections, **more)]


def test_the_header_of_a_mail_states_nothing():
    assert stretches(f"{MAIL}Bo,\n\n{SAYING}\n") == [MAIL.strip()]


def test_the_header_of_a_mail_within_a_mail_states_nothing():
    assert stretches(f"{SAYING}\n\n-----Original Message-----\n{MAIL}{SAYING}") == [MAIL.strip()]


def test_a_field_within_a_text_is_no_header():
    assert stretches(f"{SAYING}\n\nDate: 3 May, and nobody was there.\n") == []


@pytest.mark.parametrize("border", [" · ", "\n"])
def test_the_heading_row_of_a_table_states_nothing(border):
    head = border.join(("Day", "Guard on duty"))
    text = f"{head}\nMonday · Guard on duty: Holm"
    start = text.index("Monday")
    table = Table(("Day", "Guard on duty"), (((start, start + 6), (len(text) - 4, len(text))),))
    assert stretches(text, tables=[table]) == [head]


@pytest.mark.parametrize(
    "line", ["Statement of Ada Holm about the night in the mill, 4 May 2021", "By Bo Lind, 4 May 2021", "The Mill Post"]
)
def test_the_title_above_a_text_states_nothing(line):
    assert stretches(f"{line}\n\n{SAYING}") == [line]
    assert stretches(f"{line}\n\n{SAYING}", is_first=False) == []


@pytest.mark.parametrize(
    "line", ["Holm was in Riga on 4 May 2021", "Holm saw Lind", "Lind left at noon", "Holm said no."]
)
def test_a_line_that_says_something_is_no_title(line):
    assert stretches(f"{line}\n\n{SAYING}") == []


def test_lines_above_no_sentence_are_no_titles():
    assert stretches("Boarding Pass\n\nHOLM ADA\n\nSEAT 4A") == []


def test_a_heading_above_the_text_or_a_long_one_states_nothing():
    text = f"Report\n\n{SAYING}\n\nThe key\n\n{SAYING}\n\nWhat the guard of the mill saw\n\n{SAYING}"
    titles = ("Report", "The key", "What the guard of the mill saw")
    sections = [Section(1, title, text.index(title)) for title in titles]
    assert stretches(text, *sections, short=6) == [titles[0], titles[2]]
    assert stretches(text, *sections) == list(titles)


@pytest.mark.parametrize(
    "line",
    [
        "Home | Service | Contact",
        "Cookies | Imprint | Contact | About the cooler and the cold store",
        "Startseite · Impressum · Datenschutz",
        "Privacy policy",
        "© 2026 Coldline Service. All rights reserved.",
        "Copyright 2026 Coldline Service",
    ],
)
def test_menus_and_feet_of_web_pages_state_nothing(line):
    assert stretches(f"{SAYING}\n\n{SAYING}\n\n{line}\n") == [line]
    assert stretches(f"{line}\n{SAYING} {SAYING}") == [line]
    assert is_navigation(f"{line}\n\n{line}")
    assert not is_navigation(f"{line}\n\n{SAYING}")


@pytest.mark.parametrize(
    "line",
    [
        "07:58 | Holm | opened",
        "Holm · Home · opened",
        "Contact: Ada Holm, at the mill",
        "The copyright of the film was sold in 2019.",
        "We were at home. Home was cold.",
    ],
)
def test_a_line_with_words_of_menus_that_says_something_is_no_menu(line):
    assert stretches(f"{SAYING}\n\n{line}\n") == []
    assert not is_navigation(line)


@pytest.mark.parametrize(
    "line", ["Statement of Ada Holm, taken on 4 May 2021.", "Interview of Bo Lind, recorded 4 May 2021"]
)
def test_the_line_that_says_when_a_statement_was_taken_states_nothing(line):
    assert stretches(f"{line}\n\n{SAYING}") == [line]
    assert stretches(f"The film was taken on 4 May 2021.\n\n{SAYING}") == []
