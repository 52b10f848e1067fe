"""A folder of files as parts of a limited size: each part is a tar archive of whole files, so that one lost part can be sent again."""
from __future__ import annotations

import tarfile
from pathlib import Path

PART_BYTES = 55_000_000


def write_parts(staging: Path, target: Path, part_bytes: int = PART_BYTES, late: tuple[str, ...] = ()) -> list[Path]:
    """First fit, largest file first, but files in folders whose names begin like one of `late` after the others, in the order of these; the
    archive's own 512 to 1,024 bytes a file are counted."""

    def order(path: Path) -> tuple[int, int]:
        lateness = next((place for place, start in enumerate(late, 1) if path.parent.name.startswith(start)), 0)
        return lateness, -path.stat().st_size

    files = sorted((path for path in staging.rglob("*") if path.is_file()), key=order)
    parts: list[tuple[int, list[Path]]] = []
    for file in files:
        size = file.stat().st_size + 1024
        if size > part_bytes - 20_480:
            raise ValueError(f"{file} is larger than a part")
        for index, (used, members) in enumerate(parts):
            if used + size <= part_bytes - 20_480:
                parts[index] = (used + size, [*members, file])
                break
        else:
            parts.append((size, [file]))
    written = []
    for index, (_, members) in enumerate(parts):
        folder = target / f"part-{index:02}"
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(folder / "files.tar", "w") as archive:
            for file in sorted(members):
                archive.add(file, file.relative_to(staging).as_posix())
        written.append(folder / "files.tar")
    return written


def unpack_parts(parts: list[Path], target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for part in parts:
        with tarfile.open(part) as archive:
            archive.extractall(target)
