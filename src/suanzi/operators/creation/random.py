"""Tensors of random numbers (7.2.1.7 to 7.2.1.11, 张量创建与销毁).

If the seed is 0, the default, the system provides a seed. For any other seed, the results depend only on the arguments.
The same seed results in the same bits for any number of threads, any instruction set and any layout. The numbers come
from Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, SC'11), whose key is the seed. The words of Philox, in the order of
the counter, form one sequence for each function. Element i of a tensor of float32, float16, bfloat16, bool, or an
integer type of 8 or 16 bits uses word i. Element i of a tensor of float64, or of an integer type of 32 or 64 bits, uses
words 2i and 2i + 1. A complex element uses the words of both parts. `normal` computes pairs of neighbouring elements
from the words of both elements.
"""

from __future__ import annotations

from typing import Literal

from suanzi import _core
from suanzi._core import Tensor
from suanzi.operators.arguments import DeviceLike, LayoutLike, Shape
from suanzi.operators.operands import Scalar
from suanzi.operators.registry import operator
from suanzi.operators.scratch import THREADS, copy, last, number, size
from suanzi.tensor.dtypes import DTypeLike

_DRAWS = ("TYPE_MISMATCH", "INVALID_ARGUMENT", "OUT_OF_RANGE", "INTERNAL_ERROR")


@operator("", _DRAWS, family="random", core=_core.uniform)
def uniform(
    shape: Shape,
    low: Scalar | Tensor | None = None,
    high: Scalar | Tensor | None = None,
    seed: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of evenly distributed random numbers (以均匀分布随机数创建稠密张量).

    The operator `uniform` of the standard accepts a seed in each call, and draws by default between the bounds of the
    type. `suanzi.random.uniform` draws from a generator, by default between 0 and 1.
    `suanzi.random.default_rng().uniform` has NumPy's parameters, with the shape last, and returns float64.

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    low, high : scalar or Tensor of one element, optional
        The bounds, which are finite. The defaults are the least and the greatest value of the type. Bounds of bool must
        be False (0) or True (1). Otherwise the status is OUT_OF_RANGE. For complex types, a real bound applies to the
        real and to the imaginary parts. The parts of a complex bound are the bounds of the real and of the imaginary
        parts.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.
    dtype : DType, optional
        Any numeric type or bool, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory, which does not change the elements.

    Returns
    -------
    Tensor
        Integers and bools are numbers from `low` to `high`, including the bounds. Every number has exactly the same
        probability. Floating numbers and the parts of complex numbers are ``low + k 2^-24 (high - low)`` for a random
        integer k, rounded to the type. For float64 and complex128 the factor is ``k 2^-53``. Floating numbers and parts
        are at least `low` and below `high`, unless the bounds are equal. The difference of the bounds may exceed the
        range of the type.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.uniform(6, 1, 6, seed=5, dtype=suanzi.int32)
    tensor([1, 6, 1, 1, 5, 2], dtype=int32)
    """


@operator("BIFC", _DRAWS, of="uniform", family="random", core=_core.uniform_like)
def uniform_like(
    x: Tensor,
    /,
    low: Scalar | Tensor | None = None,
    high: Scalar | Tensor | None = None,
    seed: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """Evenly distributed numbers, with the shape, type and layout of another tensor (以均匀分布随机数创建稠密张量).

    Parameters
    ----------
    x : Tensor
        The tensor whose shape, type and layout the result has.
    low, high : scalar or Tensor of one element, optional
        The bounds, as in `uniform`.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.
    dtype, device, layout : optional
        Replacements for the type, device and layout of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.uniform_like(suanzi.zeros((2, 3)), 0, 1).shape
    (2, 3)
    """


@operator("", _DRAWS, family="random", core=_core.normal)
def normal(
    shape: Shape,
    mean: Scalar | Tensor = 0,
    std: Scalar | Tensor = 1,
    seed: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """A dense tensor of normally distributed random numbers (以正态分布随机数创建稠密张量).

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    mean : scalar or Tensor of one element, optional
        The mean, which is finite. The default is 0. The mean may be complex for a complex type.
    std : scalar or Tensor of one element, optional
        The standard deviation, which is real, finite and not negative. The default is 1.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.
    dtype : DType, optional
        A floating or complex type, by default float32 unless `set_default_dtype` sets another type.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.
    layout : Layout or sequence of int, optional
        The logical order of the dimensions in memory, which does not change the elements.

    Returns
    -------
    Tensor
        A tensor of the numbers ``mean + std z``. Numbers that overflow are infinite. The standard normal numbers z come
        from Box and Muller's method. The absolute value of z is at most 6.7 in float32 and 9.4 in float64. The error of
        z is a few units in the last place. The parts of a complex element are independent, and the standard deviation
        of each part is ``std / sqrt(2)``.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.normal(3, seed=5)
    tensor([-0.6453757 ,  1.2164272 , -0.28437957])
    """


@operator("FC", _DRAWS, of="normal", family="random", core=_core.normal_like)
def normal_like(
    x: Tensor,
    /,
    mean: Scalar | Tensor = 0,
    std: Scalar | Tensor = 1,
    seed: int = 0,
    *,
    dtype: DTypeLike | None = None,
    device: DeviceLike | None = None,
    layout: LayoutLike | None = None,
) -> Tensor:
    """Normally distributed numbers, with the shape, type and layout of another tensor (以正态分布随机数创建稠密张量).

    Parameters
    ----------
    x : Tensor
        The tensor whose shape, type and layout the result has. The type must be floating or complex unless `dtype` is
        given.
    mean, std : scalar or Tensor of one element, optional
        The mean and the standard deviation, as in `normal`.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.
    dtype, device, layout : optional
        Replacements for the type, device and layout of `x`.

    Returns
    -------
    Tensor

    Examples
    --------
    >>> import suanzi
    >>> suanzi.normal_like(suanzi.zeros((2, 3))).shape
    (2, 3)
    """


@operator("F", _DRAWS, scratch=copy("p"), family="random", core=_core.bernoulli)
def bernoulli(p: Tensor, /, seed: int = 0) -> Tensor:
    """Random zeros and ones, where each element of `p` is the probability of a one (以伯努利分布创建稠密张量).

    Parameters
    ----------
    p : Tensor
        The probabilities, a floating tensor of numbers from 0 to 1.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.

    Returns
    -------
    Tensor
        A tensor of the shape, type and logical order of `p`. Probabilities 0 and 1 are exact. The error of any other
        probability is at most the greater of half a unit in the last place and 2^-33 (2^-65 for float64).

    Examples
    --------
    >>> import suanzi
    >>> suanzi.bernoulli(suanzi.tensor([0.0, 0.5, 0.5, 1.0]), seed=5)
    tensor([0., 1., 1., 1.])
    """


@operator(
    "F",
    (*_DRAWS, "DIMENSIONS_MISMATCH"),
    scratch=copy("p") + THREADS * (32 * last("p") + 32 * number("num_samples")),
    family="random",
    core=_core.multinomial,
)
def multinomial(
    p: Tensor,
    /,
    num_samples: int = 1,
    replacement: bool = True,
    seed: int = 0,
    *,
    output: Literal["counts", "indices"] = "counts",
) -> Tensor:
    """Random draws of classes, where the last axis of `p` has the weights of the classes (以多项式分布创建稠密张量).

    Parameters
    ----------
    p : Tensor, shape (..., classes)
        The weights, a floating tensor of finite numbers that are not negative, with at least one positive weight in
        each row. The weights need not sum to 1.
    num_samples : int, optional
        The number of draws for each row, 1 by default.
    replacement : bool, optional
        If True, the default, a class may be drawn again. If False, each draw is from the remaining classes, and at
        least `num_samples` classes of each row must have a positive weight.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.
    output : {"counts", "indices"}, optional
        "counts", as in the standard: the number of draws of each class. "indices": the drawn classes, in the order of
        the draws. Different algorithms compute the counts and the indices. For the same seed, "counts" does not count
        the classes that "indices" returns.

    Returns
    -------
    Tensor
        Counts of the shape and type of `p`, or indices of shape (..., num_samples) and type int64. The status is
        INVALID_ARGUMENT if a weight is negative or not finite, if no weight of a row is positive, or if, without
        replacement, fewer than `num_samples` weights are positive. The status is OUT_OF_RANGE if the type of `p` cannot
        hold a count exactly, or if more than 2^53 draws are to be counted in several classes. bfloat16 holds all counts
        up to 256, float16 up to 2048, float32 up to 2^24, and float64 up to 2^53.

    Examples
    --------
    >>> import suanzi
    >>> p = suanzi.tensor([1.0, 0.0, 3.0])
    >>> suanzi.multinomial(p, 100, seed=5)
    tensor([21.,  0., 79.])
    >>> suanzi.multinomial(p, 2, replacement=False, seed=5, output="indices")
    tensor([2, 0], dtype=int64)
    """


@operator("", _DRAWS, scratch=8 * size("result"), family="random", core=_core.randperm)
def randperm(
    n: int,
    dtype: DTypeLike | None = None,
    seed: int = 0,
    *,
    device: DeviceLike | None = None,
) -> Tensor:
    """The integers from 0 to n - 1 in random order (创建随机排列的一维稠密张量).

    Parameters
    ----------
    n : int
        The number of integers, which is positive.
    dtype : DType, optional
        Any numeric type that holds all the integers exactly, by default float32 unless `set_default_dtype` sets another
        type. float32 holds the integers for `n` up to 2^24 + 1.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. If `seed` is 0, the system provides a seed.
    device : Device, optional
        The device of the tensor, by default the CPU unless `set_default_device` sets another device.

    Returns
    -------
    Tensor, shape (n,)
        A vector of the integers. Every order has the same probability. The time is proportional to `n`.

    Examples
    --------
    >>> import suanzi
    >>> suanzi.randperm(6, suanzi.int32, seed=5)
    tensor([1, 3, 0, 4, 5, 2], dtype=int32)
    """
