"""Step after step: batches in, deltas changed, against the clock."""
from __future__ import annotations

import math
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import torch

from average import Average
from batches import Batch, BatchBuilder
from drafts import Drafter, Drafting
from labelling import Bank
from losses import ask_untouched, batch_loss
from stages import say
from targets import KINDS
from tokens import Tokens
from whisper import Whisper


def train(given, model: Whisper, tokens: Tokens, drafter: Drafter, builder: BatchBuilder, bank: Bank, average: Average, save, evaluate) -> None:
    """Until the steps or the minutes are over. `save` and `evaluate` are called with a note, at the pace that was asked for."""
    device = model.row.device
    optimizer = torch.optim.AdamW(parameter_groups(given, model), betas=(0.9, 0.98), weight_decay=0.01, **({"fused": True} if device.type == "cuda" else {}))
    parameters = list(model.parameters())
    started = saved = time.monotonic()
    sums = torch.zeros(len(KINDS), 2, device=device)
    midway = "middle" in given.skip
    step, skipped, reported, reported_at, waited, unprepared = 0, 0, 0, started, 0.0, 0.0
    preparing = Preparing(given, drafter, builder, device)
    while True:
        minutes = (time.monotonic() - started) / 60
        progress = max(step / given.steps, minutes / given.minutes)
        if progress >= 1:
            break
        set_rates(optimizer, min(1, (step + 1) / given.warm_up) * (0.01 + 0.99 * (0.5 + 0.5 * math.cos(math.pi * progress))))
        asking = time.monotonic()
        prepared = preparing.take()
        unprepared += time.monotonic() - asking
        try:
            sums += learn(model, tokens, bank, prepared, given.hold)
            norm = torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        except torch.cuda.OutOfMemoryError:  # time on the machine cannot be repeated: one step less is better than none
            norm = torch.tensor(math.nan)
        waiting = time.monotonic()
        finite = math.isfinite(norm.item())
        waited += time.monotonic() - waiting
        if finite:
            optimizer.step()
            average.update(step)
        else:
            skipped += 1
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 50 == 0 or step in (3, 15):
            now = time.monotonic()
            shares = (100 * each / (now - reported_at) for each in (waited, unprepared))
            rate = "{:.2f} steps/s, waiting {:.0f} % for the device and {:.0f} % for batches".format((step - reported) / (now - reported_at), *shares)
            report(step, rate, progress, skipped, sums, device)
            sums.zero_()
            reported, reported_at, waited, unprepared = step, now, 0.0, 0.0
        if time.monotonic() - saved > given.save_minutes * 60:
            save(f"step {step}")
            saved = time.monotonic()
        if not midway and progress >= 0.5:
            midway = True
            save(f"step {step}")
            with average.applied():
                evaluate(f"step {step}")
            reported, reported_at = step, time.monotonic()
    preparing.stop()
    say(f"training ended after {step} steps and {(time.monotonic() - started) / 60:.1f} minutes; {skipped} steps left out")


def learn(model: Whisper, tokens: Tokens, bank: Bank, batches: list[Batch], hold: float) -> torch.Tensor:
    """Gradients of the mean over all places of a step; gives the sums and numbers of places by kind."""
    places = sum(batch.lessons.asked for batch in batches)
    sums = torch.zeros(len(KINDS), 2, device=model.row.device)
    for batch, untouched in zip(batches, ask_untouched(model, batches)):
        loss, kinds = batch_loss(model, tokens, bank, batch, untouched, hold)
        (loss / places).backward()
        sums += kinds
    return sums


def parameter_groups(given, model: Whisper) -> list[dict]:
    encoder = {id(parameter) for parameter in model.encoder.parameters()}
    layers = [parameter for parameter in model.parameters() if parameter is not model.row]
    return [
        {"params": [each for each in layers if id(each) in encoder], "lr": given.encoder_rate, "full": given.encoder_rate},
        {"params": [each for each in layers if id(each) not in encoder], "lr": given.rate, "full": given.rate},
        {"params": [model.row], "lr": given.rate, "full": given.rate, "weight_decay": 0.0},
    ]


def set_rates(optimizer: torch.optim.Optimizer, share: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = group["full"] * share


class Preparing:
    """The next batches are made while the last ones are learnt: drafted by other processes, and made by another thread, in a stream of its own,
    since every copy to the device waits for what its stream was asked for before."""

    def __init__(self, given, drafter: Drafter, builder: BatchBuilder, device: torch.device):
        self._builder = builder
        self._drafting = Drafting(drafter, given.batch, given.buckets, given.drafters, given.seed)
        self._stream = torch.cuda.Stream(device) if device.type == "cuda" else None
        self._thread = ThreadPoolExecutor(1)
        self._next = self._thread.submit(self._prepare)

    def take(self) -> list[Batch]:
        """To be kept until the device is done with it: its memory belongs to the other stream."""
        prepared = self._next.result()
        self._next = self._thread.submit(self._prepare)
        return prepared

    def _prepare(self) -> list[Batch]:
        drafts = self._drafting.take()
        with torch.no_grad(), torch.cuda.stream(self._stream) if self._stream else nullcontext():
            batches = [self._builder.build(draft) for draft in drafts]
            if self._stream:
                self._stream.synchronize()
            return batches

    def stop(self) -> None:
        self._thread.shutdown()
        self._drafting.stop()


def report(step: int, rate: str, progress: float, skipped: int, sums: torch.Tensor, device: torch.device) -> None:
    means = (sums[:, 0] / sums[:, 1].clamp(min=1)).tolist()
    by_kind = " ".join(f"{kind} {mean:.3f}" for kind, mean in zip(KINDS, means))
    memory = f" {torch.cuda.max_memory_allocated() / 1e9:.0f} GB" if device.type == "cuda" else ""
    say(f"step {step} {100 * progress:.0f} % {rate}{memory} {by_kind}" + (f" left out {skipped}" if skipped else ""))
