"""The screen of the doubtful words of scans."""
