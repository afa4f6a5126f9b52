"""Disconfirm without its window: documents, search, verdicts, quotes, matrix, report. Nothing here knows Qt."""

import errno
import os
import sys

__version__ = "0.1.0"

# What keeps libraries from calling home. Set here, because every process of the program imports this package before any
# library: the command line, the window, the children, and whoever uses the core as a library.
OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_UPDATE_CHECK": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime from 1.29 on
    "DO_NOT_TRACK": "1",
}
os.environ.update(OFFLINE)

_LOOK_UPS = {f"socket.{name}" for name in ("getaddrinfo", "gethostbyname", "gethostbyaddr", "getnameinfo")}
_BETWEEN_PROCESSES = 1  # AF_UNIX


def refuse_connections() -> None:
    """Let no Python code of this process make an internet socket or look up a name, until it ends.

    It cannot be taken back, so each way into the program calls it, and no test in its own process. Native code is not
    held by it: on Linux the system refuses that to the children.
    """
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[object, ...]) -> None:
    if event in _LOOK_UPS or (event == "socket.__new__" and arguments[1] != _BETWEEN_PROCESSES):
        raise OSError(errno.ENETUNREACH, "Disconfirm uses no network")
