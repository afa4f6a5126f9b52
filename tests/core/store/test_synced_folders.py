"""Which folders are known to be synchronised, and what is said of a case in one."""

from __future__ import annotations

import pytest

from core.store.synced_folders import conflict_copies, service_of, warning


@pytest.mark.parametrize(
    ("folder", "service"),
    [
        ("Dropbox/cases", "Dropbox"),
        ("Dropbox (Newsroom)", "Dropbox"),
        ("OneDrive - Daily News/a/b", "OneDrive"),
        ("Library/CloudStorage/OneDrive-Personal", "OneDrive"),
        ("Library/CloudStorage/GoogleDrive-ann@example.org/My Drive", "Google Drive"),
        ("Library/Mobile Documents/com~apple~CloudDocs", "iCloud"),
        ("Nextcloud2/x", "Nextcloud"),
        ("Documents", ""),
        ("Boxes", ""),
        ("my dropbox notes", ""),
    ],
)
def test_a_folder_is_known_by_its_name(tmp_path, folder, service):
    assert service_of(tmp_path / folder / "a.disconfirm") == service


@pytest.mark.parametrize(("mark", "service"), [(".stfolder", "Syncthing"), (".dropbox.cache", "Dropbox")])
def test_or_by_what_the_service_left_in_it(tmp_path, mark, service):
    (tmp_path / mark).mkdir()
    (tmp_path / "deep").mkdir()
    assert service_of(tmp_path / "deep" / "a.disconfirm") == service


def test_versions_that_were_not_brought_together_are_found(tmp_path):
    case = tmp_path / "pump.disconfirm"
    names = (
        "pump (Ann's conflicted copy 2026-03-01).disconfirm",
        "pump.sync-conflict-20260301-120000-ABCDEF.disconfirm",
        "pump-DESKTOP-4711.disconfirm",
        "pump_conflict-20260301-120000.disconfirm",
    )
    for name in (
        *names,
        "pump.disconfirm",
        "pump 2.disconfirm",
        "pump copy.disconfirm",
        "pump-new.disconfirm",
        "x.txt",
    ):
        (tmp_path / name).write_bytes(b"")
    assert {path.name for path in conflict_copies(case)} == set(names)
    assert conflict_copies(tmp_path / "nowhere" / "a.disconfirm") == []


def test_what_is_said_names_the_service_and_the_versions(tmp_path):
    assert warning(tmp_path / "a.disconfirm") == ("", "")
    sentence, rest = warning(tmp_path / "Dropbox" / "a.disconfirm")
    assert sentence == "Dropbox synchronises the folder of this case."
    assert "Keep an open case in a folder of this computer" in rest
    (tmp_path / "a (conflicted copy).disconfirm").write_bytes(b"")
    sentence, rest = warning(tmp_path / "a.disconfirm")
    assert sentence == "A synchronisation left other versions of this case beside it."
    assert "look at a (conflicted copy).disconfirm" in rest
