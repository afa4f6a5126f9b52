"""Engine B for scans: PP-OCR through rapidocr and onnxruntime. Slow and robust; its weights come with the package.

The two stages are called one by one: the package's own word confidences belong to other letters than the word's, and
its download code is never reached, because every weight file is named.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

from core.engines.ocr import page_layout
from core.engines.ocr.page_layout import Line, Sheet
from core.errors import BadInput, ModelMissing
from core.installation import library_version
from core.model_files import stamps
from core.ports import OcrPage, OcrWord

_VERSION = 2  # raise when the same picture would give another reading than before
_DETECT = "PP-OCRv6_det_small.onnx"
_READ = "PP-OCRv6_rec_small.onnx"
_LOOK = 1_280  # pixels of the longer side, for finding lines; they are read at full size
_DARK = 128
_GAP = 5  # columns of the network between two letters that are of two words, blank or not
# What the network was trained on, by three letters: Latin writing, Chinese, Japanese.
LANGUAGES = frozenset(
    [
        "afr", "aze", "bos", "cat", "ceb", "ces", "chi_sim", "chi_tra", "cym", "dan", "deu", "eng", "epo",
        "est", "eus", "fao", "fin", "fra", "fry", "gla", "gle", "glg", "hat", "hrv", "hun", "ind", "isl", "ita",
        "jpn", "lat", "lav", "lit", "ltz", "mlt", "mri", "msa", "nld", "nor", "oci", "pol", "por", "que", "ron",
        "slk", "slv", "spa", "sqi", "srp_latn", "swa", "swe", "tgl", "tur", "uzb", "vie", "yor",
    ]
)  # fmt: skip


class RapidOcr:
    """PP-OCR as an engine for scans. See core.ports.OcrEngine.

    ``folder`` holds the two weight files; without it those of the package are used.
    """

    def __init__(self, folder: Path | None = None) -> None:
        for threads in ("OMP_NUM_THREADS", "OMP_THREAD_LIMIT"):
            os.environ[threads] = "1"
        spec = find_spec("rapidocr")
        if spec is None or spec.origin is None:
            raise ModelMissing(role="text recognition", path="rapidocr", effect="scans are not read by it")
        self._folder = folder if folder is not None else Path(spec.origin).parent / "models"
        for name in (_DETECT, _READ):
            if not (self._folder / name).is_file():
                raise ModelMissing(
                    role="text recognition", path=self._folder / name, effect="scans are not read by PP-OCR"
                )
        self._stages: tuple[Any, Any] | None = None
        self._weights = ""

    @property
    def fingerprint(self) -> str:
        """Version of this engine, the libraries, and SHA-256 of both weight files."""
        if not self._weights:
            self._weights = self._digest()
        library = f"rapidocr {library_version('rapidocr')} onnxruntime {library_version('onnxruntime')}"
        return f"pp-ocr {_VERSION} {library} {self._weights}"

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for name in (_DETECT, _READ):
            digest.update((self._folder / name).read_bytes())
        return digest.hexdigest()[:12]

    def read(self, png: bytes, *, width: float, height: float, languages: tuple[str, ...] = ("eng",)) -> OcrPage:
        """Read a page. ``languages`` change nothing in it: one network knows them all."""
        began = time.monotonic()
        unknown = [language for language in languages if language not in LANGUAGES]
        if unknown:
            raise BadInput(
                reason=f"PP-OCR cannot read {'+'.join(unknown)}.",
                remedy="Install Tesseract with data for this language.",
            )
        sheet = page_layout.prepare(png, width, height)
        lines = self.lines(sheet, time.process_time() + page_layout.SECONDS)
        return page_layout.page(lines, sheet, self.fingerprint, time.monotonic() - began)

    def lines(self, sheet: Sheet, until: float) -> list[Line]:
        """Return lines in reading order, column after column.

        ``until`` is a moment of time.process_time. Raises UnreadableDocument when it is over.
        """
        lines = [words for words in self._line_words(sheet, until) if words]
        return list(in_order(lines)) if lines else []

    def _line_words(self, sheet: Sheet, until: float) -> Iterator[list[OcrWord]]:
        import numpy as np
        from PIL import Image

        detect, read = self._ready()
        wide, high = sheet.picture.size
        shrink = min(1.0, _LOOK / max(wide, high))
        size = (max(32, round(wide * shrink)), max(32, round(high * shrink)))
        small = sheet.picture.resize(size, Image.Resampling.BOX).convert("RGB")
        detection = detect(np.ascontiguousarray(np.asarray(small)))
        if detection.boxes is None or not len(detection.boxes):
            return
        dots = np.asarray(sheet.picture.convert("RGB"))
        corners = [np.asarray(box, np.float32) * (wide / size[0], high / size[1]) for box in detection.boxes]
        ink = dots[:, :, 0] < _DARK
        for box in corners:
            if time.process_time() > until:
                raise page_layout.too_long()
            crop = _cut(dots, box)
            reading = read(_line_input(crop))
            yield list(_words(reading.txts[0], reading.word_results[0], box, crop.shape, ink))

    def _ready(self) -> tuple[Any, Any]:
        if self._stages is None:
            import onnxruntime
            from rapidocr import RapidOCR

            onnxruntime.disable_telemetry_events()
            files = [self._folder / name for name in (_DETECT, _READ)]
            stamp, weights = stamps.stamp(files), self._digest()
            engine: Any = RapidOCR(
                params={
                    "Global.log_level": "error",
                    "Det.model_path": str(self._folder / _DETECT),
                    # The picture has its size already; the default would blow a narrow one up to any length.
                    "Det.limit_type": "max",
                    "Det.limit_side_len": _LOOK,
                    "Rec.model_path": str(self._folder / _READ),
                    # Lines read together are padded to the longest, which costs half as much again, and a line's
                    # reading would depend on its neighbours.
                    "Rec.rec_batch_num": 1,
                    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
                    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
                }
            )
            stages = engine._load_det_model(), engine._load_rec_model()
            stamps.require(stamp, files, self._folder)
            self._stages, self._weights = stages, weights  # the name is that of what was loaded
        return self._stages


def _line_input(crop: Any) -> Any:
    from rapidocr.ch_ppocr_rec import TextRecInput

    return TextRecInput(img=crop, return_word_box=True)


def _cut(dots: Any, box: Any) -> Any:
    from rapidocr.utils.process_img import get_rotate_crop_image

    return get_rotate_crop_image(dots, box.astype("float32"))


def _words(text: str, info: Any, box: Any, shape: Sequence[int], ink: Any) -> Iterator[OcrWord]:
    """Yield the words of a line. The network gives each letter a column; a word ends at a blank or a wide gap."""
    upright = shape[0] >= 1.5 * shape[1]
    columns = [column for word in info.word_cols for column in word]
    letters = [(letter, sure) for letter, sure in zip(text, info.confs, strict=False)]
    total = max(1.0, float(info.line_txt_len))
    index = 0
    group: list[tuple[str, float, int]] = []
    groups: list[list[tuple[str, float, int]]] = []
    for letter, sure in letters:
        if letter.isspace():
            if group:
                groups.append(group)
            group = []
            continue
        if index >= len(columns):
            break
        if group and columns[index] - group[-1][2] > _GAP and not _cjk(letter):
            groups.append(group)
            group = []
        group.append((letter, sure, columns[index]))
        index += 1
    if group:
        groups.append(group)
    steps = [b[2] - a[2] for group in groups for a, b in pairwise(group)]
    half_width = (sum(steps) / len(steps) if steps else total / max(1, len(text))) / 2
    for number, row_group in enumerate(groups):
        low = row_group[0][2] + 0.5 - half_width
        high = row_group[-1][2] + 0.5 + half_width
        if number:
            low = max(low, (groups[number - 1][-1][2] + row_group[0][2]) / 2 + 0.5)
        if number + 1 < len(groups):
            high = min(high, (row_group[-1][2] + groups[number + 1][0][2]) / 2 + 0.5)
        share = (max(0.0, low / total), min(1.0, high / total))
        # A word is as sure as its least sure letter: one wrong letter makes it another word.
        sure = min(letter[1] for letter in row_group)
        place = _closer(_part(box, share, upright), ink, upright)
        yield OcrWord("".join(letter[0] for letter in row_group), min(1.0, max(0.0, float(sure))), *place)


def _cjk(letter: str) -> bool:
    return letter >= "\u2e80"


def _part(box: Any, share: tuple[float, float], upright: bool) -> tuple[float, float, float, float]:
    """Return the box of pixels around a part of a line whose four corners are given, from its left end."""
    first, last = (box[0], box[1]) if not upright else (box[1], box[2])
    third, fourth = (box[3], box[2]) if not upright else (box[0], box[3])
    points = [start + (end - start) * part for start, end in ((first, last), (third, fourth)) for part in share]
    xs, ys = [float(point[0]) for point in points], [float(point[1]) for point in points]
    return min(xs), min(ys), max(xs), max(ys)


def _closer(box: tuple[float, float, float, float], ink: Any, upright: bool) -> tuple[float, float, float, float]:
    """Draw a box in to the ink of its word; letters that it cuts at the ends of the word come in whole.

    The network tells columns a third of a letter wide, and lines with some paper around them.
    """
    high, wide = ink.shape
    x0, y0 = max(0, round(box[0])), max(0, round(box[1]))
    x1, y1 = min(wide, round(box[2])), min(high, round(box[3]))
    if upright or x1 - x0 < 2 or y1 - y0 < 2:
        return box
    # Half a letter to either side, for what the columns miss.
    reach = round(0.25 * (y1 - y0))
    left, right = max(0, x0 - reach), min(wide, x1 + reach)
    columns = ink[y0:y1, left:right].any(axis=0)
    low, end = x0 - left, x1 - left
    while low > 0 and columns[low] and columns[low - 1]:
        low -= 1
    while end < len(columns) and columns[end - 1] and columns[end]:
        end += 1
    while low < end and not columns[low]:
        low += 1
    while end > low and not columns[end - 1]:
        end -= 1
    if end - low < 2:
        return box
    rows = ink[y0:y1, left + low : left + end].any(axis=1).nonzero()[0]
    return float(left + low), float(y0 + rows[0]), float(left + end), float(y0 + rows[-1] + 1)


def in_order(lines: list[list[OcrWord]]) -> Iterator[Line]:
    """Yield lines as they are read: pieces of a row joined, column after column, with the starts of paragraphs."""
    yield from _cut_into_blocks([(page_layout.around(line), line) for line in lines], 0)


PlacedLine = tuple[tuple[float, float, float, float], list[OcrWord]]


def _cut_into_blocks(lines: list[PlacedLine], depth: int) -> Iterator[Line]:
    """Cut at white bands that go through, the wider first: level ones part blocks, upright ones columns."""
    height = sorted(box[3] - box[1] for box, _ in lines)[len(lines) // 2]
    if depth < 12 and len(lines) > 1:
        columns = _bands(lines, 0, 1.0 * height)
        if len(columns) > 1 and all(len(column) >= 3 for column in columns):
            for column in columns:
                yield from _cut_into_blocks(column, depth + 1)
            return
        blocks = _bands(lines, 1, 0.9 * height)
        if len(blocks) > 1:
            for block in blocks:
                yield from _cut_into_blocks(block, depth + 1)
            return
    yield from _rows(lines)


def _bands(lines: list[PlacedLine], axis: int, least: float) -> list[list[PlacedLine]]:
    by_start = sorted(lines, key=lambda item: item[0][axis])
    groups = [[by_start[0]]]
    end = by_start[0][0][axis + 2]
    for item in by_start[1:]:
        if item[0][axis] - end > least:
            groups.append([])
        groups[-1].append(item)
        end = max(end, item[0][axis + 2])
    return groups


def _rows(lines: list[PlacedLine]) -> Iterator[Line]:
    rows: list[list[PlacedLine]] = []
    for item in sorted(lines, key=lambda item: item[0][1] + item[0][3]):
        if rows and all(_side_by_side(item[0], box) for box, _ in rows[-1]):
            rows[-1].append(item)
        else:
            rows.append([item])
    left = min(box[0] for box, _ in lines)
    for number, row in enumerate(rows):
        words = [word for _, line in sorted(row, key=lambda item: item[0][0]) for word in line]
        height = max(box[3] - box[1] for box, _ in row)
        yield words, number == 0 or 0.8 * height < min(box[0] for box, _ in row) - left < 5 * height


def _side_by_side(first: page_layout.Box, two: page_layout.Box) -> bool:
    height = min(first[3] - first[1], two[3] - two[1])
    level = min(first[3], two[3]) - max(first[1], two[1]) > 0.5 * height
    return level and min(first[2], two[2]) - max(first[0], two[0]) < 0.5 * height
