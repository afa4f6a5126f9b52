"""A sentence beside its nearest source, word by word: words that the source has in another role. Pure, and for English.

All words of a sentence may be in a source that does not bear it out: what was to be done is not done ('promised to
lock'), what was done to a part is not done to the whole ('half of the crew'), and who is someone's brother is not he.
Each rule looks at how a word is bound in both. A word that the source has several times need be bound alike once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.english import NUMBERS
from core.language.lexicon import words_of
from core.language.word_forms import are_forms
from core.search.ranking import STOP_WORDS
from core.text import BARE_WORD, CELL_BORDER

_UNREAL = words_of("en", "unreal")  # 'to', 'will', 'should': before a verb that tells no fact
_REFUSING = words_of("en", "refusal")
_SAYING = words_of("en", "saying")
_RELATIONS = {
    word: number for number, line in enumerate(sorted(words_of("en", "relation"))) for word in line.split()
}  # words that bind a name or a thing to the rest, those of one line alike
_SKIPPED = frozenset(("the", "a", "an", "his", "her", "its", "their", "our", "my", "this", "that", "these", "those"))
_AUXILIARIES = frozenset(("be", "been", "have", "has", "had", "being", "not", "also", "then", "both", "all"))
_DID = frozenset(("did", "didn't", "do", "don't", "does", "doesn't"))
_BEING = frozenset(("is", "are", "was", "were", "be", "been", "being", "got"))
_GENDERS = (frozenset(("he", "him", "his", "himself")), frozenset(("she", "her", "hers", "herself")))
_WHOLE = ("all", "both", "each")
_JOINTS = frozenset(
    ("and", "or", "but", "as", "who", "whose", "which", "whether", "that", "when", "because", "while", "if")
)
_RELATIVES = ("who", "whose", "which")
_SUBORDINATE = ("after", "although", "as", "because", "before", "once", "since", "though", "until", "when", "while")
_SUBJECTS = ("he", "she", "it", "they", "i", "we")
_SCOPES = frozenset(
    ("only", "no", "all", "every", "each", "both", "most", "many", "few", "first", "second", "third", "last", "twice")
)
_UNIVERSALS = ("all", "every", "each", "no")
_PLACING = frozenset(("on", "in", "at", "of", "from", "with", "without", "near", "under", "who", "which", "that"))
_RANGE = ("to", "until", "till", "and")  # 'from 5 to 6', 'between 5 and 6'
_NOMINAL = ("al", "ion", "ment", "ance", "ence")
_NEAR = 5  # words between a number and what it counts
_MOST_WORDS = 120
_BREAK = re.compile(r"[.;:!?,()]")


@dataclass(frozen=True, slots=True)
class Bond:
    """A word, sentence[start:end], that the nearest source binds otherwise. ``words`` are the source's, '' for none."""

    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Word:
    word: str
    match: re.Match[str]
    is_owner: bool  # 'Sayle's'
    has_break: bool  # a comma or the like precedes it


def bonds(sentence: str, source: str) -> list[Bond]:
    """List the words of a sentence that its nearest source has in another role, at most one of each kind."""
    claim, counterpart = _words(sentence), _words(source)
    places = [
        [index for index, candidate in enumerate(counterpart) if _is_same(word.word, candidate.word)] for word in claim
    ]
    result = _other_gender(claim, counterpart)
    for rule in _RULES:
        for index, matches in enumerate(places):
            if matches and (bond := rule(claim, index, counterpart, matches)) is not None:
                result.append(bond)
                break
    return result


def _other_gender(claim: Sequence[_Word], source: Sequence[_Word]) -> list[Bond]:
    """Return a pronoun of a sentence whose source has only those of the other gender."""
    words = {word.word for word in source}
    for own, other in (_GENDERS, _GENDERS[::-1]):
        word = next((word for word in claim if word.word in own), None)
        if word is not None and words & other and not words & own:
            return [Bond("", *word.match.span())]
    return []


def is_unreal(sentence: str, source: str) -> bool:
    """Return whether a source tells of a plan, a duty or a wish what a sentence or a question takes for a fact."""
    claim, counterpart = _words(sentence), _words(source)
    is_row = CELL_BORDER in source  # 'last service: May' is a heading and no plan
    if is_row or any(word.word in _UNREAL and word.word != "to" for word in claim):
        return False
    for index, word in enumerate(claim):
        matches = [place for place, candidate in enumerate(counterpart) if _is_same(word.word, candidate.word)]
        if matches and _unreal(claim, index, counterpart, matches) is not None:
            return True
    return False


def _words(text: str) -> list[_Word]:
    result: list[_Word] = []
    end = 0
    for match in list(BARE_WORD.finditer(text))[:_MOST_WORDS]:
        plain = match.group().casefold().replace("’", "'")
        has_break = bool(_BREAK.search(text[end : match.start()]))
        result.append(_Word(plain.removesuffix("'s"), match, plain.endswith("'s"), has_break))
        end = match.end()
    return result


def _is_same(word: str, candidate: str) -> bool:
    return word not in STOP_WORDS and (word == candidate or are_forms(word, candidate))


def _is_content(word: str) -> bool:
    return word not in STOP_WORDS


# --- what was to be done ---------------------------------------------------------------------------------------------


def _before_verb(words: Sequence[_Word], index: int) -> tuple[str, bool]:
    """Return the word before which a verb tells no fact, '' for none; and whether auxiliaries are between."""
    has_auxiliary = False
    index -= 1
    while index >= 0 and not words[index + 1].has_break:
        word = words[index]
        if word.word in _UNREAL and not (word.word == "may" and word.match.group() == "May"):
            return word.match.group(), has_auxiliary
        if word.word not in _AUXILIARIES and not word.word.endswith("ly"):
            break
        has_auxiliary = has_auxiliary or word.word in ("be", "been", "have")
        index -= 1
    return "", False


def _unreal(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a verb that tells a fact in the sentence, and a plan, a duty or a wish in the source."""
    word = claim[index]
    if _before_verb(claim, index)[0] or (index and word.match.group()[0].isupper()) or word.word in NUMBERS:
        return None
    is_noun = index > 0 and not word.has_break and claim[index - 1].word in (_SKIPPED | _RELATIONS.keys())
    words = ""
    for place in matches:
        candidate = source[place]
        marker, has_auxiliary = _before_verb(source, place)
        if _is_refused(source, place):
            return None  # a denial, which is compared as such
        is_same = candidate.word == word.word
        if marker and (has_auxiliary or not is_same or not is_noun):
            words = f"{marker} {candidate.match.group()}"
        elif (
            not is_same
            and _is_past(word.word)
            and not _has_did(source, place)
            and _is_base(candidate.word, word.word, _previous(source, place))
        ):
            words = candidate.match.group()
        else:
            return None
    return Bond(words, 0, 0)


def _has_did(words: Sequence[_Word], index: int) -> bool:
    """Return whether a verb tells a fact with 'did', or denies one: 'did not lock'."""
    index -= 1
    while index >= 0 and (words[index].word in _AUXILIARIES or words[index].word.endswith("ly")):
        index -= 1
    return index >= 0 and words[index].word in _DID


def _is_refused(words: Sequence[_Word], index: int) -> bool:
    """Return whether a word of refusal governs a verb: 'failed to lock'."""
    return index > 1 and words[index - 1].word == "to" and words[index - 2].word in _REFUSING


def _is_past(word: str) -> bool:
    return len(word) > 4 and word.endswith("ed")


def _is_base(candidate: str, past: str, previous: str) -> bool:
    """Return whether a word tells of no fact that a past form does: 'lock', 'locking' and 'locked'; 'approval'."""
    stem = past.removesuffix("ed")
    bases = (stem, f"{stem}e", stem[:-1], re.sub("i$", "y", stem))
    is_gerund = candidate.endswith("ing") and previous not in _BEING
    return is_gerund or candidate in bases or candidate.endswith(_NOMINAL)


def _previous(words: Sequence[_Word], index: int) -> str:
    return words[index - 1].word if index else ""


def _active(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a verb whose doer in the source, behind 'by', the sentence does not name, but for one that names none."""
    word = claim[index]
    if not _is_past(word.word) or any(item.word in _BEING for item in claim[max(0, index - 3) : index]):
        return None
    for place in matches:
        following = [item.word for item in source[place + 1 : place + 4] if item.word not in _SKIPPED]
        doer = following[1] if len(following) > 1 and following[0] == "by" else ""
        if not doer or any(_is_same(doer, item.word) for item in claim):
            return None
    return Bond("", *word.match.span())


# --- the part and the whole ------------------------------------------------------------------------------------------


def _part(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a word that the source has only as what something else is of: 'half of the crew', 'Sayle's brother'."""
    word = claim[index]
    if word.is_owner and not any(source[place].is_owner or _head(source, place) for place in matches):
        return Bond("", *word.match.span())
    if word.is_owner or word.match.group().isdigit() or word.word in NUMBERS:
        return None
    own_words = [item.word for item in claim]
    head = _head(claim, index)
    others = [place for place in range(len(source)) if head and _is_same(head, source[place].word)]
    others = [place for place in others if place + 1 < len(source) and source[place + 1].word == "of"]
    if others and not any(0 < place - head_place <= _NEAR for place in matches for head_place in others):
        return Bond("", *word.match.span())  # six boxes of salt, where the source has six of sugar
    for place in matches:
        head = _head(source, place)
        if not head and source[place].is_owner and place + 1 < len(source):
            head = source[place + 1].word
        if not head or head in (*own_words, *_WHOLE) or any(_is_same(head, own_word) for own_word in own_words):
            return None
    return Bond("", *word.match.span())


def _head(words: Sequence[_Word], index: int) -> str:
    """Return the word before 'of' that a word depends on, '' for none."""
    while index > 0 and not words[index].has_break:
        index -= 1
        if words[index].word == "of":
            return words[index - 1].word if index else ""
        if words[index].word in STOP_WORDS - _SKIPPED or words[index].match.group().isdigit():
            break
    return ""


# --- from and to, before and after -----------------------------------------------------------------------------------


def _relation(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a word that the source binds by a word of another sense: 'from the depot', 'to the depot'."""
    relation = _relation_of(claim, index)
    if relation is None:
        return None
    relations = [_relation_of(source, place) for place in matches]
    if not any(relations) and _binds_another(relation.word, source, matches):
        return Bond("", *relation.match.span())  # for the guard, where the source has the guard do it for Lund
    if any(item is None or _RELATIONS[item.word] == _RELATIONS[relation.word] for item in relations):
        return None
    if claim[index].word[0].isdigit() and all(item.word in _RANGE for item in (relation, *filter(None, relations))):
        return None
    return Bond("", *relation.match.span())


def _binds_another(relation: str, source: Sequence[_Word], matches: Sequence[int]) -> bool:
    """Return whether a source has a relation, each time before another word."""
    places = [place for place, item in enumerate(source) if item.word == relation and relation not in (*_JOINTS, "by")]
    return bool(places) and not any(_next_content(source, place) in (None, *matches) for place in places)


def _relation_of(words: Sequence[_Word], index: int) -> _Word | None:
    """Return the relation before a word, past the names and figures that belong to it and an article."""
    has_article = False
    while index > 0 and not words[index].has_break:
        index -= 1
        word = words[index]
        if word.word in _RELATIONS:
            return word
        text = word.match.group()
        if has_article or not (word.word in _SKIPPED or text[0].isupper() or text[0].isdigit()):
            break
        has_article = word.word in _SKIPPED
    return None


def _compared(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return the first word after 'than' if the source does not have it after 'than'."""
    following = [place for place, word in enumerate(claim[:index]) if word.word == "than"]
    if not following or any(_is_content(word.word) for word in claim[following[-1] + 1 : index]):
        return None
    borders = [place for place, word in enumerate(source) if word.word == "than"]
    if any(place > border for place in matches for border in borders):
        return None
    return Bond("", *claim[index].match.span())


# --- words that belong together --------------------------------------------------------------------------------------


def _chain(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a word that the source has in another statement than the next word of the sentence.

    Between the two the source joins or subordinates something that the sentence does not say.
    """
    following = _next_content(claim, index)
    if following is None or claim[index].word in _SAYING:
        return None
    word = claim[following]
    places = [place for place, item in enumerate(source) if _is_same(word.word, item.word)]
    own_words = [item.word for item in claim]
    own_joints = {item.word for item in claim[index:following]}
    for left in matches:
        for right in places:
            between = source[min(left, right) + 1 : max(left, right)]
            is_joined = any(
                item.word in _JOINTS
                and item.word not in own_joints
                and not (_goes_on(claim, source, place) or _is_aside(source, place, right))
                for place, item in enumerate(between, min(left, right) + 1)
            )
            borders = [item for item in source[left + 1 : right + 1] if item.has_break]
            if borders and _is_in_aside(source, left) and borders[0].word not in _SUBJECTS:
                continue  # what an aside is about ends with it
            if not is_joined or all(
                not _is_content(item.word) or any(_is_same(item.word, text) for text in own_words) for item in between
            ):
                return None
    return Bond("", *word.match.span()) if places else None


def _is_aside(source: Sequence[_Word], joint: int, right: int) -> bool:
    """Return whether a joint begins an aside between commas that ends before a word: 'Vance, who was ill, left'."""
    is_relative = source[joint].word in _RELATIVES and source[joint].has_break
    return is_relative and any(word.has_break for word in source[joint + 1 : right + 1])


def _is_in_aside(source: Sequence[_Word], place: int) -> bool:
    """Return whether a word is in an aside or a clause of time or cause: 'Vance, whose son', 'When Vance'."""
    first = max(index for index in range(place + 1) if source[index].has_break or not index)
    if first == place:
        return False
    return source[first].word in (_RELATIVES if source[first].has_break else _SUBORDINATE)


def _goes_on(claim: Sequence[_Word], source: Sequence[_Word], joint: int) -> bool:
    """Return whether a joint goes on with what the first words of both texts do: 'The pump stopped and was out'."""
    following = source[joint + 1].word
    is_verb = following in _BEING or following in _AUXILIARIES or _is_past(following)
    if source[joint].word not in ("and", "but", "or") or not is_verb:
        return False
    subject = next((item.word for item in claim if _is_content(item.word)), "")
    return any(
        _is_same(subject, item.word) and not any(_is_content(earlier.word) for earlier in source[:place])
        for place, item in enumerate(source[:joint])
    )


def _object(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a word that follows another at once, and only precedes it in the source: 'blamed the pilot'."""
    following = _next_content(claim, index)
    if following is None or any(item.word not in _SKIPPED for item in claim[index + 1 : following]):
        return None
    places = [place for place, item in enumerate(source) if _is_same(claim[following].word, item.word)]
    if _relation_of(claim, index) is not None:  # 'In March the depot'
        return None
    if not places or any(item.word in _BEING for item in (*claim, *source)):  # a passive turns the order round
        return None
    for left in matches:
        for right in places:
            if (
                left < right
                or any(item.word in ("of", "than") for item in source[right:left])
                or source[right].is_owner
            ):
                return None
    return Bond("", *claim[following].match.span())


def _next_content(words: Sequence[_Word], index: int) -> int | None:
    """Return the next content word of the same clause."""
    for place in range(index + 1, len(words)):
        if words[place].has_break:
            return None
        if _is_content(words[place].word):
            return place
    return None


def _scope(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a word that 'only', 'no' or 'every' is before, where the source has that before another word."""
    ranks = [place for place in range(max(0, index - 3), index) if claim[place].word in _SCOPES]
    if not ranks or _next_content(claim, ranks[-1]) != index:
        return None
    scope = claim[ranks[-1]].word
    others = [place for place, item in enumerate(source) if item.word == scope]
    following = [_next_content(source, place) for place in others]
    if not others or any(place in matches for place in following):
        return None
    return Bond("", *claim[ranks[-1]].match.span())


def _whole_of(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a thing of which all are said what the source says of all somewhere: 'all rooms' of 'all on the top'."""
    wholes = [place for place in range(max(0, index - 3), index) if claim[place].word in _UNIVERSALS]
    if not wholes or _next_content(claim, wholes[-1]) != index:
        return None
    words = ""
    for place in matches:
        following = source[place + 1] if place + 1 < len(source) else None
        if following is None or following.has_break or following.word not in _PLACING:
            return None
        border = _next_content(source, place)
        if border is None or any(_is_same(source[border].word, word.word) for word in claim):
            return None
        words = f"{following.match.group()} {source[border].match.group()}"
    return Bond(words, 0, 0)


def _patient(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return one to whom something is done by the sentence, and who does it, behind 'by', by the source."""
    if not _is_passive(claim, index) or any(word.word == "by" for word in claim[index:]):
        return None
    subject = next((word for word in reversed(claim[: index - 1]) if _is_content(word.word)), None)
    if subject is None:
        return None
    places = [place for place, word in enumerate(source) if _is_same(word.word, subject.word)]
    for verb in matches:
        agents = [place for place in range(verb + 1, len(source)) if source[place].word == "by"]
        if not (_is_passive(source, verb) and agents and places) or min(places) < agents[0]:
            return None
    return Bond("", *subject.match.span())


def _is_passive(words: Sequence[_Word], index: int) -> bool:
    return _previous(words, index) in _BEING or (index > 1 and words[index - 2].word in _BEING)


def _few(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a word that 'few' is before where the source has 'a few', or the other way round."""
    scarce = ("few", "little")
    if _previous(claim, index) not in scarce or not all(_previous(source, place) in scarce for place in matches):
        return None
    has_article = _previous(claim, index - 1) == "a"
    if any((_previous(source, place - 1) == "a") == has_article for place in matches):
        return None
    return Bond("", *claim[index].match.span())


def _turn(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a thing counted by turns in the source alone: 'every second tree'."""
    turns = ("every", "each")
    ordinal = _previous(source, matches[0])
    if _previous(claim, index) != ordinal or _previous(claim, index - 1) in turns:
        return None
    if not all(_previous(source, place - 1) in turns for place in matches):
        return None
    return Bond(f"every {ordinal}", 0, 0)


def _some(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a thing that the source has a number of, where the sentence speaks of all: 'two witnesses'."""
    if not index or _previous(claim, index) not in ("the", "all", "these", "those"):
        return None
    number = ""
    head = _head(claim, index)
    for place in matches:
        number = _previous(source, place)
        if head == number:  # 'few of the members'
            return None
        article = _previous(source, place - 1) if place else ""
        is_number = number in NUMBERS or number.isdigit() or number in ("many", "several", "some", "few", "most")
        if not is_number or article in (*_SKIPPED - {"a"}, "all", "both"):
            return None
    return Bond(number, 0, 0) if number != "one" else None


# --- numbers and what they count -------------------------------------------------------------------------------------


def _counted(claim: Sequence[_Word], index: int, source: Sequence[_Word], matches: Sequence[int]) -> Bond | None:
    """Return a number that the source has, but not near the thing that it counts in the sentence."""
    word = claim[index]
    if not (word.word in NUMBERS or word.word.isdigit()):
        return None
    if _year(word.word):
        return None
    years = {item.word for item in claim if _year(item.word)}
    dated = [place for place, item in enumerate(source) if _year(item.word)]
    if years and len({source[place].word for place in dated}) > 1:
        nearest = {source[min(dated, key=lambda year: _distance(source, place, year))].word for place in matches}
        if not nearest & years:
            return Bond("", *word.match.span())
    following = claim[index + 1 : index + 4]
    noun = next((item.word for item in following if _is_content(item.word)), "")
    if not noun or any(item.has_break for item in following[:1]):
        return None
    things = [place for place, item in enumerate(source) if _is_same(noun, item.word)]
    if not things or any(abs(place - thing) <= _NEAR for place in matches for thing in things):
        return None
    return Bond("", *word.match.span())


def _distance(words: Sequence[_Word], left: int, right: int) -> int:
    """Return how far two words are apart; what lies behind a comma is far."""
    between = words[min(left, right) + 1 : max(left, right) + 1]
    return len(between) + _MOST_WORDS * sum(word.has_break for word in between)


def _year(word: str) -> bool:
    return len(word) == 4 and word.isdigit() and word[:2] in ("18", "19", "20")


_RULES = (
    _unreal,
    _active,
    _part,
    _relation,
    _compared,
    _chain,
    _object,
    _scope,
    _whole_of,
    _patient,
    _few,
    _turn,
    _some,
    _counted,
)
