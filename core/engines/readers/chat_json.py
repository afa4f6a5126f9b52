"""Chats that were exported as JSON: Slack, Telegram, Messenger and Instagram, Discord, Signal, Teams, Google Chat.

What a format has beyond the usual fields is written below its message under its own name, so that nothing is lost.
"""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain import LeftOut
from core.engines.readers import chat, text_flow
from core.engines.readers.chat import Conversation, Export, Message

Json = Mapping[str, Any]
_HEAD = re.compile(
    r'"(?:messages|MessageList|chatItem|timestamp_ms|createdDateTime|subtype|client_msg_id|ts|sent_at|created_date'
    r'|envelope|body|Contents)"\s*:'
)


_WORD = re.compile(r"\w+")
_MOMENT = re.compile(r"[\d.]*|\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*")


# How programs call the parts of a message.
_KINDS = {
    "message", "service", "plain", "link", "mrkdwn", "plain_text", "rich_text", "rich_text_section", "section", "user",
    "text", "html", "Default", "Generic", "emoji",
}  # fmt: skip


def looks_like(head: str) -> bool:
    """Return whether a text may be a chat in JSON; ``read`` says for certain."""
    return head.lstrip("\ufeff \t\r\n")[:1] in ("{", "[") and bool(_HEAD.search(head))


def read(text: str) -> Export | None:
    """Extract the messages of a JSON text, or return None if no chat program exported it."""
    text = text.lstrip("\ufeff").strip()
    try:
        top = json.loads(text)
    except (ValueError, RecursionError):
        top = _rows(text)
    try:
        export = next((export for form in _FORMS if (export := form(top)) is not None), None)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return None  # a field is of another type than the program writes
    return export and replace(export, left_out=not_shown([top], export.conversations))


def not_shown(
    values: Sequence[Any], conversations: Iterable[Conversation], known: Iterable[str] = ()
) -> tuple[LeftOut, ...]:
    """Return a line for the fields of JSON values with words that no message shows; moments and numbers are none.

    ``known`` are identifiers that are shown as names.
    """
    visible = {*known, *_KINDS}
    for value in values:
        visible |= {str(post.get("user")) for post in _dicts(value) if post.get("user_profile")}
    for talk in conversations:
        for text in (talk.title, *talk.about):
            visible.update(_WORD.findall(text))
        for message in talk.messages:
            for text in (message.sender, message.text, *message.notes):
                visible.update(_WORD.findall(text))
    names: Counter[str] = Counter()
    waiting: list[tuple[str, Any]] = [("", value) for value in values]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.items()
        elif isinstance(value, list):
            waiting += [(name, item) for item in value]
        elif isinstance(value, str) and not _MOMENT.fullmatch(value) and not visible.issuperset(_WORD.findall(value)):
            names[name] += not visible.issuperset(_WORD.findall(_mend(value)))
    where = ", ".join(sorted(name for name, count in names.items() if count))
    return (LeftOut("field that is not shown", names.total(), where or "whole file"),) if where or names.total() else ()


def _rows(text: str) -> list[Any]:
    """Parse a JSON value a line, or return nothing if a line is none."""
    try:
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    except (ValueError, RecursionError):
        return []


def _dicts(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _messages(value: Any, *keys: str) -> list[Json]:
    """Return a list of objects of which most have the keys, or nothing for any other value."""
    items = _dicts(value)
    count = sum(all(key in item for key in keys) for item in items)
    return items if items and len(items) == len(value) and count * 2 > len(items) else []


def _names(value: Any) -> str:
    """Return the names in a list of people, or of texts."""
    names = [person.get("name", "") if isinstance(person, dict) else str(person) for person in value or ()]
    return ", ".join(name for name in names if name)


def _about(top: Json, *, skip: Iterable[str]) -> tuple[str, ...]:
    return tuple(chat.fields(dict(top), frozenset(skip)))


def _in_order(messages: list[tuple[float, Message]]) -> list[Message]:
    """Put messages in the order of their times; one without a time stays behind the one before."""
    latest, by_time = 0.0, []
    for time, message in messages:
        latest = time or latest
        by_time.append((latest, message))
    return [message for _, message in sorted(by_time, key=lambda pair: pair[0])]


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


# --- Slack -----------------------------------------------------------------------------------------------------------

_SLACK = frozenset({
    "type", "user", "text", "ts", "client_msg_id", "team", "user_team", "source_team", "user_profile", "blocks",
    "edited", "thread_ts", "reactions", "files", "username", "bot_id", "subtype", "reply_count", "reply_users",
    "reply_users_count", "latest_reply", "replies", "parent_user_id", "is_locked", "subscribed", "last_read",
    "upload", "display_as_bot", "attachments", "bot_profile", "app_id", "root", "original",
})  # fmt: skip


def _slack(top: Any) -> Export | None:
    messages = slack_messages(top, {})
    if messages is None:
        return None
    about = _about(top, skip=("messages",)) if isinstance(top, dict) else ()
    title = str(top.get("name", "")) if isinstance(top, dict) else ""
    return Export("Slack", [Conversation(title, messages, about)], struck=chat.TILDE)


def slack_messages(top: Any, users: Mapping[str, str]) -> list[Message] | None:
    """Return the messages of a file of Slack's, in order, ``users`` by name; None for a file of another kind."""
    messages = _messages(top, "ts") or (_messages(top.get("messages"), "ts") if isinstance(top, dict) else [])
    if not messages or not any("text" in message or "user" in message for message in messages):
        return None
    # Not every message of a person holds the profile: without it, its name is the identifier.
    named = [(str(message["user"]), _slack_name(message)) for message in messages if message.get("user")]
    names = {**users, **{user: name for user, name in named if name != user}}
    return _in_order([(_number(message.get("ts")), _slack_message(message, names)) for message in messages])


def _slack_name(item: Json) -> str:
    profile = item.get("user_profile") or item.get("bot_profile") or {}
    name = profile.get("real_name") or profile.get("display_name") or profile.get("name") or item.get("username")
    return str(name or item.get("user") or item.get("bot_id") or "")


def _slack_text(text: str, names: Mapping[str, str]) -> str:
    def link(match: re.Match[str]) -> str:
        target, _, label = match.group(1).partition("|")
        if target.startswith(("@", "#", "!")):
            name = label or names.get(target[1:], target[1:])
            return f"{'@' if target[0] == '!' else target[0]}{name}"
        return f"{label} ({target})" if label and label not in target else target

    return html.unescape(re.sub(r"<([^<>\n]+)>", link, text))


def _slack_message(item: Json, names: Mapping[str, str]) -> Message:
    text = _slack_text(str(item.get("text") or ""), names)
    notes = _unheard(_slack_lines(item.get("blocks"), names), text)
    for part in _dicts(item.get("attachments")):
        lines = [
            *(f"{field.get('title') or ''}: {field.get('value') or ''}" for field in _dicts(part.get("fields"))),
            *_leaves({key: value for key, value in part.items() if key not in ("fields", "blocks", "message_blocks")}),
            *_slack_lines([part.get("blocks"), part.get("message_blocks")], names),
        ]
        notes += _unheard(_slack_text(line, names) for line in lines)
    notes += _unheard(_leaves(item.get("root")), text, *notes)
    if item.get("subtype"):
        notes.append(str(item["subtype"]).replace("_", " "))
    if item.get("edited"):
        notes.append(f"edited {chat.utc(_number(item['edited'].get('ts')))}")
    if item.get("thread_ts") and item.get("thread_ts") != item.get("ts"):
        notes.append(f"reply to the message of {chat.utc(_number(item['thread_ts']))}")
    for file in item.get("files") or ():
        notes.append(f"file: {file.get('title') or ''} {file.get('name') or file.get('id') or ''}".replace("  ", " "))
        notes += [str(file[key]) for key in ("preview", "plain_text", "transcript") if isinstance(file.get(key), str)]
        notes += chat.fields({key: file[key] for key in _FILE if key in file})
    notes += [
        f"reaction {reaction.get('name')}: {', '.join(names.get(user, user) for user in reaction.get('users') or ())}"
        for reaction in item.get("reactions") or ()
    ]
    notes += chat.fields(dict(item), _SLACK)
    return Message(
        names.get(str(item.get("user"))) or _slack_name(item), chat.utc(_number(item.get("ts"))), text, tuple(notes)
    )


_LINES = ("rich_text_section", "rich_text_preformatted", "rich_text_quote")


def _slack_lines(value: Any, names: Mapping[str, str]) -> list[str]:
    """Return the lines of nested blocks; elements of one line are joined."""

    def line(item: Json) -> str | None:
        if item.get("type") not in _LINES:
            return None
        return "".join(_slack_element(element, names) for element in _dicts(item.get("elements"))).strip()

    return [text for text in _leaves(value, lambda text: _slack_text(text, names), line) if text]


def _slack_element(item: Json, names: Mapping[str, str]) -> str:
    """Return the text that a part of a line shows."""
    match item.get("type"):
        case "user":
            return f"@{names.get(str(item.get('user_id')), item.get('user_id') or '')}"
        case "channel":
            return f"#{item.get('channel_id') or ''}"
        case "emoji":
            return f":{item.get('name') or ''}:"
        case "broadcast":
            return f"@{item.get('range') or ''}"
        case "link":
            label, target = str(item.get("text") or ""), str(item.get("url") or "")
            return f"{label} ({target})" if label and label not in target else target
        case _:
            text = str(next((item[key] for key in ("text", "fallback", "name", "value") if item.get(key)), ""))
            style = item.get("style")
            return f"~{text}~" if isinstance(style, dict) and style.get("strike") else text


def _unheard(lines: Iterable[str], *texts: str) -> list[str]:
    """Return the lines whose words are no phrase of ``texts`` or of a line before."""
    lines_before = "\n".join(map(_words, texts))
    result = []
    for line in lines:
        words = _words(line)
        if words not in lines_before:
            result.append(line)
            lines_before += f"\n{words}"
    return result


def _words(line: str) -> str:
    words = " ".join(re.findall(r"\w+", line))
    return f" {words} "


_LEAVES = (
    "text", "fallback", "title", "pretext", "title_link", "from_url", "author_name", "author_subname", "footer", "url",
    "value", "alt_text", "service_name", "channel_name", "original_url", "image_url", "video_url", "provider_name",
)  # fmt: skip
_FILE = (
    "url_private",
    "initial_comment",
    "subject",
    "from",
    "to",
    "cc",
    "headers",
)  # of a file, or a mail sent as such


def _leaves(
    value: Any, shown: Callable[[str], str] = str, as_one_text: Callable[[Json], str | None] = lambda _item: None
) -> list[str]:
    """Return the texts in nested blocks, each as ``shown``; a block that ``as_one_text`` words is one text."""
    result: list[str] = []
    waiting = [value]
    while waiting and len(result) < 500:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += reversed(item)
        elif isinstance(item, dict) and (text := as_one_text(item)) is not None:
            result.append(text)
        elif isinstance(item, dict):
            result += [shown(item[key]) for key in _LEAVES if isinstance(item.get(key), str)]
            waiting += [nested for nested in reversed(list(item.values())) if isinstance(nested, dict | list)]
    return result


# --- Telegram --------------------------------------------------------------------------------------------------------

_TELEGRAM = frozenset({
    "id", "type", "date", "date_unixtime", "from", "from_id", "actor", "actor_id", "text", "text_entities", "edited",
    "edited_unixtime", "reply_to_message_id", "forwarded_from", "reactions", "width", "height", "mime_type",
    "reply_to_peer_id", "forwarded_from_id",
})  # fmt: skip


def _telegram(top: Any) -> Export | None:
    if not isinstance(top, dict):
        return None
    lists: list[Json] = [top] if "messages" in top else []
    for key in ("chats", "left_chats"):
        if isinstance(top.get(key), dict):
            lists += _dicts(top[key].get("list"))
    chats = [(chat_record, _messages(chat_record.get("messages"), "id", "type", "date")) for chat_record in lists]
    if not any(messages for _, messages in chats):
        return None
    conversations = []
    for chat_record, messages in chats:
        title = str(chat_record.get("name") or chat_record.get("type") or "")
        about = _about(chat_record, skip=("messages", "name", "id"))
        conversations.append(Conversation(title, [_telegram_message(item) for item in messages], about))
    about_top = (
        _about(top, skip=("messages", "chats", "left_chats", "name", "id", "type")) if "messages" not in top else ()
    )
    if about_top:
        conversations.append(Conversation("Other parts of the export", [], about_top))
    return Export("Telegram", conversations)


def _telegram_text(value: Any) -> text_flow.Piece:
    flow = text_flow.Flow()
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, dict):
            text, link = str(part.get("text") or ""), part.get("href")
            flow.write(f"{text} ({link})" if link else text, is_struck=part.get("type") == "strikethrough")
        else:
            flow.write(str(part or ""))
    return flow.piece()


def _telegram_message(item: Json) -> Message:
    notes = []
    if item.get("type") != "message":
        notes.append(str(item.get("type")))
    if item.get("edited"):
        notes.append(f"edited {chat.iso(str(item['edited']))}")
    if item.get("reply_to_message_id"):
        notes.append(f"reply to message {item['reply_to_message_id']}")
    if item.get("forwarded_from"):
        notes.append(f"forwarded from {item['forwarded_from']}")
    for entry in item.get("reactions") or ():
        who = ", ".join(str(person.get("from")) for person in entry.get("recent") or () if person.get("from"))
        notes.append(
            f"reaction {entry.get('emoji') or entry.get('type')}: {entry.get('count', '')}"
            + (f", {who}" if who else "")
        )
    notes += chat.fields(dict(item), _TELEGRAM)
    sender = item.get("from") or item.get("actor") or item.get("from_id") or item.get("actor_id") or ""
    body = _telegram_text(item.get("text"))
    body = body if body.text else _telegram_text(item.get("text_entities"))
    return Message(str(sender), chat.iso(str(item.get("date") or "")), body.text, tuple(notes), body.struck_spans)


# --- Messenger and Instagram -----------------------------------------------------------------------------------------

_META = frozenset({
    "sender_name", "timestamp_ms", "content", "is_geoblocked_for_viewer", "reactions",
    "senderName", "text", "timestamp", "type", "is_unsent_image_by_messenger_kid_parent",
})  # fmt: skip


def _mend(value: Any) -> Any:
    """Return the same with texts whose UTF-8 bytes were written as characters of Latin-1 put right."""
    if isinstance(value, str):
        try:
            return value.encode("latin-1").decode("utf-8")
        except ValueError:
            return value
    if isinstance(value, list):
        return [_mend(item) for item in value]
    return {_mend(key): _mend(item) for key, item in value.items()} if isinstance(value, dict) else value


def _meta(top: Any) -> Export | None:
    if not isinstance(top, dict) or "participants" not in top:
        return None
    messages = _messages(top.get("messages"), "sender_name") or _messages(top.get("messages"), "senderName")
    if not messages:
        return None
    top = _mend(top)
    messages = _dicts(top["messages"])
    title = str(top.get("title") or top.get("threadName") or "")
    people = _names(top["participants"])
    about = ((f"participants: {people}",) if people else ()) + _about(
        top, skip=("messages", "title", "threadName", "participants", "magic_words", "is_still_participant")
    )
    by_time = [(_number(post.get("timestamp_ms") or post.get("timestamp")), _meta_message(post)) for post in messages]
    return Export("Messenger", [Conversation(title, _in_order(by_time), about)])


def _meta_message(item: Json) -> Message:
    time = chat.utc(_number(item.get("timestamp_ms") or item.get("timestamp")) / 1000)
    notes = [f"reaction {entry.get('reaction')}: {entry.get('actor', '')}" for entry in item.get("reactions") or ()]
    if item.get("type") not in (None, "Generic", "text"):
        notes.append(str(item["type"]))
    notes += chat.fields(dict(item), _META)
    sender = str(item.get("sender_name") or item.get("senderName") or "")
    return Message(sender, time, str(item.get("content") or item.get("text") or ""), tuple(notes))


# --- Discord ---------------------------------------------------------------------------------------------------------

_DISCORD = frozenset({
    "id", "type", "timestamp", "timestampEdited", "content", "author", "attachments", "reactions", "isPinned",
    "mentions", "reference", "callEndedTimestamp", "embeds", "stickers", "inlineEmojis",
})  # fmt: skip


def _discord(top: Any) -> Export | None:
    if not isinstance(top, dict) or "channel" not in top:
        return None
    messages = _messages(top.get("messages"), "timestamp", "author")
    if not messages:
        return None
    guild, channel = top.get("guild") or {}, top["channel"]
    title = " / ".join(str(part) for part in (guild.get("name"), channel.get("category"), channel.get("name")) if part)
    about = ((f"topic: {channel['topic']}",) if channel.get("topic") else ()) + _about(
        top, skip=("messages", "guild", "channel", "messageCount")
    )
    conversation = Conversation(title, [_discord_message(message) for message in messages], about)
    return Export("Discord", [conversation], struck=chat.TILDES)


def _discord_message(item: Json) -> Message:
    author = item.get("author") or {}
    notes = []
    if item.get("type") not in (None, "Default"):
        notes.append(str(item["type"]))
    if item.get("timestampEdited"):
        notes.append(f"edited {chat.iso(str(item['timestampEdited']))}")
    if item.get("isPinned"):
        notes.append("pinned")
    if item.get("callEndedTimestamp"):
        notes.append(f"call ended {chat.iso(str(item['callEndedTimestamp']))}")
    if item.get("reference"):
        notes.append(f"reply to message {item['reference'].get('messageId')}")
    for attachment in item.get("attachments") or ():
        parts = [str(attachment[key]) for key in ("fileName", "description", "url") if attachment.get(key)]
        notes.append(f"attachment: {', '.join(parts)}")
    notes += [f"sticker: {sticker.get('name')}" for sticker in item.get("stickers") or ()]
    for embed in item.get("embeds") or ():
        fields = [f"{field.get('name') or ''}: {field.get('value') or ''}" for field in _dicts(embed.get("fields"))]
        embed_fields = {key: value for key, value in embed.items() if key != "fields"}
        notes += [f"embed: {leaf}" for leaf in (*_leaves(embed_fields), embed.get("description"), *fields) if leaf]
        notes += [f"embed: {name}" for name in [(embed.get("author") or {}).get("name")] if name]
    for reaction in item.get("reactions") or ():
        who = _names(reaction.get("users"))
        name = (reaction.get("emoji") or {}).get("name")
        notes.append(f"reaction {name}: {reaction.get('count', '')}" + (f", {who}" if who else ""))
    notes += chat.fields(dict(item), _DISCORD)
    nickname, name = author.get("nickname"), author.get("name")
    sender = f"{nickname} ({name})" if nickname and name and nickname != name else str(nickname or name or "")
    return Message(sender, chat.iso(str(item.get("timestamp") or "")), str(item.get("content") or ""), tuple(notes))


def discord_package(top: Any) -> Export | None:
    """Return the messages of a person, as Discord hands them out on request; None for other values."""
    messages = _messages(top, "ID", "Timestamp", "Contents")
    if not messages:
        return None
    own_fields = frozenset({"ID", "Timestamp", "Contents"})
    in_order = sorted((chat.iso(str(post["Timestamp"])), number, post) for number, post in enumerate(messages, start=1))
    conversation = [
        Message("", time, str(post.get("Contents") or ""), tuple(chat.fields(dict(post), own_fields)))
        for time, _, post in in_order
    ]
    return Export("Discord", [Conversation("", conversation)], struck=chat.TILDES)


# --- Signal ----------------------------------------------------------------------------------------------------------


def _signal_envelopes(top: Any) -> Export | None:
    """Read what the command line program of Signal receives: an envelope a line."""
    items = _messages(top if isinstance(top, list) else [top], "envelope")
    if not items:
        return None
    by_time = []
    for item in items:
        envelope = item["envelope"]
        sync = (envelope.get("syncMessage") or {}).get("sentMessage") or {}
        data = envelope.get("dataMessage") or (envelope.get("editMessage") or {}).get("dataMessage") or sync
        moment = _number(data.get("timestamp") or envelope.get("timestamp"))
        sender = str(envelope.get("sourceName") or envelope.get("sourceNumber") or envelope.get("source") or "")
        own_fields = frozenset({"timestamp", "sourceName", "source", "dataMessage", "sourceDevice", "sourceUuid"})
        notes = chat.fields({key: value for key, value in data.items() if key not in ("timestamp", "message")})
        notes += chat.fields(
            {key: value for key, value in envelope.items() if data is not sync or key != "syncMessage"}, own_fields
        )
        text = str(data.get("message") or "")
        by_time.append((moment, Message(sender, chat.utc(moment / 1000), text, tuple(notes))))
    return Export("Signal", [Conversation("", _in_order(by_time))])


def _signal(top: Any) -> Export | None:
    """Read the lines of a backup as JSON, or of an export with a body and a sender."""
    items = _dicts(top)
    chat_items = [message["chatItem"] for message in items if isinstance(message.get("chatItem"), dict)]
    if chat_items:
        return _signal_backup(items, chat_items)
    messages = _messages(top, "body", "sent_at") or _messages(top, "body", "sender", "date")
    if not messages:
        return None
    own_fields = frozenset({"body", "sent_at", "sender", "date", "source", "type", "timestamp", "received_at"})
    by_time = []
    for message in messages:
        moment = message.get("sent_at") or message.get("date")
        time = chat.utc(_number(moment) / 1000) if _number(moment) else chat.iso(str(moment or ""))
        sender = message.get("sender") or message.get("source") or (message.get("type") or "")
        notes = tuple(chat.fields(dict(message), own_fields))
        by_time.append((_number(moment), Message(str(sender), time, str(message.get("body") or ""), notes)))
    return Export("Signal", [Conversation("", _in_order(by_time))])


_PERSON = ("e164", "username", "nickname", "systemGivenName", "systemFamilyName", "note")


def _signal_backup(items: list[Json], chat_items: list[Json]) -> Export:
    names = {}
    people: list[str] = []
    for item in items:
        recipient = item.get("recipient") or {}
        contact = recipient.get("contact") or {}
        snapshot = (recipient.get("group") or {}).get("snapshot") or {}
        group = snapshot.get("title") or {}
        parts = [contact.get(key) for key in ("profileGivenName", "profileFamilyName")]
        name = " ".join(str(part) for part in parts if part) or contact.get("e164") or group.get("title")
        names[str(recipient.get("id"))] = str(name or ("Self" if "self" in recipient else recipient.get("id") or ""))
        details = {
            **{key: contact[key] for key in _PERSON if key in contact},
            **(snapshot.get("descriptionText") or {}),
        }
        people += chat.fields(details, name=names[str(recipient.get("id"))])
    chats = {
        str(item["chat"].get("id")): names.get(str(item["chat"].get("recipientId")), "")
        for item in items
        if item.get("chat")
    }
    by_chat: dict[str, list[tuple[float, Message]]] = {}
    own_fields = frozenset(
        {"chatId", "authorId", "dateSent", "standardMessage", "directionless", "incoming", "outgoing", "sms"}
    )
    for chat_item in chat_items:
        standard = chat_item.get("standardMessage") or {}
        text = (standard.get("text") or {}).get("body") or ""
        notes = [
            f"reaction {reaction.get('emoji')}: {names.get(str(reaction.get('authorId')), '')}"
            for reaction in standard.get("reactions") or ()
        ]
        fields = {key: value for key, value in standard.items() if key not in ("reactions", "text")}
        notes += chat.fields(fields) + chat.fields(dict(chat_item), own_fields)
        time = _number(chat_item.get("dateSent"))
        author = names.get(str(chat_item.get("authorId")), str(chat_item.get("authorId") or ""))
        by_chat.setdefault(str(chat_item.get("chatId")), []).append(
            (time, Message(author, chat.utc(time / 1000), text, tuple(notes)))
        )
    conversations = [Conversation(chats.get(key, key), _in_order(by_time)) for key, by_time in by_chat.items()]
    other_fields = [
        line for item in items if not {"chatItem", "chat", "recipient"} & set(item) for line in chat.fields(dict(item))
    ]
    if people or other_fields:
        conversations.append(Conversation("Other parts of the export", [], (*people, *other_fields)))
    return Export("Signal", conversations)


# --- Teams, Skype, Google Chat ---------------------------------------------------------------------------------------


def _shown(text: str) -> text_flow.Piece:
    """Return what a message shows that may be written in HTML."""
    if not re.search(r"<[a-zA-Z/][^>]*>|&\w+;", text):
        return text_flow.Piece(text)
    from core.engines.readers import html as pages

    return pages.parse(text).body.strip()


def _teams(top: Any) -> Export | None:
    messages = _messages(top, "createdDateTime", "body")
    if isinstance(top, dict):
        messages = messages or _messages(top.get("value") or top.get("messages"), "createdDateTime", "body")
    if not messages:
        return None
    own_fields = frozenset({
        "id", "createdDateTime", "body", "from", "lastModifiedDateTime", "messageType", "etag", "chatId", "locale",
        "importance", "webUrl", "lastEditedDateTime", "deletedDateTime", "channelIdentity", "replyToId",
    })  # fmt: skip
    result = []
    for item in messages:
        sender = next(
            (str(who.get("displayName") or "") for who in (item.get("from") or {}).values() if isinstance(who, dict)),
            "",
        )
        notes = [
            f"{word} {chat.iso(str(item[key]))}"
            for key, word in (("lastEditedDateTime", "edited"), ("deletedDateTime", "deleted"))
            if item.get(key)
        ]
        notes += [f"reply to message {item['replyToId']}"] if item.get("replyToId") else []
        notes += [str(item["messageType"])] if item.get("messageType") not in (None, "message") else []
        notes += chat.fields(dict(item), own_fields)
        body = _shown(str((item.get("body") or {}).get("content") or ""))
        time = str(item.get("createdDateTime"))
        result.append(
            (time, Message(sender, chat.iso(time), body.text, tuple(notes), body.struck_spans, body.hidden_spans))
        )
    return Export("Teams", [Conversation("", [post for _, post in sorted(result, key=lambda pair: pair[0])])])


def _skype(top: Any) -> Export | None:
    if not isinstance(top, dict) or not _messages(top.get("conversations"), "MessageList"):
        return None
    own_fields = frozenset(
        {"id", "displayName", "originalarrivaltime", "from", "content", "messagetype", "version", "conversationid"}
    )
    conversations = []
    for thread in _dicts(top["conversations"]):
        by_time = []
        for item in _dicts(thread.get("MessageList")):
            kind = str(item.get("messagetype") or "")
            notes = ([] if kind in ("", "Text", "RichText") else [kind]) + chat.fields(dict(item), own_fields)
            time = str(item.get("originalarrivaltime") or "")
            sender = str(item.get("displayName") or item.get("from") or "")
            body = _shown(str(item.get("content") or ""))
            by_time.append(
                (time, Message(sender, chat.iso(time), body.text, tuple(notes), body.struck_spans, body.hidden_spans))
            )
        in_order = [message for _, message in sorted(by_time, key=lambda pair: pair[0])]
        title = str(thread.get("displayName") or thread.get("id") or "")
        conversations.append(Conversation(title, in_order, _about(thread, skip=("MessageList", "displayName", "id"))))
    return Export("Skype", conversations)


def _google(top: Any) -> Export | None:
    messages = _messages(top.get("messages"), "creator", "created_date") if isinstance(top, dict) else []
    if not messages:
        return None
    own_fields = frozenset({"creator", "created_date", "text", "topic_id", "message_id"})
    result = []
    for item in messages:
        sender = str((item.get("creator") or {}).get("name") or (item.get("creator") or {}).get("email") or "")
        time = _english(str(item.get("created_date") or ""))
        result.append(Message(sender, time, str(item.get("text") or ""), tuple(chat.fields(dict(item), own_fields))))
    return Export("Google Chat", [Conversation("", result, _about(top, skip=("messages",)))])


def _english(text: str) -> str:
    """Return 'Tuesday, March 12, 2024 at 2:05:33 PM UTC' with the year first."""
    from datetime import datetime

    words = re.sub(r"[\u202f\xa0]", " ", text)
    try:
        return datetime.strptime(words, "%A, %B %d, %Y at %I:%M:%S %p UTC").strftime("%Y-%m-%d %H:%M:%S UTC")
    except ValueError:
        return text


_FORMS: tuple[Callable[[Any], Export | None], ...] = (
    _telegram, _discord, _meta, _google, _teams, _skype, _signal, _signal_envelopes, _slack, discord_package,
)  # fmt: skip
