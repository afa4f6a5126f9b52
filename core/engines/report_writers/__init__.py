"""Reports as files of a word processor, a spreadsheet and a printer."""
