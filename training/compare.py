"""Results of `bench:accuracy --json` side by side, for one half of each set (halves.py), with intervals. The first run is what the others are
compared with: where the interval of a difference holds 0, there is none to speak of."""
from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from halves import difference_interval, interval, is_selection
from tables import read_table

ERRORS = ("substitutions", "deletions", "insertions")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--speech", type=Path, required=True, help="folder of the development sets")
    options.add_argument("--run", nargs="+", action="append", required=True, metavar="NAME FILE", help="a name, and the files of its results")
    options.add_argument("--half", choices=("selection", "report"), default="selection")
    options.add_argument("--written", action="store_true", help="numbers as they are written, not folded")
    given = options.parse_args()
    runs = {name: read_results(files, given) for name, *files in given.run}
    first = next(iter(runs))
    print("| set | " + " | ".join(runs) + " |")
    print("|---" * (len(runs) + 1) + "|")
    for name in dict.fromkeys(name for run in runs.values() for name in run):
        print(f"| {name} | " + " | ".join(cell(run.get(name), runs[first].get(name) if run is not runs[first] else None) for run in runs.values()) + " |")


def read_results(files: list[str], given) -> dict[str, dict[str, tuple[int, int]]]:
    """Errors and units of each recording of the half, by set."""
    score, found = "score" if given.written else "foldedScore", {}
    for result in (each for file in files for each in json.loads(Path(file).read_text(encoding="utf-8"))):
        name = result["set"]
        table = given.speech / name.rpartition("~")[2] / "transcripts.tsv"
        numbers = {Path(row["file"]).stem: number for number, row in enumerate(read_table(table))} if table.exists() else {}
        stem = result["file"].partition(".")[0]
        if is_selection(numbers.get(stem, 0 if not numbers else -1)) == (given.half == "selection"):
            found.setdefault(name, {})[result["file"]] = (sum(result[score][kind] for kind in ERRORS), result[score]["units"])
    return found


def cell(scores: dict[str, tuple[int, int]] | None, compared: dict[str, tuple[int, int]] | None) -> str:
    if not scores:
        return ""
    errors, units = (list(each) for each in zip(*scores.values()))
    low, high = interval(errors, units)
    shown = f"{100 * sum(errors) / max(1, sum(units)):.1f} ({low:.1f}–{high:.1f})"
    both = [file for file in scores if compared and file in compared]
    if both:
        mine, others = ([each[file][0] for file in both] for each in (scores, compared))
        low, high = difference_interval(mine, others, [scores[file][1] for file in both])
        change = 100 * (np.sum(mine) - np.sum(others)) / max(1, sum(scores[file][1] for file in both))
        shown += f" {change:+.1f} ({low:+.1f}…{high:+.1f})"
    return shown


if __name__ == "__main__":
    main()
