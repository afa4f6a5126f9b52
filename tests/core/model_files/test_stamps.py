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
    second_file = tmp_path / "other"
    second_file.write_bytes(b"other")
    os.utime(second_file, (1, 1))
    stamp = stamps.stamp([folder, second_file])
    stamps.require(stamp, [folder, second_file], folder)
    if change == "write":
        weights.write_bytes(b"again")
    elif change == "replace":
        second_file.replace(weights)
    elif change == "remove":
        weights.unlink()
    else:
        (folder / "part" / "more").touch()
    with pytest.raises(ModelUnreadable, match="changed while it was read"):
        stamps.require(stamp, [folder, second_file], folder)
