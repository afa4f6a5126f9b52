"""The child's command: ``python -P -m core.workers.apart KIND OPTIONS``."""

import sys

from core.workers import server

if __name__ == "__main__":
    sys.exit(server.child_main(sys.argv[1:]))
