"""Probes of conversions from numbers to codes, between codes, and back to numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..oracle.element_types import Array
from ..provider import BlockedError, Provider, needed
from ..status import Status, status_in
from .quantized_forms import SHAPE, Quantized, asked, real_of, unequal


def _converts(x: Quantized, provider: Provider) -> str | None:
    found = np.asarray(provider.to_numpy(asked(provider, "astype", x.made(provider), provider.element_type("float64"))))
    if found.dtype != np.float64:
        return f"returned {found.dtype}, not float64"
    return unequal(found, x.array.astype(np.float64))


def _quantizes(kind: Any, x: Quantized, provider: Provider) -> str | None:
    """Return the fault of `quantize` and `quantized_tensor` for numbers of a floating type, or None. Numbers between
    codes must round half to even, and numbers beyond the range must saturate.
    """
    least, greatest, zero = *_codes(x), x.zero or 0
    scale = np.array(x.scale if x.axis is None else np.reshape(x.scale, (-1, 1) if x.axis == 0 else (1, -1)))
    data: Array = (x.array.astype(np.float64) + scale * (np.arange(24).reshape(SHAPE) % 4) / 4).astype(kind)
    data[0, 0], data[1, 1], data[2, 2] = np.inf, -np.inf, 1e30
    codes = np.clip(np.rint(data.astype(np.float64) / scale) + zero, least, greatest)
    options: dict[str, Any] = {"scale": list(x.scale) if isinstance(x.scale, tuple) else x.scale, "dtype": x.type}
    options |= {} if x.zero is None else {"zero_point": x.zero}
    options |= {} if x.axis is None else {"axis": x.axis}
    found = real_of(provider, needed(provider, "quantize")(provider.from_numpy(data), **options))
    made = real_of(provider, x.made(provider, data))
    right = ((codes - zero) * scale).astype(np.float32)
    return unequal(found, right) or unequal(made, right, "quantized_tensor ")


def _codes(x: Quantized) -> tuple[int, int]:
    if x.type.startswith("quint"):
        return (0, 65535) if "16" in x.type else (0, 255)
    bound = x.steps
    return (-bound - 1 if x.type.endswith("asymmetric") else -bound), bound


def _refuses_nan(x: Quantized, provider: Provider) -> str | None:
    data = x.array.copy()
    data[-1, -1] = np.nan
    quantize = needed(provider, "quantize")
    calls: dict[str, Callable[[], Any]] = {
        "quantized_tensor": lambda: x.made(provider, data),
        "quantize": lambda: quantize(provider.from_numpy(data), scale=0.5, dtype="qint8"),
    }
    for name, call in calls.items():
        try:
            call()
        except BlockedError:
            raise
        except Exception as error:
            if status_in(error) in (Status.INVALID_ARGUMENT, Status.OUT_OF_RANGE):
                continue
            return f"{name}: {error}"
        return f"{name} accepts NaN, which no code represents"
    return None


def _requantizes(x: Quantized, provider: Provider) -> str | None:
    found = needed(provider, "requantize")(x.made(provider), scale=2.0, zero_point=3, dtype="quint8")
    codes = np.clip(np.rint(x.array.astype(np.float64) / 2.0) + 3, 0, 255)
    return unequal(real_of(provider, found), ((codes - 3) * 2.0).astype(np.float32))


CONVERSIONS: dict[str, tuple[tuple[str, Callable[[Quantized, Provider], str | None]], ...]] = {
    "quantize": (
        ("float32 as", partial(_quantizes, np.float32)),
        ("float64 as", partial(_quantizes, np.float64)),
        ("NaN refused as", _refuses_nan),
    ),
    "requantize": (("to quint8 from", _requantizes),),
    "astype": (("to float64 of", _converts),),
}
