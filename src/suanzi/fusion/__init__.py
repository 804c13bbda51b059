"""Functions of tensors as few passes over memory: `suanzi.fuse`.

`function` has the decorator, `known` the calls that the core knows again; `trace` runs a function on operands that
stand for tensors (`traced`) and notes what it does; `plan` says which operators run in one pass, which passes run block
by block; `program` repeats all of it. `views` has views of what is computed, `kinds` sparse and quantized operands.
`trees` takes arguments apart. `description` is what a program does as data, for `explain` and `plot`.
"""

from suanzi.fusion.function import FusedFunction, FusedMethod, fuse
from suanzi.graph.errors import TraceError

__all__ = ["FusedFunction", "FusedMethod", "TraceError", "fuse"]
