"""Targets as tensors on the device, with the texts that are read beside them."""
from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from reading import Read
from targets import Targets
from tokens import LANGUAGES


class Lessons:
    """The rows of `inputs` are the examples, and after them the texts read beside some of them: the decoder is asked once for both."""

    def __init__(self, targets: Targets, read: Read, device: torch.device):
        def send(values: np.ndarray, dtype=np.int64) -> Tensor:
            return torch.from_numpy(values.astype(dtype, copy=False)).to(device, non_blocking=True)

        width = max(targets.inputs.shape[1], read.inputs.shape[1] if len(read.inputs) else 0)
        asked = (targets.hard_places, targets.soft_places, targets.language_places, targets.silent_places)
        beside = _widened_places(read.places, read.inputs.shape[1], width) + len(targets.inputs) * width
        self.inputs = send(np.concatenate([_widened(each, width) for each in (targets.inputs, read.inputs) if len(each)]))
        self.places = send(np.concatenate([*(_widened_places(each, targets.inputs.shape[1], width) for each in asked), beside]))
        self.counts = [*(len(each) for each in asked), len(beside)]
        #: Without what is read beside.
        self.asked = sum(self.counts[:-1])
        self.hard_tokens, self.hard_kinds = send(targets.hard_tokens), send(targets.hard_kinds)
        self.soft_rows, self.soft_tokens = send(targets.soft_rows), send(targets.soft_tokens)
        self.soft_kinds = send(targets.soft_kinds)
        self.shares = send(targets.language_shares, np.float32).view(len(targets.language_shares), len(LANGUAGES))
        self.silent_rows = send(targets.silent_rows)


def _widened(inputs: np.ndarray, width: int) -> np.ndarray:
    """The decoder looks back only, so that what follows a text does not matter."""
    return np.pad(inputs, ((0, 0), (0, width - inputs.shape[1])), mode="edge")


def _widened_places(places: np.ndarray, width: int, new_width: int) -> np.ndarray:
    return places // width * new_width + places % width
