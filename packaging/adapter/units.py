"""Training units out of public sets: a passage, and what it says of several hypotheses.

Only sets whose licences let trained weights be given away are read (README.md beside this file). They are widened by
rule: a plain negation turns for into against; a number that the passage gives too, changed, turns for into against; a
claim on another passage of the same matter is left open; sentences of other passages stand around the decisive one;
and a claim is set into a phrase that confirms it, rules it out or leaves it open.
"""

from __future__ import annotations

import collections
import hashlib
import json
import random
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

SUPPORTS, CONTRADICTS, NEUTRAL = 0, 1, 2
LABELS = {"supports": SUPPORTS, "contradicts": CONTRADICTS, "neutral": NEUTRAL}

Row = tuple[str, str, int]  # passage, hypothesis, label
Unit = tuple[str, list[tuple[str, int]]]

# --- negation ------------------------------------------------------------------------------------------------------

_VERBS = re.findall(
    r"\w+",
    "reduces increases causes prevents inhibits promotes leads induces improves activates plays contributes protects "
    "requires affects stars lives works contains includes regulates enhances produces suppresses decreases makes takes "
    "belongs begins ends remains spreads appears occurs results depends binds controls drives triggers",
)
# A claim with one of these says something else, or too much, once a "not" is put in.
_LOOSE = re.compile(
    r"\b(all|some|every|each|only|most|many|few|may|might|never|no|not|nor|neither|none|both|either|any|always|often|"
    r"sometimes|mainly|mostly|solely|exclusively|at least|at most|because|when|if|who|which|that)\b|n't|\d+\.\d+|;",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r" (has been|have been|had been|is|are|was|were|can|could|will|would) ")
_ANY_AUXILIARY = re.compile(r" (is|are|was|were|can|could|will|would|has|have|had) ")
_VERB = re.compile(" (" + "|".join(_VERBS) + ") ")
_DENIALS = (
    "It is not true that {claim}.",
    "It is not the case that {claim}.",
    "It is false that {claim}.",
    "It is wrong to say that {claim}.",
)


def negation(claim: str) -> str | None:
    """Return the plain negation of a claim with one auxiliary or one known verb; None where it is not that simple."""
    if _LOOSE.search(claim):
        return None
    if match := _AUXILIARY.search(claim):
        if len(_ANY_AUXILIARY.findall(claim)) > 1:
            return None
        first, *rest = match[1].split()
        return f"{claim[: match.start()]} {' '.join([first, 'not', *rest])} {claim[match.end() :]}"
    if match := _VERB.search(claim):
        return f"{claim[: match.start()]} does not {match[1][:-1]} {claim[match.end() :]}"
    return None


def with_denials(units: Iterable[Unit], share: float, chance: random.Random) -> list[Unit]:
    """Ask ``share`` of the passages the denial of one of their claims too.

    It turns for into against whatever the claim says.
    """
    wider = []
    for passage, claims in units:
        if chance.random() < share:
            claim, label = chance.choice(claims)
            if not claim.startswith("It is ") and "?" not in claim and len(claim.split()) > 2:
                wording = _DENIALS[0] if chance.random() < 0.7 else chance.choice(_DENIALS)
                claims = [*claims, (wording.format(claim=_inside(claim)), _opposite_label(label))]
        wider.append((passage, claims))
    return wider


def _inside(claim: str) -> str:
    """Return the claim as it stands after "that": without its full stop, small where its first word is no name."""
    common = re.findall(r"\w+", "the a an there it in on at this these people many his her their")
    text = claim.rstrip(". ")
    return text[0].lower() + text[1:] if text.split()[0].lower() in common else text


# --- numbers -------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d+)(?![\w.-]|,\d)")


def other_number(claim: str, passage: str, chance: random.Random) -> str | None:
    """Change one number of the claim that the passage gives too; None without one."""
    matches = [match for match in _NUMBER.finditer(claim) if match[1] in passage]
    if not matches:
        return None
    match = chance.choice(matches)
    old = int(match[1].replace(",", ""))
    if 1500 < old < 2100:
        new = old + chance.choice([-12, -7, -3, -2, -1, 1, 2, 3, 5, 8, 11, 20])
    elif old > 3:
        new = max(1, round(old * chance.choice([0.3, 0.5, 0.7, 1.4, 2, 3, 5])))
    else:
        new = old + chance.choice([2, 3, 4])
    if new == old or str(new) in passage:
        return None
    return claim[: match.start()] + (f"{new:,}" if "," in match[1] else str(new)) + claim[match.end() :]


# --- direction -----------------------------------------------------------------------------------------------------

_PAIRS = """increase decrease
increases decreases
increased decreased
increasing decreasing
raises lowers
raised lowered
higher lower
more less
greater smaller
larger smaller
longer shorter
faster slower
stronger weaker
better worse
improves worsens
improved worsened
high low
promotes inhibits
promoted inhibited
promote inhibit
enhances suppresses
enhanced suppressed
enhance suppress
activates inhibits
activation inhibition
upregulates downregulates
upregulated downregulated
induces prevents
causes prevents
effective ineffective
sufficient insufficient
necessary unnecessary
safe unsafe
harmful harmless
beneficial harmful
protective harmful
positive negative
positively negatively
common rare
commonly rarely
frequently rarely
likely unlikely
earlier later
above below
possible impossible
succeeded failed
accepted rejected
rise fall
rose fell
rising falling
open closed
opened closed
male female
men women
older younger
old young
north south
east west
reliable unreliable
stable unstable
susceptible resistant
sensitive resistant
symptomatic asymptomatic
alive dead
similar different"""
_OPPOSITE: dict[str, str] = {}
for _one, _other in (line.split() for line in _PAIRS.splitlines()):
    _OPPOSITE.setdefault(_one, _other)
    _OPPOSITE.setdefault(_other, _one)
_DIRECTION = re.compile(r"(?<![\w-])(" + "|".join(sorted(_OPPOSITE, key=len, reverse=True)) + r")(?![\w-])")


def reverse_direction(claim: str) -> tuple[str, str] | None:
    """Turn the one word of direction of a claim round; return the claim, and that word.

    None where there is none, or several, or where a "not" or a "some" would leave both claims true.
    """
    words = _DIRECTION.findall(claim)
    if len(words) != 1 or _LOOSE.search(claim.replace(words[0], "")):
        return None
    return _swap_direction(claim, words[0]), words[0]


def _swap_direction(text: str, word: str) -> str:
    return re.sub(rf"(?<![\w-]){word}(?![\w-])", _OPPOSITE[word], text)


def _counterfactual(rows: Iterable[Row]) -> list[Unit]:
    """Change the word of direction, or the number, that a passage shares with a claim, so that it speaks against it.

    The same claim gets both labels, and only the passage can tell which.
    """
    units = []
    for passage, claim, label in rows:
        if label == SUPPORTS and (reversal := reverse_direction(claim)):
            other, word = reversal
            if len(re.findall(rf"(?<![\w-]){word}(?![\w-])", passage)) == 1 and _OPPOSITE[word] not in passage:
                units.append((_swap_direction(passage, word), [(claim, CONTRADICTS), (other, SUPPORTS)]))
    return units


# --- phrases that confirm, rule out or leave open ------------------------------------------------------------------

_PHRASES = {
    SUPPORTS: """The inquiry confirmed that {claim}.
Records show that {claim}.
It was established beyond doubt that {claim}.
There is now no doubt that {claim}.
Tests have proved that {claim}.
It has been verified that {claim}.
The review found that {claim}.
As the documents make clear, {claim}.
It is a fact that {claim}.
After months of work the team could show that {claim}.
Nobody disputes any longer that {claim}.
The court found it proved that {claim}.
It is not false that {claim}.
The earlier denial was wrong: {claim}.
The figures leave no doubt that {claim}.""",
    CONTRADICTS: """Investigators ruled out that {claim}.
It is not true that {claim}.
Tests disproved the claim that {claim}.
The report that {claim} turned out to be false.
The records show that the statement that {claim} is wrong.
It was established that it is not the case that {claim}.
The review refuted the idea that {claim}.
The claim that {claim} has been withdrawn as untrue.
Contrary to what was first said, it is not so that {claim}.
The document claiming that {claim} was a forgery, and its content was shown to be invented.
That {claim} could be excluded with certainty.
The belief that {claim} was found to be mistaken.""",
    NEUTRAL: """It is unclear whether {claim}.
Some sources claim that {claim}; others deny it.
It has been suggested that {claim}, but this has not been examined.
The committee will look into the question of whether {claim}.
It may be that {claim}.
Nobody has checked whether {claim}.
According to an unconfirmed report, {claim}.
A rumour has it that {claim}.
Whether {claim} remains an open question.
It cannot be excluded that {claim}.
A spokesman alleged that {claim}, which the other side rejects.
Possibly {claim}, though no data are available.
We do not know if {claim}.
One witness believes that {claim}; she did not see it herself.
The team plans to test whether {claim}.
There is insufficient evidence to say whether {claim}.
If the rumours are right, {claim}.""",
}
_BESIDE = """The matter was discussed at length.
The report has forty pages.
It was published in the spring.
Two reviewers read the text before it went out.
The summary follows.
Further details are given in the annex.
The author has written about this before.
The letter is dated and signed.
No other remarks were made.
The meeting ended soon after.
Readers had asked about it.
The text was later translated.""".splitlines()


def _phrase_units(rows: Sequence[Row], count: int, chance: random.Random) -> list[Unit]:
    claims = dict.fromkeys(claim for _, claim, _ in rows)
    short = [claim for claim in claims if 25 < len(claim) < 160 and not re.search(r"[?]|\bthat\b", claim)]
    units = []
    for _ in range(count):
        claim, label = chance.choice(short), chance.randrange(3)
        text = chance.choice(_PHRASES[label].splitlines()).format(claim=_inside(claim))
        if chance.random() < 0.5:
            beside = chance.sample(_BESIDE, chance.randint(1, 2))
            text = _among(text, beside, chance)
        pairs = [(claim if claim.endswith(".") else claim + ".", label)]
        if (denial := negation(claim)) and chance.random() < 0.7:
            pairs.append((denial, _opposite_label(label)))
        if chance.random() < 0.3:
            other = chance.choice(short)
            if len(_content(other) & _content(claim)) < 2:
                pairs.append((other, NEUTRAL))
        units.append((text, pairs))
    return units


# --- the sets ------------------------------------------------------------------------------------------------------


def of_sets(folder: Path, seed: int = 0) -> list[Unit]:
    """Return all units out of the sets in ``folder``; the same seed gives the same ones."""
    chance = random.Random(seed)
    cad = _read(folder / "cad_nli" / "train.jsonl")
    conj = _read(folder / "conjnli" / "train.jsonl")
    conj = [row for label in range(3) for row in chance.sample([row for row in conj if row[2] == label], 1_100)]
    opinions = chance.sample(_read(folder / "perspectrum" / "train.jsonl"), 3_000)
    fever = _read(folder / "fever_dev2way" / "train.jsonl")
    sentences = _read(folder / "scifact" / "sentence_train.jsonl")
    abstracts = _read(folder / "scifact" / "abstract_train.jsonl", longest=1_500)
    covid = _read(folder / "check_covid" / "train.jsonl")
    units = _by_passage(cad, 5, chance)
    units += _among_others(_by_passage(conj, 5, chance), 0.25, chance)
    units += _by_passage(opinions, 5, chance)
    units += _among_others(_widen(fever, chance), 0.35, chance)
    units += _among_others(_widen(sentences, chance, near_ones=0.25), 0.3, chance)
    units += _by_passage(abstracts, 5, chance)
    units += _counterfactual([*fever, *sentences, *covid])
    for _ in range(2):
        units += _among_others(_widen(covid, chance, near_ones=0.25), 0.3, chance)
    return units + _phrase_units([*fever, *covid, *sentences], 2_600, chance)


def held_out(group: str) -> bool:
    """Tell whether a group of the pairs written one by one is kept from training: one in twenty.

    It is drawn by the group's name without a year of release at its end, since two releases of a record say the same.
    """
    return _draw(group) % 20 == 0


def _draw(group: str) -> int:
    return int(hashlib.sha256(re.sub(r"__20\d\d", "", group).encode()).hexdigest()[:8], 16)


def of_pairs(file: Path, fraction: float, chance: random.Random) -> list[Unit]:
    """Read the passages of the pairs written one by one, each with all of its hypotheses, without the groups held out.

    ``fraction`` of the groups are taken, the same ones of every smaller fraction among them. Half of the lay claims on
    abstracts are left out: there a claim alone gives away too much of its label.
    """
    claims_of: dict[str, list[tuple[str, int]]] = {}
    for line in file.read_text("utf-8").splitlines():
        row = json.loads(line)
        draw = _draw(row["group"])
        if held_out(row["group"]) or draw // 20 % 1_000 >= 1_000 * fraction:
            continue
        if row["field"] == "abstracts, lay claims" and draw // 20_000 % 2:
            continue
        passage = " ".join(row["evidence"].split())
        claims_of.setdefault(passage, []).append((" ".join(row["claim"].split()), LABELS[row["label"]]))
    units = []
    for passage, claims in claims_of.items():
        chance.shuffle(claims)
        units.append((passage, claims))
    return units


def sample(units: Sequence[Unit], pairs: int, chance: random.Random) -> list[Unit]:
    """Draw units at random until they hold ``pairs`` pairs, or all there are."""
    drawn_units, pair_count = [], 0
    for unit in chance.sample(list(units), len(units)):
        if pair_count >= pairs:
            break
        drawn_units.append(unit)
        pair_count += len(unit[1])
    return drawn_units


def _read(file: Path, *, longest: int = 900) -> list[Row]:
    rows = (json.loads(line) for line in file.read_text("utf-8").splitlines())
    return [
        (" ".join(row["evidence"].split()), " ".join(row["claim"].split()), LABELS[row["label"]])
        for row in rows
        if row.get("label") in LABELS and isinstance(row.get("evidence"), str) and 15 < len(row["evidence"]) < longest
    ]


def _by_passage(rows: Iterable[Row], most: int, chance: random.Random) -> list[Unit]:
    claims_of: dict[str, list[tuple[str, int]]] = {}
    for passage, claim, label in rows:
        claims_of.setdefault(passage, []).append((claim, label))
    units = []
    for passage, claims in claims_of.items():
        once = list(dict.fromkeys(claims))
        chance.shuffle(once)
        units += [(passage, once[at : at + most]) for at in range(0, len(once), most)]
    return units


def _widen(rows: Sequence[Row], chance: random.Random, *, near_ones: float = 1.0) -> list[Unit]:
    """Add to each passage's claims their negations, changed numbers, and claims of other passages near to it.

    The last for ``near_ones`` of the passages: fewer where the set has neutral claims of its own, or a field would be
    all neutral.
    """
    passages: dict[str, set[str]] = {}
    for passage, claim, _ in rows:
        passages.setdefault(claim, set()).add(passage)
    words = {claim: _content(claim) for claim in passages}
    with_word: dict[str, list[str]] = collections.defaultdict(list)
    for claim, those in words.items():
        for word in sorted(those):
            with_word[word].append(claim)
    units = []
    for passage, own_pairs in _by_passage(rows, 3, chance):
        pairs = list(own_pairs)
        for claim, label in own_pairs:
            denial = negation(claim)
            if label != NEUTRAL and chance.random() < 0.6:
                if denial is None and chance.random() < 0.12:
                    denial = chance.choice(_DENIALS).format(claim=_inside(claim))
                if denial:
                    pairs.append((denial, _opposite_label(label)))
            elif label == NEUTRAL and denial and chance.random() < 0.4 * near_ones:
                pairs.append((denial, NEUTRAL))
            if label == SUPPORTS and chance.random() < 0.8 and (other := other_number(claim, passage, chance)):
                pairs.append((other, CONTRADICTS))
            often = 0.7 if label == SUPPORTS else 0.7 * near_ones if label == NEUTRAL else 0.0
            if chance.random() < often and (reversal := reverse_direction(claim)):
                pairs.append((reversal[0], CONTRADICTS if label == SUPPORTS else NEUTRAL))
        own = {claim for claim, _ in own_pairs}
        content = _content(passage)
        overlap: collections.Counter[str] = collections.Counter()
        for word in sorted(content):
            if len(with_word[word]) < 300:
                overlap.update(with_word[word])
        near = [
            claim
            for claim, _ in overlap.most_common(40)
            if claim not in own
            and passage not in passages[claim]
            and len(words[claim] & content) < 0.7 * len(words[claim])
            and not any(len(words[claim] & words[o]) > 0.6 * min(len(words[claim]), len(words[o])) for o in own)
        ]
        if near and chance.random() < near_ones:
            claim = chance.choice(near[:15])
            pairs.append((claim, NEUTRAL))
            if chance.random() < 0.25 and (denial := negation(claim)):
                pairs.append((denial, NEUTRAL))
        units.append((passage, list(dict(pairs).items())[:6]))
    return units


def _among_others(units: Sequence[Unit], share: float, chance: random.Random) -> list[Unit]:
    """Set one to three other passages around ``share`` of the passages: the decisive sentence is somewhere."""
    short = [passage for passage, _ in units if len(passage) < 350]
    result = []
    for passage, claims in units:
        if chance.random() < share and len(passage) < 500:
            about = set().union(*(_content(claim) for claim, _ in claims))
            around = [
                o for o in chance.sample(short, chance.randint(1, 3)) if o != passage and len(_content(o) & about) < 2
            ]
            passage = _among(passage, around, chance)
        result.append((passage, claims))
    return result


def _among(text: str, others: Sequence[str], chance: random.Random) -> str:
    cut = chance.randint(0, len(others))
    return " ".join(part if part[-1:] in ".!?" else part + "." for part in [*others[:cut], text, *others[cut:]])


def _opposite_label(label: int) -> int:
    return label if label == NEUTRAL else 1 - label


def _content(text: str) -> set[str]:
    return set(re.findall(r"[a-z]{5,}|[A-Z]\w{3,}", text))
