"""The program's icon as the files that each system asks for, from packaging/icons/disconfirm.svg.

Run with the Python of .venv: python packaging/icons.py FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

SVG = Path(__file__).resolve().parent / "icons" / "disconfirm.svg"
SIZES = (16, 24, 32, 48, 64, 128, 256, 512)


def main(arguments: list[str]) -> int:
    """Write SIZE.png for each size, disconfirm.ico and disconfirm.icns into the folder that is named."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PIL import Image
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication, QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    application = QGuiApplication.instance() or QGuiApplication([])
    renderer = QSvgRenderer(str(SVG))
    for size in SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        image.save(str(folder / f"{size}.png"))
    largest = Image.open(folder / f"{SIZES[-1]}.png")
    largest.save(folder / "disconfirm.ico", sizes=[(size, size) for size in SIZES if size <= 256])
    largest.save(folder / "disconfirm.icns")
    del application
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
