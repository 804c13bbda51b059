"""Tensors convert to and from the columns, chunks and pictures of pyarrow, polars, DuckDB, zarr and Pillow."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest

import suanzi
from samples import fails, shares_memory
from suanzi import InvalidArgumentError, TypeMismatchError

pytestmark = pytest.mark.one_level

TYPES = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64", "bool")


# --- pyarrow ---


@pytest.mark.parametrize("name", [*TYPES, "float16"])
def test_pyarrow_arrays(name: str) -> None:
    pa = pytest.importorskip("pyarrow")
    x = suanzi.tensor([[0, 1, 1], [1, 0, 1]], dtype=name)
    for tensor in (x, x[0], x[:, 1], x[:0]):
        array = pa.array(tensor)
        array.validate(full=True)
        assert array.to_pylist() == tensor.tolist()
        assert array.null_count == 0
        assert suanzi.tensor(array).tolist() == tensor.tolist()
        assert suanzi.tensor(array).dtype is x.dtype
        assert suanzi.tensor(array[1:]).tolist() == tensor[1:].tolist()
    if name != "bool":
        flat = x[0]
        assert shares_memory(suanzi.from_reference(pa.array(flat)), flat)


def test_pyarrow_strings_and_chunks() -> None:
    pa = pytest.importorskip("pyarrow")
    values = ["算子", "", "a much longer string than twelve bytes"]
    assert pa.array(suanzi.tensor(values)).to_pylist() == values
    for kind in (pa.string(), pa.large_string(), pa.string_view()):
        array = pa.array(["x", *values], kind)[1:]
        assert suanzi.tensor(array).tolist() == values
    chunked = pa.chunked_array([[1, 2], [3]])
    assert suanzi.tensor(chunked).tolist() == [1, 2, 3]
    with fails(InvalidArgumentError, "from_reference"):
        suanzi.from_reference(chunked)
    assert suanzi.tensor(pa.chunked_array([], pa.float32())).shape == (0,)


def test_pyarrow_types_that_are_asked_for() -> None:
    pa = pytest.importorskip("pyarrow")
    x = suanzi.tensor([[1, 2], [3, 4]], dtype="int64")
    for tensor, kind in (
        (x[0], pa.float64()),
        (x[0], pa.int8()),
        (x, pa.list_(pa.float32(), 2)),
        (suanzi.tensor(["a", "bc"]), pa.string()),
    ):
        array = pa.array(tensor, type=kind)
        assert array.type == kind
        assert array.to_pylist() == tensor.tolist()
    with fails(suanzi.OutOfRangeError, "__arrow_c_array__"):
        pa.array(x[0] * 1000, type=pa.int8())


def test_pyarrow_refusals() -> None:
    pa = pytest.importorskip("pyarrow")
    for array in (
        pa.array([1, None, 3]),
        pa.array(["a", None]),
        pa.array([True, None]),
        pa.chunked_array([[1], [None]]),
    ):
        with fails(InvalidArgumentError, "tensor") as error:
            suanzi.tensor(array)
        assert "fill_null" in str(error.value)
    assert suanzi.tensor(pa.array([1, None, 3])[2:]).tolist() == [3]
    import datetime

    for array, word in (
        (pa.array([datetime.date(2025, 1, 1)]), "int64"),
        (pa.array(["a", "a"]).dictionary_encode(), "dictionary"),
        (pa.array([[1], [2, 3]]), "fixed_size_list"),
        (pa.array([b"a"]), "bytes"),
    ):
        with fails(TypeMismatchError, "tensor") as error:
            suanzi.tensor(array)
        assert word in str(error.value)


def test_pyarrow_tables() -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": pa.array(suanzi.arange(3)), "b": suanzi.tensor(["x", "y", "z"])})
    assert suanzi.tensor(table["a"]).tolist() == [0, 1, 2]
    assert suanzi.tensor(table["b"]).tolist() == ["x", "y", "z"]
    whole = pa.table([pa.chunked_array([[1], [2]]), pa.array([3, 2**53 + 1])], names=["a", "a"])
    assert suanzi.tensor(whole).tolist() == [[1, 3], [2, 2**53 + 1]]


def test_tables_of_pyarrow_with_nulls() -> None:
    """NumPy would convert a null to NaN, and would round the integers beside the null."""
    pa = pytest.importorskip("pyarrow")
    columns = {"a": [2**53 + 1, None], "b": [3, 4]}
    twice = pa.table([pa.array([1, 2]), pa.chunked_array([[1], [None]])], names=["a", "a"])
    for table in (pa.table(columns), pa.record_batch(columns), twice):
        for given in (table, [table], (table, np.ones((2, 2)))):
            with fails(InvalidArgumentError, "tensor") as error:
                suanzi.tensor(given)
            assert "are null" in str(error.value)
    filled = pa.table({"a": [1, None]}).slice(0, 1)
    assert suanzi.tensor(filled).tolist() == [[1]]


# --- polars and DuckDB ---


def test_polars() -> None:
    pl = pytest.importorskip("polars")
    x = suanzi.tensor([[1.5, 2.5], [3.5, 4.5]])
    assert pl.Series(x[0]).to_list() == [1.5, 2.5]
    assert pl.Series(x[0]).alias("a").name == pl.Series("a", x[0].numpy()).name == "a"
    assert pl.Series(suanzi.tensor(["a", "b"])).to_list() == ["a", "b"]
    assert pl.DataFrame({"a": x[:, 0], "b": x[:, 1]}).rows() == [(1.5, 2.5), (3.5, 4.5)]
    assert pl.DataFrame(x.numpy()).shape == (2, 2)
    assert pl.from_numpy(x).rows() == pl.from_numpy(x.numpy()).rows()
    assert pl.DataFrame({"both": x}).rows() == [([1.5, 2.5],), ([3.5, 4.5],)]
    series = pl.Series([1, 2, 3])
    assert suanzi.tensor(series).tolist() == [1, 2, 3]
    assert suanzi.tensor(series).dtype is suanzi.int64
    assert suanzi.tensor(pl.Series(["a", "bc"])).tolist() == ["a", "bc"]
    assert suanzi.tensor(pl.Series([True, False])).dtype is suanzi.bool
    assert suanzi.tensor(pl.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})).tolist() == [[1, 3], [2, 4]]
    for values in ([1, None], [1.5, None], ["a", None]):
        with fails(InvalidArgumentError, "tensor"):
            suanzi.tensor(pl.Series(values))
        for frame in (pl.DataFrame({"a": values}), pl.DataFrame({"b": values, "a": values})):
            for given in (frame, [frame]):
                with fails(InvalidArgumentError, "tensor") as error:
                    suanzi.tensor(given)
                assert "1 of 2 elements" in str(error.value)
    for column in (pl.Series(["a", None], dtype=pl.Categorical), pl.Series([None, None])):
        with fails(InvalidArgumentError, "tensor") as error:
            suanzi.tensor(pl.DataFrame({"a": column}))
        assert "elements of a Series are null" in str(error.value)
    with fails(InvalidArgumentError, "numpy.add"):
        np.add(suanzi.ones((2, 1)), pl.DataFrame({"a": [1.0, None]}))
    texts = pl.DataFrame({"a": pl.Series(["a", "b"], dtype=pl.Categorical), "b": ["x", "y"]})
    assert suanzi.tensor(texts).tolist() == [["a", "x"], ["b", "y"]]


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": pa.array(suanzi.arange(4)), "b": pa.array(suanzi.tensor([1, 1, 2, 2], dtype="int32"))})
    query = "select b, sum(a) as total from numbers group by b order by b"
    with duckdb.connect() as connection:
        connection.register("numbers", table)
        columns = connection.sql(query).fetchnumpy()
    assert suanzi.tensor(columns["total"]).tolist() == [1, 5]


# --- zarr, Pillow, PyTorch, JAX ---


def test_zarr() -> None:
    zarr = pytest.importorskip("zarr")
    x = suanzi.arange(24, dtype="float32")
    array = zarr.create_array(store={}, shape=(24,), chunks=(8,), dtype="float32", fill_value=0)
    array[:] = x
    array[3:5] = suanzi.zeros(2)
    assert suanzi.tensor(array[:6]).tolist() == [0, 1, 2, 0, 0, 5]
    matrix = x.reshape(4, 6)
    whole = zarr.create_array(store={}, data=matrix)
    whole[1:3] = matrix[1:3] + 1
    whole[:] = matrix
    assert whole.dtype == np.float32
    assert suanzi.tensor(whole[:]).tolist() == zarr.array(matrix)[:].tolist() == matrix.tolist()
    for name in ("int64", "uint8", "bool", "complex64", "float64"):
        typed = suanzi.tensor([0, 1, 1, 0, 0], dtype=name)
        read = zarr.array(typed, chunks=(2,))[:]
        assert (read.dtype, read.tolist()) == (name, typed.tolist())


def test_pillow() -> None:
    image = pytest.importorskip("PIL.Image")
    pixels = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    x = suanzi.tensor(pixels)
    for tensor, array in ((x, pixels), (x[::-1, 1:], pixels[::-1, 1:]), (x[..., 0], pixels[..., 0])):
        picture = image.fromarray(tensor)
        np.testing.assert_array_equal(np.asarray(picture), array)
        assert suanzi.tensor(picture).tolist() == array.tolist()
    assert suanzi.tensor(image.fromarray(suanzi.ones((2, 2)))).dtype is suanzi.float32


def test_pytorch() -> None:
    torch = pytest.importorskip("torch")
    from torch.utils.data import DataLoader

    x = suanzi.arange(6)
    assert torch.as_tensor(x).tolist() == x.tolist()
    for found in (torch.sin(x), torch.ones(6) * x, torch.stack([x, x]), torch.nn.Linear(6, 2)(x), torch.sum(x, dim=0)):
        assert type(found) is torch.Tensor
    assert (torch.ones(6) + x).tolist() == (x + 1).tolist()
    batches = list(DataLoader(x, batch_size=4, collate_fn=suanzi.stack))
    assert [batch.tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5]]
    import_module("suanzi.interop.pytorch")
    batch = next(iter(DataLoader([(row, row[0]) for row in suanzi.ones((6, 2))], batch_size=4)))
    assert [type(part) for part in batch] == [torch.Tensor] * 2
    assert [tuple(part.shape) for part in batch] == [(4, 2), (4,)]


def test_jax() -> None:
    jnp = pytest.importorskip("jax.numpy")
    x = suanzi.tensor([0.0, 1.0])
    np.testing.assert_allclose(np.asarray(jnp.sin(jnp.asarray(x))), np.sin([0, 1]), rtol=1e-6)
    assert (jnp.ones(2) + x).tolist() == [1, 2]
