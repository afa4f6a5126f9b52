"""What a line calls the text below it, and the day that it gives that text."""

from __future__ import annotations

import pytest

from core.documents.kinds import Kind, announces, day_of, kind_of, lists_those_present, minutes_of

RECORD, NOTICE = Kind("", is_record=True), Kind("", is_record=False, is_bare=True)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (
            "Minutes of the board meeting of 22 April 2024",
            Kind("Minutes of the board meeting of 22 April 2024", is_record=True),
        ),
        ("Statement of Ann Berg, 41. Abila, 3 May 2024", Kind("Statement of Ann Berg, 41", is_record=True)),
        ("Log of the lock keeper, 4 March 2025", Kind("Log of the lock keeper", is_record=True)),
        ("Press release, 3 May 2024", Kind("Press release", is_record=False, is_bare=True)),
        ("Communication no. 61 - Tuesday 10 May 2022", Kind("Communication no. 61", is_record=False, is_bare=True)),
        ("Notice to all tenants, 3 May 2024", Kind("Notice to all tenants", is_record=False, is_below=True)),
        (
            "HARBOUR OFFICE - WITNESS STATEMENT",
            Kind("HARBOUR OFFICE - WITNESS STATEMENT", is_record=True, is_bare=True),
        ),
        (
            "Protokoll der Sitzung vom 14. März 2024",
            Kind("Protokoll der Sitzung vom 14. März 2024", is_record=True),
        ),
        ("Протокол собрания жильцов", Kind("Протокол собрания жильцов", is_record=True)),
        ("Notice how the river rose", None),
        ("A statement of intent", None),
        ("Minutes later the ferry sank", None),
        ("Reply to your letter of 3 May 2024", None),
        ("The ferry sank, 3 May 2024", None),
    ],
)
def test_a_line_names_the_kind_of_a_text(line, kind):
    assert kind_of(line) == kind


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Minutes of the board meeting of 22 April 2024", "2024-04-22"),
        ("Keller GmbH - Schreiben vom 28. März 2025", "2025-03-28"),
        # Minutes are of the day of the meeting; what was done with them later is no day of theirs.
        ("Minutes of the meeting of 22 April 2024, approved 3 May 2024", "2024-04-22"),
        (
            "Minutes of the quarterly meeting, held in the Loft on Monday 22 April 2024 at 6 pm",
            "2024-04-22T18:00",
        ),
        ("Statement of Ann Berg, 41, bus driver. Abila police station, 22 April 2024", "2024-04-22"),
        ("Statement of Ann Berg, made to Tom Ray at her home on 22 April 2024. Read through and signed.", "2024-04-22"),
        ("Transcript (extract). Ann Berg, surveyor. 22 April 2024, 11:20, room 3", "2024-04-22T11:20"),
        ("Log of the lock keeper, 22 April 2024", "2024-04-22"),
        ("Press release. 22 April 2024. Free for use at once.", "2024-04-22"),
        ("For immediate release - Monday 22 April 2024", "2024-04-22"),
        ("Issued by the Harbour Office, 22 April 2024. In force 13 to 24 May 2024.", "2024-04-22"),
        ("Date 22/04/2024   Inspector Ray   Weather: rain", "2024-04-22"),
        ("Acta de la reunión del 22 de abril de 2024", "2024-04-22"),
        ("Compte rendu de la séance du 22 avril 2024", "2024-04-22"),
        ("Протокол заседания от 22 апреля 2024 г.", "2024-04-22"),
    ],
)
def test_a_line_gives_the_text_that_it_names_its_day(line, day):
    assert day_of(line) == day


@pytest.mark.parametrize(
    "line",
    [
        "What happened on 4 March 2024",
        "Report on the fire, 4 March 2024",
        "Report on the fire of 4 March 2024",
        "Statement concerning the night of 4 March 2024",
        "Report of the committee for the year to 4 March 2024",
        "Interview with the survivors of 4 March 2024",
        "Interview with Ann Berg, born 4 March 1961",
        "Extract from the minutes of 4 March 2024",
        "Witness list, hearing of 4 March 2024",
        "Minutes of the last meeting, 4 March 2024, were read and signed.",
        "Minutes of the meetings of 4 March 2024 and 5 April 2024",
        "The notice of 4 March 2024 hangs at the gate.",
        "Press release, embargoed until 4 March 2024",
        "Notice: concert in the Corn Hall, 4 March 2024, 7 pm",
        "FOR THE FILE - FERRY, CONTACT WITH THE PIER, 4 MARCH 2024",
        "Site: the clinic. Visit 4 March 2024",
        "Log of the lock keeper, 4 March 2024 to 9 March 2024",
    ],
)
def test_a_day_that_a_line_is_about_is_not_that_of_the_text(line):
    assert day_of(line) == ""


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Monday 22 April 2024, 9.00-11.25, room 204", "2024-04-22T09:00"),
        ("Extraordinary meeting, Monday 22 April 2024, 5 pm, Board Room", "2024-04-22T17:00"),
        ("on Monday 22 April 2024", "2024-04-22"),
        ("Next meeting, 22 April 2024", ""),
        ("Date of birth: 22 April 1961", ""),
        ("Fire at Shed 7, 22 April 2024", ""),
        ("Letter from Tom Ray, 22 April 1911", ""),
    ],
)
def test_a_line_below_one_that_names_a_record_has_its_day(line, day):
    assert day_of(line, kind=RECORD) == day


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("22 April 2024, 6 pm", "2024-04-22T18:00"),
        ("Abila, 22 April 2024", "2024-04-22"),
        ("on Monday 22 April 2024 at 7 pm in the Corn Hall", ""),
        ("Corn Hall, 22 April 2024, 7 pm", ""),
        ("Summer fair, 22 April 2024", ""),
    ],
)
def test_a_line_below_one_that_names_what_is_given_out_has_its_day_only_apart(line, day):
    assert day_of(line, kind=NOTICE) == day


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("Claims department, Hamburg, 22 April 2024", "2024-04-22"),
        ("Ann Berg, surveyor. At the request of Inspector Ray. 22 April 2024.", "2024-04-22"),
        (
            "Ann Berg, Information Security, 22 April 2024. Second report; the first was wrong.",
            "2024-04-22",
        ),
        ("Written by my own hand on 22 April 2024 and typed by my niece.", "2024-04-22"),
        ("Prepared by Ann Berg, surveyor, 22 April 2024", "2024-04-22"),
        ("Collapse of the footbridge, 22 April 2024", ""),
        ("Photographs taken by Ann Berg, 22 April 1911", ""),
        ("Signed in Abila on 22 April 1911, the contract ended the quarrel.", ""),
        ("22 April 2024. It rained all day", ""),
        ("2020.3.30. 0시 기준 현재 확진자는", ""),
        ("Corn Hall, Abila, Monday 22 April 2024, 7 pm", ""),
    ],
)
def test_a_line_below_a_title_has_its_day_beside_names(line, day):
    assert day_of(line, is_below=True) == day
    assert day == "" or line.startswith(("Written", "Prepared")) or day_of(line) == ""


@pytest.mark.parametrize(
    ("line", "is_to_come"),
    [
        ("Agenda", True),
        ("NOTICE OF PUBLIC MEETING", True),
        ("Einladung zur Versammlung", True),
        ("Notice to all tenants", False),
        ("Hidden agenda of the mayor", False),
    ],
)
def test_a_text_on_what_is_still_to_come_is_known(line, is_to_come):
    assert announces(line) is is_to_come


@pytest.mark.parametrize(
    ("line", "is_list"),
    [
        ("Present: Ms Doe (chair)", True),
        ("**Anwesend:** Frau Graf", True),
        ("Present prices are high", False),
        ("We were present: all", False),
    ],
)
def test_a_list_of_those_present_is_known(line, is_list):
    assert lists_those_present(line) is is_list


def test_what_is_above_a_list_of_those_present_is_the_title_of_minutes():
    assert minutes_of("Friends of the Archive: committee, 6 March 2023").title == "Friends of the Archive: committee"
