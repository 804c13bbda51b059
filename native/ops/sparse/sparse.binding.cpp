// Python's interface to sparse tensors (sparse/) consists of the class Pattern, and of functions of patterns and their
// values. suanzi.sparse makes sparse tensors from patterns and values.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string_view.h>

#include "ops/search/compaction.h"
#include "ops/sparse/arrange.h"
#include "ops/sparse/join.h"
#include "ops/sparse/merge.h"
#include "ops/sparse/products.h"
#include "ops/sparse/reductions.h"
#include "python/arguments.h"
#include "python/bindings.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

using namespace sparse;

const Pattern& require_pattern(const char* op, nb::handle object) {
  const Pattern* pattern = nullptr;
  if (!nb::try_cast(object, pattern) || !pattern)
    fail(Status::type_mismatch, op, ": ", Py_TYPE(object.ptr())->tp_name, " is not a pattern");
  return *pattern;
}

// Reads the values of a pattern. The values must have the shape (count, …).
Tensor require_values(const char* op, const Pattern& p, nb::handle object) {
  const Tensor x = require_tensor(op, object.ptr());
  check_values(op, p, x);
  return x;
}

int64_t work_of(const Pattern& p, const Tensor& values) { return std::max(values.size, p.count() * p.rank()); }

using Pair = nb::tuple;

Pair pair_of(Pattern&& p, Tensor&& values) {
  return nb::make_tuple(nb::cast(std::move(p)), nb::steal(wrap(std::move(values))));
}

// Calls compute(pattern, values), which returns a Derived. The result is the pattern of the Derived and the values for
// this pattern.
template <class Compute>
Pair derive(const char* op, nb::handle pattern, nb::handle elements, Compute compute) {
  const Pattern p = require_pattern(op, pattern);
  const Tensor values = require_values(op, p, elements);
  auto [made, carried] = unlocked_if_long(work_of(p, values), [&] {
    Derived derived = compute(p);
    Tensor moved = carry(op, values, derived.origin);
    return std::pair(std::move(derived.pattern), std::move(moved));
  });
  return pair_of(std::move(made), std::move(carried));
}

constexpr std::pair<const char*, Reduction> folds[] = {
    {"sum", Reduction::sum}, {"prod", Reduction::prod}, {"max", Reduction::max}, {"min", Reduction::min}};

// Reads the name of a reduction that `fold` supports.
std::pair<const char*, Reduction> require_fold(nb::handle name) {
  std::string_view text;
  if (nb::try_cast(name, text))
    for (const auto& known : folds)
      if (text == known.first) return known;
  fail(Status::type_mismatch, "reduce: fold ", shown(name.ptr()), " is not one of sum, prod, max, min");
}

Dims require_permutation(const char* op, nb::handle object, int rank) {
  Dims axes = require_dims(op, "axes", object.ptr());
  if (axes.size() != rank)
    fail(Status::dimensions_mismatch, op, ": axes ", axes, " do not name the ", rank, " dimensions");
  uint64_t seen = 0;
  for (int64_t& axis : axes) {
    axis = checked_axis(op, axis, rank);
    if (seen >> axis & 1) fail(Status::invalid_argument, op, ": axes ", axes, " name an axis twice");
    seen |= uint64_t{1} << axis;
  }
  return axes;
}

Pair slice_of(const char* op, nb::handle pattern, nb::handle values, nb::handle starts, nb::handle steps,
              nb::handle counts) {
  const Dims start = require_dims(op, "start", starts.ptr()), step = require_dims(op, "step", steps.ptr()),
             count = require_dims(op, "count", counts.ptr());
  return derive(op, pattern, values, [&](const Pattern& p) {
    if (start.size() != p.rank() || step.size() != p.rank() || count.size() != p.rank())
      fail(Status::dimensions_mismatch, op, ": slices of ", start.size(), " dimensions do not fit shape ", p.shape);
    std::vector<Slice> slices;
    for (int axis = 0; axis < p.rank(); ++axis) {
      const int64_t n = p.shape[axis];
      int64_t last = 0;
      const bool inside =
          count[axis] == 0 || (count[axis] > 0 && start[axis] >= 0 && start[axis] < n && step[axis] != 0 &&
                               !__builtin_mul_overflow(count[axis] - 1, step[axis], &last) &&
                               !__builtin_add_overflow(last, start[axis], &last) && last >= 0 && last < n);
      if (!inside) fail(Status::out_of_range, op, ": a slice reaches outside axis ", axis, " of shape ", p.shape);
      if (count[axis] == 0) {
        slices.push_back({0, 1, 0});
      } else {
        slices.push_back({start[axis], step[axis], count[axis]});
      }
    }
    return sparse::slice(op, p, slices.data());
  });
}

Pair select_of(const char* op, nb::handle pattern, nb::handle values, nb::handle index, nb::handle axis) {
  const Tensor wanted = require_tensor(op, index.ptr());
  const int64_t along = require_integer(op, "axis", axis.ptr());
  if (!is_integer(wanted.dtype))
    fail(Status::type_mismatch, op, ": an index has element type ", name(wanted.dtype), ", not an integer type");
  if (wanted.rank() != 1) fail(Status::dimensions_mismatch, op, ": an index has shape ", wanted.shape, ", not (k,)");
  return derive(op, pattern, values, [&](const Pattern& p) {
    const int chosen = checked_axis(op, along, p.rank());
    const int64_t size = p.shape[chosen];
    const Tensor places = cast(op, wanted, DType::int64);
    auto* const place = places.as<int64_t>();
    for (int64_t i = 0; i < places.size; ++i) {
      if (place[i] < -size || place[i] >= size)
        fail(Status::out_of_range, op, ": index ", place[i], " is outside [", -size, ", ", size, ") along axis ",
             chosen);
      if (place[i] < 0) place[i] += size;
    }
    return sparse::index_select(op, p, places, chosen);
  });
}

nb::tuple merge_of(const char* op, nb::handle first, nb::handle first_values, nb::handle second,
                   nb::handle second_values, bool both) {
  const Pattern a = require_pattern(op, first), b = require_pattern(op, second);
  const Tensor x = require_values(op, a, first_values), y = require_values(op, b, second_values);
  if (!(a.shape == b.shape))
    fail(Status::dimensions_mismatch, op, ": shapes ", a.shape, " and ", b.shape, " of sparse tensors must be equal");
  if (a.format != b.format || !a.canonical || !b.canonical)
    fail(Status::type_mismatch, op, ": the patterns are not canonical or differ in format");
  Merged merged = unlocked_if_long(x.size + y.size, [&] { return merge(op, a, x, b, y, both); });
  return nb::make_tuple(nb::cast(std::move(merged.pattern)), nb::steal(wrap(std::move(merged.first))),
                        nb::steal(wrap(std::move(merged.second))));
}

// Joins patterns along an axis. The caller has already joined their values.
Pair join_of(const char* op, nb::handle patterns, nb::handle elements, nb::handle axis) {
  if (!PyTuple_Check(patterns.ptr()) || PyTuple_GET_SIZE(patterns.ptr()) == 0)
    fail(Status::type_mismatch, op, ": ", Py_TYPE(patterns.ptr())->tp_name, " is not a tuple of patterns");
  std::vector<Pattern> parts;
  for (const nb::handle pattern : nb::borrow<nb::tuple>(patterns)) parts.push_back(require_pattern(op, pattern));
  const int along = checked_axis(op, require_integer(op, "axis", axis.ptr()), parts[0].rank());
  const Tensor values = require_tensor(op, elements.ptr());
  if (values.dtype == DType::string) fail(Status::type_mismatch, op, ": a sparse tensor cannot hold strings");
  int64_t count = 0;
  for (const Pattern& p : parts) count += p.count();
  if (values.rank() == 0 || values.shape[0] != count)
    fail(Status::dimensions_mismatch, op, ": values of shape ", values.shape, " do not fit ", count, " elements");
  auto [made, carried] = unlocked_if_long(values.size, [&] {
    Derived joined = join(op, parts, along);
    Tensor moved = carry(op, values, joined.origin);
    return std::pair(std::move(joined.pattern), std::move(moved));
  });
  return pair_of(std::move(made), std::move(carried));
}

// Returns the pattern of the nonzero elements, and these elements.
Pair from_dense_of(const char* op, nb::handle operand) {
  const Tensor x = require_tensor(op, operand.ptr());
  if (x.dtype == DType::string) fail(Status::type_mismatch, op, ": a sparse tensor cannot hold strings");
  if (x.rank() == 0) fail(Status::dimensions_mismatch, op, ": a tensor of shape () has no coordinates");
  Pattern p;
  Tensor values;
  unlocked_if_long(x.size, [&] {
    const Places found = nonzero_elements(op, x);
    const DType type = index_type_for(x.shape);
    const Tensor& rows = found.coordinates;
    p = make_coordinates(x.shape, type == DType::int64 ? rows : cast(op, rows, type), DType::int64, true);
    values = found.elements;
  });
  return pair_of(std::move(p), std::move(values));
}

void bind_pattern(nb::module_& m) {
  nb::class_<Pattern>(m, "Pattern")
      .def_prop_ro("shape", [](const Pattern& p) { return nb::steal(dims_to_tuple(p.shape)); })
      .def_prop_ro("count", &Pattern::count)
      .def_prop_ro("canonical", [](const Pattern& p) { return p.canonical; })
      .def_prop_ro("format", [](const Pattern& p) { return std::string_view(p.format == Format::coo ? "coo" : "csr"); })
      .def_prop_ro("indices", [](const Pattern& p) { return shown_indices("indices", p); })
      .def_prop_ro("indptr", [](const Pattern& p) { return shown_starts("indptr", p); });
  define(m, "sparse_coordinates", "(shape: Shape, indices: Tensor, /) -> Pattern",
         [](nb::handle shape, nb::handle indices) {
           const char* op = "sparse_tensor";
           const Tensor x = require_tensor(op, indices.ptr());
           const Dims sizes = require_dims(op, "shape", shape.ptr());
           return unlocked_if_long(x.size, [&] { return from_coordinates(op, sizes, x); });
         });
  define(m, "sparse_rows", "(shape: Shape, indptr: Tensor, indices: Tensor, /) -> Pattern",
         [](nb::handle shape, nb::handle indptr, nb::handle indices) {
           const char* op = "sparse_tensor";
           const Tensor starts = require_tensor(op, indptr.ptr()), columns = require_tensor(op, indices.ptr());
           const Dims sizes = require_dims(op, "shape", shape.ptr());
           return unlocked_if_long(columns.size, [&] { return from_rows(op, sizes, starts, columns); });
         });
}

void bind_formats(nb::module_& m) {
  define(m, "sparse_values", "(pattern: Pattern, values: Tensor, /) -> Tensor",
         [](nb::handle pattern, nb::handle elements) {
           const char* op = "sparse_tensor";
           const Tensor values = require_values(op, require_pattern(op, pattern), elements);
           return unlocked_if_long(values.size, [&] {
             Tensor copy = make_empty(op, values.shape, values.dtype);
             copy_into(op, copy, values);
             return copy;
           });
         });
  define(m, "sparse_coalesce", "(pattern: Pattern, values: Tensor, /) -> tuple[Pattern, Tensor]",
         [](nb::handle p, nb::handle values) {
           return derive("coalesce", p, values, [](const Pattern& from) { return coalesce("coalesce", from); });
         });
  define(m, "sparse_to_rows", "(pattern: Pattern, values: Tensor, /) -> tuple[Pattern, Tensor]",
         [](nb::handle p, nb::handle values) {
           return derive("to_csr", p, values, [](const Pattern& from) { return to_rows("to_csr", from); });
         });
  define(m, "sparse_to_coordinates", "(pattern: Pattern, /) -> Pattern", [](nb::handle p) {
    const Pattern from = require_pattern("to_coo", p);
    return unlocked_if_long(from.count(), [&] { return to_coordinates("to_coo", from); });
  });
}

void bind_arrangements(nb::module_& m) {
  define(m, "sparse_permute",
         "(operator: str, pattern: Pattern, values: Tensor, axes: Shape, /) -> tuple[Pattern, Tensor]",
         [](const char* op, nb::handle p, nb::handle values, nb::handle order) {
           const Pattern& from = require_pattern(op, p);
           const Dims axes = require_permutation(op, order, from.rank());
           const Tensor x = require_values(op, from, values);
           if (!transposes_at_once(from, x, axes))
             return derive(op, p, values, [&](const Pattern& whole) { return sparse::permute(op, whole, axes); });
           Transposed result = unlocked_if_long(x.size, [&] { return transpose_rows(op, from, x); });
           return pair_of(std::move(result.pattern), std::move(result.values));
         });
  define(m, "sparse_reshape", "(pattern: Pattern, shape: Shape, /) -> Pattern", [](nb::handle p, nb::handle shape) {
    const char* op = "reshape";
    const Pattern from = require_pattern(op, p);
    Dims sizes = require_shape(op, shape.ptr(), -1);
    if (!sparse::differ_by_ones(from.shape, sizes)) {
      Tensor places;  // a tensor of which only the shape is used
      places.shape = from.shape;
      places.size = checked_size(op, from.shape, DType::uint8);
      sizes = resolve_shape(op, places, sizes);
    }
    return unlocked_if_long(from.count(), [&] { return sparse::reshape(op, from, sizes); });
  });
  define(m, "sparse_slice",
         "(pattern: Pattern, values: Tensor, start: Shape, step: Shape, count: Shape, /) -> tuple[Pattern, Tensor]",
         [](nb::handle p, nb::handle values, nb::handle start, nb::handle step, nb::handle count) {
           return slice_of("slice", p, values, start, step, count);
         });
  define(m, "sparse_select",
         "(pattern: Pattern, values: Tensor, index: Tensor, axis: int, /) -> tuple[Pattern, Tensor]",
         [](nb::handle p, nb::handle values, nb::handle index, nb::handle axis) {
           return select_of("index_select", p, values, index, axis);
         });
  define(
      m, "sparse_merge",
      "(a: Pattern, a_values: Tensor, b: Pattern, b_values: Tensor, both: bool, /) -> tuple[Pattern, Tensor, Tensor]",
      [](nb::handle a, nb::handle a_values, nb::handle b, nb::handle b_values, bool both) {
        return merge_of("merge", a, a_values, b, b_values, both);
      });
  define(m, "sparse_join", "(patterns: tuple[Pattern, ...], values: Tensor, axis: int, /) -> tuple[Pattern, Tensor]",
         [](nb::handle patterns, nb::handle values, nb::handle axis) {
           return join_of("concat", patterns, values, axis);
         });
  define(m, "sparse_fold", "(op: str, pattern: Pattern, values: Tensor, kept: Shape, /) -> Tensor",
         [](nb::handle name, nb::handle pattern, nb::handle elements, nb::handle axes) {
           const auto [op, reduction] = require_fold(name);
           const Pattern& p = require_pattern(op, pattern);
           const Tensor values = require_values(op, p, elements);
           if (is_complex(values.dtype) && (reduction == Reduction::max || reduction == Reduction::min))
             fail(Status::type_mismatch, op, ": element type ", suanzi::name(values.dtype), " has no order");
           const uint64_t kept = require_axes(op, axes.ptr(), p.rank());
           return unlocked_if_long(
               values.size, [&, op = op, reduction = reduction] { return fold(op, reduction, p, values, kept); });
         });
}

void bind_dense(nb::module_& m) {
  define(m, "sparse_to_dense", "(pattern: Pattern, values: Tensor, /) -> Tensor",
         [](nb::handle pattern, nb::handle elements) {
           const char* op = "to_dense";
           const Pattern p = require_pattern(op, pattern);
           const Tensor values = require_values(op, p, elements);
           return unlocked_if_long(work_of(p, values), [&] { return coalesced_to_dense(op, p, values); });
         });
  define(m, "sparse_from_dense", "(x: Tensor, /) -> tuple[Pattern, Tensor]",
         [](nb::handle x) { return from_dense_of("to_sparse", x); });
  define(m, "sparse_gather", "(pattern: Pattern, x: Tensor, /) -> Tensor", [](nb::handle pattern, nb::handle operand) {
    const char* op = "gather";
    const Pattern p = require_pattern(op, pattern);
    const Tensor x = require_tensor(op, operand.ptr());
    bool begins = x.rank() >= p.rank();
    for (int axis = 0; begins && axis < p.rank(); ++axis) begins = x.shape[axis] == p.shape[axis];
    if (!begins) fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " does not begin with ", p.shape);
    if (x.dtype == DType::string) fail(Status::type_mismatch, op, ": a sparse tensor cannot hold strings");
    return unlocked_if_long(p.count(), [&] { return from_dense(op, p, x); });
  });
  define(m, "sparse_times_dense", "(pattern: Pattern, values: Tensor, x: Tensor, /) -> Tensor",
         [](nb::handle pattern, nb::handle elements, nb::handle operand) {
           const char* op = "matmul";
           const Pattern p = require_pattern(op, pattern);
           const Tensor values = require_values(op, p, elements), x = require_tensor(op, operand.ptr());
           return unlocked_if_long(values.size + x.size, [&] { return multiply_dense(op, p, values, x); });
         });
  define(m, "sparse_times_sparse",
         "(a: Pattern, a_values: Tensor, b: Pattern, b_values: Tensor, /) -> tuple[Pattern, Tensor]",
         [](nb::handle first, nb::handle x_values, nb::handle second, nb::handle y_values) {
           const char* op = "matmul";
           const Pattern a = require_pattern(op, first), b = require_pattern(op, second);
           const Tensor x = require_values(op, a, x_values), y = require_values(op, b, y_values);
           Product product = unlocked_if_long(a.count() + b.count(), [&] { return multiply_rows(op, a, x, b, y); });
           return pair_of(std::move(product.pattern), std::move(product.values));
         });
}

}  // namespace

void bind_sparse(nb::module_& m) {
  bind_pattern(m);
  bind_formats(m);
  bind_arrangements(m);
  bind_dense(m);
}

}  // namespace suanzi::python
