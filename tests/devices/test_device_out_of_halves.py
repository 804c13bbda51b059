"""On a device, results of float16 and bfloat16 operands in `out` of another type are rounded once, as on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from placing import here, sz, there

from suanzi import Tensor, nn

pytestmark = pytest.mark.one_level

DRAWN = np.random.default_rng(7)
ROWS = DRAWN.uniform(0.9, 1.1, (6, 20))
IMAGES = DRAWN.uniform(0.5, 2, (2, 4, 6, 6))
KERNEL = DRAWN.uniform(0.5, 2, (4, 4, 3, 3))
POINTS = sz.tensor(DRAWN.uniform(-1, 1, (2, 3, 3, 2)), dtype="float32")
BOXES = sz.tensor([[0.3, 0.2, 4.7, 5.1], [1.0, 1.0, 3.3, 4.4]])
INDEX = sz.tensor(DRAWN.integers(0, 6, (9, 20)))
TUPLES = sz.tensor(DRAWN.integers(0, 6, (9, 1)))
UPDATES = DRAWN.uniform(0.9, 1.1, (9, 20))
CODES = sz.tensor(DRAWN.integers(0, 256, (5, 2, 8), dtype=np.uint8))
SCALES = sz.full((5, 2), 0.3)

# In each call, `at` makes tensors from elements, and `given` contains further parameters.
CALLS: dict[str, Callable[..., Tensor]] = {
    "add": lambda at, **given: sz.add(at(ROWS), 1 / 3, **given),
    "divide": lambda at, **given: sz.divide(at(ROWS), at(ROWS[::-1]), **given),
    "exp": lambda at, **given: sz.exp(at(ROWS), **given),
    "nextafter": lambda at, **given: sz.nextafter(at(ROWS), 2, **given),
    **{
        name: lambda at, name=name, **given: sz.reduce(at(ROWS), name, 1, **given)
        for name in ("sum", "prod", "mean", "max", "var", "std", "norm1", "norm2", "logsumexp")
    },
    "sum": lambda at, **given: sz.sum(at(ROWS), **given),
    "trace": lambda at, **given: sz.trace(at(ROWS), **given),
    "cumulative_sum": lambda at, **given: sz.cumulative_sum(at(ROWS), axis=1, **given),
    "cumulative_prod": lambda at, **given: sz.cumulative_prod(at(ROWS), axis=0, reverse=True, **given),
    "matmul": lambda at, **given: sz.matmul(at(ROWS), at(ROWS.T), **given),
    "scatter": lambda at, **given: sz.scatter(at(ROWS), at(INDEX), at(UPDATES), mode="add", **given),
    "scatter of a number": lambda at, **given: sz.scatter(at(ROWS), at(INDEX), 0.3, mode="add", **given),
    "scatter_nd": lambda at, **given: sz.scatter_nd(at(ROWS), at(TUPLES), at(UPDATES), "mul", **given),
    "conv": lambda at, **given: nn.conv(at(IMAGES), at(KERNEL), at(ROWS[0, :4]), **given),
    "conv_transpose": lambda at, **given: nn.conv_transpose(at(IMAGES), at(KERNEL), stride=2, **given),
    "avg_pool": lambda at, **given: nn.avg_pool(at(IMAGES), 3, **given),
    "lp_pool": lambda at, **given: nn.lp_pool(at(IMAGES), 3, 2, **given),
    "max_pool": lambda at, **given: nn.max_pool(at(IMAGES), 3, **given),
    "adaptive_avg_pool": lambda at, **given: nn.adaptive_avg_pool(at(IMAGES), 4, **given),
    "adaptive_max_pool": lambda at, **given: nn.adaptive_max_pool(at(IMAGES), 4, **given),
    "global_avg_pool": lambda at, **given: nn.global_avg_pool(at(IMAGES), **given),
    "global_lp_pool": lambda at, **given: nn.global_lp_pool(at(IMAGES), **given),
    "grid_sample": lambda at, **given: nn.grid_sample(at(IMAGES), at(POINTS), **given),
    "roi_align": lambda at, **given: nn.roi_align(at(IMAGES), at(BOXES), output_size=2, **given),
    "embedding": lambda at, **given: nn.embedding(at(TUPLES), at(ROWS), **given),
    "linear_packed": lambda at, **given: nn.linear_packed(at(ROWS), at(CODES), at(SCALES), **given),
    "softmax": lambda at, **given: nn.softmax(at(ROWS), **given),
    "layer_norm": lambda at, **given: nn.layer_norm(at(ROWS), 20, **given),
    "attention": lambda at, **given: nn.scaled_dot_product_attention(at(ROWS), at(ROWS), at(ROWS), **given),
}
HALVES = pytest.mark.parametrize("dtype", ["float16", "bfloat16"])


def on_cpu(dtype: str) -> Callable[[Any], Tensor]:
    return lambda x: x if isinstance(x, Tensor) else sz.tensor(x, dtype=dtype)


def on_device(dtype: str) -> Callable[[Any], Tensor]:
    return lambda x: there(on_cpu(dtype)(x))


@HALVES
@pytest.mark.parametrize("name", CALLS)
def test_results_are_those_of_the_cpu(name: str, dtype: str) -> None:
    call = CALLS[name]
    shape = call(on_cpu(dtype)).shape
    for wanted in ("float32", "float64", "complex64"):
        expected = call(on_cpu(dtype), out=sz.zeros(shape, dtype=wanted)).numpy()
        memory = sz.zeros((*shape, 2), dtype=wanted, device="gpu")
        out = memory[..., 1]
        assert call(on_device(dtype), out=out) is out
        np.testing.assert_allclose(here(out).numpy(), expected, rtol=1e-6, atol=1e-6 * abs(expected).max())


@HALVES
def test_a_named_type_rounds_first(dtype: str) -> None:
    for name in ("sum", "prod", "mean", "var", "norm2", "logsumexp", "cumulative_sum", "matmul"):
        rounded = CALLS[name](on_device(dtype))
        out = sz.zeros(rounded.shape, device="gpu")
        CALLS[name](on_device(dtype), dtype=dtype, out=out)
        assert out.tolist() == rounded.tolist()
