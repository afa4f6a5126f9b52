"""The window of Disconfirm. It shows a case and calls ``core.workbench``; it computes nothing about evidence itself."""

import core  # noqa: F401  # before any library: it tells them to stay offline
