"""A case with a reader that knows passwords and can be told to fail, and a folder of files to add to it."""

from __future__ import annotations

import dataclasses

import pytest

from core.domain import PageText
from core.errors import PasswordNeeded, UnreadableDocument
from core.ports import Engines
from core.workbench import Workbench
from tests.fakes import HashEmbedder, PlainReader, ScriptedJudge


class LockReader(PlainReader):
    """A plain reader that opens LOCKED:<password>:<text> with its password only, and can be told to fail."""

    def __init__(self):
        self.broken = set()
        self.shown = []

    def read(self, data, name, *, password=""):
        if name in self.broken:
            raise UnreadableDocument(reason=f"{name} is damaged.", remedy="Get it again.")
        for item in super().read(self._open(data, name, password), name, password=password):
            is_french = isinstance(item, PageText) and item.text.startswith("Le ")
            yield (
                dataclasses.replace(item, language="fr" if is_french else "en") if isinstance(item, PageText) else item
            )

    @staticmethod
    def _open(data, name, password):
        if data.startswith(b"LOCKED:"):
            _, secret, text = data.split(b":", 2)
            if password.encode() != secret:
                raise PasswordNeeded(reason=f"{name} is protected by a password.", remedy="Give its password.")
            return text
        return data

    def render(self, data, name, page, *, scale, password="", clip=None):
        self.shown.append(password)
        return super().render(self._open(data, name, password), name, page, scale=scale, clip=clip)

    def crop(self, data, name, page, boxes, *, scale, password=""):
        return super().crop(self._open(data, name, password), name, page, boxes, scale=scale)


@pytest.fixture
def reader():
    return LockReader()


@pytest.fixture
def bench(tmp_path, reader):
    engines = Engines(reader, HashEmbedder(), ScriptedJudge())
    with Workbench.create(tmp_path / "case.disconfirm", engines, title="Pump", who="ann") as bench:
        yield bench
        assert bench.case.verify().ok


@pytest.fixture
def inbox(tmp_path):
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder
