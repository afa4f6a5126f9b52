"""The report as canonical JSON: keys sorted, no spaces, ASCII, so that unseen characters show as escapes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass

from core.report.data import FORMAT, ReportData, without_places
from core.report.outline import tell
from core.report.rows import headline, ranking
from core.report.wording import plain


def render_json(data: ReportData) -> bytes:
    """Write every fact of the report. What only paraphrases other fields (the excerpts of pages) is left out."""
    data = without_places(data)
    if data.short:
        return _short(data)
    return canonical(
        {
            "format": FORMAT,
            "headline": headline(data),
            "ranking": [
                {
                    "place": line.place,
                    "hypothesis": line.hypothesis.id,
                    "leads": line.leads,
                    "likelihood": line.likelihood,
                }
                for line in ranking(data)
            ],
            **{f.name: _plain(getattr(data, f.name)) for f in fields(data) if f.name != "excerpts"},
            # What earlier versions said of models: the one of the most verdicts.
            "judge": _plain(data.judges[0]) if data.judges else None,
        }
    )


def _short(data: ReportData) -> bytes:
    """Write the short form: the answer and the sections as they are read."""
    story = tell(data)
    return canonical(
        {
            "format": FORMAT,
            "short": True,
            "headline": headline(data),
            "generated_at": data.generated_at,
            "as_of": data.as_of,
            "log_entries": data.log_entries,
            "log_head": data.log_head,
            "story": _plain(story),
        }
    )


def render_story(data: ReportData, *, figures_of: Sequence[str] = (), most: int | None = None) -> bytes:
    """Write the story for the printed forms: title and sections of blocks, all text made visible."""
    story = tell(without_places(data), figures_of=figures_of, most=most)
    return canonical({"generated_at": plain(data.as_of or data.generated_at), "story": _printable(story)})


def canonical(document: Mapping[str, object]) -> bytes:
    """Write ``document`` as the one JSON there is for it."""
    return (
        json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode() + b"\n"
    )


def _plain(value: object) -> object:
    """Return values of the case as JSON values; keys of mappings become text."""
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _printable(value: object) -> object:
    """Return what _plain does, with every text as it is to be printed."""
    if isinstance(value, str):
        return plain(value)
    if is_dataclass(value):
        return {f.name: _printable(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, list | tuple):
        return [_printable(item) for item in value]
    return value
