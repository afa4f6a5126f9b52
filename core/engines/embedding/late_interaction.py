"""The reranker: a late-interaction model of sentence-transformers from a local folder, with a vector for each token.

Imported in a child process only.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.engines.embedding.sentence_transformer import digest_of_files, take_into_memory
from core.errors import LibraryMissing, ModelUnreadable
from core.model_files import embedding_folder


class MultiVectorReranker:
    """A scorer of passages by how well each word of a query is met in them (MaxSim: Khattab and Zaharia, 2020)."""

    def __init__(self, folder: Path) -> None:
        embedding_folder.check_reranker(folder)
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        try:
            import sentence_transformers
            import torch
        except ImportError as error:  # the packaged program leaves them out
            raise LibraryMissing(
                library="sentence-transformers", effect=embedding_folder.NO_RANKING, option=""
            ) from error
        processors = os.cpu_count() or 2
        torch.set_num_threads(max(1, processors // 2) if processors > 2 else 2)
        try:
            self._model = sentence_transformers.MultiVectorEncoder(str(folder), device="cpu", local_files_only=True)
        except Exception as error:  # the loader raises whatever its parts raise; the cause is the folder
            raise ModelUnreadable(
                path=folder, reason=type(error).__name__, effect=embedding_folder.NO_RANKING
            ) from error
        self._model.eval()
        take_into_memory(self._model)
        self._torch = torch
        library = f"sentence-transformers {sentence_transformers.__version__}"
        self._fingerprint = f"{folder.name} sha256:{digest_of_files(folder).hex()[:16]} {library}"

    @property
    def fingerprint(self) -> str:
        """Name of the folder, SHA-256 of its weights, settings and vocabularies, and the library."""
        return self._fingerprint

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """Return one number a passage; higher is better."""
        if not passages:
            return []
        # One by one: in a batch the length of the longest would show in the last bits of the others.
        with self._torch.inference_mode():
            query_vectors = self._model.encode_query([query], show_progress_bar=False)
            return [
                float(self._model.similarity(query_vectors, self._passage_vectors(passage))[0][0])
                for passage in passages
            ]

    def _passage_vectors(self, passage: str) -> Any:
        return self._model.encode_document([passage], batch_size=1, show_progress_bar=False)
