"""Chats that were exported as web pages: each message with its sender and time, whatever stands beside its text."""

from __future__ import annotations

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader

TELEGRAM = """<!DOCTYPE html><html><head><meta charset="utf-8"/><title>Exported Data</title></head><body>
<div class="page_wrap"><div class="page_header"><div class="content"><div class="text bold">Orta crew</div></div></div>
<div class="page_body chat_page"><div class="history">
<div class="message service" id="message-1"><div class="body details">12 March 2024</div></div>
<div class="message default clearfix" id="message5"><div class="body">
<div class="pull_right date details" title="12.03.2024 14:05:33 UTC+01:00">14:05</div>
<div class="from_name">Ines Varga</div><div class="text">The valve was open<br>and nobody noticed</div></div></div>
<div class="message default clearfix joined" id="message6"><div class="body">
<div class="pull_right date details" title="12.03.2024 14:06:00 UTC+01:00">14:06</div>
<div class="reply_to details">In reply to <a href="#go">this message</a></div>
<div class="media_wrap clearfix"><a class="photo_wrap" href="photos/p1.jpg"><img src="photos/p1_thumb.jpg"></a></div>
</div></div>
<div class="message service" id="message7"><div class="body details">Tom Aske pinned this message</div></div>
<div class="message service" id="message-2"><div class="body details">13 March 2024</div></div>
<div class="message default clearfix" id="message8"><div class="body">
<div class="pull_right date details" title="13.03.2024 02:03:00 UTC+01:00">02:03</div>
<div class="from_name">Tom Aske</div>
<div class="forwarded body"><div class="from_name">Ledger bot</div><div class="text">I closed it at 02:00</div></div>
</div></div></div></div></div></body></html>"""

DISCORD = """<!DOCTYPE html><html><body><div class="preamble"><div class="preamble__entries-container">
<div class="preamble__entry">Harbour</div><div class="preamble__entry">night-shift</div></div></div>
<div class="chatlog"><div class="chatlog__message-group">
<div class="chatlog__message"><span class="chatlog__author" title="ines#1">Ines</span>
<span class="chatlog__timestamp" title="2024-03-12T14:05:33+00:00">12-Mar-24 02:05 PM</span>
<div class="chatlog__content chatlog__markdown">
<span class="chatlog__markdown-preserve">The seal was intact.</span></div>
<div class="chatlog__attachment"><a href="seal.png">seal.png</a></div></div>
<div class="chatlog__message"><div class="chatlog__content chatlog__markdown">
<span class="chatlog__markdown-preserve">At noon.</span>
<span class="chatlog__edited-timestamp">(edited)</span></div></div>
</div></div></body></html>"""


def read(page: str) -> tuple[list[PageText], list[LeftOut]]:
    outline, *items = FileReader().read(page.encode(), "messages.html")
    assert outline.kind == "chat"
    pages = [item for item in items if isinstance(item, PageText)]
    return pages, [item for item in items if isinstance(item, LeftOut)]


def test_telegram_has_a_page_a_day_and_each_message_its_sender():
    pages, left_out = read(TELEGRAM)
    assert [page.label for page in pages] == ["2024-03-12", "2024-03-13"]
    assert pages[0].text == (
        "Orta crew\n\n[2024-03-12 14:05:33 UTC+01:00] Ines Varga: The valve was open\nand nobody noticed\n"
        "[2024-03-12 14:06:00 UTC+01:00] Ines Varga:\n(In reply to this message)\n(file photos/p1.jpg)\n"
        "[2024-03-12 14:06:00 UTC+01:00] Tom Aske pinned this message"
    )
    assert pages[1].text == (
        "[2024-03-13 02:03:00 UTC+01:00] Tom Aske: I closed it at 02:00\n(forwarded from Ledger bot)"
    )
    assert left_out == [LeftOut("picture that is not in the file", 1, "messages")]


def test_discord_has_times_senders_and_files():
    (page,), _ = read(DISCORD)
    assert page.text == (
        "Harbour / night-shift\n\n[2024-03-12 14:05:33 UTC] Ines: The seal was intact.\n(file seal.png)\n"
        "[2024-03-12 14:05:33 UTC] Ines: At noon.\n(edited)"
    )


def test_a_page_that_only_has_such_a_class_is_a_page():
    outline, page, *_ = FileReader().read(b"<html><body><div class='history'><p>1066</p></div></body></html>", "a.html")
    assert outline.kind == "html"
    assert page.text.strip() == "1066"


def test_a_forwarded_message_that_follows_another_is_of_the_same_sender():
    follows = TELEGRAM.replace(' id="message8"', ' joined" id="message8').replace(
        '<div class="from_name">Tom Aske</div>\n<div class="forwarded body">', '<div class="forwarded body">'
    )
    *_, page = read(follows)[0]
    assert page.text == "[2024-03-13 02:03:00 UTC+01:00] Ines Varga: I closed it at 02:00\n(forwarded from Ledger bot)"


def test_struck_words_are_marked_and_do_not_join_their_replacement():
    for source, old, new in (
        (TELEGRAM, "The valve was open<br>", "The valve was <s>not</s>open 1<del>5</del>6<br>"),
        (DISCORD, "The seal was intact.", "The seal was <s>not</s>open 1<s>5</s>6"),
    ):
        pages, _ = read(source.replace(old, new))
        assert "was notopen 1 5 6" in pages[0].text
        assert [pages[0].text[start:end] for start, end in pages[0].struck_spans] == ["not", "5"]


def test_parts_of_a_message_that_nobody_knows_are_written():
    buttons = '<div class="bot_buttons_table"><div>Confirm 500</div><div>Refuse</div></div></div></div>'
    pages, _ = read(TELEGRAM.replace("nobody noticed</div></div></div>", f"nobody noticed</div>{buttons}"))
    assert "and nobody noticed\n(Confirm 500 Refuse)\n" in pages[0].text
