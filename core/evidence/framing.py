"""What frames a quotation in its sentence on the page and is outside of it. Pure.

A denial, a doubt, a condition, or the person whose statement it is: without it the words say something else, though
they are on the page in this order. A report that says as much itself may leave it out of the quotation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from core.domain import Page
from core.english import CALENDAR, any_of
from core.evidence.quotes import Match
from core.evidence.word_differences import Difference, What
from core.language.lexicon import words_of
from core.text import NEGATIONS, normalise

_SENTENCE_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s)")
_WHOLE = re.compile(r"[.!?][\"'”’)\]]*\s*$")  # what ends as a sentence does
_NEXT = 120  # characters of the sentences behind, or before a paragraph
_REACH = 600  # characters to either side in which a sentence is looked for

_WORD = r"[^\W_]+(?:['’.-][^\W_]+)*\.?"
_SAYING = words_of("en", "reporting")

# What goes on from a denial to the words that it denies: no clause that is on its own.
_SAME_CLAUSE = r"(?:(?!, (?:and|but|so|yet|while|whereas)\b(?! that\b))[^.;!?])"
_DENIAL_BEFORE = re.compile(
    r"\b(?:not (?:true|the case|certain|clear|proven|established|so)|(?:no|little) (?:evidence|proof|indication|sign)"
    r"|no trace|nothing to (?:show|suggest|prove) that|wrong to (?:say|claim|think|believe|conclude)"
    rf"|den(?:y|ies|ied)(?! everything\b)|false|falsely (?:{any_of(_SAYING)})|untrue"
    r"|refut\w+|never (?:said|claimed|stated)|(?:did|do|does) not (?:say|claim|state|believe|think))\b"
    rf"{_SAME_CLAUSE}*$"
    r"|(?<!no )(?<!without )(?<!without a )(?<!beyond )(?<!not )(?<!never )(?<!to )\bdoubt(?:s|ed)? that\s*$"
    r"|\b(?:I|he|she|we|they|you) doubt(?:s|ed)?\s*$"
    r"|\b(?:instead of \w+ing|(?:other|rather) than)(?: that)?\s*$"
    r"|\b(?:nobody|no one|few|hardly anyone) (?:says?|said|saw|heard|claims?|claimed|believes?|believed|thinks?|thought"
    r"|showed|proved)(?: that)?\s*$|\bis not that\s*$",
    re.IGNORECASE,
)
_UNTRUE = (
    r"(?:not (?:true|the case|so|proven|established)|untrue|false|wrong|a lie|a myth|lies|nonsense|absurd|denied"
    r"|disputed|refuted|disproved)\b"
)
_DENIAL_BEHIND = re.compile(
    r"\s*[\"”’»]?\s*(?:,? which |\((?:this|that|it) )?"
    r"(?:is|was|were|are|has been|proved|proved to be|turned out to be) (?:(?:simply|quite|plainly|later|since) )?"
    rf"{_UNTRUE}|\s*[\u2013\u2014-]+\s*not[.!]"
    r"|\s*[\"”’»]\s*(?:is|was|were|has been) (?:later )?(?:withdrawn|retracted)\b",
    re.IGNORECASE,
)
# The sentence behind, where it takes back all of the one before.
_DENIAL_NEXT = re.compile(
    r"\s*(?:(?:This|That) (?:is|was|has been|proved|turned out to be) (?:(?:simply|quite|plainly|later|since) )?"
    r"(?:not (?:true|the case|so)|untrue|false|a lie|a myth|refuted|disproved|withdrawn|retracted)\b"
    rf"|(?:{_WORD} ){{1,3}}?(?:(?:later|then|since|soon|has|have|had|was|now) )*"
    r"(?:withdrew|withdrawn|retracted|recanted|took back|taken back|denied|denies|disowned) "
    r"(?:(?:this|that|the|his|her|their) (?:\w+ )?(?:statement|claim|remark|account|story|testimony|words|report)"
    r"|this|that|it)\b"
    r"|(?:Not (?:true|so)|Untrue|Nonsense|False)[.!])"
)
# One that takes back several, the one before among them.
_DENIAL_OF_ALL = re.compile(
    r"(?:^|[.!?]\s+)(?:(?:Both|All|These|Those|All of (?:this|these|that|it|them)|(?:This|It) all) "
    r"(?:claims |statements )?(?:is|are|was|were|proved) (?:false|untrue|wrong|a lie|lies|invented|made up)"
    r"|(?:None|Nothing) of (?:this|these|that|it|them) (?:is|are|was|were) (?:true|so))\b"
)
_TAKES_BACK = words_of("en", "taking_back")
_DOUBTS = words_of("en", "doubt")
_DOUBTING_ADVERBS = (
    *("perhaps", "maybe", "possibly", "probably", "presumably", "apparently", "reportedly", "purportedly"),
    *("conceivably", "might", "could"),
)
_SURE_OF_NOTHING = ("allegedly", "supposedly")
_DOUBT_BEFORE = re.compile(
    rf"\b(?:(?:{any_of(_DOUBTS)})(?: to [^\W\d_]+)? that|(?:{any_of(_DOUBTING_ADVERBS)})|(?-i:may)"
    r"|as though|so-called|self-styled|would-be|(?:suppose|supposing|assume|assuming|imagine) that),?\s*[\"“”'‘«]?\s*$",
    re.IGNORECASE,
)
_DOUBT_BEHIND = re.compile(
    rf"\s*[,(\u2013\u2014-]?\s*(?:(?:or )?(?:{any_of((*_SURE_OF_NOTHING, *_DOUBTING_ADVERBS))})"
    r"|I (?:suppose|think|guess|believe|assume)|(?:only )?(?:in part|partly|to some extent))\)?\s*(?:[.,;!?)]|$)",
    re.IGNORECASE,
)
# A heading or label that takes back what is below it.
_LABEL_BEFORE = re.compile(
    r"\b(?:myths?|rumou?rs?|allegations?|fictions?|lies|hearsay|theor(?:y|ies)|hypothes[ie]s|untrue|did not happen)"
    r"\s*:\s*(?:[-*\u2022\u2013]\s*|\(?\w{1,3}[.)]\s*)?[\"“‘«]?\s*$",
    re.IGNORECASE,
)
# A story, or something that was only played or planned, in which it happens.
_STORY_BEFORE = re.compile(
    r"\bin (?:the|a|an|this|that|one|his|her|their|my) (?:\w+ ){0,2}(?:film|movie|novel|play|story|tale|legend|dream"
    r"|nightmare|joke|drill|exercise|rehearsal|simulation|scenario|script|screenplay)\b(?:[^.;!?]{0,60},)?\s*$",
    re.IGNORECASE,
)
# Behind a statement: another that may be true in its place, or a question whether it is.
_LEFT_OPEN_BEHIND = re.compile(
    rf"\s*,? or (?:else |perhaps |maybe )?(?:(?-i:[A-Z]){_WORD}|he|she|it|they|somebody|someone)"
    rf"(?: {_WORD})? (?:did|was|were|had|has|is|are|\w+ed)\b"
    r"|\s*, (?:did|do|does|was|were|is|are|has|have|had|would|could|can|will)(?:n['’]t)? "
    r"(?:he|she|it|they|we|you|I|there)(?: not)?\?",
    re.IGNORECASE,
)
# Before the verb of a quotation: a deed that was planned, ordered or refused.
_UNDONE_BEFORE = re.compile(
    r"\b(?:(?:failed|refused|declined|forgot|neglected|omitted|planned|intended|wanted|hoped|tried|threatened|promised"
    r"|offered|ordered|asked|told|supposed|meant|going|about|unable|unwilling|expected)(?: (?:him|her|them|us|me))? to"
    r"|(?:should|would|must|ought to)(?: have)?)\s*$",
    re.IGNORECASE,
)
_UNDONE = frozenset(("to", "would", "should", "must", "ought", "will", "shall", "can"))
_DOUBTING = frozenset(
    (*_DOUBTS, *_DOUBTING_ADVERBS, "may", "be", "can", "uncertain", "unclear", "unproven", "supposedly")
)

_SAYING_NOUNS = words_of("en", "saying_noun")
_SAYING_ALONE = words_of("en", "saying_alone")
_ACCORDING = (
    r"(?i:according to|in the (?:view|opinion|words|account) of"
    r"|in (?:his|her|their|[^\W_]+['’]s) (?:view|opinion|words|account|version|imagination|mind|dreams?)\b)"
)
_SPEAKER_BEFORE = re.compile(
    rf"\b(?:(?i:{any_of(_SAYING)})(?: {_WORD}){{0,4}} that|(?i:{any_of(_SAYING_NOUNS)})s? that"
    rf"|(?P<alone>{any_of(_SAYING_ALONE)}|told (?:him|her|them|us|me|the {_WORD}|[A-Z]{_WORD}))"
    rf"|{_ACCORDING}\b[^,;.]{{0,60}}[,:])\s*[,:]?\s*[\"“”'‘«]?\s*$"
)
_SPEAKER_BEHIND = re.compile(
    rf"[\"”’'»]?\s*(?:,[\"”’'»]?\s*(?:(?:or )?so )?"
    r"(?!(?:and|but|or|who|which|where|while|when|because|that|to|having)\b)"
    rf"(?:as )?(?:{_WORD} ){{0,5}}?(?:{any_of(_SAYING)})\b(?! (?:nothing|that|so)\b)(?: {_WORD}){{0,5}}\s*(?:[.,;!?]|$)"
    rf"|,?\s*{_ACCORDING}\b[^;.]{{0,60}}|\s*\([^\W_]+['’]s (?:words|view|opinion|version|claim)\))"
)
# Somebody's next deeds: 'He broke the relay, wrote a note and left.'
_GOES_ON = re.compile(rf",\s*(?:{any_of(_SAYING)})\b[^.;!?]* and (?-i:[a-z])")
_NO_CLAUSE = words_of("en", "no_clause")
_PLAIN = words_of("en", "small")
_SPEAKING = frozenset((*_SAYING, *_SAYING_NOUNS, "according", "view", "opinion", "words", "account", "quoted", "asked"))
_ANYBODY = words_of("en", "anybody")
_NO_NAMES = _PLAIN | _ANYBODY | _SPEAKING | CALENDAR
_CLAUSE_START = re.compile(r"^|[,;:\u2013\u2014(]\s*|\b(?:and|but|while|because|although|though|that)\s+")
_CONDITION_BEHIND = re.compile(
    r"\s*,?\s*(?:(?:but |and )?only )?"
    r"(?:if(?! not\b| anything\b| ever\b)|unless|provided|assuming|in case|on condition)\b",
    re.IGNORECASE,
)
# It takes something back from a statement about all or none of them, and only adds to any other.
_EXCEPTION_BEHIND = re.compile(r"\s*,?\s*(?:except|apart from|but not|other than)\b", re.IGNORECASE)
_ALL_OR_NONE = re.compile(
    r"\b(?:all|every|each|whole|entire|both|any|no|none|never|always|nobody|nothing|nowhere|no one|every\w+|any\w+)\b",
    re.IGNORECASE,
)
_CONDITION_BEFORE = re.compile(
    r"(?:^|[;:]\s*)\W*(?:if|unless|(?:provided|assuming|supposing) that|(?-i:Had|Were|Should) (?!no\b))\b[^;.!?]*,\s*"
    r"(?:then\s+)?$",
    re.IGNORECASE,
)
_CONDITIONS = frozenset(
    ("if", "unless", "provided", "assuming", "case", "condition", "except", "apart", "other", "but")
)


def frame_of(text: str, start: int, end: int, known_words: str = "") -> str:
    """Return the words around text[start:end] that change what it says; '' where ``known_words`` has them."""
    difference = _frame(text, start, end, known_words, known_words)
    return difference.page if difference else ""


def left_out(
    matches: Sequence[Match], page_of: Callable[[str, int], Page], around: str, sentence: str
) -> Difference | None:
    """Return what frames a quotation on the page and the report does not say; None if one place has nothing.

    ``around`` are the report's own words in the paragraph of the quotation, ``sentence`` those in its sentence.
    """
    first = None
    for match in matches:
        difference = _frame(page_of(match.document, match.page).text, match.start, match.end, around, sentence)
        if difference is None:
            return None
        first = first or difference
    return first


def sentence_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the sentence begins in which ``start`` is, and where that ends in which ``end`` is."""
    low, high = max(0, start - _REACH), min(len(text), end + _REACH)
    sentence_start = max((match.end() for match in _SENTENCE_END.finditer(text[low : start + 1])), default=0)
    behind = next((match.end() for match in _SENTENCE_END.finditer(text[end:high])), high - end)
    if _WHOLE.search(text[start:end]) and not text[end : end + 1].strip():
        behind = 0  # what follows is another sentence
    blank, next_blank = text.rfind("\n\n", low, start), text.find("\n\n", end, high)
    first = max(low + sentence_start, blank + 2 if blank >= 0 else 0)
    return min(first, start), min(end + behind, next_blank if next_blank >= 0 else high)


def _frame(text: str, start: int, end: int, around: str, sentence: str) -> Difference | None:
    low, high = sentence_around(text, start, end)
    preceding, quotation, following, then = text[low:start], text[start:end], text[end:high], text[high : high + _NEXT]
    own_words = _folded(around)
    if not _DENIAL_BEFORE.search(around):
        if denial := _DENIAL_BEFORE.search(preceding):
            return _difference(preceding[denial.start() :], "negation")
        if (denial := _DENIAL_BEHIND.match(following)) and not own_words & NEGATIONS:
            return _difference(denial[0], "negation")
        if (denial := _DENIAL_NEXT.match(then) or _DENIAL_OF_ALL.search(then)) and not own_words & NEGATIONS:
            return _difference(denial[0], "negation")
    word = re.search(r"([^\W\d_]+(?:['’]t)?)\s*$", preceding)
    folded = _folded(word[1]) if word else set()
    if word and folded & _TAKES_BACK and not own_words & (folded | NEGATIONS):
        return _difference(word[1], "negation")
    if (doubt := _DOUBT_BEFORE.search(preceding)) and not own_words & _DOUBTING:
        return _difference(doubt[0], "word")
    label = _LABEL_BEFORE.search(preceding if preceding.strip() else text[max(0, low - _NEXT) : start])
    if (doubt := _DOUBT_BEHIND.match(following) or label) and not own_words & (_DOUBTING | _SPEAKING):
        return _difference(doubt[0].strip("():-*\u2022\u2013 \n"), "word")
    is_deed = _first_word(quotation) not in _PLAIN and not quotation[:1].isupper()
    if is_deed and (undone := _UNDONE_BEFORE.search(preceding)) and not own_words & (_UNDONE | _DOUBTING | NEGATIONS):
        return _difference(undone[0], "word")
    story = _STORY_BEFORE.search(preceding) or _LEFT_OPEN_BEHIND.match(following)
    if story and not (_folded(story[0]) - _PLAIN or {""}) <= own_words:
        return _difference(story[0], "word")
    exception = _ALL_OR_NONE.search(quotation) and _EXCEPTION_BEHIND.match(following)
    if (exception or _CONDITION_BEHIND.match(following)) and not own_words & _CONDITIONS:
        return _difference(following, "word")
    if (condition := _CONDITION_BEFORE.search(preceding)) and not own_words & _CONDITIONS:
        return _difference(condition[0], "word")
    speaker = _SPEAKER_BEFORE.search(preceding)
    if speaker and not (speaker["alone"] and _first_word(quotation) in _NO_CLAUSE):
        clause = max(match.end() for match in _CLAUSE_START.finditer(preceding[: speaker.start()]))
        return _speaker(preceding[clause:], own_words, sentence)
    speaker = _SPEAKER_BEHIND.match(following)
    if speaker and not _GOES_ON.match(speaker[0]):
        return _speaker(speaker[0], own_words, sentence)
    return None


def _speaker(frame: str, own_words: set[str], sentence: str) -> Difference | None:
    """Return whose statement a quotation is, unless the report names the same, or names nobody and says it is one."""
    names = {name.casefold() for name in _names(frame)}
    speakers = names or _folded(frame) - _SPEAKING - _PLAIN
    if own_words & speakers or (own_words & _SPEAKING and not (names and _names_a_speaker(sentence))):
        return None
    return _difference(frame, "name" if names else "word")


def _names_a_speaker(sentence: str) -> bool:
    for name in _names(sentence):
        says = rf"\b{re.escape(name)}(?:['’]s)?(?: {_WORD}){{0,2}} (?:{any_of(_SAYING)})\b"
        if re.search(rf"{says}|\b(?:said|says|wrote|according to) {re.escape(name)}\b", sentence):
            return True
    return False


def _names(text: str) -> list[str]:
    """List the words of a text with a capital letter that may name somebody."""
    words = [word for word in re.findall(r"[^\W\d_][\w'’-]*", text) if word[0].isupper()]
    return [word for word in words if word.casefold() not in _NO_NAMES]


def _first_word(text: str) -> str:
    word = re.search(r"\w+", text)
    return word[0].casefold() if word else ""


def _difference(words: str, what: What) -> Difference:
    return Difference("", " ".join(words.split()).strip(" ,.(\"“”'‘’«»"), what)


def _folded(text: str) -> set[str]:
    """Return the words of a text in small letters; those that end in n't are also a 'not'."""
    plain, _ = normalise(text)
    words = re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", plain.casefold())
    return {*words, *("not" for word in words if word.endswith("n't"))}
