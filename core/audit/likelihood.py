"""Words of likelihood (ICD 203) in a sentence, compared with the matrix. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.answers.sentences import beginnings
from core.audit import rules
from core.audit.rules import Difference

# Both rows of ICD 203, in hundredths; the longer phrase before the shorter.
INTERVALS: tuple[tuple[str, float, float], ...] = (
    (r"almost no chance|remote(?:ly)?(?: chance| possibility)?", 0.01, 0.05),
    (r"very unlikely|highly (?:improbable|unlikely)|very improbable", 0.05, 0.20),
    (r"unlikely|improbabl[ey]|probably not", 0.20, 0.45),
    (r"roughly even(?: chance| odds)?|even chance|even odds", 0.45, 0.55),
    (r"very likely|highly (?:probable|likely)|very probabl[ey]|most likely|in all likelihood", 0.80, 0.95),
    (
        r"almost certain(?:ly)?|nearly certain|virtually certain|certainly|beyond (?:any )?doubt|undoubtedly|no doubt",
        0.95,
        0.99,
    ),
    (r"likely|probabl[ey]", 0.55, 0.80),
)
_PHRASE = re.compile(
    "|".join(rf"(?P<i{index}>\b(?:{words})\b)" for index, (words, _, _) in enumerate(INTERVALS)), re.IGNORECASE
)
_CONFIDENCE = re.compile(r"\b(?:high|moderate|medium|low) confidence\b", re.IGNORECASE)
_ABOUT = 0.5  # share of the words of a hypothesis that a sentence must hold to be about it
_SLACK = 0.02


def check(
    sentence: str, hypotheses: Sequence[tuple[str, str]], probabilities: Mapping[str, float], leaders: Sequence[str]
) -> list[Difference]:
    """List likelihoods of a sentence that differ from the matrix, and mixtures of likelihood and confidence.

    ``hypotheses`` are (id, text); ``probabilities`` are those of Bayes' rule, empty if no hypothesis leads.
    """
    phrases = list(_PHRASE.finditer(sentence))
    if not phrases:
        return []
    result = []
    confidence = _CONFIDENCE.search(sentence)
    if confidence is not None:
        first = phrases[0]
        result.append(Difference("confidence", first.group(), confidence.group(), first.start(), first.end(), False))
    hypothesis = about(sentence, hypotheses)
    if not hypothesis or hypothesis not in probabilities:
        return result
    value = probabilities[hypothesis]
    for phrase in phrases:
        _, low, high = INTERVALS[int((phrase.lastgroup or "i0")[1:])]
        if not low - _SLACK <= value <= high + _SLACK:
            words = f"{hypothesis}: {value:.0%} in the matrix"
            result.append(Difference("likelihood", phrase.group(), words, phrase.start(), phrase.end()))
            break
    return result


def about(sentence: str, hypotheses: Sequence[tuple[str, str]]) -> str:
    """Return the hypothesis that a sentence names, or most of whose words it has; '' for none or several."""
    ids = [identity for identity, _ in hypotheses if re.search(rf"\b{re.escape(identity)}\b", sentence)]
    if ids:
        return ids[0] if len(ids) == 1 else ""
    sentence_words = set(beginnings(sentence))
    rows = []
    for identity, text in hypotheses:
        words = {beginnings(word)[0] for word, _, _ in rules.content(text)}
        rows.append((len(words & sentence_words) / len(words) if words else 0.0, identity))
    rows.sort(key=lambda row: (-row[0], row[1]))
    if not rows or rows[0][0] < _ABOUT or (len(rows) > 1 and rows[0][0] - rows[1][0] < 0.1):
        return ""
    return rows[0][1]
