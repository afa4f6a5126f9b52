"""Sets a told report as PDF, DOCX or XLSX. Runs in a child process; a library is imported with the first report.

What is said comes from ``core.report`` as JSON; here it only gets its form. The same JSON and pictures give the
same bytes: dates come from the report, archives are written again with fixed times and order.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from core.errors import BadInput
from core.installation import library_version

_VERSION = 1  # raise when the same report would give other bytes than before
FORMS = ("pdf", "docx", "xlsx", "comments")  # the last: comments on "original", or on paragraphs of its own
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a ZIP archive can name


class FileWriter:
    """The writer of all forms. See core.ports.Writer."""

    @property
    def fingerprint(self) -> str:
        """Version of this writer, and its libraries."""
        parts = ("typst", "python-docx", "xlsxwriter")
        return f"disconfirm writer {_VERSION} " + " ".join(f"{part} {library_version(part)}" for part in parts)

    def write(self, form: str, report: bytes, pictures: Mapping[str, bytes]) -> bytes:
        """Set a report in one of ``FORMS``. See core.ports.Writer. Raises BadInput."""
        if form not in FORMS:
            raise BadInput(reason=f"A report cannot be exported as '{form}'.", remedy=f"Use {', '.join(FORMS)}.")
        content = json.loads(report)
        match form:
            case "pdf":
                from core.engines.report_writers import pdf

                return pdf.write(content, pictures)
            case "docx":
                from core.engines.report_writers import docx

                return same_archive(docx.write(content, pictures))
            case "comments":
                from core.engines.report_writers import comments

                return same_archive(comments.write(content, pictures.get("original")))
            case _:
                from core.engines.report_writers import xlsx

                return same_archive(xlsx.write(content))


def moment(content: Mapping[str, Any]) -> datetime:
    """Return the time that the report carries; a fixed one where it has none."""
    try:
        instant = datetime.fromisoformat(str(content.get("generated_at") or ""))
    except ValueError:
        return datetime(2000, 1, 1, tzinfo=UTC)
    return instant.astimezone(UTC) if instant.tzinfo else instant.replace(tzinfo=UTC)


def same_archive(data: bytes) -> bytes:
    """Write an archive again, its members in a fixed order and with fixed times, so that equal means equal."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(source.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            member = zipfile.ZipInfo(name, _EPOCH)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = 0o600 << 16
            member.create_system = 3
            target.writestr(member, source.read(name), compresslevel=6)
    return stream.getvalue()


def png_size(png: bytes) -> tuple[int, int]:
    """Return width and height in pixels."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
