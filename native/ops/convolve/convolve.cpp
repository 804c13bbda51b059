// Convolutions as matrix products of the weights and the patches of the image. The code packs patches panel by panel.
// The whole patch matrix exists in memory only for results with few positions. Two other methods compute sums directly
// from copies of parts of the image (direct.h, blocked.h).
#include "ops/convolve/convolve.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "kernels/kernel.h"
#include "ops/convolve/blocked.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/direct.h"
#include "ops/convolve/geometry.h"
#include "ops/convolve/patches.h"
#include "ops/convolve/units.h"
#include "ops/elementwise/elementwise.h"
#include "ops/product/gemm.h"
#include "ops/product/gemv.h"
#include "ops/product/matmul.h"
#include "ops/product/sharing.h"
#include "ops/product/thin.h"
#include "runtime/share.h"
#include "walk/copy.h"

namespace suanzi::convolve {

using products::ceiling;

namespace {

// Adds the rows of `added`, if given, to the sums, and applies the activation.
void end_rows(const Activation& activation, const products::Matrix& sums, const std::byte* added, int64_t added_row,
              DType dtype) {
  if (!added && activation.function == EndFunction::none) return;
  direct_kernels(dtype)->end({sums.data, sums.row_step, added, added_row, sums.rows, sums.columns, activation.function,
                              activation.first, activation.second});
}

// The products of a group's weights with the patches of an image.
class Products {
 public:
  Products(const Geometry& g, const Tensor& weight, const std::byte* bias, const Ending& ending)
      : g_(g),
        dtype_(weight.dtype),
        size_(size_of(dtype_)),
        kernel_(products::kernels_for(dtype_)),
        terms_(g.in_channels * g.taps()),
        depth_(std::min(costs::shared_panel_rows(), terms_)),
        rows_(ceiling(g.out_channels, kernel_.rows) * kernel_.rows),
        packs_rows_(g.places() >= costs::packed_places),
        packs_panels_(g.out_channels > costs::packed_rows || !g.is_product()),
        has_bias_(bias != nullptr),
        ending_(ending),
        weight_(weight.data),
        bias_(bias),
        packed_(packs_rows_ ? g.groups * rows_ * terms_ * size_ : 0),
        starts_(has_bias_ ? g.groups * g.out_channels * kernel_.panel * size_ : 0) {
    if (packs_rows_) pack_weight();
    if (has_bias_) spread(bias);
  }

  // Computes the results of the pairs (image, group) whose indices are in [first, last).
  void run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const {
    for (int64_t unit = first; unit < last; ++unit) run_unit(x, result, unit, threads);
  }

  // Returns true if the result has enough positions for products of panels.
  static bool uses_panels(const Geometry& g, DType dtype) {
    return g.places() > costs::places_by_vectors && !are_few(g, dtype);
  }

 private:
  void run_unit(const Tensor& x, const Tensor& result, int64_t unit, int threads) const {
    const int64_t group = unit % g_.groups, places = g_.places(), width = kernel_.panel;
    std::byte* const image = x.data + unit * g_.in_channels * g_.elements() * size_;
    if (places <= costs::places_by_vectors) return run_places(image, result, unit);
    if (are_few(g_, dtype_)) return run_few_places(image, result, unit);
    const int64_t first = unit * g_.out_channels * places * size_;
    const products::Matrix c{result.data + first, g_.out_channels, places, places, 1};
    const std::byte* const starts = has_bias_ ? starts_.data() + group * g_.out_channels * width * size_ : nullptr;
    const std::byte* const added = ending_.added ? ending_.added->data + first : nullptr;
    const Patches patches(g_, size_, image);
    const auto pack_panel = [&](std::byte* panel, int64_t column, int64_t term, int64_t height) {
      if (packs_panels_) patches.pack(panel, width, column, std::min(width, places - column), term, height);
    };
    const auto multiply = [&](const std::byte*, int64_t row, int64_t rows, const std::byte* panel, int64_t column,
                              int64_t term, int64_t height) {
      const products::Matrix target = c.block(row, column, rows, std::min(width, places - column), size_);
      const std::byte* const bias = starts ? starts + row * width * size_ : nullptr;
      GemmBlock block = block_of(group, row, rows, term, height);
      block.n = target.columns;
      block.b = packs_panels_ ? panel : image + (term * places + column) * size_;
      block.b_row = packs_panels_ ? width : places;
      block.c = target.data;
      block.c_row = places;
      if (term > 0) {
        block.start = target.data;
        block.start_row = places;
      } else if (added) {
        block.start = added + (row * places + column) * size_;
        block.start_row = places;
      } else if (bias) {
        block.start = bias;
        block.start_row = width;
      }
      kernel_.block(block);
      if (term + height == terms_) end_rows(ending_.activation, target, added ? bias : nullptr, width, dtype_);
    };
    if (weights_stay()) return share_places(threads, pack_panel, multiply);
    share_out(sharing(threads), pack_panel, [](std::byte*, int64_t, int64_t, int64_t, int64_t) {}, multiply);
  }

  // Multiplies the unpacked weights by the patch of each position of the result. The code uses this function for
  // results with very few positions.
  void run_places(std::byte* image, const Tensor& result, int64_t unit) const {
    const int64_t group = unit % g_.groups, places = g_.places(), channel = group * g_.out_channels;
    const Patches patches(g_, size_, image);
    const ScratchArray<std::byte> patch(terms_ * size_);
    const products::Matrix weight{weight_ + channel * terms_ * size_, g_.out_channels, terms_, terms_, 1};
    std::byte* const sums = result.data + unit * g_.out_channels * places * size_;
    for (int64_t place = 0; place < places; ++place) {
      patches.pack(patch.data(), 1, place, 1, 0, terms_);
      products::multiply_vector(dtype_, weight, {patch.data(), 1}, {sums + place * size_, places},
                                bias_ ? bias_ + channel * size_ : nullptr);
    }
    end(ending_, {sums, g_.out_channels, places, places, 1}, sums - result.data, dtype_);
  }

  // Returns true if three conditions hold. The elements are floating numbers, the positions of the result fill at most
  // half of a panel, and a group has at least as many channels as the result has positions.
  static bool are_few(const Geometry& g, DType dtype) {
    return is_floating(dtype) && g.places() <= products::kernels_for(dtype).panel / 2 && g.places() <= g.out_channels;
  }

  // Multiplies the patches of all positions by the transposed, unpacked weights. The function reads the weights once.
  void run_few_places(std::byte* image, const Tensor& result, int64_t unit) const {
    const int64_t places = g_.places(), channels = g_.out_channels, channel = unit % g_.groups * channels;
    const Patches patches(g_, size_, image);
    const ScratchArray<std::byte> panel(terms_ * places * size_), sums(places * channels * size_);
    patches.pack(panel.data(), places, 0, places, 0, terms_);
    const products::Matrix weight{weight_ + channel * terms_ * size_, channels, terms_, terms_, 1};
    const products::Matrix target{sums.data(), places, channels, channels, 1};
    products::multiply_thin(dtype_, {panel.data(), places, terms_, 1, places}, weight.transposed(), target,
                            bias_ ? bias_ + channel * size_ : nullptr);
    std::byte* const out = result.data + unit * channels * places * size_;
    products::copy_panel(out, target.transposed(), places, size_);
    end(ending_, {out, channels, places, places, 1}, out - result.data, dtype_);
  }

  // Returns true if the weights of a range of terms stay in the L2 cache of each thread.
  bool weights_stay() const { return g_.out_channels * depth_ * size_ <= costs::slice_bytes(); }

  // Divides the panels of patches among the threads. Each thread packs a few panels at a time and multiplies all
  // weights by these panels, so that no thread waits for another thread.
  template <class PackPanel, class Multiply>
  void share_places(int threads, PackPanel pack_panel, Multiply multiply) const {
    const int64_t width = kernel_.panel, panel_bytes = depth_ * width * size_, places = g_.places();
    const int64_t panels = ceiling(places, width), most = std::min(num_threads(), threads);
    const int64_t few = ceiling(panels, std::max<int64_t>(costs::patch_panels_bytes / panel_bytes, 1));
    const int64_t tasks = most == 1 ? few : std::min(ceiling(few, most) * most, panels);
    parallel_for(tasks, threads, [&](int64_t task) {
      const int64_t first = panels * task / tasks, last = panels * (task + 1) / tasks;
      const ScratchArray<std::byte> packed(packs_panels_ ? (last - first) * panel_bytes : 0);
      for (int64_t term = 0; term < terms_; term += depth_) {
        const int64_t height = std::min(depth_, terms_ - term);
        const auto panel = [&](int64_t i) { return packed.data() + (packs_panels_ ? (i - first) * panel_bytes : 0); };
        for (int64_t i = first; i < last; ++i) pack_panel(panel(i), i * width, term, height);
        for (int64_t i = first; i < last; ++i) multiply(nullptr, 0, g_.out_channels, panel(i), i * width, term, height);
      }
    });
  }

  products::Sharing sharing(int threads) const {
    return {g_.out_channels, g_.places(), terms_, kernel_.rows, kernel_.panel, depth_, depth_ * kernel_.panel * size_,
            depth_ * size_,  threads};
  }

  // Returns a block whose left operand is the weights of the given terms. Packed weights are stored one range of terms
  // after the other, in the layout that products::Sharing expects.
  GemmBlock block_of(int64_t group, int64_t row, int64_t rows, int64_t term, int64_t height) const {
    const int64_t strip = kernel_.rows;
    GemmBlock block{};
    block.m = rows;
    block.k = height;
    if (packs_rows_) {
      block.a = packed_.data() + (group * rows_ * terms_ + term * rows_ + row * height) * size_;
      block.a_row = 1;
      block.a_column = strip;
      block.a_strip = strip * height;
    } else {
      block.a = weight_ + ((group * g_.out_channels + row) * terms_ + term) * size_;
      block.a_row = terms_;
      block.a_column = 1;
      block.a_strip = strip * terms_;
    }
    return block;
  }

  void pack_weight() const {
    const int64_t strip = kernel_.rows, strips = rows_ / strip;
    share(g_.groups * rows_ * terms_ * size_, g_.groups * strips, [&](int64_t first, int64_t last) {
      for (int64_t i = first; i < last; ++i) {
        const int64_t group = i / strips, row = i % strips * strip;
        const products::Matrix rows{weight_ + (group * g_.out_channels + row) * terms_ * size_,
                                    std::min(strip, g_.out_channels - row), terms_, terms_, 1};
        for (int64_t term = 0; term < terms_; term += depth_) {
          const int64_t height = std::min(depth_, terms_ - term);
          products::copy_panel(packed_.data() + (group * rows_ * terms_ + term * rows_ + row * height) * size_,
                               rows.block(0, term, rows.rows, height, size_).transposed(), strip, size_);
        }
      }
    });
  }

  // Fills, for each channel, a row as wide as a panel with the channel's bias.
  void spread(const std::byte* bias) const {
    const int64_t width = kernel_.panel;
    kernels().move[std::countr_zero(static_cast<unsigned>(size_))].fill(
        starts_.data(), bias, {width, g_.groups * g_.out_channels, size_, width * size_, 0, size_});
  }

  const Geometry& g_;
  const DType dtype_;
  const int size_;
  const GemmKernels& kernel_;
  const int64_t terms_, depth_, rows_;
  const bool packs_rows_, packs_panels_, has_bias_;
  const Ending& ending_;
  std::byte* const weight_;
  const std::byte* const bias_;
  const ScratchArray<std::byte> packed_, starts_;
};

}  // namespace

void end(const Ending& ending, const products::Matrix& sums, int64_t offset, DType dtype) {
  // The code computes rows without gaps as one long row. Otherwise the activation of a result with a single position,
  // whose rows have one element, takes longer than the sums.
  const int64_t size = sums.rows * sums.columns;
  const products::Matrix rows = sums.row_step == sums.columns ? products::Matrix{sums.data, 1, size, size, 1} : sums;
  end_rows(ending.activation, rows, ending.added ? ending.added->data + offset : nullptr, rows.row_step, dtype);
}

void run(const Geometry& g, const Tensor& x, const Tensor& weight, const std::byte* bias, const Tensor& result,
         const Ending& ending) {
  const Geometry merged = with_merged_axes(g);
  if (Blocked::suits(merged, x.dtype, false))
    return for_units(merged, Blocked(merged, weight, false, bias, ending), x, result);
  if (Direct::suits(merged, x.dtype)) return for_units(merged, Direct(merged, weight, bias, ending), x, result);
  for_units(merged, Products(merged, weight, bias, ending), x, result);
}

namespace {

// Returns true if `run` begins the sums with the tensor that an ending adds. In this method, the added tensor may also
// be the result.
bool begins_with_added(const Geometry& g, DType dtype) {
  const Geometry merged = with_merged_axes(g);
  return !Blocked::suits(merged, dtype, false) && !Direct::suits(merged, dtype) && Products::uses_panels(merged, dtype);
}

// The operands, cast to the type of the computation, and the type of the result.
struct Operands {
  DType common, dtype;
  Tensor x, weight;
  std::optional<Tensor> bias, added;

  Operands(const char* op, const Geometry& g, const Tensor& given_x, const Tensor& given_weight,
           const Tensor* given_bias, const Ending& ending) {
    common = products::common_type(op, given_x, given_weight);
    if (given_bias) {
      check_alive(op, *given_bias);
      if (given_bias->rank() != 1 || given_bias->shape[0] != g.shape[1])
        fail(Status::dimensions_mismatch, op, ": bias of shape ", given_bias->shape, " does not fit ", g.shape[1],
             " channels");
      if (!promote(common, given_bias->dtype, common))
        fail(Status::type_mismatch, op, ": ", name(common), " and a bias of ", name(given_bias->dtype),
             " have no common type");
    }
    dtype = products::working_type(common);
    if (!ending.is_empty() && !direct_kernels(dtype))
      fail(Status::type_mismatch, op, ": elements are ", name(common), ", not floating");
    const auto as_computed = [&](const Tensor& t) { return to_contiguous(op, products::as_type(op, t, dtype)); };
    x = as_computed(given_x);
    weight = as_computed(given_weight);
    if (given_bias) bias = as_computed(*given_bias);
    if (ending.added) {
      added = as_computed(*ending.added);
    }
  }

  // Returns `out` if the code can compute the result in `out`, or otherwise a new tensor.
  Tensor target(const char* op, const Geometry& g, const Tensor* out) const {
    if (out) check_out(op, *out, g.shape, common);
    const auto apart = [&](const Tensor& t) { return t.storage.get() != out->storage.get() && !may_overlap(t, *out); };
    const bool direct = out && out->contiguous && out->dtype == dtype && apart(x) && apart(weight) &&
                        (!bias || apart(*bias)) && (!added || apart(*added));
    return direct ? *out : make_empty(op, g.shape, dtype);
  }
  Tensor deliver(const char* op, Tensor result, const Tensor* out) const {
    if (out && result.data == out->data && result.dtype == out->dtype) return result;
    return products::deliver(op, std::move(result), products::rounded_type(common, out), out);
  }

  // Fills the result of a convolution without terms with the bias, or with 0.
  void fill_with_bias(const char* op, const Tensor& result) const {
    if (!bias) return fill(op, result, Scalar::of(false));
    Dims shape(result.rank(), 1);
    shape[1] = result.shape[1];
    copy_into(op, result, *reshape_view(*bias, shape));
  }
  const std::byte* start() const { return bias ? bias->data : nullptr; }
  // Returns true if the added tensor is the given tensor itself, and not a converted copy.
  bool adds_given(const Ending& ending) const { return added && added->data == ending.added->data; }
};

// Computes a convolution. Then the function adds the tensor of `ending`, whose shape differs from the shape of the
// sums, and applies the activation.
Tensor added_apart(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                   const Ending& ending) {
  const Tensor sums = convolve(op, x, weight, bias, request, nullptr);
  const Operand operands[] = {{&sums, {}}, {ending.added, {}}};
  Tensor result = to_contiguous(op, elementwise(Operation::add, operands, nullptr));
  const Ending with{nullptr, ending.activation};
  if (!with.is_empty() && !direct_kernels(result.dtype))
    fail(Status::type_mismatch, op, ": elements are ", name(result.dtype), ", not float32 or float64");
  end(with, {result.data, 1, result.size, result.size, 1}, 0, result.dtype);
  return result;
}

}  // namespace

Tensor convolve(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                const Tensor* out, const Ending& ending) {
  const Geometry g = geometry_of(op, x, weight, request);
  if (ending.added) {
    check_alive(op, *ending.added);
    if (ending.added->shape != g.shape) return added_apart(op, x, weight, bias, request, ending);
  }
  return compute(op, g, x, weight, false, bias, out, ending);
}

Tensor compute(const char* op, const Geometry& g, const Tensor& x, const Tensor& weight, bool is_packed,
               const Tensor* bias, const Tensor* out, const Ending& ending) {
  const Operands operands(op, g, x, weight, bias, ending);
  const bool overwrites =
      ending.overwrites && operands.adds_given(ending) && !is_packed && begins_with_added(g, operands.dtype);
  Tensor result = overwrites ? *operands.added : operands.target(op, g, out);
  const Ending with{operands.added ? &*operands.added : nullptr, ending.activation};
  if (result.size > 0) {
    if (operands.x.size == 0 || g.in_channels == 0) {
      operands.fill_with_bias(op, result);
      end(with, {result.data, 1, result.size, result.size, 1}, 0, operands.dtype);
    } else if (is_packed) {
      const Geometry merged = with_merged_axes(g);
      for_units(merged, Blocked(merged, operands.weight, true, operands.start(), with), operands.x, result);
    } else {
      run(g, operands.x, operands.weight, operands.start(), result, with);
    }
  }
  return operands.deliver(op, std::move(result), out);
}

namespace {

// A phase is the set of positions, along one dimension of a transposed convolution's result, to which the same taps
// contribute. The `count` taps are first, first + step, .... The positions are place, place + stride, .... A
// convolution of stride 1 computes the elements of a phase.
struct Phase {
  int64_t first, step, count;
  int64_t place;
  Axis axis;
};

std::vector<Phase> phases_of(const Axis& axis) {
  std::vector<Phase> phases;
  const int64_t common = std::gcd(axis.stride, axis.dilation), step = axis.stride / common;
  for (int64_t first = 0; first < std::min(axis.kernel, step); ++first) {
    // Element i of x and tap k contribute to position i * stride + k * dilation - before.
    const int64_t reach = first * axis.dilation - axis.before, rest = reach % axis.stride;
    const int64_t place = rest < 0 ? rest + axis.stride : rest;
    if (place >= axis.out) continue;
    const int64_t count = (axis.kernel - first - 1) / step + 1, dilation = axis.dilation / common;
    const int64_t out = (axis.out - place - 1) / axis.stride + 1;
    const int64_t before = (count - 1) * dilation - (place - reach) / axis.stride;
    phases.push_back({first, step, count, place, {axis.in, out, count, 1, dilation, before}});
  }
  return phases;
}

// Returns the weight of shape (groups * C, M, ...) as a weight of shape (groups * M, C, ...). The returned weight has
// only the taps of a phase, in reverse order.
Tensor phase_weight(const char* op, const Geometry& g, const Tensor& weight, const Phase* const* phases) {
  const int spatial = weight.rank() - leading_dimensions;
  const Dims& steps = weight.strides;
  Dims shape{g.groups, g.out_channels, g.in_channels}, strides{steps[0] * g.in_channels, steps[1], steps[0]};
  Dims whole{g.groups * g.out_channels, g.in_channels};
  int64_t offset = 0;
  for (int d = 0; d < spatial; ++d) {
    const Phase& phase = *phases[max_spatial - spatial + d];
    const int64_t tap = steps[leading_dimensions + d];
    shape.push_back(phase.count);
    whole.push_back(phase.count);
    strides.push_back(-tap * phase.step);
    offset += (phase.first + (phase.count - 1) * phase.step) * tap;
  }
  return reshape(op, to_contiguous(op, make_view(weight, shape, strides, offset)), whole);
}

// Returns a view of the result that has only the positions of a phase.
Tensor phase_places(const Geometry& g, const Tensor& result, const Phase* const* phases) {
  const int spatial = result.rank() - leading_dimensions;
  Dims shape = result.shape, strides = result.strides;
  int64_t offset = 0;
  for (int d = 0; d < spatial; ++d) {
    const int axis = max_spatial - spatial + d, at = leading_dimensions + d;
    offset += phases[axis]->place * strides[at];
    shape[at] = phases[axis]->axis.out;
    strides[at] *= g.axes[axis].stride;
  }
  return make_view(result, shape, strides, offset);
}

// Returns true if several phases exist that differ only in their taps and whose positions interleave. Without padding
// and dilation, such phases exist if the stride divides the size of the kernel.
bool are_alike(const Geometry& g, const std::vector<Phase> (&phases)[max_spatial]) {
  int64_t all = 1;
  for (int d = 0; d < max_spatial; ++d) {
    const auto count = static_cast<int64_t>(phases[d].size());
    if (count != g.axes[d].stride) return false;
    const Axis& first = phases[d].front().axis;
    for (const Phase& phase : phases[d])
      if (phase.place != phase.first || phase.axis.out != first.out || phase.axis.kernel != first.kernel ||
          phase.axis.before != first.before)
        return false;
    all *= count;
  }
  return all > 1;
}

Dims joined(Dims a, const Dims& b) {
  for (const int64_t x : b) a.push_back(x);
  return a;
}

// Computes the phases, for which are_alike must return true, as one convolution, which reads the image once. The
// convolution has one output channel for each channel and phase.
void run_together(const char* op, const Geometry& g, const Operands& operands,
                  const std::vector<Phase> (&phases)[max_spatial], const Tensor& result) {
  const Dims &from = operands.weight.strides, &to = result.strides;
  const int64_t channels = g.groups * g.out_channels;
  Geometry part = g;
  int64_t all = 1, offset = 0;
  Dims counts, taps, out, count_steps, tap_steps, target_steps, out_steps;
  for (int at = leading_dimensions; at < result.rank(); ++at) {
    const int d = max_spatial - result.rank() + at;
    const auto count = static_cast<int64_t>(phases[d].size());
    const Axis& axis = part.axes[d] = phases[d].front().axis;
    counts.push_back(count);
    count_steps.push_back(from[at]);
    taps.push_back(axis.kernel);
    tap_steps.push_back(-count * from[at]);
    offset += (axis.kernel - 1) * count * from[at];
    target_steps.push_back(to[at]);
    out.push_back(axis.out);
    out_steps.push_back(count * to[at]);
    all *= count;
  }
  part.out_channels *= all;
  part.shape = joined({result.shape[0], channels * all}, out);
  const Tensor turned =
      make_view(operands.weight, joined(joined({g.groups, g.out_channels}, counts), joined({g.in_channels}, taps)),
                joined(joined({from[0] * g.in_channels, from[1]}, count_steps), joined({from[0]}, tap_steps)), offset);
  const Tensor weight = reshape(op, to_contiguous(op, turned), joined({channels * all, g.in_channels}, taps));
  std::optional<Tensor> bias;
  if (operands.bias) bias = to_contiguous(op, make_view(*operands.bias, {channels, all}, {1, 0}));
  const Tensor sums = make_empty(op, part.shape, operands.dtype);
  run(part, operands.x, weight, bias ? bias->data : nullptr, sums, {});
  const Dims shape = joined(joined({result.shape[0], channels}, counts), out);
  copy_into(op, make_view(result, shape, joined(joined({to[0], to[1]}, target_steps), out_steps)),
            reshape(op, sums, shape));
}

}  // namespace

Tensor transpose(const char* op, const Tensor& x, const Tensor& weight, const Tensor* bias, const Request& request,
                 const Tensor* out) {
  const Geometry g = transposed_geometry(op, x, weight, request);
  const Operands operands(op, g, x, weight, bias, {});
  Tensor result = operands.target(op, g, out);
  if (result.size == 0) return operands.deliver(op, std::move(result), out);
  std::vector<Phase> phases[max_spatial];
  int64_t reached = 1;
  for (int d = 0; d < max_spatial; ++d) {
    phases[d] = phases_of(g.axes[d]);
    int64_t places = 0;
    for (const Phase& phase : phases[d]) places += phase.axis.out;
    reached *= places;
  }
  if (reached < g.places() || g.in_channels == 0 || operands.x.size == 0) operands.fill_with_bias(op, result);
  if (g.in_channels == 0 || operands.x.size == 0) return operands.deliver(op, std::move(result), out);
  if (are_alike(g, phases)) {
    run_together(op, g, operands, phases, result);
    return operands.deliver(op, std::move(result), out);
  }
  for (const Phase& a : phases[0]) {
    for (const Phase& b : phases[1]) {
      for (const Phase& c : phases[2]) {
        const Phase* const chosen[max_spatial] = {&a, &b, &c};
        Geometry part = g;
        for (int d = 0; d < max_spatial; ++d) part.axes[d] = chosen[d]->axis;
        const Tensor target = phase_places(g, result, chosen);
        part.shape = target.shape;
        const Tensor turned = phase_weight(op, g, operands.weight, chosen);
        if (target.size == result.size) {
          run(part, operands.x, turned, operands.start(), result, {});
        } else {
          const Tensor sums = make_empty(op, part.shape, operands.dtype);
          run(part, operands.x, turned, operands.start(), sums, {});
          copy_into(op, target, sums);
        }
      }
    }
  }
  return operands.deliver(op, std::move(result), out);
}

}  // namespace suanzi::convolve
