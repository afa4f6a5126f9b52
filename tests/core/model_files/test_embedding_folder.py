"""The check of a ranking model's folder; search models are tested where their vectors are computed."""

from __future__ import annotations

import os

import pytest

from core.errors import ModelUnreadable
from core.model_files import embedding_folder


def test_a_huge_list_of_parts_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "modules.json").write_bytes(b"[")
    os.truncate(tmp_path / "modules.json", 200_000_000)
    with pytest.raises(ModelUnreadable, match="far too large"):
        embedding_folder.check_reranker(tmp_path)
