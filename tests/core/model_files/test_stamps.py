"""Files of a model are known again, and each change of them is seen."""

from __future__ import annotations

import os

import pytest

from core.errors import ModelUnreadable
from core.model_files import stamps


@pytest.mark.parametrize("change", ["write", "replace", "remove", "add"])
def test_every_change_of_a_folder_is_seen(tmp_path, change):
    folder = tmp_path / "model"
    (folder / "part").mkdir(parents=True)
    weights = folder / "part" / "weights"
    weights.write_bytes(b"first")
    os.utime(weights, (1, 1))
    other = tmp_path / "other"
    other.write_bytes(b"other")
    os.utime(other, (1, 1))
    before = stamps.stamp([folder, other])
    stamps.require(before, [folder, other], folder)
    if change == "write":
        weights.write_bytes(b"again")
    elif change == "replace":
        other.replace(weights)
    elif change == "remove":
        weights.unlink()
    else:
        (folder / "part" / "more").touch()
    with pytest.raises(ModelUnreadable, match="changed while it was read"):
        stamps.require(before, [folder, other], folder)
