"""Extension data (6.6): a dictionary for the user on every kind of tensor, which `copy` and `pickle` keep."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar


class _WithMetadata(Protocol):
    @property
    def metadata(self) -> dict[Any, Any]: ...


AnyTensor = TypeVar("AnyTensor", bound=_WithMetadata)


class Extended:
    """The base of the kinds of tensor that Python defines; dense tensors have the same from the core."""

    __slots__ = ("_metadata",)

    _metadata: dict[Any, Any]

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for the user (6.6), made on first use; `copy.copy` and pickling keep it."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata = {}
            return self._metadata


def with_metadata(metadata: dict[Any, Any], x: AnyTensor) -> AnyTensor:
    """The tensor, which takes over what another one's metadata hold."""
    if metadata:
        x.metadata.update(metadata)
    return x
