"""The command that says what is installed, what runs, and what each engine is kept from."""

from __future__ import annotations

import platform
import re
from argparse import Namespace
from contextlib import suppress
from importlib import metadata

from core import __version__, installation, paths
from core.cli.app import App
from core.cli.grammar import Commands
from core.cli.output import Json
from core.runtime import launch


def register(commands: Commands) -> None:
    """Declare the command of this module."""
    commands.add("doctor", run_doctor, "show what is installed and what each engine cannot do", case=False)


def run_doctor(args: Namespace, app: App) -> int:
    """Print what is installed, what runs, and what each engine is kept from."""
    models = {"embedder": app.settings.embedder_folder, "judge": launch.judge_file(app.settings) or paths.reader()}
    states = launch.engine_states(app.engines, start=True)
    facts: Json = {
        "versions": {"disconfirm": __version__, "python": platform.python_version(), **_versions()},
        "commit": installation.commit(),
        "system": platform.platform(),
        "models": {name: {"path": str(path), "here": path.exists()} for name, path in models.items()},
        "languages_of_scans": list(paths.ocr_languages()),
        "missing_for_scans": launch.ocr_note(),
        "documents_at_a_time": len(app.engines.readers),
        "engines": [{**state.facts(), "cannot": list(_cannot(state))} for state in states],
    }

    def text() -> list[str]:
        lines = [f"{name}\t{version}" for name, version in facts["versions"].items()]
        lines += [f"commit\t{facts['commit']}"] if facts["commit"] else []
        lines.append(f"system\t{facts['system']}")
        lines += [f"{name}\t{'here' if path.exists() else 'not here'}\t{path}" for name, path in models.items()]
        lines.append(f"OCR languages\t{', '.join(paths.ocr_languages()) or 'none'}")
        if facts["missing_for_scans"]:
            lines.append(f"scans\t{facts['missing_for_scans']}")
        lines.append(f"documents read at a time\t{facts['documents_at_a_time']}")
        for state in states:
            words = state.problem or state.fingerprint if state.here else "not on this computer"
            lines.append(f"{state.name}\t{words}")
            if state.sandbox is not None:
                lines.append(f"\tcannot: {'; '.join(_cannot(state)) or 'no restrictions'}")
                lines.append(f"\t{state.sandbox.detail}")
        return lines

    app.out.result(facts, text)
    return 1 if any(state.problem for state in states) else 0


def _versions() -> dict[str, str]:
    """Of the packages that the program names as needed, those that are installed."""
    versions = {}
    with suppress(metadata.PackageNotFoundError):  # there is no list of them in a frozen build
        for line in metadata.requires("disconfirm") or ():
            name = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            with suppress(metadata.PackageNotFoundError):
                versions[name] = metadata.version(name)
    return dict(sorted(versions.items(), key=lambda item: item[0].casefold()))


def _cannot(state: launch.EngineState) -> tuple[str, ...]:
    return state.sandbox.cannot if state.sandbox is not None else ()
