"""The evidence pack: one HTML file with the matrix and, for each quote, the picture of the page with the words boxed.

A click on a cell leads to the picture behind it, and back. No script, no network: pictures are part of the file. A page
without a picture (plain text, mail) is shown as the words around the quote. Every picture and document is listed with
its SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from core.report import outline, rows, story
from core.report.blocks import Para
from core.report.data import ReportData, without_places
from core.report.html import environment, style
from core.report.json_form import render_json
from core.report.short_form import most_diagnostic

FEW = "This is the short form: it has the most diagnostic evidence only; the full pack has every row."


@dataclass(frozen=True, slots=True)
class Exhibit:
    """The part of a page around a quote, boxed: PNG bytes and size in pixels."""

    png: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class _EmbeddedImage:
    """An exhibit as the template takes it."""

    uri: str
    sha256: str
    width: int
    height: int
    bytes: int


def render_pack(data: ReportData, exhibits: Mapping[str, Exhibit], *, left_out: str = "") -> bytes:
    """Write the pack with ``exhibits`` by evidence; ``left_out`` says which are missing, as there would be too many."""
    from markupsafe import Markup

    facts_sha256 = hashlib.sha256(render_json(replace(data, short=False))).hexdigest()
    data = without_places(data)
    items = rows.items(data)
    if data.short:
        items = most_diagnostic(items)
    options = data.settings.report
    page = (
        environment()
        .get_template("pack.html")
        .render(
            data=data,
            failed=rows.failure_lines(data),
            matrix=data.matrix,
            style=style("report.css", "pack.css"),
            headline=rows.headline(data),
            subtitle=outline.subtitle(data),
            own=options,
            summary=() if "summary" in options.omissions else story.opening(data)[2].blocks,
            remarks=[Para(FEW, "quiet")] if data.short else [],
            margin=rows.margin(data),
            leaders=rows.leading(data),
            ranking=rows.ranking(data),
            items=items,
            facts={item.evidence.id: list(story.facts(item, data)) for item in items},
            excerpts=data.excerpts,
            exhibits={
                evidence: _EmbeddedImage(
                    # Base64 of our own bytes: nothing in it can leave the attribute.
                    Markup("data:image/png;base64," + base64.b64encode(exhibit.png).decode("ascii")),
                    hashlib.sha256(exhibit.png).hexdigest(),
                    exhibit.width,
                    exhibit.height,
                    len(exhibit.png),
                )
                for evidence, exhibit in exhibits.items()
            },
            warnings=[*rows.warnings(data), *([left_out] if left_out else [])],
            view=rows.view_words(data),
            agreement=list(story.agreement(data)) if data.matrix.rows else [],
            document_remarks={d.id: rows.document_remarks(d, data) for d in data.documents},
            facts_sha256=facts_sha256,
        )
    )
    return page.encode("utf-8")
