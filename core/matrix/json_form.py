"""A matrix in JSON, in and out: the form of ``disconfirm matrix`` and ``disconfirm matrix --from``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from core.domain import RATINGS, Level, Matrix, Rating
from core.errors import BadInput, BadRating
from core.matrix.build import build
from core.matrix.rules import Row, graded_weight
from core.matrix.sentences import robustness


@dataclass(frozen=True, slots=True)
class MatrixInput:
    """A matrix read from JSON: ids, texts and rows; ``priors`` where every hypothesis has one."""

    id: str
    title: str
    hypotheses: dict[str, str]
    evidence: dict[str, str]
    rows: tuple[Row, ...]
    priors: dict[str, float] | None = None


def from_json(data: object) -> dict[str, object]:
    """Score one matrix, or several, given as JSON values; the result is JSON too.

    One matrix is an object with ``hypotheses`` [{id, text, prior?}] and ``evidence`` [{id, text, ratings, w?,
    credibility?, relevance?, credibility_num?, relevance_num?, source?, upstream?, reliability?, information?}];
    several are a list of such, or an object with ``matrices``. A cell that is left out, null or '' is not rated, as in
    a case, and never NA: where hypotheses are rated on different rows nothing leads. Rows of one ``upstream`` count
    once; ``reliability`` (A-F) and ``information`` (1-6) are Admiralty grades. One gives the JSON of ``disconfirm
    matrix``, several give {"matrices": [...]}. Raises BadInput and BadRating.
    """
    several = data.get("matrices") if isinstance(data, dict) else data
    if isinstance(several, list):
        return {"matrices": [_score(read_matrix(item)) for item in several]}
    return _score(read_matrix(data))


def _score(matrix: MatrixInput) -> dict[str, object]:
    result = to_json(
        build(tuple(matrix.hypotheses), matrix.rows, priors=matrix.priors), matrix.hypotheses, evidence=matrix.evidence
    )
    return {"id": matrix.id, "title": matrix.title, **result}


def to_json(
    matrix: Matrix, hypotheses: Mapping[str, str], *, evidence: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Write the JSON of ``disconfirm matrix``. ``hypotheses`` and ``evidence`` give the texts by id.

    A ``rank`` is null unless all are rated on the same rows.
    """
    agreement, comparison = robustness(matrix), matrix.comparison
    return {
        "hypotheses": [
            {
                "id": h,
                "text": hypotheses.get(h, ""),
                "scores": {rule: matrix.scores[rule][h] for rule in matrix.scores},
                "rank": {rule: matrix.ranks[rule].get(h) for rule in matrix.ranks},
                "coverage": {"rated": comparison.rated.get(h, 0), "of": comparison.rows},
            }
            for h in matrix.hypotheses
        ],
        "evidence": [
            {
                "id": row.id,
                **({"text": evidence.get(row.id, "")} if evidence is not None else {}),
                "ratings": dict(row.ratings),
                "weight": round(row.weight, 12),
                "diagnosticity": row.diagnosticity,
                "spread": row.spread,
                "flags": list(row.flags),
                "cluster": row.cluster,
                "share": round(row.share, 12),
            }
            for row in matrix.rows
        ],
        "leaders": {rule: list(leaders) for rule, leaders in matrix.leaders.items()},
        "comparison": {
            "state": comparison.state,
            "sentence": comparison.sentence,
            "rows": comparison.rows,
            "common": comparison.common,
            "missing": [{"evidence": row, "hypothesis": h} for row, h in comparison.missing],
            "provisional": dict(comparison.provisional),
            "provisional_rows": comparison.provisional_rows,
        },
        "linchpins": [
            {
                "change": pin.change,
                "evidence": pin.evidence,
                "hypothesis": pin.hypothesis,
                "from": pin.before,
                "to": pin.after,
                "leaders": list(pin.leaders),
                "size": pin.size,
                "sentence": pin.sentence,
                "rows": list(pin.rows),
                "label": pin.label,
            }
            for pin in matrix.linchpins
        ],
        "linchpin_counts": dict(matrix.linchpin_counts),
        "warnings": list(matrix.warnings),
        "unrated": matrix.unrated,
        "order": list(matrix.order),
        "untested": list(matrix.untested),
        "unattacked": list(matrix.unattacked),
        "overlaps": [list(group) for group in matrix.overlaps],
        "clusters": [list(cluster) for cluster in matrix.clusters],
        "one_source": dict(matrix.one_source),
        "gaps": [
            {"evidence": gap.evidence, "hypothesis": gap.hypothesis, "could_lead": list(gap.could_lead)}
            for gap in matrix.gaps
        ],
        "priors": dict(matrix.priors),
        "rules_agree": matrix.rules_agree,
        "robustness": {"word": agreement.word, "sentence": agreement.sentence},
    }


def read_matrix(data: object) -> MatrixInput:
    """Check one matrix in JSON form. Raises BadInput with what is wrong and where, BadRating for an unknown rating."""
    fields = _object(data, "The matrix")
    hypotheses: dict[str, str] = {}
    priors: dict[str, float] = {}
    for item in _list(fields.get("hypotheses"), "'hypotheses'"):
        hypothesis = _object(item, "A hypothesis")
        id = _id(hypothesis, "hypothesis")
        if id in hypotheses:
            raise _bad(f"There is more than one hypothesis '{id}'.")
        hypotheses[id] = str(hypothesis.get("text", ""))
        if hypothesis.get("prior") is not None:
            priors[id] = _number(hypothesis["prior"], f"'prior' of {id}")
    if priors and (len(priors) < len(hypotheses) or not any(priors.values())):
        raise _bad("Either every hypothesis has a 'prior', not all 0, or none has one.")
    texts: dict[str, str] = {}
    rows: list[Row] = []
    for item in _list(fields.get("evidence"), "'evidence'"):
        evidence = _object(item, "A piece of evidence")
        id = _id(evidence, "piece of evidence")
        if id in texts:
            raise _bad(f"There is more than one piece of evidence '{id}'.")
        texts[id] = str(evidence.get("text", ""))
        ratings: dict[str, Rating] = {}
        for h, value in _object(evidence.get("ratings", {}), f"'ratings' of {id}").items():
            if h not in hypotheses:
                raise _bad(f"{id} is rated against '{h}', which is not a hypothesis of this matrix.")
            if value is None or value == "":
                continue  # a gap
            if value not in RATINGS:
                raise BadRating(value=value)
            ratings[h] = value
        rows.append(
            Row(
                id,
                ratings,
                credibility=_level(evidence, "credibility", id),
                relevance=_level(evidence, "relevance", id),
                weight=_weight(evidence, id),
                source=str(evidence.get("source") or ""),
                upstream=str(evidence.get("upstream") or ""),
                reliability=_grade(evidence, "reliability", "ABCDEF", id),
            )
        )
    return MatrixInput(
        str(fields.get("id", "")), str(fields.get("title", "")), hypotheses, texts, tuple(rows), priors or None
    )


def _bad(reason: str) -> BadInput:
    return BadInput(
        reason=reason, remedy="Give an object with 'hypotheses' [{id, text}] and 'evidence' [{id, ratings}]."
    )


def _object(data: object, what: str) -> dict[str, object]:
    if not isinstance(data, dict):
        raise _bad(f"{what} is not a JSON object.")
    return data


def _list(data: object, what: str) -> list[object]:
    if not isinstance(data, list):
        raise _bad(f"{what} is missing or not a list.")
    return data


def _id(item: Mapping[str, object], kind: str) -> str:
    id = item.get("id")
    if not isinstance(id, str) or not id:
        raise _bad(f"A {kind} has no id.")
    return id


def _level(item: Mapping[str, object], name: str, id: str) -> Level | None:
    value = item.get(name)
    if value is None or value == "":
        return None
    if value not in ("L", "M", "H"):
        raise _bad(f"The {name} of {id} is not L, M or H.")
    return value


def _grade(item: Mapping[str, object], name: str, grades: str, id: str) -> str:
    value = item.get(name)
    if value is None or value == "":
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int) or str(value) not in tuple(grades):
        raise _bad(f"The {name} of {id} is not one of {', '.join(grades)}.")
    return str(value)


def _weight(item: Mapping[str, object], id: str) -> float | None:
    """Read ``w`` as given, else the product of the numeric grades, else that of the Admiralty grades and the letters.

    None: no number was given.
    """
    if item.get("w") is not None:
        return _number(item["w"], f"'w' of {id}")
    grades = [
        _number(item[name], f"'{name}' of {id}")
        for name in ("credibility_num", "relevance_num")
        if item.get(name) is not None
    ]
    if grades:
        return math.prod(grades)
    admiralty = _grade(item, "reliability", "ABCDEF", id), _grade(item, "information", "123456", id)
    if not any(admiralty):
        return None
    return graded_weight(_level(item, "credibility", id), _level(item, "relevance", id), *admiralty)


def _number(value: object, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise _bad(f"{what} is not a number of 0 or more.")
    return float(value)
