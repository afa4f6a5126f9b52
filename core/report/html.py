"""The report as one HTML file: no script, no network, printable, the same bytes for the same data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from core import paths
from core.language.identification import ENGLISH, language_of
from core.matrix import fraction
from core.report import outline, rows, story
from core.report.data import ReportData, without_places
from core.report.wording import ID_BEHIND, RATING_WORDS, behind, brief, day, mark, moment, runs, visible

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup


@cache
def environment() -> jinja2.Environment:
    """Return Jinja2 with everything escaped and nothing forgiven; imported only when a report is written."""
    import jinja2
    from markupsafe import Markup, escape

    def with_marks(text: object) -> Markup:
        """Escape a text, with unseen characters as outlined marks, and ids behind names small."""
        parts = ID_BEHIND.split(str(text))
        return Markup("").join(
            Markup(' <span class="behind">{}</span>').format(with_unseen(part)) if n % 2 else with_unseen(part)
            for n, part in enumerate(parts)
        )

    def with_unseen(text: str) -> Markup:
        return Markup("").join(
            Markup('<span class="unseen">{}</span>').format(mark(part)) if unseen else escape(part)
            for unseen, part in runs(text)
        )

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(paths.RESOURCES / "report", encoding="utf-8"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Everything printed passes here, so that no field can be forgotten; marked-up text of our own is left alone.
        finalize=lambda value: value if isinstance(value, Markup) else with_marks(value),
    )
    templates.filters |= {
        # Inside an attribute there is no room for marks: the same characters are written out as plain text.
        "foreign": _foreign,
        "attr_text": lambda text: escape(visible(str(text))),
        "moment": moment,
    }
    templates.globals |= {
        "RATING_WORDS": RATING_WORDS,
        "BEFORE": story.BEFORE,
        "RANKING": story.RANKING,
        "SCALE": story.SCALE,
        "behind": behind,
        "brief": brief,
        "fraction": fraction,
        "day": day,
    }
    return templates


def _foreign(text: str) -> Markup:
    """Return the attribute that says of which language a text is, with a blank before it; '' for English."""
    from markupsafe import Markup

    language = language_of(text)
    return Markup("") if language == ENGLISH else Markup(' lang="{}"').format(language)


def style(*names: str) -> Markup:
    """Return our own style sheets, no part of which comes from a case."""
    from markupsafe import Markup

    return Markup("\n".join((paths.RESOURCES / "report" / name).read_text(encoding="utf-8") for name in names))


def render_html(data: ReportData) -> bytes:
    """Write the report as one HTML file in UTF-8."""
    data = without_places(data)
    page = (
        environment()
        .get_template("report.html")
        .render(
            data=data,
            story=outline.tell(data),
            matrix=data.matrix,
            style=style("report.css"),
            ranking=rows.ranking(data),
            items=rows.items(data),
        )
    )
    return page.encode("utf-8")
