"""Convolutions: ONNX's attributes are converted to the options of `suanzi.nn.conv` and `suanzi.nn.conv_transpose`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import suanzi
from suanzi import DimensionsMismatchError, InvalidArgumentError, Tensor, _core
from suanzi.interop.onnx.compositions.quantization import of_all, stored
from suanzi.interop.onnx.compositions.reading import Integers
from suanzi.nn import conv, conv_transpose
from suanzi.tensor.messages import shown

Pairs = tuple[tuple[int, int], ...]
Padding = str | Pairs | int
PackedWeight = tuple[Tensor, tuple[int, ...]]  # the elements in the core's order, and the shape of the weight

_WORDS = {"VALID": "valid", "SAME_UPPER": "same_upper", "SAME_LOWER": "same_lower"}


class Options(NamedTuple):
    """The attributes that all convolutions share."""

    kernel: Integers | None
    stride: Integers | int
    padding: Padding
    dilation: Integers | int
    groups: int

    def check(self, operator: str, weight: Tensor) -> None:
        """Raise an error if the options do not fit a weight."""
        fault = self.fault(weight)
        if fault:
            raise DimensionsMismatchError(f"{operator}: weight of shape {weight.shape} does not fit {fault}")

    def fault(self, weight: Tensor) -> str:
        """Return the attribute that does not fit the kernel of a weight, or "" if all attributes fit."""
        if self.kernel is None:
            return self.unequal(weight.ndim - 2)
        return "" if weight.shape[2:] == self.kernel else f"kernel_shape {self.kernel}"

    def unequal(self, dimensions: int) -> str:
        """Return an attribute that does not have a number for each of the kernel's dimensions, or "" if all attributes
        fit.
        """
        for name, each in (("strides", self.stride), ("pads", self.padding), ("dilations", self.dilation)):
            if isinstance(each, tuple) and len(each) != dimensions:
                return f"{name} {shown(each)}"
        return ""


class Filters:
    """The constant weight of convolutions with equal options.

    If a packed weight takes less time for the size of an image, `of` packs the weight, and the packed weight replaces
    the stored weight. If the stored weight takes less time for a later image, `of` unpacks the weight once and keeps
    both forms.
    """

    __slots__ = ("_latest", "_options", "_packed", "_weight")

    def __init__(self, weight: Tensor, options: Options) -> None:
        self._options = options
        self._weight: Tensor | None = weight
        self._packed: PackedWeight | None = None
        # The shape of the last image, and the form of the weight for images of this shape.
        self._latest: tuple[tuple[int, ...] | None, Tensor | PackedWeight] = (None, weight)

    def of(self, x: Tensor) -> Tensor | PackedWeight:
        """Return the weight in the form that takes less time for an image, and that `conv_ended` accepts."""
        shape, form = self._latest
        if x.shape != shape:
            options = self._options
            pays = _core.conv_packing_pays(x, form, options.stride, options.padding, options.dilation, options.groups)
            form = self._in_packed_form(form) if pays else self._in_stored_form(form)
            self._latest = (x.shape, form)
        return form

    def _in_packed_form(self, form: Tensor | PackedWeight) -> PackedWeight:
        if isinstance(form, tuple):
            return form
        packed = self._packed
        if packed is None:
            packed = self._packed = (_core.conv_pack(form, self._options.groups), form.shape)
            self._weight = None
        return packed

    def _in_stored_form(self, form: Tensor | PackedWeight) -> Tensor:
        if isinstance(form, Tensor):
            return form
        weight = self._weight
        if weight is None:
            weight = self._weight = _core.conv_unpack(form, self._options.groups)
        return weight

    def __reduce__(self) -> tuple[type[Filters], tuple[Tensor, Options]]:
        """Pickle the weight in the unpacked form, because a process with another SIMD level packs the weight
        differently.
        """
        form = self._latest[1]
        return Filters, (
            _core.conv_unpack(form, self._options.groups) if isinstance(form, tuple) else form,
            self._options,
        )


def options_of(
    operator: str,
    *,
    kernel_shape: Any = None,
    strides: Any = None,
    pads: Any = None,
    dilations: Any = None,
    group: int = 1,
    auto_pad: str = "NOTSET",
) -> Options:
    if auto_pad not in ("NOTSET", *_WORDS):
        raise InvalidArgumentError(f"{operator}: auto_pad {auto_pad!r} is not one of NOTSET, {', '.join(_WORDS)}")
    padding: Padding = _WORDS.get(auto_pad) or (pairs(operator, pads) if pads is not None else 0)
    kernel = None if kernel_shape is None else tuple(kernel_shape)
    stride, dilation = (1 if each is None else tuple(each) for each in (strides, dilations))
    found = Options(kernel, stride, padding, dilation, group)
    if kernel is not None and (fault := found.unequal(len(kernel))):  # checked once, to shorten each call
        raise DimensionsMismatchError(f"{operator}: kernel_shape {kernel} does not fit {fault}")
    return found


def pairs(operator: str, pads: Any) -> Pairs:
    """Return the padding as one pair per dimension. ONNX lists the padding before all dimensions, and then the padding
    after all dimensions.
    """
    if len(pads) % 2:
        raise DimensionsMismatchError(f"{operator}: pads {tuple(pads)} are not two numbers for each dimension")
    half = len(pads) // 2
    return tuple(zip(pads[:half], pads[half:], strict=True))


def convolution(**attributes: Any) -> Callable[..., Tensor]:
    """Return a function that computes `Conv` with the given attributes."""
    return partial(convolved, options_of("Conv", **attributes))


def convolved(options: Options, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Return the result of `Conv` for given options."""
    options.check("Conv", weight)
    return conv(x, weight, bias, options.stride, options.padding, options.dilation, options.groups)


def transposed_convolution(
    *, output_padding: Any = None, output_shape: Any = None, **attributes: Any
) -> Callable[..., Tensor]:
    """Return a function that computes `ConvTranspose` with the given attributes."""
    options = options_of("ConvTranspose", **attributes)
    more = 0 if output_padding is None else tuple(output_padding)
    size = None if output_shape is None else tuple(output_shape)
    if isinstance(more, tuple):
        _check_output_padding(more, options)
    return partial(_transposed, options, more, size)


def _check_output_padding(more: Integers, options: Options) -> None:
    strides, dilations = ((each,) * len(more) if isinstance(each, int) else each for each in options[1:4:2])
    if any(m >= max(s, d) for m, s, d in zip(more, strides, dilations, strict=False)):
        raise InvalidArgumentError(
            f"ConvTranspose: output_padding {shown(more)} is not less than strides {shown(strides)} or "
            f"dilations {shown(dilations)}"
        )


def _transposed(
    options: Options, more: Any, size: Integers | None, x: Tensor, weight: Tensor, bias: Tensor | None = None
) -> Tensor:
    options.check("ConvTranspose", weight)
    padding = options.padding
    if size is not None:
        padding, more = _for_size(options, more, size, x, weight)
    return conv_transpose(x, weight, bias, options.stride, padding, more, options.groups, options.dilation)


def _for_size(options: Options, more: Any, size: Integers, x: Tensor, weight: Tensor) -> tuple[Pairs, Integers]:
    """Return the padding and the output padding for a result of a given size. Padding removes elements from a larger
    result, and output padding adds elements to a smaller result.
    """
    spatial = x.ndim - 2
    size = size[2:] if len(size) == spatial + 2 else size  # some exporters include batch and channels
    if x.ndim != weight.ndim or len(size) != spatial:
        raise DimensionsMismatchError(
            f"ConvTranspose: output_shape {size} does not fit shapes {x.shape} and {weight.shape}"
        )
    strides, dilations, further = (
        (each,) * spatial if isinstance(each, int) else each for each in (options.stride, options.dilation, more)
    )
    found, missing = [], []
    for n, k, s, d, m, wanted in zip(x.shape[2:], weight.shape[2:], strides, dilations, further, size, strict=True):
        whole = s * (n - 1) + d * (k - 1) + 1 + m
        cut = max(whole - wanted, 0)
        found.append((cut - cut // 2, cut // 2) if options.padding != "same_upper" else (cut // 2, cut - cut // 2))
        missing.append(m + max(wanted - whole, 0))
    return tuple(found), tuple(missing)


def integer_convolution(**attributes: Any) -> Callable[..., Tensor]:
    """Return a function that computes `ConvInteger` with the given attributes."""
    return partial(_of_integers, "ConvInteger", options_of("ConvInteger", **attributes))


def _of_integers(
    operator: str,
    options: Options,
    x: Tensor,
    weight: Tensor,
    x_zero: Tensor | None = None,
    weight_zero: Tensor | None = None,
) -> Tensor:
    """Subtract zero points from codes, and return the convolution of the differences in int32. The padding consists of
    zero points.
    """
    options.check(operator, weight)
    zero = 0 if x_zero is None else of_all(x_zero)
    zeros = [0] if weight_zero is None else suanzi.reshape(weight_zero, (-1,)).tolist()
    if isinstance(zero, Tensor) and zero.ndim:
        raise DimensionsMismatchError(f"{operator}: the zero point of x has shape {zero.shape}, not one element")
    if len(zeros) not in (1, weight.shape[0]):
        raise DimensionsMismatchError(f"{operator}: {len(zeros)} zero points do not fit weight of shape {weight.shape}")
    rest = (options.stride, options.padding, options.dilation, options.groups)
    point = int(zero.item()) if isinstance(zero, Tensor) else 0
    if len(set(zeros)) == 1:
        return _core.conv_integers(x, point, weight, int(zeros[0]), *rest)
    points = suanzi.tensor(zeros, dtype=suanzi.int32)
    spread = suanzi.reshape(points, (-1,) + (1,) * (weight.ndim - 1))
    return conv(suanzi.astype(x, suanzi.int32) - point, suanzi.astype(weight, suanzi.int32) - spread, None, *rest)


def quantized_convolution(**attributes: Any) -> Callable[..., Tensor]:
    """Return a function that computes `QLinearConv` with the given attributes."""
    return partial(_quantized, options_of("QLinearConv", **attributes))


def _quantized(
    options: Options,
    x: Tensor,
    x_scale: Tensor,
    x_zero: Tensor,
    weight: Tensor,
    weight_scale: Tensor,
    weight_zero: Tensor,
    y_scale: Tensor,
    y_zero: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """Return the codes of a scaled convolution of codes. The weight has one scale, or a scale for each output
    channel.
    """
    sums = _of_integers("QLinearConv", options, x, weight, x_zero, weight_zero)
    per_channel = (-1,) + (1,) * (sums.ndim - 2)
    if bias is not None:
        sums = sums + suanzi.reshape(bias, per_channel)
    scales = [suanzi.astype(of_all(scale), suanzi.float64) for scale in (x_scale, weight_scale, y_scale)]
    factor = scales[0] * scales[1] / scales[2]
    factor = suanzi.reshape(factor, per_channel) if factor.ndim else factor
    point = suanzi.astype(of_all(y_zero), suanzi.float32)
    return stored(suanzi.astype(sums, suanzi.float64) * factor, point, y_zero.dtype)
