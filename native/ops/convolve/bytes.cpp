// Convolutions of 8-bit integers as matrix products of the weight and the patches. The code packs these operands in the
// format that the kernels of ops/product/bytes.kernels.h read. For few channels, the code computes the sums in float32,
// which is exact for so few terms.
#include <algorithm>
#include <cstring>

#include "kernels/kernel.h"
#include "ops/convolve/convolve.h"
#include "ops/convolve/convolve.kernels.h"
#include "ops/convolve/direct.h"
#include "ops/convolve/geometry.h"
#include "ops/convolve/patches.h"
#include "ops/convolve/units.h"
#include "ops/elementwise/elementwise.h"
#include "ops/product/bytes.kernels.h"
#include "ops/product/matmul.h"
#include "ops/product/sharing.h"
#include "walk/copy.h"

namespace suanzi::convolve {

using products::ceiling;

namespace {

constexpr int64_t widest_panel = 32, word_bytes = sizeof(uint32_t);
static_assert(costs::panel_depth <= most_byte_terms);
// A float32 number holds the sum exactly, because the sum stays below 2^24.
static_assert(costs::direct_byte_terms * 255 * 255 < int64_t{1} << 24);

// Returns true if a convolution has so few channels and terms that float32 sums are exact and faster.
bool suits_numbers(const Geometry& g) {
  return std::max(g.in_channels, g.out_channels) <= costs::direct_byte_channels &&
         g.in_channels * g.taps() <= costs::direct_byte_terms && g.taps() > 1 && Direct::suits(g, DType::float32);
}

ByteCodes codes_of(const Tensor& x, int zero) { return {x.dtype == DType::int8, zero}; }

class ByteProducts {
 public:
  ByteProducts(const Geometry& g, ByteCodes of_x, const Tensor& weight, ByteCodes of_weight)
      : g_(g), of_x_(of_x), of_weight_(of_weight), weight_(weight.data), terms_(g.in_channels * g.taps()) {}

  // Computes the results of the pairs (image, group) whose indices are in [first, last).
  void run(const Tensor& x, const Tensor& result, int64_t first, int64_t last, int threads) const {
    for (int64_t unit = first; unit < last; ++unit) run_unit(x, result, unit, threads);
  }

 private:
  void run_unit(const Tensor& x, const Tensor& result, int64_t unit, int threads) const {
    const int64_t width = kernels_.panel, strip = kernels_.rows, depth = std::min(costs::panel_depth, terms_);
    const int64_t places = g_.places(), group = unit % g_.groups;
    // One more line in each panel corrects the sums for the zero points.
    const int64_t lines = kernels_.words_of(depth) + 1;
    const std::byte* const rows = weight_ + group * g_.out_channels * terms_;
    const products::Matrix c{result.data + unit * g_.out_channels * places * word_bytes, g_.out_channels, places,
                             places, 1};
    const Patches patches(g_, 1, x.data + unit * g_.in_channels * g_.elements(), static_cast<uint8_t>(of_x_.zero));
    const products::Sharing sharing{g_.out_channels,
                                    places,
                                    terms_,
                                    strip,
                                    width,
                                    depth,
                                    lines * width * word_bytes,
                                    kernels_.row_words(depth) * word_bytes,
                                    threads};
    const auto pack_panel = [&](std::byte* panel, int64_t column, int64_t term, int64_t height) {
      alignas(64) std::byte codes[costs::panel_depth * widest_panel];
      const int64_t count = std::min(width, places - column);
      if (count < width) std::memset(codes, 0, static_cast<size_t>(height * width));
      patches.pack(codes, width, column, count, term, height);
      kernels_.pack_panel(reinterpret_cast<uint32_t*>(panel), codes, height, width, of_x_);
    };
    const auto pack_rows = [&](std::byte* left, int64_t row, int64_t count, int64_t term, int64_t height) {
      const int64_t step = kernels_.row_words(height);
      auto* to = reinterpret_cast<uint32_t*>(left);
      for (int64_t i = row; i < row + count; ++i, to += step)
        kernels_.pack_row(to, rows + i * terms_ + term, height, of_weight_, of_x_);
    };
    share_out(sharing, pack_panel, pack_rows,
              [&](const std::byte* left, int64_t row, int64_t count, const std::byte* panel, int64_t column,
                  int64_t term, int64_t height) {
                const products::Matrix target =
                    c.block(row, column, count, std::min(width, places - column), static_cast<int>(word_bytes));
                kernels_.multiply_to_int32({count, target.columns, kernels_.words_of(height),
                                            reinterpret_cast<const uint32_t*>(left), kernels_.row_words(height),
                                            reinterpret_cast<const uint32_t*>(panel), target.data, places, term > 0,
                                            of_weight_, of_x_});
              });
  }

  const Geometry& g_;
  const ByteCodes of_x_, of_weight_;
  const std::byte* const weight_;
  const int64_t terms_;
  const ByteKernels& kernels_ = byte_kernels();
};

// Returns the elements of `codes` minus the zero point, as float32.
Tensor as_numbers(const char* op, const Tensor& codes, int zero) {
  Tensor numbers = products::as_type(op, codes, DType::float32);
  if (zero != 0) {
    const Tensor point = make_empty(op, {}, DType::float32);
    *point.as<float>() = static_cast<float>(-zero);
    products::add_in_place(numbers, point);
  }
  return numbers;
}

}  // namespace

Tensor convolve_bytes(const char* op, const Tensor& given_x, int zero_x, const Tensor& given_weight, int zero_weight,
                      const Request& request) {
  const Geometry g = geometry_of(op, given_x, given_weight, request);
  for (const Tensor* t : {&given_x, &given_weight})
    if (!products::is_byte(t->dtype))
      fail(Status::type_mismatch, op, ": elements are ", name(t->dtype), ", not int8 or uint8");
  const Tensor x = to_contiguous(op, given_x), weight = to_contiguous(op, given_weight);
  Tensor result = make_empty(op, g.shape, DType::int32);
  if (result.size == 0) return result;
  if (x.size == 0 || weight.size == 0) {
    fill(op, result, Scalar::of(false));
    return result;
  }
  const Geometry merged = with_merged_axes(g);
  if (suits_numbers(merged)) {
    const Tensor sums = make_empty(op, g.shape, DType::float32);
    run(g, as_numbers(op, x, zero_x), as_numbers(op, weight, zero_weight), nullptr, sums, {});
    return products::as_type(op, sums, DType::int32);
  }
  for_units(merged, ByteProducts(merged, codes_of(x, zero_x), weight, codes_of(weight, zero_weight)), x, result);
  return result;
}

}  // namespace suanzi::convolve
