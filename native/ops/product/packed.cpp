#include "ops/product/packed.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "kernels/kernel.h"
#include "ops/product/gemm.h"
#include "ops/product/gemv.kernels.h"
#include "ops/product/matmul.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::products {
namespace {

bool is_number(DType t) { return t == DType::float32 || is_half(t); }

void check_types(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias) {
  for (const Tensor* tensor : {&x, &weight.codes, &weight.scales, weight.zeros, bias})
    if (tensor) check_alive(op, *tensor);
  if (!is_number(x.dtype))
    fail(Status::type_mismatch, op, ": x has element type ", name(x.dtype), ", not float32, float16 or bfloat16");
  if (weight.codes.dtype != DType::uint8)
    fail(Status::type_mismatch, op, ": codes have element type ", name(weight.codes.dtype), ", not uint8");
  if (!is_number(weight.scales.dtype))
    fail(Status::type_mismatch, op, ": scales have element type ", name(weight.scales.dtype),
         ", not float32, float16 or bfloat16");
  if (weight.zeros && weight.zeros->dtype != DType::uint8 && !is_number(weight.zeros->dtype))
    fail(Status::type_mismatch, op, ": zero points have element type ", name(weight.zeros->dtype),
         ", not uint8, float32, float16 or bfloat16");
  if (bias && !is_number(bias->dtype))
    fail(Status::type_mismatch, op, ": bias has element type ", name(bias->dtype),
         ", not float32, float16 or bfloat16");
}

// Checks the shapes of the weight and returns the weight in the form that the kernels read.
PackedMatrix checked(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias) {
  const Dims& shape = weight.codes.shape;
  const int64_t bits = weight.bits;
  if (bits != 2 && bits != 4 && bits != 8)
    fail(Status::invalid_argument, op, ": a code of ", bits, " bits is not supported; a code has 2, 4 or 8");
  if (x.rank() == 0 || shape.size() != 3)
    fail(Status::dimensions_mismatch, op, ": x of shape ", x.shape, " and codes of shape ", shape,
         " are not (…, in) and (out, blocks, bytes)");
  if (shape[2] > INT64_MAX / 8)
    fail(Status::dimensions_mismatch, op, ": codes of shape ", shape,
         " have more codes in a block than 64 bits can count");
  const int64_t features = shape[0], blocks = shape[1], terms = x.shape[x.rank() - 1], block = shape[2] * (8 / bits);
  if (block <= 0 || block % packed_block_unit != 0)
    fail(Status::dimensions_mismatch, op, ": codes of shape ", shape, " have blocks of ", block,
         " elements, which is not a multiple of ", packed_block_unit);
  if (blocks != terms / block + (terms % block != 0))
    fail(Status::dimensions_mismatch, op, ": x of shape ", x.shape, " has ", terms,
         " elements in a row, but codes of shape ", shape, " have ", blocks, " blocks of ", block, " elements");
  if (weight.scales.shape != Dims{features, blocks})
    fail(Status::dimensions_mismatch, op, ": scales have shape ", weight.scales.shape, ", not ",
         Dims{features, blocks});
  if (weight.zeros) {
    const bool packed = weight.zeros->dtype == DType::uint8;
    const Dims wanted{features, packed ? (blocks * bits + 7) / 8 : blocks};
    if (weight.zeros->shape != wanted)
      fail(Status::dimensions_mismatch, op, ": zero points have shape ", weight.zeros->shape, ", not ", wanted);
  }
  if (bias && bias->shape != Dims{features})
    fail(Status::dimensions_mismatch, op, ": bias has shape ", bias->shape, ", not ", Dims{features});
  return {static_cast<int>(bits),
          terms,
          block,
          blocks,
          nullptr,
          weight.scales.dtype,
          nullptr,
          weight.zeros ? weight.zeros->dtype : DType::uint8,
          nullptr};
}

void multiply_few(const char* op, const PackedMatrix& b, const Tensor& x, const Matrix& c, const float* start) {
  const int64_t width = b.row_length(), bytes = c.columns * b.column_bytes();
  const PackedKernels& kernels_of_codes = *kernels().gemv[static_cast<int>(DType::uint8)].packed;
  const Tensor rows = make_empty(op, {c.rows, width}, DType::float32);
  auto* const a = rows.as<float>();
  for (int64_t r = 0; r < c.rows; ++r) kernels_of_codes.arrange(a + r * width, x.as<float>() + r * b.terms, b);
  auto* const out = reinterpret_cast<float*>(c.data);
  // For each row of C, the kernel spends more time on a byte of codes than on a multiply-add.
  const int64_t work = 4 * bytes * c.rows, units = ceiling(c.columns, int64_t{16});
  for_ranges(range_count(work, units), work, units, [&](int64_t, int64_t first, int64_t last) {
    const int64_t column = first * 16, columns = std::min(last * 16, c.columns) - column;
    kernels_of_codes.multiply(b, {c.rows, column, columns, a, width, out, c.row_step, start});
  });
}

void multiply_many(const PackedMatrix& b, const Tensor& x, const Matrix& c, const float* start) {
  const Matrix a{x.data, c.rows, b.terms, b.terms, 1};
  const PackedKernels& kernels_of_codes = *kernels().gemv[static_cast<int>(DType::uint8)].packed;
  const int64_t width = kernels_for(DType::float32).panel;
  multiply_panels_shared(DType::float32, a, c, reinterpret_cast<const std::byte*>(start),
                         [&](std::byte* panel, int64_t column, int64_t term, int64_t terms) {
                           const int64_t columns = std::min(width, c.columns - column);
                           // If the step were a power of two, all columns would need the same lines of the L1 cache.
                           const int64_t step = terms + packed_block_unit;
                           const ScratchArray<float> memory(columns * step);
                           kernels_of_codes.decode(memory.data(), step, b, column, columns, term, terms);
                           const Matrix lines{reinterpret_cast<std::byte*>(memory.data()), terms, columns, 1, step};
                           copy_panel(panel, lines, width, sizeof(float));
                         });
}

}  // namespace

Tensor linear_packed(const char* op, const Tensor& x, const PackedWeight& weight, const Tensor* bias) {
  check_types(op, x, weight, bias);
  PackedMatrix b = checked(op, x, weight, bias);
  const int64_t features = weight.codes.shape[0];
  Dims shape = x.shape;
  shape.back() = features;
  const Tensor sums = make_empty(op, shape, DType::float32);
  if (sums.size == 0) return as_type(op, sums, x.dtype);
  std::optional<Tensor> added;
  if (bias) added = to_contiguous(op, as_type(op, *bias, DType::float32));
  const float* const start = added ? added->as<float>() : nullptr;
  const Tensor codes = to_contiguous(op, weight.codes), scales = to_contiguous(op, weight.scales);
  std::optional<Tensor> zeros;
  if (weight.zeros) zeros = to_contiguous(op, *weight.zeros);
  b.codes = codes.data;
  b.scales = scales.data;
  b.zeros = zeros ? zeros->data : nullptr;
  const Tensor rows = to_contiguous(op, as_type(op, x, DType::float32));
  const Matrix c{sums.data, sums.size / features, features, features, 1};
  c.rows <= costs::thin_rows || b.terms == 0 ? multiply_few(op, b, rows, c, start) : multiply_many(b, rows, c, start);
  return as_type(op, sums, x.dtype);
}

}  // namespace suanzi::products
