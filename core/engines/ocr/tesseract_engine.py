"""Engine A for scans: Tesseract through tesserocr. Fast, with a confidence and other readings for every letter."""

from __future__ import annotations

import hashlib
import os
import time
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core import paths
from core.engines.ocr import page_layout
from core.engines.ocr.page_layout import Line, Sheet
from core.errors import BadInput, ModelMissing, UnreadableDocument
from core.installation import library_version
from core.language.codes import THREE_LETTERS
from core.language.identification import language_of
from core.model_files import stamps
from core.ports import OcrPage, OcrWord

_VERSION = 2  # raise when the same picture would give another reading than before
_ALTERNATIVES = 5
_UPRIGHT_CONFIDENCE = 0.6  # the mean confidence below which a page may lie on its side
_SURE_OF_SCRIPT = 1.0  # what Tesseract says of a script counts from here
_DOUBTFUL = 0.5  # mean confidence of what is read in the wrong script
# Scripts other than Latin as Tesseract names them, and the languages that are written in them, the most frequent first.
_OF_SCRIPTS = {
    "Arabic": ("ara", "fas", "urd"), "Cyrillic": ("rus", "ukr", "bul", "srp", "bel", "mkd"), "Greek": ("ell",),
    "Devanagari": ("hin", "mar", "nep"), "Han": ("chi_sim", "chi_tra"), "Hangul": ("kor",), "Hebrew": ("heb",),
    "Japanese": ("jpn",), "Korean": ("kor",), "Thai": ("tha",), "Armenian": ("hye",), "Georgian": ("kat",),
}  # fmt: skip
_OF_OTHER_SCRIPTS = frozenset(code for codes in _OF_SCRIPTS.values() for code in codes)
_LEAST = 0.02  # of the chosen letter's weight, for another letter to be named


class TesseractOcr:
    """Tesseract as an engine for scans. See core.ports.OcrEngine.

    ``folder`` holds NAME.traineddata files; without it the known places are looked in.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folders = [folder] if folder is not None else paths.tessdata()
        self._apis: dict[tuple[str, ...], Any] = {}
        self._weights: dict[tuple[str, ...], str] = {}  # SHA-256 of the data that was loaded
        # More threads make it slower, and what it reads should not depend on the computer.
        os.environ["OMP_THREAD_LIMIT"] = "1"
        try:
            import tesserocr
        except ImportError as error:
            raise ModelMissing(role="text recognition", path="tesserocr", effect="scans are not read by it") from error
        self._library = tesserocr
        if not self.languages():
            raise ModelMissing(
                role="text recognition",
                path=" or ".join(str(folder) for folder in self._folders) or "tessdata",
                effect="scans are not read by Tesseract",
            )

    def languages(self) -> tuple[str, ...]:
        """List the languages that data is installed for, by three letters."""
        names = {file.stem for folder in self._folders for file in folder.glob("*.traineddata")}
        return tuple(sorted(names - {"osd"}))

    @property
    def fingerprint(self) -> str:
        """Version of this engine and the libraries; the data is named by ``data_fingerprint``."""
        # tesseract_version() would ask libraries for kinds of pictures, which the packaged program does not have.
        tesseract = self._library.PyTessBaseAPI.Version()
        return f"tesseract {_VERSION} {tesseract} tesserocr {library_version('tesserocr')}"

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        """Read the picture of a page of ``width`` by ``height`` points. See core.ports.OcrEngine."""
        began = time.monotonic()
        sheet = page_layout.prepare(png, width, height)
        until = time.process_time() + page_layout.SECONDS
        languages = languages or self.languages_of(sheet, until)
        sheet, lines = self.upright(sheet, languages, until)
        return page_layout.page(lines, sheet, self.data_fingerprint(languages), time.monotonic() - began)

    def data_fingerprint(self, languages: Sequence[str]) -> str:
        """Return the fingerprint with the data of these languages, as it was loaded: a reading depends on it."""
        self._ready(tuple(languages))
        return f"{self.fingerprint} {'+'.join(languages)} {self._weights[tuple(languages)]}"

    def upright(self, sheet: Sheet, languages: tuple[str, ...], until: float) -> tuple[Sheet, list[Line]]:
        """Return the sheet as it can be read, and its lines: one that lies on its side or head is turned.

        ``until`` is a moment of time.process_time. Raises UnreadableDocument when it is over.
        """
        lines = self.lines(sheet, languages, until)
        long = [word for words, _ in lines for word in words if len(word.text) > 2]
        tall = sum(word.y1 - word.y0 > word.x1 - word.x0 for word in long)
        if not long or (page_layout.sureness(lines) > _UPRIGHT_CONFIDENCE and tall <= len(long) / 2):
            return sheet, lines
        turned_sheet = page_layout.turn_sheet(sheet, self._rotation_needed(sheet))
        if turned_sheet is sheet:
            return sheet, lines
        again = self.lines(turned_sheet, languages, until)
        return (
            (turned_sheet, again)
            if page_layout.sureness(again) >= page_layout.sureness(lines) - 0.05
            else (sheet, lines)
        )

    def languages_of(self, sheet: Sheet, until: float) -> tuple[str, ...]:
        """Guess the language of a sheet: the one, of its script or English, in which a part of it is read most surely.

        Raises UnreadableDocument where there is no data for its script, with the name of the file that is missing.
        """
        installed = self.languages()
        script = self._orientation(sheet)
        name = script["script_name"] if script and script["script_conf"] > _SURE_OF_SCRIPT else ""
        names = _OF_SCRIPTS.get(name, ())
        candidates = [code for code in installed if (code in names if names else code not in _OF_OTHER_SCRIPTS)]
        candidates += [code for code in installed if code == "eng" and code not in candidates] if names else []
        if len(candidates) == 1 and not names:
            return (candidates[0],)
        wide, high = sheet.picture.size
        part = replace(sheet, picture=sheet.picture.crop((0, 0, wide, high // 2)))
        lines = {code: self.lines(part, (code,), until) for code in candidates}
        sure = {code: page_layout.sureness(lines[code]) for code in candidates}
        in_order = sorted(candidates, key=lambda code: code != "eng")
        best = max(in_order, key=lambda code: round(sure[code], 2), default="")
        text = " ".join(word.text for words, _ in lines.get(best, ()) for word in words)
        by_words = THREE_LETTERS.get(language_of(text), "")  # languages of the same letters are read as surely
        best = by_words if by_words in candidates else best
        if names and (not best or best not in names) and sure.get(best, 0.0) < _DOUBTFUL:
            raise UnreadableDocument(
                reason=f"The page seems to be written in {name} script, and there is no data to read that.",
                remedy=f"Put {names[0]}.traineddata into {paths.models() / 'tessdata'} and run OCR again.",
            )
        return (best or "eng",)

    def _rotation_needed(self, sheet: Sheet) -> int:
        """Return by how many degrees against the clock the sheet must be turned; 0 where that is not known."""
        orientation = self._orientation(sheet)
        return int(orientation["orient_deg"]) if orientation and orientation["orient_conf"] > 1 else 0

    def _orientation(self, sheet: Sheet) -> dict[str, Any] | None:
        """Return what Tesseract's own data says of the direction and script of a sheet; None without that data."""
        folder = next((folder for folder in self._folders if (folder / "osd.traineddata").is_file()), None)
        if folder is None:
            return None
        module = self._library
        with module.PyTessBaseAPI(path=str(folder), lang="osd", psm=module.PSM.OSD_ONLY) as api:
            api.SetImage(sheet.picture)
            api.SetSourceResolution(page_layout.DPI)
            orientation: dict[str, Any] | None = api.DetectOrientationScript()
        return orientation

    def lines(self, sheet: Sheet, languages: tuple[str, ...], until: float) -> list[Line]:
        """Read the lines of a sheet. Raises UnreadableDocument when ``until``, of time.process_time, is over."""
        api = self._ready(tuple(languages))
        try:
            api.SetImage(sheet.picture)
            api.SetSourceResolution(page_layout.DPI)
            left = until - time.process_time()
            if left <= 0 or not api.Recognize(max(1, round(left * page_layout.BUSY * 1_000))):  # it looks at the clock
                raise page_layout.too_long()
            return list(self._lines(api.GetIterator()))
        finally:
            api.Clear()

    def _lines(self, symbols: Any) -> Iterator[Line]:
        level = self._library.RIL
        line: list[OcrWord] = []
        begins = True
        letters: list[tuple[str, list[tuple[str, float]]]] = []
        while symbols is not None and not symbols.Empty(level.SYMBOL):
            if symbols.IsAtBeginningOf(level.TEXTLINE):
                if line:
                    yield line, begins
                line, begins = [], bool(symbols.IsAtBeginningOf(level.PARA))
            if symbols.IsAtBeginningOf(level.WORD):
                letters = []
            choices = [(choice.GetUTF8Text(), choice.Confidence()) for choice in symbols.GetChoiceIterator()]
            letters.append((symbols.GetUTF8Text(level.SYMBOL), choices))
            if symbols.IsAtFinalElement(level.WORD, level.SYMBOL):
                text = _word_text(symbols.GetUTF8Text(level.WORD), [letter for letter, _ in letters]).strip()
                box = symbols.BoundingBox(level.WORD)
                if text and box is not None:
                    sure = min(1.0, max(0.0, symbols.Confidence(level.WORD) / 100))
                    x0, y0, x1, y1 = map(float, box)
                    line.append(OcrWord(text, sure, x0, y0, x1, y1, _alternatives(text, letters)))
            if not symbols.Next(level.SYMBOL):
                break
        if line:
            yield line, begins

    def _folder(self, languages: tuple[str, ...]) -> Path:
        for folder in self._folders:
            if languages and all((folder / f"{language}.traineddata").is_file() for language in languages):
                return folder
        available = ", ".join(self.languages())
        raise BadInput(
            reason=f"There is no data to read {'+'.join(languages) or 'no language'}; installed are: {available}.",
            remedy=f"Put the .traineddata files of all of them into {paths.models() / 'tessdata'}.",
        )

    def _ready(self, languages: tuple[str, ...]) -> Any:
        if languages not in self._apis:
            folder = self._folder(languages)
            module = self._library
            files = [folder / f"{language}.traineddata" for language in languages]
            stamp, weights = stamps.stamp(files), hashlib.sha256()
            for file in files:
                weights.update(file.read_bytes())
            api = module.PyTessBaseAPI(path=str(folder), lang="+".join(languages), psm=module.PSM.AUTO)
            api.SetVariable("lstm_choice_mode", "2")
            stamps.require(stamp, files, folder)
            self._apis[languages], self._weights[languages] = api, weights.hexdigest()[:12]
        return self._apis[languages]


def _word_text(text: str, letters: Sequence[str]) -> str:
    """Return the text of a word in reading order: the engine gives words written from right to left in that of places.

    ``letters`` are its symbols as they come, which is the order of reading.
    """
    is_right_to_left = any(unicodedata.bidirectional(mark) in ("R", "AL") for mark in text)
    return "".join(letters) if is_right_to_left else text


def _alternatives(text: str, letters: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> tuple[str, ...]:
    """Return other readings of a word, one letter changed in each, the likeliest first.

    None if letters are not the word's own.
    """
    if "".join(letter for letter, _ in letters) != text:
        return ()
    changes: list[tuple[float, int, str]] = []
    for index, (letter, choices) in enumerate(letters):
        best = max((weight for _, weight in choices), default=0.0)
        for choice, weight in choices:
            if choice and choice != letter and best > 0 and weight / best >= _LEAST:
                changes.append((weight / best, index, choice))
    readings: list[str] = []
    for _, index, choice in sorted(changes, key=lambda change: (-change[0], change[1], change[2])):
        reading = "".join(choice if number == index else letter for number, (letter, _) in enumerate(letters)).strip()
        if reading and reading != text and reading not in readings:
            readings.append(reading)
    return tuple(readings[:_ALTERNATIVES])
