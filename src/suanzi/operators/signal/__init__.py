"""Signal processing (Table 2, 信号处理): Fourier transforms, and helpers of Fourier transforms."""

from suanzi.operators.signal import helpers, transforms

__all__ = ["helpers", "transforms"]
