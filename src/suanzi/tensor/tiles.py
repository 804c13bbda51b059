"""The shape of the tiles in which results are computed. Results do not depend on it."""

from __future__ import annotations

from types import TracebackType

from suanzi import _core
from suanzi.tensor.status import InvalidArgumentError


class tile_shape:  # noqa: N801 - it is used as a function
    """Within it, results are computed in tiles of this shape (分块形状).

    It governs how this thread walks elementwise operators of dense tensors, what `fuse` makes, and gathers (`gather`,
    `index_select`, `take`). Reductions, products, operators of sparse and quantized tensors, and functions that are
    made of several operators keep their own ways. Outside it the library chooses, and `explain` of a fused function
    says what. No result depends on it.

    Parameters
    ----------
    *extents : int
        The sizes of a tile, one for each dimension of the results, all above 0; a tile at the end of a dimension is
        shorter. In a fused function, those of the passes that have as many dimensions; of what runs block by block, as
        many rows as a tile has make a block.

    Raises
    ------
    InvalidArgumentError
        There are no extents, or one is below 1. Within it, of what it governs: a result has another number of
        dimensions, or a tile would have more than 1 MiB, of which a core's own cache has no room.
    TypeMismatchError
        An extent is no integer.

    Notes
    -----
    It is a context manager, may be used again, and within another the inner one holds. It holds in the thread that
    enters it, for coroutines too that run there meanwhile: do not await within it.

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
