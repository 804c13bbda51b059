"""Tables of the operators for a class that is registered as a kind of operand.

A row is an implementation with the operators that the row serves. The operators are selected by name, or by a property
of their records. The implementation reads a `Call` and returns the result, or NotImplemented. The table applies the
rules that the rows share: the accepted operands, and the refusal of `out` unless a row allows `out`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn, TypeAlias, TypeVar

from suanzi import _core
from suanzi.kinds.call import Call, call_of, class_of
from suanzi.operators.methods import add_methods
from suanzi.operators.registry import Record, asking_records, record_of

Implementation: TypeAlias = Callable[..., Any]
Check: TypeAlias = Callable[[tuple[Any, ...]], bool]
Function = TypeVar("Function", bound=Implementation)


class _Row(NamedTuple):
    implementation: Implementation
    names: tuple[str, ...]
    family: tuple[str, ...]
    zero: tuple[str, ...]
    several: bool
    out: bool

    def matches(self, record: Record) -> bool:
        """Return whether the row selects an operator by the family, or by the effect on zeros, in the operator's
        record.
        """
        if not self.family and not self.zero:
            return False
        return (not self.family or record.family in self.family) and (not self.zero or record.zero in self.zero)


class Table:
    """The table of the implementations for one kind of operands, built from rows.

    `admits(name, several)` returns a function that returns whether a row accepts arguments, or raises an error.
    `admits` returns None for a row that accepts all arguments. `several` is False for rows where only the first operand
    may be of the kind. `refuse_out(name)` raises the error about `out`.
    """

    def __init__(self, admits: Callable[[str, bool], Check | None], refuse_out: Callable[[str], NoReturn]) -> None:
        self._admits, self._refuse_out = admits, refuse_out
        self._rows: list[_Row] = []
        self._hot: dict[str, Implementation] = {}
        self._served: tuple[type[Any], int] | None = None

    def rows(
        self,
        *names: str,
        family: str | tuple[str, ...] = (),
        zero: str | tuple[str, ...] = (),
        several: bool = False,
        out: bool = False,
    ) -> Callable[[Function], Function]:
        """Return a decorator that makes a function the implementation of the named operators.

        Parameters
        ----------
        names : str
            Names of operators. A row with an operator's name takes precedence over rows that select the operator by its
            record.
        family, zero : str or tuple of str, optional
            The values of `family` and of `zero` in the records of the operators to serve.
        several : bool, optional
            If True, any operand may be of the kind, not only the first operand.
        out : bool, optional
            If True, the implementation accepts `out`.
        """
        every = [word if isinstance(word, tuple) else (word,) for word in (family, zero)]

        def add(implementation: Function) -> Function:
            self._rows.append(_Row(implementation, names, every[0], every[1], several, out))
            return implementation

        return add

    def hot(self, name: str) -> Callable[[Function], Function]:
        """Return a decorator that makes a function the implementation of the named operator. The function receives the
        builtin's arguments directly, for operators that are so fast that the time to make a `Call` matters.
        """

        def add(implementation: Function) -> Function:
            self._hot[name] = implementation
            return implementation

        return add

    def made(self) -> dict[str, Implementation]:
        """Return the implementations by operator name, in the form that `register_kind` accepts."""
        found = {record.called: self._called(record, row) for record, row in self._chosen()}
        if any(record.family == "reduction" for record, _ in self._chosen()):
            found["reduce"] = self._reduce(found)
        return found | self._hot

    def serve(self, kind: type[Any], rank: int) -> None:
        """Register the current table for the instances of a class, and add its operators' methods to the class."""
        self._served = kind, rank
        _core.register_kind(kind, rank, self.made())
        add_methods(kind)

    def serve_again(self) -> None:
        """Register the table again after further rows were added, for the class and rank of the last `serve`."""
        assert self._served is not None
        self.serve(*self._served)

    def _chosen(self) -> Iterator[tuple[Record, _Row]]:
        for row in self._rows:
            yield from ((record, row) for record in asking_records() if row.matches(record))
        for row in self._rows:
            for name in row.names:
                record = record_of(name)
                assert record is not None, name
                yield record, row

    def _called(self, record: Record, row: _Row) -> Implementation:
        name, implementation, kind = record.called, row.implementation, class_of(record)
        admits, refuse_out = self._admits(name, row.several), self._refuse_out
        count, refuses = len(kind.places), kind.has_out and not row.out

        def called(*arguments: Any) -> Any:
            if admits is not None and not admits(arguments):
                return NotImplemented
            if refuses and len(arguments) == count and arguments[-1] is not None:
                refuse_out(name)
            return implementation(kind(arguments if len(arguments) == count else (*arguments, None)))

        called.__name__ = name
        called.row = row  # type: ignore[attr-defined]  # the implementation of `reduce` calls the row
        return called

    def _reduce(self, found: dict[str, Implementation]) -> Implementation:
        """Return the implementation of `reduce`, which calls the row of the named operation, or the row of `reduce` if
        no operator has the operation's name.
        """
        admits = self._admits("reduce", False)
        every: dict[str, _Row] = {name: row.row for name, row in found.items()}  # type: ignore[attr-defined]

        def called(*arguments: Any) -> Any:
            call = call_of("reduce", arguments)
            row = every.get(call.record.called)
            if row is None or (admits is not None and not admits(arguments)):
                return NotImplemented
            if call.out is not None and not row.out:
                self._refuse_out(call.name)
            return row.implementation(call)

        return called


__all__ = ["Call", "Implementation", "Table"]
