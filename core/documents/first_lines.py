"""Title, author, paper, place and date from the first lines of a text. Pure.

Rather nothing than something wrong: a line is the title only if it is set apart as one, and a date is that of the
text only if it is complete and in the head. Of contradicting lines none is taken.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from core.documents import kinds
from core.language import dates

_LENGTH, _LINES = 2_000, 20  # characters, and lines that are not empty, that are looked at
_TITLE = 160  # characters of a title that nothing but its place shows
_BYLINES = 4  # lines below a title that may say who wrote a text and when


@dataclass(frozen=True, slots=True)
class Head:
    """The values of a head, '' where one is missing; ``date`` is ISO 8601, with the time if it has one."""

    title: str = ""
    author: str = ""
    publisher: str = ""
    place: str = ""
    date: str = ""


def head_of(text: str, *, language: str = "") -> Head:
    """Read the head of a text. ``language`` (ISO 639-1) says which of '3.5.2011' is the day."""
    start = text[:_LENGTH].partition("\f")[0]
    form = _FORM.search(start)
    if form is not None:
        return _form(_lines(text[form.end() : form.end() + _LENGTH]), language)
    lines = _lines(start)
    head = _Reading(language)
    head.is_minutes = any(kinds.lists_those_present(line.text) for line in lines[1:8])
    offset = 0
    while offset < len(lines) and (count := head.take(lines, offset) or head.skip(lines, offset)):
        offset += count
    head.memorandum(lines)
    head.letterhead(lines)
    head.fields(lines, start)
    head.body(lines[offset:])
    head.quotation(lines)
    if any(kinds.announces(line.text) for line in lines[:4]):
        head.days.clear()
    return head.result(" ".join(line.text for line in lines[offset:]) + start[lines[-1].end :] if lines else "")


def day_below(text: str, *, language: str = "") -> str:
    """Return the day in the byline of an article, of which ``text`` begins below its title; '' where it is not sure."""
    days: set[str] = set()
    for line in _lines(text[:_LENGTH])[:_BYLINES]:
        if len(line.text) > _TITLE:
            break
        days |= _days_of_byline(line.text, language)
    return days.pop() if len(days) == 1 else ""


def names_a_text(line: str) -> bool:
    """Return whether a line set apart above a text names it or its author: no sentence, in capitals or dated."""
    if "\n" in line or len(line) > _TITLE or ends_a_sentence(line):
        return False
    remainder, date = _dated_end(line, "")
    set_apart = not line.startswith(remainder) or line[len(remainder) :].lstrip().startswith(_BEFORE_A_DAY)
    is_name = all(word[0].isupper() for word in _WORD.findall(remainder))
    return is_name or (bool(date) and set_apart)


def ends_a_sentence(text: str) -> bool:
    """Return whether a text ends as a sentence or a part of one does."""
    return text.rstrip("\"'’”»)] \n").endswith((*_SENTENCE_END, "!", "?", "…"))


def _days_of_byline(line: str, language: str) -> set[str]:
    """Return the days of a line that says who wrote a text, when, and where it was printed, and nothing else."""
    line = re.sub(r"[.,]? +(?=[Bb]y [A-Z])|(?<=\d)(?:[.,;]| [|·•–—-]) +(?=\D)", "|", line)
    parts = [part.strip(" ,;.|·•–—-") for part in re.split(r"\s*[|·•]\s*|\s[–—-]\s", line)]
    days: set[str] = set()
    for part in filter(None, parts):
        remainder, date = _dated_end(part, language)
        remainder = _ON.sub("", remainder) if date else part
        words = remainder.split()
        is_paper = _is_capitalised(remainder) and len(words) <= 5 if words else True
        is_count = re.fullmatch(r"\d{1,4} [\w ]{3,20}", remainder) is not None
        is_beside = is_paper or is_count or any(kind.fullmatch(remainder) for kind in (_BY, _KIND, _CLOCK))
        if kinds.OF_ANOTHER_DAY.fullmatch(remainder) or not is_beside:
            return set()
        days |= {date} if date else set()
    return days


# --- lines -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    indent: bool
    apart: bool  # from the line before
    end: int


def _lines(start: str) -> list[_Line]:
    lines: list[_Line] = []
    offset, apart = 0, True
    for bare in start.removeprefix("\ufeff").split("\n"):
        offset += len(bare) + 1
        if not bare.strip() or len(lines) == _LINES:
            apart = True
            continue
        lines.append(_Line(bare.strip(), bare[0] in " \t", apart, offset))
        apart = False
    return lines


_KEYS = {
    "title": "title headline heading subject re betreff titel überschrift schlagzeile тема заголовок название"
    " sujet objet titre asunto título titulo oggetto titolo onderwerp",
    "author": "author authors by byline writer reporter from von autor verfasser от автор auteur autore",
    "publisher": "source publisher paper newspaper publication quelle zeitung источник газета fuente fonte journal",
    "place": "location place dateline city ort место lieu lugar luogo",
    "date": "date published sent datum дата fecha data publikation veröffentlicht опубликовано отправлено gesendet"
    " envoyé enviado publié publicado pubdate",
    "other": "to cc bcc an à para kopie кому копия tags keywords section slug id url attachments importance reply-to"
    " memorandum x-from x-to info ref reference via attn copy copies layout categories lang language description",
}
_KEY_OF = {word: key for key, words in _KEYS.items() for word in words.split()}
_FIELD = re.compile(
    r"(?:\*\*|[‘’'\"“” ]{1,4})?([^\W\d_][\w-]{0,14}(?: (?:line|for|of publication))?) ?[:;](?:\*\*)?(?!//)"
    r"[ \t.*:—-]*(.*)",
    re.I,
)
# From here on a form is about the document, and above about itself.
_FORM = re.compile(r"(?im)^[ \t]*document information[ \t]*:?[ \t]*$")
_MEMORANDUM = re.compile(r"(?i)\W*memorandum(?: (?:for|to)\b.*|\W*)")

_REPLY = re.compile(
    r"(?im)^[ \t]*(?:>|--.*(?:message|nachricht|сообщение)|begin forwarded|.*(?:wrote|schrieb|писал\w?):$)"
)


def _field_of(line: str) -> tuple[str, str]:
    """Return the key of ``_KEYS`` and the value of a line that names what it holds; ("", "") of any other line."""
    match = _FIELD.fullmatch(line) if len(line) <= 200 else None
    word = match.group(1).casefold().partition(" ")[0] if match else ""
    return (_KEY_OF[word], _without_quotes(match.group(2).strip())) if match and word in _KEY_OF else ("", "")


def _without_quotes(value: str) -> str:
    return value[1:-1] if len(value) > 2 and value[0] in "\"'“„«" and value[-1] in "\"'”“»" else value


# --- what single lines are -------------------------------------------------------------------------------------------

_BEFORE_A_DATE = re.compile(
    r"(?i)(?:(?:first |last )?(?:published|posted|updated|issued|released|filed|dated|date|veröffentlicht|stand"
    r"|опубликовано)(?: on| at| am)?[: ]*|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?[.,]? *"
    r"|\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?(?: [a-z]{2,4}(?=,? ))?,? +(?:on )?)*"
)
_UPDATED = re.compile(r"(?i)(?:last )?(?:updated|modified|aktualisiert|обновлено)\b")
_KIND = re.compile(  # of a text, beside its day
    r"(?i)(?:press|media|news) (?:release|statement|notice)|statement|newsletter|bulletin|memo(?:randum)?|notice"
    r"|minutes|pressemitteilung|medienmitteilung|(?:akten)?vermerk|aktennotiz|rundschreiben|communiqué(?: de presse)?"
    r"|comunicado(?: de prensa)?|пресс-релиз"
)
_RELATED = re.compile(  # above what is of other texts
    r"(?i)\W*(?:related|read (?:more|next|also)|more (?:news|stories|from|on)|see also|most read|recent posts|comments?"
    r"|mehr zum thema|weiterlesen|lesen sie auch|kommentare|(?:à )?lire aussi|leer más|читайте также)\b.{0,40}"
)
_NAME = r"[^\W\d_a-zа-яёäöüß][\w.'’-]*"
_PLACE = re.compile(rf"{_NAME}(?: (?:{_NAME}|de|of|am|on|upon|la|el))*(?:, ?{_NAME}(?: {_NAME}){{0,2}}){{0,2}}")
_TIME = r"\d{1,2}(?:[:.]\d\d){0,2} ?(?:[AaPp]\.?[Mm]\.?)?(?: ?(?:Uhr|h|[A-Z]{2,4}))?"
_BYLINE = re.compile(
    r"(?:(?:[Pp]osted|[Ww]ritten|[Pp]ublished|[Ss]ubmitted|[Rr]eported|[Ii]nterview|[Tt]ext|[Ss]tory) )?"
    rf"(?:[Bb]y|BY|[Vv]on|VON|[Pp]ar|[Pp]or|Текст:?|Автор:?) (?!The |A |An )({_NAME}"
    rf"(?:,? (?:{_NAME}|and|und|et|y|и|of|for|the|de|von|van|der|la|&)){{1,9}})(?:,? (?:at|um) {_TIME})?"
)
_SIGNATURE = re.compile(rf"[—–-]+ ?({_NAME}(?: {_NAME}){{1,2}})")
_CLOCK = re.compile(rf"(?i)(?:(?:last |first )?(?:updated|posted|published)[: ]*)?(?:at |um )?{_TIME}")
# What blogs and papers put beside a date, on one line.
_BESIDE = re.compile(r"\s*[|·•]\s*")
_BY_SOMEBODY = re.compile(r"(.*\d.*?),? ((?:by|von|par|por) [\w.'’@ -]{2,40})", re.I)
_BY = re.compile(r"(?i)(?:(?:posted|written|published|submitted|reported) )?(?:by|von|par|por) \S.{1,50}")
_ON = re.compile(r"(?i)[ ,]+(?:on|am|vom|le|el|il|den|dated)$|[ ,:–—-]+$")  # before a date
_WITHIN = re.compile(r"(?i)\w \b(?:on|of|vom|am|du|de|del|от)$")  # before a day that is part of a title
_LABEL = re.compile(r"[^\W\d_][\w ]{2,20}: .{1,80}$")
_RULE = re.compile(r"[=_*~–—-]{3,}")
_DASH = re.compile(r"\s*(?:--+|[—–])\s*|\s-\s")
_AGENCY = re.compile(r"\s*\([A-Z][\w /.-]{1,25}\)\s*$")
_GREETING = re.compile(
    r"(?:Dear|Hello|Hi|Sehr geehrte\w?|Liebe\w?|Hallo|Уважаем\w+|Дорог\w+|Здравствуй\w*|Cher|Chère|Madame|Monsieur"
    r"|Estimad\w|Sirs?|Gentlemen)\b.{0,60}[,!:]$|(?:Dear|Sehr geehrte|Уважаем).{0,60}"
)
_MARK = re.compile(  # what is above a title and is none
    r"(?i)(?:(?:top )?secret|confidential|(?:un)?classified|restricted|draft|copy|memo(?:randum)?|press release"
    r"|for immediate release|breaking(?: news)?|exclusive|news|page|seite|стр\.?|of|eyes only|internal|\W|\d)+"
    r"|[\W\d]*(?:approved for )?\weleased?(?: under| by| on)\b.*"
)
_ANNOUNCEMENT = re.compile(r"(?i)\W*(?:press release|for immediate release|breaking(?: news)?|exclusive|news)\W*")
_TELLING = re.compile(r"(?i)\W*(?:breaking|live|update[sd]?(?: \d+)?|exclusive|opinion|editorial|analysis)\b ?[]:)-]")
_PART = re.compile(  # a heading of a part, not of the whole
    r"(?i)(?:(?:chapter|part|section|act|scene|book|volume|appendix|kapitel|teil|глава|часть|chapitre)"
    r" (?:\d+|[ivxlc]+|\w|one|two|three|first)\b.*|(?:int|ext)\. .*|fade in\b.*"
    r"|(?:(?:table of )?contents|introduction|abstract|preface|prologue|foreword|summary|inhalt|vorwort|содержание)\W*)"
)
_PAPER = re.compile(
    r"(?i)\b(?:times|post|herald|tribune|news|newswire|daily|weekly|gazette|journal|guardian|observer|chronicle|press|star"
    r"|telegraph|mirror|today|bulletin|sentinel|courier|examiner|inquirer|dispatch|monitor|reuters|agency|magazine|review"
    r"|zeitung|nachrichten|anzeiger|tagblatt|rundschau|bote|правда|известия|новости|газета|вестник|tass|тасс)\b"
)
_CLEAN = re.compile(r"[\w\s'\"’‘“”„«»`&,:;!?()\[\]|/$%€£.…+#№\-–—]+")
_ABBREVIATION_END = re.compile(r"(?:\b(?:[A-Z]\.)+|\b(?:Corp|Inc|Co|Ltd|Jr|Sr|Bros|St|No|etc|vs)\.|\.\.\.)$")
_CUT = re.compile(r"(?i)(?:[,;:&-]|\b(?:of|the|to|for|and|in|that|a|an|or|by|with|from|on|at))$")  # the rest is missing
_REST = re.compile(  # of a sentence or text that began elsewhere
    r"(?:of|and|or|nor|but|than|which|whose|who|that|because|continued|cont\.?|page|und|oder|aber|sowie|von|dass|weil"
    r"|fortsetzung|et|ou|mais|de|que|suite|y|o|pero|e|ma|di|и|или|но|что|который)\b"
)
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = tuple(".,;:")
_BEFORE_A_DAY = tuple(",(|-–—")  # what sets the day at the end of a title apart


def _whole(date: dates.DateMention | None) -> str:
    """Return the day of a date that is one day without a doubt; '' of any other."""
    certain = date is not None and date.precision in ("day", "time") and not date.doubt
    return date.earliest if date is not None and certain and date.earliest[:10] == date.latest[:10] else ""


def _is_beside(text: str) -> bool:
    """Return whether a text beside a date is nothing or a byline."""
    return not text or bool(_BY.fullmatch(text))


def _dated_end(line: str, language: str) -> tuple[str, str]:
    """Split off the complete date at the end of a line; (line, "") if there is none."""
    if len(line) > _TITLE:
        return line, ""
    bare = re.sub(r"(?:\s*(?:г|года|р))?\.?$", "", line.strip().strip("()[]"))
    if not any(mark.isdigit() for mark in bare) or bare.isdigit():
        return line, ""
    parts = _BESIDE.split(bare)
    if len(parts) > 1:  # a blog's line: one part is a date, the others are times, names, counts
        dated_parts = [_dated_end(part, language) for part in parts]
        ends = [dated for dated in dated_parts if dated[1]]
        rests = [part for part, dated in zip(parts, dated_parts, strict=True) if not dated[1]]
        if len(ends) > 1 and all(_UPDATED.match(part) for part in parts[-len(ends) + 1 :]):
            del ends[1:]
        if len(ends) == 1 and _is_beside(ends[0][0]) and all(len(remainder.split()) < 5 for remainder in rests):
            return next((remainder for remainder in rests if _BYLINE.fullmatch(remainder)), ends[0][0]), ends[0][1]
        return line, ""
    somebody = _BY_SOMEBODY.fullmatch(bare)
    if somebody is not None and (day := _dated_end(somebody.group(1), language))[1] and not day[0]:
        return somebody.group(2), day[1]
    clock = re.fullmatch(rf"(.*\d)(?:,| at| um|,? -)? {_TIME}", bare)
    if clock is not None and (day := _dated_end(clock.group(1), language))[1] and not day[0]:
        alone = _whole(dates.interval(_BEFORE_A_DATE.sub("", bare, count=1), language=language))
        return "", alone or day[1]
    alone = _whole(dates.interval(_BEFORE_A_DATE.sub("", bare, count=1), language=language))
    if alone:
        return "", alone
    last = [date for date in dates.dates_in(bare, language=language) if date.end == len(bare)]
    date = _whole(last[-1]) if last else ""
    remainder = bare[: last[-1].start].rstrip(" ,(|-–—") if date else line
    return ("" if date and _CLOCK.fullmatch(remainder) else remainder), date


def _is_place(text: str) -> bool:
    return (
        bool(_PLACE.fullmatch(text))
        and not kinds.OF_ANOTHER_DAY.fullmatch(text)
        and len(text.partition(",")[0].split()) <= 3
        and text.split()[0] not in ("The", "A", "On", "In")
        and not kinds.is_meeting(text)
    )


def _is_place_before_day(text: str) -> bool:
    """Return whether a text that a day follows is the place where it was written: 'Berlin, den', not 'Fire on'."""
    return _is_place(_ON.sub("", text)) and not re.search(r"(?i)[^\W\d_] (?:on|am|vom)$|:$", text)


def _headline(line: str, *, small: bool = False) -> bool:
    """Return whether a line could be a title: short, no sentence, no list, no row of a table, no noise.

    ``small``: it may begin with a small letter.
    """
    words = _WORD.findall(line)
    letters = sum(map(len, words))
    return (
        0 < letters <= len(line) <= _TITLE
        and bool(_CLEAN.fullmatch(line))
        and "\t" not in line
        and not re.search(r"\S {3,}\S", line)
        and (not line.endswith(_SENTENCE_END) or bool(_ABBREVIATION_END.search(line)))
        and not re.match(r"(?:[->+/;*]|#[^\w]|\(?\w{1,2}[.)]\s)", line)
        and line.count("|") < 2
        and line.count("[") == line.count("]")
        and letters > 2 * sum(mark.isdigit() for mark in line)
        and line.count("(") == line.count(")")
        and sum(len(word) == 1 for word in words) * 3 <= len(words)
        and not _PART.fullmatch(line)
        and not re.search(r"[^\W\d_]{4}[.] [^\W\d_]", line)
        and (line[0] not in ",.;:!?)" or line.startswith("..."))
        and (small or not line[0].islower())
    )


def is_part(line: str) -> bool:
    """Return whether a line is the heading of a part, as 'Chapter 2' or 'Contents', and not of the whole."""
    return bool(_PART.fullmatch(line))


def _is_above_text(line: _Line, following: _Line) -> bool:
    """Return whether a line is set apart from a whole paragraph below it, and is not the rest of a sentence."""
    is_paragraph = following.apart and len(following.text) > 200 and following.text[0].isupper()
    return is_paragraph and not _REST.match(line.text)


def _is_capitalised(line: str) -> bool:
    """Return whether a line is written as titles are, in capitals or with a capital on nearly every longer word."""
    words: list[str] = _WORD.findall(line)
    longer = [word for word in words if len(word) > 3] or words
    return sum(word[0].isupper() for word in longer) >= 0.7 * len(longer)


def _is_prose(body: str) -> bool:
    words = _WORD.findall(body[:400])
    return len(words) > 11 and sum(word.islower() for word in words) > 0.6 * len(words)


def _stems(text: str) -> set[str]:
    return {word[:5] for word in _WORD.findall(text.casefold()) if len(word) > 3}


# --- the head --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Reading:
    """A reading of lines from the first on, with what they have said."""

    language: str
    titles: list[str] = field(default_factory=list)  # lines that may be one, in order
    values: dict[str, set[str]] = field(default_factory=dict)
    days: set[str] = field(default_factory=set)
    author: str = ""
    place: str = ""
    letter: bool = False
    is_memorandum: bool = False
    marks: int = 0  # lines above the title that are stamps or numbers; an announcement is none
    kind: kinds.Kind | None = None  # of text that a line has named
    masthead: list[str] = field(default_factory=list)  # lines above that one
    is_minutes: bool = False  # a line lists those who were there
    borne_out: bool = False  # the lines below a title are those that are below one

    def take(self, lines: list[_Line], index: int) -> int:
        """Read on from ``lines[at]``; how many lines were of the head, 0 where the body begins."""
        line = lines[index].text
        following = lines[index + 1] if index + 1 < len(lines) else None
        key, value = _field_of(line)
        if key:
            self.borne_out |= key in ("author", "publisher", "place") and bool(value)
            self.borne_out |= key == "date" and bool(_dated_end(value, self.language)[1])
            return 1
        if _GREETING.fullmatch(line):
            self.letter = True
            return 0
        if _RULE.fullmatch(line):
            self.borne_out |= bool(self.titles) and not lines[index].apart
            return 1
        if self._name(line):
            return 1
        if kinds.lists_those_present(line):
            return 0
        remainder, date = _dated_end(line, self.language)
        if date and kinds.OF_ANOTHER_DAY.fullmatch(remainder) and (self.titles or self.kind):
            return 1
        if date and self.days - {date}:
            self.titles.clear()
            return 0
        if date and not (following and not following.apart and following.text[0].islower()):
            place = _ON.sub("", remainder)
            byline = _BYLINE.fullmatch(place) or (_SIGNATURE.fullmatch(place) if self.titles else None)
            somebody = bool(_BY.fullmatch(place)) and bool(self.titles)  # "by admin"
            kind = _KIND.fullmatch(place)
            if not place or byline or somebody or kind or (_is_place_before_day(remainder) and "T" not in date):
                self.days.add(date)
                self.author = byline.group(1) if byline else self.author
                self.place = place if place and not (byline or somebody or kind) else self.place
                self.borne_out |= bool(self.titles)
                return 1
        day = self._day_of(line, is_below=bool(self.titles or self.kind))
        if day:
            self.days.add(day)
            self.borne_out = True
            return 1
        if len(line) < 120 and _MARK.fullmatch(line):
            self.marks += not _ANNOUNCEMENT.fullmatch(line)
            return 1
        byline = _BYLINE.fullmatch(line)
        if self.titles and (byline or self._is_byline_above_day(lines, index)):
            self.author, self.borne_out = byline.group(1) if byline else self.author, True
            return 1
        if self._dateline(line, following):
            return 0
        if self.kind is not None and index <= _BYLINES and not lines[index].apart and _LABEL.match(line):
            return 1
        if self.kind is not None and not (self.kind.is_bare or self.kind.is_below):
            return int(index <= _BYLINES and len(line) <= _TITLE and not ends_a_sentence(line))
        above, self.kind = self.kind, self.kind or kinds.kind_of(line, language=self.language)
        count = self._plain(lines, index)
        if not count and index == 0 and self.kind is not None and not ends_a_sentence(line):
            return 1
        self.kind = self.kind if count else above
        return count

    def _day_of(self, line: str, *, is_below: bool) -> str:
        """Return the day of a line that says what the text is, or, below a title, who wrote it and where."""
        kind = self.kind or (kinds.minutes_of(line, language=self.language) if self.is_minutes else None)
        return kinds.day_of(line, language=self.language, kind=kind, is_below=is_below)

    def _name(self, line: str) -> bool:
        """Read a line that says what the text is: 'Minutes of the board meeting of 4 May 2019', 'Press release'."""
        if self.titles and _BYLINE.fullmatch(_ON.sub("", _dated_end(line, self.language)[0])):
            return False
        kind = kinds.kind_of(line, language=self.language)
        day = self._day_of(line, is_below=bool(self.titles or self.kind))
        if kind is None and day and self.is_minutes and not (self.titles or self.kind):
            kind = kinds.minutes_of(line, language=self.language)
        if kind is None or not (day or (not ends_a_sentence(line) and (kind.is_bare or self.titles))):
            return False
        if self.kind is None or self.kind.is_bare:
            is_headline = kind.is_bare and bool(self.titles) and not _is_capitalised(self.titles[0])
            if not (kind.is_below or is_headline or self.kind):
                self.masthead, self.titles = self.titles, []
            self.kind = kind
        self.days |= {day} if day else set()
        self.borne_out = True
        self.marks += bool(_MARK.fullmatch(line)) and not _ANNOUNCEMENT.fullmatch(line)
        return True

    def _dateline(self, line: str, following: _Line | None) -> bool:
        """Read a dateline ('LONDON, 24 September 1994 (Reuters) -- The'); return whether the body begins here."""
        dash = _DASH.search(line, 0, 90)
        if dash is None or dash.end() == len(line):
            return False
        place, date = _dated_end(_AGENCY.sub("", line[: dash.start()]), self.language)
        place = _AGENCY.sub("", place).strip(", ")
        if not _is_place(place) and not (date and not place and self.titles):
            return False
        city = place.partition(",")[0].isupper()
        wraps = following is not None and not following.apart and not _dated_end(following.text, self.language)[1]
        if not (len(line) > 120 or (wraps and (date or city))):
            return False
        if date or city or " " not in place:
            self.place = place or self.place
        if date:
            self.days.add(date)
        self.borne_out = self.borne_out or bool(date) or city
        return True

    def _plain(self, lines: list[_Line], index: int) -> int:
        """Read lines that may be titles: one or two together, which something else than more of the same follows."""
        run = index
        # A headline in small letters is above its date, or a whole paragraph.
        small = index == 0 and len(lines) > 1 and (self._is_head(lines, 1) or _is_above_text(*lines[:2]))
        while run < len(lines) and (run == index or not lines[run].apart) and _headline(lines[run].text, small=small):
            remainder, date = _dated_end(lines[run].text, self.language)
            is_within = run == index == 0 and _WITHIN.search(remainder) is not None  # 'What happened on 4 May'
            if (date and not is_within) or _field_of(lines[run].text)[0] or len(self.titles) > 3:
                break
            if run > index and (_BYLINE.fullmatch(lines[run].text) or self._begins_body(lines, run)):
                break
            if run > index and self._is_byline_above_day(lines, run):
                break
            if run > index and (self._day_of(lines[run].text, is_below=True) or self._is_kind(lines[run].text)):
                break
            run += 1
        following = lines[run] if run < len(lines) else None
        has_date = following is not None and bool(_dated_end(following.text, self.language)[1])
        if following is None or not 1 <= run - index <= (3 if has_date else 2):
            return 0
        if not following.apart and not self._is_head(lines, run) and not self._begins_body(lines, run):
            return 0
        self.titles += [line.text for line in lines[index:run]]
        return run - index

    def _is_head(self, lines: list[_Line], index: int) -> bool:
        line = lines[index].text
        return bool(
            _dated_end(line, self.language)[1]
            or _field_of(line)[0]
            or _BYLINE.fullmatch(line)
            or _RULE.fullmatch(line)
            or _MARK.fullmatch(line)
            or self._day_of(line, is_below=True)
            or self._is_kind(line)
            or self._is_byline_above_day(lines, index)
        )

    def _is_byline_above_day(self, lines: list[_Line], index: int) -> bool:
        """Return whether a line is a byline however it is written, as 'by jane doe' above '4 may 2019'."""
        below = lines[index + 1].text if index + 1 < len(lines) else ""
        return _BY.fullmatch(lines[index].text) is not None and bool(_dated_end(below, self.language)[1])

    def skip(self, lines: list[_Line], index: int) -> int:
        """Return 1 for a line above one that says what the text is, as the name of a club, whatever it looks like."""
        below = lines[index + 1].text if index < 2 and index + 1 < len(lines) else ""
        is_above = kinds.kind_of(below, language=self.language) is not None and self._day_of(below, is_below=False)
        return int(bool(is_above) and len(lines[index].text) < 100)

    def _is_kind(self, line: str) -> bool:
        kind = kinds.kind_of(line, language=self.language)
        return kind is not None and not ends_a_sentence(line)

    def _begins_body(self, lines: list[_Line], index: int) -> bool:
        """Return whether a line is a whole paragraph, as in texts without line breaks."""
        return len(lines[index].text) > 200

    def memorandum(self, lines: list[_Line]) -> None:
        """Read a memorandum: its date is alone above the word, and its subject is its title."""
        index = next((index for index, line in enumerate(lines[:12]) if _MEMORANDUM.fullmatch(line.text)), None)
        if index is None:
            return
        self.letter = self.is_memorandum = True
        ends = [_dated_end(line.text, self.language) for line in lines[max(0, index - 4) : index]]
        days = {date for remainder, date in ends if date and not remainder}
        if len(days) == 1:
            self.days = days

    def letterhead(self, lines: list[_Line]) -> None:
        """Read the day of a letter, alone on a line above the greeting, or of another text, between two blanks."""
        index = next((index for index, line in enumerate(lines[:12]) if _GREETING.fullmatch(line.text)), 0)
        ends = [_dated_end(line.text, self.language) for line in lines[:index]]
        days = {date for remainder, date in ends if date and (not remainder or _is_place_before_day(remainder))}
        # 'Site visit, 4 May 2019' alone above a greeting is what a letter is about.
        sender = [
            line.text
            for line, following in pairwise(lines[: index + 1])
            if not (line.apart and following.apart and line.text.count(",") < 2) and not _field_of(line.text)[0]
        ]
        days |= {self._day_of(line, is_below=True) for line in sender} - {""}
        self.letter |= bool(index)
        if len(days) == 1 and not self.days:
            self.days = days
        body = (number for number, line in enumerate(lines) if ends_a_sentence(line.text) or len(line.text) > 100)
        above = pairwise(lines[: next(body, -1) + 1])
        alone = [_dated_end(line.text, self.language) for line, following in above if line.apart and following.apart]
        if not self.days and not index:
            self.days |= {date for remainder, date in alone if date and not remainder}

    def quotation(self, lines: list[_Line]) -> None:
        """Read the day of a mail from the line above its text: 'On 4 May 2019 at 8:14, Ann Lee wrote:'."""
        above = [line.text for line in lines if _REPLY.match(line.text) and line.text.endswith(":")]
        if lines and above == [lines[0].text] and not self.days:
            self.days |= {_whole(date) for date in dates.dates_in(above[0], language=self.language)} - {""}

    # --- lines that name what they hold ---------------------------------------------------------------------------

    def fields(self, lines: list[_Line], start: str) -> None:
        """Read the lines that name what they hold: the first of a text, or two of different names further down."""
        pairs: list[tuple[str, str]] = []
        first = last = -1
        for index, line in enumerate(lines):
            key, value = _field_of(line.text)
            if not key:
                if len(line.text) > 200:
                    break
                following = lines[index + 1] if index + 1 < len(lines) else None
                if pairs and last == index - 1 and pairs[-1][0] == "title" and _goes_on(pairs[-1][1], line, following):
                    pairs[-1], last = ("title", f"{pairs[-1][1]} {line.text.lstrip(': ')}"), index
                continue
            first, last = (index if first < 0 else first), index
            pairs.append((key, value))
        keys = {key for key, value in pairs if value}
        if not keys or (first > 0 and len(keys) < 2 and not self.titles and not self.is_memorandum):
            return
        self.letter |= "other" in keys or {"author", "title"} <= keys
        reply = _REPLY.search(start)
        every = [_field_of(line.strip()) for line in start[: reply.start() if reply else None].split("\n")]
        for key in keys - {"other"}:
            values = [value for name, value in pairs if name == key and value]
            many = {value for name, value in every if name == key and value}
            if len({value.casefold() for value in many}) <= 1:
                self.values[key] = {values[0]}
            else:
                self.values[key] = set()

    def body(self, lines: list[_Line]) -> None:
        """Add days alone on a line of the body: the text is a list of them, and the first is of its first entry."""
        for line in () if self.is_memorandum else lines:
            if _RELATED.fullmatch(line.text):
                break
            remainder, date = _dated_end(line.text, self.language)
            if date and not remainder and self.days:
                self.days.add(date)

    def result(self, body: str) -> Head:
        """Return the certain parts of the head."""

        def value(key: str, longest: int) -> str:
            first_value = next(iter(self.values.get(key, ())), "")
            clean = first_value.count("(") == first_value.count(")") and not re.search(
                r"[|~_\\{}=^*]|^\(.*\)$", first_value
            )
            letters = sum(map(len, _WORD.findall(first_value)))
            return (
                first_value
                if clean
                and len(first_value) <= longest
                and letters > sum(map(str.isdigit, first_value))
                and letters > 2
                else ""
            )

        date = ""
        if "date" in self.values:
            date = _dated_end(next(iter(self.values["date"]), ""), self.language)[1]
        elif len({day[:10] for day in self.days}) == 1:
            date = max(self.days, key=len)
        title, publisher = value("title", 300), value("publisher", 100)
        title = "" if _CUT.search(title) else re.sub(r"(?<=\w{3}) \d{1,2}\.$", "", title)  # of the first paragraph
        is_named = self.kind is not None and not self.kind.is_bare and (self.kind.is_record or not self.letter)
        if "title" not in self.values and (is_named or not self.letter):
            paper, title = _title(self.titles, body, self.borne_out, bare=not self.marks)
            if not title and self.kind is not None and (date or (is_named and _is_prose(body))):
                title = self.kind.title
            if self.masthead and len(self.masthead) < 3:
                paper = self.masthead[0]
            publisher = publisher or paper
            tail = self.titles[-1] if title and self.titles and self.titles[-1] != title else ""
            self.place = self.place or (tail if _is_place(tail) and ("," in tail or tail.isupper()) else "")
        author = "" if "author" in self.values else self.author
        author = (value("author", 150) or author) if title or date else ""  # a form has names in many places
        return Head(title, author, publisher, value("place", 100) or self.place, date)


def _form(lines: list[_Line], language: str) -> Head:
    """Read what a form says of a document: a name and a value a line, or the value on the lines below the name."""
    values: dict[str, str] = {}
    current = ""
    for line in lines:
        key, value = _field_of(line.text)
        bare = "" if key else _KEY_OF.get(line.text.casefold(), "")
        word, _, remainder = line.text.partition(" ")
        if not key and _KEY_OF.get(word.casefold()) == "date" and _dated_end(remainder, language)[1]:
            key, value = "date", remainder
        if _END_OF_FORM.match(line.text) or key == "other" or bare == "other":
            current = ""
        elif key or bare:
            current = key or bare
            if current in values:  # the name is in the text again
                break
            values[current] = value
        elif re.match(r"[A-Z][A-Z ]{3,24} ?:", line.text):  # a name that says nothing here
            current = ""
        elif current == "title" and _MARK.fullmatch(line.text):  # a stamp
            continue
        elif current and len(values[current]) < _TITLE:
            values[current] = f"{values[current]} {line.text.lstrip(': ')}".strip()

    def clean(key: str, longest: int) -> str:
        value = values.get(key, "")
        letters = sum(map(len, _WORD.findall(value)))
        noise = re.search(r"[|~_\\{}=^*\[\]]", value)
        return (
            value
            if letters > 2 and letters > sum(map(str.isdigit, value)) and len(value) <= longest and not noise
            else ""
        )

    date = _dated_end(values.get("date", ""), language)[1]
    title = clean("title", 300)
    is_title = len(_WORD.findall(title)) > 2 and not _MARK.fullmatch(title) and not _CUT.search(title)
    return Head(title if is_title else "", clean("author", 100), "", "", date)


_END_OF_FORM = re.compile(r"(?i)(?:pages|subjects?|classification|restrictions|current status|document type)\b")


def _goes_on(title: str, line: _Line, following: _Line | None) -> bool:
    """Return whether a line is the rest of a title that was too long for one."""
    text = line.text
    if not title or len(text) > 100 or text.casefold() in _KEY_OF:
        return False
    names_field = following is not None and bool(re.match(r"[^\W\d][\w ]{1,24} ?:", following.text))
    last = following is None or following.apart or names_field
    if line.apart:  # as where a blank line is below each
        in_capitals = title.isupper() and text.isupper() and text[0].isalpha() and len(text) < 60
        return len(title) > 35 and (names_field or text[0].islower() or in_capitals)
    return (
        line.indent
        or text.startswith(("(", ":"))
        or (len(title) > 35 and (text[0].islower() or (last and not text.endswith(_SENTENCE_END))))
    )


def _title(lines: list[str], body: str, borne_out: bool, *, bare: bool) -> tuple[str, str]:
    """Return the paper and the title among the lines that may be either. ``bare``: nothing is above them."""
    if not lines or not body.strip():
        return "", ""
    about = [
        len(_stems(line) & _stems(" ".join((*lines[:index], *lines[index + 1 :], body))))
        for index, line in enumerate(lines)
    ]
    if len(lines) == 1:
        words = _WORD.findall(lines[0])
        number = re.search(r"^\W?\d+\W|\W\d+\W?$", lines[0])  # as the head of a page
        is_title = _is_capitalised(lines[0]) or _TELLING.match(lines[0]) or (about[0] > 1 and 4 <= len(words) <= 16)
        plain = bare and not number and about[0] and len(words) > 1 and is_title and _is_prose(body)
        sure = plain or (borne_out and (len(words) > 1 or about[0]))
        return ("", lines[0]) if sure else ("", "")
    first, second, *further = lines
    if not borne_out or len(further) > 2 or any(len(line.split()) > 4 for line in further):
        return "", ""
    if not further and about[0] and not about[1] and len(second.split()) < 4 and _PAPER.search(second):
        return second, first
    short = len(first.split()) <= 6 and _is_capitalised(first)
    if (
        short
        and len(second.split()) > 1
        and (_PAPER.search(first) or not about[0])
        and (about[1] or second.isupper())
        and not _is_tail(second, first)
    ):
        return first, second
    if not further and about[0] and (_is_tail(second, first) or not _is_capitalised(second)):
        return "", first
    return "", ""


def _is_tail(line: str, title: str) -> bool:
    """Return whether a line below a title may be a name or a place."""
    return len(line.split()) <= 3 and len(title.split()) > 3
