"""Labelling by several processes side by side, each with a model of its own: for more than half of the time one of them has Python at work and
the device idle. What is learnt is compiled meanwhile."""
from __future__ import annotations

import argparse
import multiprocessing
import pickle
import time
from pathlib import Path

import numpy as np
import torch

from labelling import Bank, Labels, joined_labels, label
from sets import load_replayed, load_taiwanese, misheard_set
from tools import open_tools


class Labellers:
    def __init__(self, given: argparse.Namespace, processes: int):
        context = multiprocessing.get_context("spawn")  # a copy of a process that uses the device would be broken
        plain = argparse.Namespace(**vars(given))
        tasks = [(label_replayed, (plain, number, processes)) for number in range(processes)]
        tasks.append((label_misheard, (plain,)))
        self._made = []
        for number, (task, arguments) in enumerate(tasks):
            path = given.out / f"labels-{number}.part"
            path.unlink(missing_ok=True)
            process = context.Process(target=task, args=(*arguments, path), daemon=True)
            process.start()
            self._made.append((process, path))

    def replayed(self, device: torch.device) -> Labels:
        labels, *others = (self._take(number, device) for number in range(len(self._made) - 1))
        for each in others:
            labels = joined_labels(labels, each)
        return labels

    def misheard(self, device: torch.device) -> Labels:
        return self._take(len(self._made) - 1, device)

    def _take(self, number: int, device: torch.device) -> Labels:
        process, path = self._made[number]
        process.join()
        if process.exitcode != 0:
            raise RuntimeError(f"labelling process {number} ended with {process.exitcode}")
        with path.open("rb") as file:
            labels = pickle.load(file)
        path.unlink()
        return Labels(labels.tokens, labels.bank_rows, Bank(labels.bank.ids.to(device), labels.bank.probabilities.to(device)))


def label_replayed(given: argparse.Namespace, number: int, processes: int, path: Path) -> None:
    """One of as many stretches of the replayed speech as there are processes."""
    tools = open_tools(given)
    replay, kinds, _ = load_replayed(given, tools.device)
    mine = np.array_split(np.arange(len(replay)), processes)[number]
    keep(given, tools, replay.chosen(mine), kinds[mine], path)


def label_misheard(given: argparse.Namespace, path: Path) -> None:
    tools = open_tools(given)
    wait_for(given.parts / "pcm" / "all-there", given.wait)
    misheard = misheard_set(load_taiwanese(given, tools.device)[0], given.misheard, given.seed)
    keep(given, tools, misheard, np.full(len(misheard), "misheard"), path)


def keep(given: argparse.Namespace, tools, source, kinds: np.ndarray, path: Path) -> None:
    model, tokens, scoring, log_mel = tools.model, tools.tokens, tools.scoring, tools.log_mel
    labels = label(model, tokens, scoring, log_mel, source, kinds, given.label_batch, given.longest, use_references=not given.teacher_labels)
    bank = Bank(labels.bank.ids.cpu(), labels.bank.probabilities.cpu())
    with path.open("wb") as file:
        pickle.dump(Labels(labels.tokens, labels.bank_rows, bank), file)


def wait_for(path: Path, seconds: float) -> None:
    """The rest of the speech may arrive while the first of it is labelled."""
    deadline = time.monotonic() + seconds
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.5)
