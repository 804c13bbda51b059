"""The core's functions for sparse tensors refuse values, patterns and options that do not fit each other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from sparse_cases import random_parts

import suanzi
from suanzi import DimensionsMismatchError, OutOfRangeError, TypeMismatchError, UninitializedObjectError, _core

COO, CSR = random_parts((4, 5), 9).coo().coalesce(), random_parts((4, 5), 9).coo().to_csr()
LOOSE = random_parts((4, 5), 60).coo()  # a pattern that is not canonical
TRANSPOSE = "transpose"  # the public name in the errors of `sparse_permute`
INDEX = suanzi.zeros((1,), dtype="int64")
# Valid arguments of each function of the core. The values of a tensor come after the tensor's pattern.
CALLS: dict[str, list[Any]] = {
    "sparse_values": [COO.pattern, COO.values],
    "sparse_coalesce": [LOOSE.pattern, LOOSE.values],
    "sparse_to_rows": [COO.pattern, COO.values],
    "sparse_permute": [TRANSPOSE, COO.pattern, COO.values, (1, 0)],
    "sparse_slice": [COO.pattern, COO.values, (0, 0), (1, 1), (2, 2)],
    "sparse_select": [COO.pattern, COO.values, INDEX, 0],
    "sparse_merge": [COO.pattern, COO.values, COO.pattern, COO.values, True],
    "sparse_to_dense": [COO.pattern, COO.values],
    "sparse_fold": ["sum", CSR.pattern, CSR.values, (0,)],
    "sparse_times_dense": [CSR.pattern, CSR.values, suanzi.ones(5)],
    "sparse_times_sparse": [CSR.pattern, CSR.values, CSR.T.pattern, CSR.T.values],
    "sparse_join": [(CSR.pattern, CSR.pattern), suanzi.ones(2 * CSR.nnz), 1],
    "sparse_gather": [COO.pattern, suanzi.ones((4, 5))],
    "sparse_reshape": [COO.pattern, (20,)],
    "sparse_to_coordinates": [CSR.pattern],
}
WITHOUT_VALUES = {"sparse_fold", "sparse_join", "sparse_gather", "sparse_reshape", "sparse_to_coordinates"}
WITH_VALUES = [name for name in CALLS if name not in WITHOUT_VALUES]  # the values come after the pattern


def call(name: str, arguments: list[Any]) -> Any:
    function: Callable[..., Any] = getattr(_core, name)
    return function(*arguments)


def test_every_function_is_here() -> None:
    makers = {"sparse_coordinates", "sparse_rows", "sparse_from_dense"}
    assert {name for name in dir(_core) if name.startswith("sparse_")} == set(CALLS) | makers


@pytest.mark.parametrize("name", CALLS)
def test_arguments_of_other_kinds(name: str) -> None:
    call(name, CALLS[name])
    for i in range(len(CALLS[name])):
        for stranger in (None, "a", COO, 1.5j, object()):
            if (stranger is None and name == "sparse_fold") or (stranger == "a" and CALLS[name][i] is TRANSPOSE):
                continue
            with pytest.raises((TypeMismatchError, TypeError)):
                call(name, [stranger if k == i else x for k, x in enumerate(CALLS[name])])


@pytest.mark.parametrize("name", WITH_VALUES)
def test_values_of_another_length(name: str) -> None:
    at = 2 if isinstance(CALLS[name][0], str) else 1
    for n in (0, 1, 8, 61):
        with pytest.raises(DimensionsMismatchError):
            call(name, [suanzi.ones(n) if i == at else x for i, x in enumerate(CALLS[name])])


def test_joins_of_other_patterns_and_values() -> None:
    pair = (CSR.pattern, CSR.pattern)
    with pytest.raises(DimensionsMismatchError):
        _core.sparse_join(pair, suanzi.ones(2 * CSR.nnz + 1), 0)
    for other in (CSR.T.pattern, COO.pattern):
        with pytest.raises(DimensionsMismatchError):
            _core.sparse_join((CSR.pattern, other), suanzi.ones(2 * CSR.nnz), 0)
    with pytest.raises(OutOfRangeError):
        _core.sparse_join(pair, suanzi.ones(2 * CSR.nnz), 2)
    with pytest.raises(TypeMismatchError):
        _core.sparse_join((), suanzi.ones(0), 0)


def test_folds_of_other_values() -> None:
    with pytest.raises(DimensionsMismatchError):
        _core.sparse_fold("sum", CSR.pattern, suanzi.ones(1), (0,))
    with pytest.raises(TypeMismatchError):
        _core.sparse_fold("max", CSR.pattern, suanzi.astype(CSR.values, "complex64"), (0,))
    for name in ("mean", "any"):
        with pytest.raises(TypeMismatchError):
            _core.sparse_fold(name, CSR.pattern, CSR.values, (0,))
    with pytest.raises(OutOfRangeError):
        _core.sparse_fold("sum", CSR.pattern, CSR.values, (2,))


def test_values_that_have_been_destroyed() -> None:
    x = suanzi.ones(COO.nnz)
    suanzi.destroy(x)
    with pytest.raises(UninitializedObjectError):
        _core.sparse_to_dense(COO.pattern, x)
    COO.values.destroy()  # `values` is a view, so the tensor's own values remain
    assert COO.to_dense().shape == (4, 5)


def test_patterns_that_do_not_fit_each_other() -> None:
    with pytest.raises(TypeMismatchError):
        _core.sparse_merge(COO.pattern, COO.values, LOOSE.pattern, LOOSE.values, True)
    with pytest.raises(TypeMismatchError):
        _core.sparse_merge(COO.pattern, COO.values, CSR.pattern, CSR.values, True)
    with pytest.raises(DimensionsMismatchError):
        _core.sparse_merge(CSR.pattern, CSR.values, CSR.T.pattern, CSR.T.values, True)
    with pytest.raises(DimensionsMismatchError):
        _core.sparse_times_sparse(CSR.pattern, CSR.values, CSR.pattern, CSR.values)
    with pytest.raises(TypeMismatchError):
        _core.sparse_times_dense(COO.pattern, COO.values, suanzi.ones(5))


@pytest.mark.parametrize(
    ("start", "step", "count"),
    [
        ((4, 0), (1, 1), (1, 1)),
        ((-1, 0), (1, 1), (1, 1)),
        ((0, 0), (0, 1), (2, 1)),
        ((0, 0), (1, 1), (5, 1)),
        ((0, 0), (1, 1), (-1, 1)),
        ((3, 0), (-2, 1), (3, 1)),
        ((0, 0), (2**62, 1), (2**62, 1)),
    ],
)
def test_slices_that_leave_the_shape(start: Any, step: Any, count: Any) -> None:
    for x in (COO, CSR):
        with pytest.raises(OutOfRangeError):
            _core.sparse_slice(x.pattern, x.values, start, step, count)


def test_patterns_cannot_be_forged() -> None:
    with pytest.raises(TypeError):
        _core.Pattern()
    for forge in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            forge(COO.pattern)
    with pytest.raises(AttributeError):
        COO.pattern.shape = (1, 1)  # type: ignore[misc]
