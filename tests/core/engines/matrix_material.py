"""Small invented matrices in the layouts of other programs, written here the way those programs write them."""

from __future__ import annotations

import csv
import gzip
import io
import json

import openpyxl

HYPOTHESES = ("The pump was worn out", "Somebody broke in", "The meter was wrong")
# Text, ratings, credibility, relevance.
EVIDENCE = (
    ("The lock was whole", ("N", "II", "N"), "H", "M"),
    ("The bearing log shows a rising temperature", ("C", "N", "I"), "M", "H"),
    ("The guard heard a car", ("N", "C", "NA"), "L", "L"),
    ("The second meter shows the same", ("CC", "N", "II"), None, None),
)
FULL = {"L": "LOW", "M": "MEDIUM", "H": "HIGH", None: ""}


def achz(xml: str, *, encoding: str = "utf-16") -> bytes:
    return gzip.compress(xml.encode(encoding), mtime=0)


def parc_xml(evidence: str = "", hypotheses: str = "", *, head: str = "", encoding: str = "UTF-16") -> str:
    """The layout that Burton's Open Source ACH reads in import_action.php."""
    if not hypotheses:
        hypotheses = "".join(f"<HYPOTHESIS><NAME>{text}</NAME></HYPOTHESIS>" for text in HYPOTHESES)
    if not evidence:
        evidence = "".join(
            parc_evidence(text, ",".join(_blanked(r) for r in ratings), CREDIBILITY=FULL[credibility])
            for text, ratings, credibility, _ in EVIDENCE
        )
    return (
        f'<?xml version="1.0" encoding="{encoding}"?>{head}<ACH><PROJECT-TITLE>Pump two</PROJECT-TITLE>'
        "<CLASSIFICATION>u</CLASSIFICATION><LAST-INDEX>7</LAST-INDEX><COLOR-SCHEME>1</COLOR-SCHEME>"
        f"<MATRIX>{hypotheses}{evidence}</MATRIX></ACH>"
    )


def _blanked(rating: str) -> str:
    return {"CC": "C C", "II": "I I"}.get(rating, rating)


def parc_evidence(name: str, values: str, **parts: str) -> str:
    tags = {"NOTES": "", "LINK": "", "TYPE": "", "DATE": "0", "CODE": "", "FLAG": "0", "CREDIBILITY": "MEDIUM", **parts}
    inner = "".join(f"<{key}>{value}</{key}>" for key, value in tags.items())
    return f"<EVIDENCE><NAME>{name}</NAME>{inner}<VALUES>{values}</VALUES></EVIDENCE>"


def workbook(sheets: dict[str, list[list[object]]]) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, lines in sheets.items():
        sheet = book.create_sheet(title)
        for line in lines:
            sheet.append(line)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def weights_sheet() -> list[list[object]]:
    """The look-up of the template: the product of credibility and relevance for each pair of letters."""
    factor = {"L": 0.5**0.5, "M": 1.0, "H": 2**0.5}
    pairs = [(c + r, factor[c] * factor[r]) for c in "LMH" for r in "LMH"]
    return [["Cred/Rel", "Weight"], *[list(pair) for pair in pairs]]


def stirparo(*, version: str) -> bytes:
    """The SANS / Stirparo template as far as it is described: evidence, two grades, a weight, letters and scores.

    In v0.6 the cached score of a cell is -2 times a weight that II has doubled already: four times that of I.
    """
    factor = {"L": 0.5**0.5, "M": 1.0, "H": 2**0.5, None: 1.0}
    ii = -4 if version == "v0.6" else -2
    lines: list[list[object]] = [
        ["Analysis of Competing Hypotheses"],
        ["Weighted Inconsistency Score", None, None, None, -9.9, None, -9.9, None, -9.9],
        ["Evidence", "Credibility", "Relevance", "Weight",
         *[cell for h in HYPOTHESES for cell in (h, f"Score {h[:3]}")]],
    ]  # fmt: skip
    for text, ratings, credibility, relevance in EVIDENCE:
        weight = factor[credibility] * factor[relevance]
        scored = [c for r in ratings for c in (r, {"I": -1, "II": ii}.get(r, 0) * weight)]
        lines.append([text, credibility, relevance, weight, *scored])
    return workbook({"ACH": lines, "cred_rel_scores": weights_sheet()})


def comma_table(delimiter: str = ",", *, encoding: str = "utf-8", lines: list[list[str]] | None = None) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter=delimiter)
    if lines is None:
        lines = [["Evidence", *HYPOTHESES, "Credibility", "Relevance"]]
        lines += [[text, *ratings, c or "", r or ""] for text, ratings, c, r in EVIDENCE]
    writer.writerows(lines)
    return stream.getvalue().encode(encoding)


def own_json(id: str = "pump") -> dict[str, object]:
    return {
        "id": id, "title": "Pump two",
        "hypotheses": [{"id": f"H{number}", "text": text} for number, text in enumerate(HYPOTHESES, start=1)],
        "evidence": [
            {"id": f"E{number}", "text": text, "credibility": c, "relevance": r,
             "ratings": {f"H{column}": rating for column, rating in enumerate(ratings, start=1)}}
            for number, (text, ratings, c, r) in enumerate(EVIDENCE, start=1)
        ],
        "computed": {"weighted": {"H1": 0.0}},
    }  # fmt: skip


def as_json(data: object) -> bytes:
    return json.dumps(data, indent=2).encode()


def everything() -> dict[str, bytes]:
    """One file of each format."""
    return {
        "parc.achz": achz(parc_xml()),
        "stirparo-v0.4.xlsx": stirparo(version="v0.4"),
        "stirparo-v0.6.xlsx": stirparo(version="v0.6"),
        "table.csv": comma_table(),
        "own.json": as_json(own_json()),
    }
