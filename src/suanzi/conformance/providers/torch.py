"""PyTorch as a provider."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from suanzi.conformance.oracle.element_types import ELEMENT_TYPES, Array
from suanzi.conformance.provider import BlockedError
from suanzi.conformance.providers.library import Function, Library, without_defaults
from suanzi.operators.catalogue import CATALOGUE

# Functions that have the name of an operator and do something else.
_OTHERS = ("scatter", "multinomial")
_REDUCTIONS = {"sum": torch.sum, "mean": torch.mean, "max": torch.amax, "min": torch.amin, "logsumexp": torch.logsumexp}
_TRUTH = {"all": torch.all, "any": torch.any}
_SPREADS = {"var": torch.var, "std": torch.std}
_NORMS = {"norm1": 1, "norm2": 2}


class Torch(Library):
    """PyTorch, on the processor or on another device that it names."""

    name = "torch"
    element_types = frozenset(ELEMENT_TYPES)

    def __init__(self, device: str = "cpu") -> None:
        self.device = torch.device(device)
        self.operators = {
            **{name: getattr(torch, name) for name in CATALOGUE if hasattr(torch, name) and name not in _OTHERS},
            **self._creation(),
            **_transformation(),
            **_computation(),
            **_algebra(),
        }

    def version(self) -> str:
        return str(torch.__version__)

    def set_threads(self, count: int) -> None:
        torch.set_num_threads(count)

    def element_type(self, name: str) -> Any:
        return getattr(torch, name)

    def from_numpy(self, array: Array) -> Any:
        if array.dtype.name == "bfloat16":
            return torch.from_numpy(array.astype(np.float32)).to(torch.bfloat16).to(self.device)
        positive = array if all(stride >= 0 for stride in array.strides) else array.copy()
        return torch.from_numpy(np.array(positive, order="K")).to(self.device)

    def to_numpy(self, tensor: Any) -> Array:
        here = tensor.detach().cpu().resolve_conj().resolve_neg()
        if here.dtype is torch.bfloat16:
            return np.asarray(here.float().numpy().astype(ELEMENT_TYPES["bfloat16"].numpy))
        return np.asarray(here.numpy())

    def order(self, tensor: Any) -> tuple[int, ...]:
        return tuple(sorted(range(tensor.ndim), key=lambda axis: (tensor.stride()[axis], -axis)))

    def _creation(self) -> dict[str, Function]:
        def made(function: Function) -> Function:
            def create(shape: Any, *value: Any, dtype: Any = None, layout: Any = None) -> Any:
                if layout is not None:
                    raise BlockedError("has no logical orders")
                shape = (shape,) if isinstance(shape, int) else shape
                return function(shape, *value, dtype=dtype or torch.float32, device=self.device)

            return create

        def drawn(shape: Any, seed: int) -> dict[str, Any]:
            generator = torch.Generator(self.device)
            generator.manual_seed(seed) if seed else generator.seed()
            return {"generator": generator}

        def uniform(shape: Any, low: Any, high: Any, seed: int = 0, dtype: Any = None) -> Any:
            empty = torch.empty(shape, dtype=dtype or torch.float32, device=self.device)
            return empty.uniform_(low, high, **drawn(shape, seed))

        def normal(shape: Any, mean: Any = 0, std: Any = 1, seed: int = 0, dtype: Any = None) -> Any:
            empty = torch.empty(shape, dtype=dtype or torch.float32, device=self.device)
            return empty.normal_(mean, std, **drawn(shape, seed))

        return {
            "zeros": made(torch.zeros),
            "empty": made(torch.empty),
            "full": made(torch.full),
            "tensor": self._tensor,
            "from_reference": lambda data: torch.from_numpy(np.asarray(data)),
            "arange": lambda start, stop=None, step=1, dtype=None: torch.arange(
                *((start,) if stop is None else (start, stop, step)), dtype=dtype or torch.float32
            ),
            "linspace": lambda start, stop, num, dtype=None: torch.linspace(
                start, stop, num, dtype=dtype or torch.float32
            ),
            "uniform": uniform,
            "normal": normal,
            "bernoulli": lambda p, seed=0: torch.bernoulli(p, **drawn(p.shape, seed)),
            "randperm": lambda n, dtype=None, seed=0: torch.randperm(
                n, dtype=dtype or torch.float32, **drawn((n,), seed)
            ),
            "clone": torch.clone,
            "contiguous": lambda x: x.contiguous(),
            "diag": torch.diag,
        }

    def _tensor(self, data: Any, *, shape: Any = None, dtype: Any = None, layout: Any = None) -> Any:
        if shape is not None or layout is not None:
            raise BlockedError("has no flat initialisers and logical orders")
        bare = isinstance(data, list | int | float)
        return torch.tensor(data, dtype=dtype or (torch.float32 if bare else None), device=self.device)


def _transformation() -> dict[str, Function]:
    return {
        "shape": lambda x: tuple(x.shape),
        "size": lambda x: x.numel(),
        "rank": lambda x: x.ndim,
        "is_contiguous": lambda x: x.is_contiguous(),
        "astype": lambda x, dtype, copy=True: x.to(dtype, copy=copy),
        "expand_dims": lambda x, axis=0: torch.unsqueeze(x, axis),
        "squeeze": lambda x, axis=None: torch.squeeze(x) if axis is None else torch.squeeze(x, axis),
        "transpose": lambda x, axes=None: torch.permute(x, tuple(range(x.ndim))[::-1] if axes is None else axes),
        "split": lambda x, sections, axis=0: (
            torch.tensor_split(x, sections, axis) if isinstance(sections, int) else torch.split(x, list(sections), axis)
        ),
        "concat": lambda tensors, axis=0: torch.concat(tensors, axis),
        "unstack": lambda x, axis=0: torch.unbind(x, axis),
        "roll": lambda x, shift, axis=None: torch.roll(x, shift, axis),
        "tile": lambda x, repetitions: torch.tile(x, (repetitions,) if isinstance(repetitions, int) else repetitions),
        "flip": lambda x, axis=None: torch.flip(x, _axes(x, axis)),
        "reverse": lambda x, axis=None: torch.flip(x, _axes(x, axis)),
        "clip": lambda x, min=None, max=None: torch.clip(x, min, max),
        "gather": lambda x, index, axis=0: _selected(x, index, axis),
        "index_select": lambda x, index, axis=0: _selected(x, index, axis),
        "expand": lambda x, shape: torch.broadcast_to(x, shape),
        "flatten": torch.flatten,
        "meshgrid": lambda *tensors, indexing="xy": torch.meshgrid(*tensors, indexing=indexing),
        "nonzero": lambda x: torch.nonzero(x, as_tuple=True),
    }


def _computation() -> dict[str, Function]:
    return {
        "multiply_add": lambda x, y, z: torch.addcmul(z, x, y),
        "divide": lambda x, y, rounding=None: torch.div(x, y, rounding_mode=rounding),
        "equal": torch.eq,
        "not_equal": torch.ne,
        "isclose": torch.isclose,
        "bitwise_invert": torch.bitwise_not,
        "rint": torch.round,
        "round": lambda x, decimals=0: torch.round(x, decimals=decimals),
        "trace": lambda x, offset=0: torch.diagonal(x, offset, -2, -1).sum(-1),
        "reduce": _reduced,
        "cumulative_sum": lambda x, axis=None, dtype=None: torch.cumsum(x, 0 if axis is None else axis, dtype=dtype),
        "argmax": lambda x, axis=None, keepdims=False: torch.argmax(x, axis, keepdims),
        "argmin": lambda x, axis=None, keepdims=False: torch.argmin(x, axis, keepdims),
        "argsort": lambda x, axis=-1, descending=False, stable=True: torch.argsort(
            x, dim=axis, descending=descending, stable=stable
        ),
        "topk": lambda x, k, axis=-1, largest=True, sorted=True: torch.topk(x, k, axis, largest, sorted),
    }


def _algebra() -> dict[str, Function]:
    linalg = torch.linalg
    return {
        "fft.fft": lambda x, n=None, axis=-1, norm="backward": torch.fft.fft(x, n, axis, norm),
        "fft.ifft": lambda x, n=None, axis=-1, norm="backward": torch.fft.ifft(x, n, axis, norm),
        "dot": lambda x, y: linalg.vecdot(x, y),
        "lu": lambda x: linalg.lu(x),
        "cholesky": lambda x, upper=False: linalg.cholesky(x, upper=upper),
        "qr": lambda x, mode="reduced": tuple(linalg.qr(x, mode)),
        "svd": lambda x, full_matrices=True: tuple(linalg.svd(x, full_matrices)),
        "solve": linalg.solve,
        "lstsq": lambda a, b, rtol=None: tuple(linalg.lstsq(a, b, rcond=rtol)),
        "inv": linalg.inv,
        "eig": lambda x: tuple(linalg.eig(x)),
        "matrix_norm": lambda x, keepdims=False, ord="fro": linalg.matrix_norm(x, ord, keepdim=keepdims),
        "linear": torch.nn.functional.linear,
        "bilinear": torch.nn.functional.bilinear,
        "interpolate": lambda x, size=None, scale_factor=None, mode="nearest", **options: (
            torch.nn.functional.interpolate(x, size, scale_factor, mode, **_aligned(mode, options))
        ),
    }


def _aligned(mode: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options, of which PyTorch refuses `align_corners` where it means nothing."""
    meant = mode in ("linear", "bilinear", "bicubic", "trilinear")
    return options if meant else without_defaults(**{**options, "align_corners": None})


def _axes(x: Any, axis: Any) -> Any:
    return tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis


def _selected(x: Any, index: Any, axis: int) -> Any:
    """Slices of `x` in the shape of the index; PyTorch's own takes vectors."""
    along = axis % x.ndim
    flat = torch.index_select(x, along, index.flatten())
    return flat.reshape((*x.shape[:along], *index.shape, *x.shape[along + 1 :]))


def _reduced(x: Any, op: str, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    axes = _axes(x, axis)
    if op in _TRUTH:
        return _TRUTH[op](x, axes, keepdims)
    if op in _SPREADS:
        return _SPREADS[op](x, axes, correction=0, keepdim=keepdims)
    if op in _NORMS:
        return torch.linalg.vector_norm(x, _NORMS[op], axes, keepdims)
    if op == "prod":
        for each in sorted((a % x.ndim for a in axes), reverse=True):
            x = torch.prod(x, each, keepdims)
        return x
    return _REDUCTIONS[op](x, axes, keepdims, **without_defaults(dtype=dtype))
