#include "ops/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ops/elementwise/on_rows.h"
#include "ops/product/gemm.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi::attention {
namespace {

using products::ceiling;
using products::Matrix;

// Returns the matrix x[batch, head].
Matrix matrix_at(const Tensor& x, int64_t batch, int64_t head) {
  return Matrix::of(x).at(x.data + (batch * x.strides[0] + head * x.strides[1]) * size_of(x.dtype));
}

template <class T>
class Attention {
 public:
  Attention(const char* op, const Operands& x, const Options& options, const Tensor& out)
      : x_(x), options_(options), out_(out), keys_(x.key.shape[2]) {
    const int64_t queries = x.query.shape[2], strip = products::kernels_for(dtype_of<T>).rows;
    const int64_t row_bytes = std::max<int64_t>(keys_, 1) * int64_t{sizeof(T)};
    together_ = std::clamp(costs::slice_bytes() / row_bytes / strip * strip, 2 * strip, std::max(queries, 2 * strip));
    if (!x.mask) return;
    Dims shape = out.shape;
    shape.back() = keys_;
    Tensor mask = *x.mask;
    if (mask.rank() == 0 || mask.shape.back() != keys_ || (mask.strides.back() != 1 && keys_ > 1)) {
      // The code expands only the last dimension, so that rows are contiguous.
      Dims whole = mask.rank() == 0 ? Dims{1} : mask.shape;
      whole.back() = keys_;
      mask = to_contiguous(op, expand(op, mask, whole));
    }
    mask_ = expand(op, mask, shape);
  }

  void run() const {
    const int64_t queries = x_.query.shape[2], tiles = ceiling(queries, together_), heads = x_.query.shape[1];
    const int64_t tasks = x_.query.shape[0] * heads * tiles;
    const double work = products::work_of(x_.query.shape[0] * heads, queries, keys_) *
                        static_cast<double>(x_.query.shape[3] + x_.value.shape[3]);
    const auto task = [&](int64_t number) {
      const int64_t first = number % tiles * together_, head = number / tiles % heads;
      attend(number / tiles / heads, head, first, std::min(together_, queries - first));
    };
    const Length length = work < costs::brief_product ? Length::brief : Length::any;
    parallel_for(tasks, work < costs::product_task ? 1 : max_threads, length, task);
  }

 private:
  using On = OnRows<T>;

  struct Range {
    int64_t first, last;
  };

  // Returns the range of the keys that a query sees.
  Range seen_by(int64_t batch, int64_t query) const {
    const auto at = [&](const std::vector<int64_t>& of, int64_t otherwise) {
      return of.empty() ? otherwise : of[static_cast<size_t>(batch)];
    };
    const int64_t offset = at(options_.offsets, 0);
    const auto position = [&](int64_t distance) {
      int64_t place = 0;
      if (__builtin_add_overflow(offset, query, &place) || __builtin_add_overflow(place, distance, &place))
        return (offset < 0) == (distance < 0) && offset < 0 ? int64_t{0} : keys_;
      return std::clamp<int64_t>(place, 0, keys_);
    };
    Range seen{options_.before ? position(-*options_.before) : 0,
               options_.after && *options_.after < INT64_MAX ? position(*options_.after + 1) : keys_};
    seen.last = std::min(seen.last, std::clamp<int64_t>(at(options_.lengths, keys_), 0, keys_));
    return {std::min(seen.first, seen.last), seen.last};
  }

  // Returns the part of `keys` that a query sees.
  Range seen_of(int64_t batch, int64_t query, Range keys) const {
    const Range own = seen_by(batch, query);
    const int64_t first = std::clamp(own.first, keys.first, keys.last);
    return {first, std::clamp(own.last, first, keys.last)};
  }

  void attend(int64_t batch, int64_t head, int64_t first, int64_t rows) const {
    const int64_t size = x_.query.shape[3], width = x_.value.shape[3];
    const int64_t group = head / (x_.query.shape[1] / x_.key.shape[1]);
    const int64_t start = seen_by(batch, first).first;
    const int64_t seen = std::max(seen_by(batch, first + rows - 1).last - start, int64_t{0});
    const int element = sizeof(T);
    const Matrix target = matrix_at(out_, batch, head).block(first, 0, rows, width, element);
    Scratch scaled_memory, score_memory, truth_memory;
    T* const scaled = scaled_memory.take<T>(std::max<int64_t>(rows * size, 1));
    T* const scores = score_memory.take<T>(std::max<int64_t>(rows * seen, 1));
    bool* const truth = truth_memory.take<bool>(std::max<int64_t>(seen, 1));
    take_queries(matrix_at(x_.query, batch, head).block(first, 0, rows, size, element), scaled);
    const Matrix keys = matrix_at(x_.key, batch, group).block(start, 0, seen, size, element);
    const Matrix values = matrix_at(x_.value, batch, group).block(start, 0, seen, width, element);
    const Matrix weights{as_bytes(scores), rows, seen, seen, 1};
    if (seen > 0) products::multiply(dtype_of<T>, {as_bytes(scaled), rows, size, size, 1}, keys.transposed(), weights);
    ScratchArray<T> sums(rows);
    for (int64_t row = 0; row < rows; ++row)
      sums.data()[row] = weigh(batch, head, first + row, {start, start + seen}, scores + row * seen, truth);
    products::multiply(dtype_of<T>, weights, values, target);
    for (int64_t row = 0; row < rows; ++row) {
      T* const means = reinterpret_cast<T*>(target.data) + row * target.row_step;
      const Range own = seen_of(batch, first + row, {start, start + seen});
      const int64_t before = own.first - start, count = own.last - own.first;
      const auto sum = static_cast<double>(sums.data()[row]);
      const auto is_finite = [&] { return std::all_of(means, means + width, [](T x) { return std::isfinite(x); }); };
      const auto multiply_own = [&] {
        products::multiply(dtype_of<T>, weights.block(row, before, 1, count, element),
                           values.block(before, 0, count, width, element), target.block(row, 0, 1, width, element));
      };
      // The product of the weight 0 and an infinite value that the query does not see is NaN.
      if (count < seen && !is_finite()) multiply_own();
      if (sum == 0) {
        std::fill_n(means, width, T(0));
        continue;
      }
      On::run(Operation::true_divide, means, {means, sum}, width);
      if (is_finite()) continue;
      // Sums of finite products may overflow, but means do not.
      const std::vector<T> divided(means, means + width);
      T* const own_weights = scores + row * seen + before;
      On::run(Operation::true_divide, own_weights, {own_weights, sum}, count);
      multiply_own();
      for (int64_t i = 0; i < width; ++i)
        if (std::isfinite(divided[i])) means[i] = divided[i];
    }
  }

  static std::byte* as_bytes(T* x) { return reinterpret_cast<std::byte*>(x); }

  // Copies the queries and multiplies the copies by the factor `scale`. The code scales queries and not scores, because
  // queries usually have fewer elements than the scores.
  void take_queries(const Matrix& query, T* scaled) const {
    const T factor = static_cast<T>(options_.scale);
    for (int64_t row = 0; row < query.rows; ++row) {
      const T* const x = reinterpret_cast<const T*>(query.data) + row * query.row_step;
      T* const out = scaled + row * query.columns;
      for (int64_t i = 0; i < query.columns; ++i) out[i] = x[i * query.column_step] * factor;
    }
  }

  // Turns the scores of one query for some keys into weights, and returns the sum of the weights. The sum is 0 if the
  // query sees no key.
  T weigh(int64_t batch, int64_t head, int64_t query, Range keys, T* all, bool* truth) const {
    const auto [first, last] = seen_of(batch, query, keys);
    const int64_t seen = last - first;
    std::fill_n(all, first - keys.first, T(0));
    std::fill_n(all + (last - keys.first), keys.last - last, T(0));
    T* const scores = all + (first - keys.first);
    // A softcap beyond the range of T changes no score.
    constexpr double most = std::numeric_limits<T>::max();
    if (options_.softcap > 0 && options_.softcap <= most) {
      On::run(Operation::multiply, scores, {scores, std::min(1 / options_.softcap, most)}, seen);
      On::run(Operation::tanh, scores, {scores}, seen);
      On::run(Operation::multiply, scores, {scores, options_.softcap}, seen);
    }
    if (mask_) {
      const Tensor& mask = *mask_;
      const std::byte* const row =
          mask.data +
          (batch * mask.strides[0] + head * mask.strides[1] + query * mask.strides[2] + first) * size_of(mask.dtype);
      if (mask.dtype == DType::boolean) {
        std::copy_n(reinterpret_cast<const uint8_t*>(row), seen, reinterpret_cast<uint8_t*>(truth));
        On::run(Operation::where, scores, {static_cast<const bool*>(truth), scores, -INFINITY}, seen);
      } else {
        On::run(Operation::add, scores, {scores, reinterpret_cast<const T*>(row)}, seen);
      }
    }
    const T greatest = On::greatest(scores, seen);
    if (greatest == -INFINITY) {
      std::fill_n(scores, seen, T(0));
      return 0;
    }
    On::run(Operation::subtract, scores, {scores, static_cast<double>(greatest)}, seen);
    On::run(Operation::exp, scores, {scores}, seen);
    return static_cast<T>(On::sum(scores, seen));
  }

  const Operands& x_;
  const Options& options_;
  const Tensor& out_;
  int64_t keys_;
  int64_t together_ = 1;  // the number of queries whose scores are computed at a time
  std::optional<Tensor> mask_;
};

void check_operands(const char* op, const Operands& x, const Options& options, const Tensor& out) {
  const DType dtype = x.query.dtype;
  if (dtype != DType::float32 && dtype != DType::float64)
    fail(Status::type_mismatch, op, ": elements are ", name(dtype), ", not float32 or float64");
  for (const Tensor* const tensor : {&x.query, &x.key, &x.value, &out}) {
    check_alive(op, *tensor);
    if (tensor->dtype != dtype)
      fail(Status::type_mismatch, op, ": types ", name(dtype), " and ", name(tensor->dtype), " are not the same");
    if (tensor->rank() != 4)
      fail(Status::dimensions_mismatch, op, ": shape ", tensor->shape, " does not have 4 dimensions");
  }
  const Dims &q = x.query.shape, &k = x.key.shape, &v = x.value.shape;
  if (q[0] != k[0] || q[0] != v[0] || k[1] != v[1] || k[2] != v[2] || q[3] != k[3] ||
      (k[1] == 0 ? q[1] != 0 : q[1] % k[1] != 0))
    fail(Status::dimensions_mismatch, op, ": shapes ", q, ", ", k, " and ", v,
         " of queries, keys and values do not fit");
  if (out.shape != Dims{q[0], q[1], q[2], v[3]} || (v[3] > 1 && out.strides[3] != 1))
    fail(Status::dimensions_mismatch, op, ": the result of shape ", out.shape, " does not have contiguous rows of ",
         v[3], " elements");
  for (const std::vector<int64_t>* const each : {&options.offsets, &options.lengths})
    if (!each->empty() && static_cast<int64_t>(each->size()) != q[0])
      fail(Status::dimensions_mismatch, op, ": ", each->size(), " offsets or lengths do not fit a batch of ", q[0]);
  if (options.before.value_or(0) < 0 || options.after.value_or(0) < 0)
    fail(Status::invalid_argument, op, ": the window before or after a query is negative");
  if (!x.mask) return;
  check_alive(op, *x.mask);
  if (x.mask->dtype != dtype && x.mask->dtype != DType::boolean)
    fail(Status::type_mismatch, op, ": a mask of ", name(x.mask->dtype), " is neither bool nor ", name(dtype));
}

}  // namespace

void run(const char* op, const Operands& x, const Options& options, const Tensor& out) {
  check_operands(op, x, options, out);
  if (out.size == 0) return;
  x.query.dtype == DType::float32 ? Attention<float>(op, x, options, out).run()
                                  : Attention<double>(op, x, options, out).run();
}

}  // namespace suanzi::attention
