// The functions for sparse tensors, which are suanzi_sparse_tensor and functions of suanzi/tensors.h.
#include "c/arguments.h"
#include "c/handle.h"
#include "ops/elementwise/fits.h"
#include "ops/sparse/arrange.h"
#include "ops/sparse/values.h"
#include "walk/copy.h"

namespace suanzi::c {
namespace {

constexpr const char* creating = "sparse_tensor";

// Returns a copy of the values in the requested element type. As for `tensor` in Python, this type must be able to
// represent all values.
Tensor converted(const Tensor& values, DType dtype) {
  if (dtype != values.dtype) check_fits(creating, values, dtype);
  Tensor copy = make_empty(creating, values.shape, dtype);
  copy_into(creating, copy, values);
  return copy;
}

SparseTensor made(const Dims& shape, const Tensor& indices, const Tensor& values, int64_t nnz, const Tensor* indptr,
                  std::optional<DType> dtype, const SuanziLayout* layout) {
  const int rank = shape.size() + std::max(values.rank(), 1) - 1;
  if (rank > max_rank)
    fail(Status::invalid_argument, creating, ": ", rank, " dimensions are more than the ", max_rank, " supported");
  if (nnz != -1 && (indices.rank() == 0 || indices.shape[0] != nnz))
    fail(Status::dimensions_mismatch, creating, ": nnz ", nnz, " does not fit indices of shape ", indices.shape);
  sparse::Pattern pattern = indptr ? sparse::from_rows(creating, shape, *indptr, indices)
                                   : sparse::from_coordinates(creating, shape, indices);
  std::optional<Dims> order = order_of(creating, layout, SUANZI_SPARSE, rank);
  // This call fails if the order is not a permutation.
  if (order) (void)make_empty(creating, Dims(rank, 0), DType::boolean, &*order);
  sparse::check_values(creating, pattern, values);
  return {std::move(pattern), converted(values, dtype.value_or(values.dtype)), std::move(order)};
}

Tensor to_dense(const SparseTensor& x) {
  constexpr const char* op = "to_dense";
  Tensor made = sparse::coalesced_to_dense(op, x.pattern, x.values);
  if (!x.order) return made;
  const Tensor ordered = make_empty(op, made.shape, made.dtype, &*x.order);
  copy_into(op, ordered, made);
  return ordered;
}

}  // namespace
}  // namespace suanzi::c

using namespace suanzi::c;

extern "C" {

SuanziStatus suanzi_sparse_tensor(const int64_t* dims, int64_t rank, const SuanziTensor indices,
                                  const SuanziTensor values, int64_t nnz, const SuanziTensor indptr, SuanziDType dtype,
                                  const SuanziDevice* device, const SuanziLayout* layout, SuanziTensor* y) {
  return give(creating, y, [&] {
    require_cpu(creating, device);
    const suanzi::Tensor &places = dense(creating, indices), &numbers = dense(creating, values);
    return made(integers(creating, "the shape", dims, rank), places, numbers, nnz,
                indptr ? &dense(creating, indptr) : nullptr, optional_dtype(creating, dtype), layout);
  });
}

SuanziStatus suanzi_sparse_info(const SuanziTensor x, int64_t* nnz, bool* is_csr) {
  return guarded([&] {
    const auto& pattern = sparse_tensor("sparse_info", x).pattern;
    if (nnz) *nnz = pattern.count();
    if (is_csr) *is_csr = pattern.format == suanzi::sparse::Format::csr;
  });
}

SuanziStatus suanzi_sparse_indices(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "sparse_indices";
  return give(op, y, [&] { return suanzi::sparse::shown_indices(op, sparse_tensor(op, x).pattern); });
}

SuanziStatus suanzi_sparse_indptr(const SuanziTensor x, SuanziTensor* y) {
  constexpr const char* op = "sparse_indptr";
  return give(op, y, [&] { return suanzi::sparse::shown_starts(op, sparse_tensor(op, x).pattern); });
}

SuanziStatus suanzi_sparse_values(const SuanziTensor x, SuanziTensor* y) {
  return give("sparse_values", y, [&] { return sparse_tensor("sparse_values", x).values; });
}

SuanziStatus suanzi_to_dense(const SuanziTensor x, SuanziTensor* y) {
  return give("to_dense", y, [&] { return to_dense(sparse_tensor("to_dense", x)); });
}
}
