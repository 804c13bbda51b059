"""The functions that fusion.py times, in each library, and the functions' arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

ROW = 1000  # elements per row in cases that reduce rows
COORDINATES = 4  # coordinates of the points in the case of distances
Function = Callable[..., Any]


class Names:
    """The mathematical functions of a library under the names that the cases of the benchmark use."""

    def __init__(self, library: str) -> None:
        import importlib

        torch = library.startswith("torch")
        module = importlib.import_module("torch" if torch else OTHER_MODULES.get(library, library))
        self.exp, self.log, self.sqrt, self.tanh = module.exp, module.log, module.sqrt, module.tanh
        self.abs, self.sum, self.mean = module.abs, module.sum, module.mean
        self.greatest = module.amax if torch else module.max
        self.std = (lambda x: module.std(x, correction=0)) if torch else module.std
        self.last: dict[str, Any] = {"dim": -1} if torch else {"axis": -1}
        self.keep = {**self.last, "keepdim" if torch else "keepdims": True}
        special = module if torch else importlib.import_module(SPECIAL_FUNCTIONS.get(library, library))
        self.erfc = special.erfc


OTHER_MODULES = {"fused": "suanzi", "jax": "jax.numpy"}
SPECIAL_FUNCTIONS = {
    "fused": "suanzi.extras", "suanzi": "suanzi.extras", "numpy": "scipy.special", "jax": "jax.scipy.special",
}  # fmt: skip


class Case(NamedTuple):
    """A function to time: an expression that numexpr and blosc2 also accept, or a factory of the library's function."""

    what: str | Callable[[Names], Function]
    data: str = "vectors"
    moved: int = 0  # numbers read and written per element, if memory limits the case


def _black_scholes(f: Names) -> Function:
    """Return a function of spot x, strike y and maturity z for the price of a call option (Black and Scholes)."""

    def price(x: Any, y: Any, z: Any) -> Any:
        root = f.sqrt(z)
        d1 = (f.log(x / y) + 0.05 * z) / (0.2 * root)
        d2 = d1 - 0.2 * root
        return 0.5 * (x * f.erfc(d1 * -(0.5**0.5)) - y * f.exp(-0.03 * z) * f.erfc(d2 * -(0.5**0.5)))

    return price


def _softmax(f: Names) -> Function:
    def softmax(x: Any) -> Any:
        e = f.exp(x - f.greatest(x, **f.keep))
        return e / f.sum(e, **f.keep)

    return softmax


def _layer_norm(f: Names) -> Function:
    def layer_norm(x: Any) -> Any:
        d = x - f.mean(x, **f.keep)
        return d / f.sqrt(f.mean(d * d, **f.keep) + 1e-5)

    return layer_norm


def _standardised(f: Names) -> Function:
    return lambda x: (x - f.mean(x)) / f.std(x)


def _sum_of_exp(f: Names) -> Function:
    return lambda x: f.sum(f.exp(x))


def _kernel_sums(f: Names) -> Function:
    def kernel_sums(x: Any, y: Any) -> Any:
        d = x[:, None] - y[None, :]
        return f.sum(f.exp(-d * d), **f.last)

    return kernel_sums


def _squared_distances(f: Names) -> Function:
    def distances(x: Any, y: Any) -> Any:
        d = x[:, None, :] - y[None, :, :]
        return f.sum(d * d, **f.last)

    return distances


CASES = {
    "a*x + b": Case("2.0 * x + y", moved=3),
    "a + b + c": Case("x + y + z", moved=4),
    "polynomial of 20": Case("+".join(["0.5"] + [f"{1 / (k + 1):.6f}" + "*x" * k for k in range(1, 6)]), moved=2),
    "abs of complex": Case("abs(x)", "complex", moved=3),
    "abs of x + iy": Case("sqrt(x * x + y * y)", moved=3),
    "Black-Scholes d1": Case("(log(x / y) + (0.03 + 0.02) * z) / (0.2 * sqrt(z))"),
    "Black-Scholes call": Case(_black_scholes),
    "GELU by tanh": Case("0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)))"),
    "logistic": Case("1.0 / (1.0 + exp(-x))"),
    "softmax": Case(_softmax, "rows"),
    "layer norm": Case(_layer_norm, "rows"),
    "standardise": Case(_standardised),
    "sum of exp": Case(_sum_of_exp),
    "kernel sums": Case(_kernel_sums, "products"),
    "squared distances": Case(_squared_distances, "points"),
}


def arrays_of(library: str, case: str, size: int, dtype: str, threads: int) -> list[Any]:
    """Return a case's operands as arrays of the library, so large that the function computes about `size` elements."""
    import numpy as np

    numbers = np.random.default_rng(0)
    data, root = CASES[case].data, int(size**0.5)
    shapes = {"rows": (-(-size // ROW), ROW), "products": (root,), "points": (root, COORDINATES)}
    arrays = [numbers.uniform(0.5, 2, shapes.get(data, (size,))).astype(dtype) for _ in range(3)]
    if data == "complex":
        arrays = [(arrays[0] + 1j * arrays[1]).astype({"float32": "complex64", "float64": "complex128"}[dtype])]
    used = _operands(case)
    return [_converted(library, array, threads) for array in arrays[:used]]


def _operands(case: str) -> int:
    what = CASES[case].what
    if not isinstance(what, str):
        return 3 if case == "Black-Scholes call" else 2 if CASES[case].data in ("products", "points") else 1
    return max(k for k, name in enumerate("xyz", 1) if name in what.replace("exp", ""))


def _converted(library: str, array: Any, threads: int) -> Any:
    if library in ("fused", "suanzi"):
        import suanzi

        return suanzi.tensor(array)
    if library.startswith("torch"):
        import torch

        torch.set_num_threads(threads)
        return torch.from_numpy(array)
    if library == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
        return jax.numpy.asarray(array)
    return array


def function_of(library: str, case: str) -> Function | None:
    """Return a case's function for a library, not yet compiled, or None if the library cannot express the function."""
    what = CASES[case].what
    if library in ("numexpr", "blosc2"):
        return _of_text(library, what) if isinstance(what, str) else None
    names = Names(library)
    if isinstance(what, str):
        variables = "xyz"[: _operands(case)]
        function: Function = eval(f"lambda {', '.join(variables)}: {what}", vars(names))
    else:
        function = what(names)
    if library == "fused":
        import suanzi

        return suanzi.fuse(function)
    if library == "torch.compile":
        import torch

        torch._dynamo.reset()  # without a reset, PyTorch would compile the next size for all sizes
        return torch.compile(function, dynamic=False)
    if library == "jax":
        import jax

        compiled = jax.jit(function)
        return lambda *arrays: compiled(*arrays).block_until_ready()
    return function


def _of_text(library: str, text: str) -> Function:
    import importlib

    module = importlib.import_module(library)
    if library == "numexpr":
        return lambda *arrays: module.evaluate(text, local_dict=dict(zip("xyz", arrays, strict=False)))
    return lambda *arrays: module.lazyexpr(text, dict(zip("xyz", arrays, strict=False)))[()]
