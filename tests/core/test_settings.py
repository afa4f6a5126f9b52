"""The person's settings: kept as chosen; a broken or foreign file gives the defaults."""

from __future__ import annotations

import json

from core import paths
from core.settings import Settings, load, save


def test_what_is_chosen_is_there_the_next_time():
    chosen = Settings(analyst=" Ada ", theme="dark", density="comfortable", advance=False, ocr_language="deu+eng")
    save(chosen)
    assert load() == chosen
    assert load().who == "Ada"
    assert Settings().who == "Analyst"


def test_what_is_broken_or_unknown_is_passed_over():
    file = paths.user_data() / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    for text in ("{", "[1]", "", "[" * 100_000):
        file.write_text(text, "utf-8")
        assert load() == Settings()
    file.write_text(json.dumps({"text_size": "large", "advance": 1, "density": "comfortable", "new": 3}), "utf-8")
    assert load() == Settings(density="comfortable")
