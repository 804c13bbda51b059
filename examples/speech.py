"""Finds speech in a recording with the ONNX model that the package silero-vad ships.

The model returns the probability of speech for each piece of 32 ms, and a state, which the program passes to the model
with the next piece. Without --recording the program makes a recording of vowels, pauses and noise. If ONNX Runtime is
installed, ONNX Runtime runs the same model, and the program prints the times of both libraries.

    pip install 'suanzi[onnx]'
    pip install --no-deps silero-vad  # the model alone, without PyTorch
    python examples/speech.py [--recording mono.wav] [--picture speech.png]
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
import wave
from pathlib import Path

import numpy as np

import picture
from shipped import Array, Model, folder, ours, reading, theirs

PACKAGE, FILE = "silero_vad", "data/silero_vad.onnx"
RATE, PIECE, CONTEXT = 16000, 512, 64  # samples per second, samples per piece, and samples of the piece before
THRESHOLD, SHORTEST_PAUSE = 0.5, 0.3  # the least probability of speech, and the seconds of the shortest pause
# The resonances of the vocal tract for the vowels a, i, e and o, in Hz.
VOWELS = ((730.0, 1090.0, 2440.0), (270.0, 2290.0, 3010.0), (530.0, 1840.0, 2480.0), (570.0, 840.0, 2410.0))


def voice(seconds: float) -> Array:
    """Make syllables of vowels from pulses of falling pitch, which the resonances of a vocal tract filter."""
    generator = np.random.default_rng(1)
    count = int(seconds * RATE)
    places = np.arange(count) / RATE
    melody = 125 * (1 - 0.15 * places / seconds) * (1 + 0.02 * np.sin(2 * math.pi * 5 * places))
    phase = np.cumsum(melody) / RATE
    sound = np.diff(np.floor(phase), prepend=0) + 0.002 * generator.normal(size=count)
    for syllable in range(max(1, round(seconds * 4))):
        part = slice(int(syllable * count / (seconds * 4)), int((syllable + 1) * count / (seconds * 4)))
        sound[part] = resonated(sound[part], VOWELS[(syllable + 1) % len(VOWELS)])
    sound *= 0.55 - 0.45 * np.cos(2 * math.pi * 4 * places)  # four syllables per second
    return 0.3 * sound / np.abs(sound).max()


def resonated(sound: Array, formants: tuple[float, float, float]) -> Array:
    """Filter a sound by three resonators. A resonator computes each sample from its two previous samples."""
    for frequency, width in zip(formants, (80, 90, 120), strict=True):
        decay = math.exp(-math.pi * width / RATE)
        first, second = 2 * decay * math.cos(2 * math.pi * frequency / RATE), -(decay**2)
        before, last, heard = 0.0, 0.0, []
        for sample in sound.tolist():
            before, last = last, sample + first * last + second * before
            heard.append(last)
        sound = np.array(heard)
    return sound


PARTS = ("pause", "voice", "pause", "voice", "pause", "noise", "pause")


def made() -> Array:
    """Make a recording of nine seconds from pauses, noise and voice."""
    generator = np.random.default_rng(0)
    parts = []
    for part in PARTS:
        seconds = {"pause": 1.0, "voice": 2.0, "noise": 1.5}[part]
        sound = 0.001 * generator.normal(size=int(seconds * RATE))
        if part == "voice":
            sound += voice(seconds)
        elif part == "noise":
            sound += 0.1 * generator.normal(size=len(sound))
        parts.append(sound)
    return np.concatenate(parts).astype(np.float32)


def recorded(path: Path) -> Array:
    """Return the samples of a file with one channel at 16 kHz as numbers from -1 to 1."""
    with wave.open(str(path), "rb") as file:
        if file.getsampwidth() != 2 or file.getframerate() % RATE:
            raise ValueError(f"the program reads 16 bits and a multiple of {RATE} samples in a second")
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, file.getnchannels())
        step = file.getframerate() // RATE
    if len(samples) < step:
        raise ValueError("the recording is empty")
    whole = samples[: len(samples) // step * step].mean(axis=1).reshape(-1, step).mean(axis=1)
    return np.asarray(whole / 32768, dtype=np.float32)


def probabilities(sound: Array, model: Model) -> tuple[Array, float]:
    """Return the probability of speech in each piece of a sound, and the seconds that the model took for all pieces."""
    pieces = np.pad(sound, (CONTEXT, -len(sound) % PIECE))
    state, found = np.zeros((2, 1, 128), np.float32), []
    start = time.perf_counter()
    for first in range(0, len(pieces) - CONTEXT, PIECE):
        heard = pieces[None, first : first + CONTEXT + PIECE]
        speech, state = model({"input": heard, "state": state, "sr": np.array(RATE)})
        found.append(float(speech[0, 0]))
    return np.array(found), time.perf_counter() - start


def stretches(speech: Array) -> list[tuple[float, float]]:
    """Return the beginning and end of each stretch of speech in seconds. Pauses below SHORTEST_PAUSE end no stretch."""
    found: list[tuple[float, float]] = []
    for piece in np.flatnonzero(speech > THRESHOLD):
        start, end = piece * PIECE / RATE, (piece + 1) * PIECE / RATE
        if found and start - found[-1][1] < SHORTEST_PAUSE:
            found[-1] = found[-1][0], end
        else:
            found.append((start, end))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--recording", type=Path, help="a .wav file of 16 bits")
    picture.add_option(parser)
    options = parser.parse_args()
    with reading(options.recording, parser):
        sound = recorded(options.recording) if options.recording else made()
    path = folder(PACKAGE, "the model is missing: pip install --no-deps silero-vad brings it") / FILE
    speech, seconds = probabilities(sound, ours(path))
    for start, end in stretches(speech):
        print(f"speech from {start:.1f} s to {end:.1f} s")
    print(f"\n{len(sound) / RATE:.1f} s heard in {seconds:.2f} s by Suanzi")
    if importlib.util.find_spec("onnxruntime"):
        same, other = probabilities(sound, theirs(path))
        is_same = stretches(same) == stretches(speech)
        print(f"{len(sound) / RATE:.1f} s heard in {other:.2f} s by ONNX Runtime; the same speech: {is_same}")
    if options.picture:
        with picture.drawn(options.picture, rows=2) as (upper, lower):
            upper.plot(np.arange(len(sound)) / RATE, sound, linewidth=0.3)
            lower.plot(np.arange(len(speech)) * PIECE / RATE, speech)
            for start, end in stretches(speech):
                upper.axvspan(start, end, alpha=0.2, color="green")
            upper.set_ylabel("sound")
            lower.set(ylabel="probability of speech", xlabel="seconds")


if __name__ == "__main__":
    main()
