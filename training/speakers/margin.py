"""The loss: each speaker must be nearer to one of its own centres than to any other, by an angle to spare."""
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

SCALE = 30.0


class SubCentreMargin(nn.Module):
    """Additive angular margin (Deng et al. 2019) with sub-centres (2020)."""

    def __init__(self, width: int, classes: int, centres: int = 2):
        super().__init__()
        self.centres = nn.Parameter(torch.randn(classes * centres, width) / math.sqrt(width))
        self._count = centres

    def forward(self, directions: Tensor, labels: Tensor, margin: float) -> Tensor:
        cosine = F.linear(F.normalize(directions.float()), F.normalize(self.centres))
        cosine = cosine.unflatten(1, (-1, self._count)).amax(2).clamp(-1 + 1e-6, 1 - 1e-6)
        own = cosine.gather(1, labels[:, None])
        moved = torch.where(own > math.cos(math.pi - margin), torch.cos(torch.acos(own) + margin), own - margin * math.sin(margin))
        return F.cross_entropy(SCALE * cosine.scatter(1, labels[:, None], moved), labels)
