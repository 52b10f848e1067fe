"""Opus packets out of webm and into Ogg, without decoding them."""
from __future__ import annotations

import struct
from collections.abc import Iterator

_MASTERS = {0x18538067, 0x1654AE6B, 0xAE, 0x1F43B675, 0xA0}  # segment, tracks, track, cluster, block group
_CODEC_PRIVATE, _SIMPLE_BLOCK, _BLOCK = 0x63A2, 0xA3, 0xA1


def webm_to_ogg(webm: bytes) -> bytes:
    head, packets = None, []
    for kind, content in _elements(webm, 0, len(webm)):
        if kind == _CODEC_PRIVATE:
            head = head or bytes(content)
        else:
            packets.append(_block_packet(content))
    if head is None or not head.startswith(b"OpusHead"):
        raise ValueError("the webm file holds no Opus track")
    return write_ogg(head, packets)


def write_ogg(head: bytes, packets: list[bytes]) -> bytes:
    tags = b"OpusTags" + struct.pack("<I", 5) + b"siann" + struct.pack("<I", 0)
    pages = [_page([head], 0, 0, first=True), _page([tags], 0, 1)]
    position = 0
    for start in range(0, len(packets), 40):
        group = packets[start : start + 40]
        position += 960 * len(group)
        pages.append(_page(group, position, len(pages), last=start + 40 >= len(packets)))
    return b"".join(pages)


def _elements(data: bytes, position: int, end: int) -> Iterator[tuple[int, memoryview]]:
    view = memoryview(data)
    while position < end:
        kind, position = _number(data, position, keep_marker=True)
        start = position
        size, position = _number(data, position, keep_marker=False)
        if size == (1 << 7 * (position - start)) - 1:  # a live stream does not know its length
            size = end - position
        if kind in _MASTERS:
            yield from _elements(data, position, min(end, position + size))
        elif kind in (_CODEC_PRIVATE, _SIMPLE_BLOCK, _BLOCK):
            yield kind, view[position : position + size]
        position += size


def _number(data: bytes, position: int, keep_marker: bool) -> tuple[int, int]:
    first = data[position]
    length = 9 - first.bit_length()
    value = int.from_bytes(data[position : position + length], "big")
    return value if keep_marker else value & ((1 << 7 * length) - 1), position + length


def _block_packet(block: memoryview) -> bytes:
    _, start = _number(block, 0, keep_marker=False)
    if block[start + 2] & 0x06:
        raise ValueError("a webm block holds several packets, which this script does not read")
    return bytes(block[start + 3 :])


def _page(packets: list[bytes], position: int, number: int, first=False, last=False) -> bytes:
    lacing = b"".join(b"\xff" * (len(packet) // 255) + bytes([len(packet) % 255]) for packet in packets)
    if len(lacing) > 255:
        raise ValueError("too many packets for one Ogg page")
    kind = (2 if first else 0) | (4 if last else 0)
    header = struct.pack("<4sBBqIII", b"OggS", 0, kind, position, 1, number, 0) + bytes([len(lacing)])
    page = bytearray(header + lacing + b"".join(packets))
    page[22:26] = struct.pack("<I", _checksum(page))
    return bytes(page)


def _checksum(page: bytes) -> int:
    crc = 0
    for byte in page:
        crc = (crc << 8 & 0xFFFFFFFF) ^ _CHECKSUM_TABLE[crc >> 24 ^ byte]
    return crc


def _checksum_table() -> list[int]:
    table = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1 ^ (0x04C11DB7 if value & 0x80000000 else 0)) & 0xFFFFFFFF
        table.append(value)
    return table


_CHECKSUM_TABLE = _checksum_table()
