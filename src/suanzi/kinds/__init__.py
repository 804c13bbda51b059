"""The operators for operands that are not dense CPU tensors.

Each kind has a `Table` (`table`), whose rows read the arguments of a `Call` by name (`call`). `suanzi.sparse` and
`suanzi.quantized` define the classes, and this package registers the classes. Tensors on devices other than the CPU
also have kinds (`devices`).
"""

from suanzi.kinds import devices, quantized, sparse
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

sparse.TABLE.serve(SparseTensor, devices.RANK + 1)
quantized.TABLE.serve(QuantizedTensor, devices.RANK + 2)

__all__ = ["QuantizedTensor", "SparseTensor", "devices", "quantized", "sparse"]
