"""The common base of the kinds of tensor that are written in Python. The base has Python's operators and extension data
(6.6).

Extension data is a dictionary for the user, which every kind of tensor has and which `copy` and `pickle` keep.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol, Self, TypeVar

from suanzi import _core
from suanzi.tensor.status import (
    DimensionsMismatchError,
    UninitializedObjectAttributeError,
    UninitializedObjectError,
    attributes_that_may_fail,
)


class _WithMetadata(Protocol):
    @property
    def metadata(self) -> dict[Any, Any]: ...


AnyTensor = TypeVar("AnyTensor", bound=_WithMetadata)


class Extended(_core.Operators):
    """The base of the kinds of tensor written in Python. The core implements the same members for dense tensors.

    Python's operators call functions of the core. The functions use the table of the tensor's class.
    """

    __slots__ = ("_metadata",)

    _metadata: dict[Any, Any]

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user (6.6). The first access makes the dictionary. `copy.copy` and pickling keep the
        data.
        """
        try:
            return self._metadata
        except AttributeError:
            pass
        try:
            _ = self.shape  # type: ignore[attr-defined]
        except UninitializedObjectError:
            raise UninitializedObjectAttributeError("metadata: the tensor has been destroyed") from None
        self._metadata = {}
        return self._metadata

    def _forget_metadata(self) -> None:
        """Release the metadata. The function `destroy` of a kind calls this method."""
        with suppress(AttributeError):
            del self._metadata

    @property
    def T(self) -> Self:
        """The tensor with the dimensions in reverse order."""
        return _core.transpose(self, None)  # type: ignore[arg-type, return-value]

    @property
    def mT(self) -> Self:
        """The tensor with the last two dimensions swapped."""
        shape: tuple[int, ...] = self.shape  # type: ignore[attr-defined]
        if len(shape) < 2:
            raise DimensionsMismatchError(f"mT: shape {shape} has fewer than 2 dimensions")
        return _core.matrix_transpose(self)  # type: ignore[arg-type, return-value]


attributes_that_may_fail(Extended, "T", "mT")


def with_metadata(metadata: dict[Any, Any], x: AnyTensor) -> AnyTensor:
    """Add the metadata of another tensor to the metadata of the tensor `x`, and return `x`."""
    if metadata:
        x.metadata.update(metadata)
    return x
