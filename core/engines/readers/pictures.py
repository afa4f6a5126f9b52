"""Pictures inside documents: whether there is room for words in one, by the size that its first bytes state."""

from __future__ import annotations

import struct

WIDTH, HEIGHT = 200, 80  # pixels of the smallest picture that is worth reading
_HEAD = 1_000_000  # bytes searched for the size of a JPEG
_SEGMENTS = 2_000  # of one JPEG
# Markers of JPEG that begin a frame (ITU-T T.81, table B.1), and those without a length.
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_LONE = {0x01, *range(0xD0, 0xDA)}
_ENDINGS = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpg"),
    (b"GIF87a", "gif"),
    (b"GIF89a", "gif"),
    (b"BM", "bmp"),
    (b"II*\0", "tif"),
    (b"MM\0*", "tif"),
)


def worth_reading(data: bytes) -> bool:
    """Return whether a picture is one that OCR opens, and large enough for a line of words: not an icon or a rule."""
    width, height = size(data)
    return width >= WIDTH and height >= HEIGHT


def ending(data: bytes) -> str:
    """Return the usual ending of a picture that OCR opens ("png"), '' for anything else."""
    return next((name for magic, name in _ENDINGS if data.startswith(magic)), "")


def size(data: bytes) -> tuple[int, int]:
    """Return width and height in pixels, (0, 0) where its first bytes do not tell."""
    match ending(data):
        case "png" if data[12:16] == b"IHDR" and len(data) >= 24:
            return struct.unpack_from(">II", data, 16)
        case "gif" if len(data) >= 10:
            return struct.unpack_from("<HH", data, 6)
        case "bmp" if len(data) >= 26 and data[6:10] == b"\0\0\0\0":
            if struct.unpack_from("<I", data, 14)[0] == 12:  # the head of OS/2
                return struct.unpack_from("<HH", data, 18)
            width, height = struct.unpack_from("<ii", data, 18)
            return abs(width), abs(height)
        case "jpg":
            return _size_of_jpeg(data[:_HEAD])
        case "tif":
            return _size_of_tiff(data)
    return 0, 0


def _size_of_jpeg(data: bytes) -> tuple[int, int]:
    offset = 2
    for _ in range(_SEGMENTS):
        offset = data.find(b"\xff", offset)
        if offset < 0 or offset + 9 > len(data):
            break
        marker = data[offset + 1]
        if marker in _FRAMES:
            height, width = struct.unpack_from(">HH", data, offset + 5)
            return width, height
        if marker == 0xFF or marker == 0 or marker in _LONE:
            offset += 1 if marker == 0xFF else 2
        else:
            offset += 2 + struct.unpack_from(">H", data, offset + 2)[0]
    return 0, 0


def _size_of_tiff(data: bytes) -> tuple[int, int]:
    order = "<" if data.startswith(b"II") else ">"
    sizes = {}
    try:
        (start,) = struct.unpack_from(f"{order}I", data, 4)
        (count,) = struct.unpack_from(f"{order}H", data, start)
        for number in range(min(count, 200)):
            tag, kind = struct.unpack_from(f"{order}HH", data, start + 2 + 12 * number)
            if tag in (256, 257) and kind in (3, 4):
                (sizes[tag],) = struct.unpack_from(
                    f"{order}{'H' if kind == 3 else 'I'}", data, start + 10 + 12 * number
                )
    except struct.error:
        return 0, 0
    return sizes.get(256, 0), sizes.get(257, 0)
