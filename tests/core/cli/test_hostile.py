"""The command line against what nobody should type, altered cases, and terminals that obey what is printed.

Every call ends with a sentence and one of the exit codes of the contract; 70, a fault of the program, is never one.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from core import __main__ as cli
from core import files
from core.cli.commands import parser
from core.errors import CannotWrite
from core.store import connection
from core.text import printable, printable_json
from tests.core import pump_case

ROOT = Path(__file__).parents[3]
CODES = (0, 1, 2, 3)
DEEP = "[" * 100_000 + "]" * 100_000
OBEYED = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
EVIL = "x\x1b[31m\x9b2J\x1b]0;t\x07\u202egnp.exe\nD99\tready\t1 p.\tforged.pdf"
SHOWING = ("documents", "matrix", "evidence list", "hypothesis list", "imports", "search pump", "page D1 1", "timeline")

ODD = (
    *(
        "",
        " ",
        "-",
        "--",
        "0",
        "-1",
        "1",
        "99999999999999999999",
        "1e999",
        "nan",
        "inf",
        "H1=nan",
        "A=1e999",
        "H1",
        "E1",
    ),
    *("D1", "P1", "C1", "N1", "S1", "x" * 300, "../x", "/dev/null", "/proc/self/mem", "/etc/passwd", "/nowhere/o.json"),
    *("\udcff", "q\udcff.disconfirm", "\x1b[31m", "a\nb", "\u202e", "ä" * 200, "{}", "2021-13-45", "CC", "none"),
)


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    return tmp_path_factory.mktemp("made") / "whole"


@pytest.fixture
def case(template, tmp_path, run):
    """A case of its own for each test, copied from one that was made once."""
    if not template.exists():
        unfinished = tmp_path / "unfinished"
        unfinished.mkdir()
        _make(run, unfinished)
        unfinished.rename(template)
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path / "case.disconfirm"


def _make(run, folder: Path) -> None:
    path = pump_case.made(run, folder)
    run("propose", path)
    run("accept", path, "P1", "P2", "--rate")
    run("rate", path, "E1", "H1", "I")
    run("rate", path, "E1", "H2", "C", "--note", "why")
    run("consider", path, "assumption", "Nobody else had a key.")
    run("names", path, "add", "Aske", "A. Aske")
    run("absence", path, "H1", "A broken lock", "--query", "lock")


def ended(capsys, arguments: list[str]) -> tuple[int, str, str]:
    """The exit code and what was printed; a fault of the program comes out as 70."""
    try:
        code = cli.main(arguments)
    except SystemExit as end:  # wrong use
        code = int(end.code or 0)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


# --- altered cases ---------------------------------------------------------------------------------------------------

ALTERED = {
    "hidden nested": ("UPDATE page SET hidden = ?", DEEP),
    "hidden an object": ("UPDATE page SET hidden = ?", '{"a":1}'),
    "log nested": ("UPDATE log SET after = ? WHERE seq = (SELECT max(seq) FROM log)", DEEP),
    "log another shape": ("UPDATE log SET after = ? WHERE seq = 3", '{"evidence": {"E1": {"id": 7}}}'),
    "log a list": ("UPDATE log SET before = ? WHERE seq = 3", "[1, 2]"),
    "credibility": ("UPDATE evidence SET credibility = ?", "ZZ"),
    "rating": ("UPDATE rating SET rating = ?", "ZZ"),
    "label": ("UPDATE proposal SET label = ?", "perhaps"),
    "more nested": ("UPDATE evidence SET more = ?", DEEP),
    "more another shape": ("UPDATE evidence SET more = ?", '[{"page_id": "x"}]'),
    "absence": ("UPDATE evidence SET absence = ?", '{"hypothesis": 4}'),
    "tags": ("UPDATE document SET tags = ?", '{"a":'),
    "aliases": ("UPDATE entity SET aliases = ?", DEEP),
    "setting": ("INSERT INTO setting (id, value) VALUES ('grade_weights', ?)", '{"A": "heavy"}'),
    "an id": ("UPDATE consideration SET id = ?", "C" + "9" * 30),
    "counter at its start": ("UPDATE counter SET last = ?", 0),
    "counter at its end": ("UPDATE counter SET last = ?", (1 << 63) - 1),
    "search model": ("UPDATE model SET fingerprint = ? WHERE dimensions IS NOT NULL", "garbage"),
}  # fmt: skip
COMMANDS = (
    "documents", "originals {}/out", "page D1 1", "versions D1 D2", "hypothesis list", "hypothesis add Another.",
    "search pump",
    "search pump --conditions", "proposals", "accept P3", "evidence list", "evidence add Seen.",
    "evidence grade E1 --note n",
    "rate E1 H1 C", "matrix", "group", "history E1", "timeline", "changed 1 5", "consider list", "settings",
    "quote valve",
    "report -o {}/r.html", "report -o {}/r.json", "verify", "plan make", "effort", "discriminate", "names list",
    "names mentions N1", "themes who", "dates", "missed H1", "agreement", "undo", "redo", "add {}/more.txt", "imports",
    "remove D2 --with-evidence", "embed --status", "merge {}/other.disconfirm", "rebuild",
)  # fmt: skip


def altered(case: Path, copy: Path, statement: str, value: object) -> Path:
    shutil.copyfile(case, copy)
    db = apsw.Connection(str(copy))
    try:
        connection.load_vec0(db)
        db.execute("PRAGMA foreign_keys = OFF").fetchall()
        db.execute(statement, (value,))
    finally:
        db.close()
    return copy


def commands_on(case: Path, folder: Path, commands, capsys) -> list[str]:
    faults = []
    for command in commands:
        copy = folder / "tried.disconfirm"
        shutil.copyfile(case, copy)
        name, *rest = command.format(folder).split()
        code, _, message = ended(capsys, [name, str(copy), *rest])
        if code not in CODES:
            faults.append(f"{command}: {code}\n{message[-1500:]}")
    return faults


@pytest.mark.parametrize("name", ALTERED)
def test_an_altered_case_gives_sentences_and_verify_tells_of_it(name, case, tmp_path, capsys):
    shutil.copyfile(case, tmp_path / "other.disconfirm")
    (tmp_path / "more.txt").write_text("The valve stood open at dawn.")
    bad = altered(case, tmp_path / "bad.disconfirm", *ALTERED[name])
    chosen = random.Random(name).sample(COMMANDS, 9)
    assert commands_on(bad, tmp_path, chosen, capsys) == []
    code, out, _ = ended(capsys, ["verify", str(bad), "--json"])
    assert code == 1
    assert json.loads(out)["problems"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALTERED)
def test_every_command_on_every_altered_case(name, case, tmp_path, capsys):
    shutil.copyfile(case, tmp_path / "other.disconfirm")
    (tmp_path / "more.txt").write_text("The valve stood open at dawn.")
    bad = altered(case, tmp_path / "bad.disconfirm", *ALTERED[name])
    assert commands_on(bad, tmp_path, COMMANDS, capsys) == []
    # And as what is merged into a sound case.
    shutil.copyfile(bad, tmp_path / "other.disconfirm")
    assert commands_on(case, tmp_path, ["merge {}/other.disconfirm"], capsys) == []


def test_a_search_table_without_its_parts_gives_a_sentence(case, tmp_path, capsys):
    bad = tmp_path / "bad.disconfirm"
    shutil.copyfile(case, bad)
    db = apsw.Connection(str(bad))
    for part in ("config", "idx"):
        db.execute(f"DROP TABLE passage_word_{part}") if part == "idx" else db.execute(
            f"DELETE FROM passage_word_{part}"
        )
    db.close()
    assert commands_on(bad, tmp_path, ["verify", "search pump", "documents", "rebuild"], capsys) == []
    code, out, _ = ended(capsys, ["verify", str(bad), "--json"])
    assert (code, "word index" in out) == (1, True)


def test_nothing_is_merged_from_a_copy_whose_original_is_another_file(case, tmp_path, capsys, run):
    altered_copy = altered(
        case, tmp_path / "other.disconfirm", "UPDATE document SET sha256 = ? WHERE id = 'D1'", "0" * 64
    )
    fresh = tmp_path / "fresh.disconfirm"
    run("new", fresh)
    code, _, message = ended(capsys, ["merge", str(fresh), str(altered_copy)])
    assert (code, "D1" in message, "nothing was taken" in message) == (3, True, True)
    assert run("documents", fresh)["documents"] == []
    assert run("verify", fresh)["ok"]


# --- odd arguments ---------------------------------------------------------------------------------------------------


def every_call(case: Path, seed: int, many: int) -> list[list[str]]:
    """Calls of all commands with odd arguments, the same for the same seed."""
    commands = next(action for action in parser()._actions if isinstance(action, argparse._SubParsersAction)).choices
    chance = random.Random(seed)
    calls = []
    for name, sub in commands.items():
        if name in ("gui", "demo", "doctor", "exam", "models"):
            continue
        for _ in range(many):
            words = [name]
            for action in sub._actions:
                if action.dest in ("help", "json", "who"):
                    continue
                values = [str(case)] if action.dest == "case" else [chance.choice(ODD)]
                if action.choices and chance.random() < 0.7:
                    values = [str(chance.choice(list(action.choices)))]
                if not action.option_strings:
                    words += values
                elif action.required or chance.random() < 0.3:
                    words += [chance.choice(action.option_strings), *([] if action.nargs == 0 else values)]
            calls.append(words)
    return calls


def odd_calls(case: Path, folder: Path, seed: int, many: int, capsys, monkeypatch) -> list[str]:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "stdin", None)
    whole = case.read_bytes()
    faults = []
    for words in every_call(case, seed, many):
        case.write_bytes(whole)
        code, _, message = ended(capsys, words)
        if code not in CODES or OBEYED.search(message):
            faults.append(f"{words}: {code}\n{message[-1500:]}")
    return faults


def test_odd_arguments_end_with_a_sentence(case, tmp_path, capsys, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    assert odd_calls(case, folder, 1, 2, capsys, monkeypatch) == []


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_many_odd_arguments_end_with_a_sentence(case, tmp_path, capsys, monkeypatch):
    folder = tmp_path / "here"
    folder.mkdir()
    assert odd_calls(case, folder, 2, 30, capsys, monkeypatch) == []


@pytest.mark.parametrize(
    "words",
    [
        ["recover", "CASE", "x" * 300], ["recover", "CASE", "q\udcff.disconfirm"],
        ["new", "x" * 300], ["new", "q\udcff.disconfirm"], ["add", "CASE", "x" * 300], ["merge", "CASE", "x" * 300],
        ["names", "CASE", "suggest", "--model", "x" * 300], ["embed", "CASE", "--model", "x" * 300],
        ["models", "add", "x" * 300],
        ["page", "CASE", "\udcff", "1"], ["versions", "CASE", "\udcff", "D1"], ["page", "CASE", "D1", "9" * 20],
        ["search", "CASE", "--jsonl", "deep.jsonl"], ["matrix", "--from", "deep.jsonl"], ["unlock", "CASE", "D1"],
        ["search", "CASE", "--jsonl", "one.jsonl", "--out", "/nonexistent/o"],
        ["search", "CASE", "--jsonl", "one.jsonl", "--out", "folder"],
        ["search", "CASE", "--jsonl", "one.jsonl", "--out", "CASE"],
        ["search", "CASE", "--jsonl", "one.jsonl", "--out", "/dev/null"],
        ["report", "CASE", "-o", "case.html"], ["demo", "one.jsonl", "--no-window"], ["demo", "/proc/x", "--no-window"],
        ["matrix", "CASE", "--as-of", "²"], ["changed", "CASE", "1", "9999-12-31T23:59-23:59"],
        ["verify", "/"], ["verify", "loop"], ["backup", "loop", "now"],
        ["report", "CASE", "-o", "r.html", "--as-of", "0001-01-01T00:00+14:00"],
        ["names", "CASE", "mentions", "a", "b"], ["names", "CASE", "remove"], ["plan", "CASE", "remove", "a", "b"],
    ],
    ids=lambda words: " ".join(words)[:50].encode("ascii", "replace").decode(),
)  # fmt: skip
def test_what_a_person_can_type_ends_with_a_sentence(words, case, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    Path("deep.jsonl").write_text(DEEP)
    Path("one.jsonl").write_text('{"id": "1", "text": "pump"}\n')
    Path("folder").mkdir()
    with suppress(OSError):  # Windows may not let us
        Path("loop").symlink_to("loop")
    shutil.copyfile(case, "case.html")
    old_contents = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    code, _, message = ended(capsys, [str(case) if word == "CASE" else word for word in words])
    assert code in ((1,) if "add" in words[:2] else (2, 3)), message
    assert message.strip()
    new_contents = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    assert {path for path in new_contents if path not in old_contents or path.suffix == ".html"} <= {
        tmp_path / "case.html"
    }
    assert new_contents[tmp_path / "case.html"] == old_contents[tmp_path / "case.html"]


ODD_CASES = ("x" * 5_000, "x" * 300, f"{'x' * 300}/y", "\udcff", "loop", "folder", "fifo", "empty", "")


@pytest.mark.parametrize("name", ODD_CASES, ids=lambda name: ascii(name)[1:12])
def test_a_command_on_what_is_no_case_ends_with_a_sentence(name, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    Path("folder").mkdir()
    Path("empty").touch()
    with suppress(OSError, AttributeError):  # Windows has neither for us
        Path("loop").symlink_to("loop")
        os.mkfifo("fifo")
    faults = []
    fixed_commands = ("recover {}/r.disconfirm", "backup now", "passphrase set", "accuracy")
    for command in (*random.Random(ascii(name)).sample(COMMANDS, 6), *fixed_commands):
        words = command.format(tmp_path).split()
        code, _, message = ended(capsys, [words[0], name, *words[1:]])
        if code not in (1, *CODES[2:]) or not message.strip() or "Traceback" in message:
            faults.append(f"{command}: {code}\n{message[-1500:]}")
    assert faults == []


def test_a_damaged_case_with_a_long_name_is_told_how_to_go_on(case, tmp_path, capsys):
    long = tmp_path / f"{'x' * 236}.disconfirm"
    data = bytearray(case.read_bytes())
    data[4_096:40_960] = bytes(36_864)
    long.write_bytes(data)
    code, _, message = ended(capsys, ["documents", str(long)])
    assert (code, "disconfirm recover" in message) == (3, True)
    target = message.rpartition('" "')[2].partition('"')[0]
    assert ended(capsys, ["recover", str(long), target])[0] in (0, 1)
    assert Path(target).is_file()


def test_a_fault_of_the_program_has_a_code_and_a_report_without_words_of_the_case(case, capsys, monkeypatch):
    def fail(*_given, **_named):
        raise RuntimeError("words of a document".upper())

    monkeypatch.setattr("core.documents.service.Documents.all", fail)
    code, out, message = ended(capsys, ["documents", str(case)])
    assert (code, out) == (70, "")
    assert "RuntimeError" in message
    assert "Disconfirm" in message
    assert "WORDS OF" not in message


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_an_output_that_takes_nothing_gives_a_sentence(case):
    for form in ([], ["--json"]):
        with Path("/dev/full").open("w") as full:
            child = subprocess.run(
                [sys.executable, "-m", "core", "documents", str(case), *form],
                cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        assert child.returncode == 3, child.stderr
        assert "standard output" in child.stderr
        assert "Traceback" not in child.stderr
        assert "Exception ignored" not in child.stderr


def test_an_empty_path_is_not_the_folder_that_one_is_in(case, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("private.txt").write_text("Nobody asked for this.")
    assert cli.main(["add", str(case), ""]) == 3
    assert "empty" in capsys.readouterr().err
    assert cli.main(["documents", str(case)]) == 0
    assert "private.txt" not in capsys.readouterr().out


def test_what_is_said_never_goes_among_the_results_when_standard_error_is_closed(case, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.main(["verify", str(case), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]
    assert cli.main(["page", str(case), "D9", "1", "--json"]) == 3
    assert capsys.readouterr().out == ""


# --- terminals -------------------------------------------------------------------------------------------------------


def test_what_a_terminal_would_obey_is_written_out():
    assert printable("a\x1b[31m\x9b\u202e\nb\tc\u200e") == "a\\x1b[31m\\x9b\\u202e\\nb\tc\\u200e"
    assert printable("Ærøskøbing “ä” 漢字 👩‍👩‍👧 \u200c") == "Ærøskøbing “ä” 漢字 👩‍👩‍👧 \u200c"
    value = {"name": EVIL}
    text = printable_json(json.dumps(value, ensure_ascii=False))
    assert OBEYED.search(text) is None
    assert json.loads(text) == value


@pytest.mark.skipif(os.name == "nt", reason="such names cannot be had there")
def test_no_name_or_text_of_a_case_reaches_the_terminal_as_it_is(case, tmp_path, run, capsys):
    document = tmp_path / (EVIL + ".txt")
    document.write_text("The pump \x9b2J stood \u202e still.\nThe second line.\n", "utf-8")
    (tmp_path / (EVIL + "empty.txt")).write_bytes(b"")
    code, _, message = ended(capsys, ["add", str(case), str(document), str(tmp_path / (EVIL + "empty.txt"))])
    assert code == 1
    assert OBEYED.search(message) is None
    run("hypothesis", case, "add", EVIL, "--who", EVIL)
    run("evidence", case, "add", EVIL, "--source", EVIL, "--who", EVIL)
    for command in (*SHOWING, "page D3 1", "report -o /nowhere/\x1b.html", "quote \x1b", "history E1", "verify"):
        for form in ([], ["--json"]):
            name, *rest = command.split()
            code, out, message = ended(capsys, [name, str(case), *rest, *form])
            assert code in CODES
            assert OBEYED.search(out) is None, command
            assert OBEYED.search(message) is None, command
    listed = ended(capsys, ["documents", str(case)])[1].splitlines()
    assert [line.split("\t")[0] for line in listed] == ["D1", "D2", "D3", "D4"]
    page = ended(capsys, ["page", str(case), "D3", "1"])[1]
    assert page.splitlines()[1] == "The second line."


# --- files -----------------------------------------------------------------------------------------------------------


def test_a_file_is_written_whole_and_through_no_link(tmp_path, monkeypatch):
    target, victim = tmp_path / "report.html", tmp_path / "victim"
    victim.write_text("mine")
    for number in range(3):
        (tmp_path / f"report.html.{os.getpid()}-{number}.part").symlink_to(victim)
    (tmp_path / "report.html.part").symlink_to(victim)
    files.write(target, "told")
    assert (target.read_text(), victim.read_text()) == ("told", "mine")
    with pytest.raises(ZeroDivisionError), files.replacing(target) as stream:
        stream.write(b"half" * (1 // 0))
    assert target.read_text() == "told"
    assert len(list(tmp_path.glob("*.part"))) == 4


@pytest.mark.parametrize("target", ["folder", "nowhere/x", "case", "case-wal", "case.lock", "other", "x" * 300, "pipe"])
def test_a_target_that_must_not_be_replaced_is_refused(target, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "case").write_text("open")
    (tmp_path / "other").write_bytes(b"SQLite format 3\0".ljust(68, b"\0") + b"DCNF" + bytes(40))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
    elif target == "pipe":
        pytest.skip("there are no pipes with a name here")
    original_files = sorted(tmp_path.iterdir())
    with pytest.raises(CannotWrite):
        files.write(tmp_path / target, "told", never=tmp_path / "case")
    assert sorted(tmp_path.iterdir()) == original_files
