"""Cases that the tests of the report's forms share."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from functools import cache

from core import matrix
from core.domain import (
    Absence,
    Assessment,
    CaseSettings,
    Consideration,
    Evidence,
    Hypothesis,
    Likelihood,
)
from core.report import Excerpt, ReportData
from tests.core.report.test_report import FIGURES, QUESTIONS, made_case

HOSTILE = '=cmd|"/C calc"!A0 <b>&\u202e\u200b שלום 中文'


@cache
def full_case() -> ReportData:
    """The made case with all that a fuller one has: two analysts, grades, copies, absence, priors, considerations."""
    case = made_case()
    hypotheses = (
        *case.hypotheses[:2],
        replace(case.hypotheses[2], prior=0.5),
        Hypothesis("H4", "Nothing happened: the gauge was wrong.", kind="null", prior=0.1),
    )
    hypotheses = tuple(replace(h, prior=h.prior or 0.2) for h in hypotheses)
    evidence = (
        replace(case.evidence[0], reliability="B", information="2", date="2021-03-14", note="- seen twice"),
        *case.evidence[1:],
        replace(case.evidence[1], id="E6", document="D3", page_id=3, upstream="night log"),
        Evidence(
            "E7",
            "Timber near the gate",
            "searched 400 passages in 12 documents; not found",
            "manual",
            None,
            None,
            kind="absence",
            absence=Absence("H3", ("timber gate", "debris boom"), "2026-11-03T10:30:00Z", 12, 400, 0),
            created_by="A. Analyst",
            created_at="2026-11-03T10:30:00Z",
        ),
        Evidence("E8", HOSTILE, "@interview", "manual", None, None, created_by="A. Analyst"),
    )
    evidence = tuple(replace(e, upstream="night log") if e.id == "E2" else e for e in evidence)
    first = {
        "E1": ("II", "C", "N", "N"),
        "E2": ("N", "I", "C", "N"),
        "E3": ("C", "NA", "I", "N"),
        "E4": ("CC", "N", "N", "N"),
        "E5": ("C", "C", "C", "II"),
        "E6": ("N", "I", "C", "N"),
        "E7": ("N", "N", "I", "N"),
        "E8": (None, None, None, None),
    }
    second = {"E1": ("C", "C", "N", "N"), "E2": ("N", "I", "C", "N"), "E3": ("C", "NA", "CC", "N")}
    notes = {("E1", "H1"): "The log of the workshop agrees."}
    assessments = tuple(
        Assessment(
            e,
            h.id,
            rating,
            by,
            f"2026-11-03T{hour}:0{n}:00Z",
            notes.get((e, h.id), "") if by == "A. Analyst" else "",
            "high" if e == "E1" else "",
        )
        for by, hour, ratings_of in (("A. Analyst", "11", first), ("B. Second", "14", second))
        for n, (e, of_row) in enumerate(ratings_of.items())
        for h, rating in zip(hypotheses, of_row, strict=True)
        if rating is not None
    )
    settings = CaseSettings()
    ids = [h.id for h in hypotheses]

    def rows(by: str | None) -> list[matrix.Row]:
        cells: dict[str, dict[str, list]] = {}
        for a in assessments:
            if by in (None, a.by):
                cells.setdefault(a.evidence, {}).setdefault(a.hypothesis, []).append(a.rating)
        return [
            matrix.Row(
                e.id,
                {h: matrix.group_rating(ratings) for h, ratings in cells.get(e.id, {}).items()},
                e.credibility,
                e.relevance,
                weight=matrix.graded_weight(
                    e.credibility, e.relevance, e.reliability, e.information, settings.grade_weights
                ),
                source=e.document or e.source,
                upstream=e.upstream,
            )
            for e in evidence
        ]

    likelihoods = (
        Likelihood("H1", "A. Analyst", 0.2, "2026-11-03T15:00:00Z"),
        Likelihood("H2", "A. Analyst", 0.7, "2026-11-03T15:00:00Z"),
    )
    scored = matrix.build(ids, rows(None), priors={h.id: h.prior or 0.0 for h in hypotheses})
    return replace(
        case,
        title=f"Who opened gate 2? {HOSTILE}",
        hypotheses=hypotheses,
        evidence=evidence,
        assessments=assessments,
        matrix=scored,
        robustness=matrix.robustness(scored).sentence,
        as_of="2026-11-04T07:30:00.000Z",
        settings=settings,
        likelihoods=likelihoods,
        group=matrix.group(
            ids,
            {by: rows(by) for by in ("A. Analyst", "B. Second")},
            {"A. Analyst": {"H1": 0.2, "H2": 0.7}},
        ),
        questions=QUESTIONS,
        figures=FIGURES,
        considerations=(
            Consideration("C1", "assumption", "The clock of the panel was right.", hypothesis="H2"),
            Consideration("C2", "premortem", "The log was rewritten afterwards."),
            Consideration("C3", "indicator", "A second log turns up.", query="second log", status="done"),
        ),
        excerpts={"E2": Excerpt("02:05 all quiet. ", evidence[1].quote or "", " 02:20 level rising.")},
    )


def picture(width: int = 120, height: int = 40, grey: int = 200) -> bytes:
    """A plain grey PNG."""
    rows = (b"\0" + bytes([grey]) * width) * height

    def part(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
