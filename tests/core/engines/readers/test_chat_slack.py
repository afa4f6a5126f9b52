"""Slack's export of a workspace: conversations with the names that its list of users has."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from core.domain import LeftOut, PageText
from core.engines.readers.dispatch import FileReader
from core.ports import Attachment, Outline

USERS = [
    {"id": "U1", "name": "ines", "profile": {"real_name": "Ines Varga", "email": "ines@a.example"}},
    {"id": "U2", "name": "kit", "real_name": "Kit Moss", "profile": {}},
]
DAY = [
    {"type": "message", "user": "U1", "text": "<@U2> closed the ~valve~ pump", "ts": "1710248733.0002"},
    {
        "type": "message",
        "user": "U2",
        "text": "Not me",
        "ts": "1710248799.0",
        "reactions": [{"name": "x", "users": ["U1"]}],
    },
]


def archive(files: dict[str, Any], root: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, content in files.items():
            package.writestr(root + name, content if isinstance(content, bytes | str) else json.dumps(content))
    return file.getvalue()


def read(data: bytes) -> tuple[Outline, list[PageText], list[Attachment], list[LeftOut]]:
    outline, *items = FileReader().read(data, "export.zip")
    assert isinstance(outline, Outline)
    return (
        outline,
        [item for item in items if isinstance(item, PageText)],
        [item for item in items if isinstance(item, Attachment)],
        [item for item in items if isinstance(item, LeftOut)],
    )


def test_messages_have_the_names_of_the_list_of_users():
    files = {
        "users.json": USERS,
        "channels.json": [{"id": "C1", "name": "harbour", "members": ["U1", "U2"]}],
        "dms.json": [{"id": "D1", "members": ["U1", "U2"]}],
        "harbour/2024-03-12.json": DAY,
        "harbour/2024-03-13.json": [{"type": "message", "user": "U3", "text": "Who", "ts": "1710338733.0"}],
        "D1/2024-03-12.json": DAY[:1],
        "harbour/notes.txt": "a file of its own",
    }
    for root in ("", "Acme export/"):
        outline, pages, others, _ = read(archive(files, root))
        assert (outline.kind, outline.pages) == ("chat", 3)
        by_label = {page.label: page for page in pages}
        assert list(by_label) == ["Ines Varga, Kit Moss, 2024-03-12", "harbour, 2024-03-12", "harbour, 2024-03-13"]
        day = by_label["harbour, 2024-03-12"]
        assert "Ines Varga: @Kit Moss closed the ~valve~ pump" in day.text
        assert "(reaction x: Ines Varga)" in day.text
        assert [day.text[start:end] for start, end in day.struck_spans] == ["valve"]
        assert "U3: Who" in by_label["harbour, 2024-03-13"].text
        names = [item.name.removeprefix(root) for item in others]
        assert names == ["users.json", "channels.json", "dms.json", "harbour/notes.txt"]


def test_a_day_that_holds_no_messages_stays_a_file():
    files = {"users.json": USERS, "a/2024-03-12.json": DAY, "a/2024-03-13.json": "{broken", "a/2024-03-14.json": []}
    _, pages, others, _ = read(archive(files))
    assert len(pages) == 1
    assert [item.name for item in others] == ["users.json", "a/2024-03-13.json", "a/2024-03-14.json"]


def test_an_archive_without_users_or_days_is_a_list_of_files():
    for files in (
        {"a/2024-03-12.json": DAY},
        {"users.json": USERS, "a/b.json": DAY},
        {"x/users.json": USERS, "y/a/2024-03-12.json": DAY},
    ):
        outline, _, others, _ = read(archive(files))
        assert outline.kind == "zip"
        assert len(others) == len(files)


@settings(max_examples=20, deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["id", "name", "members", "profile", "real_name", "ts", "text", "user"]),
                inner,
                max_size=4,
            )
        ),
    )
)
def test_whatever_the_lists_hold_every_message_is_read(value):
    files = {
        "users.json": value,
        "channels.json": [value],
        "dms.json": value,
        "a/2024-03-12.json": DAY,
        "b/2024-03-12.json": value,
    }
    _, pages, others, _ = read(archive(files))
    assert "Not me" in "".join(page.text for page in pages)
    assert {"users.json", "channels.json", "dms.json"} <= {item.name for item in others}
