"""The report a person hands over, in every form: web page, evidence pack, PDF, DOCX, XLSX, CSV, Markdown, JSON.

Pure functions of ``ReportData``; the same data gives the same bytes. Everything that documents, models or people wrote
is escaped, characters that cannot be seen are made visible, and places on the writer's computer are cut down to names.
``data`` has the facts, ``wording`` what they are called, ``story`` and ``background`` what is said in which order, in
``blocks``; one file each form. PDF, DOCX and XLSX are set by the writer engine from the JSON made here.
"""

from __future__ import annotations

from core.report.csv_form import render_csv
from core.report.data import (
    FORMAT,
    Benchmark,
    Decisions,
    ExamHalf,
    ExamSummary,
    Excerpt,
    JudgeSummary,
    MissedEstimate,
    ProposalCount,
    ReportData,
    Ruling,
    SearchEffort,
    count_decisions,
    count_proposals,
    stretch_name,
)
from core.report.evidence_pack import Exhibit, render_pack
from core.report.html import render_html
from core.report.json_form import render_json, render_story
from core.report.markdown import render_markdown
from core.report.outline import tell
from core.report.parc import render_parc
from core.report.rows import document_count, items
from core.report.short_form import most_diagnostic
from core.report.wording import FLAG_WORDS, RATING_WORDS, RULE_NOTES, likelihood_words, visible, without_paths
from core.report.workbook import render_sheets

__all__ = [
    "FLAG_WORDS", "FORMAT", "RATING_WORDS", "RULE_NOTES", "Benchmark", "Decisions", "ExamHalf", "ExamSummary",
    "Excerpt", "Exhibit", "JudgeSummary", "MissedEstimate", "ProposalCount", "ReportData", "Ruling", "SearchEffort",
    "count_decisions", "count_proposals", "document_count", "items", "likelihood_words", "most_diagnostic",
    "render_csv", "render_html", "render_json", "render_markdown", "render_pack", "render_parc", "render_sheets",
    "render_story", "stretch_name", "tell", "visible", "without_paths",
]  # fmt: skip
