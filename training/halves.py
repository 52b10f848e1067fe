"""Every development set has two halves: weights, strengths and blends are chosen on the one, figures are reported on the other."""
from __future__ import annotations

import numpy as np

RESAMPLES = 2000
#: Of the resampled rates, which bound the interval that is shown.
BOUNDS = (2.5, 97.5)


def is_selection(row: int) -> bool:
    """By the place of a recording in its set's transcripts.tsv, counted from 0: even ones are chosen on, odd ones are reported."""
    return row % 2 == 0


def interval(errors: list[int], units: list[int], seed: int = 1) -> tuple[float, float]:
    """In per cent: between which rates the error rate lies when sentences are drawn anew, with replacement."""
    return _bounds(_rates(np.array(errors), np.array(units), _draws(len(errors), seed)))


def difference_interval(errors: list[int], other_errors: list[int], units: list[int], seed: int = 1) -> tuple[float, float]:
    """The same for how much higher the first rate is than the second, of the same sentences."""
    draws = _draws(len(errors), seed)
    first, second = (_rates(np.array(each), np.array(units), draws) for each in (errors, other_errors))
    return _bounds(first - second)


def _draws(count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, count, (RESAMPLES, count))


def _rates(errors: np.ndarray, units: np.ndarray, draws: np.ndarray) -> np.ndarray:
    return 100 * errors[draws].sum(1) / np.maximum(1, units[draws].sum(1))


def _bounds(rates: np.ndarray) -> tuple[float, float]:
    low, high = np.percentile(rates, BOUNDS)
    return float(low), float(high)
