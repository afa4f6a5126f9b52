"""kill -9 in the middle of an import by the command line: nothing that was asked for is lost, nothing is twice."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from core.store import CaseFile

FILES, FOLDERS = 300, 6


def run(*words, folder):
    command = [sys.executable, "-m", "core", *map(str, words)]
    # Without a search model nothing is embedded, which takes most of an import.
    environment = {**os.environ, "DISCONFIRM_MODELS": str(folder / "none")}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(*words, folder, codes=(0,)):
    with run(*words, "--json", folder=folder) as child:
        out, err = child.communicate()
    assert child.returncode in codes, err
    return json.loads(out)


def kill_at(child, number):
    """Kill a child with signal 9 when it says that it reads the file of this number, or one after it."""
    for line in child.stderr:
        match = re.match(r"\[(\d+)/\d+\] Reading", line)
        if match and int(match.group(1)) >= number:
            break
    child.kill()
    child.communicate()


@pytest.mark.parametrize(("encrypted", "files"), [(False, FILES), pytest.param(True, FILES, marks=pytest.mark.slow)])
def test_what_a_kill_left_unread_is_read_by_continue(tmp_path, encrypted, files):
    inbox, case = tmp_path / "inbox", tmp_path / "case.disconfirm"
    for number in range(files):
        path = inbox / f"box{number % FOLDERS}" / f"note{number:03d}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"Note {number}: the guard of gate {number * 7} saw truck {number * 13}.\n")
    secret = tmp_path / "secret"
    secret.write_text("correct horse battery staple pump\n")
    secret.chmod(0o600)
    options = ("--passphrase-file", secret) if encrypted else ()
    answer("new", case, *options, folder=tmp_path)
    with run("add", case, inbox, *options, folder=tmp_path) as child:
        kill_at(child, 1)
    before = answer("imports", case, *options, folder=tmp_path)["imports"][0]
    assert before["asked"] == files
    assert before["read"] + before["pending"] == files
    assert before["pending"] > 0
    report = answer("add", case, "--continue", *options, folder=tmp_path, codes=(0, 1))
    assert (report["asked"], report["read"], report["pending"]) == (files, files, 0)
    after = answer("imports", case, *options, folder=tmp_path)["imports"]
    assert [(one["run"], one["asked"], one["read"], one["pending"]) for one in after] == [(1, files, files, 0)]
    assert Counter(file["status"] for file in after[0]["files"]) == {"added": files}
    documents = answer("documents", case, *options, folder=tmp_path)["documents"]
    assert Counter(document["name"] for document in documents) == {f"note{n:03d}.txt": 1 for n in range(files)}
    assert {document["folder"] for document in documents} == {f"inbox/box{n}" for n in range(FOLDERS)}
    assert {document["status"] for document in documents} == {"ready"}
    again = answer("add", case, "--continue", *options, folder=tmp_path)
    assert (again["documents"], again["pending"]) == ([], 0)
    if not encrypted:
        assert bytes(inbox) not in case.read_bytes()  # a path is in the case only while its file is still to be read
        with CaseFile.open(case) as file:
            assert file.imports.pending() == []
