"""Random Dask arrays whose elements do not depend on the chunks. The process that computes a chunk draws the chunk's
elements.

All bits of the elements equal the bits that `suanzi.uniform`, `suanzi.normal` and `suanzi.bernoulli` return for the
same seed. To draw a chunk of rows, a worker starts the random generator at the index of the chunk's first element in
the whole array.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import dask.array as da

import suanzi
from suanzi import Tensor, _core
from suanzi.operators.arguments import Shape
from suanzi.operators.operands import Scalar
from suanzi.random import Generator, parts
from suanzi.tensor.dtypes import DType, DTypeLike
from suanzi.tensor.exchange import as_tensor

Draw = Callable[[int, int], Tensor]  # returns elements, given the index of the first element and the count


def uniform(
    shape: Shape,
    low: Scalar | Tensor | None = None,
    high: Scalar | Tensor | None = None,
    seed: int = 0,
    *,
    dtype: DTypeLike | None = None,
    chunks: Any = "auto",
) -> Any:
    """Return a Dask array of evenly distributed random numbers. The elements equal the elements of `suanzi.uniform`.

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    low, high : scalar or Tensor of one element, optional
        The bounds, as in `suanzi.uniform`, by default the least and the greatest value of the type.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. For 0 the system provides a seed.
    dtype : DType, optional
        Any numeric type or bool, by default float32 or the type that `set_default_dtype` sets.
    chunks : int, tuple or str, optional
        The chunks, in any form that Dask accepts, by default rows in chunks of Dask's size. If the chunks divide other
        axes than the first axis, the workers draw whole rows and then divide the rows.

    Returns
    -------
    dask.array.Array
        An array whose chunks are tensors. The elements are the same for any chunks, any scheduler and any number of
        workers.

    Raises
    ------
    TypeMismatchError, InvalidArgumentError, OutOfRangeError
        An error that `suanzi.uniform` raises for the arguments. The error is raised before Dask computes a chunk.

    Examples
    --------
    >>> import suanzi
    >>> from suanzi.interop import dask
    >>> x = dask.uniform((5, 2), 0, 1, seed=7, chunks=(2, 2))
    >>> bool(suanzi.all(x.compute() == suanzi.uniform((5, 2), 0, 1, seed=7)))
    True
    """
    kind = suanzi.uniform(0, low, high, seed, dtype=dtype).dtype  # the call checks the arguments
    draw = partial(parts.uniform, low=low, high=high, seed=_settled(seed), dtype=kind)
    return _drawn("uniform", shape, kind, chunks, draw)


def normal(
    shape: Shape,
    mean: Scalar | Tensor = 0,
    std: Scalar | Tensor = 1,
    seed: int = 0,
    *,
    dtype: DTypeLike | None = None,
    chunks: Any = "auto",
) -> Any:
    """Return a Dask array of normally distributed random numbers. The elements equal the elements of `suanzi.normal`.

    Parameters
    ----------
    shape : int or sequence of int
        The sizes of the dimensions.
    mean, std : scalar or Tensor of one element, optional
        The mean and the standard deviation, as in `suanzi.normal`.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. For 0 the system provides a seed.
    dtype : DType, optional
        A floating or complex type, by default float32 or the type that `set_default_dtype` sets.
    chunks : int, tuple or str, optional
        The chunks of the array, as in `uniform`.

    Returns
    -------
    dask.array.Array
        An array whose chunks are tensors. The elements are the same for any chunks, any scheduler and any number of
        workers.

    Raises
    ------
    TypeMismatchError, InvalidArgumentError, OutOfRangeError
        An error that `suanzi.normal` raises for the arguments. The error is raised before Dask computes a chunk.

    Examples
    --------
    >>> import suanzi
    >>> from suanzi.interop import dask
    >>> x = dask.normal(1000, seed=7, chunks=300)
    >>> bool(suanzi.all(x.compute() == suanzi.normal(1000, seed=7)))
    True
    """
    kind = suanzi.normal(0, mean, std, seed, dtype=dtype).dtype
    draw = partial(parts.normal, mean=mean, std=std, seed=_settled(seed), dtype=kind)
    return _drawn("normal", shape, kind, chunks, draw)


def bernoulli(p: Any, /, seed: int = 0) -> Any:
    """Return a Dask array of random zeros and ones.

    Element i of `p` is the probability that element i of the result is 1. The elements equal the elements of
    `suanzi.bernoulli(p, seed)`.

    Parameters
    ----------
    p : dask.array.Array or Tensor
        The probabilities, floating, from 0 to 1.
    seed : int, optional
        The seed, from 0 to 2^64 - 1. For 0 the system provides a seed.

    Returns
    -------
    dask.array.Array
        An array whose chunks are tensors, in the shape, type and chunks of `p`. The elements are the same for any
        chunks.

    Raises
    ------
    TypeMismatchError
        The type of `p` is not floating.
    InvalidArgumentError
        A probability is outside [0, 1]. The computation of the array raises the error.

    Examples
    --------
    >>> import suanzi
    >>> from suanzi.interop import dask
    >>> p = suanzi.uniform(1000, 0, 1, seed=5)
    >>> bool(suanzi.all(dask.bernoulli(p, seed=7).compute() == suanzi.bernoulli(p, seed=7)))
    True
    """
    chances = p if isinstance(p, da.Array) else da.from_array(as_tensor(p, None, "bernoulli"))
    suanzi.bernoulli(suanzi.empty(0, dtype=chances.dtype), seed)
    rows = chances.rechunk((chances.chunks[0], *chances.shape[1:])) if chances.ndim else chances
    drawn = rows.map_blocks(_bernoulli_rows, seed=_settled(seed), dtype=rows.dtype, meta=_meta(rows.ndim, rows.dtype))
    return drawn.rechunk(chances.chunks)


def _settled(seed: int) -> int:
    """Return `seed`, or a seed from the system if `seed` is 0. All chunks of an array use the returned seed."""
    return Generator(seed).seed


def _meta(rank: int, dtype: Any) -> Tensor:
    return suanzi.empty((0,) * rank, dtype=dtype)


def _drawn(name: str, shape: Shape, dtype: DType, chunks: Any, draw: Draw) -> Any:
    """Return a Dask array in which `draw` draws the rows of each chunk."""
    sizes = _core.read_shape(name, shape, 0)
    if chunks == "auto":  # the chunks are whole rows
        chunks = ("auto", *sizes[1:])[: len(sizes)]
    wanted = da.core.normalize_chunks(chunks, sizes, dtype=dtype.numpy)
    rows = (*wanted[:1], *((size,) for size in sizes[1:]))
    drawn = da.map_blocks(_rows, draw=draw, chunks=rows, dtype=dtype.numpy, meta=_meta(len(sizes), dtype))
    return drawn.rechunk(wanted)


def _rows(draw: Draw, block_info: Any = None) -> Tensor:
    """Draw the rows of one chunk. Dask passes the chunk's position in the whole array in `block_info`."""
    places = block_info[None]["array-location"]
    shape = [end - begin for begin, end in places]
    first = places[0][0] * prod(shape[1:]) if places else 0
    return suanzi.reshape(draw(first, prod(shape)), shape)


def _bernoulli_rows(p: Any, seed: int, block_info: Any = None) -> Tensor:
    chances = as_tensor(p, None, "bernoulli")
    places = block_info[0]["array-location"]
    first = places[0][0] * prod(chances.shape[1:]) if places else 0
    return suanzi.reshape(parts.bernoulli(first, suanzi.flatten(chances), seed), chances.shape)
