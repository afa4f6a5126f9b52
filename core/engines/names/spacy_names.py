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

_LONGEST = 8_000  # characters that are read at a time; memory grows with them, and names need a few sentences only
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
_LONGEST_KIND = 40


@contextlib.contextmanager
def _without_torch() -> Iterator[None]:
    """With torch beside it, spaCy loads it: three seconds and 300 MB for nothing, and weights that torch would read."""
    if "torch" in sys.modules:
        yield
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["torch"]


class SpacyNames:
    """Finds the names in texts with the parts of a pipeline that are made for it."""

    def __init__(self, folder: Path) -> None:
        found = look_at(folder)
        with _without_torch():
            try:
                import spacy
            except ImportError as error:
                raise LibraryMissing(library="spaCy", effect=EFFECT, option="--names") from error
            try:
                self._nlp = spacy.load(found.path, exclude=list(found.other_parts))
                for name in found.name_parts:
                    if name in self._nlp.disabled:
                        self._nlp.enable_pipe(name)
                self.find([_TRIAL])
            except Exception as error:  # the loader raises whatever its parts raise; the cause is the folder
                said = " ".join(str(error).split())[:200]
                raise ModelUnreadable(
                    path=folder, reason=f"{type(error).__name__}: {said}".strip(": "), effect=EFFECT
                ) from error
        self._fingerprint = f"{found.name} {found.version} sha256:{_hash(found)[:16]} spaCy {spacy.__version__}"

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    def find(self, texts: Sequence[str]) -> list[tuple[FoundName, ...]]:
        """The names in each text, in order of place. See core.ports.NameFinder."""
        # One by one: in a batch the others would show in the last bits of the scores.
        return [tuple(self._names(text)) for text in texts]

    def _names(self, text: str) -> Iterator[FoundName]:
        for begin, part in _parts(text):
            for entity in self._nlp(part).ents:
                kind = _kind(entity.label_)
                start, end = begin + entity.start_char, begin + entity.end_char
                written = text[start:end]
                start += len(written) - len(written.lstrip())
                end -= len(written) - len(written.rstrip())
                if kind and any(c.isalpha() for c in written):
                    yield FoundName(start, end, kind)


def _kind(label: str) -> str:
    """What a class of a pipeline is called here; '' for one that names nobody. A class of its own keeps its word."""
    plain = label.strip().upper().replace("-", "_").replace(" ", "_")
    if plain.startswith(("B_", "I_")):
        plain = plain[2:]
    if plain in _NO_NAMES:
        return ""
    return _KINDS.get(plain) or plain.lower().replace("_", " ")[:_LONGEST_KIND]


def _parts(text: str) -> Iterator[tuple[int, str]]:
    """A long text in parts with their offsets, cut between paragraphs, lines, sentences or words, whichever comes first
    in the later half; without any of these, in the midst of what stands there.
    """
    at = 0
    while len(text) - at > _LONGEST:
        least, most = at + _LONGEST // 2, at + _LONGEST
        cut = next(
            (found + len(mark) for mark in ("\n\n", "\n", ". ", " ") if (found := text.rfind(mark, least, most)) > 0),
            most,
        )
        yield at, text[at:cut]
        at = cut
    if text[at:].strip():
        yield at, text[at:]


def _hash(found: PipelineFolder) -> str:
    """Of every file that the kept parts are made of."""
    digest = hashlib.sha256()
    for path in sorted(path for path in found.path.rglob("*") if path.is_file()):
        inside = path.relative_to(found.path)
        if inside.parts[0] not in found.other_parts:
            digest.update(str(inside.as_posix()).encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
