"""The window of Disconfirm. It shows a case and calls ``core.workbench``; it computes nothing about evidence itself."""
