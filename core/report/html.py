"""The report as one HTML file: no script, no network, printable, the same bytes for the same data."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from core import paths
from core.domain import DEFAULT_RULE, RULES
from core.matrix import fraction
from core.report import rows, story
from core.report.data import ReportData, without_places
from core.report.wording import (
    KIND_WORDS,
    LEVEL_WORDS,
    RATING_WORDS,
    RULE_NOTES,
    and_list,
    day,
    mark,
    moment,
    outcome,
    runs,
    sentence,
    stamp,
    visible,
)

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup


@cache
def environment() -> jinja2.Environment:
    """Return Jinja2 with everything escaped and nothing forgiven; imported only when a report is written."""
    import jinja2
    from markupsafe import Markup, escape

    def with_marks(text: object) -> Markup:
        """Escape a text, with unseen characters as outlined marks."""
        return Markup("").join(
            Markup('<span class="unseen">{}</span>').format(mark(part)) if unseen else escape(part)
            for unseen, part in runs(str(text))
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
        "attr_text": lambda text: escape(visible(str(text))),
        "moment": moment,
        "stamp": stamp,
        "and_list": lambda items: and_list([str(item) for item in items]),
        "outcome": outcome,
        "sentence": sentence,
    }
    templates.globals |= {
        "RULES": RULES,
        "DEFAULT_RULE": DEFAULT_RULE,
        "RULE_NOTES": RULE_NOTES,
        "RATING_WORDS": RATING_WORDS,
        "LEVEL_WORDS": LEVEL_WORDS,
        "KIND_WORDS": KIND_WORDS,
        "absence_words": rows.absence_words,
        "BEFORE": story.BEFORE,
        "fraction": fraction,
        "day": day,
    }
    return templates


def style(*names: str) -> Markup:
    """Return our own style sheets, no part of which comes from a case."""
    from markupsafe import Markup

    return Markup("\n".join((paths.RESOURCES / "report" / name).read_text(encoding="utf-8") for name in names))


def render_html(data: ReportData) -> bytes:
    """Write the report as one HTML file in UTF-8."""
    data = without_places(data)
    items = rows.items(data)
    ranking = rows.ranking(data)
    page = (
        environment()
        .get_template("report.html")
        .render(
            data=data,
            failed=rows.failure_lines(data),
            matrix=data.matrix,
            style=style("report.css"),
            headline=rows.headline(data),
            subtitle=story.subtitle(data),
            margin=rows.margin(data),
            leaders=rows.leading(data),
            ranking=ranking,
            items=items,
            gaps=rows.gaps(data.matrix),
            warnings=rows.warnings(data),
            agreement=list(story.agreement(data)) if data.matrix.rows else [],
            second_opinion=list(story.second_opinion(data, ranking)) if data.matrix.rows else [],
            ranking_title=story.ranking_title(data),
            ranking_legend=story.ranking_legend(data),
            priors=rows.priors(data),
            view=rows.view_words(data),
            document_remarks={d.id: rows.document_remarks(d, data) for d in data.documents},
            part={
                section.id: section
                for section in story.parts(
                    data,
                    items,
                    only=(
                        "hangs",
                        "independence",
                        "absence",
                        "analysts",
                        "considerations",
                        "questions",
                        "grades",
                        "effort",
                        "model",
                        "figures",
                    ),
                )
            },
        )
    )
    return page.encode("utf-8")
