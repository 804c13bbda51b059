"""The operators for operands that are not dense.

Each kind has a table of one shape (`table`), whose rows read calls by name (`call`). The classes themselves are in
`suanzi.sparse` and `suanzi.quantized`; this package registers them. Tensors on other devices than the CPU are a kind,
too, of which there is none yet (`devices`).
"""

from suanzi.kinds import devices, quantized, sparse
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

sparse.TABLE.serve(SparseTensor, devices.RANK + 1)
quantized.TABLE.serve(QuantizedTensor, devices.RANK + 2)

__all__ = ["QuantizedTensor", "SparseTensor", "devices", "quantized", "sparse"]
