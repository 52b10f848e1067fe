"""Which frames are heard of a context that is speech with silence around it: all of the speech, and a few of the silence."""
from __future__ import annotations

import torch
from torch import Tensor

#: Frames of silence that the product lets the encoder hear, counted from the speech, as src/speech/inference/features/context-frames.ts.
BEFORE = (20, 13, 6, 1)
AFTER = (0, 1, 16, 49)


def thin(begin: Tensor, end: Tensor, places: int, silent: int, like_product: Tensor, random: torch.Generator) -> Tensor:
    """[n, count]: rising places of the frames from `begin` to `end`, and of `silent` or more around them, so that all examples have as
    many: first those of the product in the examples that are `like_product`, then any."""
    begin, end = begin[:, None], end[:, None]
    place = torch.arange(places, device=begin.device)
    spoken = (place >= begin) & (place < end)
    usual = torch.stack([begin - place == distance for distance in BEFORE] + [place - end == distance for distance in AFTER]).any(0)
    rank = torch.rand(spoken.shape, device=begin.device, generator=random) + (usual & like_product[:, None]) + 2 * spoken
    count = min(places, int((end - begin).max()) + silent)
    return rank.topk(count, 1).indices.sort(1).values
