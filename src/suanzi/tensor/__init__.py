"""The data structures of clause 6: tensors, element types, layouts, devices; statuses and memory."""

import numpy as np

from suanzi import _core
from suanzi.tensor import tensor
from suanzi.tensor.dtypes import DTYPES
from suanzi.tensor.exchange import as_tensor
from suanzi.tensor.status import ERRORS

_core.register(ERRORS, DTYPES, np.generic, np.ndarray, as_tensor)

__all__ = ["tensor"]
