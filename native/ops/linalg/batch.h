// The common part of all operators on batches of matrices. The functions read operands, copy operands in the two forms
// that LAPACK accepts, allocate scratch memory, and loop over the batch.
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

using namespace blas;  // the routines and types of BLAS and LAPACK
using products::ceiling;
using products::work_of;

// Returns the type in which the operators compute with an operand of type t. This type is float64 for integers, because
// float32 cannot hold all integers.
DType computing_type(DType t);

// An operand as a batch of matrices.
struct Matrices {
  const char* op;
  Tensor source;
  Dims batch;
  int64_t count, rows, columns;
  DType type;    // the type of the computation (float32, float64 or their complex types)
  DType result;  // the type to which results are rounded

  int64_t each() const { return product({rows, columns}); }
  int64_t rank() const { return std::min(rows, columns); }
  // Returns the sizes of the batch's dimensions, followed by `last`.
  Dims shape(std::initializer_list<int64_t> last = {}) const;
  Tensor empty(std::initializer_list<int64_t> last) const { return make_empty(op, shape(last), type); }
  Tensor empty(std::initializer_list<int64_t> last, DType t) const { return make_empty(op, shape(last), t); }

  // Returns the elements in the computing type, stored by rows. An operand that already has this form is returned
  // without a copy.
  Tensor rows_to_read() const;
  // Returns a new copy stored by rows. LAPACK, whose matrices are stored by columns, reads the copy as the transposed
  // matrix.
  Tensor copy_rows() const;
  // Returns a new copy stored by columns. As a tensor, the copy has the operand's shape.
  Tensor copy_columns() const;
  // Returns uninitialised m × n matrices stored by columns, one for each matrix of the batch.
  Tensor empty_columns(int64_t m, int64_t n) const;
  // Returns x as a contiguous tensor of the type to which results are rounded.
  Tensor rounded(const Tensor& x) const;
  Tensor rounded(const Tensor& x, DType to) const;
};

// These functions return the operand as matrices. `matrices_of` fails if the operand does not consist of matrices.
// `square_matrices_of` also fails if the matrices are not square.
Matrices matrices_of(const char* op, const Tensor& x);
Matrices square_matrices_of(const char* op, const Tensor& x);
// Converts two operands to one computing type, the common type of their computing types. The results of the two
// operands also receive one type, the common type of their result types.
void unify(Matrices& a, Matrices& b);
// Fails with INVALID_ARGUMENT if an element is NaN or infinite, because some iterations never end for such elements.
void check_finite(const Matrices& x, const Tensor& rows);
// These functions set the elements below the diagonal (clear_below) or above the diagonal (clear_above) to zero. The
// matrices are stored by rows.
void clear_below(const Tensor& x);
void clear_above(const Tensor& x);
// Sets matrices that are stored by rows to the unit matrix.
void fill_identity(const Tensor& x);

// Calls f with a number of the C++ type for `type`. The value of this number has no meaning.
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

// Returns the size of the work space that LAPACK requests, rounded up if LAPACK reports the size in float.
template <class T>
Int workspace(const T& answer) {
  const double size = std::real(answer);
  return static_cast<Int>(sizeof(real_of<T>) == 4 ? size * (1 + 0x1p-22) : size) + 1;
}

// The index of the first failed matrix of a batch, and LAPACK's info for this matrix.
struct Failure {
  int64_t matrix = -1;
  Int info = 0;
  explicit operator bool() const { return matrix >= 0; }
};

// Returns the first failure among the `count` entries of `info`, which a kernel on small matrices wrote.
Failure first_failure(const ScratchArray<int64_t>& info, int64_t count);

// Returns text such as " 3 of the batch", which names the failed matrix in a message. If x is a single matrix, the text
// is empty.
std::string which_matrix(const Matrices& x, const Failure& failure);

inline Int leading(int64_t n) { return std::max<int64_t>(n, 1); }

// Returns true if threads share whole matrices of the batch, and LAPACK uses one thread for each matrix. Returns false
// if all of LAPACK's own threads work on each matrix in turn. LAPACK's threads work on a few large matrices, and on a
// single matrix whose order is so large that threads are faster (about 64 to 128). The answer depends only on the
// sizes.
inline bool is_shared_out(const Matrices& x, int64_t count, double operations) {
  if (count == 1) return operations < costs::shared_factorisation;
  return count >= costs::whole_matrices || (x.each() < costs::whole_matrix && operations < costs::whole_factorisation);
}

// Returns the number of threads that LAPACK may use for one matrix. The function returns at most the number of CPUs,
// because LAPACK's threads spin while they wait.
inline int library_threads() { return std::min(num_threads(), machine_cpus()); }

// Calls info = body(routines, scratch, i) for each index i of `count` matrices with the sizes of x. Each matrix needs
// about `operations` operations. make() creates the scratch memory of each task.
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

// Calls body(first, count) for runs of the batch, because kernels on small matrices compute `count` matrices at once.
// Threads share the runs if the work is large enough. `count` is 1 only if the whole batch is one matrix.
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
