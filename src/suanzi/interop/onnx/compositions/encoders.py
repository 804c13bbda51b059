"""Encoders and scalers of ai.onnx.ml: lookup of elements among keys, and scaling, joining and naming of features.

Where ONNX's text is ambiguous, results equal the results of ONNX Runtime.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import suanzi
from suanzi import DimensionsMismatchError, DType, InvalidArgumentError, OutOfRangeError, Tensor, TypeMismatchError
from suanzi.interop.onnx.compositions import scores
from suanzi.interop.onnx.compositions.numbers import number
from suanzi.interop.onnx.types import AnyType, Pairs, map_types
from suanzi.tensor.messages import shown

Integers = Sequence[int] | None
Reals = Sequence[float] | None
Texts = Sequence[str] | None


class Lookup:
    """A function that returns, for each element, the index of the equal key. If several keys are equal, the function
    returns the index of the last key. NaN equals NaN.
    """

    def __init__(self, keys: Tensor) -> None:
        self.keys, self.count = keys, keys.size
        self.texts: dict[str, int] = {}
        if keys.dtype is suanzi.string:
            self.texts = {key: i for i, key in enumerate(_texts(keys))}
            return
        last = {_key(key): i for i, key in enumerate(_listed(keys))}
        self.nan = last.pop(None, self.count)
        ordered = sorted(last.items())
        self.sorted = suanzi.tensor([key for key, _ in ordered], dtype=keys.dtype)
        self.places = suanzi.tensor([place for _, place in ordered], dtype=suanzi.int64)

    def __reduce__(self) -> tuple[type[Lookup], tuple[Tensor]]:
        return Lookup, (self.keys,)

    def __call__(self, x: Tensor) -> Tensor:
        """Return the index of each element's key, or the number of keys for an element that is not a key."""
        if self.keys.dtype is suanzi.string:
            found = [self.texts.get(text, self.count) for text in _texts(x)]
            return suanzi.reshape(suanzi.tensor(found, dtype=suanzi.int64), x.shape)
        if self.sorted.size:
            near = suanzi.minimum(suanzi.searchsorted(self.sorted, x), self.sorted.size - 1)
            is_key = suanzi.equal(suanzi.gather(self.sorted, near, 0), x)
            places = suanzi.where(is_key, suanzi.gather(self.places, near, 0), self.count)
        else:
            places = suanzi.full(x.shape, self.count, dtype=suanzi.int64)
        return suanzi.where(suanzi.isnan(x), self.nan, places) if x.dtype.kind_name == "real floating" else places


def _texts(x: Tensor) -> list[str]:
    texts: Any = suanzi.reshape(x, (-1,)).tolist()
    return list(texts)


def _listed(x: Tensor) -> list[Any]:
    values: Any = suanzi.reshape(x, (-1,)).tolist()
    return list(values)


def _key(value: Any) -> Any:
    return None if value != value else value


def _one_of(operator: str, what: str, *given: Any) -> Any:
    """Return the present attribute among several alternatives. Raise INVALID_ARGUMENT unless exactly one attribute is
    present.
    """
    found = [each for each in given if each is not None and len(each)]
    if len(found) != 1:
        raise InvalidArgumentError(f"{operator}: the node has {len(found)} attributes {what}, not one")
    return found[0]


def _checked(operator: str, x: Tensor, dtype: DType) -> Tensor:
    if x.dtype is not dtype:
        raise TypeMismatchError(f"{operator}: X is {x.dtype}, but the keys are {dtype}")
    return x


@dataclass(frozen=True)
class Encoder:
    """A function that maps each element that is a key to the key's value, and each other element to a default. The
    default is stored after the values.
    """

    operator: str
    lookup: Lookup
    values: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        return scores.picked(self.values, self.lookup(_checked(self.operator, x, self.lookup.keys.dtype)))


@dataclass(frozen=True)
class BothWays:
    """A map from texts to integers, and a map from integers to texts. The type of the elements selects the map."""

    of_texts: Encoder
    of_integers: Encoder

    def __call__(self, x: Tensor) -> Tensor:
        return (self.of_texts if x.dtype is suanzi.string else self.of_integers)(x)


def _encoder(operator: str, keys: Tensor, values: Tensor, default: Any) -> Encoder:
    if keys.size != values.size:
        raise InvalidArgumentError(f"{operator}: {keys.size} keys have {values.size} values")
    last = default if isinstance(default, Tensor) else suanzi.tensor([default], dtype=values.dtype)
    if last.dtype is not values.dtype or last.size != 1:
        raise InvalidArgumentError(f"{operator}: the default {shown(last)} is not one element of type {values.dtype}")
    flat = suanzi.reshape(values, (-1,))
    return Encoder(operator, Lookup(keys), suanzi.concat((flat, suanzi.reshape(last, (1,))), 0))


def _both_ways(operator: str, texts: Texts, integers: Integers, default_text: str, default_integer: int) -> BothWays:
    words = suanzi.tensor(list(texts or ()), dtype=suanzi.string)
    numbers = suanzi.tensor(list(integers or ()), dtype=suanzi.int64)
    return BothWays(
        _encoder(operator, words, numbers, default_integer), _encoder(operator, numbers, words, default_text)
    )


def label_encoder_1(*, default_string: str, default_int64: int, classes_strings: Texts = None) -> BothWays:
    """Make a map from labels to the labels' indices in a list, and from indices to labels."""
    count = len(classes_strings or ())
    return _both_ways("LabelEncoder", classes_strings, range(count), default_string, default_int64)


def category_mapper(
    *, default_string: str, default_int64: int, cats_strings: Texts = None, cats_int64s: Integers = None
) -> BothWays:
    return _both_ways("CategoryMapper", cats_strings, cats_int64s, default_string, default_int64)


def label_encoder(
    *,
    default_int64: int,
    default_float: float,
    default_string: str,
    default_tensor: Tensor | None = None,
    keys_int64s: Integers = None,
    keys_floats: Reals = None,
    keys_strings: Texts = None,
    keys_tensor: Tensor | None = None,
    values_int64s: Integers = None,
    values_floats: Reals = None,
    values_strings: Texts = None,
    values_tensor: Tensor | None = None,
) -> Encoder:
    """Make a map from elements to values. One of several attributes contains the keys, and another attribute contains
    the values. The map uses the last of several equal keys.
    """
    operator = "LabelEncoder"
    keys = _column(operator, "keys_*", keys_int64s, keys_floats, keys_strings, keys_tensor)
    values = _column(operator, "values_*", values_int64s, values_floats, values_strings, values_tensor)
    default: Any = default_tensor
    if default_tensor is None:
        kind = values.dtype.kind_name
        default = default_string if kind == "string" else default_float if kind == "real floating" else default_int64
    return _encoder(operator, keys, values, default)


def label_encoder_2(**attributes: Any) -> Encoder:
    """Make the map of version 2 of LabelEncoder. The map uses the first of several equal keys, as ONNX Runtime does.

    ONNX's text on version 2 does not say which of several equal keys the map uses.
    """
    found = label_encoder(**attributes)
    keys, values = found.lookup.keys, found.values
    return Encoder(
        found.operator,
        Lookup(suanzi.flip(keys, 0)),
        suanzi.concat((suanzi.flip(values[: keys.size], 0), values[keys.size :]), 0),
    )


def _column(operator: str, what: str, integers: Integers, floats: Reals, texts: Texts, tensor: Tensor | None) -> Tensor:
    given = [
        (values, dtype)
        for values, dtype in ((integers, suanzi.int64), (floats, suanzi.float32), (texts, suanzi.string))
        if values
    ]
    if len(given) + (tensor is not None) != 1:
        raise InvalidArgumentError(
            f"{operator}: the node has {len(given) + (tensor is not None)} attributes {what}, not one"
        )
    if tensor is not None:
        return suanzi.reshape(tensor, (-1,))
    ((values, dtype),) = given
    return suanzi.tensor(list(values), dtype=dtype)


@dataclass(frozen=True)
class OneHot:
    """A function that maps each element to a vector: 1 at the index of the element's category, and 0 elsewhere."""

    lookup: Lookup
    needs_category: bool

    def __call__(self, x: Tensor) -> Tensor:
        is_number = x.dtype is not suanzi.string
        if is_number is (self.lookup.keys.dtype is suanzi.string):
            raise TypeMismatchError(f"OneHotEncoder: X is {x.dtype}, but the categories are {self.lookup.keys.dtype}")
        count = self.lookup.count
        if x.dtype.kind_name == "real floating":  # the cast to integers truncates
            whole = suanzi.trunc(x)
            fits = suanzi.less(suanzi.abs(whole), 2.0**63)
            places = self.lookup(suanzi.astype(suanzi.where(fits, whole, 0), suanzi.int64))
            places = suanzi.where(fits, places, count)
        else:
            places = self.lookup(suanzi.astype(x, suanzi.int64, copy=False) if is_number else x)
        if self.needs_category and suanzi.any(suanzi.equal(places, count)).item():
            raise InvalidArgumentError("OneHotEncoder: an element is not one of the categories, and zeros is 0")
        among = suanzi.arange(count, dtype=suanzi.int64)
        return scores.as_float(suanzi.equal(suanzi.expand_dims(places, -1), among))


def one_hot_encoder(*, zeros: int, cats_int64s: Integers = None, cats_strings: Texts = None) -> OneHot:
    keys: Sequence[Any] = _one_of("OneHotEncoder", "cats_*", cats_int64s, cats_strings)
    dtype = suanzi.string if isinstance(keys[0], str) else suanzi.int64
    return OneHot(Lookup(suanzi.tensor(list(keys), dtype=dtype)), not zeros)


def array_feature_extractor(x: Tensor, index: Tensor) -> Tensor:
    """Return the columns of `x` at the indices `index`. A vector counts as a matrix of one row."""
    if not x.ndim:
        raise DimensionsMismatchError("ArrayFeatureExtractor: shape () has no columns")
    wanted = suanzi.reshape(index, (-1,))
    if suanzi.any(suanzi.less(wanted, 0)).item():
        raise OutOfRangeError(f"ArrayFeatureExtractor: indices {shown(wanted)} are negative")
    return suanzi.gather(suanzi.expand_dims(x, 0) if x.ndim == 1 else x, wanted, -1)


@dataclass(frozen=True)
class Scaler:
    """A function that subtracts an offset from each feature, and multiplies the difference by a scale."""

    offset: Tensor
    scale: Tensor

    def __call__(self, x: Tensor) -> Tensor:
        values = scores.real(x)
        for count in (self.offset.size, self.scale.size):
            if count not in (1, x.shape[-1] if x.ndim else 1):
                raise DimensionsMismatchError(f"Scaler: {count} numbers do not fit the features of shape {x.shape}")
        offset, scale = (suanzi.astype(each, values.dtype, copy=False) for each in (self.offset, self.scale))
        return scores.as_float(suanzi.reshape((values - offset) * scale, x.shape))


def scaler(*, offset: Reals = None, scale: Reals = None) -> Scaler:
    return Scaler(
        suanzi.tensor(list(offset or (0.0,)), dtype=suanzi.float32),
        suanzi.tensor(list(scale or (1.0,)), dtype=suanzi.float32),
    )


def normalizer(x: Tensor, *, norm: str) -> Tensor:
    """Divide each row by the row's maximum, sum of magnitudes or length. A row whose divisor is zero stays
    unchanged.
    """
    scores.choice(norm, ("MAX", "L1", "L2"), "Normalizer: norm")
    if x.ndim not in (1, 2):
        raise DimensionsMismatchError(f"Normalizer: x of shape {x.shape} is not a vector or a matrix")
    values = suanzi.astype(x, suanzi.float64)  # float64 holds squares of float32
    if not x.size:
        return scores.as_float(values)
    if norm == "MAX":
        by = suanzi.max(suanzi.where(suanzi.isnan(values), -math.inf, values), -1, True)
    else:
        by = suanzi.norm1(values, -1, True) if norm == "L1" else suanzi.norm2(values, -1, True)
    return scores.as_float(suanzi.where(suanzi.equal(by, 0), values, values / by))


@dataclass(frozen=True)
class Imputer:
    """A function that replaces one value by another value. The new value is the same for all features, or differs per
    feature.
    """

    replaced: dict[bool, Any]  # the key is True for floating elements
    values: dict[bool, Tensor | None]

    def __call__(self, x: Tensor) -> Tensor:
        is_real = x.dtype.kind_name == "real floating"
        values, replaced = self.values[is_real], self.replaced[is_real]
        if values is None:
            raise InvalidArgumentError(f"Imputer: the node has no values for X of type {x.dtype}")
        if values.size not in (1, x.shape[-1] if x.ndim else 1):
            raise DimensionsMismatchError(f"Imputer: {values.size} values do not fit the features of shape {x.shape}")
        if not is_real and not x.dtype.limits[0] <= replaced <= x.dtype.limits[1]:
            return suanzi.clone(x)
        found = suanzi.isnan(x) if replaced != replaced else suanzi.equal(x, replaced)
        return suanzi.reshape(suanzi.where(found, suanzi.astype(values, x.dtype, copy=False), x), x.shape)


def imputer(
    *,
    replaced_value_float: float,
    replaced_value_int64: int,
    imputed_value_floats: Reals = None,
    imputed_value_int64s: Integers = None,
) -> Imputer:
    if bool(imputed_value_floats) == bool(imputed_value_int64s):
        raise InvalidArgumentError("Imputer: the node must have either imputed_value_floats or imputed_value_int64s")
    reals = suanzi.tensor(list(imputed_value_floats), dtype=suanzi.float32) if imputed_value_floats else None
    integers = suanzi.tensor(list(imputed_value_int64s), dtype=suanzi.int64) if imputed_value_int64s else None
    return Imputer({True: replaced_value_float, False: replaced_value_int64}, {True: reals, False: integers})


def feature_vectorizer(*operands: Tensor, inputdimensions: Integers = None) -> Tensor:
    """Concatenate columns, a given number from each operand. Longer operands are truncated, and shorter operands are
    padded with zeros.
    """
    operator = "FeatureVectorizer"
    counts = inputdimensions or ()
    if len(counts) != len(operands) or min(counts, default=0) < 0:
        raise InvalidArgumentError(f"{operator}: inputdimensions {shown(counts)} do not fit {len(operands)} inputs")
    parts = []
    for x, count in zip(operands, counts, strict=True):
        rows = scores.matrix(scores.as_float(x), operator)
        have = rows.shape[1]
        if count > have:
            rows = suanzi.concat((rows, suanzi.zeros((rows.shape[0], count - have), dtype=suanzi.float32)), 1)
        parts.append(rows[:, :count])
    return suanzi.concat(parts, 1)


@dataclass(frozen=True)
class ZipMap:
    """A function that returns a dictionary for each row. The keys are labels, and the values are the row's elements."""

    labels: tuple[Any, ...]

    def __call__(self, x: Tensor) -> list[dict[Any, float]]:
        rows: Any = scores.features(x, len(self.labels), "ZipMap").tolist()
        return [dict(zip(self.labels, row, strict=True)) for row in rows]


def zip_map(*, classlabels_int64s: Integers = None, classlabels_strings: Texts = None) -> ZipMap:
    return ZipMap(tuple(_one_of("ZipMap", "classlabels_*", classlabels_int64s, classlabels_strings)))


_CAST = {"TO_FLOAT": suanzi.float32, "TO_STRING": suanzi.string, "TO_INT64": suanzi.int64}


def cast_map(x: Mapping[int, Any], *, cast_to: str, map_form: str, max_map: int) -> Tensor:
    """Return the values of a map as a row: in the order of the keys ("DENSE"), or with the keys as indices
    ("SPARSE").
    """
    operator = "CastMap"
    dtype = _CAST[scores.choice(cast_to, tuple(_CAST), f"{operator}: cast_to")]
    scores.choice(map_form, ("DENSE", "SPARSE"), f"{operator}: map_form")
    items = sorted(x.items())
    if map_form == "SPARSE":
        if items and not 0 <= items[0][0] <= items[-1][0] < max_map:
            raise OutOfRangeError(f"{operator}: keys {items[0][0]} … {items[-1][0]} are outside [0, {max_map})")
        empty = "" if dtype is suanzi.string else 0
        row = suanzi.full((1, max(max_map, 0)), empty, dtype=dtype)
        for key, value in items:
            row[0, key] = _cast(value, dtype)
        return row
    return suanzi.reshape(suanzi.tensor([_cast(value, dtype) for _, value in items], dtype=dtype), (1, len(items)))


def type_of_cast_map(_: Sequence[AnyType | None], attributes: Mapping[str, Any]) -> AnyType:
    return _CAST[scores.choice(attributes["cast_to"], tuple(_CAST), "CastMap: cast_to")]


def _cast(value: Any, dtype: DType) -> Any:
    if isinstance(value, str) and dtype is not suanzi.string:
        return number(value, dtype, "CastMap")
    try:
        return str(value) if dtype is suanzi.string else int(value) if dtype is suanzi.int64 else float(value)
    except ValueError as error:
        raise InvalidArgumentError(f"CastMap: {shown(value)} is not a number") from error


@dataclass(frozen=True)
class DictVectorizer:
    """A function that returns the values of a dictionary as a row, in the order of the vocabulary. The function ignores
    keys outside the vocabulary. The value of a missing key is 0 or an empty text.
    """

    vocabulary: tuple[Any, ...]

    def __call__(self, x: Pairs) -> Tensor:
        dtype = type_of_values([x.dtype], {})
        assert isinstance(dtype, DType)
        empty = "" if dtype is suanzi.string else 0
        values = [x.get(key, empty) for key in self.vocabulary]
        return suanzi.reshape(suanzi.tensor(values, dtype=dtype), (1, len(values)))


def type_of_values(dtypes: Sequence[AnyType | None], _: Mapping[str, Any]) -> AnyType | None:
    types = map_types(dtypes[0])
    return None if types is None else types[1]


def dict_vectorizer(*, int64_vocabulary: Integers = None, string_vocabulary: Texts = None) -> DictVectorizer:
    return DictVectorizer(tuple(_one_of("DictVectorizer", "*_vocabulary", int64_vocabulary, string_vocabulary)))
