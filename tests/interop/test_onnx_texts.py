"""Operators of strings, n-grams, pictures and spectra return the same results as functions of Python and NumPy."""

from __future__ import annotations

import io
import math
import re
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto, helper

from interop.models import one_node, run_node
from suanzi import (
    DimensionsMismatchError,
    InvalidArgumentError,
    OutOfRangeError,
    SuanziError,
    TypeMismatchError,
    tuning,
)
from suanzi.interop import onnx
from suanzi.interop.onnx.compositions.patterns import matcher

pytestmark = pytest.mark.one_level


def texts(*values: Any) -> Any:
    return np.array(values, object)


def test_concatenated() -> None:
    x, y = np.array([["a"], ["算"]], object), texts("x", "", "子")
    (z,) = run_node("StringConcat", 20, [x, y])
    assert z.tolist() == [["ax", "a", "a子"], ["算x", "算", "算子"]]
    (z,) = run_node("StringConcat", 20, [np.empty((2, 0), object), texts("x")])
    assert z.shape == (2, 0)
    with pytest.raises(DimensionsMismatchError, match="StringConcat: shapes"):
        run_node("StringConcat", 20, [texts("a", "b"), texts("x", "y", "z")])


NUMBERS = [
    (np.float16([1234, 65504, 0.1, -0.0, 1023.5]), ["1234", "65504", "0.1", "-0", "1023.5"]),
    (np.float32([16777216, 1e-5, 0.3, 1e10, 2.5]), ["16777216", "0.00001", "0.3", "10000000000", "2.5"]),
    (np.float32([np.nan, np.inf, -np.inf]), ["nan", "inf", "-inf"]),
    (
        np.float64([1e20, 123456.789, 1e-10, 1 / 3]),
        ["1" + "0" * 20, "123456.789", "0.0000000001", "0.3333333333333333"],
    ),
    (np.int8([-128, 7]), ["-128", "7"]),
]


@pytest.mark.parametrize(("x", "expected"), NUMBERS)
def test_numbers_as_texts(x: Any, expected: list[str]) -> None:
    assert run_node("Cast", 21, [x], to=TensorProto.STRING)[0].tolist() == expected


@pytest.mark.parametrize("floating", ["float16", "float32", "float64"])
def test_texts_identify_numbers(floating: str) -> None:
    bits = np.random.default_rng(3).integers(0, 2**63, 2000).view(floating)
    x = bits[np.isfinite(bits)]
    (found,) = run_node("Cast", 21, [x], to=TensorProto.STRING)
    assert all(re.fullmatch(r"-?[0-9]+(\.[0-9]*[1-9])?", text) for text in found.tolist())
    back = np.array([float(text) for text in found.tolist()]).astype(floating)
    np.testing.assert_array_equal(back, x)
    np.testing.assert_array_equal(np.signbit(back), np.signbit(x))


def test_texts_as_numbers() -> None:
    given = texts("1e39", "-65520", " 65519 ", "1e400", "+INF", "NaN", ".5")
    for dtype in ("float16", "float32", "float64"):
        code = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        with np.errstate(over="ignore"):
            wanted = np.array([1e39, -65520, 65519, math.inf, math.inf, math.nan, 0.5]).astype(dtype)
        np.testing.assert_array_equal(run_node("Cast", 21, [given], to=code)[0], wanted)
    assert run_node("Cast", 21, [texts(" -12", "+7")], to=TensorProto.INT8)[0].tolist() == [-12, 7]


@pytest.mark.parametrize("text", ["1_000", "१२", "１", "", "1.5.", "x"])
@pytest.mark.parametrize("to", [TensorProto.INT32, TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.BOOL])
def test_texts_that_are_no_numbers(text: str, to: int) -> None:
    with pytest.raises(InvalidArgumentError, match=f"Cast: '{re.escape(text)}' is not a number of"):
        run_node("Cast", 21, [texts(text)], to=to)


@pytest.mark.parametrize("delimiter", [None, "", ",", "ab", " "])
@pytest.mark.parametrize("most", [None, 0, 1, 3])
def test_split(delimiter: str | None, most: int | None) -> None:
    values = ["a,b,,c", "", " a  b ab c ", "xabyab", ","]
    options = {} if delimiter is None else {"delimiter": delimiter}
    if most is not None:
        options["maxsplit"] = most  # type: ignore[assignment]
    x = np.array(values, object).reshape(5, 1)
    parts, counts = run_node("StringSplit", 20, [x], 2, **options)
    wanted = [value.split(delimiter or None, -1 if most is None else most) for value in values]
    assert counts.tolist() == [[len(each)] for each in wanted]
    assert parts.shape == (5, 1, max(map(len, wanted)))
    for found, each in zip(parts[:, 0].tolist(), wanted, strict=True):
        assert found == each + [""] * (parts.shape[2] - len(each))


@pytest.mark.parametrize("action", ["NONE", "LOWER", "UPPER"])
@pytest.mark.parametrize("is_sensitive", [0, 1])
def test_normalized(action: str, is_sensitive: int) -> None:
    words = ["The", "the", "Cat", "ß", "THE"]
    options = {"case_change_action": action, "is_case_sensitive": is_sensitive, "stopwords": ["the"]}
    change = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}[action]
    wanted = [change(w) for w in words if (w if is_sensitive else w.lower()) != "the"]
    assert run_node("StringNormalizer", 10, [texts(*words)], **options)[0].tolist() == wanted
    assert run_node("StringNormalizer", 10, [texts(*words)[None]], **options)[0].tolist() == [wanted]
    assert run_node("StringNormalizer", 10, [texts("the")[None]], **options)[0].tolist() == [[""]]
    with pytest.raises(DimensionsMismatchError):
        run_node("StringNormalizer", 10, [np.array([["a"], ["b"]], object)], **options)


PATTERNS = [
    "", "a", "a*", "(a|b)*abb", "[a-c]+x?", "[^a]b", r"\d{2,3}", r"\w+@\w+\.com", "(?i:aB)c", "(?s:.)b|a.",
    "a{0,2}b{2}", "(?:ab?)+", r"^a.*b$", r"\bab\b.*", "(a*)*b", "a+?b*?", "[]a]", r"[\d_x]*", "((a|b){2}){1,2}",
    "(|a)+b", "(?i)[a-c]+",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text("abcABx1_ @.\n", max_size=7))
def test_patterns(pattern: str, text: str) -> None:
    if pattern.endswith("$") and text.endswith("\n"):
        return  # Python's `$` also matches before a final line break
    assert matcher(pattern)(text) == (re.fullmatch(pattern, text, re.ASCII) is not None)


def test_the_steps_of_a_match_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "MOST_REPEATED", 1000)
    with pytest.raises(InvalidArgumentError, match="needs too many steps"):
        matcher("(a*b?)*c")("a" * 1000)


def test_matches() -> None:
    x = np.array([["www.google.com", "algo@rithm.io"], ["", "算"]], object)
    (y,) = run_node("RegexFullMatch", 20, [x], pattern=r"www\.[\w.-]+\.\bcom\b")
    assert y.tolist() == [[True, False], [False, False]]


# For each pattern, texts that RE2 (ONNX Runtime 1.32) matches, and texts that RE2 does not match.
OF_RE2: dict[str, tuple[list[str], list[str]]] = {
    r"\s": ([" ", "\t", "\n", "\f", "\r"], ["\v", "a"]),
    r"\S": (["\v", "a"], [" "]),
    r"[\s]": ([" "], ["\v"]),
    r"\d": (["1"], ["٣", "²"]),
    r"\w": (["_"], ["é"]),
    "a{,2}": (["a{,2}"], ["", "a", "aa"]),
    "x{,}": (["x{,}"], ["", "x"]),
    "a|b{,3}": (["a", "b{,3}"], ["b"]),
    "(?i)ſ": (["s", "S", "ſ"], ["k"]),
    "(?i)s": (["s", "S", "ſ"], []),
    "(?i)k+": (["k", "K\u212ak"], ["ſ"]),
    "(?i)\u212a": (["k", "K", "\u212a"], []),
    "(?i)[k-s]+": (["\u212aſS"], ["t"]),
    "(?i)[^k]": (["s"], ["\u212a", "K", "k"]),
    "(?i)σ": (["σ", "ς", "Σ"], ["s"]),
    "(?i)µ": (["µ", "μ", "Μ"], ["m"]),
    "(?i)ß": (["ß", "ẞ"], ["ss"]),
    "(?i)ẞ": (["ß", "ẞ"], ["ss"]),
    "(?i)ǅ": (["ǅ", "ǆ", "Ǆ"], []),
    "(?i)Å": (["å", "Å"], ["a"]),
    "(?i)i": (["i", "I"], ["İ", "ı"]),
    "(?i)İ": (["İ"], ["i", "I"]),
    "(?i:a)b": (["ab", "Ab"], ["aB"]),
    r"\x61": (["a"], ["x61"]),
    r"\x{61}b": (["ab"], ["a", r"\x{61}b"]),
    r"\141": (["a"], ["1"]),
    r"\Qa.b\E+": (["a.b", "a.bb"], ["axb"]),
    r"\Qa+": (["a+"], ["aa"]),
    r"a\z": (["a"], ["a\n"]),
    "a$": (["a"], ["a\n"]),
    "(?P<q>a)b": (["ab"], []),
    "(?<q>a)b": (["ab"], []),
    "[[a]": (["[", "a"], ["[a"]),
    "[]a]+": (["a]"], ["["]),
    "[^]a]+": (["b["], ["]"]),
    "[a&&b]+": (["a&b"], ["[b"]),
    r"[a\-z]": (["a", "-", "z"], ["b"]),
    r"\_": (["_"], [r"\_"]),
    "(?s).": (["\n", "a"], [""]),
    ".": (["\r", "\u2028"], ["\n"]),
    "a{1000}": (["a" * 1000], ["a" * 999]),
}


@pytest.mark.parametrize("pattern", OF_RE2)
def test_patterns_that_differ_from_pythons(pattern: str) -> None:
    fit, others = OF_RE2[pattern]
    (y,) = run_node("RegexFullMatch", 20, [texts(*fit, *others)], pattern=pattern)
    assert y.tolist() == [True] * len(fit) + [False] * len(others)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("(a+)+b", "a" * 60), ("(a|a)*b", "a" * 60), ("((((a*)*)*)*)*b", "a" * 60), ("(a?){900}a{900}", "a" * 900)],
)
def test_patterns_that_take_long_elsewhere(pattern: str, text: str) -> None:
    start = time.perf_counter()
    assert matcher(pattern)(text) == ("{" in pattern)
    assert time.perf_counter() - start < 20


@pytest.mark.parametrize(
    ("pattern", "error"),
    [
        ("(", InvalidArgumentError),
        ("a{2,1}", InvalidArgumentError),
        (r"(a)\1", onnx.UnsupportedError),
        ("(?=a)a", onnx.UnsupportedError),
        ("[[:alpha:]]", onnx.UnsupportedError),
        (r"\p{L}+", onnx.UnsupportedError),
        (r"[\PN]", onnx.UnsupportedError),
        ("(?m)^a", onnx.UnsupportedError),
        ("(" * 5000 + ")" * 5000, InvalidArgumentError),
        # syntax of Python's patterns that RE2 refuses
        (r"a\Z", InvalidArgumentError),
        ("(?#c)a", InvalidArgumentError),
        (r"\u0041", InvalidArgumentError),
        (r"\N{DIGIT ONE}", InvalidArgumentError),
        (r"[\b]", InvalidArgumentError),
        (r"[\z]", InvalidArgumentError),
        (r"\é", InvalidArgumentError),
        (r"\h", InvalidArgumentError),
        (r"a\E", InvalidArgumentError),
        (r"[a-\d]", InvalidArgumentError),
        ("a{1001}", InvalidArgumentError),
        (r"\x{}", InvalidArgumentError),
        (r"\x{110000}", InvalidArgumentError),
    ],
)
def test_patterns_that_are_none(pattern: str, error: type[SuanziError]) -> None:
    with pytest.raises(error):
        run_node("RegexFullMatch", 20, [texts("a")], pattern=pattern)


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize("skips", [0, 1, 5, 2**62])
def test_ngrams(mode: str, skips: int) -> None:
    pool, counts, indexes = [2, 3, 5, 4, 5, 6, 7, 8, 6, 7], [0, 4], [0, 1, 2, 3, 4, 5, 6]
    weights = [2.0, 3.0, 0.5, 1.0, 4.0, 5.0, 6.0]
    x = np.int64([[1, 1, 3, 3, 3, 7], [8, 6, 7, 5, 6, 8]])
    options = {"ngram_counts": counts, "ngram_indexes": indexes, "pool_int64s": pool, "weights": weights}
    (y,) = run_node(
        "TfIdfVectorizer", 9, [x], mode=mode, min_gram_length=1, max_gram_length=2, max_skip_count=skips, **options
    )
    wanted = np.zeros((2, 7))
    for row, tokens in enumerate(x.tolist()):
        for i, token in enumerate(pool[:4]):
            wanted[row, i] = tokens.count(token)
        for i in range(3):
            pair = pool[4 + 2 * i : 6 + 2 * i]
            pairs = [[tokens[a], tokens[b]] for a in range(6) for b in range(a + 1, 6) if b - a <= 1 + skips]
            wanted[row, 4 + i] = pairs.count(pair)
    if mode != "TF":
        wanted = (np.minimum(wanted, 1) if mode == "IDF" else wanted) * weights
    np.testing.assert_allclose(y, wanted)


def test_ngrams_of_texts() -> None:
    options: dict[str, Any] = {"mode": "TF", "min_gram_length": 2, "max_gram_length": 2, "max_skip_count": 0}
    options |= {"ngram_counts": [0, 1], "ngram_indexes": [1, 0], "pool_strings": ["a", "a", "b"]}
    (y,) = run_node("TfIdfVectorizer", 9, [texts("a", "b", "a", "b")], **options)
    assert y.tolist() == [2, 0]
    with pytest.raises(TypeMismatchError, match="differ in type from the pool"):
        run_node("TfIdfVectorizer", 9, [np.int64([1])], **options)
    for wrong in (
        {"ngram_indexes": [1]},
        {"ngram_indexes": [-1, 0]},
        {"ngram_counts": [0, 2]},
        {"ngram_counts": [5, 1]},
    ):
        with pytest.raises(InvalidArgumentError):
            run_node("TfIdfVectorizer", 9, [texts("a")], **(options | wrong))


def test_pictures() -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 3), np.uint8)
    for name in ("PNG", "BMP", "PPM"):
        buffer = io.BytesIO()
        image.fromarray(pixels).save(buffer, name)
        data = np.frombuffer(buffer.getvalue(), np.uint8)
        np.testing.assert_array_equal(run_node("ImageDecoder", 20, [data])[0], pixels)
        np.testing.assert_array_equal(run_node("ImageDecoder", 20, [data], pixel_format="BGR")[0], pixels[:, :, ::-1])
        assert run_node("ImageDecoder", 20, [data], pixel_format="Grayscale")[0].shape == (5, 7, 1)
        assert run_node("ImageDecoder", 20, [data[:20]])[0].shape == (0, 0, 3)
        with pytest.raises(InvalidArgumentError, match="pixel_format"):
            run_node("ImageDecoder", 20, [data], pixel_format="HSV")


@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize(("step", "length"), [(1, 4), (3, 5), (8, 16), (16, 16)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_spectra_of_pieces(onesided: int, step: int, length: int, dtype: str) -> None:
    rng = np.random.default_rng(1)
    x, window = rng.standard_normal((2, 16, 1)).astype(dtype), rng.uniform(0.5, 1, length).astype(dtype)
    (y,) = run_node("STFT", 17, [x, np.int64(step), window, np.int64(length)], onesided=onesided)
    pieces = np.stack([x[:, a : a + length, 0] for a in range(0, 17 - length, step)], 1).astype("d") * window
    wanted = np.fft.rfft(pieces) if onesided else np.fft.fft(pieces)
    assert y.dtype == dtype
    tolerance = 30 * np.finfo(dtype).eps
    np.testing.assert_allclose(y, np.stack([wanted.real, wanted.imag], -1), rtol=tolerance, atol=tolerance)


def test_spectra_of_complex_pieces() -> None:
    x = np.random.default_rng(1).standard_normal((1, 9, 2))
    (y,) = run_node("STFT", 17, [x, np.int64(2), None, np.int64(4)], onesided=0)
    pieces = np.stack([x[0, a : a + 4, 0] + 1j * x[0, a : a + 4, 1] for a in (0, 2, 4)])
    wanted = np.fft.fft(pieces)
    np.testing.assert_allclose(y[0], np.stack([wanted.real, wanted.imag], -1), atol=1e-12)


@pytest.mark.parametrize(
    ("step", "window", "length"),
    [(0, None, 4), (-1, None, 4), (1, None, 0), (1, 3, 4), (1, None, 10), (2**62, None, 10)],
)
def test_pieces_that_do_not_fit(step: int, window: int | None, length: int) -> None:
    arrays = [
        np.ones((1, 9, 1), "f"),
        np.int64(step),
        None if window is None else np.ones(window, "f"),
        np.int64(length),
    ]
    with pytest.raises((DimensionsMismatchError, OutOfRangeError), match="STFT"):
        run_node("STFT", 17, arrays)


@pytest.mark.parametrize(("bins", "size", "rate", "low", "high"), [(8, 16, 8192, 0, 4096), (40, 512, 16000, 20, 8000)])
def test_mel_weights(bins: int, size: int, rate: int, low: float, high: float) -> None:
    arrays = [np.int64(bins), np.int64(size), np.int64(rate), np.float32(low), np.float32(high)]
    (y,) = run_node("MelWeightMatrix", 17, arrays)
    first, last = (2595 * np.log10(1 + f / 700) for f in (low, high))
    hertz = 700 * (10 ** ((first + np.arange(bins + 2) * (last - first) / (bins + 2)) / 2595) - 1)
    edges = np.floor((size + 1) * hertz / rate).astype(int)
    wanted = np.zeros((size // 2 + 1, bins))
    for i in range(bins):
        a, b, c = edges[i : i + 3]
        for j in range(a, c):
            wanted[j, i] = (j - a) / (b - a) if j < b else (c - j) / (c - b)
        wanted[b, i] = 1
    np.testing.assert_allclose(y, wanted, atol=1e-6)


@pytest.mark.parametrize("mode", ["linear", "circular"])
@pytest.mark.parametrize("axis", [1, -2, -1])
def test_updates_of_caches(mode: str, axis: int) -> None:
    rng = np.random.default_rng(1)
    cache = rng.standard_normal((2, 4, 5))
    shape = list(cache.shape)
    shape[axis] = 2
    update = rng.standard_normal(shape)
    starts = np.int64([1, 3 if mode == "circular" else 0])
    (y,) = run_node("TensorScatter", 24, [cache, update, starts], mode=mode, axis=axis)
    wanted = np.moveaxis(cache.copy(), axis, 1)
    for b in range(2):
        for i in range(2):
            wanted[b, (starts[b] + i) % wanted.shape[1]] = np.moveaxis(update, axis, 1)[b, i]
    np.testing.assert_array_equal(y, np.moveaxis(wanted, 1, axis))
    if mode == "linear":
        for wrong in ([-1, 0], [0, 4], [2**62, 0]):
            with pytest.raises(OutOfRangeError, match="TensorScatter"):
                run_node("TensorScatter", 24, [cache, update, np.int64(wrong)], mode=mode, axis=axis)


def test_empty_texts() -> None:
    for shape in ((0,), (2, 0)):
        x = np.empty(shape, object)
        assert run_node("RegexFullMatch", 20, [x], pattern="a")[0].shape == shape
        parts, counts = run_node("StringSplit", 20, [x], 2)
        assert (parts.shape, counts.shape) == ((*shape, 0), shape)
    assert onnx.load(one_node("StringNormalizer", 10, [texts("a")])).run([texts("b")])[0].tolist() == ["b"]
