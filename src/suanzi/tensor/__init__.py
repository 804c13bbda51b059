"""The data structures of the standard's clause 6: tensors, element types, layouts, devices, statuses and memory."""

import numpy as np

from suanzi import _core
from suanzi.tensor import tensor
from suanzi.tensor.dtypes import DTYPES, as_dtype
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.layout import dense_order
from suanzi.tensor.messages import explain, hint, shown
from suanzi.tensor.status import ERRORS, KeyMismatchError

_core.register(
    *(ERRORS, KeyMismatchError, shown, hint, explain, DTYPES),
    *(np.generic, np.ndarray, as_tensor, as_dtype, dense_order),
)

__all__ = ["tensor"]
