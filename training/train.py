"""Trains the adapter of one model size against the clock. See README.md."""
from __future__ import annotations

import argparse
import pickle
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from adapter_file import load_adapter, write_adapter
from average import Average
from batches import BatchBuilder
from decoding import LONGEST
from drafts import Drafter
from evaluation import Evaluation, switching_sets
from features import LogMel
from labellers import Labellers, wait_for
from labelling import Labels, joined_labels, label
from plans import Planner
from reading import Reading
from sets import load_replayed, load_taiwanese, misheard_set
from sounds import ROOM_SAMPLES, Surroundings
from revoice import make_voices
from speech import SAMPLE_RATE, SpeechSet, at_speed, join_sets, load_set
from stages import say, seconds_since_start, stage
from targets import Sentences, TargetWriter
from tokens import Tokens, written_taiwanese
from tools import open_tools
from training_loop import train
from voices import hold_out_voice
from whisper import at_strength

#: Small sets to choose on are also heard a little slower and faster, for figures that chance moves less.
SPED_SETS, SPEEDS = ("everyday-mandarin", "mandarin-taiwan", "mandarin-english", "everyday-taiwanese", "everyday-english"), (0.93, 1.07)
#: The sentences are also heard with the pitch so many times as high.
PITCHES = "0.62,0.78,1.22,1.55"


def arguments(given: list[str] | None = None) -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--size", choices=("tiny", "base", "small"), required=True)
    options.add_argument("--parts", type=Path, required=True, help="folder in which the parts were unpacked and decoded")
    options.add_argument("--out", type=Path, required=True)
    options.add_argument("--minutes", type=float, required=True, help="of training, with the evaluation midway")
    options.add_argument("--steps", type=int, default=100_000, help="stop earlier than the clock says")
    options.add_argument("--batch", type=int, default=160)
    options.add_argument("--buckets", type=int, default=4)
    options.add_argument("--rank", type=int, default=32)
    options.add_argument("--rate", type=float, default=2e-4, help="learning rate of the decoder")
    options.add_argument("--encoder-rate", type=float, default=2e-4)
    options.add_argument("--warm-up", type=int, default=100)
    options.add_argument("--hold", type=float, default=1.0, help="how much what is held to the untouched model counts")
    options.add_argument("--pitches", default=PITCHES, help="of the voices that every sentence is heard in, beside its own")
    options.add_argument("--average", type=float, default=0.998)
    options.add_argument("--save-minutes", type=float, default=3)
    options.add_argument("--label-batch", type=int, default=512)
    options.add_argument("--evaluate-batch", type=int, default=400)
    options.add_argument("--development", type=int, default=0, help="at most so many sentences of each development set")
    options.add_argument("--longest", type=int, default=LONGEST, help="tokens a text may have in evaluation and labelling")
    options.add_argument("--seconds-left", type=float, default=0, help="until the last evaluation must be over: training then ends in time for it")
    options.add_argument("--strengths", default="0.85,0.7", help="of the deltas, evaluated at the end")
    options.add_argument("--shares", default="0.5,0.75", help="of the way from --resume to the end, or ENCODER/DECODER, evaluated at the end")
    options.add_argument("--compared", type=Path, nargs="*", default=[], help="other files of deltas, evaluated at the start")
    options.add_argument("--resume-strength", type=float, default=1.0, help="how much of the deltas of --resume")
    options.add_argument("--skip", default="", help="evaluations to leave out: start,middle,end,strengths,file")
    options.add_argument("--teacher-labels", action="store_true", help="Mandarin learns the model's text even where it is wrong")
    options.add_argument("--hold-out-voice", action="store_true", help="train without one Taiwanese voice and test on it")
    options.add_argument("--half", action="store_true", help="bfloat16 on a CPU too, to try it out")
    options.add_argument("--soundscapes", type=int, default=200, help="made-up recordings in which nobody speaks")
    options.add_argument("--misheard", type=int, default=4000, help="Taiwanese sentences that keep Mandarin where it was")
    options.add_argument("--wait", type=float, default=0, help="seconds for the rest of the speech to be decoded")
    options.add_argument("--labels", type=Path, help="where the labels are kept for another run with the same sets and options")
    options.add_argument("--compile", action="store_true", help="compile the blocks of encoder and decoder")
    options.add_argument("--resume", type=Path, help="begin with the deltas of a file")
    options.add_argument("--labellers", type=int, default=0, help="processes that label, beside one for what is misheard; a batch of 256 takes 20 GB in each")
    options.add_argument("--drafters", type=int, default=2, help="processes that draw what the next steps are made of")
    options.add_argument("--seed", type=int, default=1)
    return options.parse_args(given)


def main() -> None:
    run(arguments())


def run(given: argparse.Namespace) -> None:
    sys.setswitchinterval(0.0005)  # the thread that prepares batches must not keep the other from asking the device for more
    given.out.mkdir(parents=True, exist_ok=True)
    say(f"{given.size}, torch {torch.__version__}: {vars(given)}")
    labellers = start_labellers(given)
    with stage("model"):
        tools = open_tools(given)
        device, tokens, scoring, log_mel, model = tools.device, tools.tokens, tools.scoring, tools.log_mel, tools.model
        if given.compile:
            model.compile_blocks()
        say(f"{sum(each.numel() for each in model.parameters()) / 1e6:.2f} M trained parameters, on {device}")
    if given.compile:
        with stage("compiling"):
            model.compile_ahead()
    with stage("replayed speech"):
        replay, kinds, shares = load_replayed(given, device)
    with stage("labelling"):
        labels = kept(
            given.labels,
            lambda: labellers.replayed(device)
            if labellers
            else label(model, tokens, scoring, log_mel, replay, kinds, given.label_batch, given.longest, use_references=not given.teacher_labels),
        )
    if len(labels.bank.ids) == 0:
        raise ValueError("nothing could be labelled: is the replayed speech there?")
    if device.type == "cuda":
        torch.cuda.empty_cache()
    with stage("waiting for the rest"):
        wait_for(given.parts / "pcm" / "all-there", given.wait)
    with stage("other speech"):
        development = load_development_sets(given, device)
        taiwanese, taiwanese_shares = load_taiwanese(given, device)
        if given.hold_out_voice:
            taiwanese, held_out = hold_out_voice(taiwanese, given.seed)
            taiwanese_shares = np.ones(len(taiwanese))
            development += held_out
    with stage("labelling of what is misheard"):
        misheard = misheard_set(taiwanese, given.misheard, given.seed)
        misheard_labels = kept(
            given.labels and given.labels.with_suffix(".misheard"),
            lambda: labellers.misheard(device)
            if labellers
            else label(model, tokens, scoring, log_mel, misheard, np.full(len(misheard), "misheard"), given.label_batch, given.longest),
        )
        replay, labels = join_sets([replay, misheard], "replay"), joined_labels(labels, misheard_labels)
        kinds = np.concatenate([kinds, np.full(len(misheard), "misheard")])
        shares = np.concatenate([shares, np.ones(len(misheard))])
    evaluation = Evaluation(development, tokens, scoring, log_mel, given.evaluate_batch, given.longest)
    log = given.out / f"figures-{given.size}.jsonl"

    evaluation_seconds = 20.0

    def evaluate(title: str, *modes: str) -> None:
        nonlocal evaluation_seconds
        begun = seconds_since_start()
        # Time on the machine cannot be repeated: a failed evaluation must not cost the training.
        with stage(f"evaluation, {title}"):
            try:
                evaluation.run(model, title, log, modes or ("short-times",))
            except RuntimeError as error:
                say(f"EVALUATION FAILED: {error}")
        if not modes:
            evaluation_seconds = seconds_since_start() - begun
        if device.type == "cuda":
            torch.cuda.empty_cache()

    if "start" not in given.skip:
        with at_strength(model, 0.0):
            evaluate("untouched", "full-times-told")
        for path in given.compared:
            load_adapter(path, model)
            evaluate(path.stem)
    drafter, builder = make_builder(given, tokens, log_mel, taiwanese, taiwanese_shares, replay, kinds, shares, labels)
    if given.resume:
        load_adapter(given.resume, model, given.resume_strength)
    else:
        model.reset_deltas()
    beginning = [each.detach().clone() for each in model.parameters()]
    average = Average(list(model.parameters()), given.average)
    path = given.out / f"adapter-{given.size}.bin"

    def save(note: str) -> None:
        with average.applied():
            size = write_adapter(path, model, given.size, {"at": note, "seed": given.seed, "rank": given.rank})
        say(f"{path.name}: {size / 1e6:.1f} MB, {note}")

    if given.seconds_left:
        blends = 0 if "strengths" in given.skip else sum(len(each.split(",")) for each in (given.strengths, given.shares) if each)
        evaluations = ("end" not in given.skip) + ("file" not in given.skip) + blends
        given.minutes = min(given.minutes, (given.seconds_left - seconds_since_start() - 20 - evaluations * evaluation_seconds) / 60)
        say(f"{given.minutes:.1f} minutes of training, then {evaluations} evaluations of about {evaluation_seconds:.0f} s")
    train(given, model, tokens, drafter, builder, labels.bank, average, save, evaluate)
    save("end")
    average.put_in()
    if "end" not in given.skip:
        evaluate("end")
    for strength in [] if "strengths" in given.skip else map(float, filter(None, given.strengths.split(","))):
        with at_strength(model, strength):
            evaluate(f"strength {strength}")
    end = [each.detach().clone() for each in model.parameters()]
    in_encoder = {id(each) for each in model.encoder.parameters()}
    for share in [] if "strengths" in given.skip or not given.resume else filter(None, given.shares.split(",")):
        encoder_share, decoder_share = (float(share.split("/")[side]) for side in (0, -1))
        with torch.no_grad():
            for parameter, first, last in zip(model.parameters(), beginning, end):
                parameter.copy_(torch.lerp(first, last, encoder_share if id(parameter) in in_encoder else decoder_share))
        evaluate(f"share {share}")
        write_adapter(given.out / f"share-{share.replace('/', '-')}.bin", model, given.size, {"share": share, "seed": given.seed, "rank": given.rank})
    if "file" not in given.skip:
        load_adapter(path, model)  # as it will be read
        evaluate("file")
    say("all done")


def start_labellers(given: argparse.Namespace) -> Labellers | None:
    """None where labels are kept from another run, or where the one voice that is left out must be found first."""
    is_kept = given.labels is not None and given.labels.exists()
    return Labellers(given, given.labellers) if given.labellers and not is_kept and not given.hold_out_voice else None


def kept(path: Path | None, make):
    if path and path.exists():
        with path.open("rb") as file:
            return pickle.load(file)
    made = make()
    if path:
        with path.open("wb") as file:
            pickle.dump(made, file)
    return made


def load_development_sets(given: argparse.Namespace, device: torch.device) -> list[SpeechSet]:
    """Also those that were made harder, called KIND~SET."""
    names = sorted(path.stem for path in (given.parts / "pcm").glob("dev-*.json"))
    sets = {name[len("dev-") :]: replace(load_set(given.parts, name, device), name=name[len("dev-") :]) for name in names}
    if given.development:
        sets = {name: each.chosen(np.arange(min(given.development, len(each)))) for name, each in sets.items()}
    altered = [at_speed(sets[name], speed) for name in SPED_SETS if name in sets for speed in SPEEDS]
    return [*sets.values(), *altered, *switching_sets(sets)]


def make_builder(
    given,
    tokens: Tokens,
    log_mel: LogMel,
    taiwanese: SpeechSet,
    taiwanese_shares: np.ndarray,
    replay: SpeechSet,
    kinds: np.ndarray,
    shares: np.ndarray,
    labels: Labels,
) -> tuple[Drafter, BatchBuilder]:
    """`kinds` says of each replayed sentence whether it is a whole one, a word, misheard, or a phrase; the shares, how often each is drawn."""
    fit = np.array([text is not None for text in labels.tokens])
    learnt = replay.chosen(np.flatnonzero(fit))
    source = join_sets([taiwanese, learnt], "training").trimmed()
    texts = [tokens.encode(written_taiwanese(text)) for text in taiwanese.texts] + [text for text in labels.tokens if text is not None]
    forbidden = set(tokens.suppressed)
    lost = sum(any(token in forbidden for token in text) for text in texts)
    say(f"{len(source)} sentences, {source.seconds().sum() / 3600:.2f} h of speech; {lost} with tokens that are never given")
    for name in ("nan", "zh", "en", "none"):
        chosen = np.array([language == name for language in source.languages])
        say(f"  {name}: {chosen.sum()} sentences, {source.seconds()[chosen].sum() / 3600:.2f} h")
    say(f"  {(kinds[fit] == 'phrase').sum()} of these are phrases")
    languages = np.array(source.languages, dtype=object)
    kinds = np.concatenate([np.full(len(taiwanese), "whole"), kinds[fit]])
    is_misheard = kinds == "misheard"
    sentences = Sentences(
        languages,
        texts,
        np.concatenate([np.full(len(taiwanese), -1), labels.bank_rows[fit]]),
        is_misheard,
        (source.voice_start - source.start) / SAMPLE_RATE,
        (source.voice_end - source.start) / SAMPLE_RATE,
        source.seconds(),
    )
    with stage("voices"):
        voices = make_voices(source, [float(pitch) for pitch in given.pitches.split(",") if pitch])
    planner = Planner(languages, kinds, source.seconds(), np.concatenate([taiwanese_shares, shares[fit]]), len(voices.speed), given.seed)
    known = np.isin(languages, ("zh", "en")) & ~is_misheard
    reading = Reading(given.parts / "texts", tokens, given.seed)
    writer = TargetWriter(sentences, tokens, given.seed)
    drafter = Drafter(planner, writer, reading, languages, known, given.seed)
    return drafter, BatchBuilder(source, voices, load_surroundings(given, source.samples.device), log_mel, given.seed)


def load_surroundings(given, device: torch.device) -> Surroundings:
    rooms, noises = given.parts / "rooms.npy", given.parts / "pcm" / "train-noises.s16"
    return Surroundings(
        torch.from_numpy(np.fromfile(noises, dtype="<i2")).to(device).float() / 32768 if noises.exists() else torch.zeros(0, device=device),
        torch.from_numpy(np.load(rooms).astype(np.float32)).to(device) if rooms.exists() else torch.zeros(0, ROOM_SAMPLES, device=device),
    )


if __name__ == "__main__":
    main()
