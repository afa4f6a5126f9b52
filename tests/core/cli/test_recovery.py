"""The command that makes a new case of a damaged one, against its contract."""

from __future__ import annotations

from core import __main__ as cli


def test_a_damaged_case_becomes_a_new_one_with_a_list_of_what_was_lost(case, tmp_path, run, capsys):
    data = bytearray(case.read_bytes())
    for place in range(50_000, len(data), len(data) // 20):
        data[place] ^= 4
    case.write_bytes(data)
    new = tmp_path / "new.disconfirm"
    out = run("recover", case, new)
    assert set(out) == {"case", "recovered", "lost", "ok", "problems"}
    assert (out["case"], out["ok"], out["problems"]) == (str(new), True, [])
    assert set(out["recovered"]["page"]) == {"recovered", "of"}
    assert all(set(loss) == {"kind", "where", "what"} for loss in out["lost"])
    assert case.read_bytes() == data
    assert run("verify", new)["ok"]
    run("recover", case, new, code=3)
    assert cli.main(["recover", str(case), str(tmp_path / "second.disconfirm")]) == 0
    assert "Recovered to" in capsys.readouterr().out


def test_the_error_of_a_damaged_case_names_the_command_that_saves_what_can_be_read(case, capsys):
    case.write_bytes(bytes(16) + case.read_bytes()[16:])
    assert cli.main(["documents", str(case)]) == 3
    new = case.with_name(f"{case.stem} recovered.disconfirm")
    command = f'disconfirm recover "{case}" "{new}"'
    assert command in capsys.readouterr().err
    assert cli.main(["recover", str(case), str(new)]) == 0
    capsys.readouterr()
    for data in (b"", b"no case at all"):
        case.write_bytes(data)
        assert cli.main(["recover", str(case), str(case.with_name("x.disconfirm"))]) == 3
        assert "disconfirm recover" not in capsys.readouterr().err
