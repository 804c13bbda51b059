"""The shape of the tiles in which results are computed. Results do not depend on the shape of tiles."""

from __future__ import annotations

from types import TracebackType

from suanzi import _core
from suanzi.tensor.status import InvalidArgumentError


class tile_shape:  # noqa: N801 - callers use the class like a function
    """Return a context in which results are computed in tiles of a given shape (分块形状).

    The context applies to elementwise operators of dense tensors, functions made by `fuse`, and gathers (`gather`,
    `index_select`, `take`) in the current thread. Reductions, products, operators of sparse and quantized tensors, and
    functions made of several operators choose their own tiles. Outside the context Suanzi chooses the tiles. `explain`
    of a fused function prints the tiles. No result depends on the shape of tiles.

    Parameters
    ----------
    *extents : int
        The sizes of a tile, one for each dimension of the results, all above 0. A tile at the end of a dimension is
        shorter. In a fused function the sizes apply to passes with the same number of dimensions. If a part of the
        function runs by blocks of rows, a block has as many rows as a tile.

    Raises
    ------
    InvalidArgumentError
        The call passes no extents, or an extent is below 1. A call in the context raises this error if the number
        of dimensions of the result differs from the number of extents, or if a tile would need more than 1 MiB. The
        cache of a processor core does not hold larger tiles.
    TypeMismatchError
        An extent is not an integer.

    Notes
    -----
    A context manager can be entered more than once. In nested contexts, the innermost context applies. Each thread has
    its own setting. All coroutines of a thread share the setting, so do not await in the context.

    Examples
    --------
    >>> import suanzi
    >>> x = suanzi.ones((1000, 1000))
    >>> with suanzi.tile_shape(64, 250):
    ...     y = x + 1
    >>> suanzi.max(y)
    tensor(2.)
    """

    def __init__(self, *extents: int) -> None:
        if not extents:
            raise InvalidArgumentError("tile_shape: at least one extent is needed")
        self.extents = tuple(_core.read_shape("tile_shape", extents, 1))
        self._before: list[tuple[int, ...] | None] = []

    def __enter__(self) -> tile_shape:
        self._before.append(_core.set_tile_shape(self.extents))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _core.set_tile_shape(self._before.pop())

    def __repr__(self) -> str:
        return f"tile_shape{self.extents}"
