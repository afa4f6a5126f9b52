"""Chats that were exported as web pages: Telegram (messages.html) and DiscordChatExporter.

Known by the classes of their elements. The other parts of a message are written below its text: a reply, a
forwarded sender, a file with its name, reactions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from core.domain import LeftOut
from core.engines.readers import chat, text_flow
from core.engines.readers.chat import Conversation, Export, Message

_HEAD = re.compile(rb"""class=["']?(?:page_wrap|history|preamble__|chatlog(?:__|["' ]))""")
_TELEGRAM_TIME = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}) (\d\d:\d\d(?::\d\d)?)(?: (UTC[+-]\d\d:\d\d))?")
_MARKS = "\ufdd0", "\ufdd1"  # around struck words: noncharacters, which no text holds
_KNOWN = frozenset({  # parts of a message of Telegram that are read, or hold such
    "date", "from_name", "text", "reply_to", "forwarded", "media_wrap", "reactions", "signature", "body", "message",
})  # fmt: skip
_SERVICE_DAY = re.compile(r"\d{1,2} [A-Z][a-z]+ \d{4}")  # between two days, which pages show


def looks_like(head: bytes) -> bool:
    """Return whether a web page may be the export of a chat; ``read`` says for certain."""
    return bool(_HEAD.search(head))


def read(source: str) -> Export | None:
    """Extract the messages of a page, or return None if no chat program exported it."""
    tree = LexborHTMLParser(re.sub("[\0\ufdd0\ufdd1]", "\ufffd", source))
    return _telegram(tree) or _discord(tree)


def _text(node: Any) -> str:
    """Return the words of an element, a line break where the page has one."""
    if node is None:
        return ""
    for line_break in node.css("br"):
        line_break.replace_with("\n")
    lines = (" ".join(line.split()) for line in node.text(deep=True).split("\n"))
    return "\n".join(line for line in lines if line)


def _shown(nodes: Iterable[Any]) -> text_flow.Piece:
    """Return what elements show, a line or more each, with its struck words."""
    flow = text_flow.Flow()
    depth = 0
    for node in nodes:
        for struck in node.css("s, del, strike"):
            struck.insert_before(_MARKS[0])
            struck.insert_after(_MARKS[1])
        flow.gap("\n")
        for part in re.split(f"([{''.join(_MARKS)}])", _text(node)):
            if part in _MARKS:
                depth += 1 if part == _MARKS[0] else -1
            else:
                flow.write(part, is_struck=depth > 0)
    return flow.piece()


def _words(node: Any) -> str:
    return " ".join(_text(node).split())


def _parts(node: Any) -> str:
    """Return the words of an element with separate parts, such as a file's name and size."""
    return " ".join(node.text(deep=True, separator=" ").split())


# --- Telegram --------------------------------------------------------------------------------------------------------


def _telegram(tree: LexborHTMLParser) -> Export | None:
    nodes = tree.css("div.history div.message")
    if not nodes or not any("default" in _classes(node) or "service" in _classes(node) for node in nodes):
        return None
    messages: list[Message] = []
    sender = day = ""
    for node in nodes:
        if "service" in _classes(node):
            text = _words(node)
            if _SERVICE_DAY.fullmatch(text):
                day = text
            elif text:
                messages.append(Message("", messages[-1].time if messages else day, text))
            continue
        name = node.css_first("div.body:not(.forwarded) > div.from_name")
        sender = _words(name) or sender  # a message that follows another of the same person states none
        messages.append(_telegram_message(node, sender))
    title = _words(tree.css_first("div.page_header div.text"))
    return Export("Telegram", [Conversation(title, messages)], tuple(_media(tree)))


def _classes(node: Any) -> list[str]:
    return (node.attributes.get("class") or "").split()


def _telegram_message(node: Any, sender: str) -> Message:
    date = node.css_first("div.date")
    match = _TELEGRAM_TIME.search((date.attributes.get("title") or "") if date is not None else "")
    time = f"{match[3]}-{match[2]}-{match[1]} {match[4]}{f' {match[5]}' if match[5] else ''}" if match else _words(date)
    notes = []
    if reply := _words(node.css_first("div.reply_to")):
        notes.append(reply)
    forwarded = node.css_first("div.forwarded.body > div.from_name")
    if forwarded is not None:
        notes.append(f"forwarded from {_words(forwarded)}")
    for media in node.css("div.media_wrap"):
        link = media.css_first("a[href]")
        address = (link.attributes.get("href") or "") if link is not None else ""
        if words := ": ".join(part for part in (_parts(media), address) if part):
            notes.append(f"file {words}")
    notes += [f"reaction {_parts(reaction)}" for reaction in node.css("span.reaction")]
    if signature := _words(node.css_first("div.signature")):
        notes.append(signature)
    others = (part for part in node.css("div.body > *") if _KNOWN.isdisjoint(_classes(part)))
    notes += [words for part in others if (words := _parts(part))]
    body = _shown(node.css("div.text"))
    return Message(sender, time, body.text, tuple(notes), body.struck_spans)


# --- Discord ---------------------------------------------------------------------------------------------------------


def _discord(tree: LexborHTMLParser) -> Export | None:
    groups = tree.css("div.chatlog__message-group")
    messages = [message for group in groups for message in _discord_group(group)]
    if not messages:
        return None
    entries = [_words(entry) for entry in tree.css("div.preamble__entry")]
    about = tuple(entry for entry in entries[2:] if entry)
    return Export(
        "Discord", [Conversation(" / ".join(filter(None, entries[:2])), messages, about)], tuple(_media(tree))
    )


def _discord_group(group: Any) -> Iterator[Message]:
    sender = time = ""
    for node in group.css("div.chatlog__message"):
        author = node.css_first(".chatlog__author, .chatlog__author-name")
        stamp = node.css_first(".chatlog__timestamp, .chatlog__short-timestamp")
        sender = _words(author) or sender
        if stamp is not None:
            time = chat.iso((stamp.attributes.get("title") or "").strip() or _words(stamp))
        notes = [
            f"reply to {words}"
            for reply in node.css(".chatlog__reply, .chatlog__reference")
            if (words := _words(reply))
        ]
        notes += [_words(mark).strip("()") for mark in node.css(".chatlog__edited-timestamp")]
        for file in node.css(".chatlog__attachment a[href], .chatlog__attachment img[src]"):
            attributes: Mapping[str, Any] = file.attributes
            notes.append(f"file {attributes.get('href') or attributes.get('src')}")
        notes += [f"embedded: {words}" for embed in node.css(".chatlog__embed") if (words := _parts(embed))]
        notes += [f"reaction {_reaction(element)}" for element in node.css(".chatlog__reaction")]
        content = node.css_first(".chatlog__markdown-preserve") or node.css_first(".chatlog__content")
        body = _shown([content] if content is not None else [])
        if body.text or notes:
            yield Message(sender, time, body.text, tuple(notes), body.struck_spans)


def _reaction(node: Any) -> str:
    return " ".join(filter(None, (node.attributes.get("title") or "", _parts(node))))


def _media(tree: LexborHTMLParser) -> Iterator[LeftOut]:
    """Yield a line for the pictures and sounds that a page shows from files beside it."""
    for what, selector in (("picture that is not in the file", "img[src]"), ("sound or video", "audio, video")):
        if count := len(tree.css(selector)):
            yield LeftOut(what, count, "messages")
