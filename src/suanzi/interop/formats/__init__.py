"""Files of tensors: `save` and `load`, and the formats by the suffix of a file's name.

A format is a module of this package with two functions, ``read(file, what, memory_map)`` and
``write(file, tensors, what, metadata)``, where `what` is the beginning of each error message. A file in these formats
contains only data. No format runs code from a file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Literal, NamedTuple, overload

from suanzi import _core
from suanzi._core import Tensor
from suanzi.interop.files import opened, written
from suanzi.interop.formats.loaded import Loaded
from suanzi.kinds import devices
from suanzi.operators.arguments import DeviceLike
from suanzi.tensor.composed import explained
from suanzi.tensor.messages import shown
from suanzi.tensor.status import InvalidArgumentError, TypeMismatchError


class Format(NamedTuple):
    """The abilities of a file format."""

    module: str  # a module of this package, imported at the first use
    many: bool  # True if a file holds tensors by name, False if a file holds one tensor
    maps: bool  # True if a file stores elements as memory does, so that `load` can map the file
    metadata: bool  # True if a file can have metadata


FORMATS = {
    ".npy": Format("npy", many=False, maps=True, metadata=False),
    ".npz": Format("npz", many=True, maps=False, metadata=False),
    ".safetensors": Format("safetensors", many=True, maps=True, metadata=True),
}


@explained
def save(
    path: str | os.PathLike[str],
    tensors: Tensor | Mapping[str, Tensor],
    /,
    *,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write tensors to a file. The suffix of the file's name selects the format.

    ====================  =====================  ===========================================================
    ending                holds                  element types
    ====================  =====================  ===========================================================
    ``.npy``              one tensor             all but bfloat16; strings must not end in NUL
    ``.npz``              tensors by name        all but bfloat16; strings must not end in NUL
    ``.safetensors``      tensors by name        all but complex128 and strings
    ====================  =====================  ===========================================================

    The logical order (n-1, …, 0) and, in NumPy's files, (0, …, n-1) are kept. Tensors of other orders are written by
    rows. No file stores the metadata of a tensor (clause 6.6 of the standard). Pickling keeps the metadata. The file
    appears under its name when all contents are written. An older file of the same name stays until all contents are
    written.

    Parameters
    ----------
    path : str or path
        The name of the file.
    tensors : Tensor or mapping of str to Tensor
        The contents of the file.
    metadata : mapping of str to str, optional
        The texts about the file, its ``__metadata__``, for ``.safetensors`` only. The default is the metadata of
        `tensors` if `load` has returned `tensors`.

    Raises
    ------
    TypeMismatchError
        The format lacks the element type of a tensor. The error is also raised if the format stores one tensor and
        `tensors` is a mapping, and if the format stores tensors by name and `tensors` is a tensor.
    InvalidArgumentError
        The file's name has none of the suffixes above, or the file cannot be written. `metadata` is given for a format
        other than ``.safetensors``, or a string for NumPy's files ends in NUL. The error is also raised if `load`
        returned `tensors` from a file with unreadable tensors, which the new file would lack. A program that accepts
        this loss passes ``dict(tensors)``.
    AllocFailedError
        There is not enough memory for the strings of a ``.npy`` or ``.npz`` file, which all have the length of the
        longest string.

    Examples
    --------
    >>> import os, tempfile, suanzi
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "weights.safetensors")
    >>> suanzi.save(path, {"a": suanzi.ones(2, dtype="bfloat16"), "b": suanzi.arange(3)})
    >>> suanzi.load(path)["b"]
    tensor([0., 1., 2.])
    >>> folder.cleanup()
    """
    what = _what("save", path)
    chosen = _format_of(path, what)
    if chosen.many:
        _check_named(tensors, what)
    else:
        _core.read_tensor("save", tensors)
    if metadata is None and chosen.metadata and isinstance(tensors, Loaded):
        metadata = tensors.metadata
    if metadata is not None:
        _check_metadata(metadata, chosen, what)
    module: Any = import_module(f"{__name__}.{chosen.module}")
    with written(path, what) as file:
        module.write(file, tensors, what, metadata)


@overload
def load(
    path: str | os.PathLike[str],
    /,
    *,
    memory_map: bool = ...,
    device: DeviceLike | None = ...,
    named: Literal[True],
) -> Loaded: ...
@overload
def load(
    path: str | os.PathLike[str],
    /,
    *,
    memory_map: bool = ...,
    device: DeviceLike | None = ...,
    named: Literal[False],
) -> Tensor: ...
@overload
def load(
    path: str | os.PathLike[str],
    /,
    *,
    memory_map: bool = ...,
    device: DeviceLike | None = ...,
    named: bool | None = ...,
) -> Any: ...  # the file's suffix, not a type, determines the kind of the result
@explained
def load(
    path: str | os.PathLike[str],
    /,
    *,
    memory_map: bool = False,
    device: DeviceLike | None = None,
    named: bool | None = None,
) -> Tensor | Loaded:
    """Read the tensors of a file in one of the formats of `save`.

    The function checks all contents of the file before it uses the contents, and never runs code from the file. The
    function refuses arrays of Python objects.

    Parameters
    ----------
    path : str or path
        The name of the file, which ends in ``.npy``, ``.npz`` or ``.safetensors``.
    memory_map : bool, optional
        If True, the tensors refer to the file, and the system reads elements when a program uses the elements.
        Assignments to elements change the memory, never the file. The file must not be truncated while the tensors
        exist. ``.npz`` files cannot be mapped.
    device : Device or str, optional
        The device to which the tensors are copied, by default the CPU.
    named : bool, optional
        The contents that the program expects: True for tensors by name, False for one tensor. If `named` is given, type
        checkers know the type of the result, and the function refuses a file with other contents. By default the
        function accepts both kinds of contents.

    Returns
    -------
    Tensor or dict of str to Tensor
        The contents of the file: a tensor for ``.npy``, otherwise tensors by name. The dictionary has two attributes:
        `metadata`, the texts in the header of a ``.safetensors`` file, and `unreadable`, the names of tensors whose
        element type Suanzi lacks (float8, NumPy's bytes and objects), with the reason for each name. Unreadable tensors
        are not items of the dictionary. Access to an unreadable tensor by name raises a TypeMismatchError, which is
        also a KeyError.

    Raises
    ------
    InvalidArgumentError
        The file's name has none of the suffixes above, the device does not exist, or `memory_map` is True for a
        ``.npz`` file. The error is also raised if the file is missing, is damaged, has a format that does not fit the
        suffix, or is a ``.npy`` file of Python objects.
    TypeMismatchError
        No tensor in the file has an element type that Suanzi and the device have, or the file does not have the
        contents that `named` expects.
    AllocFailedError
        There is not enough memory for the tensors.

    Examples
    --------
    >>> import os, tempfile, suanzi
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "x.npy")
    ...     suanzi.save(path, suanzi.arange(3))
    ...     suanzi.load(path, memory_map=True)
    tensor([0., 1., 2.])
    """
    what = _what("load", path)
    chosen = _format_of(path, what)
    if _core.read_truth("load", "memory_map", memory_map) and not chosen.maps:
        raise InvalidArgumentError(
            f"{what} cannot be mapped, because its tensors are in an archive; .safetensors files can be mapped"
        )
    if named is not None and _core.read_truth("load", "named", named) != chosen.many:
        raise TypeMismatchError(
            f"{what} holds {'tensors by name' if chosen.many else 'one tensor'}, and named={named} expects "
            f"{'one tensor' if chosen.many else 'tensors by name'}"
        )
    devices.check(device, "load")
    module: Any = import_module(f"{__name__}.{chosen.module}")
    with opened(path, what) as file:
        loaded: Tensor | Loaded = module.read(file, what, memory_map)
    if device is None:
        return loaded
    if isinstance(loaded, Tensor):
        return devices.placed(loaded, device, "load")
    for name, x in loaded.items():
        loaded[name] = devices.placed(x, device, "load")
    return loaded


def _what(operator: str, path: Any) -> str:
    if not isinstance(path, str | os.PathLike):
        raise TypeMismatchError(f"{operator}: {shown(path)} is not a path")
    return f"{operator}: {os.fspath(path)!s}"


def _format_of(path: str | os.PathLike[str], what: str) -> Format:
    ending = os.path.splitext(path)[1].lower()
    if ending not in FORMATS:
        raise InvalidArgumentError(f"{what} does not end in {', '.join(FORMATS)}")
    return FORMATS[ending]


def _check_named(tensors: Any, what: str) -> None:
    if not isinstance(tensors, Mapping):
        raise TypeMismatchError(f"{what} holds tensors by name: {shown(type(tensors))} is not a mapping")
    for name, x in tensors.items():
        if not isinstance(name, str):
            raise TypeMismatchError(f"{what} holds tensors by name: {shown(name)} is not a str")
        _core.read_tensor("save", x)
    lost = [name for name in tensors.unreadable if name not in tensors] if isinstance(tensors, Loaded) else []
    if lost:
        raise InvalidArgumentError(
            f"{what} would be without tensors that could not be read, {shown(lost)}; dict(tensors) omits these tensors"
        )


def _check_metadata(metadata: Any, chosen: Format, what: str) -> None:
    if not chosen.metadata:
        raise InvalidArgumentError(f"{what} has no metadata; .safetensors files have metadata")
    pairs = list(metadata.items()) if isinstance(metadata, Mapping) else [(metadata, None)]
    if not all(isinstance(part, str) for pair in pairs for part in pair):
        raise TypeMismatchError(f"{what}: metadata {shown(metadata)} is not a mapping of str to str")
