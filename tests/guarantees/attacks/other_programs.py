"""Files of the program opened by other programs: Chromium, LibreOffice and the tools of Poppler.

What is not installed is named by ``absent``; on Debian: chromium, libreoffice-writer, libreoffice-calc, poppler-utils.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# What the browser asks for by itself; nothing in a page leads there.
OF_THE_BROWSER = ("google.com", "googleapis.com", "gvt1.com", "gstatic.com")
# Every sheet into a table of its own, all cells as they are shown: see "Filter Options for CSV" of LibreOffice.
EVERY_SHEET = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
HOST = (
    "<!doctype html><body><script>addEventListener('message', told => document.body.append(told.data + ';'))</script>"
)


def absent(*programs: str) -> str:
    """Say which of some programs is not on this computer; '' where all are."""
    return ", ".join(name for name in programs if shutil.which(name) is None)


def browser() -> str:
    """Return the name of a browser that is installed, '' where none is."""
    return next((name for name in BROWSERS if shutil.which(name)), "")


def browsed(pages: Mapping[str, bytes], folder: Path) -> list[str]:
    """Open web pages in a browser that reaches nothing, and say what they ran and what they asked for."""
    for number, page in enumerate(pages.values()):
        (folder / f"{number}.html").write_bytes(page)
    frames = "".join(f'<iframe src="{number}.html"></iframe>' for number in range(len(pages)))
    (folder / "host.html").write_text(HOST + frames, "utf-8")
    process = subprocess.run(
        [
            browser(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-component-update",
            "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=20000",
            f"--user-data-dir={folder / 'profile'}", f"--log-net-log={folder / 'net.json'}", "--dump-dom",
            (folder / "host.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=600, check=True,
    )  # fmt: skip
    events = json.loads((folder / "net.json").read_text("utf-8"))["events"]
    addresses = {event["params"]["url"] for event in events if "url" in event.get("params", {})}
    scripts = re.findall("ran;", process.stdout)  # what stands in a frame is not printed
    return scripts + sorted(address for address in addresses if _is_of_a_page(address))


def _is_of_a_page(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in ("http", "https", "ftp", "ws", "wss") and not (parts.hostname or "").endswith(OF_THE_BROWSER)


def converted(files: Mapping[str, bytes], to: str, folder: Path) -> Path:
    """Have LibreOffice open files and write each in another form; return the folder of what it wrote."""
    source, target = folder / "given", folder / "made"
    source.mkdir()
    for name, data in files.items():
        (source / name).write_bytes(data)
    subprocess.run(
        [
            "soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--convert-to", to,
            "--outdir", str(target), *(str(source / name) for name in files),
        ],
        capture_output=True, timeout=1800, check=True,
    )  # fmt: skip
    return target


def active_parts(document: Path) -> list[str]:
    """List what in an OpenDocument file runs, leads outside, or is filled in by something else than the page."""
    with zipfile.ZipFile(document) as file:
        names = file.namelist()
        content = "".join(file.read(name).decode("utf-8") for name in names if name in ("content.xml", "styles.xml"))
    kinds = "dde-[a-z-]+|script|event-listeners?|object(?:-ole)?|plugin|applet|section-source|database-[a-z-]+|macro"
    parts = re.findall(rf"<[a-z]+:(?:{kinds})\b[^>]*>", content)
    parts += [link for link in re.findall(r'xlink:href="([^"]*)"', content) if not link.startswith(("#", "Pictures/"))]
    return [*parts, *(name for name in names if name.startswith(("Basic/", "Scripts/", "Object")))]


def printed_words(page: Path) -> str:
    """Return the words of a PDF as Poppler reads them."""
    return subprocess.run(["pdftotext", str(page), "-"], capture_output=True, text=True, check=True).stdout


def printed_actions(page: Path) -> list[str]:
    """List scripts, addresses and files in a PDF, as Poppler finds them."""
    looks = (("pdfinfo", "-js"), ("pdfinfo", "-url"), ("pdfdetach", "-list"))
    outputs = [
        subprocess.run([*look, str(page)], capture_output=True, text=True, check=True).stdout.splitlines()
        for look in looks
    ]
    usual = re.compile(r"Page +Type +URL|0 embedded files|")
    return [line for lines in outputs for line in lines if not usual.fullmatch(line.strip())]
