"""The embedder for every other model that sentence-transformers can load from a local folder.

It is slower to start than ``core.engines.embedding.bert_onnx``, and does more work. Imported in a child process only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Any

from core.engines.embedding.bert_onnx import best_matches, digest, directions, unit
from core.errors import LibraryMissing, ModelUnreadable
from core.model_files.embedding_folder import EFFECT, ModelFolder, files_in

_USED = (".safetensors", ".json", ".txt", ".model")  # weights, settings, vocabularies


class SentenceTransformerEmbedder:
    """Vectors of unit length from a folder. Never asks a network, and runs no code that the folder brings."""

    def __init__(self, folder: ModelFolder) -> None:
        self._folder = folder
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        try:
            import sentence_transformers
            import torch
        except ImportError as error:  # the packaged program leaves them out
            raise LibraryMissing(library="sentence-transformers", effect=EFFECT, option="") from error
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2) if (os.cpu_count() or 2) > 2 else 2)
        try:
            self._model = sentence_transformers.SentenceTransformer(
                str(folder.path), device="cpu", local_files_only=True, trust_remote_code=False
            )
            self._model.eval()
            take_into_memory(self._model)
            size = self._model.get_embedding_dimension()
        except Exception as error:  # the loader raises whatever its parts raise; the cause is the folder
            reason = f"it cannot be loaded: {type(error).__name__}"
            if "auto_map" in folder.config:
                reason += "; it may want code of its own, which is never run"
            raise _unreadable(folder, reason) from error
        self._torch = torch
        if not size:
            raise _unreadable(folder, "it does not say how long its vectors are")
        self._dimensions = int(size)
        library = f"sentence-transformers {sentence_transformers.__version__}"
        self._fingerprint = f"{folder.name} sha256:{digest(folder, _other_files(folder))[:16]} {library}"
        if folder.before_passage:
            self._fingerprint += f" passages begin {folder.before_passage!r}"
        self.embed(["a first text shows whether everything fits together"])

    @property
    def fingerprint(self) -> str:
        """Name of the folder, SHA-256 of its weights, the library, and what passages begin with."""
        return self._fingerprint

    @property
    def dimensions(self) -> int:
        """Number of components of a vector."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a passage, as the bytes of float32. See core.ports.Embedder."""
        return self._embed([self._folder.before_passage + text for text in texts])

    def embed_queries(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a question, as the bytes of float32."""
        return self._embed([self._folder.before_query + text for text in texts])

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """Count the tokens of each text, whole and without the special ones."""
        return [self._count(text) for text in texts]

    def token_matches(self, query: str, texts: Sequence[str]) -> list[tuple[float, ...]]:
        """Return the best cosine of each token of a query among the tokens of each text. See core.ports.Embedder."""
        ids = self._model.tokenizer(self._folder.before_query + query, truncation=True, verbose=False)["input_ids"]
        special = set(self._model.tokenizer.all_special_ids)
        words = self._model.tokenizer.convert_ids_to_tokens(ids)
        positions = [
            index
            for index, (number, word) in enumerate(zip(ids, words, strict=True))
            if number not in special and any(c.isalnum() for c in word)
        ]
        with self._torch.inference_mode():
            query_rows = self._states(self._folder.before_query + query)
            positions = [index for index in positions if index < len(query_rows)]
            if not positions:
                return [() for _ in texts]
            return [
                best_matches(query_rows[positions], self._states(self._folder.before_passage + text)) for text in texts
            ]

    def _states(self, text: str) -> Any:
        """Run the model on one text; returns a row of length 1 a token."""
        try:
            rows = self._model.encode(
                [text], output_value="token_embeddings", prompt="", show_progress_bar=False, convert_to_numpy=False
            )[0]
        except (IndexError, RuntimeError, ValueError) as error:
            raise _unreadable(self._folder, f"it fails on a text: {type(error).__name__}") from error
        return directions(rows.cpu().numpy())

    def _count(self, text: str) -> int:
        encoding = self._model.tokenizer(text, truncation=False, add_special_tokens=False, verbose=False)
        return len(encoding["input_ids"])

    def _embed(self, texts: Sequence[str]) -> list[bytes]:
        """Return one vector a text, each computed by itself.

        In a batch, padding and the shape of the product would change its last digits.
        """
        with self._torch.inference_mode():
            return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> bytes:
        try:
            vectors = self._model.encode([text], convert_to_numpy=True, prompt="", show_progress_bar=False)
        except (IndexError, RuntimeError, ValueError) as error:
            raise _unreadable(self._folder, f"it fails on a text: {type(error).__name__}") from error
        return unit(vectors[0], self._folder)


def _other_files(folder: ModelFolder) -> bytes:
    """SHA-256 of everything else in the folder by which its vectors may differ: parts after the first, vocabularies."""
    return digest_of_files(folder.path, without={tensor.file for tensor in folder.tensors.values()})


def digest_of_files(folder: Path, *, without: Container[Path] = ()) -> bytes:
    """SHA-256 of the weights, settings and vocabularies in a folder, each with its name."""
    hasher = hashlib.sha256()
    for file in files_in(folder):
        if file.suffix in _USED and file not in without and file.is_file():
            with file.open("rb") as stream:
                name = file.relative_to(folder).as_posix()
                hasher.update(f"{name}\0{hashlib.file_digest(stream, 'sha256').hexdigest()}\0".encode())
    return hasher.digest()


def take_into_memory(model: Any) -> None:
    """Have a model hold its weights itself: the library maps the file, and who writes over that changes the model."""
    for tensor in (*model.parameters(), *model.buffers()):
        tensor.data = tensor.data.clone()


def _unreadable(folder: ModelFolder, reason: str) -> ModelUnreadable:
    return ModelUnreadable(path=folder.path, reason=reason, effect=EFFECT)
