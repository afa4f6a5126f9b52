"""The report a person hands over, in every form: web page, evidence pack, PDF, DOCX, XLSX, CSV, Markdown, JSON.

Pure functions of ``ReportData``; the same data gives the same bytes. Everything that documents, models or people wrote
is escaped, characters that cannot be seen are made visible, and places on the writer's computer are cut down to names.
``data`` has the facts, ``words`` what they are called, ``story`` what is said in which order; one file each form. PDF,
DOCX and XLSX are set by the writer engine from the JSON made here.
"""

from __future__ import annotations

from core.steps.report.csv import render_csv
from core.steps.report.data import (
    FORMAT,
    Decisions,
    Excerpt,
    JudgeSummary,
    Measured,
    MissedEstimate,
    ProposalCount,
    Reached,
    ReportData,
    SearchEffort,
    count_decisions,
    count_proposals,
    stretch_name,
)
from core.steps.report.html import render_html
from core.steps.report.json import render_json, render_story
from core.steps.report.lines import document_count
from core.steps.report.markdown import render_markdown
from core.steps.report.pack import Exhibit, render_pack
from core.steps.report.parc import render_parc
from core.steps.report.sheets import render_sheets
from core.steps.report.story import tell
from core.steps.report.words import FLAG_WORDS, RATING_WORDS, RULE_NOTES, likelihood_words, visible, without_paths

__all__ = [
    "FLAG_WORDS",
    "FORMAT",
    "RATING_WORDS",
    "RULE_NOTES",
    "Decisions",
    "Excerpt",
    "Exhibit",
    "JudgeSummary",
    "Measured",
    "MissedEstimate",
    "ProposalCount",
    "Reached",
    "ReportData",
    "SearchEffort",
    "count_decisions",
    "count_proposals",
    "document_count",
    "likelihood_words",
    "render_csv",
    "render_html",
    "render_json",
    "render_markdown",
    "render_pack",
    "render_parc",
    "render_sheets",
    "render_story",
    "stretch_name",
    "tell",
    "visible",
    "without_paths",
]
