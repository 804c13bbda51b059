"""Models of matrix products and of operators that consist of matrix products.

Elements are small integers, whose sums of products are exact in every type of 32 bits or more, in any order of
summation. Products of integer types are taken modulo 2^n.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ..compare import Expected
from ..element_types import Array, convert, exact, type_of
from .model import Elements, Model, Shape

Product = Callable[..., Array]


def summed(product: Product, *operands: Array) -> Expected:
    """Return the expected sum of products: modulo 2^n for integers, the logical `or` for bools, and a result with one
    rounding for 16-bit types.
    """
    t = type_of(next(x for x in operands if x.ndim) if any(x.ndim for x in operands) else operands[0])
    with np.errstate(all="ignore"):
        if t.kind in "BUS":
            return Expected(t, convert(np.asarray(product(*(x.astype(np.int64) for x in operands))), t))
        wide = np.complex128 if t.kind == "C" else np.float64
        found = np.asarray(product(*(x.astype(wide) for x in operands)))
        size = np.asarray(product(*(np.abs(np.nan_to_num(x.astype(wide), posinf=0, neginf=0)) for x in operands)))
    return Expected(t, exact(found), 1.0 if t.bits == 16 else 0.25, np.maximum(size, 1e-30), signed_zero=False)


def _of(product: Product) -> Callable[..., Expected]:
    return lambda *operands: summed(product, *operands)


# Functions that make the operands. The given shape is the shape of the first operand.


def _matrices(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    columns = min(shape[-2] + 1, 131)
    return elements.small(shape), elements.small((*shape[:-2], shape[-1], columns), 1)


def _squares(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.small(shape), elements.small(shape, 1)


def _of_every_size(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.any(shape), elements.any((*shape[:-2], shape[-1], 3), 1)


def _vectors_of_every_size(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.any((prod(shape),)), elements.any((prod(shape),), 1)


def _broadcast(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return two batches of matrices. The shapes of the batches are (2, 1) and (3,)."""
    return elements.small((2, 1, *shape[-2:])), elements.small((3, shape[-1], 2), 1)


def _one_for_all(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return one matrix and a batch of matrices. The matrix is multiplied by each matrix of the batch."""
    return elements.small(shape[-2:]), elements.small((*shape[:-2], shape[-1], 3), 1)


def _with_a_vector(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.small(shape), elements.small(shape[-1:], 1)


def _of_a_vector(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.small(shape[-2:-1]), elements.small(shape, 1)


def _dotted(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return two operands of `dot`, which sums over the last axis of the first operand and the last axis but one of the
    second operand.
    """
    return elements.small(shape), elements.small((2, shape[-1], 3), 1)


def _strange(value: float) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes two matrices. One row of the first matrix contains `value`, which the product
    multiplies by zeros and by other numbers.
    """

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        a, b = elements.small(shape), elements.small((*shape[:-2], shape[-1], 5), 1)
        a[..., 1, 2] = value
        b[..., 2, :] = np.array([0, 1, -2, 3, 0], b.dtype)
        return a, b

    return operands


def _strange_right(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return two matrices. One column of the second matrix contains a NaN."""
    a, b = elements.small(shape), elements.small((*shape[:-2], shape[-1], 5), 1)
    b[..., 1, 3] = np.nan
    a[..., 0, 1] = 0
    return a, b


_EMPTY: tuple[Shape, ...] = ((0, 3), (3, 0), (2, 0, 3), (0, 2, 3), (2, 3, 0))
_SMALL_RANKS: tuple[Shape, ...] = ((3, 4), (2, 3, 4, 5))


def _models_of_matmul() -> tuple[Model, ...]:
    of = partial(Model, "matmul", _of(np.matmul), special="")
    special = [_strange(np.nan), _strange(np.inf), _strange(-np.inf), _strange_right]
    return (
        of(
            "IFCB",
            _matrices,
            shape=(3, 4, 5),
            ranks=((1, 1), (1, 7), (7, 1), (5, 9), (17, 33), (2, 3, 4, 5), (2, 1, 3, 2, 4), (2, 1, 2, 1, 3, 4)),
            empty=_EMPTY,
            long=((129, 130), (3, 4099), (5, 33, 65), (1, 2049)),
        ),
        of("IFCB", _squares, shape=(3, 4, 4), ranks=((4, 4), (64, 64)), empty=(), long=((128, 128),), in_place=(0, 1)),
        of("I", _of_every_size, shape=(2, 3, 4), ranks=((3, 40),), empty=(), long=((33, 65),), special="I"),
        *(
            of(
                "IFCB",
                operands,
                shape=(2, 3, 4),
                ranks=((3, 4), (2, 2, 3, 4), (2, 1, 2, 4, 3)),
                empty=((2, 0, 3), (2, 3, 0)),
                long=((130, 70), (2, 1030)),
            )
            for operands in (_broadcast, _one_for_all, _with_a_vector, _of_a_vector)
        ),
        of(
            "IFCB", lambda e, shape: (e.small(shape), e.small(shape, 1)), shape=(7,), ranks=((1,), (33,)), empty=((0,),)
        ),
        *(
            of(
                "F",
                operands,
                shape=(4, 6),
                ranks=((2, 4, 9), (9, 70)),
                empty=(),
                long=((60, 70), (130, 131)),
                arranged=False,
            )
            for operands in special
        ),
    )


def _models_of_dot() -> tuple[Model, ...]:
    of = partial(Model, "dot", _of(np.dot), special="")
    return (
        of(
            "IFCB",
            _dotted,
            shape=(2, 3, 4),
            ranks=((7,), (3, 7), (2, 3, 2, 5)),
            empty=((0,), (3, 0), (0, 3)),
            long=((129, 131), (4099,)),
        ),
        of(
            "IFCB",
            lambda e, shape: (e.small(shape), e.small(shape, 1)),
            shape=(7,),
            ranks=((1,), (33,), (1025,)),
            empty=((0,),),
        ),
        of("IFCB", _squares, shape=(4, 4), ranks=((3, 3),), empty=(), long=((70, 70),)),
        of("I", _vectors_of_every_size, shape=(40,), ranks=((7,),), empty=(), long=((1000,),), special="I"),
        of("IFCB", _with_a_vector, shape=(3, 4), ranks=((2, 3, 4),), empty=((3, 0),), long=((130, 70),)),
        *(
            of("F", operands, shape=(4, 6), ranks=((9, 70),), empty=(), long=((60, 70),), arranged=False)
            for operands in (_strange(np.nan), _strange(np.inf), _strange_right)
        ),
    )


# Models of operators other than `matmul` and `dot`.


def _vecdot(a: Array, b: Array, axis: int = -1) -> Expected:
    return summed(lambda x, y: (np.conj(x) * y).sum(axis), a, b)


def _cross(a: Array, b: Array, axis: int = -1) -> Expected:
    t = type_of(a)
    if t.kind in "BUS":
        return Expected(t, convert(np.cross(a.astype(np.int64), b.astype(np.int64), axis=axis), t))
    found = np.cross(a.astype(np.complex128 if t.kind == "C" else np.float64), b, axis=axis)
    return Expected(t, exact(found), 0.25, np.full(found.shape, 32.0), signed_zero=False)


def _tensordot(a: Array, b: Array, axes: Any = 2) -> Expected:
    return summed(lambda x, y: np.tensordot(x, y, axes), a, b)


def _met(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.small((3, 4, 5)), elements.small((4, 5, 3), 1)


_MEETING: tuple[Any, ...] = (
    2,
    0,
    ([0], [2]),
    ([1, 2], [0, 1]),
    ([2, 1], [1, 0]),
    ([-3, -1], [-1, -2]),
    ([0, 1, 2], [2, 0, 1]),
)


def _met_alone(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    return elements.small(shape), elements.small((shape[-1], *shape[:-1]), 1)


# Terms in einsum's notation, with the shapes of the operands.
_TERMS: tuple[tuple[str, tuple[Shape, ...]], ...] = (
    ("ij,jk", ((3, 4), (4, 5))),
    ("ij,jk->ki", ((3, 4), (4, 5))),
    ("ba,ac", ((3, 4), (4, 5))),
    ("ij->ji", ((3, 4),)),
    ("ji", ((3, 4),)),
    ("ij->", ((3, 4),)),
    ("ij->i", ((3, 4),)),
    ("ii->i", ((4, 4),)),
    ("ii", ((4, 4),)),
    ("iij->ji", ((3, 3, 4),)),
    ("i,j->ij", ((3,), (4,))),
    ("i,i->i", ((5,), (5,))),
    ("i,i", ((5,), (5,))),
    ("bij,bjk->bik", ((2, 3, 4), (2, 4, 5))),
    ("bij,bkj->bki", ((2, 3, 4), (2, 5, 4))),
    ("...ij,...jk->...ik", ((2, 1, 3, 4), (5, 4, 2))),
    ("i...,i...->...", ((3, 2, 4), (3, 4))),
    ("...i->i...", ((2, 3, 4),)),
    ("abcd,cbe,ea->de", ((2, 3, 4, 2), (4, 3, 2), (2, 2))),
    ("ij,j,k->ik", ((3, 4), (4,), (2,))),
    ("ab,cd,ef->fedcba", ((2, 2), (1, 3), (2, 1))),
    ("ij,kl->", ((2, 3), (3, 2))),
    ("abcde->edabc", ((2, 1, 3, 2, 2),)),
    (",i->i", ((), (3,))),
)


def _einsum(terms: str, *operands: Array) -> Expected:
    return summed(lambda *x: np.einsum(terms, *x), *operands)


def _terms(terms: str, shapes: tuple[Shape, ...]) -> Model:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        return (terms, *(elements.small(shape, place) for place, shape in enumerate(shapes)))

    return Model(
        "einsum",
        _einsum,
        "IFCB",
        operands,
        shape=shapes[0],
        ranks=(shapes[0],),
        empty=(),
        long=(shapes[0],),
        special="",
        arranged=len(shapes[0]) == 2,
    )


def _long_terms(terms: str, shapes: tuple[Shape, ...]) -> Model:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        return (terms, *(elements.small(shape, place) for place, shape in enumerate(shapes)))

    return Model(
        "einsum",
        _einsum,
        "IFC",
        operands,
        shape=shapes[0],
        ranks=(),
        empty=(),
        long=(shapes[0],),
        special="",
        arranged=False,
    )


def _linear(x: Array, weight: Array, bias: Any = None) -> Expected:
    def product(x: Array, w: Array, *b: Any) -> Array:
        return np.asarray(x @ w.T + (b[0] if b else 0))

    return summed(product, x, weight, *(() if bias is None else (np.asarray(bias, x.dtype),)))


def _features(bias: Any, width: int = 5) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes the operands of `linear`: an input, a weight and a bias. The bias is absent, a
    number or a vector.
    """

    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        out = width if shape[-1] < 60 else 131
        further = {"none": (), "vector": (elements.small((out,), 2),), "number": (3,)}[bias]
        return elements.small(shape), elements.small((out, shape[-1]), 1), *further

    return operands


def _linear_strange(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    x, weight = elements.small(shape), elements.small((4, shape[-1]), 1)
    x[..., 1, 2], weight[0, 2] = np.nan, 0
    return x, weight, elements.small((4,), 2)


def _linear_bias(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    bias = elements.small((4,), 2)
    bias[1], bias[2] = np.nan, np.inf
    return elements.small(shape), elements.small((4, shape[-1]), 1), bias


_FEATURES: tuple[Shape, ...] = ((4,), (1, 1), (3, 4), (2, 3, 4, 5), (2, 1, 3, 2, 4))


def _bilinear(x1: Array, x2: Array, weight: Array, bias: Any = None) -> Expected:
    def product(x: Array, y: Array, w: Array, *b: Any) -> Array:
        return np.asarray(np.einsum("...i,oij,...j->...o", x, w, y, optimize=x.size > 1000) + (b[0] if b else 0))

    return summed(product, x1, x2, weight, *(() if bias is None else (np.asarray(bias, x1.dtype),)))


def _pairs_of_features(bias: Any) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    def operands(elements: Elements, shape: Shape) -> tuple[Any, ...]:
        second, out = (3, 4) if shape[-1] < 60 else (40, 33)
        further = {"none": (), "vector": (elements.small((out,), 3),), "number": (2,)}[bias]
        x2, weight = elements.small((*shape[:-1], second), 1), elements.small((out, shape[-1], second), 2)
        return elements.small(shape), x2, weight, *further

    return operands


def _matrix_power(x: Array, n: int) -> Expected:
    return summed(lambda y: np.asarray(np.linalg.matrix_power(y, n)), x)


def _signs(elements: Elements, shape: Shape) -> tuple[Any, ...]:
    """Return a matrix of -1, 0 and 1, or of -i, 0 and i for complex types. The matrix's powers stay small."""
    x = elements.small(shape)
    return (
        x - x // 2 * 2
        if x.dtype.kind == "u"
        else np.sign(x)
        if x.dtype.kind != "c"
        else np.sign(x.real) * x.dtype.type(1j),
    )


def _ones(*shapes: Shape) -> Callable[[Elements, Shape], tuple[Any, ...]]:
    """Return a function that makes tensors of ones with the given shapes."""
    return lambda elements, shape: tuple(np.ones(shape, elements.type.numpy) for shape in shapes)


# Products that add 4096 ones. A sum in a 16-bit type stops growing, although the type can represent the result.
_MANY_ONES: tuple[tuple[str, Callable[..., Expected], tuple[Shape, ...], dict[str, Any]], ...] = (
    ("matmul", _of(np.matmul), ((1, 4096), (4096, 2)), {}),
    ("dot", _of(np.dot), ((4096,), (4096,)), {}),
    ("vecdot", _vecdot, ((4096,), (4096,)), {}),
    ("tensordot", _tensordot, ((64, 64), (64, 64)), {"axes": 2}),
    ("linear", _linear, ((1, 4096), (2, 4096)), {}),
    ("bilinear", _bilinear, ((1, 64), (1, 64), (2, 64, 64)), {}),
)

MODELS = (
    *_models_of_matmul(),
    *_models_of_dot(),
    *(
        Model(
            function,
            result,
            "F",
            _ones(*shapes),
            constant=options,
            shape=shapes[0],
            ranks=(),
            empty=(),
            long=(),
            special="",
            arranged=False,
        )
        for function, result, shapes, options in _MANY_ONES
    ),
    Model(
        "vecdot",
        _vecdot,
        "IFCB",
        lambda e, shape: (e.small(shape), e.small(shape, 1)),
        axis="axis",
        ranks=((7,), (2, 3, 4, 5), (2, 1, 2, 3, 2)),
        empty=((0,), (2, 0, 3)),
        long=((131_075,), (70, 131)),
        special="",
    ),
    Model(
        "vecdot",
        _vecdot,
        "I",
        lambda e, shape: (e.any(shape), e.any(shape, 1)),
        ranks=((3, 40),),
        empty=(),
        long=((40, 70),),
        special="I",
    ),
    Model(
        "cross",
        _cross,
        "IFC",
        lambda e, shape: (e.small(shape), e.small(shape, 1)),
        axis="axis",
        sensible=lambda shape, options: shape[options.get("axis", -1)] == 3,
        shape=(2, 4, 3),
        ranks=((3,), (2, 3), (3, 3, 3, 3), (2, 1, 2, 4, 3)),
        empty=((0, 3),),
        long=((40_003, 3), (3, 1009)),
        special="",
    ),
    Model(
        "tensordot",
        _tensordot,
        "IFCB",
        _met,
        choices={"axes": _MEETING},
        ranks=(),
        empty=(),
        long=((3, 4, 5),),
        special="",
    ),
    Model(
        "tensordot",
        _tensordot,
        "IFCB",
        _met_alone,
        constant={"axes": 1},
        ranks=((3, 4), (2, 3, 2, 4)),
        empty=((3, 0),),
        long=((70, 131),),
        special="",
    ),
    Model(
        "outer",
        _of(np.outer),
        "IFCB",
        lambda e, shape: (e.small(shape), e.small((5,), 1)),
        shape=(4,),
        ranks=((1,), (7,)),
        empty=((0,),),
        long=((26_215,),),
        special="",
    ),
    Model(
        "outer",
        _of(np.outer),
        "I",
        lambda e, shape: (e.any(shape), e.any((5,), 1)),
        shape=(4,),
        ranks=((30,),),
        empty=(),
        long=((300,),),
        special="",
    ),
    *(_terms(terms, shapes) for terms, shapes in _TERMS),
    _long_terms("ij,jk->ik", ((129, 130), (130, 131))),
    _long_terms("bij,bjk->bki", ((5, 33, 65), (5, 65, 40))),
    _long_terms("ij->ji", ((1225, 107),)),
    *(
        Model(
            "linear",
            _linear,
            "IFC",
            _features(bias),
            shape=(2, 3, 4),
            ranks=_FEATURES,
            empty=((0, 3), (3, 0)),
            long=((129, 130),),
            special="",
        )
        for bias in ("none", "vector", "number")
    ),
    *(
        Model(
            "linear",
            _linear,
            "F",
            operands,
            shape=(4, 6),
            ranks=((2, 3, 4),),
            empty=(),
            long=((130, 70),),
            special="",
            arranged=False,
        )
        for operands in (_linear_strange, _linear_bias)
    ),
    *(
        Model(
            "bilinear",
            _bilinear,
            "IFC",
            _pairs_of_features(bias),
            shape=(2, 3, 4),
            ranks=_FEATURES,
            empty=((0, 3),),
            long=((40, 65),),
            special="",
        )
        for bias in ("none", "vector", "number")
    ),
    Model(
        "matrix_power",
        _matrix_power,
        "IFC",
        _signs,
        choices={"n": (2, 0, 1, 3, 5, 7)},
        by_place=("n",),
        shape=(2, 3, 3),
        ranks=((1, 1), (3, 3), (2, 1, 3, 3), (2, 1, 2, 3, 3)),
        empty=((0, 0), (0, 2, 2)),
        long=((66, 66),),
        special="",
    ),
)
