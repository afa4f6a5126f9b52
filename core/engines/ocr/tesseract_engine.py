"""Engine A for scans: Tesseract through tesserocr. Fast, with a confidence and other readings for every letter."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from core import paths
from core.engines.ocr import page_layout
from core.engines.ocr.page_layout import Line, Sheet
from core.errors import BadInput, ModelMissing
from core.ports import OcrPage, OcrWord

_VERSION = 2  # raise when the same picture would give another reading than before
_ALTERNATIVES = 5
_LOST = 0.6  # the mean confidence below which a page may lie on its side
_LEAST = 0.02  # of the chosen letter's weight, for another letter to be named


class TesseractOcr:
    """See core.ports.OcrEngine. ``folder`` holds NAME.traineddata files; without it the known places are looked in."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folders = [folder] if folder is not None else paths.tessdata()
        self._loaded: dict[tuple[str, ...], Any] = {}
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
        """What data is installed for, by three letters."""
        found = {file.stem for folder in self._folders for file in folder.glob("*.traineddata")}
        return tuple(sorted(found - {"osd"}))

    @property
    def fingerprint(self) -> str:
        tesseract = self._library.tesseract_version().split()[1]
        return f"tesseract {_VERSION} {tesseract} tesserocr {_installed()}"

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        began = time.monotonic()
        sheet = page_layout.prepare(png, width, height)
        sheet, lines = self.upright(sheet, languages, time.process_time() + page_layout.SECONDS)
        return page_layout.page(lines, sheet, self.named(languages), time.monotonic() - began)

    def named(self, languages: Sequence[str]) -> str:
        """The fingerprint with the data used: a reading depends on it."""
        folder = self._folder(tuple(languages))
        weights = hashlib.sha256()
        for language in languages:
            weights.update((folder / f"{language}.traineddata").read_bytes())
        return f"{self.fingerprint} {'+'.join(languages)} {weights.hexdigest()[:12]}"

    def upright(self, sheet: Sheet, languages: tuple[str, ...], until: float) -> tuple[Sheet, list[Line]]:
        """The sheet as it can be read and its lines: one that lies on its side or head is turned. ``until`` is a moment
        of time.process_time. Raises UnreadableDocument when it is over.
        """
        lines = self.lines(sheet, languages, until)
        long = [word for words, _ in lines for word in words if len(word.text) > 2]
        tall = sum(word.y1 - word.y0 > word.x1 - word.x0 for word in long)
        if not long or (page_layout.sureness(lines) > _LOST and tall <= len(long) / 2):
            return sheet, lines
        other = page_layout.turned(sheet, self._lying(sheet))
        if other is sheet:
            return sheet, lines
        again = self.lines(other, languages, until)
        return (other, again) if page_layout.sureness(again) >= page_layout.sureness(lines) - 0.05 else (sheet, lines)

    def _lying(self, sheet: Sheet) -> int:
        """By how many degrees against the clock the sheet must be turned; 0 where that is not known."""
        folder = next((folder for folder in self._folders if (folder / "osd.traineddata").is_file()), None)
        if folder is None:
            return 0
        module = self._library
        with module.PyTessBaseAPI(path=str(folder), lang="osd", psm=module.PSM.OSD_ONLY) as api:
            api.SetImage(sheet.picture)
            api.SetSourceResolution(page_layout.DPI)
            found = api.DetectOrientationScript()
        return int(found["orient_deg"]) if found and found["orient_conf"] > 1 else 0

    def lines(self, sheet: Sheet, languages: tuple[str, ...], until: float) -> list[Line]:
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

    def _lines(self, found: Any) -> Iterator[Line]:
        level = self._library.RIL
        line: list[OcrWord] = []
        begins = True
        letters: list[tuple[str, list[tuple[str, float]]]] = []
        while found is not None and not found.Empty(level.SYMBOL):
            if found.IsAtBeginningOf(level.TEXTLINE):
                if line:
                    yield line, begins
                line, begins = [], bool(found.IsAtBeginningOf(level.PARA))
            if found.IsAtBeginningOf(level.WORD):
                letters = []
            choices = [(choice.GetUTF8Text(), choice.Confidence()) for choice in found.GetChoiceIterator()]
            letters.append((found.GetUTF8Text(level.SYMBOL), choices))
            if found.IsAtFinalElement(level.WORD, level.SYMBOL):
                text = found.GetUTF8Text(level.WORD).strip()
                box = found.BoundingBox(level.WORD)
                if text and box is not None:
                    sure = min(1.0, max(0.0, found.Confidence(level.WORD) / 100))
                    x0, y0, x1, y1 = map(float, box)
                    line.append(OcrWord(text, sure, x0, y0, x1, y1, _alternatives(text, letters)))
            if not found.Next(level.SYMBOL):
                break
        if line:
            yield line, begins

    def _folder(self, languages: tuple[str, ...]) -> Path:
        for folder in self._folders:
            if languages and all((folder / f"{language}.traineddata").is_file() for language in languages):
                return folder
        installed = ", ".join(self.languages())
        raise BadInput(
            reason=f"There is no data to read {'+'.join(languages) or 'no language'}; installed are: {installed}.",
            remedy=f"Put the .traineddata files of all of them into {paths.models() / 'tessdata'}.",
        )

    def _ready(self, languages: tuple[str, ...]) -> Any:
        if languages not in self._loaded:
            folder = self._folder(languages)
            module = self._library
            api = module.PyTessBaseAPI(path=str(folder), lang="+".join(languages), psm=module.PSM.AUTO)
            api.SetVariable("lstm_choice_mode", "2")
            self._loaded[languages] = api
        return self._loaded[languages]


def _alternatives(text: str, letters: Sequence[tuple[str, Sequence[tuple[str, float]]]]) -> tuple[str, ...]:
    """Other readings of a word, one letter changed in each, the likeliest first; none where letters are not its own."""
    if "".join(letter for letter, _ in letters) != text:
        return ()
    changes: list[tuple[float, int, str]] = []
    for at, (letter, choices) in enumerate(letters):
        best = max((weight for _, weight in choices), default=0.0)
        for other, weight in choices:
            if other and other != letter and best > 0 and weight / best >= _LEAST:
                changes.append((weight / best, at, other))
    told: list[str] = []
    for _, at, other in sorted(changes, key=lambda change: (-change[0], change[1], change[2])):
        made = "".join(other if number == at else letter for number, (letter, _) in enumerate(letters)).strip()
        if made and made != text and made not in told:
            told.append(made)
    return tuple(told[:_ALTERNATIVES])


def _installed() -> str:
    try:
        return version("tesserocr")
    except PackageNotFoundError:
        return "bundled"
