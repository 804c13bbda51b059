"""The Python signatures under which the kit calls the C functions: names, places and defaults.

Suanzi's own functions have the same signatures. A test compares the signatures.
"""

from __future__ import annotations

from inspect import Signature, signature

# Each list of parameters, and the functions with these parameters.
_FUNCTIONS: dict[str, str] = {
    "x, /, *, out=None": (
        "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor isfinite "
        "isinf isnan log log10 log1p log2 logical_not reciprocal rint rsqrt sign sin sinh sqrt square tan "
        "tanh trunc"
    ),
    "x1, x2, /, *, out=None": (
        "add bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor equal floor_divide "
        "greater greater_equal less less_equal logical_and logical_or logical_xor matmul maximum minimum "
        "multiply not_equal pow remainder subtract true_divide"
    ),
    "x, /": "clone contiguous dequantize destroy eig imag inv is_contiguous rank real shape size",
    "x, /, axis=None, keepdims=False": "argmax argmin",
    "tensors, /, axis=0, *, out=None": "concat stack",
    "shape, *, dtype=None, device=None, layout=None": "empty zeros",
    "x, /, shape": "expand reshape",
    "x, /, axis=0": "expand_dims unstack",
    "x, /, n=None, axis=-1, norm='backward'": "fft.fft fft.ifft",
    "x, /, axis=None": "flip squeeze",
    "x, index, /, axis=0": "gather index_select",
    "start, stop=None, step=1, *, dtype=None, device=None": "arange",
    "x, /, axis=-1, descending=False, stable=True, *, out=None": "argsort",
    "x, /, dtype, *, copy=True": "astype",
    "p, /, seed=0": "bernoulli",
    "x1, x2, weight, /, bias=None": "bilinear",
    "x, /, *, upper=False": "cholesky",
    "x, /, min=None, max=None, *, out=None": "clip",
    "real, imag, /, *, out=None": "complex",
    "x, /, offsets, shape": "crop",
    "x, /, *, axis=None, dtype=None, include_initial=False, exclusive=False, reverse=False, out=None": "cumulative_sum",
    "x, /, offset=0": "diag",
    "x1, x2, /, *, rounding=None, out=None": "divide",
    "x1, x2, /": "dot",
    "x, /, start_axis=0, stop_axis=-1": "flatten",
    "data=None, /, *, shape=None, dtype=None, device=None, layout=None": "from_reference",
    "shape=(), fill_value=0, *, dtype=None, device=None, layout=None": "full",
    (
        "x, /, size=None, scale_factor=None, mode='nearest', align_corners=False, antialias=False, "
        "recompute_scale_factor=False"
    ): "interpolate",
    "x1, x2, /, *, rtol=1e-05, atol=1e-08, equal_nan=False, out=None": "isclose",
    "x, weight, /, bias=None": "linear",
    "start, stop, num, *, dtype=None, device=None": "linspace",
    "a, b, /, *, rtol=None": "lstsq",
    "x, /, *, packed=False": "lu",
    "x, /, *, keepdims=False, ord='fro'": "matrix_norm",
    "*tensors, indexing='xy'": "meshgrid",
    "p, /, num_samples=1, replacement=True, seed=0, *, output='counts'": "multinomial",
    "x1, x2, x3, /, *, out=None": "multiply_add",
    "x, /, *, as_tuple=True": "nonzero",
    "shape, mean=0, std=1, seed=0, *, dtype=None, device=None, layout=None": "normal",
    "x, /, pad_width, mode='constant', value=None": "pad",
    "x, /, *, mode='reduced'": "qr",
    (
        "shape, data=None, *, scale=None, zero_point=None, axis=None, dtype='qint16', device=None, layout=None"
    ): "quantized_tensor",
    "n, dtype=None, seed=0, *, device=None": "randperm",
    "x, /, op, axis=None, keepdims=False, *, dtype=None, out=None": "reduce",
    "x, /, axis=None, *, lengths=None, batch_axis=0": "reverse",
    "x, /, shift, axis=None": "roll",
    "x, /, decimals=0, mode='half_even', *, out=None": "round",
    "x, index, updates, /, axis=0, mode='update', *, out=None": "scatter",
    "x, /, begin, end, stride=None, *, axis=None": "slice",
    "a, b, /": "solve",
    "shape, indices, values, nnz=None, *, indptr=None, dtype=None, device=None, layout=None": "sparse_tensor",
    "x, /, sections_or_sizes, axis=0, *, uneven=False": "split",
    "x, /, *, full_matrices=True": "svd",
    "data, /, *, shape=None, dtype=None, device=None, layout=None": "tensor",
    "x, /, repetitions": "tile",
    "x, /, k, axis=-1, largest=True, sorted=True": "topk",
    "x, /, offset=0, *, out=None": "trace",
    "x, /, axes=None": "transpose",
    "shape, low=None, high=None, seed=0, *, dtype=None, device=None, layout=None": "uniform",
    "condition, x1, x2, /, *, out=None": "where",
}


def _signature(parameters: str) -> Signature:
    return signature(eval(f"lambda {parameters}: None"))  # the text is from this file only


SIGNATURES: dict[str, Signature] = {
    name: _signature(parameters) for parameters, names in _FUNCTIONS.items() for name in names.split()
}
