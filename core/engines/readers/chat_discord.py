"""What Discord hands a person on request: a list of channels, and for each a folder with its name and the messages.

The messages name no channel: they are read together with the files beside them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core import formats
from core.engines.readers import chat, chat_json, chat_slack, plain_text
from core.engines.readers.chat import Conversation, Export
from core.errors import UnreadableDocument

_BYTES = 100_000_000  # of all messages


def looks_like(names: Sequence[str]) -> bool:
    """Return whether files in an archive are those of such a package: messages of a channel, and its name beside."""
    channels = {name.rpartition("/")[0] for name in names if name.endswith("/channel.json")}
    files = (name for name in names if formats.is_discord_file(name) and not name.endswith("/channel.json"))
    return any(name.rpartition("/")[0] in channels for name in files)


def read(files: Mapping[str, tuple[int, Callable[[], bytes]]]) -> tuple[Export, set[str]] | None:
    """Read the messages among ``files`` (by name: size, content), and name those that were read; None for too many."""
    names = [name for name in sorted(files) if formats.is_discord_file(name) and not name.endswith("/channel.json")]
    if sum(files[name][0] for name in names) > _BYTES:
        return None
    titles: dict[str, Any] = {}
    for name in files:
        if name.rpartition("/")[2] == "index.json" and isinstance(value := chat_slack.value_of(files[name][1]), dict):
            titles |= value
    conversations: list[Conversation] = []
    files_read: set[str] = set()
    for name in names:
        folder = name.rpartition("/")[0]
        rows = _rows(files[name][1]) if name.endswith(".csv") else chat_slack.value_of(files[name][1])
        export = chat_json.discord_package(rows)
        if export is None:
            continue
        files_read.add(name)
        about = files.get(f"{folder}/channel.json")
        channel = chat_slack.value_of(about[1]) if about else None
        channel = channel if isinstance(channel, dict) else {}
        number = folder.rpartition("/")[2].removeprefix("c")
        guild = channel.get("guild")
        parts = (guild.get("name") if isinstance(guild, dict) else "", channel.get("name"))
        title = " / ".join(str(part) for part in parts if part) or str(titles.get(number) or number)
        conversations += [replace(talk, title=title) for talk in export.conversations]
    if not files_read or sum(len(talk.messages) for talk in conversations) > chat.MESSAGES:
        return None
    return Export("Discord", conversations, struck=chat.TILDES), files_read


def _rows(content: Callable[[], bytes]) -> list[dict[str, Any]]:
    try:
        return list(csv.DictReader(io.StringIO(plain_text.decode(content()), newline="")))
    except (csv.Error, UnreadableDocument):
        return []
