from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import PageText
from core.engines.readers.dispatch import FileReader

WHATSAPP = """\u200e[12.03.24, 14:05:33] Ines Varga: \u200eNachrichten sind verschlüsselt.
[12.03.24, 14:06:10] Ines Varga: The valve was open
and nobody noticed
[13.03.24, 02:03:00] Tom Aske: I closed it at 02:00
"""


def read(data: object, name: str = "a") -> tuple[str, list[PageText]]:
    text = data if isinstance(data, str) else json.dumps(data)
    outline, *items = FileReader().read(text.encode(), name)
    return outline.kind, [item for item in items if isinstance(item, PageText)]


def lines(data: object) -> tuple[list[str], str]:
    kind, pages = read(data)
    assert kind == "chat"
    return [page.label for page in pages], "\n".join(page.text for page in pages)


def test_whatsapp_has_a_page_a_day():
    labels, text = lines(WHATSAPP)
    assert labels == ["2024-03-12", "2024-03-13"]
    assert "[2024-03-12 14:06:10] Ines Varga: The valve was open\nand nobody noticed" in text
    assert "[2024-03-13 02:03:00] Tom Aske: I closed it at 02:00" in text


EVENING = ["2024-03-13 14:05", "2024-03-14 02:03"]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("3/12/24, 2:05\u202fPM - Ines: a\n3/13/24, 12:01\u202fAM - Tom: b", ["2024-03-12 14:05", "2024-03-13 00:01"]),
        ("13/03/2024, 14:05 - Ines: a\n13/03/2024, 14:06 - Tom added you", ["2024-03-13 14:05", "2024-03-13 14:06"]),
        ("2024-03-12 14:05 - Ines: a\n2024-03-12 14:06 - Tom: b", ["2024-03-12 14:05", "2024-03-12 14:06"]),
        (
            "[2024/3/12 下午2:05:33] Ines: a\n[2024/3/12 下午2:06:00] Tom: b",
            ["2024-03-12 14:05:33", "2024-03-12 14:06:00"],
        ),
        ("12/03/24, 14:05 - Ines: a\n12/03/24, 14:06 - Tom: b", ["12/03/24, 14:05", "12/03/24, 14:06"]),
        ("2024. 03. 12. 14:05 - Ines: a\n2024. 03. 13. 2:03 - Tom: b", ["2024-03-12 14:05", "2024-03-13 02:03"]),
        ("\u200f13\u200f/3\u200f/2024، 2:05 م - Ines: a\n\u200f14\u200f/3\u200f/2024، 2:03 ص - Tom: b", EVENING),
        ("١٣/٣/٢٠٢٤، ٢:٠٥ م - Ines: a\n١٤/٣/٢٠٢٤، ٢:٠٣ ص - Tom: b", EVENING),
        ("13/03/24, 2:05 अपराह्न - Ines: a\n14/03/24, 2:03 पूर्वाह्न - Tom: b", EVENING),
        ("13.3.2024 г., 14:05 ч. - Ines: a\n14.3.2024 г., 2:03 ч. - Tom: b", EVENING),
        ("14:05, 13/03/2024 - Ines: a\n02:03, 14/03/2024 - Tom: b", EVENING),
        ("13/03/2024, 14 h 05 - Ines: a\n14/03/2024, 02 h 03 - Tom: b", EVENING),
        ("13/3/2567 14:05 - Ines: a\n14/3/2567 02:03 - Tom: b", EVENING),
        ("1402/12/23, 14:05 - Ines: a\n1402/12/24, 02:03 - Tom: b", ["1402/12/23, 14:05", "1402/12/24, 02:03"]),
        ("12.3.2024 klo 14.05 - Ines: a\n12.3.2024 klo 14.06 - Tom: b", ["2024-03-12 14:05", "2024-03-12 14:06"]),
    ],
)
def test_times_of_other_countries_are_read_where_their_order_shows(text, times):
    _, body = lines(text)
    assert [line.partition("]")[0].removeprefix("[") for line in body.split("\n")] == times


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-12 14:05:33 - INFO: started\n2024-03-12 14:05:34 - WARN: x",
        "On 12.03.24, 14:05 we met - Ines: a",
        '{"messages": ["a", "b"]}',
        '[{"ts": 1, "level": "x"}]',
        '{"rows": [{"ts": "1"}], "messages": 3}',
        '{"messages": [{"id": 1, "type": 2, "date": null, "from": 3}, 4]}',
        "[" * 100_000 + '"messages":',
    ],
)
def test_what_is_no_chat_stays_text(text):
    kind, pages = read(text)
    assert kind == "text"
    assert pages[0].text == text


def test_words_that_whatsapp_strikes_through_are_marked():
    kind, pages = read("3/13/24, 2:05 PM - ~ Ines: pay ~500~ 700\n3/13/24, 2:06 PM - Tom: 5~6 or ~7\n")
    assert kind == "chat"
    assert [page.text[start:end] for page in pages for start, end in page.struck_spans] == ["500"]


def test_an_export_of_a_channel_without_messages_is_read():
    kind, pages = read("=" * 62 + "\nGuild: Harbour\nChannel: night-shift\n" + "=" * 62 + "\n\n")
    assert (kind, [page.text for page in pages]) == ("chat", ["night-shift\nGuild: Harbour\nChannel: night-shift"])


PLACES = (
    "[12.03.24, 14:{n:02}:00] Ines Varga: {w}", "[12.03.24, 14:{n:02}:00] {w}: text", "[12.03.24, 14:{n:02}:00] {w}",
    "{w}", "    {w}", "\u200e[12.03.24, 14:{n:02}:00] Tom: \u200e<attached: {w}.jpg>", "[{w}]: x", "[1.1.24] {w}",
    "~{w}~", "[45.45.24, 99:99:99] Tom: {w}", "{w}: [12.03.24, 14:{n:02}:00] Tom: x",
)  # fmt: skip
DISCORD = (
    "[13-Mar-24 02:03 PM] ann\n{w}", "[13/03/2024 14:{n:02}] {w}\ntext", "[13/03/2024 14:{n:02}] ann (pinned)\n{w}",
    "{w}", "{Reactions}\n{w} (2)", "{Embed}\n{w}", "{Attachments}\nhttps://a.b/{w}.png", "====\n{w}",
)  # fmt: skip


@given(st.lists(st.sampled_from(PLACES), min_size=1, max_size=12), st.booleans())
def test_every_word_of_an_exported_text_is_read(places, has_preamble):
    lines = [place.format(n=number, w=f"qx{number}z") for number, place in enumerate(places)]
    first = ["[12.03.24, 14:00:00] Ines: first", "[12.03.24, 14:00:01] Tom: second"]
    _, pages = read("\n".join([*(["qxaz above"] if has_preamble else []), *first, *lines]))
    text = "\n".join(page.text for page in pages)
    assert [n for n in range(len(places)) if f"qx{n}z" not in text] == []
    assert ("qxaz" in text) is has_preamble


@given(st.lists(st.sampled_from(DISCORD), max_size=12))
def test_every_word_of_an_exported_channel_is_read(places):
    lines = [
        place.replace("{n:02}", f"{number:02}").replace("{w}", f"qx{number}z") for number, place in enumerate(places)
    ]
    border = "=" * 62
    head = f"{border}\nGuild: Port\nChannel: qxaz\nTopic: qxbz\n{border}\n\n[13/03/2024 14:00] ann\nfirst\n"
    _, pages = read(head + "\n".join(lines) + f"\n\n{border}\nExported qxcz messages\n{border}\n")
    text = "\n".join(page.text for page in pages)
    words = [f"qx{number}z" for number in (*range(len(places)), "a", "b", "c")]
    assert [word for word in words if word not in text] == []
