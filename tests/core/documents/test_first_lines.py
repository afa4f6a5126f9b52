from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.documents.descriptions import complete
from core.documents.first_lines import Head, day_below, head_of
from core.engines.readers.dispatch import FileReader

BODY = (
    "The river rose above the dam on Monday night and the ferry sank at its berth, the mayor of Abila said. Nobody was "
    "hurt, but forty houses stand under water and the road to the north is closed until further notice.\n"
)
HARD = (
    "The river rose above the dam on Monday night and the ferry\n"
    "sank at its berth, the mayor of Abila said. Nobody was\nhurt, but "
    "forty houses stand under water and the road to\nthe north is closed until further notice.\n"
)

LAYOUTS = {
    "paper, headline, place and date": (
        f"Homeland Illumination\n\nFERRY SINKS AS RIVER RISES\n\nABILA, Kronos\n\n1994/09/24\n\n{BODY}",
        Head("FERRY SINKS AS RIVER RISES", "", "Homeland Illumination", "ABILA, Kronos", "1994-09-24"),
    ),
    "paper, headline, byline, date": (
        f"The Orb\nFerry Sinks as River Rises\nBy Jane Doe and John Roe\nSept. 24, 1994\n\n{HARD}",
        Head("Ferry Sinks as River Rises", "Jane Doe and John Roe", "The Orb", "", "1994-09-24"),
    ),
    "paper, headline, name, place and date": (
        f"Kronos Star\n\nFORTY HOUSES UNDER WATER\nJohn Roe\n\nABILA, Kronos\n1994/09/24\n\n{BODY}",
        Head("FORTY HOUSES UNDER WATER", "", "Kronos Star", "ABILA, Kronos", "1994-09-24"),
    ),
    "the paper below the headline": (
        f"Ferry sinks as river rises\nReuters\n24 September 1994\n\n{BODY}",
        Head("Ferry sinks as river rises", "", "Reuters", "", "1994-09-24"),
    ),
    "named lines": (
        f"SOURCE: Kronos Star\n\nTITLE: Ferry sinks: forty houses lost\n\nPUBLISHED: 1994/09/24\n\n"
        f"LOCATION: Abila\n\n{BODY}",
        Head("Ferry sinks: forty houses lost", "", "Kronos Star", "Abila", "1994-09-24"),
    ),
    "headline, date, one long line": (
        f"U.S. Ferry Sinks, Mayor Says\r\nMay 19, 2011\r\n{BODY}".replace("\r\n", "\n"),
        Head("U.S. Ferry Sinks, Mayor Says", "", "", "", "2011-05-19"),
    ),
    "dateline with a date": (
        f"Ferry Sinks\n\nLONDON, 24 September 1994 (Reuters) -- {BODY}",
        Head("Ferry Sinks", "", "", "LONDON", "1994-09-24"),
    ),
    "headline above the body alone": (f"Ferry Sinks as River Rises\n\n{BODY}", Head("Ferry Sinks as River Rises")),
    "underlined": (
        f"How the ferry was lost\n======================\n\n{HARD}",
        Head("How the ferry was lost"),
    ),
    "mail without its technical lines": (
        f"From: Ann Lee <ann@example.org>\nTo: Bob\nSent: Friday, May 3, 2013 12:00 PM\n"
        f"Subject: The ferry\n\nBob,\n\n{BODY}",
        Head("The ferry", "Ann Lee <ann@example.org>", "", "", "2013-05-03T12:00"),
    ),
    "reply with the mail that it answers": (
        f"From: Ann Lee\nSubject: RE: The ferry\n\nYes.\n\n-----Original Message-----\n"
        f"From: Bob Ray\nSubject: The ferry\n\n{BODY}",
        Head("RE: The ferry", "Ann Lee"),
    ),
    "letter": (
        f"ACME FERRY COMPANY\n\n3 May 2011\n\nDear Mr Smith,\n\n{HARD}\nYours sincerely\n",
        Head(date="2011-05-03"),
    ),
    "letter with an address": (
        f"Acme Ferry Company\n12 High Street\nAbila\n\n3 May 2011\n\nDear Mr Smith,\n\n{HARD}",
        Head(date="2011-05-03"),
    ),
    "letter with place and date": (
        f"Berlin, den 3. Mai 2011\n\nSehr geehrte Frau Lang,\n\n{HARD}",
        Head("", "", "", "Berlin", "2011-05-03"),
    ),
    "memorandum": (
        f"SECRET\n\n14 August 1978\n\nMEMORANDUM FOR: The Director\n"
        f"FROM: Chief, Rivers\nSUBJECT: Loss of the Ferry\n\n{HARD}",
        Head("Loss of the Ferry", "Chief, Rivers", "", "", "1978-08-14"),
    ),
    "title of two lines": (
        f"FROM: Chief, Rivers\nSUBJECT: Loss of the Ferry and of Forty Houses\n"
        f"Reported by the Mayor\nREFERENCE: none\n\n{HARD}",
        Head("Loss of the Ferry and of Forty Houses Reported by the Mayor", "Chief, Rivers"),
    ),
    "title of two lines, a blank below each": (
        f"FROM: CHIEF, RIVERS\n\nTITLE: LOSS OF THE FERRY AND OF FORTY HOUSES\n\nIN THE FLOOD\n\nDATE\n\n{HARD}",
        Head("LOSS OF THE FERRY AND OF FORTY HOUSES IN THE FLOOD", "CHIEF, RIVERS"),
    ),
    "German": (
        f"Fähre sinkt im Hochwasser\nVon Max Muster\n24.09.1994\n\n{BODY}",
        Head("Fähre sinkt im Hochwasser", "Max Muster", "", "", "1994-09-24"),
    ),
    "Russian": (
        "Паром затонул у причала\n\n24 сентября 1994 г.\n\nРека поднялась выше плотины, и паром затонул у причала, "
        "сообщил мэр города.\n",
        Head("Паром затонул у причала", "", "", "", "1994-09-24"),
    ),
    "front matter": (
        f"---\ntitle: \"Ferry sinks\"\nauthor: Jane Doe\ndate: 2011-05-03\n---\n\n{BODY}",
        Head("Ferry sinks", "Jane Doe", "", "", "2011-05-03"),
    ),
    "poem with its name": (
        "The Road Not Taken\n\nby Robert Frost\n\nTwo roads diverged in a yellow wood,\n"
        "And sorry I could not travel both\nAnd be one traveler, long I stood\n",
        Head("The Road Not Taken", "Robert Frost"),
    ),
}  # fmt: skip

NOTHING = {
    "empty": "",
    "poem": "Two roads diverged in a yellow wood\nAnd sorry I could not travel both\nAnd be one\n\nAnd",
    "log": "2011-05-03 12:00:01 INFO pump started\n2011-05-03 12:00:07 WARN pressure low\n",
    "log with a heading": "Pump Log\n2011-05-03 12:00\n2011-05-04 12:00\n2011-05-05 12:00\n",
    "table": "Name,Date,Amount\nSmith,2011-05-03,5\nJones,2011-05-04,7\n",
    "column of dates": "Date\n2011-05-03\n2011-05-04\n2011-05-05\n",
    "table with bars": "Item | Price | Stock\n---|---|---\nApples | 1.99 | 739\n",
    "program": "#!/usr/bin/env python\n# Author: Jane Doe\n# Date: 2011-05-03\nimport os\n\nTitle = 'Ferry'\n",
    "screenplay": f"FADE IN:\n\nEXT. HARBOUR - NIGHT\n\n{HARD}",
    "scene": f"EXT. HARBOUR - NIGHT\n\n{HARD}",
    "play": "ROMEO: But soft, what light?\nJULIET: O Romeo.\nROMEO: Call me but love.\n",
    "chapter": f"CHAPTER I\n\n{HARD}",
    "chronicle": f"24 September 1994\n\nThe ferry sank.\n\n25 September 1994\n\n{HARD}",
    "sentence with a date": f"On 24 September 1994 the ferry sank.\n\n{HARD}",
    "date that the sentence goes on from": f"24 September 1994\nwas the day on which the ferry sank. {BODY}",
    "date at the start of the body": f"September 24, 1994 -- {BODY}",
    "prose": HARD,
    "letterhead": f"Ferry House Ltd\n12 High Street\nAbila\n\n{HARD}",
    "list": f"- Ferry\n- Dam\n\n{HARD}",
    "several mails": (
        "From: Ann Lee\nDate: 3 May 2011\nSubject: The ferry\n\nIt sank.\n\n"
        "From: Bob Ray\nDate: 4 May 2011\nSubject: The dam\n\nIt broke.\n"
    ),
    "settings": '{\n  "name": "Ferry",\n  "date": "2011-05-03"\n}\n',
    "form": f"AGENCY INFORMATION\n\nAGENCY: FBI\n\nNUMBER: 124\n\nSUBJECT: (Optional)\n\n{HARD}",
    "page of a book": f"THE FERRY OF ABILA. 25\n\n{HARD}",
    "headline of another text": f"Ferry Sinks as River Rises\n\n{'A cat sat on the mat and slept all day. ' * 4}",
}  # fmt: skip


@pytest.mark.parametrize(
    "below",
    [
        "Lindau County Archive, taken on 6 May 2024 by Inspector R. Thorne",
        "Made to DC Farrow at Stanwyke police station on 6 May 2024, in the afternoon",
        "Recorded in Abila on 6 May 2024, in the presence of A. Berg",
    ],
)
def test_a_statement_has_the_day_on_which_it_was_taken(below):
    head = head_of(f"STATEMENT OF PETRA VESELY, CONSERVATOR\n{below}\n\n{BODY}")
    assert (head.title, head.date) == ("STATEMENT OF PETRA VESELY, CONSERVATOR", "2024-05-06")


@pytest.mark.parametrize(
    "below",
    [
        "The arrest was made on 6 May 2024 in the harbour of Abila",  # of what it tells
        "Taken on 6 May 2024 and read again on 9 May 2024 by Inspector Thorne",  # which of the two?
        "Lindau County Archive, taken in May 2024 by Inspector R. Thorne",
    ],
)
def test_another_day_below_a_title_is_not_that_of_the_text(below):
    assert head_of(f"The Ferry and the River\n{below}\n\n{BODY}").date == ""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_head_of_a_text_says_what_it_is(layout):
    text, head = LAYOUTS[layout]
    assert head_of(text) == head


@pytest.mark.parametrize("layout", NOTHING)
def test_a_text_without_a_head_says_nothing(layout):
    head = head_of(NOTHING[layout])
    assert (head.title, head.author, head.publisher, head.date) == ("", "", "", "")


def test_only_the_start_is_looked_at():
    assert head_of(f"{'-' * 70}\n" * 30 + LAYOUTS["named lines"][0]) == Head()
    assert head_of(f"{BODY}\n" * 12 + LAYOUTS["named lines"][0]) == Head()


def test_the_language_says_which_number_is_the_day():
    text = f"Ferry sinks in the harbour\n03.05.2011\n\n{BODY}"
    assert (head_of(text).date, head_of(text, language="de").date) == ("", "2011-05-03")


def read(text: str, name: str):
    outline, page, *_ = FileReader().read(text.encode(), name)
    return complete(outline, page)


def test_a_text_file_is_read_with_its_title_its_author_and_its_date():
    outline = read(LAYOUTS["paper, headline, byline, date"][0], "0.txt")
    assert (outline.kind, outline.pages, outline.title) == ("text", 1, "Ferry Sinks as River Rises")
    assert (outline.author, outline.publisher, outline.date) == ("Jane Doe and John Roe", "The Orb", "1994-09-24")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# Ferry sinks\n\nIt sank.\n\n## Why\n\nRain.\n", "Ferry sinks"),
        ("---\nauthor: Jane Doe\n---\n\nFerry sinks\n===\n\nIt sank.\n", "Ferry sinks"),
        ("# Monday\n\nIt sank.\n\n# Tuesday\n\nIt rained.\n", ""),
        ("It sank on Monday in the rain, nobody knows why.\n\n# Why\n\nRain.\n", ""),
        ("# 104-10332\n\nIt sank.\n", ""),
    ],
)
def test_a_markdown_text_has_the_title_that_its_only_first_heading_is(text, title):
    assert read(text, "a.md").title == title


def test_a_heading_of_markdown_leaves_date_and_author_to_the_lines_below_it():
    outline = read(f"# Ferry sinks\n\nBy Jane Doe\n\n3 May 2011\n\n{BODY}", "a.md")
    assert (outline.title, outline.author, outline.date) == ("Ferry sinks", "Jane Doe", "2011-05-03")


PARTS = [
    "Title: ",
    "Date: ",
    "By Jane Doe",
    "3 May 2011",
    "LONDON -- ",
    "Ferry Sinks",
    "-",
    "(",
    ".",
    "\t",
    "\f",
    " ",
    "7",
]


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=30), max_size=30), st.sampled_from(["", "\n", "\n\n"]))
def test_any_text_is_read_and_a_date_is_whole(parts, between):
    head = head_of(between.join(parts))
    assert head.date == "" or datetime.fromisoformat(head.date)
    assert len(head.title) <= 400
    assert "\n" not in head.title + head.author + head.publisher + head.place


PROSE = (
    "The harbour authority said on Tuesday that two of the three cranes at the east quay had been out of service since "
    "the weekend, and that nobody knew when the strike of the dockers would end or when they would be mended.\n\n"
)


@pytest.mark.parametrize(
    ("lines", "title", "date", "author"),
    [
        (
            "Breaking: Crane falls at the east quay [Updates]\nMay 3, 2011",
            "Breaking: Crane falls at the east quay [Updates]",
            "2011-05-03",
            "",
        ),
        ("cranes idle as strike goes on\n3 May 2011", "cranes idle as strike goes on", "2011-05-03", ""),
        (
            "cranes idle as strike goes on\nby Jane Doe\n3 May 2011",
            "cranes idle as strike goes on",
            "2011-05-03",
            "Jane Doe",
        ),
        ("why i left the quay\nPosted on May 3, 2011 by jane | 14 comments", "why i left the quay", "2011-05-03", ""),
        ("Why I Left the Quay\n\nPosted on May 3, 2011 by admin", "Why I Left the Quay", "2011-05-03", ""),
        ("Why I left the quay\n\nPosted by Jane Doe at 10:14 AM", "Why I left the quay", "", "Jane Doe"),
        ("#strike: day 15 at the quay\n3 May 2011", "#strike: day 15 at the quay", "2011-05-03", ""),
        ("Open letter to the dockers\n— Jane Doe, 3 May 2011", "Open letter to the dockers", "2011-05-03", "Jane Doe"),
        ("“We were lucky”\nInterview by Jane Doe, 3 May 2011", "“We were lucky”", "2011-05-03", "Jane Doe"),
        ("Cranes idle at the quay\nMay 3, 2011 | 3:14 PM", "Cranes idle at the quay", "2011-05-03", ""),
        ("Cranes idle at the quay\n03.05.2011, 14:05 Uhr", "Cranes idle at the quay", "2011-05-03", ""),
        ("Cranes idle at the quay\nLast Updated: 3:14 AM, May 3, 2011", "Cranes idle at the quay", "2011-05-03", ""),
        (
            "FOR IMMEDIATE RELEASE\nMay 3, 2011\n\nHarbour Authority Mends Cranes",
            "Harbour Authority Mends Cranes",
            "2011-05-03",
            "",
        ),
        ("Cranes at the east quay still out of service", "Cranes at the east quay still out of service", "", ""),
        ("cranes idle at the quay\n\n12 march 2011", "cranes idle at the quay", "2011-03-12", ""),
        ("cranes idle at the quay\nposted by jane doe on may 3, 2011", "cranes idle at the quay", "2011-05-03", ""),
        ("Cranes idle at the quay\nPosted by J. Doe on 3 May 2011", "Cranes idle at the quay", "2011-05-03", "J. Doe"),
        ("Cranes idle at the quay\nvon Anna Graf, 3. Mai 2011", "Cranes idle at the quay", "2011-05-03", "Anna Graf"),
        (
            "Cranes idle at the quay\nVeröffentlicht am 3. märz 2011 von Anna Graf",
            "Cranes idle at the quay",
            "2011-03-03",
            "Anna Graf",
        ),
        ("Cranes idle at the quay\nUpdated 6:10 PM ET, Tue May 3, 2011", "Cranes idle at the quay", "2011-05-03", ""),
        (
            "Cranes idle at the quay\nPublished: 18:10, 3 May 2011 | Updated: 9:02, 4 May 2011",
            "Cranes idle at the quay",
            "2011-05-03",
            "",
        ),
        ("Cranes idle\nAnn Berg, engineer. Tuesday 3 May 2011. Not for the press.", "Cranes idle", "2011-05-03", ""),
        ("PRESS RELEASE - 3 May 2011\n\nCranes idle at the quay", "Cranes idle at the quay", "2011-05-03", ""),
        ("HARBOUR BOARD\nR. Roe, Quay 3, Abila; job 77\n3 May 2011\nDear Ms Doe,", "", "2011-05-03", ""),
        ("cranes at the east quay still out of service", "cranes at the east quay still out of service", "", ""),
    ],
)
def test_headlines_and_posts_have_a_title_however_they_are_written(lines, title, date, author):
    head = head_of(f"{lines}\n\n{PROSE}{PROSE}", language="de" if "Uhr" in lines else "en")
    assert (head.title, head.date[:10], head.author) == (title, date, author)


@pytest.mark.parametrize(
    "lines",
    [
        "and so it went on until the cranes",
        "the cranes stood still,\nand the dockers went home",
        "cranes, 14, idle;",
        "of the cranes at the east quay and the dockers",
        "continued from page 3: cranes at the east quay",
    ],
)
def test_the_middle_of_a_text_is_no_title(lines):
    assert head_of(f"{lines}\n\n{PROSE}{PROSE}").title == ""


@pytest.mark.parametrize(
    "lines",
    [
        "Copyright 3 May 2011",
        "Deadline 3 May 2011",
        "Cranes idle at the quay\nBorn in Abila on 3 May 1961, she writes for the Star.",
        "Cranes idle at the quay\nThe strike began. It was 3 May 2011. It went on until June 4, 2011.",
        "may 2011 bring us luck",
    ],
)
def test_a_day_that_is_not_that_of_the_text_is_none(lines):
    assert head_of(f"{lines}\n\n{PROSE}{PROSE}", language="en").date == ""


def test_the_day_of_another_article_is_none():
    below = "\n\nRelated articles\nCranes Bought\n4 June 2009\n"
    assert head_of(f"Cranes idle at the quay\n3 May 2011\n\n{PROSE}{below}", language="en").date == "2011-05-03"
    assert head_of(f"Cranes idle at the quay\n\n{PROSE}{below}", language="en").date == ""


@pytest.mark.parametrize(
    ("below", "day"),
    [
        ("The Abila Post, 3 May 2011, 17:10. By Jane Doe", "2011-05-03T17:10"),
        ("Tuesday, 3 May 2011 | by Jane Doe-Roe | 14 comments", "2011-05-03"),
        ("By Jane Doe, Tuesday 3 May 2011, 06.12", "2011-05-03T06:12"),
        ("Jane Doe\nTuesday 3 May 2011, updated 11:15", "2011-05-03"),
        ("Politics\nCity\n3 May 2011", "2011-05-03"),
        ("Cranes were bought on 3 May 2009 for the east quay.", ""),
        ("The quay opened on 3 May 2009.\nBy Jane Doe", ""),
        ("3 May 2011\n4 June 2011", ""),
        ("Due 3 May 2011", ""),
    ],
)
def test_the_byline_below_a_title_has_the_day_of_an_article(below, day):
    assert day_below(f"{below}\n\n{PROSE}\n\n4 June 2009\n", language="en") == day


@pytest.mark.parametrize(
    ("lines", "title", "date", "publisher"),
    [
        (
            "LINDAU COUNTY ARCHIVE\nMinutes of the board meeting of 22 April 2024\n\nPresent: Ms Doe",
            "Minutes of the board meeting of 22 April 2024",
            "2024-04-22",
            "LINDAU COUNTY ARCHIVE",
        ),
        (
            "Minutes of the meeting of 3 May 2011\nApproved 4 June 2011",
            "Minutes of the meeting of 3 May 2011",
            "2011-05-03",
            "",
        ),
        ("Harbour Board\nSpecial sitting, 3 May 2011, 5 pm\n\nPresent: Ms Doe", "Harbour Board", "2011-05-03", ""),
        ("Verein e. V.\nProtokoll vom 3. Mai 2011", "Protokoll vom 3. Mai 2011", "2011-05-03", ""),
        ("Compte rendu de la séance du 3 mai 2011", "Compte rendu de la séance du 3 mai 2011", "2011-05-03", ""),
        ("Acta de la reunión del 3 de mayo de 2011", "Acta de la reunión del 3 de mayo de 2011", "2011-05-03", ""),
        ("Протокол собрания\nот 3 мая 2011 г.", "Протокол собрания", "2011-05-03", ""),
        ("Statement of Ann Berg, 41. Abila, 3 May 2011", "Statement of Ann Berg, 41", "2011-05-03", ""),
        (
            "STATEMENT OF ANN BERG\nDate of birth: 4 June 1961\nTaken at Abila police station, 3 May 2011",
            "STATEMENT OF ANN BERG",
            "2011-05-03",
            "",
        ),
        ("Log of the lock keeper, 3 May 2011", "Log of the lock keeper", "2011-05-03", ""),
        ("INTERVIEW WITH ANN BERG\n3 May 2011, 10.15 to 11.40, room 3", "INTERVIEW WITH ANN BERG", "2011-05-03", ""),
        (
            "HARBOUR TRUST\nPRESS RELEASE\n3 May 2011, 10 am - for immediate release\n\nCranes idle at the quay",
            "Cranes idle at the quay",
            "2011-05-03",
            "HARBOUR TRUST",
        ),
        ("HARBOUR TRUST\nStatement to the press\n3 May 2011", "Statement to the press", "2011-05-03", "HARBOUR TRUST"),
        ("CRANES IDLE\nNotice to all dockers, 3 May 2011", "CRANES IDLE", "2011-05-03", ""),
        ("Cranes idle at the quay\nPress release, 3 May 2011", "Cranes idle at the quay", "2011-05-03", ""),
        ("HARBOUR - MEMO\nTo: all dockers\n3 May 2011\nFrom: Jane Doe\nSubject: Cranes", "Cranes", "2011-05-03", ""),
        ("Acme Ferries\nClaims department, Hamburg, 3 May 2011\n\nDear Mr Ray,", "", "2011-05-03", ""),
        ("4 Mill Row, Abila\n3 May\n\nDear Mr Ray,", "", "", ""),  # of which year?
        ("Quay Street\n\nSite visit, 3 May 2011\n\nDear Mr Ray,", "", "", ""),  # what the letter is about
        ("On Tue, 3 May 2011 at 08:14, Ann Berg <ann@example.org> wrote:", "", "2011-05-03", ""),
        ("cranes idle as strike goes on\nby jane doe\nmay 3, 2011", "cranes idle as strike goes on", "2011-05-03", ""),
        ("HARBOUR 2011\nTogether for the quay\n\n3 May 2011, 07:45\n\nCRANES IDLE", "", "2011-05-03", ""),
        ("NOTICE OF PUBLIC MEETING\non 3 May 2011 at 7 pm in the Corn Hall", "NOTICE OF PUBLIC MEETING", "", ""),
        ("NOTICE OF PUBLIC MEETING\nTuesday 3 May 2011", "NOTICE OF PUBLIC MEETING", "", ""),
        ("Cranes idle at the quay\nFire on 3 May 2011", "Cranes idle at the quay", "", ""),
    ],
)  # fmt: skip
def test_a_text_that_names_its_kind_has_its_title_and_its_day(lines, title, date, publisher):
    head = head_of(f"{lines}\n\n{PROSE}{PROSE}", language="en")
    assert (head.title, head.date[:10], head.publisher) == (title, date, publisher)


def test_a_line_in_bold_letters_is_read_as_any_other():
    outline = read(f"# Cranes idle\n\n*School Bulletin no. 9, 3 May 2011*\n\n{PROSE}", "a.md")
    assert (outline.title, outline.date, outline.publisher) == ("Cranes idle", "2011-05-03", "")
