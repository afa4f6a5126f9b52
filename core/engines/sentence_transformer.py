"""The embedder: a sentence-transformers model from a local folder. Imported in a child process only."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.errors import ModelMissing, ModelUnreadable

_EFFECT = "search by meaning is off and search by words goes on"

# What the models of a family want before a query and before a passage, where their folder does not say it (their model
# cards at intfloat, BAAI and nomic-ai). Multilingual models of bge and e5's instruct models are not among them.
_FAMILIES = (
    (("multilingual-e5", "e5-small", "e5-base", "e5-large"), "query: ", "passage: "),
    (("bge-small-en", "bge-base-en", "bge-large-en"), "Represent this sentence for searching relevant passages: ", ""),
    (("nomic-embed-text",), "search_query: ", "search_document: "),
)
_NAMES_OF_QUERIES, _NAMES_OF_PASSAGES = ("query", "search_query"), ("document", "passage", "search_document")

# Files by which a model folder could run code of its own or load a pickle.
_REFUSED = (".py", ".bin", ".pkl", ".pt", ".ckpt")


class SentenceTransformerEmbedder:
    """Vectors of unit length from a folder that sentence-transformers can load. Never asks a network."""

    def __init__(self, folder: Path) -> None:
        if not (folder / "modules.json").is_file():
            raise ModelMissing(role="search", path=folder, effect=_EFFECT)
        self._check(folder)
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", TOKENIZERS_PARALLELISM="false")
        import sentence_transformers
        import torch

        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2) if (os.cpu_count() or 2) > 2 else 2)
        try:
            self._model = sentence_transformers.SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except Exception as error:  # the loader raises whatever its parts raise; the cause is the folder
            raise ModelUnreadable(path=folder, reason=type(error).__name__, effect=_EFFECT) from error
        self._model.eval()
        self._torch = torch
        size = self._model.get_embedding_dimension()
        if not size:
            raise ModelUnreadable(path=folder, reason="it does not say how long its vectors are", effect=_EFFECT)
        self._dimensions = int(size)
        self._before_query, self._before_passage = _prefixes(folder, self._model.prompts)
        digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
        library = f"sentence-transformers {sentence_transformers.__version__}"
        self._fingerprint = f"{folder.name} sha256:{digest[:16]} {library}"
        if self._before_passage:
            self._fingerprint += f" passages begin {self._before_passage!r}"

    @staticmethod
    def _check(folder: Path) -> None:
        if not (folder / "model.safetensors").is_file():
            raise ModelUnreadable(path=folder, reason="it has no model.safetensors", effect=_EFFECT)
        for path in folder.rglob("*"):
            if path.suffix in _REFUSED:
                raise ModelUnreadable(path=folder, reason=f"it holds {path.name}, which can run code", effect=_EFFECT)
        try:
            modules = json.loads((folder / "modules.json").read_text("utf-8"))
            foreign = [m["type"] for m in modules if not m["type"].startswith("sentence_transformers.")]
        except (ValueError, KeyError, TypeError) as error:
            raise ModelUnreadable(path=folder, reason="its modules.json is broken", effect=_EFFECT) from error
        if foreign:
            raise ModelUnreadable(path=folder, reason=f"it wants foreign code ({foreign[0]})", effect=_EFFECT)

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return self._embed([self._before_passage + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        return self._embed([self._before_query + text for text in texts])

    def pieces(self, texts: Sequence[str]) -> list[int]:
        if not texts:
            return []
        encoded = self._model.tokenizer(list(texts), truncation=False, add_special_tokens=False, verbose=False)
        return [len(ids) for ids in encoded["input_ids"]]

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        """One vector a text. Texts are grouped by equal token count, so that padding cannot change a vector."""
        import numpy

        groups: dict[int, list[int]] = {}
        if not texts:
            return []
        encoded = self._model.tokenizer(list(texts), truncation=True, max_length=self._model.max_seq_length)
        for at, ids in enumerate(encoded["input_ids"]):
            groups.setdefault(len(ids), []).append(at)
        result: list[bytes] = [b""] * len(texts)
        with self._torch.inference_mode():
            for places in groups.values():
                vectors = self._model.encode(
                    [texts[at] for at in places],
                    batch_size=32,
                    convert_to_numpy=True,
                    prompt="",  # what a text begins with is decided here
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
                for at, vector in zip(places, vectors, strict=True):
                    result[at] = numpy.asarray(vector, dtype="<f4").tobytes()
        return result


def _prefixes(folder: Path, prompts: Mapping[str, str | None]) -> tuple[str, str]:
    """What goes before a query and before a passage: as the folder says, else as its family is known to want."""
    query = next((said for name in _NAMES_OF_QUERIES if (said := prompts.get(name))), "")
    passage = next((said for name in _NAMES_OF_PASSAGES if (said := prompts.get(name))), "")
    if query or passage:
        return query, passage
    called = folder.name.lower()
    if "instruct" in called:
        return "", ""
    for names, before_query, before_passage in _FAMILIES:
        if any(name in called for name in names):
            return before_query, before_passage
    return "", ""
