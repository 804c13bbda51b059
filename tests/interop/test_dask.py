"""Functions of Dask arrays return the same results for chunks that are tensors as for NumPy arrays as chunks.

The random arrays of Dask equal the tensors of Suanzi's functions."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np
import pytest
from dask.base import tokenize
from dask.sizeof import sizeof

import suanzi
from samples import NAMES
from suanzi import InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError
from suanzi.interop import dask as chunked

pytestmark = pytest.mark.one_level

ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(7)
SEED = 0x243F6A8885A308D3


def of_tensors(x: Any, chunks: Any = 2) -> Any:
    """Return a Dask array whose chunks are tensors with the elements of an array."""
    return da.from_array(suanzi.from_reference(np.ascontiguousarray(x)), chunks=chunks)


def checked(result: Any) -> np.ndarray[Any, Any]:
    """Check that the declared and the actual chunks of a Dask array are tensors, and return the elements."""
    assert type(result._meta) is Tensor
    found = result.compute(scheduler="sync")
    assert type(found) is Tensor
    assert found.dtype == result.dtype
    assert result.shape == found.shape or any(np.isnan(size) for size in result.shape)
    array = found.numpy()
    return np.asarray(array, np.float64 if found.dtype is suanzi.bfloat16 else None)


MATRIX = RNG.standard_normal((6, 8))
FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "arithmetic": lambda x, xp: (x + 1) * x - x / 3,
    "beside an array": lambda x, xp: x + np.arange(8.0),
    "sin": lambda x, xp: xp.sin(x),
    "exp": lambda x, xp: xp.exp(x),
    "comparison": lambda x, xp: x > 0.5,
    "where": lambda x, xp: xp.where(x > 0, x, -1),
    "clip": lambda x, xp: xp.clip(x, -1, 1),
    "astype": lambda x, xp: x.astype("float32"),
    "nan_to_num": lambda x, xp: xp.nan_to_num(xp.log(x)),
    "sinc": lambda x, xp: xp.sinc(x),
    "sum": lambda x, xp: x.sum(),
    "sum of rows": lambda x, xp: x.sum(axis=1),
    "mean": lambda x, xp: x.mean(axis=0),
    "std": lambda x, xp: x.std(axis=0, ddof=1),
    "var": lambda x, xp: x.var(),
    "prod": lambda x, xp: x.prod(axis=0),
    "max": lambda x, xp: x.max(axis=1),
    "all": lambda x, xp: (x > -9).all(),
    "argmax": lambda x, xp: x.argmax(axis=0),
    "argmin of all": lambda x, xp: x.argmin(),
    "nansum": lambda x, xp: xp.nansum(xp.log(x), axis=0),
    "nanmean": lambda x, xp: xp.nanmean(xp.log(x), axis=0),
    "median": lambda x, xp: xp.median(x, axis=0),
    "cumsum": lambda x, xp: x.cumsum(axis=0),
    "cumprod": lambda x, xp: x.cumprod(axis=1),
    "diff": lambda x, xp: xp.diff(x, axis=1),
    "slices": lambda x, xp: x[1:5, ::-2],
    "an index": lambda x, xp: x[2],
    "a list": lambda x, xp: x[[4, 0, 1]],
    "a mask of rows": lambda x, xp: x[np.arange(6) % 2 == 0],
    "take": lambda x, xp: xp.take(x, [3, 3, 0], axis=1),
    "concatenate": lambda x, xp: xp.concatenate([x, x], axis=1),
    "stack": lambda x, xp: xp.stack([x, x], axis=1),
    "transpose": lambda x, xp: x.T,
    "swapaxes": lambda x, xp: xp.swapaxes(x[None], 0, 2),
    "reshape": lambda x, xp: x.reshape(3, 2, 8),
    "ravel": lambda x, xp: x.ravel(),
    "roll": lambda x, xp: xp.roll(x, 3, axis=1),
    "pad": lambda x, xp: xp.pad(x, 2, mode="linear_ramp"),
    "tril": lambda x, xp: xp.tril(x),
    "diagonal": lambda x, xp: xp.diagonal(x),
    "diag": lambda x, xp: xp.diag(x[0]),
    "matmul": lambda x, xp: x @ x.T,
    "tensordot": lambda x, xp: xp.tensordot(x, x, axes=((0,), (0,))),
    "einsum": lambda x, xp: xp.einsum("ij,kj->ik", x, x),
    "outer": lambda x, xp: xp.outer(x[0], x[1]),
    "cov": lambda x, xp: xp.cov(x),
    "norm": lambda x, xp: xp.linalg.norm(x),
    "digitize": lambda x, xp: xp.digitize(x, np.array([-1.0, 0.0, 1.0])),
    "isclose": lambda x, xp: xp.isclose(x, x + 1e-12),
    "unique": lambda x, xp: xp.unique(xp.round(x)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name: str) -> None:
    with np.errstate(invalid="ignore"):
        expected = np.asarray(FUNCTIONS[name](MATRIX, np))
    found = checked(FUNCTIONS[name](of_tensors(MATRIX, (2, 3)), da))
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_largest() -> None:
    x = of_tensors(MATRIX, (2, 3))
    assert np.array_equal(checked(da.topk(x, 2, axis=0)), -np.sort(-MATRIX, axis=0)[:2])
    assert np.array_equal(checked(da.argtopk(x, -2, axis=1)), np.argsort(MATRIX, axis=1)[:, :2])


def test_percentile() -> None:
    row = MATRIX.ravel()
    assert np.array_equal(
        checked(da.percentile(of_tensors(row, 48), [0, 25, 50, 100])), np.percentile(row, [0, 25, 50, 100])
    )
    ends = checked(da.percentile(of_tensors(row, 12), [0, 100]))  # Dask's percentiles between the ends are approximate
    assert np.array_equal(ends, [row.min(), row.max()])


def test_chunks_of_ones_own() -> None:
    x = of_tensors(MATRIX, (2, 3))
    assert np.array_equal(checked(x.map_blocks(lambda block: block * 2)), MATRIX * 2)
    assert np.array_equal(checked(x.rechunk((3, 4)) + x), MATRIX * 2)
    smoothed = x.map_overlap(lambda b: b[:, 1:-1] + b[:, 2:], depth=(0, 1), boundary=0, trim=False, dtype=x.dtype)
    assert np.array_equal(checked(smoothed), MATRIX + np.pad(MATRIX, ((0, 0), (0, 1)))[:, 1:])


@pytest.mark.parametrize(
    "function",
    [lambda x, xp: xp.fft.rfft(x), lambda x, xp: xp.fft.fft2(x), lambda x, xp: x[x > 0], lambda x, xp: x[x > 99]],
)
def test_kinds_that_dask_does_not_foresee(function: Callable[[Any, Any], Any]) -> None:
    """Some functions return tensors although Dask declares NumPy arrays for chunks of any class."""
    found = function(of_tensors(MATRIX, (6, 8)), da).compute()
    assert type(found) is Tensor
    assert np.allclose(found.numpy(), function(MATRIX, np))


def test_factors() -> None:
    tall = of_tensors(MATRIX.T, (3, 6))
    q, r = da.linalg.qr(tall)
    assert np.allclose(checked(q) @ checked(r), MATRIX.T)
    u, s, v = da.linalg.svd(tall)
    assert np.allclose(checked(u) * checked(s) @ checked(v), MATRIX.T)
    assert np.allclose(checked(s), np.linalg.svd(MATRIX.T)[1])
    b = of_tensors(np.arange(8.0), 3)
    solution, *_ = da.linalg.lstsq(tall, b)  # the last step, SciPy's triangular solver, returns an array
    assert np.allclose(np.asarray(solution.compute()), np.linalg.lstsq(MATRIX.T, np.arange(8.0))[0])
    symmetric = MATRIX @ MATRIX.T + 6 * np.eye(6)
    assert np.allclose(
        np.asarray(da.linalg.cholesky(of_tensors(symmetric, 3), lower=True)), np.linalg.cholesky(symmetric)
    )


@pytest.mark.parametrize("name", [name for name in NAMES if name != "string"])
def test_element_types(name: str) -> None:
    x = suanzi.astype(suanzi.uniform((5, 4), 0, 9, seed=3, dtype="float32"), name)
    wide = np.asarray(x.numpy(), np.complex128 if name.startswith("complex") else np.float64)
    d = da.from_array(x, chunks=(2, 3))
    assert type(d._meta) is Tensor
    assert d.dtype == x.dtype
    assert np.array_equal(checked(d), np.asarray(x.numpy(), checked(d).dtype))
    assert np.array_equal(checked(da.concatenate([d, d])[::2]), np.concatenate([wide, wide])[::2])
    if name != "bool":
        assert np.array_equal(checked(d.T * 1), wide.T)
        assert np.allclose(np.asarray(d.sum().compute().numpy(), wide.dtype), wide.sum(), rtol=1e-2)


def test_bfloat16() -> None:
    x = da.from_array(suanzi.tensor([[1.5, 2.5], [3.0, -4.0]], dtype="bfloat16"), chunks=1)
    assert checked(x @ x + 1).tolist() == [[10.75, -5.25], [-6.5, 24.5]]
    assert x.sum(axis=0).compute().dtype is suanzi.bfloat16
    assert checked(x.mean()).tolist() == 0.75


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), ()])
def test_empty_and_of_rank_0(shape: tuple[int, ...]) -> None:
    array = np.zeros(shape)
    x = da.from_array(suanzi.from_reference(array))
    assert checked(x + 1).shape == shape
    assert checked(x.sum()) == 0
    assert (
        checked(da.concatenate([x, x], axis=0) if shape else x).shape
        == (np.concatenate([array, array]) if shape else array).shape
    )


def test_tensors_beside_dask_arrays() -> None:
    x = da.ones((2, 3), chunks=1)
    t = suanzi.tensor([1.0, 2.0, 3.0], dtype="float64")
    for sum_of_both in (x + t, t + x):
        assert isinstance(sum_of_both, da.Array)
        assert sum_of_both.compute().tolist() == [[2, 3, 4]] * 2


def test_assignment() -> None:
    x, expected = of_tensors(MATRIX, (2, 3)), MATRIX.copy()
    x[1, 2:5] = 7
    x[x < -1] = 0
    expected[1, 2:5] = 7
    expected[expected < -1] = 0
    assert np.array_equal(checked(x), expected)


def test_backend() -> None:
    with dask.config.set({"array.backend": "suanzi"}):
        assert checked(da.ones((3, 3), chunks=2)).tolist() == [[1] * 3] * 3
        assert checked(da.zeros(3, dtype="int32")).dtype == np.int32
        assert checked(da.full((2, 2), 7, chunks=1)).tolist() == [[7, 7], [7, 7]]
        assert checked(da.arange(5, chunks=2)).tolist() == [0, 1, 2, 3, 4]
        assert checked(da.empty((2, 3))).shape == (2, 3)
        ours = checked(da.random.RandomState(5).uniform(size=4, chunks=2))
        moved = da.from_array(MATRIX, chunks=3).to_backend()
    assert np.array_equal(ours, da.random.RandomState(5).uniform(size=4, chunks=2).compute())
    assert np.array_equal(checked(moved), MATRIX)
    assert type(moved.to_backend("numpy").compute()) is np.ndarray


# --- random arrays ---

CHUNKS = [-1, (7, -1), (3, -1), ((1, 9, 10, 3), -1), (5, 2)]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "string"])
@pytest.mark.parametrize("chunks", CHUNKS)
def test_uniform_is_that_of_one_process(name: str, chunks: Any) -> None:
    for bounds in ((None, None), (0, 1), (-100, 100) if name[0] not in "bu" else (0, 1)):
        whole = suanzi.uniform((23, 3), *bounds, SEED, dtype=name)
        drawn = chunked.uniform((23, 3), *bounds, SEED, dtype=name, chunks=chunks)
        assert checked(drawn).shape == (23, 3)
        assert drawn.dtype == whole.dtype
        assert drawn.compute().numpy().tobytes() == whole.numpy().tobytes()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("chunks", CHUNKS)
def test_normal_is_that_of_one_process(name: str, chunks: Any) -> None:
    whole = suanzi.normal((23, 3), 1.25, 3, SEED, dtype=name)
    drawn = chunked.normal((23, 3), 1.25, 3, SEED, dtype=name, chunks=chunks)
    assert type(drawn._meta) is Tensor
    assert drawn.compute().numpy().tobytes() == whole.numpy().tobytes()


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("chunks", CHUNKS)
def test_bernoulli_is_that_of_one_process(name: str, chunks: Any) -> None:
    p = suanzi.uniform((23, 3), 0, 1, 5, dtype=name)
    p[0, 0], p[1, 1] = 0, 1
    drawn = chunked.bernoulli(da.from_array(p, chunks=chunks), SEED)
    assert drawn.compute().numpy().tobytes() == suanzi.bernoulli(p, SEED).numpy().tobytes()


def test_a_seed_of_the_systems_is_one_for_all_chunks() -> None:
    x = chunked.uniform(10, 0, 1, chunks=5)
    assert np.array_equal(checked(x), checked(x))
    assert not np.array_equal(checked(x), checked(chunked.uniform(10, 0, 1, chunks=5)))
    assert checked(chunked.normal((), seed=3)) == suanzi.normal((), seed=3).numpy()
    assert checked(chunked.normal((0, 3), seed=3)).shape == (0, 3)


def test_refusals() -> None:
    with pytest.raises(InvalidArgumentError, match=r"^uniform: low = 2 is greater than high = 1"):
        chunked.uniform(3, 2, 1)
    with pytest.raises(TypeMismatchError, match=r"^normal: element type int32"):
        chunked.normal(3, dtype="int32")
    with pytest.raises(TypeMismatchError, match=r"^bernoulli: element type int32"):
        chunked.bernoulli(suanzi.zeros(3, dtype="int32"))
    with pytest.raises(OutOfRangeError, match=r"^uniform: seed"):
        chunked.uniform(3, seed=-1)


# --- between processes ---


@pytest.mark.parametrize("name", NAMES)
def test_pickles(name: str) -> None:
    """Every protocol pickles tensors of every type and layout. Protocol 5 copies no bytes, except for strings."""
    text = suanzi.tensor([["a", "深"], ["", "bcd"], ["e", "f"]])
    x = text if name == "string" else suanzi.astype(suanzi.uniform((3, 2), 0, 9, seed=3, dtype="float32"), name)
    for tensor in (x, x.T, x[::-1, 1:], x[0, 0], x[:0], suanzi.permute_dims(x[None], (2, 0, 1))):
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            buffers: list[pickle.PickleBuffer] = []
            beside = buffers.append if protocol >= 5 else None
            found = pickle.loads(pickle.dumps(tensor, protocol, buffer_callback=beside), buffers=buffers)
            assert type(found) is Tensor
            assert (found.dtype, found.shape, found.tolist()) == (tensor.dtype, tensor.shape, tensor.tolist())
            assert len(buffers) == (protocol >= 5 and name != "string")


def test_names_of_chunks_are_those_of_their_contents() -> None:
    x = suanzi.arange(6)
    assert tokenize(x) == tokenize(suanzi.arange(6)) == tokenize(pickle.loads(pickle.dumps(x)))
    others = [x + 1, x.astype("float64"), x.reshape(2, 3), x.reshape(2, 3).T, suanzi.arange(6, dtype="int32")]
    strings = [suanzi.tensor(["a", "b"]), suanzi.tensor(["ab", ""])]
    assert len({tokenize(y) for y in (x, *others, *strings)}) == 8
    assert tokenize(strings[0]) == tokenize(suanzi.tensor(["a", "b"]))


def test_size() -> None:
    assert sizeof(suanzi.zeros((10, 10))) == 400


def fresh(code: str, *paths: Path) -> str:
    """Return the output of code in a new interpreter, which searches the given folders before Suanzi's folder."""
    source = Path(suanzi.__file__).parents[1]
    setup = f"import sys; sys.path[:0] = {[str(p) for p in (*paths, source)]!r}\n"
    done = subprocess.run([sys.executable, "-c", setup + code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def entry_points() -> dict[str, dict[str, str]]:
    project: dict[str, dict[str, str]] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups: Any = project["entry-points"]
    return {group: found for group, found in groups.items() if group.startswith("dask")}


def test_dask_finds_all_by_itself(tmp_path: Path) -> None:
    """Dask finds the package by the entry points of its installation, without an import by the user."""
    record = tmp_path / "registered-1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: registered\nVersion: 1\n", "utf-8")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {where}\n" for name, where in names.items())
        for group, names in entry_points().items()
    ]
    (record / "entry_points.txt").write_text("\n".join(lines), "utf-8")
    made = (
        "import dask, dask.array as da\n"
        "with dask.config.set({'array.backend': 'suanzi'}): print(type(da.ones(3).compute()))"
    )
    assert "suanzi.Tensor" in fresh(made, tmp_path)
    sized = (
        "import dask.sizeof, suanzi\nbefore = 'suanzi.interop.dask' in sys.modules\n"
        "print(before, dask.sizeof.sizeof(suanzi.zeros(100)), 'suanzi.interop.dask' in sys.modules)"
    )
    assert fresh(sized, tmp_path).split() == ["False", "400", "True"]
    by_name = (
        "import dask.array as da, suanzi\nx = da.from_array(suanzi.zeros(4), chunks=2)\n"
        "print(type((x + suanzi.ones(4)).compute()), type((da.ones(4) + suanzi.ones(4))._meta))"
    )
    assert fresh(by_name).count("suanzi.Tensor") == 2


def test_entry_points_exist() -> None:
    for group in entry_points().values():
        for where in group.values():
            module, _, name = where.partition(":")
            assert callable(getattr(import_module(module), name))


def test_without_dask_the_extra_is_named() -> None:
    code = (
        "sys.modules['dask'] = None\nimport suanzi\n"
        "try:\n    import suanzi.interop.dask\nexcept ImportError as error:\n    print(error)"
    )
    assert fresh(code) == "suanzi.interop.dask: the package dask is missing; pip install 'suanzi[dask]'\n"


@pytest.mark.parametrize(("limit", "bound"), [("'400MB'", 100_000_000), ("0", None)])
def test_workers_keep_their_share_of_memory_alone(limit: str, bound: int | None) -> None:
    """The cache limit is an eighth of the memory limits of a process's workers, and at most the limit without Dask."""
    code = f"""
import distributed
from suanzi import memory
before = memory.statistics()["cache_limit"]
made = dict(n_workers=2, processes=False, threads_per_worker=1, memory_limit={limit}, dashboard_address=":0")
with distributed.LocalCluster(**made):
    import suanzi.interop.dask
    print(before, memory.statistics()["cache_limit"])
"""
    before, after = map(int, fresh(code).split())
    assert after == (before if bound is None else min(bound, before))


def test_a_bound_in_the_environment_holds_for_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUANZI_CACHE_LIMIT", "1000000000")
    test_workers_keep_their_share_of_memory_alone("'400MB'", 1_000_000_000)
