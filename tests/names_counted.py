"""Inside a network and mount namespace: answers every look-up of a name, counts them, and runs a command meanwhile.

``FOLDER COMMAND...``; the last line on standard output is {'code', 'said', 'names'}. Exit code 77: not allowed here.
"""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

_UP = 0x1 | 0x40  # IFF_UP, IFF_RUNNING
_SET_FLAGS = 0x8914


def raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", _UP))


def answer(server: socket.socket, names: list[str]) -> None:
    """Every name is 127.0.0.1, so that whoever looks one up goes on."""
    while True:
        packet, sender = server.recvfrom(4096)
        labels, place = [], 12
        while packet[place]:
            labels.append(packet[place + 1 : place + 1 + packet[place]].decode("ascii", "replace"))
            place += 1 + packet[place]
        names.append(".".join(labels))
        question = packet[12 : place + 5]
        wanted = struct.unpack(">H", packet[place + 1 : place + 3])[0] == 1  # an IPv4 address
        record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes((127, 0, 0, 1)) if wanted else b""
        head = packet[:2] + struct.pack(">HHHHH", 0x8180, 1, int(wanted), 0, 0)
        server.sendto(head + question + record, sender)


def main(folder: Path, command: list[str]) -> int:
    names: list[str] = []
    resolver, hosts = folder / "resolv.conf", folder / "nsswitch.conf"
    resolver.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
    hosts.write_text("hosts: files dns\n")
    try:
        raise_loopback()
        for file, place in ((resolver, "/etc/resolv.conf"), (hosts, "/etc/nsswitch.conf")):
            subprocess.run(["mount", "--bind", str(file), str(Path(place).resolve())], check=True, capture_output=True)
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind(("127.0.0.1", 53))
    except (OSError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 77
    threading.Thread(target=answer, args=(server, names), daemon=True).start()
    child = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    print(json.dumps({"code": child.returncode, "said": child.stdout[-4000:], "names": names}))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
