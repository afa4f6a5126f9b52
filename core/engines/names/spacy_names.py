"""Finds names with a spaCy pipeline from a local folder: only its parts that find names, one text at a time.

Imported in a child process only.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.errors import LibraryMissing, ModelUnreadable
from core.model_files.spacy_folder import EFFECT, PipelineFolder, look_at
from core.ports import FoundName

_MAX_CHARS = 8_000  # characters that are read at a time; memory grows with them, and names need a few sentences only
_TRIAL = "Anna Berg of Meridian Ltd wrote to the Harbour Office in Oslo on 4 May.\n\nNobody answered."

# What pipelines call a person, an organisation and a place: OntoNotes, WikiNER, and those of single languages (NKJP,
# SUC, KLUE, UNER, GermEval, DaNE, NorNE). A class that is not among them keeps its own word.
_KINDS: dict[str, str] = {
    **dict.fromkeys(("PERSON", "PER", "PRS", "PS", "PERSNAME", "PEOPLE"), "person"),
    **dict.fromkeys(("ORG", "ORGANIZATION", "ORGANISATION", "OG", "ORGNAME", "GPE_ORG", "COMPANY"), "organisation"),
    **dict.fromkeys(
        ("GPE", "LOC", "LOCATION", "FAC", "FACILITY", "LC", "GEOGNAME", "PLACENAME", "GPE_LOC", "PLACE"), "place"
    ),
    **dict.fromkeys(
        ("MISC", "PRODUCT", "PROD", "EVENT", "EVN", "EVT", "WORK_OF_ART", "WRK", "LAW", "OBJ", "THING"), "thing"
    ),
}
# Classes that name nobody and nothing: times, amounts, peoples and languages, what is derived from a name.
_NO_NAMES = frozenset((
    "DATE", "TIME", "DATETIME", "TME", "DT", "TI", "PERCENT", "MONEY", "QUANTITY", "QT", "MSR", "ORDINAL", "CARDINAL",
    "NUM", "NUMERIC", "NUMERIC_VALUE", "NORP", "NAT_REL_POL", "LANGUAGE", "DRV", "DERIV_PER",
))  # fmt: skip
_MAX_KIND_CHARS = 40


@contextlib.contextmanager
def _without_torch() -> Iterator[None]:
    """Hide torch: spaCy would load it for nothing, in three seconds and 300 MB, and weights that torch would read."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["torch"]


class SpacyNames:
    """A finder of the names in texts, with the parts of a pipeline that are made for it."""

    def __init__(self, folder: Path) -> None:
        pipeline = look_at(folder)
        with _without_torch():
            try:
                import spacy
            except ImportError as error:
                raise LibraryMissing(library="spaCy", effect=EFFECT, option="--names") from error
            try:
                self._nlp = spacy.load(pipeline.path, exclude=list(pipeline.other_parts))
                for name in pipeline.name_parts:
                    if name in self._nlp.disabled:
                        self._nlp.enable_pipe(name)
                self.find([_TRIAL])
            except Exception as error:  # the loader raises whatever its parts raise; the cause is the folder
                message = " ".join(str(error).split())[:200]
                raise ModelUnreadable(
                    path=folder, reason=f"{type(error).__name__}: {message}".strip(": "), effect=EFFECT
                ) from error
        self._fingerprint = (
            f"{pipeline.name} {pipeline.version} sha256:{_hash(pipeline)[:16]} spaCy {spacy.__version__}"
        )

    @property
    def fingerprint(self) -> str:
        """Name of the pipeline, its version, SHA-256 of its files, and the library."""
        return self._fingerprint

    def find(self, texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
        """Find the names in each text, in order of place. See core.ports.NameFinder."""
        # One by one: in a batch the others would show in the last bits of the scores.
        return [tuple(self._names(text)) for text in texts]

    def _names(self, text: str) -> Iterator[FoundName]:
        for begin, part in _parts(text):
            for entity in self._nlp(part).ents:
                kind = _kind(entity.label_)
                start, end = begin + entity.start_char, begin + entity.end_char
                name = text[start:end]
                start += len(name) - len(name.lstrip())
                end -= len(name) - len(name.rstrip())
                if kind and any(c.isalpha() for c in name):
                    yield FoundName(start, end, kind)


def _kind(label: str) -> str:
    """Translate a class of a pipeline; '' for one that names nobody. A class of its own keeps its word."""
    plain = label.strip().upper().replace("-", "_").replace(" ", "_")
    if plain.startswith(("B_", "I_")):
        plain = plain[2:]
    if plain in _NO_NAMES:
        return ""
    return _KINDS.get(plain) or plain.lower().replace("_", " ")[:_MAX_KIND_CHARS]


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """Cut a long text into parts, and yield them with their offsets.

    A cut lies between paragraphs, lines, sentences or words, whichever comes first in the later half; without any of
    these, in the midst of what is there.
    """
    start = 0
    while len(text) - start > _MAX_CHARS:
        least, longest = start + _MAX_CHARS // 2, start + _MAX_CHARS
        cut = next(
            (
                place + len(mark)
                for mark in ("\n\n", "\n", ". ", " ")
                if (place := text.rfind(mark, least, longest)) > 0
            ),
            longest,
        )
        yield start, text[start:cut]
        start = cut
    if text[start:].strip():
        yield start, text[start:]


def _hash(pipeline: PipelineFolder) -> str:
    """Compute the SHA-256 of every file that the kept parts are made of."""
    digest = hashlib.sha256()
    for path in sorted(path for path in pipeline.path.rglob("*") if path.is_file()):
        inside = path.relative_to(pipeline.path)
        if inside.parts[0] not in pipeline.other_parts:
            digest.update(str(inside.as_posix()).encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
