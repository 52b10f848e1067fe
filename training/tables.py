"""Tables of speech sets: tab-separated, without quoting."""
from __future__ import annotations

import csv
from pathlib import Path


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def write_manifest(folder: Path, rows: list[tuple[str, ...]], name: str = "manifest.tsv") -> None:
    """Rows of file, start, end, language, text and, for sets to measure with, which recording it is."""
    lines = ["\t".join(("file", "start", "end", "language", "text", "row")), *("\t".join(row) for row in rows)]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
