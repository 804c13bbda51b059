"""Tensors in PyTorch's data loaders. An import of this module registers a function for `default_collate`.

A batch of tensors becomes a PyTorch tensor, like a batch of NumPy arrays. This module only registers the function. The
package suanzi does not install PyTorch.

>>> import torch.utils.data                 # doctest: +SKIP
>>> import suanzi.interop.pytorch           # doctest: +SKIP
>>> next(iter(torch.utils.data.DataLoader(suanzi.ones((6, 2)), batch_size=4))).shape    # doctest: +SKIP
torch.Size([4, 2])
"""

from __future__ import annotations

from typing import Any

import suanzi
from suanzi import Tensor

try:
    import torch
    from torch.utils.data._utils.collate import default_collate_fn_map
except ImportError as error:
    raise ImportError("suanzi.interop.pytorch: the package torch is missing; pip install torch") from error


def collate(batch: list[Tensor], *, collate_fn_map: Any = None) -> Any:
    """Return one PyTorch tensor with the elements of a batch, along a new first axis."""
    return torch.from_dlpack(suanzi.stack(batch))


default_collate_fn_map[Tensor] = collate
