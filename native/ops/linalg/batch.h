// The common part of all operators on batches of matrices: reading operands, the two forms in which LAPACK gets copies
// of them, scratch memory, and the loop over the batch.
#pragma once

#include <algorithm>
#include <complex>
#include <mutex>
#include <string>
#include <utility>

#include "kernels/kernel.h"
#include "ops/linalg/small_matrix.kernels.h"
#include "ops/product/matrix.h"
#include "runtime/allocator.h"
#include "runtime/costs.h"
#include "runtime/library.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"
#include "tensor/tensor.h"

namespace suanzi::linalg {

using namespace blas;  // the library's routines and their words
using products::ceiling;
using products::work_of;

// The type that an operand is computed in: float64 of integers, which float32 does not hold.
DType computing_type(DType t);

// An operand as a batch of matrices.
struct Matrices {
  const char* op;
  Tensor source;
  Dims batch;
  int64_t count, rows, columns;
  DType type;    // in which it is computed: float32, float64 or their complex types
  DType result;  // to which results are rounded

  int64_t each() const { return product({rows, columns}); }
  int64_t rank() const { return std::min(rows, columns); }
  // The batch's dimensions, then these.
  Dims shape(std::initializer_list<int64_t> last = {}) const;
  Tensor empty(std::initializer_list<int64_t> last) const { return make_empty(op, shape(last), type); }
  Tensor empty(std::initializer_list<int64_t> last, DType t) const { return make_empty(op, shape(last), t); }

  // The elements in the computing type by rows: the operand itself where it is so.
  Tensor rows_to_read() const;
  // A fresh copy by rows: to LAPACK, whose matrices are stored by columns, the transposed matrix.
  Tensor copy_rows() const;
  // A fresh copy by columns; as a tensor it still has the operand's shape.
  Tensor copy_columns() const;
  // Uninitialised matrices stored by columns.
  Tensor empty_columns(int64_t m, int64_t n) const;
  // A result in its type, contiguous.
  Tensor rounded(const Tensor& x) const;
  Tensor rounded(const Tensor& x, DType to) const;
};

// The operand as matrices; StatusError where it is not made of matrices, or of square ones.
Matrices matrices_of(const char* op, const Tensor& x);
Matrices square_matrices_of(const char* op, const Tensor& x);
// Makes two operands be computed in the common type of their computing types, and rounded to their own common type.
void unify(Matrices& a, Matrices& b);
// INVALID_ARGUMENT where an element is NaN or infinite: iterations that never end start from such.
void check_finite(const Matrices& x, const Tensor& rows);
// Fills the part below or above the diagonal of matrices stored by rows with zeros.
void clear_below(const Tensor& x);
void clear_above(const Tensor& x);
// Fills matrices stored by rows with zeros, and ones on the diagonal.
void fill_identity(const Tensor& x);

// f of a number of the type, whose value says nothing.
template <class F>
decltype(auto) with_type(DType type, F&& f) {
  switch (type) {
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    case DType::complex64:
      return f(std::complex<float>{});
    default:
      return f(std::complex<double>{});
  }
}

// Returns the work space that LAPACK asks for; float answers are rounded up.
template <class T>
Int workspace(const T& answer) {
  const double size = std::real(answer);
  return static_cast<Int>(sizeof(real_of<T>) == 4 ? size * (1 + 0x1p-22) : size) + 1;
}

// The first matrix of a batch that failed, and LAPACK's info for it.
struct Failure {
  int64_t matrix = -1;
  Int info = 0;
  explicit operator bool() const { return matrix >= 0; }
};

// The first failure that a kernel on small matrices reported.
Failure first_failure(const ScratchArray<int64_t>& info, int64_t count);

// " 3 of the batch", where there is a batch.
std::string which_matrix(const Matrices& x, const Failure& failure);

inline Int leading(int64_t n) { return std::max<int64_t>(n, 1); }

// True if threads take whole matrices of the batch, with one thread of the library for each. A few large matrices have
// all of the library's own threads in turn; so has a single one from the order on where the threads gain, some 64 to
// 128. The answer depends on the sizes only.
inline bool is_shared_out(const Matrices& x, int64_t count, double operations) {
  if (count == 1) return operations < costs::shared_factorisation;
  return count >= costs::whole_matrices || (x.each() < costs::whole_matrix && operations < costs::whole_factorisation);
}

// The threads that the library may have for one matrix: they spin, so no more than there are CPUs.
inline int library_threads() { return std::min(num_threads(), machine_cpus()); }

// info = body(routines, scratch, i) for each i of so many matrices like those of x, which takes about so many
// operations; scratch is make(), one for each task.
template <class T, class Make, class Body>
Failure for_each_matrix(const Matrices& x, int64_t count, double operations, Make make, Body body,
                        int threads = library_threads()) {
  if (count == 0) return {};
  const bool shared = is_shared_out(x, count, operations);
  const Session session(shared ? 1 : threads);
  const Routines<T>& routines = session.routines<T>();
  const int64_t each =
      shared ? std::clamp<int64_t>(static_cast<int64_t>(costs::factorisation_task / (operations + 1)), 1, count)
             : count;
  const int64_t tasks = (count + each - 1) / each;
  Failure failure;
  std::mutex failing;
  parallel_for(tasks, [&](int64_t task) {
    session.enter_task();
    auto scratch = make(routines);
    for (int64_t i = task * each; i < std::min(count, (task + 1) * each); ++i) {
      const Int info = body(routines, scratch, i);
      if (info == 0) continue;
      const std::lock_guard lock(failing);
      if (!failure || i < failure.matrix) failure = {i, info};
    }
  });
  return failure;
}

// Kernels on small matrices take `count` of them at once: runs of the batch, on threads where there is enough to do.
// body(first, count), where count is 1 only if the whole batch is one matrix.
template <class Body>
void for_each_run(int64_t count, int64_t operations, Body body) {
  constexpr int64_t run = 64;
  if (count * operations < costs::shared_small_matrices) return body(0, count);
  const int64_t tasks = (count + run - 1) / run;
  parallel_for(tasks, [&](int64_t task) {
    const int64_t first = count * task / tasks;
    body(first, count * (task + 1) / tasks - first);
  });
}

inline bool is_small(const Matrices& x) { return x.rows <= small_matrix_size && x.columns <= small_matrix_size; }
inline const SmallMatrixKernels& small_kernels(DType type) { return kernels().small_matrix[static_cast<int>(type)]; }

}  // namespace suanzi::linalg
