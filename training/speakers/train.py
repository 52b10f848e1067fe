"""Trains one network that tells voices apart, against the clock, and tests it on speakers it never heard. See README.md."""
from __future__ import annotations

import argparse
import copy
import json
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent))

import numpy as np  # noqa: E402
import torch  # noqa: E402

from margin import SubCentreMargin  # noqa: E402
from network import WIDTH, SpeakerNetwork, create_network  # noqa: E402
from stages import say, stage  # noqa: E402
from trials import evaluate  # noqa: E402
from pieces import PieceSampler, hold_out, load_voices  # noqa: E402


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--parts", type=Path, required=True, help="folder in which the parts were unpacked and decoded")
    options.add_argument("--manifest", type=Path, required=True, help="manifest.tsv of the speakers, with their names")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--network", default="tdnn", help="tdnn or resnet on features; base or small: on Whisper's third layer")
    options.add_argument("--minutes", type=float, default=3.0, help="of training; evaluation comes on top")
    options.add_argument("--steps", type=int, default=1_000_000, help="at most")
    options.add_argument("--batch", type=int, default=512)
    options.add_argument("--rate", type=float, default=2e-3)
    options.add_argument("--decay", type=float, default=0.05)
    options.add_argument("--hold-out", type=float, default=0.106, help="share of the speakers that is tested on")
    options.add_argument("--evaluate-every", type=float, default=60, help="seconds")
    return options.parse_args(given)


def run(given: argparse.Namespace) -> dict[str, float]:
    torch.manual_seed(3)
    torch.backends.cudnn.benchmark = False
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    half = torch.bfloat16 if device.type == "cuda" else torch.float32
    given.out.mkdir(parents=True, exist_ok=True)
    with stage("speech"):
        voices = load_voices(given.parts, given.manifest, device)
        learnt, tested = hold_out(voices.names, given.hold_out)
        say(f"{len(learnt)} speakers to learn, {len(tested)} to test on: {' '.join(tested)}")
    network = create_network(given.network, given.parts, device, half)
    sampler = PieceSampler(voices, learnt, device)
    loss_of = SubCentreMargin(WIDTH, sampler.classes).to(device)
    say(f"{given.network}: {sum(p.numel() for p in network.trunk.parameters()) / 1e6:.2f} M parameters, {sampler.classes} classes")
    mean = train(given, network, sampler, loss_of, device, half, lambda each: evaluate(each, voices, tested))
    with stage("evaluation"):
        figures = evaluate(mean, voices, tested)
    report(given, {"end": True, **figures})
    write_weights(given.out / f"speakers-{given.network}.npz", mean)
    return figures


def train(given, network: SpeakerNetwork, sampler: PieceSampler, loss_of, device, half, test) -> SpeakerNetwork:
    """Returns the running mean of the weights."""
    parameters = [*network.trunk.parameters(), *loss_of.parameters()]
    optimiser = torch.optim.AdamW(parameters, lr=given.rate, weight_decay=given.decay)
    mean = copy.deepcopy(network)
    random = np.random.default_rng(5)
    masks = torch.Generator(device=device).manual_seed(5)
    started, tested_at, losses = time.monotonic(), time.monotonic(), []
    for step in range(given.steps):
        progress = max((time.monotonic() - started) / (60 * given.minutes), step / given.steps)
        if progress >= 1:
            break
        set_rate(optimiser, given.rate * schedule(progress, step))
        # Few lengths, so that the device can keep its plans.
        sound, warp, labels = sampler.batch(given.batch, float(random.choice((0.8, 1.2, 1.5, 2.0, 3.0), p=(0.1, 0.2, 0.3, 0.25, 0.15))))
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            directions = network(sound, warp, masks)
        loss = loss_of(directions, labels, margin=0.25 * min(1, progress / 0.3))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 5.0)
        optimiser.step()
        follow(mean, network, 1 - 1 / min(step + 2, 400))
        if step % 50 == 0:
            losses.append(loss.item())
        if time.monotonic() - tested_at > given.evaluate_every:
            figures = {"step": step, "loss": round(float(np.mean(losses[-10:])), 3), **test(mean)}
            report(given, figures)
            started += (pause := time.monotonic() - tested_at - given.evaluate_every)
            say(f"{pause:.0f} s of evaluation")
            tested_at = time.monotonic()
    say(f"training ended after {step} steps, loss {np.mean(losses[-10:]):.3f}")
    return mean


def schedule(progress: float, step: int) -> float:
    """A short rise, then along a cosine to nothing."""
    return min(1, (step + 1) / 200) * (0.5 + 0.5 * np.cos(np.pi * min(1, progress))) + 1e-3


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    for group in optimiser.param_groups:
        group["lr"] = rate


@torch.no_grad()
def follow(mean: SpeakerNetwork, network: SpeakerNetwork, keep: float) -> None:
    ours, theirs = mean.trunk.state_dict(), network.trunk.state_dict()
    for name, value in theirs.items():
        if value.is_floating_point():
            ours[name].lerp_(value.float(), 1 - keep)


def report(given: argparse.Namespace, figures: dict) -> None:
    line = json.dumps({"network": given.network, **figures})
    say(line)
    with (given.out / "figures.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")


def write_weights(path: Path, network: SpeakerNetwork) -> None:
    arrays = {name: value.cpu().float().numpy() for name, value in network.trunk.state_dict().items() if value.is_floating_point()}
    np.savez(path, **arrays)
    say(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    run(arguments())
