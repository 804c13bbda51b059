#include "ops/interpolate/interpolate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "kernels/kernel.h"
#include "ops/interpolate/interpolation_table.h"
#include "ops/reduce/statistics.h"
#include "runtime/machine.h"
#include "runtime/share.h"
#include "walk/copy.h"
#include "walk/movement.kernels.h"

namespace suanzi {
namespace {

constexpr const char* op = "interpolate";

// Describes a mode by its number of spatial dimensions (0 means any number), its filter, and its filter against
// aliasing.
struct ModeRule {
  int spatial;
  Filter filter;
  // `aligns` is true if the mode accepts align_corners.
  bool aligns;
  // The filter against aliasing. For modes without a filter against aliasing, `wide` equals `filter`.
  Filter wide;
};
constexpr ModeRule mode_rules[interpolation_mode_count] = {
    {0, Filter::nearest, false, Filter::nearest}, {0, Filter::nearest_exact, false, Filter::nearest_exact},
    {1, Filter::linear, true, Filter::linear},    {2, Filter::linear, true, Filter::wide_linear},
    {2, Filter::cubic, true, Filter::wide_cubic}, {3, Filter::linear, true, Filter::linear},
    {0, Filter::area, false, Filter::area},
};

const ModeRule& rule_of(InterpolationMode mode) { return mode_rules[static_cast<int>(mode)]; }
std::string_view name_of(InterpolationMode mode) { return interpolation_mode_names[static_cast<int>(mode)]; }

Filter filter_of(const Interpolation& how) {
  const ModeRule& rule = rule_of(how.mode);
  return how.antialias ? rule.wide : rule.filter;
}
bool chooses(Filter filter) { return filter == Filter::nearest || filter == Filter::nearest_exact; }

int64_t scaled_size(int64_t size, double scale) {
  const double scaled = static_cast<double>(size) * scale;
  if (scaled >= 0x1p63)
    fail(Status::alloc_failed, op, ": scale_factor ", scale, " enlarges a size of ", size, " past 64 bits");
  return static_cast<int64_t>(scaled);
}

InterpolatedAxis axis_of(const Tensor& x, const Interpolation& how, int d) {
  return {x.shape[leading_dimensions + d], how.size[d], how.keep_scale ? how.scale[d] : 0, how.align_corners};
}

// The spatial axes of a contiguous tensor and of the result, with a table for each axis that needs a table. Missing
// leading axes have size 1.
struct Axes {
  int64_t planes = 1;
  int64_t in[max_spatial] = {1, 1, 1}, out[max_spatial] = {1, 1, 1};
  std::optional<TapTable> table[max_spatial];
  // Holds the last axis if the tensor has only a few long rows. A table of the whole axis would be larger than a row.
  // The code therefore makes pieces of the table when it needs these pieces, and does not use table[2].
  std::optional<InterpolatedAxis> long_row;
  Filter filter;

  template <class T>
  static Axes make(const Tensor& x, const Interpolation& how) {
    const int spatial = how.size.size();
    Axes axes;
    axes.filter = filter_of(how);
    axes.planes = x.shape[0] * x.shape[1];
    bool others_kept = true;
    for (int d = 0; d < spatial; ++d) {
      const int place = max_spatial - spatial + d;
      const InterpolatedAxis axis = axis_of(x, how, d);
      axes.in[place] = axis.in;
      axes.out[place] = axis.out;
      if (keeps_elements(axes.filter, axis)) continue;
      if (d + 1 == spatial && others_kept && axis.out > costs::long_axis && axes.rows() < costs::few_long_rows) {
        axes.long_row = axis;
      } else {
        axes.table[place] = TapTable::make<T>(axes.filter, axis);
      }
      others_kept = false;
    }
    return axes;
  }
  int64_t rows() const { return planes * out[0] * out[1]; }
  int64_t source(int axis, int64_t i) const { return table[axis] ? table[axis]->taps().index[i] : i; }
  bool changes(int axis) const { return table[axis] || (long_row && axis == max_spatial - 1); }
};

// A range of results of an axis, and the table that contains the range.
struct Part {
  const TapTable* table;
  AxisPiece piece;
};

// Returns the part [start, end) of the results of an axis. If the axis is a long row, `own` receives the part's table.
template <class T>
Part part_of(const Axes& axes, int axis, int64_t start, int64_t end, int64_t vector, TapTable& own) {
  if (axes.table[axis]) return {&*axes.table[axis], axes.table[axis]->piece(start, end, vector)};
  own = TapTable::make<T>(axes.filter, *axes.long_row, start, end);
  return {&own, own.piece(0, end - start, vector)};
}

// --- results that are copies of elements ---

// Copies elements along rows. Long rows are copied in pieces. T is the type of positions.
template <class T>
class Selection {
 public:
  Selection(const Tensor& x, const Tensor& result, const Axes& axes)
      : x_(x), result_(result), axes_(axes), copy_(kernels().move[exponent_].copy) {}

  void run() const {
    const int64_t pieces = (width_ + costs::row_piece - 1) / costs::row_piece;
    share(result_.nbytes(), rows_ * pieces, [&](int64_t first, int64_t last) {
      TapTable own;
      while (first < last) {
        const int64_t piece = first / rows_, row = first % rows_;
        const int64_t count = std::min({rows_together, rows_ - row, last - first});
        const int64_t start = piece * costs::row_piece;
        select(row, count, start, std::min(width_, start + costs::row_piece), own);
        first += count;
      }
    });
  }

 private:
  static constexpr int64_t rows_together = 32;

  const std::byte* source(int64_t row) const {
    const int64_t plane = row / (axes_.out[0] * axes_.out[1]);
    const int64_t line = (plane * axes_.in[0] + axes_.source(0, row / axes_.out[1] % axes_.out[0])) * axes_.in[1] +
                         axes_.source(1, row % axes_.out[1]);
    return x_.data + line * axes_.in[2] * size_;
  }

  // Writes the results [start, end) of some rows. If two neighbouring rows consist of the same elements, the second row
  // is a copy of the first row.
  void select(int64_t first, int64_t count, int64_t start, int64_t end, TapTable& own) const {
    const Plane line{end - start, 1, size_, 0, size_, 0};
    std::byte *rows[rows_together], *to[rows_together];
    const std::byte *sources[rows_together], *from[rows_together];
    int64_t taken = 0;
    for (int64_t i = 0; i < count; ++i) {
      rows[i] = result_.data + ((first + i) * width_ + start) * size_;
      sources[i] = source(first + i);
      if (i > 0 && sources[i] == sources[i - 1]) continue;
      to[taken] = rows[i];
      from[taken++] = sources[i];
    }
    if (axes_.changes(2)) {
      const Part part = part_of<T>(axes_, 2, start, end, whole_vectors, own);
      for (int64_t i = 0; i < taken; ++i) from[i] += part.piece.origin * size_;
      kernels().interpolation->take[exponent_](to, from, taken, part.table->taps(), part.piece);
    } else {
      for (int64_t i = 0; i < taken; ++i) copy_(to[i], from[i] + start * size_, line);
    }
    for (int64_t i = 1; i < count; ++i)
      if (sources[i] == sources[i - 1]) copy_(rows[i], rows[i - 1], line);
  }

  const Tensor& x_;
  const Tensor& result_;
  const Axes& axes_;
  const int size_ = size_of(x_.dtype), exponent_ = std::countr_zero(static_cast<unsigned>(size_));
  const int64_t width_ = axes_.out[2], rows_ = axes_.rows();
  const MoveKernel copy_;
};

// --- results that are weighted sums ---

// Computes weighted sums along one axis after the other, in the order with the least work. A unit of work is a block of
// results along the first axis, or several whole planes. The results along one axis stay in the cache until the code
// has computed the sums along the next axis.
template <class T>
class Weighing {
 public:
  Weighing(const Tensor& x, const Tensor& result, const Axes& axes);
  void run() const;

 private:
  struct Unit {
    int64_t plane, planes;
    int64_t start;  // the start of the results along the first axis
    Part part;
  };
  // The memory of one task consists of a table, the operand in the type of the computation, and two results. The task
  // uses the two results in turn.
  struct Buffers {
    TapTable table;
    Scratch staged, results[2];
  };

  void choose_order();
  void choose_blocks();
  Unit unit_at(int64_t number, Buffers& buffers) const;
  void run_unit(const Unit& unit, Buffers& buffers) const;
  const T* stage(const Unit& unit, Buffers& buffers) const;
  void unstage(const Unit& unit, const T* sums, int64_t count) const;
  std::byte* target(const Unit& unit) const;
  bool direct() const { return x_.dtype == dtype_of<T>; }

  const Tensor& x_;
  const Tensor& result_;
  const Axes& axes_;
  const WeighingKernels& kernels_ = kernels().interpolation->weighing<T>();
  int first_ = 0;  // the first axis that is not treated as a part of the planes
  int64_t planes_ = 1;
  int order_[max_spatial], steps_ = 0;
  int64_t block_ = 1, blocks_ = 1, planes_together_ = 1;
  // The code reads the table of the first axis in multiples of vector_ results.
  int64_t vector_ = 1;
  bool stream_;
};

template <class T>
Weighing<T>::Weighing(const Tensor& x, const Tensor& result, const Axes& axes)
    : x_(x), result_(result), axes_(axes), planes_(axes.planes), stream_(result.nbytes() > cache_bytes()) {
  while (!axes.changes(first_)) planes_ *= axes.in[first_++];
  choose_order();
  choose_blocks();
}

template <class T>
void Weighing<T>::choose_order() {
  for (int axis = first_; axis < max_spatial; ++axis)
    if (axes_.changes(axis)) order_[steps_++] = axis;
  if (steps_ == 1) return;
  int order[max_spatial];
  std::copy_n(order_, steps_, order);
  const auto work = [&] {
    double total = 0, sizes[max_spatial];
    std::copy_n(axes_.in, max_spatial, sizes);
    for (int k = 0; k < steps_; ++k) {
      sizes[order[k]] = static_cast<double>(axes_.out[order[k]]);
      const double taps = static_cast<double>(axes_.table[order[k]]->taps().count);
      // Along rows, each tap also needs a permutation.
      total += sizes[0] * sizes[1] * sizes[2] * (order[k] == max_spatial - 1 ? 2 * taps + 2 : taps + 2);
    }
    return total;
  };
  double least = work();
  while (std::next_permutation(order, order + steps_))
    if (const double total = work(); total < least) {
      least = total;
      std::copy_n(order, steps_, order_);
    }
}

template <class T>
void Weighing<T>::choose_blocks() {
  const int64_t in = axes_.in[first_], out = axes_.out[first_];
  // Neighbouring blocks share elements. If the axis has fewer elements than results, small blocks would repeat much
  // work.
  const int64_t least_block = std::max<int64_t>(1, 8 * out / std::max(in, out));
  int64_t across = static_cast<int64_t>(sizeof(T));  // the number of bytes in a layer across the first axis
  for (int axis = first_ + 1; axis < max_spatial; ++axis) across *= std::max(axes_.in[axis], axes_.out[axis]);
  // The number of layers that fit in the cache.
  const int64_t layers = std::max<int64_t>(1, costs::interpolated_block / across);
  if (std::max(in, out) <= layers) {
    block_ = out;
    planes_together_ = layers / std::max(in, out);
  } else {
    block_ = std::min(out, std::max(least_block, layers / std::max<int64_t>(1, in / out)));
  }
  // The code divides the work so that every thread has a part.
  const int64_t wanted = !is_shared(result_.nbytes()) ? 1 : 2 * num_threads();
  planes_together_ = std::max<int64_t>(1, std::min(planes_together_, planes_ / wanted));
  if (planes_ < wanted) block_ = std::min(block_, std::max(least_block, out * planes_ / wanted));
  int64_t inner = 1;  // the least number of elements between results of the first axis
  for (int axis = first_ + 1; axis < max_spatial; ++axis) inner *= std::min(axes_.in[axis], axes_.out[axis]);
  if (inner == 1) vector_ = whole_vectors;
  block_ = (block_ + vector_ - 1) / vector_ * vector_;
  block_ = std::min(block_, out);
  blocks_ = (out + block_ - 1) / block_;
}

template <class T>
auto Weighing<T>::unit_at(int64_t number, Buffers& buffers) const -> Unit {
  if (blocks_ == 1 && axes_.table[first_]) {
    const TapTable& table = *axes_.table[first_];
    const int64_t plane = number * planes_together_;
    return {plane, std::min(planes_together_, planes_ - plane), 0, {&table, table.whole()}};
  }
  const int64_t start = number % blocks_ * block_, end = std::min(start + block_, axes_.out[first_]);
  return {number / blocks_, 1, start, part_of<T>(axes_, first_, start, end, vector_, buffers.table)};
}

template <class T>
const T* Weighing<T>::stage(const Unit& unit, Buffers& buffers) const {
  int64_t layer = 1;
  for (int axis = first_ + 1; axis < max_spatial; ++axis) layer *= axes_.in[axis];
  const int64_t start = (unit.plane * axes_.in[first_] + unit.part.piece.origin) * layer;
  const std::byte* const from = x_.data + start * size_of(x_.dtype);
  if (direct()) return reinterpret_cast<const T*>(from);
  const int64_t count = unit.planes * unit.part.piece.extent * layer;
  T* const staged = buffers.staged.template take<T>(count);
  const void* const in[] = {from};
  converter(x_.dtype, dtype_of<T>)(staged, in, count, {});
  return staged;
}

template <class T>
std::byte* Weighing<T>::target(const Unit& unit) const {
  int64_t layer = size_of(result_.dtype);
  for (int axis = first_ + 1; axis < max_spatial; ++axis) layer *= axes_.out[axis];
  return result_.data + (unit.plane * axes_.out[first_] + unit.start) * layer;
}

template <class T>
void Weighing<T>::unstage(const Unit& unit, const T* sums, int64_t count) const {
  const void* const in[] = {sums};
  converter(dtype_of<T>, x_.dtype)(target(unit), in, count, {});
}

template <class T>
void Weighing<T>::run_unit(const Unit& unit, Buffers& buffers) const {
  int64_t sizes[max_spatial];
  for (int axis = 0; axis < max_spatial; ++axis) sizes[axis] = axis < first_ ? 1 : axes_.in[axis];
  sizes[first_] = unit.part.piece.extent;
  const T* from = stage(unit, buffers);
  for (int k = 0; k < steps_; ++k) {
    const int axis = order_[k];
    const auto [table, piece] = axis == first_ ? unit.part : Part{&*axes_.table[axis], axes_.table[axis]->whole()};
    int64_t outer = unit.planes, inner = 1;
    for (int other = 0; other < axis; ++other) outer *= sizes[other];
    for (int other = axis + 1; other < max_spatial; ++other) inner *= sizes[other];
    const int64_t before = sizes[axis] * inner, after = (piece.last - piece.first) * inner;
    const bool in_place = k + 1 == steps_ && direct();
    T* const to =
        in_place ? reinterpret_cast<T*>(target(unit)) : buffers.results[k % 2].template take<T>(outer * after);
    if (inner == 1) {
      kernels_.along(to, from, outer, table->taps(), piece);
    } else {
      for (int64_t o = 0; o < outer; ++o)
        kernels_.across(to + o * after, from + o * before, inner, table->taps(), piece, stream_ && in_place);
    }
    sizes[axis] = piece.last - piece.first;
    const bool last = k + 1 == steps_;
    // A sum that is outside the range of uint8 after one axis may be in this range after the next axis.
    if (last && x_.dtype == DType::uint8) kernels_.to_bytes(to, outer * after);
    if (last && !direct()) unstage(unit, to, outer * after);
    from = to;
  }
}

template <class T>
void Weighing<T>::run() const {
  const int64_t units = blocks_ > 1 ? planes_ * blocks_ : (planes_ + planes_together_ - 1) / planes_together_;
  share(std::max(x_.nbytes(), result_.nbytes()), units, [&](int64_t first, int64_t last) {
    Buffers buffers;
    for (int64_t unit = first; unit < last; ++unit) run_unit(unit_at(unit, buffers), buffers);
  });
}

template <class T>
void run(const Tensor& x, const Tensor& result, const Interpolation& how) {
  const Axes axes = Axes::make<T>(x, how);
  if (chooses(axes.filter)) return Selection<T>(x, result, axes).run();
  Weighing<T>(x, result, axes).run();
}

// Returns true if the interpolation replaces each plane by its mean, and reductions compute the means. Reductions read
// a plane once and add in float64. Sums of float64 elements might overflow, so the function returns false for float64.
bool averages_planes(const Tensor& x, const Interpolation& how) {
  return how.mode == InterpolationMode::area && is_floating(x.dtype) && x.dtype != DType::float64 &&
         product(how.size) == 1;
}

}  // namespace

int spatial_dimensions(const Tensor& x) {
  const int spatial = x.rank() - leading_dimensions;
  if (spatial < 1 || spatial > max_spatial)
    fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " is not (N, C) and 1 to ", max_spatial,
         " spatial dimensions");
  return spatial;
}

namespace {

// Returns the interpolation that the caller requests. If the request has factors, the sizes of the result are still
// missing.
Interpolation requested(int spatial, const InterpolationRequest& request) {
  if (request.size.has_value() == request.factors.has_value())
    fail(Status::invalid_argument, op,
         request.size ? ": size and scale_factor are both given; give one" : ": give size or scale_factor");
  if (request.recompute && request.size)
    fail(Status::invalid_argument, op, ": recompute_scale_factor goes with scale_factor, not with size");
  Interpolation how{request.mode, request.align_corners, request.antialias, false, {}, {}};
  if (request.size) {
    if (request.size->empty()) fail(Status::dimensions_mismatch, op, ": size is empty");
    how.size = *request.size;
    return how;
  }
  if (request.factors->size() != static_cast<size_t>(spatial))
    fail(Status::dimensions_mismatch, op, ": scale_factor has ", request.factors->size(), " numbers, but there are ",
         spatial, " spatial dimensions");
  for (int d = 0; d < spatial; ++d) {
    how.scale[d] = (*request.factors)[static_cast<size_t>(d)];
    if (!std::isfinite(how.scale[d]) || how.scale[d] <= 0)
      fail(Status::invalid_argument, op, ": scale_factor ", how.scale[d], " is not positive and finite");
  }
  how.keep_scale = !request.recompute && how.mode != InterpolationMode::area;
  return how;
}

}  // namespace

Interpolation resolve(const Tensor& x, const InterpolationRequest& request) {
  const ModeRule& rule = rule_of(request.mode);
  const int spatial = spatial_dimensions(x);
  Interpolation how = requested(spatial, request);
  if (!chooses(rule.filter) && !is_floating(x.dtype) && x.dtype != DType::uint8)
    fail(Status::type_mismatch, op, ": mode ", name_of(how.mode), " accepts floating types and uint8, not ",
         name(x.dtype));
  if (rule.spatial != 0 && rule.spatial != spatial)
    fail(Status::dimensions_mismatch, op, ": mode ", name_of(how.mode), " takes ", rule.spatial,
         " spatial dimensions, but shape ", x.shape, " has ", spatial);
  if (how.align_corners && !rule.aligns)
    fail(Status::invalid_argument, op, ": align_corners does not go with mode ", name_of(how.mode));
  if (how.antialias && rule.wide == rule.filter)
    fail(Status::invalid_argument, op, ": antialias goes with bilinear and bicubic, not with ", name_of(how.mode));
  const bool scaled = how.size.empty();
  if (!scaled && how.size.size() != spatial)
    fail(Status::dimensions_mismatch, op, ": size ", how.size, " does not have a number for each of the ", spatial,
         " spatial dimensions of shape ", x.shape);
  for (int d = 0; d < spatial; ++d) {
    const int64_t in = x.shape[leading_dimensions + d];
    if (in == 0)
      fail(Status::dimensions_mismatch, op, ": shape ", x.shape, " has no elements along a spatial dimension");
    if (scaled) how.size.push_back(scaled_size(in, how.scale[d]));
    if (how.size[d] <= 0)
      fail(Status::invalid_argument, op, ": size ", how.size[d], " of spatial dimension ", d, " is not positive");
  }
  return how;
}

Tensor interpolate(const Tensor& x, const Interpolation& how) {
  Dims shape{x.shape[0], x.shape[1]};
  bool same = true;
  for (int d = 0; d < how.size.size(); ++d) {
    shape.push_back(how.size[d]);
    same = same && keeps_elements(filter_of(how), axis_of(x, how, d));
  }
  const Tensor result = make_empty(op, shape, x.dtype);
  if (result.size == 0) return result;
  if (same) {
    copy_into(op, result, x);
    return result;
  }
  const Tensor source = x.contiguous ? x : to_contiguous(op, x);
  if (averages_planes(x, how)) {
    const uint64_t all = (uint64_t{1} << x.rank()) - 1, leading = (uint64_t{1} << leading_dimensions) - 1;
    return mean(op, source, all & ~leading, true, x.dtype);
  }
  if (x.dtype == DType::float64) {
    run<double>(source, result, how);
  } else {
    run<float>(source, result, how);
  }
  keep_referents(result, source);
  return result;
}

}  // namespace suanzi
