"""What people decide about the report of a case: a summary, the author, a marking, which sections are left out."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import BadInput

# Sections that can be left out, in the order of the report. What fails in the case, the answer, and what to know before
# relying on it always stand.
SECTIONS = (
    *("summary", "ranking", "hangs", "matrix", "independence", "absence", "evidence", "gaps", "analysts"),
    *("considerations", "questions", "rulings", "grades", "effort", "who", "model", "figures", "documents", "check"),
)
LONGEST_SUMMARY = 4_000  # characters; a page
LONGEST_LINE = 120


@dataclass(frozen=True, slots=True)
class ReportSettings:
    """The choices for the report of a case.

    ``summary`` is a person's own, with its writer; paragraphs are parted by an empty line. ``marking`` is on every
    page. ``omissions`` are ids of sections that the report leaves out.
    """

    summary: str = ""
    summary_by: str = ""
    author: str = ""
    marking: str = ""
    omissions: tuple[str, ...] = ()


def check(settings: ReportSettings) -> None:
    """Raise BadInput for a text that is too long, or that is no single line where it has to be one."""
    if len(settings.summary) > LONGEST_SUMMARY:
        raise BadInput(
            reason=f"A summary has at most {LONGEST_SUMMARY:,} characters; this one has {len(settings.summary):,}.",
            remedy="Shorten it, or hand the longer text over beside the report.",
        )
    for name, line in (("author", settings.author), ("marking", settings.marking)):
        if len(line) > LONGEST_LINE or len(line.splitlines()) > 1:
            raise BadInput(reason=f"The {name} is one line of at most {LONGEST_LINE} characters.", remedy="Shorten it.")
    if unknown := sorted(set(settings.omissions) - set(SECTIONS)):
        raise BadInput(
            reason=f"The report has no section {' or '.join(unknown)} that can be left out.",
            remedy=f"Use {', '.join(SECTIONS)}.",
        )
