"""Words in a document that speak to a reader or a model rather than about the matter.

Fixed rules: orders about orders or verdicts, speech to a model, the costume of a prompt, the form of an answer, control
words, invisible tags, the same behind base64. A mark for a person to look at; it decides nothing and removes nothing.
"""

from __future__ import annotations

import base64
import binascii
import functools
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SAID = "the passage contains text addressed to a reader or a model"  # how an explanation begins to tell of it
LONGEST_SHOWN = 60  # characters of the words in question


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """A span of a text and why it is suspected."""

    start: int
    end: int
    reason: str


_VERDICT = r"(?:support(?:s|ed|ing|ive)?|contradict(?:s|ed|ing|ory|ion)?|neutral|refute[sd]?|true|correct|verified)"
_ORDERS = r"(?:instruction|prompt|rule|guideline|direction|command|order|directive|constraint|training|programming)s?"
_PUSH_ASIDE = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|override|overrule|bypass|discard|do not follow|stop following|neglect)"
)
_MODELS = (
    r"(?:ai|a\.i\.|llms?|language models?"
    r"|(?:ai )?(?:assistants?|models?|systems?|agents?|graders?|judges?|classifiers?)"
    r"|chatbots?|chat ?gpt|claude|machine readers?|automated (?:readers?|reviewers?|systems?))"
)

_RULES = tuple(
    (reason, re.compile(pattern, re.IGNORECASE | re.MULTILINE))
    for reason, pattern in (
        # Orders about earlier orders.
        (
            "an order to ignore instructions",
            (
                rf"\b{_PUSH_ASIDE}\b[^.!?\n]{{0,40}}\b(?:previous|prior|above|earlier|preceding|former|your|initial|original"
                rf"|system)\b[^.!?\n]{{0,40}}\b{_ORDERS}\b"
            ),
        ),
        # Without such a word only as an order: people are said to ignore the instructions of a manufacturer, too.
        (
            "an order to ignore instructions",
            (
                rf"(?:^|[^\w\s,'’]\s*|\b(?:please|must|should|shall|now|and|then|just|you|you to)\s+){_PUSH_ASIDE}\b"
                rf"[^.!?\n]{{0,40}}\b(?:all|any|every|these|those|the|other)\b[^.!?\n]{{0,40}}\b{_ORDERS}\b"
            ),
        ),
        (
            "an order to ignore instructions",
            (
                r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what(?:ever)?)\b[^.!?\n]{0,30}"
                r"\b(?:above|before|earlier|previous(?:ly)?|prior|said|told|else|other)\b"
            ),
        ),
        (
            "an order to ignore instructions",
            (
                r"\b(?:ignore|disregard)\s+(?:all|any|the|every)\s+(?:other|previous|prior|earlier|preceding|remaining)\s+"
                r"(?:passages?|evidence|documents?|text|context|hypothes[ei]s|sources?)\b"
            ),
        ),
        (
            "an order to ignore instructions",
            (
                rf"\b(?:new|updated|revised|secret|hidden|additional|special|real|actual)\s+(?:system\s+)?{_ORDERS}\s*(?::|follow)"
            ),
        ),
        (
            "an order to ignore instructions",
            (rf"\byour\s+(?:new|only|real|actual|true|next)\s+(?:{_ORDERS}|task|job|role|goal|purpose)\s+(?:is|are)\b"),
        ),
        (
            "an order to ignore instructions",
            rf"\ball\s+(?:of\s+)?(?:your\s+|the\s+)?(?:previous|prior|earlier|above|preceding)\s+{_ORDERS}\s+(?:are|were|is)"
            r"\s+(?:now\s+|hereby\s+)?(?:void|cancel\w+|null|revoked|obsolete|no longer)\b",
        ),
        # Orders about the verdict.
        (
            "an order about the verdict",
            rf"\b(?:reply|respond|answer|return|output)\s+(?:only\s+)?with\s+(?:the\s+(?:word|label)\s+)?[\"'“‘*`]*{_VERDICT}\b",
        ),
        (
            "an order about the verdict",
            r"\b(?:answer|verdict|label)\s+(?:is|must be|should be|has to be)\s+[\"'“‘*`]*"
            r"(?:supports|contradicts|neutral)\b",
        ),
        (
            "an order about the verdict",
            r"\byour\s+(?:final\s+|only\s+)?(?:answer|verdict|label|rating|output|response|reply)\s+(?:must|should|will"
            rf"|shall|has to|is to)\s+be\s+[\"'“‘*`]*{_VERDICT}\b",
        ),
        (
            "an order about the verdict",
            (
                rf"\b(?:rate|label|mark|classify|score|judge|treat|grade|tag|report|flag|assess|evaluate|count)"
                rf"\s+(?:it|this|that"
                rf"|these|those|everything|every|all|each|any|the|them|both)\b[^.!?\n]{{0,60}}\b(?:as|to be|with)"
                rf"\s+[\"'“‘*]*{_VERDICT}\b"
            ),
        ),
        (
            "an order about the verdict",
            (
                rf"\b(?:always|only|just|simply|must|should|please|now|immediately|to)\s+(?:answer|respond|reply|output|return"
                rf"|print|say|write|emit|choose|select|predict|pick)\b[^.!?\n]{{0,40}}[\"'“‘: ]{_VERDICT}\b"
            ),
        ),
        (
            "an order about the verdict",
            (
                rf"(?:^|[.!?:;\n]\s*|[\"“(\[*#-]\s*)(?:answer|respond|reply|output|return|print|say|write|emit|choose|select"
                rf"|predict|pick)\s+(?:only\s+|just\s+|with\s+|exactly\s+|the\s+words?\s+|the\s+label\s+|that\s+it\s+){{0,3}}"
                rf"[\"'“‘*`]*{_VERDICT}\b"
            ),
        ),
        (
            "an order about the verdict",
            (
                rf"\b(?:correct|right|expected|final|only|true|valid|required)\s+(?:answer|verdict|label|output|classification"
                rf"|response|rating)\b[^.!?\n]{{0,30}}\b(?:is|are|must be|should be|:)\s*[\"'“‘*]*{_VERDICT}\b"
            ),
        ),
        (
            "the form of an answer",
            (rf"^\s*(?:verdict|label|answer|classification|rating|stance)\s*[:=]\s*[\"'“‘*]*{_VERDICT}\b"),
        ),
        ("the form of an answer", (rf"\bverdict\s*:\s*[\"'“‘*]*{_VERDICT}\b")),
        (
            "the form of an answer",
            (rf"[\"']?(?:verdict|label|rating|stance|classification|answer)[\"']?\s*:\s*[\"']{_VERDICT}[\"']"),
        ),
        (
            "an order about the verdict",
            (
                rf"\b(?:set|change|force|make|switch)\s+(?:the\s+|your\s+|every\s+|all\s+)?(?:verdict|label|rating|answer"
                rf"|classification|output)s?\s+(?:to|=)\s*[\"'“‘]?{_VERDICT}\b"
            ),
        ),
        # Speech to a model, or in the costume of one.
        (
            "words addressed to a model",
            r"\bas\s+(?:an?|the)\s+(?:helpful\s+)?(?:ai|a\.i\.|llm|large language|language)\b[ -]*(?:language\s+)?"
            r"(?:models?|assistants?|systems?|,|you\b)",
        ),
        (
            "words addressed to a model",
            r"\b(?:dear|hey|hello|hi|ok|okay)[, ]+(?:the\s+)?(?:ai|llm|language model|ai model|(?:ai )?assistant"
            r"|chatbot|chat ?gpt|claude|gemini|copilot)\b\s*[,:!.-]",
        ),
        ("words addressed to a model", r"\bdear\s+ai\b"),
        (
            "words addressed to a model",
            r"\b(?:instructions?|notes?|messages?|directives?|guidance)\s+(?:to|for)\s+(?:the\s+|any\s+|all\s+)?"
            r"(?:ai|llms?|(?:large )?language models?|chatbots?)\b",
        ),
        (
            "words addressed to a model",
            (
                rf"\b(?:note|message|attention|notice|memo|instructions?|warning|important|reminder)\s*(?:to|for)?\s*:?\s*"
                rf"(?:the\s+|any\s+|all\s+|every\s+)?{_MODELS}\b\s*"
                rf"(?:[:,;!.-]|reading|that|which|who|processing"
                r"|evaluating|when|if)"
            ),
        ),
        (
            "words addressed to a model",
            (
                rf"\b(?:if you are|you are|you're|act as|pretend to be|behave as|roleplay as|you must act as)\s+"
                rf"(?:now\s+|reading\s+this\s+as\s+)?(?:an?\s+|the\s+)?(?:\w+\s+){{0,2}}{_MODELS}\b"
            ),
        ),
        ("words addressed to a model", (r"\byou are now\s+(?:dan\b|in\s+\w+\s+mode|free|unrestricted)")),
        (
            "words addressed to a model",
            (
                r"\b(?:developer|debug|admin(?:istrator)?|god|jailbreak|maintenance)\s+mode\s+(?:is\s+)?(?:on|enabled|activated)\b"
            ),
        ),
        ("words addressed to a model", (r"\b(?:system|developer|hidden|initial)\s+prompt\b")),
        ("words addressed to a model", (r"\bprompt injection\b")),
        ("text dressed up as a prompt", (r"^\s*(?:system|assistant|developer|human|user)\s*(?:message\s*)?[:>]\s*\S")),
        ("text dressed up as a prompt", (r"^\s*#{2,}\s*(?:system|instructions?|assistant|user|response|human)\b")),
        (
            "control words of a model",
            (r"\[/?(?:inst|system|sys)\]|<</?sys>>|</?(?:system|assistant|instructions?|prompt)>|<\|[a-z_]{2,30}\|>"),
        ),
        (
            "control words of a model",
            (r"<(?:start|end)_of_turn>|\bBEGIN (?:SYSTEM|PROMPT|INSTRUCTIONS?)\b|\bEND OF (?:SYSTEM )?PROMPT\b"),
        ),
        (
            "a false end of the text",
            (r"[-=*<\[#]{2,}\s*end of (?:the\s+)?(?:document|passage|text|file|context|input|data)\b"),
        ),
        (
            "text dressed up as a prompt",
            (r"^\s*(?:passage|hypothesis)\s*:\s*\S.{0,400}$(?=[\s\S]{0,400}^\s*(?:verdict|hypothesis)\s*:)"),
        ),
        # The words around a passage and a hypothesis when a judge is asked, also in one line.
        (
            "text dressed up as a prompt",
            r"\bhypothesis\s*:\s*\S[^\n]{0,400}?\b(?:verdict\s*:|passage\s*:\s*\S)",
        ),
        (
            "text dressed up as a prompt",
            r"\bdoes\s+(?:the|this)\s+passage\s+(?:support|contradict)\s+(?:the|this)\s+hypothesis\b",
        ),
        ("the form of an answer", r"^\W{0,4}verdict\s*[-–—]+\s*[\"'“‘*]*(?:supports|contradicts|neutral)\b"),
        (
            "words addressed to a model",
            (
                r"\bdo not (?:quote|cite|flag|mention|reveal|report|disclose)\s+(?:this|these)"
                r"\s+(?:instructions?|sentences?"
                r"|lines?|text|message|note|passage)\b"
            ),
        ),
        # The same in other languages.
        (
            "an order to ignore instructions",
            (
                r"\b(?:ignorier\w*|vergiss|vergessen sie|missacht\w*)\b[^.!?\n]{0,40}"
                r"\b(?:anweisung|befehl|vorgabe|regel)\w*"
            ),
        ),
        (
            "an order to ignore instructions",
            (
                r"\b(?:ignore[zr]?|oublie[zr]?)\s+(?:les|ces|vos|tes|mes|toutes?|tous)\b[^.!?\n]{0,40}\b(?:instructions?|consignes?|directives?)\b"
            ),
        ),
        (
            "an order to ignore instructions",
            (
                r"\b(?:ignor[ae]n?|olvid[ae]n?|desestim[ae])\b[^.!?\n]{0,40}\b(?:instrucciones|instruções|indicaciones|istruzioni)\b"
            ),
        ),
        (
            "an order to ignore instructions",
            (r"\b(?:игнорир\w*|забуд\w*)\b[^.!?\n]{0,40}\b(?:инструкц|указан|команд)\w*"),
        ),
        (
            "an order to ignore instructions",
            (r"忽略[^。\n]{0,12}(?:指令|指示|提示)|تجاهل[^.\n]{0,30}(?:التعليمات|الأوامر)"),
        ),
    )
)

# A sentence that begins so says what to answer: it is nothing that its document states.
_ORDER = re.compile(
    r"\W*(?:(?:please|always|now|then|just|you must|you should)\s+)*(?:answer|respond|reply|say|state)\s+"
    r"(?:only\s+)?(?:that|with|yes|no)\b",
    re.IGNORECASE,
)
_TAGS = re.compile("[\U000e0001-\U000e007f]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff]")
_ENCODED = re.compile(r"\b[A-Za-z0-9+/]{40,}={0,2}")


@functools.lru_cache(maxsize=1_000)  # a passage is looked at for every hypothesis
def find(text: str) -> tuple[InjectionFinding, ...]:
    """Find what of ``text`` is suspected, in order; of spans that overlap the first and longest is kept."""
    candidates = [
        InjectionFinding(match.start(), match.end(), "invisible tag characters") for match in _TAGS.finditer(text)
    ]
    for plain, places in _readings(text):
        for reason, start, end in _matches(plain):
            candidates.append(InjectionFinding(places[start], places[end - 1] + 1, reason))
    findings: list[InjectionFinding] = []
    for finding in sorted(candidates, key=lambda finding: (finding.start, -finding.end, finding.reason)):
        if not findings or finding.start >= findings[-1].end:
            findings.append(finding)
    return tuple(findings)


def is_order(text: str, start: int, findings: Sequence[InjectionFinding]) -> bool:
    """Return whether a sentence orders what to say, or is suspected.

    It begins at ``start`` of the text that ``findings`` are of.
    """
    end = start + len(text)
    return bool(_ORDER.match(text)) or any(finding.start < end and finding.end > start for finding in findings)


def sentence(text: str, findings: Sequence[InjectionFinding]) -> str:
    """Word the first of ``findings`` for an explanation; '' when there is none."""
    if not findings:
        return ""
    words = " ".join(_printable(text[findings[0].start : findings[0].end]).split())
    if len(words) > LONGEST_SHOWN:
        words = words[: LONGEST_SHOWN - 1].rstrip() + "…"
    more = f", and {len(findings) - 1} more" if len(findings) > 1 else ""
    return f"{SAID} ({findings[0].reason}" + (f": “{words}”" if words else "") + f"{more})"


def _printable(text: str) -> str:
    return "".join(mark if mark.isprintable() else " " for mark in _TAGS.sub("", text))


def _readings(text: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the text as an eye reads it, with its lines and with them run together, and where each character stands."""
    characters: list[str] = []
    places: list[int] = []
    for offset, mark in enumerate(text):
        if _INVISIBLE.match(mark):
            continue
        for plain in mark if mark.isascii() else unicodedata.normalize("NFKC", mark):
            if plain in " \t" and characters and characters[-1] == " ":
                continue
            characters.append(" " if plain == "\t" else plain)
            places.append(offset)
    lines = "".join(characters)
    yield lines, places
    if "\n" in lines:
        # Runs of white space that hold a line break, between two words, are one space.
        joined_lines: list[str] = []
        standing: list[int] = []
        start = 0
        for gap in re.finditer(r"(?<=\S)\s*\n\s*(?=\S)", lines):
            joined_lines += [lines[start : gap.start()], " "]
            standing += [*places[start : gap.start()], places[gap.start()]]
            start = gap.end()
        yield "".join([*joined_lines, lines[start:]]), standing + places[start:]


def _matches(plain: str) -> Iterator[tuple[str, int, int]]:
    for reason, pattern in _RULES:
        for match in pattern.finditer(plain):
            words = match[0].lstrip(" \n.,!?:;")  # a rule may begin with the end of the sentence before
            if words:
                yield reason, match.end() - len(words), match.end()
    for match in _ENCODED.finditer(plain):
        with_padding = match[0].rstrip("=") + "=" * (-len(match[0].rstrip("=")) % 4)
        try:
            plain_text = base64.b64decode(with_padding, validate=True).decode("ascii")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if any(pattern.search(plain_text) for _, pattern in _RULES):
            yield "an order hidden in base64", match.start(), match.end()
