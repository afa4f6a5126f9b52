"""The check of a ranking model's folder; search models are tested where their vectors are computed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import ModelMissing, ModelUnreadable
from core.model_files import embedding_folder


def test_a_huge_list_of_parts_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"")
    (tmp_path / "modules.json").write_bytes(b"[")
    os.truncate(tmp_path / "modules.json", 200_000_000)
    with pytest.raises(ModelUnreadable, match="far too large"):
        embedding_folder.check_reranker(tmp_path)


@pytest.mark.parametrize("name", ["x" * 5_000, "a\0b"])
def test_a_name_that_no_folder_can_have_is_a_missing_model(name):
    with pytest.raises(ModelMissing):
        embedding_folder.check_reranker(Path(name))
    assert not embedding_folder.is_there(Path(name))
