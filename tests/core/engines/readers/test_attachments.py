"""Files inside files: safe names of their own, and a bounded number."""

from __future__ import annotations

from tests.core.engines.format_material import packed
from tests.core.engines.readers.test_mailbox import letter, read


def test_names_are_made_safe_and_told_apart():
    attached = [("../../etc/passwd", "application/pdf", b"1"), ("C:\\x\\y.pdf", "application/pdf", b"2")]
    attached += [
        ("a.pdf", "application/pdf", b"3"),
        ("a.pdf", "application/pdf", b"4"),
        ("\u202etxt.exe", "application/pdf", b"5"),
    ]
    names = [item.name for item in read(letter(attached=attached), "a.eml")[2]]
    assert names == ["etc/passwd", "C:/x/y.pdf", "a.pdf", "a (2).pdf", "\ufffdtxt.exe"]


def test_unnamed_attachments_get_a_name_by_their_kind():
    head = b"MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n"
    data = head + b"--b\n\ntext\n--b\nContent-Type: application/pdf\n\nx\n--b--\n"
    assert [item.name for item in read(data, "a.eml")[2]] == ["attachment.pdf"]


def test_more_files_than_are_taken_are_counted_not_dropped():
    _, _, inside = read(packed({f"{n}.txt": b"x" for n in range(2_010)}), "a.zip")
    assert len(inside) == 2_001
    assert "10 more" in inside[-1].reason
    assert inside[-1].remedy
