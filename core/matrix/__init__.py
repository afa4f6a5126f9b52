"""The arithmetic of competing hypotheses: rules, ties, what discriminates, and what the conclusion depends on.

Pure functions on ratings. A cell nobody has rated is a gap: it is counted, it is warned about, and no rule reads it
as a neutral, a 3 or a zero; where hypotheses are rated on different rows none leads (``coverage``). The docstrings
number the formulas: F1 and F2 are PARC's counts, F7 is OSACH's consensus, F8 Open Synthesis, F9 ArkhamMirror, F12
radarist, F13 the Bayes reading of Schiller, F21 the coherent aggregate of Mandel, Karvetski and Dhami.
"""

from __future__ import annotations

from core.matrix.build import build
from core.matrix.changes import changes
from core.matrix.coverage import compare
from core.matrix.group import coherent, dispute, group, group_rating, group_words
from core.matrix.json_form import MatrixInput, from_json, read_matrix, to_json
from core.matrix.rules import (
    LEVEL,
    LIKELIHOOD,
    PENALTY,
    STEPS,
    VALUE,
    Row,
    bayes,
    between,
    diagnosticity,
    graded_weight,
    natural,
    rank,
    spread,
    weight,
)
from core.matrix.sentences import (
    Robustness,
    both,
    coverage,
    dependencies,
    fraction,
    order,
    outcome,
    provisional,
    rewording_warnings,
    robustness,
    score_words,
)

__all__ = [
    "LEVEL", "LIKELIHOOD", "PENALTY", "STEPS", "VALUE", "MatrixInput", "Robustness", "Row", "bayes", "between",
    "both", "build", "changes", "coherent", "compare", "coverage", "dependencies", "diagnosticity", "dispute",
    "fraction", "from_json", "graded_weight", "group", "group_rating", "group_words", "natural", "order", "outcome",
    "provisional", "rank", "read_matrix", "rewording_warnings", "robustness", "score_words", "spread", "to_json",
    "weight",
]  # fmt: skip
