"""Whether a sentence of a report makes a claim that documents can support. Pure; in doubt it does.

The distinction of short sentences and titles is made for English: in other languages a short sentence counts as a claim
only if it has a figure, or by chance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from core.audit import citations
from core.audit.document_text import Sentence

NoClaim = Literal[
    "",
    "heading",
    "question",
    "judgement",
    "instruction",
    "caption",
    "about the report",
    "list of sources",
    "too short",
    "comment",
    "running head",
    "of the analysis",
]
NO_CLAIM: dict[NoClaim, str] = {
    "heading": "a heading",
    "question": "a question",
    "judgement": "a judgement of the writer",
    "instruction": "an instruction",
    "caption": "a caption",
    "about the report": "about the report itself",
    "list of sources": "an entry of the list of sources",
    "too short": "too short to be checked",
    "comment": "a comment in the margin",
    "running head": "a running head or foot",
    "of the analysis": "said of the analysis, and computed the same now",
}

_QUESTION = re.compile(r"\?['\"”’»)\]]*\s*$")
_JUDGEMENT = re.compile(
    r"\b(?:we|i|the (?:analyst|author|team|writer)s?)\s(?:\w+ly\s)?(?:assess(?:es)?|judge[sd]?|believe[sd]?"
    r"|think|thinks|estimate[sd]?|conclude[sd]?|consider(?:s|ed)?|expect(?:s|ed)?|"
    r"suspect(?:s|ed)?|recommend(?:s|ed)?|propose[sd]?|suggest(?:s|ed)?|feel|regard|rate[sd]?|infer(?:s|red)?"
    r"|hold|find it|cannot (?:exclude|rule out|say|tell))\b"
    r"|\bin (?:our|my) (?:view|judge?ment|opinion|assessment)\b|\bour (?:view|judge?ment|assessment|confidence"
    r"|conclusion|finding)s?\b|\bit is (?:our|my) (?:view|judge?ment|assessment)\b"
    r"|\bwith (?:high|moderate|low|medium) confidence\b",
    re.IGNORECASE,
)
_INSTRUCTION = re.compile(
    r"^(?:please|see|compare|check|refer|cf\.|contact|click|do not|don't|make sure|ensure)\b"
    r"(?!.*\b(?:was|were|is|are|had|has|did)\b)",
    re.IGNORECASE,
)
_CAPTION = re.compile(
    r"^(?:figure|fig\.|table|chart|map|exhibit|photo(?:graph)?|appendix|annex|box|source"
    r"|sources)\s*[\dIVX.:]*\s*[:.\u2013\u2014-]",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\bth(?:is|e present) (?:report|paper|document|analysis|assessment|section|chapter|table|figure|annex"
    r"|appendix|memo(?:randum)?|note|summary|study|review|page)\b"
    r"|\b(?:the )?(?:following|next|previous|preceding) (?:section|chapter|table|page|paragraph)s?\b|\b(?:see"
    r"|as (?:shown|listed|described) in) (?:section|table|figure|annex|appendix|below|above)\b"
    r"|^(?:prepared|written|compiled|drafted|generated|printed|distribution|classification|status|version|date"
    r"|author|title|subject|from|to|cc)\b[^.]{0,80}[:]|^(?:prepared|written|compiled|drafted|generated"
    r"|printed) (?:by|for|on|with)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|shall|should|may|might"
    r"|must)\b|\b\w{3,}(?:ed|es|en|ing)\b|\b\w{3,}[^s\W]s\b|n['’]t\b",
    re.IGNORECASE,
)
_ARTICLE = "the|an?|this|that|these|those|his|her|its|their|our|my|your|no|every|each|some|any|all|both|many|few"
_JOINING = (
    "of|in|on|at|by|for|from|to|with|without|under|over|after|before|during|between|against|about|near|behind|into"
    "|through|until|since|within|beyond|beside|and|or|but|as|than|like|per|via|not|only|also|even|when|if|because"
)
# A lower-case word before an article or an object that is no preposition or conjunction is a verb: "stole the key".
_BEFORE_OBJECT = re.compile(
    rf"(?<=\w )(?!(?:{_JOINING}|{_ARTICLE})\b)[a-z]{{2,}} (?:the|an?|his|her|its|their|our|my|him|them|it|me|us|himself"
    r"|herself|itself|themselves)\b"
)
_SUBJECT = re.compile(r"[\"“'‘(]*(?!(?:yes|please|thanks?|dear|re|no)\b)[A-Z]", re.IGNORECASE)
_ENDED = re.compile(r"[.!][\"”'’)]*$")
# A chain of nouns without a predicate: "The night of the fire.", "In the hut by the river."
_THINGS = re.compile(
    rf"(?:(?:{_JOINING}) )?(?:(?:{_ARTICLE}) )?[\w'’-]+(?: (?:{_JOINING}) (?:(?:{_ARTICLE}) )?[\w'’-]+)*", re.IGNORECASE
)
_FEWEST_WORDS = 3


def no_claim(sentence: Sentence, names: Sequence[str] = ()) -> NoClaim:
    """Return why a sentence is no claim, '' for a claim."""
    text = sentence.text.strip()
    if sentence.kind == "heading":
        return "heading"
    if sentence.kind == "comment":
        return "comment"
    if sentence.kind == "furniture":
        return "running head"
    if citations.is_source_list(sentence.section) and (
        sentence.kind in ("item", "note", "row") or citations.entry(text)
    ):
        return "list of sources"
    uncited = text
    for mention in reversed(citations.find(text, names)):
        uncited = uncited[: mention.start] + " " + uncited[mention.end :]
    words = re.findall(r"(?<!\w)[^\W\d_]+(?:['’-][^\W\d_]+)*(?!\w)", uncited)
    if len(words) < _FEWEST_WORDS:
        return "too short"
    if sentence.kind == "note" and not (_VERB.search(uncited) and len(words) > 5):
        return "list of sources"
    if citations.entry(text) and citations.is_source_list(sentence.section):
        return "list of sources"
    if text.count(" · ") > 1 and not re.search(r"[.!?]$", text):
        return "about the report"  # a line of parts in a row
    if _QUESTION.search(text):
        return "question"
    if _CAPTION.match(text):
        return "caption"
    if _ABOUT.search(text):
        return "about the report"
    if _JUDGEMENT.search(uncited):
        return "judgement"
    if _INSTRUCTION.match(text):
        return "instruction"
    if sentence.kind in ("row", "item", "text") and not has_verb(uncited) and not re.search(r"\d", uncited):
        return "too short" if len(words) < 8 else ""
    return ""


def has_verb(text: str) -> bool:
    """Return whether a sentence has a predicate: by the form or the position of a verb, or by being complete.

    A complete sentence begins with a subject, ends with a full stop, and is more than a chain of nouns.
    """
    line = " ".join(text.split())
    if _VERB.search(line) or _BEFORE_OBJECT.search(line):
        return True
    words = re.sub(r"\s*[,;:.!\"“”()]+\s*", " ", line).strip()
    return bool(_SUBJECT.match(line) and _ENDED.search(line)) and _THINGS.fullmatch(words) is None
