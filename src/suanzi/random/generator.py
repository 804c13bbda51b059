"""The class `Generator`, which stores a seed, the number of draws and the number of children.

The methods call Suanzi's random functions with the next key as the seed.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from math import inf, prod
from operator import index
from typing import Any, Literal, NoReturn

from suanzi import _core
from suanzi._core import Tensor
from suanzi.kinds.devices import chosen
from suanzi.operators.arguments import DeviceLike, LayoutLike, Shape
from suanzi.operators.creation import random as draws
from suanzi.operators.creation.filled import empty
from suanzi.operators.index.sorting import sort, unique
from suanzi.operators.operands import Scalar
from suanzi.operators.reduction.folds import all as all_of
from suanzi.operators.reduction.folds import max as max_of
from suanzi.operators.reduction.folds import min as min_of
from suanzi.operators.reduction.folds import sum as sum_of
from suanzi.operators.transform.gathering import gather, take
from suanzi.operators.transform.shape import reshape
from suanzi.random.keys import CHILDREN, DRAWS, key
from suanzi.tensor import guard
from suanzi.tensor.absent import missing
from suanzi.tensor.composed import compose_methods
from suanzi.tensor.dtypes import DTypeLike, as_dtype, bool_, int64
from suanzi.tensor.messages import outer_frame, shown
from suanzi.tensor.status import DimensionsMismatchError, InvalidArgumentError, OutOfRangeError, TypeMismatchError

_STATE = ("seed", "draws", "children")


@compose_methods
class Generator:
    """A source of random tensors, which draws one tensor after the other from one seed (随机数生成器).

    Draw n depends only on the seed and on n. The bits of a draw do not depend on the number of threads or on the
    instruction set. The sizes, types and distributions of earlier draws do not change later draws. Only the number of
    earlier draws counts. Draws of one generator are independent of each other, and independent of draws of generators
    with other seeds.

    Parameters
    ----------
    seed : int, optional
        The seed, from 0 to 2^64 - 1. For 0, the default, the system provides a seed, which the attribute `seed`
        returns.

    Raises
    ------
    OutOfRangeError
        The seed is outside [0, 2^64).

    Notes
    -----
    Philox 4x32-10 makes the key of draw n from the seed and n, in a separate stream. Suanzi's random functions receive
    the key as the argument `seed`. Two keys among n are equal with a probability of about n^2 / 2^65. Threads may share
    a generator, because every draw has a number of its own.

    Examples
    --------
    >>> import suanzi
    >>> rng = suanzi.random.Generator(7)
    >>> rng.uniform(3)
    tensor([0.6170387 , 0.69070774, 0.5320846 ])
    >>> rng
    Generator(seed=7, draws=1)
    """

    __slots__ = ("_children", "_draws", "_seed")

    def __init__(self, seed: int = 0) -> None:
        self._start(read_word("Generator", "seed", seed) or _from_system())

    def _start(self, seed: int, draws: int = 0, children: int = 0) -> None:
        self._seed, self._draws, self._children = seed, draws, children

    def __getattr__(self, name: str) -> NoReturn:
        raise missing("Generator", name, self)

    def _next(self) -> int:
        """Return the key of the next draw."""
        if _core.is_tracing():
            raise InvalidArgumentError("random: a traced function would draw the same numbers in each call")
        with guard.lock:
            n = self._draws
            self._draws = n + 1
        return key(self._seed, n, DRAWS)

    # --- state ---

    @property
    def seed(self) -> int:
        """The seed of all draws."""
        return self._seed

    @property
    def state(self) -> dict[str, int]:
        """The state on which later draws depend: seed, number of draws and number of children. The state can be
        assigned.
        """
        with guard.lock:
            return dict(zip(_STATE, (self._seed, self._draws, self._children), strict=True))

    @state.setter
    def state(self, state: Mapping[str, int]) -> None:
        if not isinstance(state, Mapping) or state.keys() != set(_STATE):
            raise InvalidArgumentError(f"state: {shown(state)} is not a dictionary of {', '.join(_STATE)}")
        numbers = [read_word("state", name, state[name]) for name in _STATE]
        if numbers[0] == 0:
            raise InvalidArgumentError("state: seed is 0, which no generator has")
        with guard.lock:
            self._start(*numbers)

    def spawn(self, n: int) -> tuple[Generator, ...]:
        """Return generators that are independent of each other and of the parent, for threads, processes or parts of
        data.

        Parameters
        ----------
        n : int
            The number of generators, which is not negative.

        Returns
        -------
        tuple of Generator
            The next children of the generator. The children's seeds depend on the generator's seed and on the number of
            earlier children, and not on the draws of the generator.

        Raises
        ------
        OutOfRangeError
            `n` is negative.

        Examples
        --------
        >>> import suanzi
        >>> first, second = suanzi.random.Generator(7).spawn(2)
        >>> first.seed == suanzi.random.Generator(7).spawn(1)[0].seed, first.seed == second.seed
        (True, False)
        """
        n = read_word("spawn", "n", n)
        with guard.lock:
            before = self._children
            self._children += n
        return tuple(Generator(key(self._seed, i, CHILDREN)) for i in range(before, before + n))

    def __getstate__(self) -> dict[str, int]:
        return self.state

    def __setstate__(self, state: dict[str, int]) -> None:
        self.state = state

    def __repr__(self) -> str:
        return f"Generator(seed={self._seed}, draws={self._draws})"

    # --- distributions ---

    def uniform(
        self,
        shape: Shape,
        low: Scalar | Tensor = 0,
        high: Scalar | Tensor = 1,
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        layout: LayoutLike | None = None,
    ) -> Tensor:
        """Draw evenly distributed numbers from `low` to `high` (以均匀分布随机数创建稠密张量).

        The distribution is the same as for `suanzi.uniform`, which accepts a seed in each call. By default the bounds
        are 0 and 1, and the type is float32 unless `set_default_dtype` sets another type. The shape is the first
        parameter. `default_rng().uniform` has NumPy's parameters, with the shape last, and returns float64.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).uniform((2, 2), dtype="float64").shape
        (2, 2)
        """
        shape = _shape_first("uniform", shape)
        return draws.uniform(shape, low, high, self._next(), dtype=dtype, device=chosen(device), layout=layout)

    def normal(
        self,
        shape: Shape,
        mean: Scalar | Tensor = 0,
        std: Scalar | Tensor = 1,
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        layout: LayoutLike | None = None,
    ) -> Tensor:
        """Draw normally distributed numbers (以正态分布随机数创建稠密张量), as `suanzi.normal` does.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).normal(2, mean=100, dtype="float64")
        tensor([99.91119958, 98.73076548], dtype=float64)
        """
        shape = _shape_first("normal", shape)
        return draws.normal(shape, mean, std, self._next(), dtype=dtype, device=chosen(device), layout=layout)

    def integers(
        self,
        shape: Shape,
        low: int,
        high: int,
        *,
        dtype: DTypeLike | None = None,
        device: DeviceLike | None = None,
        layout: LayoutLike | None = None,
    ) -> Tensor:
        """Draw integers in [`low`, `high`), with the same probability for each integer.

        Parameters
        ----------
        shape : int or sequence of int
            The sizes of the dimensions.
        low, high : int
            The bounds. All elements are less than `high`.
        dtype : DType, optional
            An integer type, int64 by default, or bool, whose integers are 0 and 1.
        device : Device, optional
            The device of the tensor, by default the CPU unless `set_default_device` sets another device.
        layout : Layout or sequence of int, optional
            The logical order of the dimensions in memory.

        Returns
        -------
        Tensor

        Raises
        ------
        InvalidArgumentError
            `high` is not greater than `low`, and the result has elements.
        TypeMismatchError
            The type is neither an integer type nor bool.
        OutOfRangeError
            The bounds do not fit the type.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).integers(6, 0, 10)
        tensor([6, 0, 4, 9, 7, 2], dtype=int64)
        """
        shape = _shape_first("integers", shape)
        kind = int64 if dtype is None else as_dtype(dtype, "integers")
        if not (kind.is_integer or kind is bool_):
            raise TypeMismatchError(f"integers: element type {kind} is not an integer type")
        first, last = read_integer("integers", "low", low), read_integer("integers", "high", high) - 1
        least, greatest = (0, 1) if kind is bool_ else kind.limits
        if 0 in _core.read_shape("integers", shape, 0):  # without elements the bounds are not checked, as in NumPy
            first = last = 0
        elif last < first:
            raise InvalidArgumentError(f"integers: high = {shown(high)} is not greater than low = {shown(low)}")
        elif first < least or last > greatest:
            raise OutOfRangeError(f"integers: bounds {shown(low)} and {shown(high)} do not fit {kind}")
        return draws.uniform(shape, first, last, self._next(), dtype=kind, device=chosen(device), layout=layout)

    def bernoulli(self, p: Tensor, /) -> Tensor:
        """Draw ones with probabilities `p`, otherwise zeros (以伯努利分布创建稠密张量), as `suanzi.bernoulli` does.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).bernoulli(suanzi.tensor([0.0, 1.0]))
        tensor([0., 1.])
        """
        return draws.bernoulli(p, self._next())

    def multinomial(
        self,
        p: Tensor,
        /,
        num_samples: int = 1,
        replacement: bool = True,
        *,
        output: Literal["counts", "indices"] = "counts",
    ) -> Tensor:
        """Draw classes by weights (以多项式分布创建稠密张量), as `suanzi.multinomial` does.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).multinomial(suanzi.tensor([0.0, 2.0]), 5)
        tensor([0., 5.])
        """
        return draws.multinomial(p, num_samples, replacement, self._next(), output=output)

    # --- orders and choices ---

    def randperm(self, n: int, dtype: DTypeLike | None = None, *, device: DeviceLike | None = None) -> Tensor:
        """Return the integers from 0 to n - 1 in random order (创建随机排列的一维稠密张量), as `suanzi.randperm` does.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).randperm(4, "int32")
        tensor([1, 3, 0, 2], dtype=int32)
        """
        return draws.randperm(n, dtype, self._next(), device=chosen(device))

    def permutation(self, x: Tensor, /, axis: int = 0) -> Tensor:
        """Return a copy of a tensor, with the parts along an axis in random order.

        Parameters
        ----------
        x : Tensor
            A tensor of at least one dimension, of any type.
        axis : int, optional
            The axis, 0 by default.

        Returns
        -------
        Tensor
            A tensor of the shape and type of `x`.

        Raises
        ------
        OutOfRangeError
            `axis` is not an axis of the tensor.

        Examples
        --------
        >>> import suanzi
        >>> suanzi.random.Generator(7).permutation(suanzi.tensor(["a", "b", "c", "d"])).tolist()
        ['b', 'd', 'a', 'c']
        """
        return self._permuted("permutation", x, axis)

    def shuffle(self, x: Tensor, /, axis: int = 0) -> None:
        """Shuffle the parts of a tensor along an axis, in place.

        Parameters
        ----------
        x : Tensor
            A tensor of at least one dimension, of any type.
        axis : int, optional
            The axis, 0 by default.

        Raises
        ------
        OutOfRangeError
            `axis` is not an axis of the tensor.

        Examples
        --------
        >>> import suanzi
        >>> x = suanzi.arange(4)
        >>> suanzi.random.Generator(7).shuffle(x)
        >>> x
        tensor([1., 3., 0., 2.])
        """
        x[...] = self._permuted("shuffle", x, axis)

    def _permuted(self, operator: str, x: Tensor, axis: int) -> Tensor:
        along = _core.read_axis(operator, axis, _core.read_tensor(operator, x).ndim)
        return take(x, self._order(x.shape[along]), along)

    def _order(self, length: int) -> Tensor:
        """Return the integers below `length` in random order. `length` may be 0, but `randperm` does not accept 0."""
        return draws.randperm(length, int64, self._next()) if length else empty(0, dtype=int64)

    def choice(
        self,
        x: Tensor | int,
        /,
        shape: Shape = (),
        replacement: bool = True,
        p: Tensor | None = None,
        *,
        axis: int = 0,
    ) -> Tensor:
        """Choose parts of a tensor along an axis, or integers, at random.

        Parameters
        ----------
        x : Tensor or int
            The parts to choose from. An integer n means the integers from 0 to n - 1.
        shape : int or sequence of int, optional
            The shape of the choices, which replaces the axis. By default one part is chosen, and the result lacks the
            axis.
        replacement : bool, optional
            If True, the default, a part may be chosen again.
        p : Tensor, shape (x.shape[axis],), optional
            The weights of the parts, as in `multinomial`. By default all weights are equal.
        axis : int, optional
            The axis, 0 by default. An integer `x` stands for a tensor of one dimension.

        Returns
        -------
        Tensor
            A tensor of the type of `x`, or of int64 if `x` is an integer.

        Raises
        ------
        InvalidArgumentError
            The number of parts is 0, or, without replacement, less than the number of choices. The error is also raised
            if a weight is negative or not finite, or if no weight is positive.
        DimensionsMismatchError
            The number of weights differs from the number of parts.
        OutOfRangeError
            `axis` is not an axis of the tensor.
        TypeMismatchError
            The weights are not floating, or `x` is neither a tensor nor an integer.

        Notes
        -----
        Without weights, the choice of a few of many parts needs time and memory only for the chosen parts, with or
        without replacement.

        Examples
        --------
        >>> import suanzi
        >>> rng = suanzi.random.Generator(7)
        >>> rng.choice(10, 3, replacement=False)
        tensor([1, 9, 4], dtype=int64)
        >>> rng.choice(suanzi.tensor(["a", "b"]), 4, p=suanzi.tensor([0.0, 1.0])).tolist()
        ['b', 'b', 'b', 'b']
        """
        sizes = _core.read_shape("choice", shape, 0)
        count = prod(sizes)
        parts = x.shape if isinstance(x, Tensor) else (_core.read_integer("choice", "x", x),)
        along = _core.read_axis("choice", axis, len(parts))
        length = parts[along]
        again = _core.read_truth("choice", "replacement", replacement)
        if length < (min(count, 1) if again else count):
            raise InvalidArgumentError(f"choice: {count} of {length} parts cannot be chosen")
        if p is not None:
            if _core.read_tensor("choice", p).shape != (length,):
                words = "are not one for each of"
                raise DimensionsMismatchError(f"choice: weights of shape {p.shape} {words} {length} parts")
            check_weights("choice", p)
            if not again and (positive := int(sum_of(p > 0))) < count:
                raise InvalidArgumentError(f"choice: {count} of {positive} parts of positive weight cannot be chosen")
        places = reshape(self._chosen(length, count, again, p), sizes)
        return gather(x, places, along) if isinstance(x, Tensor) else places

    def _chosen(self, length: int, count: int, again: bool, p: Tensor | None) -> Tensor:
        if count == 0:
            return empty(0, dtype=int64)
        if p is not None:
            return draws.multinomial(p, count, again, self._next(), output="indices")
        if again:
            return draws.uniform(count, 0, length - 1, self._next(), dtype=int64)
        if length <= _FEW + _MANY * count:
            return self._order(length)[:count]
        return _distinct(length, count, self._next())


# For at most _FEW parts, and for at most _MANY parts for each chosen part, a random order of all parts is as fast as
# drawing again after repeated parts.
_FEW, _MANY = 1024, 16


def _distinct(length: int, count: int, seed: int) -> Tensor:
    """Return the first `count` distinct integers of a random sequence of integers below `length`. Every choice and
    order is equally likely.
    """
    size = count + count // 8 + 16
    while True:  # a longer tensor with the same seed begins with the shorter tensor
        drawn = draws.uniform(size, 0, length - 1, seed, dtype=int64)
        places = unique(drawn, return_index=True)[1]
        if places.size >= count:
            return take(drawn, sort(places)[:count])
        size *= 2


def check_weights(operator: str, weights: Tensor) -> None:
    """Check that weights are floating, finite and not negative, and that each row has a positive weight."""
    if weights.dtype.kind != "f":
        raise TypeMismatchError(f"{operator}: weights of element type {weights.dtype} are not floating")
    if weights.size == 0:
        return
    greatest = max_of(weights, axis=-1)
    if not (all_of(greatest < inf) and min_of(weights) >= 0):
        raise InvalidArgumentError(f"{operator}: weights {shown(weights)} are not finite numbers from 0 on")
    if not all_of(greatest > 0):
        raise InvalidArgumentError(f"{operator}: all {weights.shape[-1]} weights are 0")


def _shape_first(operator: str, shape: Shape) -> Shape:
    """Return the shape, and warn if the shape is the number 0.

    The first argument of NumPy's functions is the mean or the lower bound.
    """
    if type(shape) is int and shape == 0:
        _, level = outer_frame()
        warnings.warn(
            f"{operator}: shape 0 has no elements; the shape comes first: use suanzi.random.{operator}(10, 0, 1), or "
            "(0,) for that shape",
            RuntimeWarning,
            level,
        )
    return shape


def read_integer(operator: str, what: str, value: Any) -> int:
    try:
        if not isinstance(value, bool):
            return index(value)
    except TypeError:
        pass
    raise TypeMismatchError(f"{operator}: {what} {shown(value)} is not an integer")


def read_word(operator: str, what: str, value: Any) -> int:
    """Return `value` as an int, or raise an error if `value` is not an integer from 0 to 2^64 - 1."""
    number = read_integer(operator, what, value)
    if not 0 <= number < 2**64:
        raise OutOfRangeError(f"{operator}: {what} = {shown(number)} is outside [0, 2^64)")
    return number


def _from_system() -> int:
    seed = 0
    while seed == 0:
        seed = int.from_bytes(os.urandom(8), "little")
    return seed
