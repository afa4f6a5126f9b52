"""GPS tracks: what each point says, what is damaged or strange, and that no word of a file is lost."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers import gpx
from core.engines.readers.dispatch import FileReader
from core.errors import UnreadableDocument
from core.language import dates

READER = FileReader()
HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"'
SPACES = ' xmlns:g="http://www.garmin.com/xmlschemas/TrackPointExtension/v1"'
POINT = '<trkpt lat="59.911" lon="10.751"><ele>12.5</ele><time>2024-03-05T02:14:%sZ</time>%s</trkpt>'


def read(body: str, more: str = "", name: str = "a.gpx"):
    items = list(READER.read(f"{HEAD}{SPACES}{more}>{body}</gpx>".encode(), name))
    (page,) = [item for item in items if isinstance(item, PageText)]
    return items[0], page, [item for item in items if isinstance(item, LeftOut)]


def test_a_track_is_a_line_a_point_with_time_and_place_and_what_a_device_adds():
    pulse = "<extensions><g:TrackPointExtension><g:hr>99</g:hr></g:TrackPointExtension></extensions>"
    _, page, _ = read(
        f"<trk><name>Round</name><desc>as driven</desc><trkseg>{POINT % ('00', pulse)}{POINT % ('05.5', '')}</trkseg>"
        f"<trkseg>{POINT % ('59', '')}</trkseg></trk>"
    )
    assert page.text.split("\n") == [
        "Track: Round",
        "Description: as driven",
        "Segment 1",
        "2024-03-05 02:14:00 UTC · lat 59.911, lon 10.751 · Elevation (m): 12.5 · hr: 99",
        "2024-03-05 02:14:05.5 UTC · lat 59.911, lon 10.751 · Elevation (m): 12.5",
        "Segment 2",
        "2024-03-05 02:14:59 UTC · lat 59.911, lon 10.751 · Elevation (m): 12.5",
    ]
    assert dates.interval(page.text.split("\n")[3].partition(" · ")[0]).earliest.startswith("2024-03-05T02:14")


def test_waypoints_and_routes_are_sections_with_what_is_said_of_them():
    _, page, _ = read(
        '<wpt lat="59.91" lon="10.75"><time>2024-03-05T03:14:00+01:00</time><name>Gate</name><cmt>locked</cmt>'
        "<desc>North gate\nof the pump house</desc><sym>Flag</sym></wpt>"
        '<rte><name>Plan</name><rtept lat="1" lon="2"><desc>Turn\nleft</desc></rtept></rte>'
    )
    waypoint = (
        "Waypoint: Gate\nlat 59.91, lon 10.75\nTime: 2024-03-05 03:14:00 +01:00\nComment: locked\n"
        "Description: North gate\nof the pump house\nSymbol: Flag"
    )
    assert page.text == f"{waypoint}\n\nRoute: Plan\nlat 1, lon 2 · Description: Turn · left"
    assert (
        [page.text[section.start :].split("\n")[0] for section in page.sections]
        == [section.title for section in page.sections]
        == ["Waypoint: Gate", "Route: Plan"]
    )


OLD = "<name>Van 7</name><author>Ann Berg</author><email>ann@example.org</email><time>2024-03-05T02:10:00Z</time>"
NEW = (
    '<metadata><name>Van 7</name><author><name>Ann Berg</name><email id="ann" domain="example.org"/></author>'
    '<link href="https://example.org/t"><text>Tour</text></link><time>2024-03-05T02:10:00Z</time></metadata>'
)


@pytest.mark.parametrize(
    ("about", "text"),
    [
        (OLD, "Name: Van 7\nAuthor: Ann Berg\nEmail: ann@example.org\nTime: 2024-03-05 02:10:00 UTC"),
        (
            NEW,
            "Name: Van 7\nAuthor name: Ann Berg\nAuthor email: ann@example.org\nLink: https://example.org/t\n"
            "Link text: Tour\nTime: 2024-03-05 02:10:00 UTC",
        ),
    ],
)
def test_what_a_file_says_of_itself_in_either_version(about, text):
    outline, page, left_out = read(about, ' creator="Logger 2"')
    assert (outline.kind, outline.title, outline.author, outline.file_date) == (
        "gpx",
        "Van 7",
        "Ann Berg",
        "2024-03-05T02:10:00Z",
    )
    assert page.text == f"Made with: Logger 2\n{text}"
    assert left_out == []


def test_a_description_that_is_a_page_is_read_as_one_and_what_it_hides_is_flagged():
    words = "&lt;p&gt;seen &lt;span style='display:none'&gt;hidden words&lt;/span&gt;&lt;/p&gt;"
    _, page, _ = read(f'<wpt lat="1" lon="2"><desc>{words}</desc></wpt>')
    assert "Description: seen" in page.text
    assert [page.text[start:end] for start, end in page.hidden_spans] == ["hidden words"]


def test_it_is_recognised_by_its_first_element_whatever_its_name_and_encoding():
    text = "<!-- a --><!-- b --><x:gpx xmlns:x='http://www.topografix.com/GPX/1/1'><x:wpt lat='1' lon='2'/></x:gpx>"
    for data in (text.encode(), text.encode("utf-16")):
        outline, page, left_out = READER.read(data, "a.txt")
        assert (outline.kind, page.text) == ("gpx", "Waypoint\nlat 1, lon 2")
        assert left_out == LeftOut("comment", 2, "whole file")
    assert not gpx.looks_like("<gpxdata>")
    assert not gpx.looks_like("The <gpx> element")
    assert not gpx.looks_like("<!-- a -->" * 700 + "<x")


@pytest.mark.parametrize(
    "data",
    [
        f"{HEAD}><trk><trkseg>{POINT % ('00', '')}<trkpt lat=".encode(),
        f"<!DOCTYPE gpx SYSTEM 'x'><gpx><trk><trkseg>{POINT % ('00', '')}</trkseg></trk></gpx>".encode(),
        f"<?xml version='1.0'?><a>{POINT % ('00', '')}</a>".encode(),
    ],
)
def test_what_is_damaged_or_strange_is_read_as_other_xml_is(data):
    _, page, *_ = READER.read(data, "a.gpx")
    assert "59.911" in page.text
    assert "2024-03-05T02:14:00Z" in page.text


def test_a_file_that_says_nothing_is_refused_with_its_cause():
    with pytest.raises(UnreadableDocument, match="no waypoint, route or track") as caught:
        read("<extensions/>")
    assert caught.value.hint


def test_a_block_of_data_is_counted():
    _, page, left_out = read(f'<wpt lat="1" lon="2"><extensions><blob>{"A" * 2_000_000}</blob></extensions></wpt>')
    assert page.text == "Waypoint\nlat 1, lon 2"
    assert left_out == [LeftOut("block of data", 1, "whole file")]


# What a word of this place is in: a page, or a line of the ledger that names the place.
PLACES = {
    "%s": "",
    "<name>%s</name>": "",
    "<metadata><name>%s</name>and %s</metadata>": "",
    "<metadata><desc>%s</desc><author>%s<name>%s</name></author></metadata>": "",
    '<metadata><copyright author="%s"><year>%s</year></copyright><bounds minlat="%s"/></metadata>': "",
    '<wpt lat="%s" lon="2">%s<name>%s</name>%s</wpt>': "",
    '<wpt lat="1" lon="2" g:note="%s"><name g:note="%s">%s</name><name>%s</name></wpt>': "",
    '<wpt lat="1" lon="2"><name>%s<g:i>%s</g:i>%s</name><time>%s</time></wpt>': "",
    '<wpt lat="1" lon="2"><link href="%s"><text>%s</text></link><url>%s</url></wpt>': "",
    "<wpt><desc>&lt;b&gt;%s&lt;/b&gt;</desc><extensions><g:a>%s<g:b>%s</g:b>%s</g:a></extensions></wpt>": "",
    '<rte g:note="%s">%s<src>%s</src><rtept lat="1" lon="%s"><sym>%s</sym>%s</rtept>%s</rte>': "",
    '<trk><type>%s</type><trkseg g:note="%s">%s<trkpt lat="1" lon="2">%s<time>%s</time></trkpt>%s</trkseg>%s</trk>': "",
    '<trk><trkseg><trkpt lat="1" lon="2"><time g:note="%s">%s</time></trkpt></trkseg><trkseg>%s</trkseg></trk>': "",
    "<trk><trkseg><g:odd>%s<trkpt>%s</trkpt></g:odd></trkseg></trk>": "",
    "<g:odd>%s<wpt><name>%s</name></wpt></g:odd>": "",
    "<trk><!-- %s --><name>a<!-- b -->%s</name></trk>": "comment",
    "<?odd %s?>": "processing instruction",
}


@settings(max_examples=80)
@given(st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=8, unique=True))
def test_every_word_is_on_a_page_or_under_a_line_that_names_its_place(places):
    words, body = [], []
    for number, place in enumerate(places):
        place_words = [f"qx{number}y{index}z" for index in range(place.count("%s"))]
        body.append(place % tuple(place_words))
        words += [(word, PLACES[place]) for word in place_words]
    outline, page, left_out = read('<wpt lat="1" lon="2"/>' + "".join(body))
    lines = {line.what for line in left_out}
    assert outline.kind == "gpx"
    for word, kind in words:
        assert word in page.text or (kind and kind in lines), (word, page.text)
