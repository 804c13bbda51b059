#include "ops/elementwise/fits.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <mutex>

#include "base/status.h"
#include "kernels/kernel.h"
#include "runtime/share.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

// --- checks of a tensor's elements, tile by tile ---

constexpr int64_t tile_elements = walk::register_bytes / sizeof(double);
constexpr int64_t tiles_per_task = costs::judged_tiles;

// Finds the first element, of type T, that the type t cannot hold. `load` widens 16-bit floating types.
template <class T>
class Judge {
 public:
  Judge(const Tensor& x, DType t)
      : target_(t),
        source_(x.dtype),
        data_(x.data),
        size_(x.size),
        path_(walk::make_path(x.shape, walk::row_major_order(x.shape), walk::View::of(x))),
        trunc_(kernels().elementwise[static_cast<int>(Operation::trunc)][static_cast<int>(dtype_of<T>)]) {}

  void run(const char* op) {
    const int64_t tiles = (size_ + tile_elements - 1) / tile_elements;
    parallel_for((tiles + tiles_per_task - 1) / tiles_per_task, length_of(size_ * size_of(source_)), [&](int64_t task) {
      const int64_t end = std::min(tiles, (task + 1) * tiles_per_task);
      for (int64_t tile = task * tiles_per_task; tile < end; ++tile) judge(tile * tile_elements);
    });
    if (first_ < size_) require_fit(op, fit_, text_of(number_), target_);
  }

 private:
  using Number = std::conditional_t<std::is_floating_point_v<T>, double, __int128>;

  const T* load(int64_t start, int64_t count, std::byte* native, T* widened) const {
    const int size = size_of(source_);
    const void* elements = walk::in_place(data_, path_, size, start, count);
    if (!elements) {
      walk::gather(native, data_, path_, size, start, count);
      elements = native;
    }
    if (source_ == dtype_of<T>) return static_cast<const T*>(elements);
    kernels().convert[static_cast<int>(source_)][static_cast<int>(dtype_of<T>)](widened, &elements, count, {});
    return widened;
  }

  // Returns true if the type certainly holds all elements. The function checks that the type holds the least and the
  // greatest element and, if the type holds only whole numbers, that all elements are whole numbers.
  bool clearly_held(const T* x, int64_t n) const {
    const auto extreme = [&](Reduction which) {
      T value = x[0];
      kernels().reduce[static_cast<int>(which)][static_cast<int>(dtype_of<T>)].along(&value, x, n, 1, 0, 0);
      return Number(value);
    };
    const Number least = extreme(Reduction::min), greatest = extreme(Reduction::max);
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(least) || !std::isfinite(greatest)) return false;
      if (is_integer(target_)) {
        alignas(64) T whole[tile_elements];
        const void* const in = x;
        trunc_(whole, &in, n, {});
        if (std::memcmp(whole, x, static_cast<size_t>(n) * sizeof(T)) != 0) return false;
      }
    }
    return fit_of(least, target_) == Fit::held && fit_of(greatest, target_) == Fit::held;
  }

  void judge(int64_t start) {
    if (start > first_.load(std::memory_order_relaxed)) return;
    alignas(64) std::byte native[walk::register_bytes];
    alignas(64) T widened[tile_elements];
    const int64_t count = std::min(tile_elements, size_ - start);
    const T* const x = load(start, count, native, widened);
    if (clearly_held(x, count)) return;
    for (int64_t i = 0; i < count; ++i) {
      const Number number(x[i]);
      if (const Fit fit = fit_of(number, target_); fit != Fit::held) return keep_first(start + i, fit, number);
    }
  }

  void keep_first(int64_t at, Fit fit, Number number) {
    const std::lock_guard lock(mutex_);
    if (at >= first_) return;
    first_ = at;
    fit_ = fit;
    number_ = number;
  }

  DType target_, source_;
  std::byte* data_;
  int64_t size_;
  walk::Path path_;
  Kernel trunc_;
  std::mutex mutex_;  // protects the first element that does not fit
  std::atomic<int64_t> first_{std::numeric_limits<int64_t>::max()};
  Fit fit_ = Fit::held;
  Number number_ = 0;
};

template <class T>
void judge(const char* op, const Tensor& x, DType t) {
  if constexpr (std::is_integral_v<T>) {
    using Range = std::numeric_limits<T>;
    if (fit_of(__int128(Range::min()), t) == Fit::held && fit_of(__int128(Range::max()), t) == Fit::held) return;
  } else {
    if (!is_integer(t) && overflows_from(real_part(t)) >= overflows_from(x.dtype)) return;
  }
  Judge<T>(x, t).run(op);
}

}  // namespace

void check_fits(const char* op, const Tensor& x, DType t) {
  check_alive(op, x);
  if (x.dtype == t || x.size == 0 || kind(t) == Kind::boolean) return;
  if (t == DType::string || x.dtype == DType::string || (is_complex(x.dtype) && !is_complex(t)))
    fail(Status::type_mismatch, op, ": ", name(x.dtype), " data cannot become ", name(t));
  switch (x.dtype) {
    case DType::uint8:
      return judge<uint8_t>(op, x, t);
    case DType::uint16:
      return judge<uint16_t>(op, x, t);
    case DType::uint32:
      return judge<uint32_t>(op, x, t);
    case DType::uint64:
      return judge<uint64_t>(op, x, t);
    case DType::int8:
      return judge<int8_t>(op, x, t);
    case DType::int16:
      return judge<int16_t>(op, x, t);
    case DType::int32:
      return judge<int32_t>(op, x, t);
    case DType::int64:
      return judge<int64_t>(op, x, t);
    case DType::float16:
    case DType::bfloat16:
    case DType::float32:
      return judge<float>(op, x, t);
    case DType::float64:
      return judge<double>(op, x, t);
    case DType::complex64:
    case DType::complex128:
      for (const int part : {0, 1}) check_fits(op, complex_part(x, part), t);
      return;
    default:
      return;  // every type holds a bool
  }
}

}  // namespace suanzi
