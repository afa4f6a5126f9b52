"""How well single texts are audited against their documents, and how often a true one is called wrong.

    python -m tests.eval.audit [FOLDER] [--fit]

FOLDER holds ``citation_audit/summedits`` (986 summaries with their documents, of which a person said whether the
document bears all of it out) and ``stance`` (claims with the sentences that bear them out). Reported: the balanced
accuracy on the summaries, by rules alone and by score, by domain and kind of edit; and the share of true sentences
that get a finding that calls them wrong (contradicted, differs, overstated), with its interval, by set. ``--fit`` fits
the weights anew, prints them, and reports on documents that they were not fitted on (ten folds).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core import paths
from core.audit import bearing
from core.audit.finding import ERRORS
from core.audit.pairs import Outcome, PairChecks
from core.stats import wilson_interval
from core.text import sentences
from tests.eval.ask import Remembering

FOLDS = 10
TRUE_SETS = ("scifact/sentence_train", "check_covid/dev", "fever_dev2way/dev")
MOST_OF_A_SET = 250


@dataclass(frozen=True)
class Row:
    """A summary as it was checked."""

    document: str
    domain: str
    edits: tuple[str, ...]
    is_true: bool
    outcome: Outcome


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def summaries(folder: Path) -> tuple[list[dict[str, Any]], dict[str, str]]:
    place = folder / "citation_audit" / "summedits"
    texts = {row["doc_id"]: row["text"] for file in sorted(place.glob("*_docs.jsonl")) for row in lines(file)}
    return lines(place / "claims_dev.jsonl"), texts


def true_sentences(folder: Path) -> list[tuple[str, str, str]]:
    """Return (set, sentence, document) of sentences that their documents bear out."""
    claims, texts = summaries(folder)
    rows = [
        ("summedits", row["claim"][span.start : span.end], texts[row["doc_id"]])
        for row in claims
        if row["label"] == "supports"
        for span in sentences(row["claim"])
    ]
    for name in TRUE_SETS:
        file = folder / "stance" / f"{name}.jsonl"
        pairs = [(row["claim"], row["evidence"]) for row in lines(file) if row["label"] == "supports"]
        rows += [(name, claim, evidence) for claim, evidence in pairs[:MOST_OF_A_SET]]
    return rows


def balanced(rows: Sequence[Row], passes: Sequence[bool]) -> float:
    """Return the mean of the shares of true texts that pass and of others that do not."""
    good = [verdict for row, verdict in zip(rows, passes, strict=True) if row.is_true]
    bad = [not verdict for row, verdict in zip(rows, passes, strict=True) if not row.is_true]
    return (sum(good) / len(good) + sum(bad) / len(bad)) / 2


def is_wrong(outcome: Outcome) -> bool:
    return outcome.finding in ERRORS


def report(rows: Sequence[Row]) -> None:
    by_rule = [not is_wrong(row.outcome) for row in rows]
    by_score = [row.outcome.score >= bearing.SUPPORTED for row in rows]
    print(f"SummEdits, {len(rows)} texts: balanced accuracy {balanced(rows, by_score):.3f}", end="")
    print(f" (rules alone {balanced(rows, by_rule):.3f})")
    for domain in sorted({row.domain for row in rows}):
        indices = [index for index, row in enumerate(rows) if row.domain == domain]
        value = balanced([rows[index] for index in indices], [by_score[index] for index in indices])
        print(f"  {domain}: {value:.3f} of {len(indices)}")
    edits: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for row, passes in zip(rows, by_score, strict=True):
        if not row.is_true:
            edits.update(row.edits)
            hits.update(row.edits if not passes else ())
    for edit, count in edits.most_common():
        print(f"  {edit}: {hits[edit] / count:.3f} of {count} held back")


def alarms(checks: PairChecks, rows: Sequence[tuple[str, str, str]]) -> None:
    wrong: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for name, sentence, document in rows:
        outcome = checks.check(sentence, document)
        every[name] += 1
        if is_wrong(outcome):
            wrong[name] += 1
            notes = "; ".join(f"{d.what} {d.own} / {d.source}" for d in outcome.differences if d.is_sure)
            print(f"  false alarm ({name}): {sentence[:160]} | {notes} | {outcome.sources[0][:160]}", file=sys.stderr)
    for name in (*every, ""):
        count, bad = (every[name], wrong[name]) if name else (every.total(), wrong.total())
        share = wilson_interval(bad, count)
        print(
            f"false alarms, {name or 'all'}: {bad} of {count}, {share.value:.4f} ({share.low:.4f} to {share.high:.4f})"
        )


def fit(rows: Sequence[Row]) -> None:
    """Fit the weights (logistic regression, both classes weighing the same), and test them on other documents."""
    import numpy
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold

    signs = [row.outcome.signs or bearing.Signs() for row in rows]
    table = numpy.array([[getattr(sign, name) for name in bearing.ONE_DOCUMENT.weights] for sign in signs])
    truth = numpy.array([row.is_true for row in rows])
    mean, deviation = table.mean(0), table.std(0) + 1e-9
    scaled = (table - mean) / deviation
    chances = numpy.zeros(len(rows))
    for train, test in GroupKFold(FOLDS).split(scaled, truth, [row.document for row in rows]):
        model = LogisticRegression(C=0.3, class_weight="balanced", max_iter=5_000).fit(scaled[train], truth[train])
        chances[test] = model.predict_proba(scaled[test])[:, 1]
    passes = [
        chance >= bearing.SUPPORTED and not is_wrong(row.outcome) for chance, row in zip(chances, rows, strict=True)
    ]
    print(f"held out: balanced accuracy {balanced(rows, passes):.3f}")
    model = LogisticRegression(C=0.3, class_weight="balanced", max_iter=5_000).fit(scaled, truth)
    weights = model.coef_[0] / deviation
    print(f"intercept {model.intercept_[0] - (weights * mean).sum():.4f}")
    print({name: round(float(weight), 4) for name, weight in zip(bearing.ONE_DOCUMENT.weights, weights, strict=True)})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=paths.RESOURCES.parent.parent / "shared" / "data")
    parser.add_argument("--fit", action="store_true")
    args = parser.parse_args()
    claims, texts = summaries(args.folder)
    checks = PairChecks(Remembering(), [texts[row["doc_id"]] for row in claims])  # type: ignore[arg-type]
    rows = [
        Row(
            claim["doc_id"],
            claim["domain"],
            tuple(claim["edit_types"]),
            claim["label"] == "supports",
            checks.check(claim["claim"], texts[claim["doc_id"]]),
        )
        for claim in claims
    ]
    report(rows)
    if args.fit:
        fit(rows)
    alarms(checks, true_sentences(args.folder))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
