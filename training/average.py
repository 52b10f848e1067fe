"""A running mean of the deltas, which is steadier than the last step's."""
from __future__ import annotations

from contextlib import contextmanager

import torch


class Average:
    def __init__(self, parameters: list[torch.nn.Parameter], decay: float):
        self._parameters, self._decay = parameters, decay
        self._means = [parameter.detach().clone() for parameter in parameters]

    def update(self, step: int) -> None:
        decay = min(self._decay, (step + 1) / (step + 10))
        torch._foreach_mul_(self._means, decay)
        torch._foreach_add_(self._means, [parameter.detach() for parameter in self._parameters], alpha=1 - decay)

    @contextmanager
    def applied(self):
        kept = [parameter.detach().clone() for parameter in self._parameters]
        self.put_in()
        try:
            yield
        finally:
            with torch.no_grad():
                for parameter, value in zip(self._parameters, kept):
                    parameter.copy_(value)

    def put_in(self) -> None:
        with torch.no_grad():
            for parameter, mean in zip(self._parameters, self._means):
                parameter.copy_(mean)
