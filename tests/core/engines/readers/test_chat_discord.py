"""What Discord hands a person on request: the messages of each channel under its name."""

from __future__ import annotations

import json

import pytest

from core.domain import PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment
from tests.core.engines.format_material import packed

MESSAGES = [{"ID": 1, "Timestamp": "2024-03-12 14:05:33", "Contents": "It was open", "Attachments": ""}]
TABLE = "ID,Timestamp,Contents,Attachments\n1,2024-03-12 14:05:33,It was open,\n"
CHANNEL = {"id": "12", "type": 0, "name": "quay", "guild": {"id": "1", "name": "Port"}}


@pytest.mark.parametrize(
    ("channel", "messages", "title"),
    [
        (CHANNEL, ("messages.json", json.dumps(MESSAGES)), "Port / quay"),
        (CHANNEL, ("messages.csv", TABLE), "Port / quay"),
        ({"id": "12", "type": 1}, ("messages.json", json.dumps(MESSAGES)), "Direct Message with tom"),
        ([], ("messages.json", json.dumps(MESSAGES)), "Direct Message with tom"),
    ],
)
def test_messages_stand_under_the_name_of_their_channel(channel, messages, title):
    files = {
        "package/messages/index.json": json.dumps({"12": "Direct Message with tom"}),
        "package/messages/c12/channel.json": json.dumps(channel),
        f"package/messages/c12/{messages[0]}": messages[1],
    }
    outline, *items = FileReader().read(packed(files), "package.zip")
    (page,) = (item for item in items if isinstance(item, PageText))
    assert outline.kind == "chat"
    assert page.text == f"{title}\n\n[2024-03-12 14:05:33] It was open"
    assert [item.name for item in items if isinstance(item, Attachment)] == list(files)[:2]


def test_a_package_whose_messages_are_none_is_a_list_of_files():
    files = {"c12/channel.json": json.dumps(CHANNEL), "c12/messages.json": "[", "c13/messages.csv": "a,b\n"}
    outline, *_ = FileReader().read(packed(files), "package.zip")
    assert outline.kind == "zip"
