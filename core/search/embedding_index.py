"""Vectors for passages: made when documents come or the search model changes, by the search model of the workbench.

They are made a batch at a time, so that a stop loses nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core import errors, paths
from core.domain import Changes, Chunk
from core.errors import BadInput, EngineStopped, ModelMissing, ModelUnreadable
from core.model_files.embedding_folder import is_there
from core.ports import Embedder
from core.progress import Progress, silent
from core.store import ModelVectors
from core.text import counted

if TYPE_CHECKING:
    from core.open_case import OpenCase


_FOREIGN = 0.1  # share of passages that are not in English from which on a model of many languages is offered
_CHUNKS_AT_ONCE = 32  # passages a transaction: about a second of work, which is what a stop can lose


@dataclass(frozen=True, slots=True)
class Embedding:
    """The share of the passages of a case that have vectors, and the models that made them.

    ``model`` is the fingerprint of the current search model, '' where there is none that works; ``reason`` then says
    why. ``done`` of ``passages`` have a vector of it. ``searched_with`` is the model that searches by meaning use now:
    the one before, as long as the present one is not done and the one before can still be asked; '' where passages are
    found by their words only. ``others`` are vectors of other models. ``foreign`` passages are not in English; they are
    counted where the program's model of many languages is on this computer and its other one in use.
    """

    model: str
    passages: int
    done: int
    searched_with: str
    others: tuple[ModelVectors, ...]
    reason: str = ""
    foreign: int = 0

    @property
    def waiting(self) -> int:
        """Count the passages that have no vector of the current model yet."""
        return self.passages - self.done

    @property
    def offer(self) -> str:
        """Return a sentence or two on the model that would serve this case; '' where none would."""
        if self.foreign < _FOREIGN * self.passages or not self.foreign:
            return ""
        return (
            f"{self.foreign:,} of {counted(self.passages, 'passage is', 'passages are')} not in English. "
            f"{paths.MULTILINGUAL} finds them by questions in English, and the other way round; making the vectors "
            "anew takes two to three times as long as with the present model."
        )

    @property
    def sentence(self) -> str:
        """Return what a person should know of it in a sentence or two; '' where everything is as it should be."""
        if not self.passages:
            return ""
        beside = f"with {distinct_name(self.others[-1].model, self.model)}" if self.others else ""
        if not self.model:
            if not self.others:
                return ""  # a program without a search model says so elsewhere
            return (
                f"This case was made searchable by meaning {beside}, which cannot be used now: {self.reason} "
                "Passages are found by their words only."
            )
        name = name_of(self.model)
        if self.others and name == name_of(self.others[-1].model):
            name = distinct_name(self.model, self.others[-1].model)
        if self.waiting and self.searched_with and self.searched_with != self.model:
            return (
                f"{self.done:,} of {self.passages:,} passages have vectors of {name}; until all have, searches by "
                f"meaning go on {beside}."
            )
        if self.waiting and self.others and not self.done:
            return (
                f"This case was made searchable by meaning {beside}; the search model is now {name}. Until passages "
                "have its vectors they are found by their words only."
            )
        if self.waiting:
            return (
                f"{self.done:,} of {self.passages:,} passages are searched by meaning with {name}; the others by "
                "their words only."
            )
        return ""


@dataclass(frozen=True, slots=True)
class EmbedReport:
    """``embedded`` passages were put through the model, ``reused`` had the text of one that has a vector."""

    embedding: Embedding
    embedded: int
    reused: int
    seconds: float
    changes: Changes = Changes(documents=True)


class EmbeddingIndex:
    """The vectors of the passages: which model made them, and making those that are missing."""

    def __init__(self, case: OpenCase) -> None:
        self._open = case
        self._store = case.store

    def status(self) -> Embedding:
        """Return how many passages have vectors. Starts the search model where it does not run yet and is needed."""
        models, passages = self._store.vectors.by_model(), self._store.scope.passages()
        if not models and not passages:
            return Embedding("", 0, 0, "", ())
        embedder, reason, model = self._open.engines.embedder, "", ""
        if embedder is None:
            reason = "it is not on this computer."
        else:
            try:
                model = embedder.fingerprint
            except (ModelMissing, ModelUnreadable, EngineStopped) as error:
                reason = error.sentence
        others = tuple(
            sorted(
                (model_vectors for model_vectors in models if model_vectors.model != model),
                key=lambda model_vectors: model_vectors.passages,
            )
        )
        count = passages - self._store.vectors.count_without(model) if model else 0
        search_model = ""
        if model and count:
            search_model = model
        former = self.former_embedder() if model else None
        if former is not None:
            search_model = former.fingerprint
        foreign = 0
        if name_of(model) == paths.EMBEDDER and is_there(paths.model(paths.MULTILINGUAL)):
            foreign = self._store.scope.foreign_passages()
        return Embedding(model, passages, count, search_model, others, reason, foreign)

    def embedder(self) -> Embedder | None:
        """Return the model to search with: the present one, or the one before while that alone has all passages."""
        embedder = self._open.engines.embedder
        if embedder is None or self._open.engines.former is None:
            return embedder
        return self.former_embedder() or embedder

    def former_embedder(self) -> Embedder | None:
        """Return the model before the present one, while it still serves searches better."""
        embedder, former = self._open.engines.embedder, self._open.engines.former
        if embedder is None or former is None or not self._store.vectors.by_model():
            return None
        try:
            present, earlier = embedder.fingerprint, former.fingerprint
        except (ModelMissing, ModelUnreadable, EngineStopped):
            return None
        lacking = self._store.vectors.count_without(present)
        if present == earlier or not lacking or self._store.vectors.count_without(earlier) >= lacking:
            return None
        return former

    def build(self, progress: Progress | None = None) -> EmbedReport:
        """Compute a vector of the current search model for every passage.

        What was done before is kept, also when this is cancelled; vectors of other models stay until they are
        forgotten.

        Raises ModelMissing, ModelUnreadable, EngineStopped.
        """
        progress = progress or silent()
        if self._open.engines.embedder is None:
            raise BadInput(
                reason="There is no search model on this computer, so passages are found by their words only.",
                remedy=errors.remedy(
                    "Fetch it with: python3 packaging/bootstrap.py models, or choose a folder that contains one.",
                    "Install Disconfirm again, or choose a folder that contains one.",
                ),
            )
        began = time.monotonic()
        new, equal = self.fill(progress)
        return EmbedReport(self.status(), new, equal, time.monotonic() - began)

    def finish(self, progress: Progress | None = None) -> None:
        """Embed what an earlier run left without vectors (cancelled, or added while the model was missing)."""
        self.fill(progress or silent())

    def forget(self, model: str | None = None) -> tuple[ModelVectors, ...]:
        """Take out the vectors of another model than the present one (None: of all others). Gives what was taken out.

        Raises BadInput while searches still need them, or for a model that the case has no vectors of.
        """
        state = self.status()
        selection = tuple(vectors for vectors in state.others if model in (None, vectors.model))
        if model is not None and not selection:
            raise BadInput(
                reason=f"The case has no vectors of '{model[:80]}' beside those that are in use.",
                remedy="See which there are with: disconfirm embed CASE",
            )
        for vectors in selection:
            self._store.vectors.forget(vectors.model, instead=state.model)
        return selection

    def fill(self, progress: Progress) -> tuple[int, int]:
        """Compute a vector for every passage that has none.

        Returns how many were put through the model, and how many took over that of an equal text.
        """
        embedder = self._open.engines.embedder
        if embedder is None:
            return 0, 0
        model = embedder.fingerprint
        waiting = self._store.vectors.count_without(model)
        position = new = equal = 0
        while chunks := self._store.vectors.chunks_without(model, _CHUNKS_AT_ONCE):
            progress.step(position, waiting, "Indexing for search by meaning")
            vectors, put = self._vectors(embedder, model, chunks)
            if embedder.fingerprint != model:  # its process was started again, on other files in the same place
                return self.fill(progress)
            with self._store.db.snapshot():  # a word that was corrected meanwhile has its passage wait again
                present = self._store.pages.chunks([chunk.id for chunk in chunks])
                same = {
                    chunk.id
                    for chunk in chunks
                    if chunk.id in present and present[chunk.id].search_text == chunk.search_text
                }
                self._store.vectors.put(model, [vector for vector in vectors if vector[0] in same])
            position += len(chunks)
            new += put
            equal += len(chunks) - put
        progress.step(position, position, "Indexing for search by meaning")
        return new, equal

    def _vectors(self, embedder: Embedder, model: str, chunks: Sequence[Chunk]) -> tuple[list[tuple[int, bytes]], int]:
        of_equal_texts = self._store.vectors.of_equal_texts(model, chunks)
        texts = list(dict.fromkeys(chunk.search_text for chunk in chunks if chunk.id not in of_equal_texts))
        of_texts = dict(zip(texts, embedder.embed(texts), strict=True))
        return [(chunk.id, of_equal_texts.get(chunk.id) or of_texts[chunk.search_text]) for chunk in chunks], len(texts)


def name_of(fingerprint: str) -> str:
    """Return the folder's name that a fingerprint begins with."""
    return fingerprint.split(" sha256:", 1)[0]


def distinct_name(fingerprint: str, other_fingerprint: str) -> str:
    """Return the folder's name; where that of another model is the same, with what tells the two apart."""
    name = name_of(fingerprint)
    if name != name_of(other_fingerprint) or fingerprint == other_fingerprint:
        return name
    weights, _, program = fingerprint.removeprefix(name).strip().removeprefix("sha256:").partition(" ")
    if f" sha256:{weights}" not in other_fingerprint:
        return f"{name} (weights {weights[:8]})"
    return f"{name} ({program})" if program else name
