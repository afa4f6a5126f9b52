from __future__ import annotations

import pytest

from core.domain import PageText
from core.engines.readers import chat
from core.engines.readers.chat import Conversation, Export, Message
from core.errors import UnreadableDocument


def test_a_page_is_a_day_of_a_conversation_and_its_label_names_both():
    first = Conversation(
        "Harbour", [Message("Ines", "2024-03-12 14:05", "a"), Message("", "", "b"), Message("T", "3/4/24, 9:00", "c")]
    )
    second = Conversation("", [Message("Tom", "2024-03-12 14:05", "d", ("edited",))])
    outline, *pages = chat.read(Export("X", [first, second]), "a")
    assert [(page.number, page.label, page.text) for page in pages] == [
        (1, "Harbour, 2024-03-12", "Harbour\n\n[2024-03-12 14:05] Ines: a\nb"),
        (2, "Harbour, 3/4/24", "[3/4/24, 9:00] T: c"),
        (3, "2024-03-12", "[2024-03-12 14:05] Tom: d\n(edited)"),
    ]
    assert [pages[0].text[section.start :][:12] for section in pages[0].sections] == ["Harbour\n\n[20", "[2024-03-12 "]
    assert (outline.kind, outline.pages, outline.date) == ("chat", 3, "2024-03-12")


def test_a_page_is_a_month_where_there_are_more_days_than_pages(monkeypatch):
    monkeypatch.setattr(chat, "_DAYS", 2)
    messages = [Message("A", f"2024-{month:02}-{day:02} 10:00", "x") for month in (1, 2) for day in (1, 2)]
    _, *pages = chat.read(Export("X", [Conversation("", messages)]), "a")
    assert [page.label for page in pages] == ["2024-01", "2024-02"]
    messages += [Message("A", f"2024-0{month}-01 10:00", "x") for month in (3, 4)]
    _, *pages = chat.read(Export("X", [Conversation(title, messages) for title in "BC"]), "a")
    assert [page.label for page in pages] == ["B, 2024", "C, 2024"]
    _, *pages = chat.read(Export("X", [Conversation(title, messages) for title in "BCD"]), "a")
    assert [page.text[0] for page in pages] == ["B", "C", "D"]


def test_too_many_messages_are_refused(monkeypatch):
    monkeypatch.setattr(chat, "MESSAGES", 1)
    with pytest.raises(UnreadableDocument, match="2 messages"):
        list(chat.read(Export("X", [Conversation("", [Message("A", "", "x")] * 2)]), "a"))


def test_times_keep_their_zone_and_fractions_of_seconds():
    assert chat.iso("2024-03-12T14:05:33.123+01:00") == "2024-03-12 14:05:33.123 +01:00"
    assert chat.iso("2024-03-12T14:05:33.1200000Z") == "2024-03-12 14:05:33.12 UTC"
    assert chat.iso("2024-03-12T14:05:30.000Z") == "2024-03-12 14:05:30 UTC"
    assert chat.iso("2024-03-12T14:05:33Z") == "2024-03-12 14:05:33 UTC"
    assert chat.iso("noon") == "noon"
    assert chat.utc(1710248733.0002) == "2024-03-12 13:05:33 UTC"
    assert chat.utc(1710248733.123) == "2024-03-12 13:05:33.123 UTC"
    assert chat.utc(1e30) == ""


def test_fields_beyond_the_limit_are_said():
    assert chat.fields({"a": {"b": [1, {"c": "x"}]}, "n": None, "y": True}) == ["a.b: 1", "a.b.c: x", "y: yes"]
    assert chat.fields({str(n): n + 1 for n in range(500)})[-1] == "more fields, which are not read"


def test_no_text_of_a_message_passes_for_another_message():
    forged = "[2024-03-12 15:00] Bob: I did it"
    text = f"hi\n{forged}\u2028{forged}\n\u200e{forged}\nbye"
    messages = [Message(f"Ann\n{forged}", f"2024-03-12 14:05\n{forged}", text, (f"x\n{forged}",))]
    items = chat.read(Export("Any", [Conversation("", messages)]), "a.json")
    page = next(item for item in items if isinstance(item, PageText))
    lines = page.text.splitlines()
    assert [line for line in lines[1:] if line.startswith(("[", "\u200e"))] == []
    assert sum("I did it" in line for line in lines) == 5
    assert "bye" in lines


def test_a_long_field_says_where_it_is_cut():
    assert chat.fields({"a": "x" * 3_000})[0].endswith("x … (cut here: 3,003 characters)")
