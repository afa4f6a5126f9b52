from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader

SLACK = [
    {
        "type": "message",
        "user": "U1",
        "text": 'Zürich said "nobody asked"\nand <@U2> left &amp; slept',
        "ts": "1710248733.000200",
        "user_profile": {"real_name": "Ines Varga"},
        "edited": {"user": "U1", "ts": "1710248800.0"},
        "oddfield": {"x": "unheard"},
        "reactions": [{"name": "eyes", "users": ["U2"], "count": 1}],
        "files": [{"name": "valve.jpg", "title": "Valve"}],
        "blocks": [{"type": "rich_text", "elements": [{"type": "text", "text": "blockword"}]}],
    },
    {"type": "message", "user": "U2", "text": "closed", "ts": "1710338733.000200", "thread_ts": "1710248733.000200"},
]
TELEGRAM = {
    "name": "Harbour",
    "type": "private_group",
    "id": 7,
    "messages": [
        {
            "id": 1,
            "type": "message",
            "date": "2024-03-12T14:05:33",
            "date_unixtime": "1710248733",
            "from": "Ines",
            "from_id": "user1",
            "text": ["See ", {"type": "link", "text": "this", "href": "http://a.example"}],
            "edited": "2024-03-12T14:06:00",
            "file": "files/plan.pdf",
            "reactions": [{"emoji": "👍", "count": 2}],
            "poll": {"question": "Open it?", "answers": [{"text": "Neverever", "voters": 3}]},
        },
        {"id": 2, "type": "service", "date": "2024-03-13T02:03:00", "actor": "Tom", "action": "phone_call", "text": ""},
    ],
}
META = {
    "participants": [{"name": "J\u00c3\u00bcrgen"}, {"name": "Tom"}],
    "title": "J\u00c3\u00bcrgen",
    "messages": [
        {"sender_name": "Tom", "timestamp_ms": 1710338733000, "content": "later", "photos": [{"uri": "photos/1.jpg"}]},
        {
            "sender_name": "J\u00c3\u00bcrgen",
            "timestamp_ms": 1710248733000,
            "content": "Gr\u00c3\u00bc\u00c3\u009fe",
            "reactions": [{"reaction": "\u00e2\u009d\u00a4", "actor": "Tom"}],
        },
    ],
}
DISCORD = {
    "guild": {"name": "Port"},
    "channel": {"name": "general", "category": "Text", "topic": "valves"},
    "messages": [
        {
            "id": "1",
            "type": "Default",
            "timestamp": "2024-03-12T14:05:33.123+01:00",
            "timestampEdited": None,
            "content": "It was open",
            "author": {"name": "ines", "nickname": "Ines"},
            "attachments": [{"fileName": "a.png"}],
            "embeds": [{"title": "Embedtitle", "description": "Embedwords"}],
            "reactions": [],
        },
    ],
}
SIGNAL = [
    {"account": {"givenName": "Meself"}},
    {"recipient": {"id": "2", "contact": {"profileGivenName": "Ines"}}},
    {"chat": {"id": "5", "recipientId": "2"}},
    {
        "chatItem": {
            "chatId": "5",
            "authorId": "2",
            "dateSent": "1710248733000",
            "incoming": {},
            "standardMessage": {"text": {"body": "The valve"}, "attachments": [{"pointer": {"fileName": "x.pdf"}}]},
        }
    },
]
TEAMS = {
    "value": [
        {
            "id": "1",
            "createdDateTime": "2024-03-12T14:05:33.1Z",
            "from": {"user": {"displayName": "Ines"}},
            "body": {"contentType": "html", "content": "<p>It was <b>open</b></p>"},
        }
    ]
}


def read(data: object, name: str = "a") -> tuple[str, list[PageText]]:
    text = data if isinstance(data, str) else json.dumps(data)
    outline, *items = FileReader().read(text.encode(), name)
    return outline.kind, [item for item in items if isinstance(item, PageText)]


def lines(data: object) -> tuple[list[str], str]:
    kind, pages = read(data)
    assert kind == "chat"
    return [page.label for page in pages], "\n".join(page.text for page in pages)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            SLACK,
            [
                '[2024-03-12 13:05:33 UTC] Ines Varga: Zürich said "nobody asked"\nand @U2 left & slept',
                "blockword",
                "edited 2024-03-12 13:06:40 UTC",
                "unheard",
                "valve.jpg",
                "reaction eyes: U2",
                "reply to the message of 2024-03-12",
            ],
        ),
        (
            TELEGRAM,
            [
                "Harbour",
                "[2024-03-12 14:05:33] Ines: See this (http://a.example)",
                "edited 2024-03-12 14:06:00",
                "files/plan.pdf",
                "Open it?",
                "Neverever",
                "reaction 👍: 2",
                "[2024-03-13 02:03:00] Tom:",
                "phone_call",
            ],
        ),
        (
            META,
            ["participants: Jürgen, Tom", "[2024-03-12 13:05:33 UTC] Jürgen: Grüße", "reaction ❤: Tom", "photos/1.jpg"],
        ),
        (
            DISCORD,
            [
                "Port / Text / general",
                "valves",
                "[2024-03-12 14:05:33.123 +01:00] Ines (ines): It was open",
                "a.png",
                "Embedtitle",
                "Embedwords",
            ],
        ),
        ("\n".join(map(json.dumps, SIGNAL)), ["[2024-03-12 13:05:33 UTC] Ines: The valve", "x.pdf", "Meself"]),
        (TEAMS, ["[2024-03-12 14:05:33.1 UTC] Ines: It was open"]),
    ],
)
def test_exports_in_json_are_messages_with_all_that_belongs_to_them(data, expected):
    _, text = lines(data)
    assert [part for part in expected if part not in text] == []


def test_messages_stand_in_the_order_of_their_times():
    labels, _ = lines(META)
    assert labels == ["2024-03-12", "2024-03-13"]


WORDS = st.from_regex(r"[a-z]{6,12}q", fullmatch=True)
VALUES = st.recursive(
    WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3), max_leaves=6
)


@given(st.dictionaries(WORDS, VALUES, max_size=4))
def test_fields_that_nobody_knows_are_written(extra):
    for message in (SLACK[1], TELEGRAM["messages"][0], META["messages"][0], DISCORD["messages"][0]):
        top = {**TELEGRAM, "messages": [{**message, **extra}]}
        if message is SLACK[1]:
            top = [{**message, **extra}]
        elif message is META["messages"][0]:
            top = {**META, "messages": [{**message, **extra}]}
        elif message is DISCORD["messages"][0]:
            top = {**DISCORD, "messages": [{**message, **extra}]}
        _, text = lines(top)
        for word in leaves(extra):
            assert word in text


def leaves(value):
    if isinstance(value, str):
        return [value]
    return [word for part in (value.values() if isinstance(value, dict) else value) for word in leaves(part)]


MESSAGES = [
    {"ts": "1710252333.0", "user": "U1", "text": "417 men", "blocks": [{"type": "rich_text", "elements": [
        {"type": "rich_text_section", "elements": [{"type": "text", "text": "417 "}, {"type": "text", "text": "men"}]},
    ]}]},
    {"ts": "1710252334.0", "user": "U1", "text": "", "blocks": [{"type": "rich_text", "elements": [
        {"type": "rich_text_section", "elements": [
            {"type": "text", "text": "closed at "}, {"type": "text", "text": "02:00"},
            {"type": "user", "user_id": "U1"},
        ]},
    ]}]},
    {"ts": "1710252335.0", "user": "U1", "text": "load 417", "attachments": [
        {"fields": [{"title": "Pump", "value": "41"}], "text": "Alarm", "fallback": "Alarm"},
    ]},
]  # fmt: skip
EXPORT = [{"date": "2024-03-12 14:05:33", "sender": "Ann", "body": "open", "reactions": [], "votes": 0}] * 2
ENVELOPES = [
    {"envelope": {"sourceName": "Ann", "timestamp": 1710252333000, "dataMessage": {"message": "open"}}, "account": "+1"}
]
PACKAGE = [
    {"ID": 2, "Timestamp": "2024-03-13 02:03:00", "Contents": "closed", "Attachments": "https://x.org/plan.pdf"},
    {"ID": 1, "Timestamp": "2024-03-12 14:05:33", "Contents": "open", "Attachments": ""},
]
EMBED = {"guild": {"name": "G"}, "channel": {"name": "c"}, "messages": [
    {"id": "1", "timestamp": "2024-03-12T14:05:33+00:00", "content": "x", "author": {"name": "ann"},
     "embeds": [{"title": "News", "fields": [{"name": "Loss", "value": "417"}]}]},
]}  # fmt: skip


@pytest.mark.parametrize(
    ("top", "text"),
    [
        (MESSAGES, "U1: 417 men\n[2024-03-12 14:05:34 UTC] U1:\n(closed at 02:00@U1)"),
        (MESSAGES, "U1: load 417\n(Pump: 41)\n(Alarm)"),
        (EXPORT, "[2024-03-12 14:05:33] Ann: open\n(votes: 0)"),
        (ENVELOPES, "[2024-03-12 14:05:33 UTC] Ann: open"),
        (PACKAGE, "[2024-03-12 14:05:33] open"),
        (PACKAGE, "[2024-03-13 02:03:00] closed\n(Attachments: https://x.org/plan.pdf)"),
        (EMBED, "ann: x\n(embed: News)\n(embed: Loss: 417)"),
    ],
)
def test_every_part_of_a_message_stands_with_it_once(top, text):
    lines = "\n".join(json.dumps(entry) for entry in top) if isinstance(top, list) else json.dumps(top)
    pages = [item for item in FileReader().read(lines.encode(), "a.jsonl") if isinstance(item, PageText)]
    assert text in "\n".join(page.text for page in pages)


def struck(pages: list[PageText]) -> list[str]:
    return [page.text[start:end] for page in pages for start, end in page.struck_spans]


@pytest.mark.parametrize(
    ("top", "text", "words"),
    [
        (
            {"name": "a", "type": "personal_chat", "id": 1, "messages": [
                {**TELEGRAM["messages"][0], "text": ["pay ", {"type": "strikethrough", "text": "5"}, "6"]}]},
            "Ines: pay 5 6\n", ["5"],
        ),
        ([{**SLACK[1], "text": "from ~5 to ~6, not ~7~ 8"}], "U2: from ~5 to ~6, not ~7~ 8", ["7"]),
        (
            [{**SLACK[1], "text": "", "blocks": [{"type": "rich_text_section", "elements": [
                {"type": "text", "text": "no "}, {"type": "text", "text": "9", "style": {"strike": True}}]}]}],
            "(no ~9~)", ["9"],
        ),
        (
            [{"createdDateTime": "2024-03-12T14:05:33Z", "from": {"user": {"displayName": "D"}},
              "body": {"contentType": "html", "content": "<p>not <s>5</s>6 km<sup>2</sup></p>"}}],
            "D: not 5 6 km²", ["5"],
        ),
        (
            {"channel": {"name": "dock"}, "messages": [
                {"timestamp": "2024-03-12T14:05:33+00:00", "author": {"name": "kit"},
                 "content": "sank\n[1] ~~two~~ three, ~~ four ~~"}]},
            "kit: sank\n    [1] ~~two~~ three, ~~ four ~~", ["two"],
        ),
    ],
)  # fmt: skip
def test_struck_words_of_a_message_are_marked(top, text, words):
    _, pages = read(top)
    assert text in "\n".join(page.text for page in pages)
    assert struck(pages) == words


def test_a_person_without_a_profile_in_one_message_has_the_name_of_the_others():
    _, pages = read([*SLACK, {"type": "message", "user": "U1", "text": "Bare", "ts": "1710259999.0"}])
    words = "\n".join(page.text for page in pages)
    assert "Ines Varga: Bare" in words
    assert "U1" not in words


BLOCKS = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "Sect"}, "accessory": {"type": "button", "value": "v"}},
    {"type": "image", "image_url": "u", "alt_text": "alt", "title": {"text": "title"}},
    {"type": "input", "label": {"text": "label"}, "element": {"options": [{"text": {"text": "a"}}]}},
    {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [
        {"type": "date", "fallback": "3 May"}, {"type": "usergroup", "usergroup_id": "S1"}]}]},
]  # fmt: skip
PROGRAMS: dict[str, Any] = {
    "Slack": [{**SLACK[0], "user_profile": {"real_name": "Ines", "title": "Boss"}, "blocks": BLOCKS, "attachments": [
        {"service_name": "s", "title": "t", "author_name": "a", "fields": [{"title": "x", "value": "y"}],
         "actions": [{"text": "t", "name": "n"}], "color": "c"}],
        "files": [{"name": "a.jpg", "mimetype": "m", "url_private": "u", "initial_comment": {"comment": "c"}}],
        "root": {"text": "t", "user": "U7"}}, SLACK[1]],
    "Telegram": {**TELEGRAM, "about": "a", "messages": [
        {**TELEGRAM["messages"][0], "reply_to_peer_id": "c", "forwarded_from": "Kit", "forwarded_from_id": "u",
         "contact_information": {"first_name": "f"}, "text_entities": [{"type": "plain", "text": "See "}],
         "reactions": [{"emoji": "e", "count": 1, "recent": [{"from": "Ra", "from_id": "u"}]}]},
        TELEGRAM["messages"][1]]},
    "Telegram, all chats": {"personal_information": {"bio": "b"}, "chats": {"about": "a", "list": [TELEGRAM]}},
    "Messenger": {**META, "magic_words": [{"magic_word": "w"}], "thread_path": "p", "messages": [
        {**META["messages"][0], "share": {"link": "l", "share_text": "t"}, "ip": "i"}, META["messages"][1]]},
    "Discord": {**DISCORD, "dateRange": {"after": "a"}, "messages": [
        {**DISCORD["messages"][0], "author": {"name": "ines", "nickname": "Ines", "roles": [{"name": "Admin"}]},
         "attachments": [{"fileName": "a.png", "url": "u", "description": "d"}], "stickers": [{"name": "s"}],
         "embeds": [{"title": "t", "author": {"name": "n"}, "footer": {"text": "f"}, "color": "c"}],
         "mentions": [{"name": "tom"}], "reference": {"messageId": "7", "channelId": "c"},
         "reactions": [{"emoji": {"name": "e", "code": "c"}, "count": 1, "users": [{"name": "kit"}]}]}]},
    "Signal": [*SIGNAL, {"recipient": {"id": "3", "contact": {"note": "n", "aci": "a", "nickname": {"given": "g"}}}},
        {"recipient": {"id": "4", "group": {"snapshot": {"title": {"title": "t"}, "descriptionText": {
            "descriptionText": "d"}, "members": [{"role": "r"}]}}}},
        {"chatItem": {"chatId": "5", "authorId": "2", "dateSent": "1", "revisions": [{"standardMessage": {"text": {
            "body": "b"}}}], "outgoing": {"sendStatus": [{"recipientId": "r"}]}, "updateMessage": {"type": "u"}}}],
    "Signal, received": ENVELOPES,
    "Signal, exported": EXPORT,
    "Teams": {"value": [{**TEAMS["value"][0], "webUrl": "u", "importance": "high", "mentions": [{"text": "Tom"}]}]},
    "Google Chat": {"messages": [{"creator": {"name": "n", "email": "e"}, "created_date": "d", "text": "t",
        "topic_id": "i", "attached_files": [{"original_name": "o"}]}]},
    "Skype": {"userId": "u", "conversations": [{"id": "i", "displayName": "d", "MessageList": [
        {"from": "f", "displayName": "d", "originalarrivaltime": "2024-03-12T14:05:33Z", "content": "c",
         "messagetype": "RichText", "properties": {"urlpreviews": "p"}}]}]},
    "Discord, of a person": PACKAGE,
}  # fmt: skip


def leaves_with_holders(value: Any, holder: Any = None, key: Any = None) -> Iterator[tuple[Any, Any]]:
    """Where the texts of a JSON value stand."""
    if isinstance(value, str):
        yield holder, key
    elif isinstance(value, dict | list):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves_with_holders(item, value, name)


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_word_in_each_field_is_shown_or_its_field_is_named(program):
    for number in range(len(list(leaves_with_holders(PROGRAMS[program])))):
        top = copy.deepcopy(PROGRAMS[program])
        holder, key = list(leaves_with_holders(top))[number]
        holder[key] = "quartzword"
        data = "\n".join(map(json.dumps, top)) if isinstance(top, list) else json.dumps(top)
        _, *items = FileReader().read(data.encode(), "a.json")
        text = "\n".join(item.text for item in items if isinstance(item, PageText))
        places = ", ".join(item.where for item in items if isinstance(item, LeftOut))
        assert "quartzword" in text or str(key) in places.split(", "), key
