"""The contents of a file of named tensors: the tensors, the reasons for unreadable tensors, and the metadata."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from suanzi._core import Tensor
from suanzi.tensor.status import SuanziError, TypeMismatchError


class UnreadableError(TypeMismatchError, KeyError):
    """The error (类型不匹配) for access to a tensor whose element type Suanzi lacks. The error is also a KeyError."""

    __str__ = Exception.__str__  # KeyError would show the message in quotation marks


class Loaded(dict[str, Tensor]):
    """The tensors of a file by name: a dictionary of the readable tensors.

    A tensor whose element type Suanzi lacks, such as float8, is not an item of the dictionary. A lookup of the tensor's
    name, also by `get`, raises an error with the reason and the status TYPE_MISMATCH. The error is also a KeyError.

    Attributes
    ----------
    metadata : dict of str to str
        The texts about the file. The dictionary is empty if the file's format has no metadata.
    unreadable : dict of str to str
        The reason for each tensor of the file that cannot be read, by the tensor's name.
    """

    metadata: dict[str, str]
    unreadable: dict[str, str]

    def __init__(
        self,
        tensors: Mapping[str, Tensor],
        errors: Mapping[str, SuanziError],
        metadata: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(tensors)
        self.metadata = dict(metadata or {})
        self.unreadable = {name: str(error) for name, error in errors.items()}
        if errors and not tensors:
            raise next(iter(errors.values()))

    def __missing__(self, name: str) -> Tensor:
        self._refuse(name)
        raise KeyError(name)

    def get(self, name: str, default: Any = None, /) -> Any:
        """Return the tensor of a given name, or `default` if the file has no such tensor. Raise UnreadableError if the
        tensor is unreadable.
        """
        if name not in self:
            self._refuse(name)
        return super().get(name, default)

    def _refuse(self, name: str) -> None:
        if name in self.unreadable:
            raise UnreadableError(self.unreadable[name])

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (dict(self), self.metadata, self.unreadable)


def _restored(tensors: dict[str, Tensor], metadata: dict[str, str], unreadable: dict[str, str]) -> Loaded:
    loaded = Loaded(tensors, {}, metadata)
    loaded.unreadable = unreadable
    return loaded
