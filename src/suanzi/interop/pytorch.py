"""Tensors in PyTorch's data loaders: importing this module registers how `default_collate` makes a batch of tensors.

A batch is one tensor of PyTorch, as it is of NumPy arrays. Registrations only; PyTorch itself is not among what suanzi
installs.

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
    """One tensor of PyTorch with the elements of a batch, along a new first axis."""
    return torch.from_dlpack(suanzi.stack(batch))


default_collate_fn_map[Tensor] = collate
