"""Signal processing (Table 2, 信号处理): Fourier transforms, and their helpers."""

from suanzi.operators.signal import helpers, transforms

__all__ = ["helpers", "transforms"]
