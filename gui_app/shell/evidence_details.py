"""A row of the matrix in the details: its words, their origin, what is to be said of them, how it came about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QPushButton

from core.domain import LAYER, Absence, Citation, Evidence
from core.text import over_pages
from gui_app.shared.formatting import counted, when
from gui_app.shared.labels import plain
from gui_app.shell.detail_page import DetailPage

if TYPE_CHECKING:
    from core.workbench import Workbench


def show_evidence(page: DetailPage, evidence: Evidence) -> None:
    """Show the words of a row, where they are, and what there is to say of them."""
    if evidence.quote is not None:
        quote = over_pages(evidence.quote, *(part.text for part in evidence.more))
        citation = _citation(page, evidence) if evidence.more else None
        gaps = citation.skipped if citation is not None else ()
        page.quote(over_pages(evidence.quote, *(part.text for part in evidence.more), skipped=gaps))
        if evidence.text.strip() != quote.strip():
            page.add(plain(evidence.text, "", wrap=True, selectable=True))
    else:
        page.add(plain(evidence.text, "heading", wrap=True, selectable=True))
    if evidence.document is not None and evidence.page is not None:
        citation = _citation(page, evidence)
        # The section is in full below; beside the name it would leave no room for it.
        place = (
            f", {citation.place}".partition(", section ")[0][2:] if citation is not None else f"page {evidence.page}"
        )
        page.origin(evidence.source or evidence.document, place)
        if citation is not None and citation.section:
            page.add(plain(" › ".join(citation.section), "muted", wrap=True))
        if citation is not None and citation.frame:
            warning = plain(f"Leaves out part of its sentence: “{citation.frame}”", "", wrap=True, selectable=True)
            warning.setProperty("tone", "contradicts")
            page.add(warning)
        page.crop(evidence.document, evidence.page, evidence.start or 0, evidence.end or 0)
    elif evidence.source:
        page.add(plain(evidence.source, "muted", wrap=True))
    grade = date_and_grade(evidence)
    if grade:
        page.add(plain(grade + _grade_origin(page, evidence), "muted", wrap=True))
    _add_shared_origin(page, evidence)
    _add_marks(page, evidence)
    _add_conflicts(page, evidence)
    _add_scan_check(page, evidence)
    if evidence.absence is not None:
        _add_absence(page, evidence.absence)
    if evidence.note:
        page.add(plain(evidence.note, "", wrap=True, selectable=True))


def _citation(page: DetailPage, evidence: Evidence) -> Citation | None:
    return (page.session.do(lambda bench: bench.evidence.cite([evidence])) or {}).get(evidence.id)


def _grade_origin(page: DetailPage, evidence: Evidence) -> str:
    """Return whether grade and date are the ones that the row got from its document."""
    document = evidence.document
    source = None if document is None else page.session.do(lambda bench: bench.documents.get(document))
    if source is None or not (source.reliability or source.information or source.dated):
        return ""
    same = (evidence.reliability, evidence.information, evidence.date)
    return " (as its document)" if same == (source.reliability, source.information, source.dated) else ""


def _add_shared_origin(page: DetailPage, evidence: Evidence) -> None:
    """Show why a row counts together with others, where it does."""

    def why(bench: Workbench) -> str:
        row = next((row for row in bench.matrix.compute().rows if row.id == evidence.id), None)
        return bench.evidence.shared_origins().get(evidence.id, "") if row is not None and row.cluster else ""

    if reason := page.session.do(why):
        page.add(plain(reason, "muted", wrap=True))


def _add_scan_check(page: DetailPage, evidence: Evidence) -> None:
    """Show who compared a quote from a scan with the picture, or warn that nobody has."""
    check = page.session.do(lambda bench: bench.evidence.scan_check(evidence))
    if check is None:
        return
    if not page.session.do(lambda bench: bench.evidence.quote_is_current(evidence)):
        _add_stale_notice(page, evidence)
        return
    if check.by:
        day = check.at[:10]
        page.add(plain(f"Checked against the page by {' and '.join(check.by)} on {day}", "muted", wrap=True))
        return
    sure = "" if check.confidence is None else f" (confidence {check.confidence:.2f})"
    notice = LAYER.capitalize() if check.layer else f"Read by OCR{sure} and not yet checked against the page"
    warning = plain(notice, "", wrap=True)
    warning.setProperty("tone", "contradicts")
    page.add(warning)
    if not (page.session.read_only or check.layer):
        confirm_button = QPushButton("I compared it with the page")
        confirm_button.clicked.connect(lambda: page.session.do(lambda bench: bench.evidence.confirm_scan(evidence.id)))
        page.add(confirm_button)


_MARK_NOTICES = {
    "struck": "Some words of this quote are struck through on the page",
    "hidden": "Some words of this quote are not visible on the page: compare both readings",
}


def _add_marks(page: DetailPage, evidence: Evidence) -> None:
    """Show that some words of a quote are struck through, or cannot be seen on the page."""
    if evidence.quote is None:
        return
    marks = (page.session.do(lambda bench: bench.evidence.marks()) or {}).get(evidence.id, ())
    for mark in marks:
        warning = plain(_MARK_NOTICES[mark], "", wrap=True)
        warning.setProperty("tone", "contradicts")
        page.add(warning)


def _add_conflicts(page: DetailPage, evidence: Evidence) -> None:
    """Name the conflicts that the quote is in and that nobody has resolved."""
    conflicts = page.session.do(lambda bench: bench.conflicts.open_by_evidence([evidence])) or {}
    if evidence.id in conflicts:
        ids = conflicts[evidence.id]
        words = "an open conflict" if len(ids) == 1 else "open conflicts"
        warning = plain(f"Part of {words}: {', '.join(ids)}. Compare the positions on the Conflicts screen", wrap=True)
        warning.setProperty("tone", "contradicts")
        page.add(warning)


def _add_stale_notice(page: DetailPage, evidence: Evidence) -> None:
    """Show that the page of a quote does not have it any more, and what can be done about it."""
    notice = "Its page was corrected or read again: these words are no longer there"
    warning = plain(notice, "", wrap=True)
    warning.setProperty("tone", "contradicts")
    page.add(warning)
    if not page.session.read_only:
        take = QPushButton("Update the quote to the new words")
        take.clicked.connect(lambda: page.session.do(lambda bench: bench.evidence.update_quote(evidence.id)))
        page.add(take)


def _add_absence(page: DetailPage, absence: Absence) -> None:
    sentence = f"Expected if {absence.hypothesis} is true, searched {when(absence.at)} and not found."
    page.add(plain(sentence, "", wrap=True))
    scope = f"{counted(absence.passages, 'passage')} in {counted(absence.documents, 'document')} looked at"
    if absence.found:
        scope += f"; {absence.found} added as evidence nevertheless"
    facts = [("Searched for", "\n".join(absence.queries)), ("Covered", scope)]
    page.facts(facts + ([("Not searched", absence.gaps)] if absence.gaps else []))


def date_and_grade(evidence: Evidence) -> str:
    """Return date and Admiralty grade for the line of origin: '2021-05-03 · grade B2'."""
    grade = evidence.reliability + evidence.information
    return " · ".join(part for part in (evidence.date, f"grade {grade}" if grade else "") if part)


def making(evidence: Evidence) -> list[tuple[str, str]]:
    """Return how a row came about."""
    by_hand = "quoted by hand" if evidence.quote is not None else "written by hand"
    method = "proposed by the machine, accepted" if evidence.method == "corpus" else by_hand
    facts = [("Made", method)]
    if evidence.created_by:
        facts.append(("By", evidence.created_by))
    if evidence.created_at:
        facts.append(("On", when(evidence.created_at)))
    if evidence.similarity is not None:
        facts.append(("Similarity", f"{evidence.similarity:.2f}"))
    return facts
