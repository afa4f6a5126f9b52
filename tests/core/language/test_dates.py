"""Dates in texts: a table made by hand, what only looks like a date, and that nothing is guessed in silence."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.language.dates import DOUBTS, dates_in, interval, order, within, years_of
from tests.work import linear

# text, earliest, latest, precision, doubt
TABLE = [
    ("2011-03-12", "2011-03-12", "2011-03-12", "day", ""),
    ("2011/3/12", "2011-03-12", "2011-03-12", "day", ""),
    ("2011.03.12", "2011-03-12", "2011-03-12", "day", ""),
    ("2011-03-12T17:46:01Z", "2011-03-12T17:46:01+00:00", "2011-03-12T17:46:01+00:00", "time", ""),
    ("2011-03-12T17:46:01.123+01:00", "2011-03-12T17:46:01+01:00", "2011-03-12T17:46:01+01:00", "time", ""),
    ("2011-03-12 17:46", "2011-03-12T17:46", "2011-03-12T17:46", "time", ""),
    ("2011:03:12 17:46:01", "2011-03-12T17:46:01", "2011-03-12T17:46:01", "time", ""),
    ("3 May 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("3rd of May 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("the 3rd of May, 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("May 3, 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("May 3rd, 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("MAY 3, 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("Sept. 11, 2001", "2001-09-11", "2001-09-11", "day", ""),
    ("Friday, March 11, 2011", "2011-03-11", "2011-03-11", "day", ""),
    ("11-Mar-2011", "2011-03-11", "2011-03-11", "day", ""),
    ("11-MAR-11", "2011-03-11", "2011-03-11", "day", "century"),
    ("12 March '63", "1963-03-12", "1963-03-12", "day", "century"),
    ("11/Mar/2011:17:46:01 +0900", "2011-03-11T17:46:01+09:00", "2011-03-11T17:46:01+09:00", "time", ""),
    ("March 11, 2011 at 5:46 p.m.", "2011-03-11T17:46", "2011-03-11T17:46", "time", ""),
    ("11 March 2011, 12.05 am", "2011-03-11T00:05", "2011-03-11T00:05", "time", ""),
    ("Wed, 31 Jan 2024 10:00:00 +0100", "2024-01-31T10:00:00+01:00", "2024-01-31T10:00:00+01:00", "time", ""),
    ("29 Feb 2012", "2012-02-29", "2012-02-29", "day", ""),
    ("March 2011", "2011-03-01", "2011-03-31", "month", ""),
    ("Mar. 2011", "2011-03-01", "2011-03-31", "month", ""),
    ("February 2012", "2012-02-01", "2012-02-29", "month", ""),
    ("May of 2011", "2011-05-01", "2011-05-31", "month", ""),
    ("early March 2011", "2011-03-01", "2011-03-15", "month", ""),
    ("the end of February 2011", "2011-02-16", "2011-02-28", "month", ""),
    ("2011-03", "2011-03-01", "2011-03-31", "month", ""),
    ("2011-05", "2011-05-01", "2011-05-31", "month", ""),
    ("2010-12", "2010-01-01", "2012-12-31", "year", "range"),
    ("1998-99", "1998-01-01", "1999-12-31", "year", ""),
    ("1939-1945", "1939-01-01", "1945-12-31", "year", ""),
    ("1939\u201345", "1939-01-01", "1945-12-31", "year", ""),
    ("3-5 May 1963", "1963-05-03", "1963-05-05", "day", ""),
    ("May 3\u20135, 1963", "1963-05-03", "1963-05-05", "day", ""),
    ("28 February to 3 March 2011", "2011-02-28", "2011-03-03", "day", ""),
    ("30 December - 2 January 2012", "2011-12-30", "2012-01-02", "day", ""),
    ("March to May 2011", "2011-03-01", "2011-05-31", "month", ""),
    ("December-February 2012", "2011-12-01", "2012-02-29", "month", ""),
    ("12/03/2011", "2011-03-12", "2011-12-03", "day", "order"),
    ("12.03.2011", "2011-03-12", "2011-12-03", "day", "order"),
    ("13/03/2011", "2011-03-13", "2011-03-13", "day", ""),
    ("03/13/2011", "2011-03-13", "2011-03-13", "day", ""),
    ("03/03/2011", "2011-03-03", "2011-03-03", "day", ""),
    ("3/12/99", "1999-03-12", "1999-12-03", "day", "century"),
    ("Q2 2014", "2014-04-01", "2014-06-30", "quarter", ""),
    ("2014 Q2", "2014-04-01", "2014-06-30", "quarter", ""),
    ("4Q14", "2014-10-01", "2014-12-31", "quarter", "century"),
    ("the second quarter of 2014", "2014-04-01", "2014-06-30", "quarter", ""),
    ("H1 2014", "2014-01-01", "2014-06-30", "half", ""),
    ("the second half of 2014", "2014-07-01", "2014-12-31", "half", ""),
    ("spring 1945", "1945-01-01", "1945-12-31", "season", "season"),
    ("winter of 2013-14", "2013-01-01", "2014-12-31", "season", "season"),
    ("the 1990s", "1990-01-01", "1999-12-31", "decade", ""),
    ("1990's", "1990-01-01", "1999-12-31", "decade", ""),
    ("late 1990s", "1995-01-01", "1999-12-31", "decade", ""),
    ("early 1960s", "1960-01-01", "1964-12-31", "decade", ""),
    ("mid-to-late 1980s", "1983-01-01", "1989-12-31", "decade", ""),
    ("'90s", "1990-01-01", "1999-12-31", "decade", "century"),
    ("the 1900s", "1900-01-01", "1999-12-31", "century", "span"),
    ("the 19th century", "1801-01-01", "1900-12-31", "century", ""),
    ("late nineteenth century", "1851-01-01", "1900-12-31", "century", ""),
    ("3. Mai 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("3. M\u00e4rz 1963", "1963-03-03", "1963-03-03", "day", ""),
    ("1er mars 2011", "2011-03-01", "2011-03-01", "day", ""),
    ("3 de mayo de 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("3 \u043c\u0430\u044f 1963", "1963-05-03", "1963-05-03", "day", ""),
    ("12 wrze\u015bnia 1939", "1939-09-12", "1939-09-12", "day", ""),
    ("2011\u5e743\u670812\u65e5", "2011-03-12", "2011-03-12", "day", ""),
    ("2011\ub144 3\uc6d4", "2011-03-01", "2011-03-31", "month", ""),
    ("die 1990er Jahre", "1990-01-01", "1999-12-31", "decade", ""),
]


@pytest.mark.parametrize(("text", "earliest", "latest", "precision", "doubt"), TABLE)
def test_a_date_in_a_sentence(text, earliest, latest, precision, doubt):
    whole = f"The pump stopped; see note ({text}) of the guard."
    dates = dates_in(whole)
    assert [(match.earliest, match.latest, match.precision, match.doubt) for match in dates] == [
        (earliest, latest, precision, doubt)
    ]
    assert whole[dates[0].start : dates[0].end] == dates[0].text
    assert dates[0].text in text


@pytest.mark.parametrize(("text", "earliest", "latest", "precision", "doubt"), TABLE)
def test_a_date_alone(text, earliest, latest, precision, doubt):
    match = interval(f"  {text}. ")
    assert match is not None
    assert (match.earliest, match.latest, match.precision, match.doubt) == (earliest, latest, precision, doubt)
    assert f"  {text}. "[match.start : match.end] == match.text


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("It closed in 1986 after the fire.", 1986),
        ("Since 2011, nothing was heard.", 2011),
        ("(Smith, 2011)", 2011),
        ("the law of 1994 says", 1994),
        ("Copyright 2003 by the authors", 2003),
        ("Im Jahr 1989 fiel sie.", 1989),
        ("during 1750 the mill burned", 1750),
    ],
)
def test_a_year_with_a_word_that_makes_it_one(text, year):
    (match,) = dates_in(text)
    assert (match.earliest, match.latest, match.precision) == (f"{year}-01-01", f"{year}-12-31", "year")
    assert match.text == str(year)


def test_what_a_word_before_it_does_to_a_year():
    assert [(d.earliest, d.latest, d.doubt) for d in dates_in("built circa 1850, rebuilt in late 2011")] == [
        ("1850-01-01", "1850-12-31", "about"),
        ("2011-07-01", "2011-12-31", ""),
    ]
    (match,) = dates_in("between 1939 and 1945 nobody came")
    assert (match.earliest, match.latest, match.text) == ("1939-01-01", "1945-12-31", "1939 and 1945")
    (match,) = dates_in("about 12 May 1963 a letter came")
    assert (match.earliest, match.doubt) == ("1963-05-12", "about")


@pytest.mark.parametrize(
    "text",
    [
        "It may 2011 times fail.",
        "They may, 12 of them, march 2000 miles.",
        "Version 1.2.3 and 1.2.13 of the program",
        "see section 3.4.12",
        "Python 3.11.2024.1",
        "the address 10.12.20.11",
        "call 555-12-2011-33 or +49 30 12 03 2011",
        "sort code 12-34-56",
        "about 1000 people",
        "in 2000 people's homes",
        "in 1500 pages",
        "a group of 1950 people",
        "by 1900 men",
        "from 2000 miles away",
        "pp. 1521-1527",
        "pages 1939-1945",
        "page 1984",
        "No. 2011 of the list",
        "Room 2011",
        "a total of 2,011 cases",
        "2011.5 metres and 20.11",
        "it costs 1999 dollars, or 2001.50",
        "30 February 2011",
        "31/31/2011",
        "2011-13-45",
        "2011-02-30",
        "the Mars 2020 rover",
        "Lug 1995 was a bolt",
        "Peter 3, 1963 pieces",
        "Windows 95 and Windows 2000",
        "1/2/3 and 24/7/365",
        "the ratio 12/03",
        "Q5 2014",
        "the 0th century, the 99th century",
        "on Tuesday, 3 May",
        "\u0662\u0660\u0661\u0661",
        "ISBN 978-3-16-148410-0",
        "4111 1111 1111 1111",
        "tel. 2011-555-1234",
        "at 20:11:12",
        "a 4K display of 3840x2160",
    ],
)
def test_what_only_looks_like_a_date(text):
    assert dates_in(text) == ()


def test_the_language_settles_what_all_who_write_it_agree_on():
    for language in ("de", "fr", "it", "ru", "pl"):
        (match,) = dates_in("12.03.2011", language=language)
        assert (match.earliest, match.latest, match.doubt, match.readings) == ("2011-03-12", "2011-03-12", "", ())
    (match,) = dates_in("12.03.2011", language="en")
    assert (match.doubt, match.readings) == ("order", ("2011-03-12", "2011-12-03"))
    assert dates_in("am 12.03.11 um 10 Uhr", language="de")[0].doubt == "century"
    assert dates_in("build 12.03.11 of it", language="en") == ()


@pytest.mark.parametrize(
    ("text", "language", "day"),
    [
        ("3 May\u0131s 1963", "tr", "1963-05-03"),
        ("3. toukokuuta 1963", "fi", "1963-05-03"),
        ("3 \u039c\u03b1\u0390\u03bf\u03c5 1963", "el", "1963-05-03"),
        ("3 Haus 1963", "tr", None),
        ("3 Mitglieder 1963", "de", None),
    ],
)
def test_months_of_other_languages(text, language, day):
    dates = dates_in(text, language=language)
    assert [match.earliest for match in dates] == ([day] if day else [])


def test_months_of_other_languages_are_read_where_the_systems_time_zone_is_not_known():
    code = "from core.language.dates import dates_in; print(dates_in('3 mai 1963', language='fr')[0].earliest)"
    child = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "TZ": "Nowhere/Such"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert child.stdout.strip() == "1963-05-03"


@pytest.mark.parametrize(
    ("text", "earliest", "latest", "precision"),
    [
        ("2011", "2011-01-01", "2011-12-31", "year"),
        ("987", "0987-01-01", "0987-12-31", "year"),
        ("c. 1850", "1850-01-01", "1850-12-31", "year"),
        ("20110312", "2011-03-12", "2011-03-12", "day"),
        ("D:20110312174601+01'00'", "2011-03-12T17:46:01+01:00", "2011-03-12T17:46:01+01:00", "time"),
        ("D:2011", "2011-01-01", "2011-12-31", "year"),
        ("Fri, 11 Mar 2011 17:46:01 GMT", "2011-03-11T17:46:01+00:00", "2011-03-11T17:46:01+00:00", "time"),
        ("Fri Mar 11 17:46:01 2011", "2011-03-11T17:46:01", "2011-03-11T17:46:01", "time"),
        ("11 Mar 2011 17:46:01 -0800 (PST)", "2011-03-11T17:46:01-08:00", "2011-03-11T17:46:01-08:00", "time"),
        ("2011-03-12/2011-04-01", "2011-03-12", "2011-04-01", "day"),
        ("March 2011 to May 2012", "2011-03-01", "2012-05-31", "month"),
        ("2019 - 2021", "2019-01-01", "2021-12-31", "year"),
        ("on Friday, 11 March 2011", "2011-03-11", "2011-03-11", "day"),
    ],
)
def test_fields_of_files_mails_and_forms(text, earliest, latest, precision):
    match = interval(text)
    assert match is not None
    assert (match.earliest, match.latest, match.precision) == (earliest, latest, precision)


@pytest.mark.parametrize(
    "text",
    ["", " ", "yesterday", "0", "the year 2011 was bad", "3 May 1963 or later", "2012-03-12/2011-01-01", "x" * 300],
)
def test_what_is_not_a_date_alone(text):
    assert interval(text) is None


def test_dates_come_in_order_and_do_not_overlap():
    text = "On 12 and 13 May 2011, and in June 2011; between 3 May 1963 and 2011-03-12, in the 1990s. " * 20
    dates = dates_in(text)
    assert len(dates) == 100
    assert all(earlier.end <= later.start for earlier, later in pairwise(dates))
    assert [d.text for d in dates[:5]] == ["12 and 13 May 2011", "June 2011", "3 May 1963", "2011-03-12", "the 1990s"]
    assert sorted(dates[:5], key=order)[0].text == "3 May 1963"


def test_a_date_over_a_line_end_is_one():
    (match,) = dates_in("It was on 12\nMarch\n2011 that it broke.")
    assert (match.earliest, match.text) == ("2011-03-12", "12\nMarch\n2011")


PIECES = st.sampled_from(
    ["12", "03", "2011", "May", "/", "-", ".", " ", "\n", "of", "the", "1990s", "Q2", "'99", "st", ",", "to", "in", ":",
     "17:46", "pm", "early", "century", "19th", "99", "mars", "Z", "\u5e74", "(", ")", "and"]
)  # fmt: skip


@settings(max_examples=500, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
def test_any_text_gives_intervals_that_are_true_of_themselves(text):
    end = 0
    for match in dates_in(text):
        assert end <= match.start < match.end <= len(text)
        assert text[match.start : match.end] == match.text
        assert match.earliest <= match.latest
        assert re.match(r"\d{4}-\d\d-\d\d", match.earliest)
        assert match.doubt in ("", *DOUBTS)
        assert not match.readings or {match.earliest, match.latest} == set(match.readings)
        end = match.end
    interval(text)


@pytest.mark.parametrize(
    ("text", "first", "last", "may"),
    [
        ("3 October 1963", "1963-10-03", "1963-10-03", True),
        ("3 October 1963", "1963-10-04", "1963-11-04", False),
        ("3 October 1963 at 16:30", "1963-10-03", "1963-10-03", True),
        ("October 1963", "1963-10-03", "1963-10-03", True),  # a month may well be about a day of it
        ("1963", "1963-10-03", "1963-10-03", False),
        ("1963", "1963-01-01", "1963-12-31", True),
        ("1963", "1960-01-01", "1965-12-31", True),
        ("the 1960s", "1963-01-01", "1963-12-31", False),
        ("12/03/2011", "2011-12-01", "2011-12-31", True),  # in either of its readings
        ("12/03/2011", "2011-06-01", "2011-06-30", False),  # not between them
    ],
)
def test_whether_a_date_lies_in_a_time(text, first, last, may):
    (match,) = dates_in(f"It was {'in ' if text[:2] in ('19', 'Oc') else ''}{text}.")
    assert within(match, first, last) == may


@settings(max_examples=500, deadline=None)
@given(
    st.lists(st.one_of(PIECES, st.sampled_from([t for t, *_ in TABLE])), max_size=12).map(" ".join),
    st.dates(min_value=date(1, 6, 1)),
    st.integers(0, 60_000),
)
def test_no_date_in_a_time_is_passed_over(text, day, long):
    last = date.fromordinal(min(date.max.toordinal(), day.toordinal() + long)).isoformat()
    for match in dates_in(text):
        bounds = match.earliest[:10], match.latest[:10]
        for first, end in ((day.isoformat(), last), bounds, (bounds[0], bounds[0]), (bounds[1], bounds[1])):
            if within(match, first, end):
                assert years_of(first, end).search(text)


def test_a_megabyte_takes_work_in_proportion():
    words = "The night guard wrote on 12 March 2011 that the second pump had stopped, and in 1986 it may have been so. "
    filler = "A sentence without any date in it, of which most texts are made, goes on and on here until it ends. " * 9
    text = (words + filler) * (1_000_000 // len(words + filler))
    assert len(dates_in(text)) >= 1_900
    assert linear(lambda times: dates_in((words + filler) * times), 250)


@pytest.mark.parametrize(
    "text",
    ["1" * 200_000, "12 " * 70_000, "1/" * 100_000, "May " * 50_000, "2011-" * 40_000, " " * 200_000 + "2011",
     "12 May\n" * 30_000, "in the " * 30_000, "early " * 40_000, "\n" * 200_000, "12-" * 70_000, "1st of " * 30_000],
)  # fmt: skip
def test_a_text_made_to_be_slow_ends(text):
    assert all(text[match.start : match.end].strip() for match in dates_in(text))
    assert linear(lambda size: dates_in(text[:size]), 10_000)


@pytest.mark.parametrize(
    ("text", "words", "earliest"),
    [
        ("Delivery note 80101911/26.06.2025 was signed.", "26.06.2025", "2025-06-26"),
        ("Delivery note 80101911-26.06.2025 was signed.", "26.06.2025", "2025-06-26"),
        ("Lieferschein 4711/23.07.2024 liegt vor.", "23.07.2024", "2024-07-23"),
        ("Filed 12.III.2024 by the clerk.", "12.III.2024", "2024-03-12"),
        ("Am 22. Mrz. 2024 war es dunkel.", "22. Mrz. 2024", "2024-03-22"),
        ("Log 20240318T140533Z opened.", "20240318", "2024-03-18"),
        ("On 13.03.24 the gate was open.", "13.03.24", "2024-03-13"),
        ("In March '24 it fell.", "March '24", "2024-03-01"),
        ("Noted 12Mar2024 by the clerk.", "12Mar2024", "2024-03-12"),
        ("Log 20240312 140533 started.", "20240312", "2024-03-12"),
        ("It fell on 20240312.", "20240312", "2024-03-12"),
    ],
)
def test_dates_as_clerks_and_machines_write_them(text, words, earliest):
    assert [(match.text, match.earliest) for match in dates_in(text)] == [(words, earliest)]


@pytest.mark.parametrize(
    "text",
    [
        "Version 1.2.2004 was installed.",
        "It runs v1.2.2004 now.",
        "Ubuntu 20.04.01 was installed.",
        "ISBN 20240312 is a number.",
        "Order 20241312 123456 came.",
        "Section 3.1.24 applies.",
        "12Abc2024",
    ],
)
def test_versions_and_numbers_are_no_dates(text):
    assert dates_in(text) == ()


@pytest.mark.parametrize(
    ("text", "words", "first", "last"),
    [
        ("في 15 آذار 2024 حدث", "15 آذار 2024", "2024-03-15", "2024-03-15"),
        ("وصل في ١٢ مارس ٢٠٢٤ إلى", "١٢ مارس ٢٠٢٤", "2024-03-12", "2024-03-12"),
        ("يوم العاشر من مارس 2024 كان", "العاشر من مارس 2024", "2024-03-10", "2024-03-10"),
        (
            "الحادي والعشرين من شهر كانون الأول عام 2022",
            "الحادي والعشرين من شهر كانون الأول عام 2022",
            "2022-12-21",
            "2022-12-21",
        ),
        ("من ١٢ إلى ١٥ مارس ٢٠٢٤ في", "١٢ إلى ١٥ مارس ٢٠٢٤", "2024-03-12", "2024-03-15"),
        ("٣/٥/٢٠٢١ كان الباب", "٣/٥/٢٠٢١", "2021-05-03", "2021-05-03"),
        ("آب 2024", "آب 2024", "2024-08-01", "2024-08-31"),
    ],
)
def test_arabic_dates_in_either_digits_months_of_the_levant_and_words(text, words, first, last):
    (mention,) = dates_in(text)
    assert (mention.text, mention.earliest, mention.latest, mention.doubt) == (words, first, last, "")
    assert text[mention.start : mention.end] == words
    assert interval(words) is not None
