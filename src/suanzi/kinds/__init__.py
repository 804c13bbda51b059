"""The operators for operands that are not dense CPU tensors.

Each kind has a `Table` (`table`), whose rows read the arguments of a `Call` by name (`call`). The classes themselves
are in `suanzi.sparse` and `suanzi.quantized`; this package registers them. Tensors on other devices than the CPU are
kinds, too (`devices`).
"""

from suanzi.kinds import devices, quantized, sparse
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

sparse.TABLE.serve(SparseTensor, devices.RANK + 1)
quantized.TABLE.serve(QuantizedTensor, devices.RANK + 2)

__all__ = ["QuantizedTensor", "SparseTensor", "devices", "quantized", "sparse"]
