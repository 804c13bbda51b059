"""What the operators do with operands that are not dense.

Each kind has a table of one shape (`table`), whose rows read calls by name (`call`). The classes themselves are in
`suanzi.sparse` and `suanzi.quantized`; this package registers them.
"""

from suanzi import _core
from suanzi.kinds import quantized, sparse
from suanzi.operators.methods import add_methods
from suanzi.quantized import QuantizedTensor
from suanzi.sparse import SparseTensor

_core.register_kind(SparseTensor, 1, sparse.TABLE.made())
_core.register_kind(QuantizedTensor, 2, quantized.TABLE.made())
for _kind in (SparseTensor, QuantizedTensor):
    add_methods(_kind)

__all__ = ["QuantizedTensor", "SparseTensor", "quantized", "sparse"]
