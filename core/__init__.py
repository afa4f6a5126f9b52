"""Disconfirm without its window: documents, search, verdicts, quotes, matrix, report. Nothing here knows Qt."""

import os

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
