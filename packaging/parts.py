"""The parts of the packaged program: their licence texts, and the list of them (CycloneDX 1.6)."""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shutil
import subprocess
import sys
import uuid
from email.parser import HeaderParser
from importlib import metadata
from pathlib import Path
from typing import Any

import bootstrap
import stub_libraries

TEXTS = Path(__file__).resolve().parent / "licences"  # of parts whose packages hold none
LICENCE_NAME = re.compile(r"(licen[cs]e|copying|notice|authors|copyright|third[-_]?party)", re.IGNORECASE)
# The licence of distributions that name none as SPDX does, or none at all; the texts are those of ``TEXTS``.
STATED = {
    "PySide6_Essentials": ("LGPL-3.0-only", ("LGPL-3.0", "GPL-3.0")),
    "shiboken6": ("LGPL-3.0-only", ("LGPL-3.0", "GPL-3.0")),
    "PyMuPDF": ("AGPL-3.0-only", ("AGPL-3.0",)),
    "flatbuffers": ("Apache-2.0", ("Apache-2.0",)),
    "sentencex": ("MIT", ("MIT-sentencex",)),
    "sqlite-vec": ("MIT OR Apache-2.0", ("MIT-sqlite-vec", "Apache-2.0")),
    "tokenizers": ("Apache-2.0", ("Apache-2.0",)),
    "apsw_sqlite3mc": ("APSW's own permissive licence; SQLite: public domain; SQLite3 Multiple Ciphers: MIT", ()),
    "onnxruntime": ("MIT", ()),
}
MODEL_TEXTS = {
    "Apache-2.0": ("Apache-2.0",),
    "MIT": ("MIT-multilingual-e5",),
    "AGPL-3.0-or-later": ("AGPL-3.0",),
    "AGPL-3.0-or-later AND Apache-2.0": ("AGPL-3.0", "Apache-2.0"),
}
FONTS = (("Inter", "OFL-Inter.txt"), ("Source Serif Pro", "OFL-SourceSerifPro.txt"))

Component = dict[str, Any]


def sha256(file: Path) -> str:
    """Compute the SHA-256 of a file."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def component(name: str, version: str, licence: str, kind: str = "library", **more: Any) -> Component:
    """Write one part; ``licence`` as SPDX has it, or as its maker words it."""
    is_expression = bool(re.fullmatch(r"[A-Za-z0-9.+-]+( (OR|AND|WITH) [A-Za-z0-9.+-]+)*", licence))
    term = {"expression": licence} if is_expression else {"license": {"name": licence or "not stated"}}
    return {"type": kind, "bom-ref": f"{name}@{version}", "name": name, "version": version, "licenses": [term], **more}


# --- distributions of Python -----------------------------------------------------------------------------------------


def licence_of(name: str, record: Path) -> str:
    """Return the licence that a distribution names."""
    if name in STATED:
        return STATED[name][0]
    head = HeaderParser().parsestr((record / "METADATA").read_text("utf-8"))
    stated = head.get("License-Expression") or ""
    if not stated:
        marks = [line.split(" :: ")[-1] for line in head.get_all("Classifier") or () if line.startswith("License ::")]
        line = (head.get("License") or "").strip().split("\n")[0]
        stated = line if 0 < len(line) <= 60 else " OR ".join(marks)
    return " ".join(stated.split())


def licence_texts(name: str, record: Path) -> list[Path]:
    """List the licence texts that came with a distribution, or that are kept here for it."""
    package = record.parent
    files = []
    for line in (record / "RECORD").read_text("utf-8").splitlines() if (record / "RECORD").is_file() else ():
        path = line.rsplit(",", 2)[0].strip('"')
        is_code = path.endswith((".py", ".pyc", ".pyi", ".so", ".h"))
        if LICENCE_NAME.search(path.rsplit("/", 1)[-1]) and not is_code and (package / path).is_file():
            files.append(package / path)
    return [*sorted(files), *texts_named(STATED.get(name, ("", ()))[1])]


def inner_parts(record: Path) -> list[Component]:
    """List the parts that a wheel itself is made of, from the lists that it brings."""
    parts: dict[str, Component] = {}
    for file in sorted((record / "sboms").glob("*.json")):
        for part in json.loads(file.read_text("utf-8")).get("components", ()):
            if stub_libraries.is_left_out(record.name.partition("-")[0], part.get("name", "")):
                continue
            ref = f"{record.name}/{part.get('name')}@{part.get('version', '')}"
            fields = {key: part[key] for key in ("type", "name", "version", "purl", "licenses") if part.get(key)}
            parts.setdefault(ref, {"bom-ref": ref, **fields})
    return [parts[ref] for ref in sorted(parts)]


def distributions(shipped: dict[str, Any], texts: Path) -> list[Component]:
    """Write the parts that are distributions, and copy their licence texts below ``texts``."""
    rows = []
    for name, about in shipped["distributions"].items():
        record = Path(about["record"])
        copied = copy_texts(licence_texts(name, record), texts / f"{name}-{about['version']}")
        purl = f"pkg:pypi/{re.sub('[-_.]+', '-', name).lower()}@{about['version']}"
        row = component(name, about["version"], licence_of(name, record), purl=purl)
        row["properties"] = [{"name": "disconfirm:licence-texts", "value": str(copied)}]
        if inner := inner_parts(record):
            row["components"] = inner
        rows.append(row)
    return rows


def copy_texts(files: list[Path], folder: Path) -> int:
    """Copy licence texts into a folder, each under a name of its own; return how many."""
    names: set[str] = set()
    for file in files:
        name, number = file.name, 1
        while name.lower() in names:
            number += 1
            name = f"{file.stem}-{number}{file.suffix}"
        names.add(name.lower())
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, folder / name)
    return len(names)


# --- everything else -------------------------------------------------------------------------------------------------


def system_libraries(shipped: dict[str, Any], texts: Path) -> list[Component]:
    """Write the libraries of the system that come along, by the packages that own them."""
    owners: dict[str, tuple[str, list[str]]] = {}
    for name, source in shipped["system"]:
        package, version = debian_owner(Path(source))
        owners.setdefault(package, (version, []))[1].append(name)
    rows = []
    for package, (version, names) in sorted(owners.items()):
        copyright_file = Path("/usr/share/doc") / package.partition(":")[0] / "copyright"
        if copyright_file.is_file():
            copy_texts([copyright_file], texts / f"system-{package.partition(':')[0]}")
        row = component(package.partition(":")[0], version, "see the copyright file of the package")
        row["purl"] = f"pkg:deb/debian/{package.partition(':')[0]}@{version}"
        row["properties"] = [{"name": "disconfirm:files", "value": ", ".join(sorted(names))}]
        rows.append(row)
    return rows


def debian_owner(file: Path) -> tuple[str, str]:
    """Return the Debian package of a file, and its version; the name of the file where no package owns it."""
    places = [str(file), str(file.resolve())]
    places += [place.removeprefix("/usr") for place in places] + [f"/usr{place}" for place in places]
    for place in places:
        child = subprocess.run(["dpkg", "-S", place], capture_output=True, text=True, check=False)
        if child.returncode == 0:
            package = child.stdout.split(": ")[0].split(", ")[0]
            process = subprocess.run(
                ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False
            )
            return package, process.stdout.strip()
    return file.name, "unknown"


def other_parts(bundle: Path, texts: Path) -> list[Component]:
    """Write Python, the start program, models, language data, fonts and kernels."""
    inside = bundle / "_internal"
    rows = [component("CPython", platform.python_version(), "PSF-2.0", "platform")]
    python_text = next(Path(sys.base_prefix, "lib").glob("python3*/LICENSE.txt"), None)
    copy_texts([python_text] if python_text else [], texts / f"CPython-{platform.python_version()}")
    maker = metadata.distribution("pyinstaller")
    rows.append(component("PyInstaller bootloader", maker.version, "GPL-2.0-or-later WITH Bootloader-exception"))
    copy_texts(licence_texts("pyinstaller", Path(str(maker._path))), texts / f"PyInstaller-{maker.version}")
    for model in bootstrap.packaged_models():
        place = inside / ("models" if model["source"] == "PyPI" else "resources/models")
        hashes = [{"alg": "SHA-256", "content": file["sha256"]} for file in model["files"]]
        version = model.get("version", "1")
        row = component(model["name"], version, model["licence"], "machine-learning-model", hashes=hashes[-1:])
        row["properties"] = [{"name": "disconfirm:folder", "value": place.relative_to(bundle).as_posix()}]
        rows.append(row)
        copy_texts(texts_named(MODEL_TEXTS[model["licence"]]), texts / f"model-{model['name'].replace(' ', '-')}")
    for file in sorted((inside / "resources/tessdata").glob("*.traineddata")):
        hashes = [{"alg": "SHA-256", "content": sha256(file)}]
        rows.append(component(file.name, "1.0.0", "Apache-2.0", "machine-learning-model", hashes=hashes))
    copy_texts(texts_named(("Apache-2.0",)), texts / "tessdata")
    for name, text in FONTS:
        rows.append(component(name, "1", "OFL-1.1", "data"))
        copy_texts([bootstrap.ROOT / "resources/fonts" / text], texts / f"font-{name.replace(' ', '-')}")
    copy_texts(texts_named(("MIT-llama.cpp",)), texts / "llama.cpp")
    for file in sorted((inside / "llama_cpp").glob("lib*/*")):
        hashes = [{"alg": "SHA-256", "content": sha256(file)}]
        name = f"llama.cpp {file.parent.name}/{file.name}"
        rows.append(component(name, "llama-cpp-python", "MIT", "file", hashes=hashes))
    return rows


def texts_named(names: tuple[str, ...]) -> list[Path]:
    """Return the texts that are kept here, by their names."""
    return [bootstrap.ROOT / "LICENSE" if name == "AGPL-3.0" else TEXTS / f"{name}.txt" for name in names]


def write_list(target: Path, parts: list[Component], *, version: str, commit: str, date: str) -> None:
    """Write the list of parts; the same parts give the same bytes."""
    program = component("disconfirm", version, "AGPL-3.0-or-later", "application")
    program["properties"] = [{"name": "disconfirm:commit", "value": commit}]
    body = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": date, "component": program},
        "components": sorted(parts, key=lambda part: (part["name"].lower(), part["version"])),
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    text = json.dumps({**body, "serialNumber": f"urn:uuid:{number}"}, indent=1, sort_keys=True, ensure_ascii=False)
    target.write_text(text + "\n", "utf-8")


def without_text(parts: list[Component], texts: Path) -> list[str]:
    """Name the distributions that have no licence text below ``texts``."""
    rows = [part for part in parts if str(part.get("purl", "")).startswith("pkg:pypi/")]
    return [row["name"] for row in rows if not (texts / f"{row['name']}-{row['version']}").is_dir()]
