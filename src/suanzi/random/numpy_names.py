"""`default_rng`: a `Generator` with NumPy's names and parameters.

The module contains the distributions that are formulas of uniform or normal numbers. The module lacks the distributions
that NumPy draws by rejection (gamma, Poisson and similar distributions).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise, zip_longest
from math import pi, prod
from typing import Any, NoReturn, TypeAlias

import numpy as np

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import Shape
from suanzi.operators.arithmetic import maximum, minimum
from suanzi.operators.creation.filled import zeros_like
from suanzi.operators.exponential import exp, expm1, log, log1p
from suanzi.operators.operands import Scalar
from suanzi.operators.power import sqrt
from suanzi.operators.query import isfinite
from suanzi.operators.reduction.folds import all as all_of
from suanzi.operators.reduction.folds import any as any_of
from suanzi.operators.rounding import ceil
from suanzi.operators.transform.elements import astype, where
from suanzi.operators.transform.joining import stack
from suanzi.operators.transform.shape import broadcast_to, reshape
from suanzi.operators.trigonometric import tan
from suanzi.random.generator import Generator, check_weights, read_integer, read_word
from suanzi.random.keys import NUMPYS, key
from suanzi.tensor.absent import missing
from suanzi.tensor.composed import compose_methods
from suanzi.tensor.dtypes import DType, DTypeLike, as_dtype, float64, int64
from suanzi.tensor.exchange import Array, as_tensor
from suanzi.tensor.messages import shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

Parameter: TypeAlias = "Scalar | Tensor | Array | Sequence[Any]"

_HALF_STEP = 2.0**-54  # a number between 0 and the least nonzero number that is drawn


def default_rng(seed: int | Generator | NumPyGenerator | None = None) -> NumPyGenerator:
    """Return a generator with NumPy's names and parameters (与 NumPy 同名同参数的随机数生成器).

    Parameters
    ----------
    seed : int or Generator, optional
        The seed, from 0 to 2^64 - 1. The numbers depend only on the seed, even if the seed is 0. Without the argument,
        the system provides a seed. For a `Generator`, the result continues the draws of the generator.

    Returns
    -------
    NumPyGenerator

    Raises
    ------
    OutOfRangeError
        The seed is outside [0, 2^64).
    TypeMismatchError
        The seed is neither an integer nor a generator.

    Examples
    --------
    >>> import suanzi
    >>> rng = suanzi.random.default_rng(7)
    >>> rng.normal(loc=100, scale=2, size=3)
    tensor([100.18795919,  99.00131209,  99.08984831], dtype=float64)
    >>> rng.integers(10, size=(2, 3)).shape
    (2, 3)
    """
    if isinstance(seed, NumPyGenerator):
        return seed
    if isinstance(seed, Generator):
        return NumPyGenerator(seed)
    if seed is None:
        return NumPyGenerator(Generator())
    return NumPyGenerator(Generator(key(read_word("default_rng", "seed", seed), 0, NUMPYS)))


@compose_methods
class NumPyGenerator:
    """The result of `default_rng`: a generator of tensors with NumPy's methods. Real numbers have the type float64, and
    integers have the type int64, unless a call names another type.

    The numbers are the numbers of a `Generator`, and not NumPy's numbers. Draw n has the same bits on any number of
    threads. ``size`` is the shape of the result. Without ``size``, the result has the shape to which the parameters
    broadcast. Parameters may be numbers, tensors or data for tensors. A draw of a single number returns a tensor of
    shape ().

    Attributes
    ----------
    generator : Generator
        The generator that draws the numbers and keeps the state.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.random.default_rng(7).exponential(scale=[1.0, 10.0, 100.0]).shape
    (3,)
    >>> suanzi.random.default_rng(7).poisson(3)
    Traceback (most recent call last):
        ...
    AttributeError: default_rng has no 'poisson'; numpy.random.default_rng().poisson(...) draws with NumPy
    """

    __slots__ = ("generator",)

    def __init__(self, generator: Generator) -> None:
        self.generator = generator

    def __getattr__(self, name: str) -> NoReturn:
        raise missing("default_rng", name, self)

    def __reduce__(self) -> tuple[type[NumPyGenerator], tuple[Generator]]:
        return type(self), (self.generator,)

    def __repr__(self) -> str:
        return f"default_rng({self.generator!r})"

    def spawn(self, n_children: int) -> list[NumPyGenerator]:
        """Return generators that are independent of each other and of the parent, as by `Generator.spawn`."""
        return [NumPyGenerator(child) for child in self.generator.spawn(n_children)]

    # --- evenly distributed ---

    def random(self, size: Shape | None = None, dtype: DTypeLike = float64) -> Tensor:
        """Draw numbers in [0, 1) of a floating type (均匀分布).

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.default_rng(7).random(2, dtype="float32").dtype
        suanzi.float32
        """
        return self.generator.uniform(_sizes("random", size), dtype=_floating("random", dtype))

    def uniform(self, low: Parameter = 0.0, high: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw evenly distributed numbers from `low` to `high`, in float64 (均匀分布).

        The parameters are the same as in NumPy. The first parameter of `suanzi.random.uniform` is the shape, and the
        result is float32 by default. The first parameter of `suanzi.uniform` is also the shape. The default bounds of
        `suanzi.uniform` are the bounds of the type, and each call accepts a seed.

        Raises
        ------
        InvalidArgumentError
            A bound is not finite, or `high` is less than `low`.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.default_rng(7).uniform(2, 3, size=2).dtype
        suanzi.float64
        """
        shape, (first, last) = _read("uniform", size, low=low, high=high)
        _check_order("uniform", [first, last], low=low, high=high)
        span, even = last - first, self._even(shape)
        drawn = even * span + first
        if not all_of(isfinite(span)):  # the halves of the bounds have a finite difference
            drawn = where(isfinite(span), drawn, (even * (last / 2 - first / 2) + first / 2) * 2)
        return drawn if all_of(span + first <= last) else minimum(drawn, last)  # the span may have been rounded up

    def integers(
        self,
        low: int,
        high: int | None = None,
        size: Shape | None = None,
        dtype: DTypeLike = int64,
        endpoint: bool = False,
    ) -> Tensor:
        """Draw integers in [`low`, `high`), or in [0, `low`) if `high` is not given (随机整数).

        If `endpoint` is True, the upper bound is included. The bounds are single numbers. The type is an integer type
        or bool.

        Examples
        --------
        >>> import suanzi
        >>> rng = suanzi.random.default_rng(7)
        >>> rng.integers(1, 6, size=5, endpoint=True)
        tensor([2, 5, 2, 4, 2], dtype=int64)
        """
        first, last = (0, low) if high is None else (low, high)
        last = read_integer("integers", "high", last) + _core.read_truth("integers", "endpoint", endpoint)
        return self.generator.integers(_sizes("integers", size), first, last, dtype=dtype)

    # --- normally distributed ---

    def standard_normal(self, size: Shape | None = None, dtype: DTypeLike = float64) -> Tensor:
        """Draw normally distributed numbers of mean 0 and standard deviation 1, of a floating type (标准正态分布)."""
        sizes = _sizes("standard_normal", size)
        return self.generator.normal(sizes, dtype=_floating("standard_normal", dtype))

    def normal(self, loc: Parameter = 0.0, scale: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw normally distributed numbers of mean `loc` and standard deviation `scale` (正态分布)."""
        shape, (mean, deviation) = _read("normal", size, loc=loc, scale=scale)
        return self._normal(shape) * deviation + mean

    def lognormal(self, mean: Parameter = 0.0, sigma: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw numbers whose logarithms are normally distributed (对数正态分布)."""
        shape, (centre, deviation) = _read("lognormal", size, mean=mean, sigma=sigma)
        return exp(self._normal(shape) * deviation + centre)

    # --- by the inverse of the distribution function ---

    def standard_exponential(self, size: Shape | None = None, dtype: DTypeLike = float64) -> Tensor:
        """Draw exponentially distributed numbers of mean 1, of a floating type (标准指数分布)."""
        kind = _floating("standard_exponential", dtype)
        return astype(self._exponential(_sizes("standard_exponential", size)), kind, copy=False)

    def exponential(self, scale: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw exponentially distributed numbers of mean `scale` (指数分布)."""
        shape, (mean,) = _read("exponential", size, scale=scale)
        return self._exponential(shape) * mean

    def laplace(self, loc: Parameter = 0.0, scale: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw differences of two exponentially distributed numbers of mean `scale`, plus `loc` (拉普拉斯分布)."""
        shape, (centre, width) = _read("laplace", size, loc=loc, scale=scale)
        return (self._exponential(shape) - self._exponential(shape)) * width + centre

    def logistic(self, loc: Parameter = 0.0, scale: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw numbers of mean `loc` whose distribution function is a logistic function (逻辑斯谛分布)."""
        shape, (centre, width) = _read("logistic", size, loc=loc, scale=scale)
        u = self._inside(shape)
        return (log(u) - log1p(-u)) * width + centre

    def gumbel(self, loc: Parameter = 0.0, scale: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw numbers from the limit distribution of the maximum of many numbers, with the mode `loc` (耿贝尔分布)."""
        shape, (mode, width) = _read("gumbel", size, loc=loc, scale=scale)
        return mode - log(-log(self._inside(shape))) * width

    def rayleigh(self, scale: Parameter = 1.0, size: Shape | None = None) -> Tensor:
        """Draw lengths of plane vectors with normally distributed coordinates of deviation `scale` (瑞利分布)."""
        shape, (mode,) = _read("rayleigh", size, scale=scale)
        return sqrt(self._exponential(shape) * 2) * mode

    def weibull(self, a: Parameter, size: Shape | None = None) -> Tensor:
        """Draw exponentially distributed numbers of mean 1, raised to the power 1 / a (韦布尔分布)."""
        shape, (power,) = _read("weibull", size, a=a)
        return self._exponential(shape) ** (1 / power)

    def pareto(self, a: Parameter, size: Shape | None = None) -> Tensor:
        """Draw nonnegative numbers with the density a / (1 + x)^(a + 1) (帕累托分布)."""
        shape, (power,) = _read("pareto", size, a=a)
        return expm1(self._exponential(shape) / power)

    def power(self, a: Parameter, size: Shape | None = None) -> Tensor:
        """Draw numbers between 0 and 1 with the density a x^(a - 1) (幂分布)."""
        shape, (power,) = _read("power", size, a=a)
        return self._even(shape) ** (1 / power)

    def standard_cauchy(self, size: Shape | None = None) -> Tensor:
        """Draw numbers distributed like quotients of two standard normal numbers (标准柯西分布)."""
        return tan((self._inside(_sizes("standard_cauchy", size)) - 0.5) * pi)

    def triangular(self, left: Parameter, mode: Parameter, right: Parameter, size: Shape | None = None) -> Tensor:
        """Draw numbers from `left` to `right` whose density is a triangle with the top at `mode` (三角分布)."""
        shape, (first, top, last) = _read("triangular", size, left=left, mode=mode, right=right)
        _check_order("triangular", [first, top, last], left=left, mode=mode, right=right)
        if any_of(first == last):
            raise InvalidArgumentError(f"triangular: left {shown(left)} equals right")
        scale = where(isfinite(last - first), 1.0, 0.5)  # the width may overflow, but not the width of halves
        first, top, last = first * scale, top * scale, last * scale
        u, width = self._even(shape), last - first
        before, after = (top - first) / width, (last - top) / width
        rising = first + sqrt(u * before) * width
        falling = last - sqrt((1 - u) * after) * width
        return where(u < before, rising, falling) / scale

    def geometric(self, p: Parameter, size: Shape | None = None) -> Tensor:
        """Draw numbers of trials of probability `p` until the first success, as int64 (几何分布)."""
        shape, (chance,) = _read("geometric", size, p=p)
        if not all_of(chance > 0):
            raise InvalidArgumentError(f"geometric: p {shown(p)} is not above 0")
        return astype(maximum(ceil(self._exponential(shape) / -log1p(-chance)), 1), int64)

    # --- counts ---

    def binomial(self, n: int, p: Parameter, size: Shape | None = None) -> Tensor:
        """Draw numbers of successes in `n` trials of probability `p`, as int64 (二项分布). `n` is a single number."""
        shape, (chance,) = _read("binomial", size, p=p)
        succeeds = broadcast_to(chance, shape)
        return self._counts("binomial", n, stack([succeeds, 1 - succeeds], axis=-1))[..., 0]

    def multinomial(self, n: int, pvals: Parameter, size: Shape | None = None) -> Tensor:
        """Draw `n` classes, and count the draws of each class in int64 (多项分布). `n` is a single number.

        The last dimension of `pvals` and of the result contains the classes. Probabilities are weights, as in
        `suanzi.multinomial`, and need not sum to 1.
        """
        weights = _real("multinomial", "pvals", pvals)
        if weights.ndim == 0:
            raise DimensionsMismatchError("multinomial: pvals is a single number, not a number for each class")
        if weights.shape[-1] == 0:
            raise InvalidArgumentError("multinomial: pvals has no classes")
        check_weights("multinomial", weights)
        sizes = weights.shape[:-1] if size is None else _sizes("multinomial", size)
        if _together([weights.shape[:-1], sizes]) != sizes:
            raise DimensionsMismatchError(f"multinomial: pvals of shape {weights.shape} do not broadcast to {sizes}")
        return self._counts("multinomial", n, broadcast_to(weights, (*sizes, weights.shape[-1])))

    def _counts(self, operator: str, n: int, weights: Tensor) -> Tensor:
        trials = _core.read_integer(operator, "n", n)
        if trials < 0:
            raise InvalidArgumentError(f"{operator}: n = {shown(n)} is negative")
        rows = reshape(weights, (prod(weights.shape[:-1]), weights.shape[-1]))
        try:
            counts = self.generator.multinomial(rows, trials) if trials and rows.size else zeros_like(rows)
        except OutOfRangeError:
            raise OutOfRangeError(f"{operator}: n = {trials} allows counts that float64 cannot hold exactly") from None
        return astype(reshape(counts, weights.shape), int64)

    # --- orders and choices ---

    def choice(
        self,
        a: Parameter,
        size: Shape | None = None,
        replace: bool = True,
        p: Parameter | None = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Tensor:
        """Choose parts of a tensor along an axis, or integers below `a`, as by `Generator.choice` (随机抽取).

        The order of the chosen parts is always random, as in NumPy with `shuffle=True`.

        Examples
        --------
        >>> import suanzi
        >>> sorted(suanzi.random.default_rng(7).choice([3, 5, 9], 3, replace=False).tolist())
        [3, 5, 9]
        """
        _core.read_truth("choice", "shuffle", shuffle)
        weights = None if p is None else _real("choice", "p", p)
        return self.generator.choice(_parts("choice", a), _sizes("choice", size), replace, weights, axis=axis)

    def permutation(self, x: Parameter, axis: int = 0) -> Tensor:
        """Return the parts of a tensor along an axis, or the integers below `x`, in random order (随机排列)."""
        parts = _parts("permutation", x)
        if isinstance(parts, Tensor):
            return self.generator.permutation(parts, axis)
        _core.read_axis("permutation", axis, 1)
        return self.generator.choice(parts, _sizes("permutation", parts), replacement=False)

    def shuffle(self, x: Tensor, axis: int = 0) -> None:
        """Shuffle the parts of a tensor along an axis, in place (原地随机排列)."""
        self.generator.shuffle(x, axis)

    # --- building blocks of the distributions, in float64 ---

    def _even(self, shape: tuple[int, ...]) -> Tensor:
        """Return uniform numbers in [0, 1)."""
        return self.generator.uniform(shape, dtype=float64)

    def _inside(self, shape: tuple[int, ...]) -> Tensor:
        """Return uniform numbers in (0, 1)."""
        return maximum(self._even(shape), _HALF_STEP)

    def _normal(self, shape: tuple[int, ...]) -> Tensor:
        return self.generator.normal(shape, dtype=float64)

    def _exponential(self, shape: tuple[int, ...]) -> Tensor:
        return -log1p(-self._even(shape))


# --- arguments ---

_RULES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "scale": ("is not 0 or more", lambda x: x >= 0),
    "sigma": ("is not 0 or more", lambda x: x >= 0),
    "a": ("is not positive", lambda x: x > 0),
    "p": ("is not between 0 and 1", lambda x: (x >= 0) & (x <= 1)),
}


def _read(operator: str, size: Shape | None, **parameters: Parameter) -> tuple[tuple[int, ...], list[Tensor]]:
    """Return the result's shape, and the parameters as float64 tensors that broadcast to the shape."""
    values = [_real(operator, name, value) for name, value in parameters.items()]
    for (name, given), value in zip(parameters.items(), values, strict=True):
        words, rule = _RULES.get(name, ("", None))
        if rule is not None and not all_of(rule(value)):
            raise InvalidArgumentError(f"{operator}: {name} {shown(given)} {words}")
    shapes = [value.shape for value in values]
    asked = None if size is None else _sizes(operator, size)
    together = _together([*shapes, asked or ()])
    if together is None or (asked is not None and together != asked):
        to_what = "" if asked is None else f" to size {asked}"
        raise DimensionsMismatchError(f"{operator}: parameters of shapes {shapes} do not broadcast{to_what}")
    return together, values


def _real(operator: str, name: str, value: Parameter) -> Tensor:
    made = as_tensor(value, None, operator)
    if made.dtype.kind not in "buif":
        raise TypeMismatchError(f"{operator}: {name} of element type {made.dtype} is not real")
    return astype(made, float64, copy=False)


def _together(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...] | None:
    """Return the shape to which all shapes broadcast, or None if the shapes do not broadcast."""
    sizes = []  # the last size first; NumPy's own function supports fewer dimensions
    for column in zip_longest(*map(reversed, shapes), fillvalue=1):
        wide = {size for size in column if size != 1}
        if len(wide) > 1:
            return None
        sizes.append(wide.pop() if wide else 1)
    return tuple(sizes[::-1])


def _check_order(operator: str, bounds: list[Tensor], **given: Parameter) -> None:
    """Check that each bound is finite, and not above the next bound. The messages show the `given` bounds."""
    texts = [f"{name} {shown(value)}" for name, value in given.items()]
    for text, bound in zip(texts, bounds, strict=True):
        if not all_of(isfinite(bound)):
            raise InvalidArgumentError(f"{operator}: {text} is not finite")
    for (lower, low), (upper, high) in pairwise(zip(texts, bounds, strict=True)):
        if any_of(low > high):
            raise InvalidArgumentError(f"{operator}: {lower} is above {upper}")


def _sizes(operator: str, size: Shape | None) -> tuple[int, ...]:
    return () if size is None else _core.read_shape(operator, size, 0)


def _floating(operator: str, dtype: DTypeLike) -> DType:
    kind = as_dtype(dtype, operator)
    if kind.kind != "f":
        raise TypeMismatchError(f"{operator}: element type {kind} is not floating")
    return kind


def _parts(operator: str, x: Any) -> Tensor | int:
    """Return the population to choose from: a tensor, or a number n, which means the integers below n."""
    if isinstance(x, Tensor | np.ndarray | list | tuple):
        return as_tensor(x, None, operator)
    return _core.read_integer(operator, "x", x)
