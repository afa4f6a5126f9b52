"""``python -P -m core.workers KIND OPTIONS``: one engine in this process, for the program that started it."""

import sys

from core.workers.server import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
