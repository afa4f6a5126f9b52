"""What the packaged program holds and what it leaves out, for the spec, the build and the tests."""

from __future__ import annotations

import re

# Modules that no engine of the packaged program needs. Those that need torch say so when they are asked for.
EXCLUDED = (
    *(
        "torch",
        "transformers",
        "sentence_transformers",
        "safetensors",
        "scipy",
        "sklearn",
        "sympy",
        "mpmath",
        "networkx",
    ),
    *("spacy", "thinc", "joblib", "narwhals", "threadpoolctl", "fsspec", "filelock"),
    # clients of a network
    *("huggingface_hub", "hf_xet", "httpx2", "httpcore2", "httpx", "httpcore", "anyio", "h11", "urllib3", "certifi"),
    *("truststore", "idna", "PySide6.QtNetwork"),
    # what libraries offer for terminals, servers and notebooks
    *("rich", "pygments", "typer", "shellingham", "IPython", "matplotlib", "pandas"),
    *("llama_cpp.server", "tkinter", "_tkinter", "turtle", "idlelib", "lib2to3", "ensurepip", "venv", "pydoc_data"),
    *("readline", "curses", "_curses", "test"),
    # kinds of pictures that the readers refuse or never meet
    *("PIL._avif", "PIL.AvifImagePlugin", "PIL._webp", "PIL.WebPImagePlugin", "PIL.ImageTk", "PIL._imagingtk"),
    # what libraries offer beside that of which they are used here
    *("PIL._imagingft", "PIL._imagingcms", "numpy.random", "numpy.fft", "numpy.testing", "_ssl"),
    *("lxml.objectify", "lxml.html.diff", "lxml.html._difflib", "lxml.sax", "lxml.isoschematron"),
    # development and tests
    *("setuptools", "pip", "pkg_resources", "wheel", "pytest", "_pytest", "hypothesis", "mypy", "ruff", "xdist"),
    *("openpyxl", "pdfminer", "pypdf", "datasketch", "PyInstaller", "fitz"),
)

# Packages whose files beside their modules are needed.
WITH_DATA = ("anyascii", "rapidocr", "py3langid", "docx", "dateparser", "dateparser_data", "sentencex")
# Packages that import modules of their own by name.
WITH_ALL_MODULES = ("dateparser", "rapidocr")
NOT_THESE_MODULES = re.compile(
    r"rapidocr\.(cli|main_bench|inference_engine\.(openvino|paddle|pytorch|mnn|tensorrt))(\.|$)|.*\.tests?(\.|$)"
)

# Kernels outside of their sets, a network of rapidocr that is never asked, time zones (a date is read without one), and
# sources of libraries.
NOT_THESE_FILES = re.compile(
    r"lib(ggml|llama)|rapidocr/models/ch_ppocr_mobile|(pytz|tzdata)/|lxml/isoschematron/"
    r"|.*(\.(c|h|pyi|pyx|pxd|pxi)|/py\.typed)$"
)

KERNELS = ("libllama.so", "libggml.so.0", "libggml-cpu.so.0", "libggml-base.so.0")  # a wheel has each file three times

# Libraries of the system that come along: those of Python, and those of Qt that bare desktops lack.
PACKAGED_LIBRARIES = re.compile(
    r"lib(python3|ssl|crypto|ffi|bz2|lzma|uuid|sqlite3|gomp"
    r"|xcb-(cursor|icccm|image|keysyms|render-util|util|xkb)|xkbcommon|xkbcommon-x11)[.\-\d]*\.so"
)

_PLUGINS = (
    *("platforms/libqxcb", "platforms/libqwayland", "platforms/libqoffscreen"),
    "platformthemes/libqxdgdesktopportal",
    *("imageformats/libqsvg", "imageformats/libqjpeg", "imageformats/libqico", "imageformats/libqgif"),
    "iconengines/libqsvgicon",
    *("platforminputcontexts/", "xcbglintegrations/", "wayland-shell-integration/libxdg-shell"),
    *("wayland-decoration-client/", "wayland-graphics-integration-client/libqt-plugin-wayland-egl"),
)


def is_unused_qt(name: str) -> bool:
    """Return whether a file of Qt, by its path in the program, is one that the window never loads."""
    place = name.replace("\\", "/")
    if not place.startswith("PySide6/"):
        return False
    if "/translations/" in place or "/qml/" in place or "/resources/" in place:
        return True
    _, plugin_folder, plugin = place.partition("/plugins/")
    if plugin_folder:
        return not (plugin.startswith(_PLUGINS) or plugin.startswith(_OF_OTHER_SYSTEMS))
    return bool(_UNUSED_QT_LIBRARIES.search(place))


_OF_OTHER_SYSTEMS = ("platforms/qwindows", "styles/qmodernwindows", "platforms/libqcocoa", "styles/libqmacstyle")
_UNUSED_QT_LIBRARIES = re.compile(
    r"Qt6?(Network|Pdf|Qml|Quick|VirtualKeyboard|Test|Sql|Designer|Help|EglF[sS]\w*)[.\-\d]"
)


def is_resource(path: str) -> bool:
    """Return whether a file of ``resources``, by its path in it, is shipped: not the pictures of the README."""
    return not path.startswith("screenshots/") and "__pycache__" not in path


def is_packaged_library(source: str, name: str) -> bool:
    """Return whether a library is shipped: every one of a wheel, of the system's the few that are named."""
    if not re.match(r"/(usr/)?lib(32|64)?/", source) or "/python3" in source:
        return True
    return bool(PACKAGED_LIBRARIES.match(name.rsplit("/", 1)[-1]))


def is_shipped(name: str, source: str, kind: str) -> bool:
    """Return whether an entry of PyInstaller's list is shipped: no link, no unused part of Qt, no foreign library."""
    if kind == "SYMLINK" or is_unused_qt(name) or NOT_THESE_FILES.match(name):
        return False
    if re.search(r"(^|/)(tests?|testing)/", name) and name.startswith(("numpy/", "onnxruntime/", "shapely/")):
        return False
    return is_packaged_library(source, name)
