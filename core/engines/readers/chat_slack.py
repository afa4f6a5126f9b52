"""Slack's export of a workspace: an archive with a folder a conversation, in it a file a day, and lists of who is who.

A message names people by identifiers, which only the list of users explains: the days are read together with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core import formats
from core.engines.readers import chat, chat_json, plain_text
from core.engines.readers.chat import Conversation, Export, Message
from core.errors import UnreadableDocument

_DAY = re.compile(r"(?:(.+)/)?([^/]+)/\d{4}-\d\d-\d\d\.json")
_USERS = "users.json"
_BYTES = 100_000_000  # of all days and lists


def looks_like(names: Sequence[str]) -> bool:
    """Return whether files in an archive are those of an export: users, and a day of a conversation beside them."""
    folders = {name.removesuffix(_USERS) for name in names if name.rsplit("/", 1)[-1] == _USERS}
    days = (match for name in names if (match := _DAY.fullmatch(name)))
    return any((f"{match[1]}/" if match[1] else "") in folders for match in days)


def read(files: Mapping[str, tuple[int, Callable[[], bytes]]]) -> tuple[Export, set[str]] | None:
    """Read the days among ``files`` (by name: size, content), and name those that were read; None if it is too much.

    The lists and whatever else lies there are left to be read as files of their own.
    """
    days = {name: match for name in sorted(files) if (match := _DAY.fullmatch(name))}
    lists = [name for name in files if name.rsplit("/", 1)[-1] in (_USERS, *formats.SLACK_LISTS)]
    if sum(files[name][0] for name in (*days, *lists)) > _BYTES:
        return None
    entries = {name: _entries(files[name][1]) for name in lists}
    users = {
        str(user.get("id")): name
        for list_name, items in entries.items()
        if list_name.endswith(_USERS)
        for user in items
        if (name := _name(user))
    }
    titles = {
        str(item[key]): _title(item, users)
        for list_name, items in entries.items()
        if not list_name.endswith(_USERS)
        for item in items
        for key in ("id", "name")
        if item.get(key)
    }
    by_folder: dict[str, list[Message]] = {}
    days_read: set[str] = set()
    values: list[Any] = []
    for name, match in days.items():
        value = value_of(files[name][1])
        messages = _messages(value, users)
        if messages:
            days_read.add(name)
            values.append(value)
            by_folder.setdefault(match[2], []).extend(messages)
    if not days_read or sum(map(len, by_folder.values())) > chat.MESSAGES:
        return None
    conversations = [Conversation(titles.get(folder, folder), messages) for folder, messages in by_folder.items()]
    left_out = chat_json.not_shown(values, conversations, users)
    return Export("Slack", conversations, left_out, chat.TILDE), days_read


def _messages(value: Any, users: Mapping[str, str]) -> list[Message]:
    try:
        return chat_json.slack_messages(value, users) or []
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        return []  # a field is of another type than Slack writes


def value_of(content: Callable[[], bytes]) -> Any:
    """Return the JSON value of a file, None where it has none."""
    try:
        return json.loads(plain_text.decode(content()))
    except (ValueError, RecursionError, UnreadableDocument):
        return None


def _entries(content: Callable[[], bytes]) -> list[dict[str, Any]]:
    value = value_of(content)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _name(user: Mapping[str, Any]) -> str:
    """Return the name of a user as Slack shows it."""
    profile = user.get("profile")
    profile = profile if isinstance(profile, dict) else {}
    names = (profile.get("real_name"), user.get("real_name"), profile.get("display_name"), user.get("name"))
    return " ".join(str(next(filter(None, names), "")).split())


def _title(item: Mapping[str, Any], users: Mapping[str, str]) -> str:
    """Return the name of a conversation, of one between few people their names."""
    members = item.get("members")
    name = str(item.get("name") or "")
    if name and not name.startswith("mpdm-"):
        return name
    return (
        ", ".join(users.get(str(member), str(member)) for member in (members if isinstance(members, list) else ()))
        or name
    )
