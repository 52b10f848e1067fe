"""What a step is made of, as numbers only: which sentences, how much context, what is asked for. Other processes draw it ahead: Python runs
one thread at a time, and whoever writes lists keeps the thread that asks the device for work from asking."""
from __future__ import annotations

import multiprocessing
import queue
from dataclasses import dataclass

import numpy as np

from features import FULL_FRAMES
from plans import Plan, Planner
from reading import Read, Reading
from stages import say
from targets import Targets, TargetWriter

#: Of the buckets, in how many the most of the silence is left out; in half of their examples as the product does.
THINNED = 0.65
#: Of the other buckets, how many have the full context.
FULL_CONTEXT = 0.3
#: So many times the examples are planned, of which those of like length are made: few would share a bucket with little padding.
POOL = 4
FRAME_STEP = 10
#: Of a bucket's examples, so many at most that the encoder is held to what the untouched one hears: those cost a full context each.
HELD = 24
PATIENCE_SECONDS = 30


@dataclass
class Draft:
    """Of one bucket: examples of like length that share a context."""

    plan: Plan
    is_thinned: bool
    frames: int  # of features
    targets: Targets
    held: np.ndarray  # some of the examples in which only known languages are spoken
    read: Read  # beside these; as wide in all buckets of a step


class Drafter:
    def __init__(self, planner: Planner, writer: TargetWriter, reading: Reading, languages: np.ndarray, known: np.ndarray, seed: int):
        """Of every sentence its language, and whether the untouched model knows that."""
        self._planner, self._writer, self._reading = planner, writer, reading
        self._languages, self._is_known = languages, known
        self._random = np.random.default_rng(seed)

    def reseed(self, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        for each in (self._planner, self._writer, self._reading):
            each.reseed(seed)

    def draw(self, examples: int, buckets: int) -> list[Draft]:
        """Examples of like length share a bucket and a context, so that little of it is padding: the first of the shortest, the last of the longest."""
        plan = self._planner.draw(examples * POOL)
        groups = np.array_split(np.argsort(plan.seconds, kind="stable"), buckets * POOL)
        chosen = [groups[POOL * bucket + self._random.integers(POOL)] for bucket in range(buckets)]
        plans = [plan.rows(rows) for rows in chosen if len(rows)]
        held = [self._draw_held(each) for each in plans]
        read = self._reading.draw([self._languages[each.sentence[row, 0]] for each, rows in zip(plans, held) for row in rows])
        ends = np.cumsum([len(rows) for rows in held])
        return [self._draft(each, rows, read.rows(end - len(rows), end)) for each, rows, end in zip(plans, held, ends)]

    def _draft(self, plan: Plan, held: np.ndarray, read: Read) -> Draft:
        is_thinned = bool(self._random.random() < THINNED)
        return Draft(plan, is_thinned, self._draw_frames(plan.seconds.max(), is_thinned), self._writer.write(plan), held, read)

    def _draw_held(self, plan: Plan) -> np.ndarray:
        rows = np.flatnonzero((self._is_known[plan.sentence] | ~plan.used).all(1))
        return self._random.permutation(rows)[:HELD]

    def _draw_frames(self, seconds: float, is_thinned: bool) -> int:
        """Sometimes the full context, mostly hardly more or a little more than is spoken, else anything between. Where most of the silence
        is left out, about as much of it as the product lays around the speech."""
        needed = int(np.ceil(seconds * 100))
        kind = self._random.random()
        if is_thinned:
            spare = self._random.uniform(50, 150)
        elif kind < FULL_CONTEXT:
            spare = FULL_FRAMES
        else:
            spare = self._random.uniform(0, 25 if kind < 0.5 else 150 if kind < 0.8 else max(25, FULL_FRAMES - needed))
        return int(min(FULL_FRAMES, max(100, -(-(needed + spare) // FRAME_STEP) * FRAME_STEP)))


class Drafting:
    """Drafts of steps, from processes that draw ahead, each with a seed of its own. Where none comes in time, it is drawn here."""

    def __init__(self, drafter: Drafter, examples: int, buckets: int, processes: int, seed: int):
        self._drafter, self._size = drafter, (examples, buckets)
        self._processes: list = []
        context = multiprocessing.get_context("spawn")  # a copy of a process that uses the device would be broken
        try:
            self._drawn = context.Queue(max(1, 2 * processes))
            for number in range(processes):
                process = context.Process(target=draw_on, args=(drafter, *self._size, seed + 1 + number, self._drawn), daemon=True)
                process.start()
                self._processes.append(process)
        except OSError as error:  # a machine without shared memory
            say(f"{len(self._processes)} of {processes} processes draw ahead: {error}")

    def take(self) -> list[Draft]:
        if self._processes:
            try:
                return self._drawn.get(timeout=PATIENCE_SECONDS)
            except queue.Empty:
                say(f"no draft within {PATIENCE_SECONDS} s; drawn here")
        return self._drafter.draw(*self._size)

    def stop(self) -> None:
        for process in self._processes:
            process.terminate()


def draw_on(drafter: Drafter, examples: int, buckets: int, seed: int, drawn: multiprocessing.Queue) -> None:
    drafter.reseed(seed)
    while True:
        drawn.put(drafter.draw(examples, buckets))
