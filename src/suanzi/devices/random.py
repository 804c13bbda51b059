"""Random numbers on devices, from the same words of Philox as on the CPU (native/ops/random/philox.h).

Uniform and Bernoulli numbers equal the CPU's numbers in every bit. Normal numbers are made from the same words with
PyTorch's float64 functions. Permutations depend on a sequential order, so the host makes permutations.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from math import inf, nextafter, pi, prod
from typing import Any, NamedTuple

import torch

from suanzi import _core, tuning
from suanzi.devices import front
from suanzi.devices.creation import _on_device, destination, empty, is_elsewhere, like_on_the_host, order_like
from suanzi.devices.state import place_of
from suanzi.devices.table import laid, rows
from suanzi.devices.tensor import DeviceTensor, made, to_cpu
from suanzi.devices.types import HALVES, TORCH, as_bits, computed_type, flipped, halved, limits, stored
from suanzi.kinds.call import Call
from suanzi.tensor.device import Device
from suanzi.tensor.dtypes import DType
from suanzi.tensor.layout import dense_order
from suanzi.tensor.status import InvalidArgumentError, OutOfRangeError

_WORD = 0xFFFFFFFF
_MULTIPLIERS, _KEY_STEPS = (0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_UNIFORM, _NORMAL, _BERNOULLI, _CHOICE = 0, 1, 2, 3  # the purposes that separate the streams of one seed
_GREATEST = float(torch.finfo(torch.float64).max)


def blocks(seed: int, numbers: torch.Tensor, stream: int, attempt: int = 0) -> list[torch.Tensor]:
    """Return the four 32-bit words of each Philox block whose number is in `numbers`, as int64."""
    c = [numbers & _WORD, numbers >> 32, torch.full_like(numbers, stream), torch.full_like(numbers, attempt)]
    key = [seed & _WORD, seed >> 32]
    for _ in range(_ROUNDS):
        a, b = c[0] * _MULTIPLIERS[0], c[2] * _MULTIPLIERS[1]
        c = [((b >> 32) & _WORD) ^ c[1] ^ key[0], b & _WORD, ((a >> 32) & _WORD) ^ c[3] ^ key[1], a & _WORD]
        key = [(k + step) & _WORD for k, step in zip(key, _KEY_STEPS, strict=True)]
    return c


class Stream(NamedTuple):
    """The random words that one seed has for one purpose."""

    seed: int
    use: int
    place: torch.device

    def words(self, first: int, count: int) -> torch.Tensor:
        """Return `count` 32-bit words. `first`, the index of the first word, is a multiple of 4."""
        numbers = torch.arange(first // 4, (first + count + 3) // 4, device=self.place)
        return torch.stack(blocks(self.seed, numbers, self.use), -1).reshape(-1)[:count]

    def doubles(self, first: int, count: int) -> torch.Tensor:
        """Return `count` 64-bit words as int64. `first` is the index of the first word. The first of each two 32-bit
        words is the lower half.
        """
        numbers = torch.arange(first // 2, (first + count + 1) // 2, device=self.place)
        c = blocks(self.seed, numbers, self.use)
        return torch.stack([c[0] | (c[1] << 32), c[2] | (c[3] << 32)], -1).reshape(-1)[:count]

    def fractions(self, first: int, count: int) -> torch.Tensor:
        """Return `count` random multiples of 2^-53 below 1, as float64. `first` is the index of the first word."""
        return ((self.doubles(first, count) >> 11) & ((1 << 53) - 1)).to(torch.float64) * 2.0**-53

    def again(self, places: torch.Tensor, attempt: int, double: bool) -> torch.Tensor:
        """Return the words for a later attempt to draw the elements with given indices."""
        c = torch.stack(blocks(self.seed, places // (2 if double else 4), self.use, attempt), -1)
        if not double:
            return torch.gather(c, -1, (places % 4).unsqueeze(-1)).squeeze(-1)
        low = (places % 2 * 2).unsqueeze(-1)
        return torch.gather(c, -1, low).squeeze(-1) | (torch.gather(c, -1, low + 1).squeeze(-1) << 32)


def _seed(seed: int) -> int:
    while seed == 0:
        seed = int.from_bytes(os.urandom(8), "little")
    return seed


def _number(x: Any) -> Any:
    """Return a bound as a Python number. The host reads a tensor of one element."""
    return to_cpu(x, "uniform").item() if type(x) is DeviceTensor else x.item() if isinstance(x, _core.Tensor) else x


def _placed(call: Call, values: torch.Tensor, shape: tuple[int, ...], dtype: DType, device: Device) -> DeviceTensor:
    """Return a tensor of the elements `values`, which are in row-major order, in the layout that the call requests."""
    like = "x" in call.places
    order = order_like(call, call.x) if like else dense_order(call.layout, len(shape), call.name)
    elements = values.reshape(shape)
    if order is None:
        return made(elements, device, dtype)
    result = empty(shape, dtype, order, device)
    as_bits(result.data).copy_(as_bits(elements))
    return result


def _asked(call: Call) -> tuple[tuple[int, ...], DType, Call]:
    """Return the shape and the type of the result, and the call with which the CPU has checked the arguments. Raise the
    CPU's errors for the arguments.
    """
    named: dict[str, Any] = {name: _number(getattr(call, name)) for name in call.places if name in _BOUNDS}
    if "x" in call.places:
        shape = call.x.shape
        named["x"] = front.image(call.x) if type(call.x) is DeviceTensor else call.x
    else:
        shape = _core.read_shape(call.name, call.shape, 0)
        named["shape"] = front.image_shape(shape)
    asked = call.replaced(**named, device=None, layout=None)
    return shape, asked.builtin(*asked).dtype, asked


_BOUNDS = ("low", "high", "mean", "std")


def in_pieces(
    count: int, make: Callable[[int, int], torch.Tensor], dtype: torch.dtype, place: torch.device
) -> torch.Tensor:
    """Return all elements, computed in pieces. `make` receives the index of a piece's first element and the piece's
    length.
    """
    if count <= tuning.RANDOM_PIECE:
        return make(0, count)
    whole = torch.empty(count, dtype=dtype, device=place)
    for first in range(0, count, tuning.RANDOM_PIECE):
        as_bits(whole)[first : first + tuning.RANDOM_PIECE] = as_bits(
            make(first, min(tuning.RANDOM_PIECE, count - first))
        )
    return whole


@rows("uniform", "uniform_like")
def uniform(call: Call, device: Device) -> Any:
    shape, dtype, asked = _asked(call)
    if is_elsewhere(call):
        return like_on_the_host(call)
    device = destination(call, device)
    _on_device(call, dtype, device)
    there, place = TORCH[dtype], place_of(device)
    stream = Stream(_seed(call.seed), _UNIFORM, place)
    if there.is_floating_point or there.is_complex:
        make = _floating(stream, asked.low, asked.high, there)
    else:
        make = _integers(stream, asked.low, asked.high, there)
    return _placed(call, in_pieces(prod(shape), make, there, place), shape, dtype, device)


def _rounded(value: float, dtype: torch.dtype) -> float:
    return float(stored(torch.tensor(value, dtype=torch.float64), dtype).to(torch.float64))


def _below(value: float, dtype: torch.dtype) -> float:
    """Return the number of a floating type that is next to `value` toward minus infinity."""
    if dtype is torch.float64:
        return nextafter(value, -inf)
    if dtype is torch.float32:
        t = torch.tensor(value, dtype=torch.float32)
        return float(torch.nextafter(t, torch.tensor(-inf)))
    bits = torch.tensor(value, dtype=dtype).view(torch.int16)
    moved = torch.tensor(-32767, dtype=torch.int16) if value == 0 else bits - 1 if value > 0 else bits + 1
    return float(moved.view(dtype).to(torch.float64))


_PARTS = {torch.complex64: torch.float32, torch.complex128: torch.float64}


def _floating(stream: Stream, low: Any, high: Any, dtype: torch.dtype) -> Callable[[int, int], torch.Tensor]:
    """Return a function that makes the numbers low + k (high - low) / 2^24 for random k below 2^24, or with 2^53 for
    float64. The bounds are prepared as in native/ops/random/random.cpp.
    """
    part = _PARTS.get(dtype, dtype)
    work = torch.float32 if part in HALVES else part
    most = float(torch.finfo(part).max)
    a, b = ((-most, -most) if low is None else _both(low, part)), ((most, most) if high is None else _both(high, part))
    widest = float(torch.finfo(torch.float32).max) if work is torch.float32 else most
    scale = 2.0 if any(y / 2 - x / 2 > widest / 2 for x, y in zip(a, b, strict=True)) else 1.0
    lows = [x / scale for x in a]
    spans = [y / scale - x for x, y in zip(lows, b, strict=True)]
    last = [_below(y, part) if x < y else y for x, y in zip(a, b, strict=True)]
    several = dtype.is_complex

    def values(first: int, count: int) -> torch.Tensor:
        if work is torch.float32:
            fraction = (stream.words(first, count) >> 8).to(torch.float32) * 2.0**-24
        else:
            fraction = stream.fractions(first, count)
        if several:
            fraction = fraction.reshape(-1, 2)
        constants = [
            torch.tensor(c if several else c[0], dtype=torch.float64).to(work).to(stream.place)
            for c in (lows, spans, last)
        ]
        found = torch.minimum((constants[0] + fraction * constants[1]) * scale, constants[2])
        return torch.view_as_complex(found) if several else stored(found, dtype)

    return (lambda first, count: values(2 * first, 2 * count)) if several else values


def _both(bound: Any, dtype: torch.dtype) -> tuple[float, float]:
    """Return a bound for each part of a complex number. A real bound applies to both parts."""
    value = bound if isinstance(bound, complex) else complex(float(bound), float(bound))
    return _rounded(value.real, dtype), _rounded(value.imag, dtype)


def _integers(stream: Stream, low: Any, high: Any, dtype: torch.dtype) -> Callable[[int, int], torch.Tensor]:
    """Return a function that makes integers from `low` to `high`. An integer is `low` plus the upper half of the
    product of a word and the number of possible integers (Lemire, Fast random integer generation in an interval, 2019).
    """
    least, most = (0, 1) if dtype is torch.bool else limits(dtype)
    least = least if low is None else int(low)
    most = most if high is None else int(high)
    double = dtype.itemsize >= 4
    bits = 64 if double else 32
    count = (most - least + 1) % (1 << 64)
    threshold = (1 << bits) % count if count else 0

    def values(first: int, n: int) -> torch.Tensor:
        words = stream.doubles(first, n) if double else stream.words(first, n)
        if double and count == 0:
            found = words
        else:
            found, rest = _scaled(words, count, double)
            found = _without_favour(stream, found, rest, first, count, threshold, double)
        found = found + ((least + 2**63) % 2**64 - 2**63)
        return found != 0 if dtype is torch.bool else stored(found.to(computed_type(dtype)), dtype)

    return values


def _scaled(words: torch.Tensor, count: int, double: bool) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the upper and the lower half of the product of words and a number, for words of 32 or 64 bits."""
    if not double:
        product = words * count
        return (product >> 32) & _WORD, product & _WORD
    a0, a1 = words & _WORD, (words >> 32) & _WORD
    b0, b1 = count & _WORD, count >> 32
    low, mid1, mid2, high = a0 * b0, a1 * b0, a0 * b1, a1 * b1

    def upper(t: torch.Tensor) -> torch.Tensor:
        return (t >> 32) & _WORD

    middle = upper(low) + (mid1 & _WORD) + (mid2 & _WORD)
    return high + upper(mid1) + upper(mid2) + upper(middle), (low & _WORD) | (middle << 32)


def _without_favour(
    stream: Stream, found: torch.Tensor, rest: torch.Tensor, first: int, count: int, threshold: int, double: bool
) -> torch.Tensor:
    """Draw new words for the elements whose word would make some results more likely than other results."""
    if threshold == 0:
        return found
    bound = flipped(torch.tensor((threshold + 2**63) % 2**64 - 2**63, device=stream.place)) if double else threshold
    attempt = 1
    while True:
        wrong = torch.nonzero((flipped(rest) if double else rest) < bound).reshape(-1)
        if not wrong.numel():
            return found
        again, left = _scaled(stream.again(wrong + first, attempt, double), count, double)
        found, rest = found.clone(), rest.clone()
        found[wrong], rest[wrong] = again, left
        attempt += 1


@rows("normal", "normal_like")
def normal(call: Call, device: Device) -> Any:
    """Return normal numbers by the Box-Muller method, computed in float64."""
    shape, dtype, asked = _asked(call)
    if is_elsewhere(call):
        return like_on_the_host(call)
    device = destination(call, device)
    there, place = TORCH[dtype], place_of(device)
    stream = Stream(_seed(call.seed), _NORMAL, place)
    part = _PARTS.get(there, there)
    mean = complex(asked.mean)
    deviation = _rounded(float(asked.std), part) * (2**-0.5 if there.is_complex else 1.0)
    single = part is not torch.float64
    centres = [_rounded(mean.real, part), _rounded(mean.imag if there.is_complex else mean.real, part)]

    def values(first: int, count: int) -> torch.Tensor:
        even = count + count % 2
        if single:
            words = stream.words(first, even).reshape(-1, 2)
            radius, angle = (words[:, 0].to(torch.float64) + 0.5) * 2.0**-32, _turns(words[:, 1], 32)
        else:
            doubles = stream.doubles(first, even).reshape(-1, 2)
            radius = _to_real(doubles[:, 0]) * 2.0**-64
            angle = _turns((doubles[:, 1] >> 11) & ((1 << 53) - 1), 53)
        size = torch.sqrt(-2 * torch.log(radius)) * deviation
        found = torch.stack([size * torch.cos(angle) + centres[0], size * torch.sin(angle) + centres[1]], -1)
        if there.is_complex:
            return torch.view_as_complex(found).to(there)
        found = found.reshape(-1)[:count]
        return halved(found, there) if there in HALVES else found.to(there)

    make = (lambda first, count: values(2 * first, 2 * count)) if there.is_complex else values
    return _placed(call, in_pieces(prod(shape), make, there, place), shape, dtype, device)


def _turns(words: torch.Tensor, bits: int) -> torch.Tensor:
    return (words.to(torch.float64) + 0.5) * (2 * pi * 2.0**-bits)


def _to_real(bits: torch.Tensor) -> torch.Tensor:
    """Return uint64 numbers, which are given as int64 bits, plus 1/2, as float64 rounded once."""
    high, low = ((bits >> 32) & _WORD).to(torch.float64), (bits & _WORD).to(torch.float64)
    return high * 2.0**32 + (low + 0.5)


@rows("bernoulli")
def bernoulli(call: Call, device: Device) -> Any:
    """Return 1 where an element's random word is at most the probability times the number of possible words, and 0
    otherwise.
    """
    p = call.p
    front.small(call.replaced(p=_chances(p)))
    there, place = p.data.dtype, place_of(device)
    stream = Stream(_seed(call.seed), _BERNOULLI, place)
    double = there is torch.float64
    chances = p.data.reshape(-1)
    wrong = ~((chances >= 0) & (chances <= 1))
    if bool(wrong.any()):
        raise InvalidArgumentError(f"{call.name}: a probability is outside [0, 1]")

    def values(first: int, count: int) -> torch.Tensor:
        chance = chances[first : first + count].to(torch.float64 if double else torch.float32)
        if double:
            words, most = _to_real(stream.doubles(first, count)), 2.0**64
        else:
            words, most = (stream.words(first, count).to(torch.float64) + 0.5).to(torch.float32), 2.0**32
        return (words <= chance * most).to(there)

    found = in_pieces(chances.numel(), values, there, place).reshape(p.shape)
    return laid(call, made(found, device, p.dtype))


def _chances(p: DeviceTensor) -> Any:
    """Return a stand-in for probabilities. All elements are 0, so that the check on the CPU passes."""
    return made(torch.zeros(front.image_shape(p.shape), dtype=p.data.dtype, device=p.data.device), p.device, p.dtype)


# --- draws from classes ---


@rows("multinomial")
def multinomial(call: Call, device: Device) -> Any:
    """Draw from classes with the CPU's words, one draw at a time. If draws outnumber classes, the results differ from
    the CPU's results, because the CPU then counts class by class.
    """
    p = call.p
    dtype, _ = front.small(call.replaced(p=_chances(p), num_samples=0 if call.num_samples >= 0 else -1))
    shape, count, indices = p.shape, call.num_samples, call.output == "indices"
    classes = shape[-1]
    if classes == 0 and p.ndim and prod(shape[:-1]) and count:
        raise InvalidArgumentError(f"{call.name}: shape {shape} has no class to draw")
    size = (*shape[:-1], count if indices else classes)
    place = p.data.device
    if p.size == 0:
        return made(torch.zeros(size, dtype=TORCH[dtype], device=place), device, dtype)
    weights = p.data.reshape(-1, classes).to(torch.float64)
    _check_weights(call, weights, count)
    stream = Stream(_seed(call.seed), _CHOICE, place)
    largest = torch.amax(weights, -1, True)
    shift = torch.where((largest > 2.0**900) | (largest < 2.0**-900), torch.floor(torch.log2(largest)), 0.0)
    weights = torch.where(weights > 0, torch.clamp(weights * torch.exp2(-shift), min=5e-324), weights)
    rows_ = weights.shape[0]
    if count == 0:
        chosen = torch.zeros((rows_, 0), dtype=torch.int64, device=place)
    elif call.replacement:
        sums = torch.cumsum(weights, -1)
        u = stream.fractions(0, rows_ * count).reshape(rows_, count)
        last = torch.searchsorted(sums, sums[:, -1:].contiguous())
        chosen = torch.minimum(torch.searchsorted(sums, u * sums[:, -1:], right=True), last)
    else:
        u = stream.fractions(0, rows_ * classes).reshape(rows_, classes) + 2.0**-54
        keys = torch.where(weights > 0, torch.clamp(-torch.log(u) / weights, max=_GREATEST), inf)
        chosen = torch.sort(keys, dim=-1, stable=True)[1][:, :count]
    if indices:
        return made(chosen.reshape(size).clone(), device, dtype)
    counts = torch.zeros((rows_, classes), dtype=torch.int64, device=place)
    counts = counts.scatter_add(-1, chosen, torch.ones_like(chosen))
    found = counts.to(p.data.dtype)
    if bool((found.to(torch.float64) != counts.to(torch.float64)).any()):
        raise OutOfRangeError(
            f"{call.name}: a number of draws that {p.dtype} does not hold; output='indices' and weights of a wider "
            "type have a higher bound"
        )
    return made(found.reshape(size), device, p.dtype)


def _check_weights(call: Call, weights: torch.Tensor, count: int) -> None:
    """Raise INVALID_ARGUMENT if the weights are not a distribution from which `count` classes can be drawn."""
    right = (weights >= 0) & (weights <= _GREATEST)
    positive = (weights > 0).sum(-1)
    least = int(positive.min())
    if not bool(right.all()):
        raise InvalidArgumentError(f"{call.name}: a weight is not a finite number of at least 0")
    if count and least == 0:
        raise InvalidArgumentError(f"{call.name}: all {weights.shape[-1]} weights are 0")
    if not call.replacement and count > least:
        draws = f"{count} draws without replacement from {least} classes of positive weight"
        raise InvalidArgumentError(f"{call.name}: {draws}")
