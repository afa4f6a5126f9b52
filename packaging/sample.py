"""The sample case as the packaged program brings it: judged by the shipped judge, dated by the commit.

Run with the Python of .venv: python packaging/sample.py FOLDER SECONDS
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

ROOT = Path(__file__).resolve().parent.parent
NUMBER = UUID("5d0c1a52-0a5e-4c5e-8f0e-000000000001")  # of the case: every copy of the sample is the same case


def documents(source: Path, moment: int) -> Path:
    """Copy the sample's documents to one place with one time: a case remembers where and of when its files were."""
    place = Path("/tmp" if os.name == "posix" else tempfile.gettempdir(), "disconfirm-sample-case")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source, place)
    for file in place.rglob("*"):
        os.utime(file, (moment, moment))
    return place


def main(arguments: list[str]) -> int:
    """Build the case in the folder that is named; its clock begins at SECONDS and goes on by one with each look."""
    folder, moment = Path(arguments[0]).absolute(), [int(arguments[1])]
    os.environ["DISCONFIRM_MODELS"] = str(folder / "models")
    os.environ["DISCONFIRM_HOME"] = str(folder / "home")
    sys.path.insert(0, str(ROOT))
    from core import paths, sample_case, settings
    from core.runtime import launch
    from core.store import case_file

    def now() -> datetime:
        moment[0] += 1
        return datetime.fromtimestamp(0, UTC) + timedelta(seconds=moment[0])

    case_file.uuid4 = lambda: NUMBER
    sample_case.FOLDER = documents(sample_case.FOLDER, moment[0])
    engines = launch.build_engines(settings.load())
    try:
        if engines.judge is None or engines.embedder is None:
            print(f"There is no judge or no embedder in {paths.models()}.", file=sys.stderr)
            return 1
        sample = sample_case.build_sample(engines, folder, now=now)
    finally:
        launch.close(engines)
        shutil.rmtree(sample_case.FOLDER)
    print(sample.as_text())
    return 0 if sample.as_expected and not sample.notes else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
