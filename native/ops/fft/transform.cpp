#include "ops/fft/transform.h"

#include <algorithm>
#include <bit>

#include "ops/fft/line.h"
#include "runtime/share.h"
#include "walk/rows.h"

namespace suanzi::fft {
namespace {

// The greatest length of transforms in blocks, and the greatest length of transforms in blocks that the code copies
// with strides.
template <class T>
constexpr int64_t longest_block = costs::transformed_block / static_cast<int64_t>(sizeof(T));
template <class T>
constexpr int64_t longest_strided_block = costs::strided_block / static_cast<int64_t>(sizeof(T));

bool is_real(Form form) { return form != Form::complex; }
bool gives_all(const Transform& t) { return t.form == Form::to_whole; }

template <class T>
class Transformer {
 public:
  Transformer(const Tensor& target, const Tensor& source, int axis, const Transform& t, const Dims& order);
  void run() const;

 private:
  struct Memory {
    Scratch in, padded, line, out;
  };

  typename FftKernelsOf<T>::RowsKernel rows_kernel() const;
  bool by_blocks() const;
  void run_rows() const;
  void run_blocks() const;
  void run_lines() const;

  // `read` describes columns of the source, and `write` describes columns of the target. `first` holds the address of
  // each column's first element, and the rows of a column are `steps` elements of the axis apart.
  FftColumns read(std::byte* const* first, int64_t count, int64_t steps = 1) const {
    return {first, count, steps * source_.step()};
  }
  FftColumns write(std::byte* const* first, int64_t count, int64_t steps = 1) const {
    return {first, count, steps * target_.step()};
  }
  FftColumns moved(const FftColumns& columns, std::byte** first, int64_t bytes) const {
    for (int64_t q = 0; q < columns.count; ++q) first[q] = columns.first[q] + bytes;
    return {first, columns.count, columns.row_step};
  }

  void load_rows(Planes<T> rows, const FftColumns& columns, int64_t count) const;
  void transform_complex(std::byte** out, std::byte** in, int64_t count, PlanePair<T>& planes) const;
  void transform_from_real(std::byte** out, std::byte** in, int64_t count, PlanePair<T>& planes) const;
  void transform_to_real(std::byte** out, std::byte** in, int64_t count, PlanePair<T>& planes) const;
  void load_real(std::byte** in, int64_t count, Planes<T> rows) const;
  void store_real(std::byte** out, int64_t count, Planes<const T> rows) const;

  void transform(T* out, const T* in, Memory& memory) const;
  void line_from_real(T* out, const T* in, Memory& memory) const;
  void line_to_real(T* out, const T* in, Memory& memory) const;

  const Transform& t_;
  const FftKernelsOf<T>& kernels_ = fft_kernels<T>();
  Rows source_, target_;
  // `halved_` is true if a complex transform of half the length computes the real transform.
  bool halved_;
  int64_t length_;  // the length of the complex transform
  int64_t taken_, given_, used_;
  T scale_;
  // The pointer is null unless kernels transform the rows one by one.
  typename FftKernelsOf<T>::RowsKernel rows_kernel_;
  bool by_blocks_;
  std::shared_ptr<const HalfRoots<T>> half_;
  std::shared_ptr<const Passes<T>> passes_;
  std::shared_ptr<const LinePlan<T>> line_;
};

template <class T>
Transformer<T>::Transformer(const Tensor& target, const Tensor& source, int axis, const Transform& t, const Dims& order)
    : t_(t),
      source_(source, axis, order),
      target_(target, axis, order),
      halved_(is_real(t.form) && t.n % 2 == 0),
      length_(halved_ ? t.n / 2 : t.n),
      taken_(taken(t)),
      given_(given(t)),
      used_(std::min(taken_, source_.length())),
      scale_(static_cast<T>(t.scale)),
      rows_kernel_(rows_kernel()),
      by_blocks_(by_blocks()) {
  if (halved_) half_ = planned<HalfRoots<T>>(t.n);
  if (rows_kernel_ || by_blocks_) {
    passes_ = planned<Passes<T>>(length_);
  } else {
    line_ = planned<LinePlan<T>>(length_);
  }
}

template <class T>
typename FftKernelsOf<T>::RowsKernel Transformer<T>::rows_kernel() const {
  const bool whole = t_.form == Form::complex && used_ == length_ && source_.direct() && target_.direct();
  const auto n = static_cast<uint64_t>(length_);
  if (!whole || length_ < shortest_rows || length_ > longest_rows || !std::has_single_bit(n)) return nullptr;
  return kernels_.rows[std::countr_zero(n)];
}

template <class T>
bool Transformer<T>::by_blocks() const {
  if (length_ < costs::shortest_line) return is_smooth(length_);
  const bool direct = source_.direct() && target_.direct();
  // Blocks are not faster than lines that need no copies to or from scratch memory.
  if (direct && length_ % 8 == 0) return false;
  return source_.count() >= costs::fewest_columns &&
         length_ <= (direct ? longest_block<T> : longest_strided_block<T>) && is_smooth(length_);
}

template <class T>
void Transformer<T>::run() const {
  if (rows_kernel_) {
    run_rows();
  } else if (by_blocks_) {
    run_blocks();
  } else {
    run_lines();
  }
}

template <class T>
void Transformer<T>::run_rows() const {
  const int64_t lines = source_.count(), in_run = source_.run(), out_run = target_.run();
  const auto run = [&](int64_t line, int64_t end) {
    while (line < end) {
      const int64_t count = std::min({end - line, in_run - line % in_run, out_run - line % out_run});
      // The first two addresses determine the distance from each column to the next.
      std::byte *in[2], *out[2];
      source_.locate(in, line, std::min<int64_t>(count, 2));
      target_.locate(out, line, std::min<int64_t>(count, 2));
      rows_kernel_(passes_->list.data(), {out[0], count > 1 ? out[1] - out[0] : 0},
                   {in[0], count > 1 ? in[1] - in[0] : 0}, count, t_.inverse, scale_);
      line += count;
    }
  };
  share(costs::transform_work(lines * (source_.row_bytes() + target_.row_bytes())), lines, run);
}

template <class T>
void Transformer<T>::run_blocks() const {
  constexpr int64_t width = block_columns<T>;
  // A block ends at the end of a run of columns that are side by side, unless the run has few columns.
  const int64_t lines = source_.count(), run = source_.run() < width / 2 ? lines : source_.run();
  const int64_t blocks_per_run = (run + width - 1) / width, blocks = lines / run * blocks_per_run;
  const int64_t bytes = lines * (source_.row_bytes() + target_.row_bytes());
  const bool direct = source_.direct() && target_.direct();
  share(direct ? costs::transform_work(bytes) : costs::column_transform_work(bytes), blocks,
        [&](int64_t begin, int64_t end) {
          PlanePair<T> planes;
          planes.take((t_.form == Form::complex ? length_ : std::max(length_ + 1, given_)) * width);
          for (int64_t b = begin; b < end; ++b) {
            const int64_t start = b % blocks_per_run * width, count = std::min(width, run - start);
            std::byte *in[width], *out[width];
            source_.locate(in, b / blocks_per_run * run + start, count);
            target_.locate(out, b / blocks_per_run * run + start, count);
            if (t_.form == Form::complex) {
              transform_complex(out, in, count, planes);
            } else if (t_.form == Form::from_half) {
              transform_to_real(out, in, count, planes);
            } else {
              transform_from_real(out, in, count, planes);
            }
          }
        });
}

template <class T>
void clear_rows(T* rows, int64_t first, int64_t last) {
  std::fill(rows + first * block_columns<T>, rows + last * block_columns<T>, T(0));
}

// Loads the first `used_` rows of a block of columns, and fills the following rows up to `count` with zeros.
template <class T>
void Transformer<T>::load_rows(Planes<T> rows, const FftColumns& columns, int64_t count) const {
  kernels_.load(rows, columns, used_);
  clear_rows(rows.re, used_, count);
  clear_rows(rows.im, used_, count);
}

template <class T>
void Transformer<T>::transform_complex(std::byte** out, std::byte** in, int64_t count, PlanePair<T>& planes) const {
  const FftColumns source = read(in, count), target = write(out, count);
  const bool whole = used_ == t_.n;
  if (!whole) load_rows(t_.inverse ? swapped(planes.here) : planes.here, source, t_.n);
  transform_block<T>(*passes_, planes, {whole ? &source : nullptr, t_.inverse}, {&target, t_.inverse, scale_});
}

// Loads rows of real numbers. If a complex transform of half the length computes the real transform, numbers with even
// indices become real parts, and numbers with odd indices become imaginary parts.
template <class T>
void Transformer<T>::load_real(std::byte** in, int64_t count, Planes<T> rows) const {
  if (!halved_) {
    kernels_.load_real(rows.re, read(in, count), used_);
    clear_rows(rows.re, used_, length_);
    clear_rows(rows.im, 0, length_);
    return;
  }
  const int64_t even = (used_ + 1) / 2, odd = used_ / 2;
  if (source_.step() == sizeof(T) && even == odd) {
    kernels_.load(rows, read(in, count, 2), even);
  } else {
    std::byte* next[block_columns<T>];
    kernels_.load_real(rows.re, read(in, count, 2), even);
    kernels_.load_real(rows.im, moved(read(in, count, 2), next, source_.step()), odd);
  }
  clear_rows(rows.re, even, length_);
  clear_rows(rows.im, odd, length_);
}

template <class T>
void Transformer<T>::store_real(std::byte** out, int64_t count, Planes<const T> rows) const {
  if (!halved_) return kernels_.store_real(write(out, count), rows.re, length_, scale_);
  if (target_.step() == sizeof(T)) return kernels_.store(write(out, count, 2), rows, length_, {scale_, scale_});
  std::byte* next[block_columns<T>];
  kernels_.store_real(write(out, count, 2), rows.re, length_, scale_);
  kernels_.store_real(moved(write(out, count, 2), next, target_.step()), rows.im, length_, scale_);
}

template <class T>
void Transformer<T>::transform_from_real(std::byte** out, std::byte** in, int64_t count, PlanePair<T>& planes) const {
  constexpr int64_t width = block_columns<T>;
  load_real(in, count, planes.here);
  transform_block(*passes_, planes);
  if (halved_) {
    std::copy_n(planes.here.re, width, planes.here.re + length_ * width);
    std::copy_n(planes.here.im, width, planes.here.im + length_ * width);
    kernels_.to_half(planes.there, as_const(planes.here), as_const(half_->roots), length_);
    planes.turn();
  } else {
    clear_rows(planes.here.im, 0, 1);
  }
  const FftScale<T> scale{scale_, t_.inverse ? -scale_ : scale_};
  const int64_t half = t_.n / 2 + 1;
  kernels_.store(write(out, count), as_const(planes.here), half, scale);
  if (!gives_all(t_)) return;
  // The remaining rows are stored in reverse order.
  std::byte* last[width];
  const Planes<const T> from{planes.here.re + width, planes.here.im + width};
  kernels_.store(moved(write(out, count, -1), last, (t_.n - 1) * target_.step()), from, t_.n - half,
                 {scale.re, -scale.im});
}

template <class T>
void Transformer<T>::transform_to_real(std::byte** out, std::byte** in, int64_t count, PlanePair<T>& planes) const {
  constexpr int64_t width = block_columns<T>;
  load_rows(planes.here, read(in, count), taken_);
  // A forward transform uses the conjugates of the numbers of the spectrum.
  const T sign = t_.inverse ? T(1) : T(-1);
  if (halved_) {
    kernels_.from_half(planes.there, as_const(planes.here), as_const(half_->roots), length_, sign);
    planes.turn();
  } else {
    clear_rows(planes.here.im, 0, 1);
    for (int64_t i = width; i < taken_ * width; ++i) planes.here.im[i] *= sign;
    for (int64_t k = taken_; k < t_.n; ++k) {
      for (int64_t q = 0; q < width; ++q) {
        planes.here.re[k * width + q] = planes.here.re[(t_.n - k) * width + q];
        planes.here.im[k * width + q] = -planes.here.im[(t_.n - k) * width + q];
      }
    }
  }
  std::swap(planes.here.re, planes.here.im);
  transform_block(*passes_, planes);
  std::swap(planes.here.re, planes.here.im);
  store_real(out, count, as_const(planes.here));
}

template <class T>
void Transformer<T>::run_lines() const {
  const int64_t lines = source_.count(), bytes = std::max(source_.row_bytes(), target_.row_bytes());
  const int64_t in_parts = t_.form == Form::complex || t_.form == Form::from_half ? 2 : 1;
  // The code stages neighbouring lines together, because neighbours share cache lines.
  const bool staged = !source_.direct() || !target_.direct();
  const int64_t group =
      staged ? std::clamp<int64_t>(costs::staged_lines / std::max<int64_t>(bytes, 1), 1, staged_rows) : 1;
  const auto run = [&](int64_t first, int64_t last) {
    Memory memory;
    for (; first < last; first += group) {
      const int64_t count = std::min(group, last - first);
      std::byte *in[staged_rows], *out[staged_rows];
      source_.locate(in, first, count);
      target_.locate(out, first, count);
      std::byte* const loaded =
          source_.direct() ? nullptr : memory.in.template take<std::byte>(count * source_.row_bytes());
      std::byte* const made =
          target_.direct() ? nullptr : memory.out.template take<std::byte>(count * target_.row_bytes());
      if (loaded) source_.load(loaded, in, count);
      for (int64_t i = 0; i < count; ++i) {
        const T* from = reinterpret_cast<const T*>(loaded ? loaded + i * source_.row_bytes() : in[i]);
        if (used_ < taken_) {
          T* const padded = memory.padded.template take<T>(in_parts * taken_);
          std::copy_n(from, in_parts * used_, padded);
          std::fill_n(padded + in_parts * used_, in_parts * (taken_ - used_), T(0));
          from = padded;
        }
        transform(reinterpret_cast<T*>(made ? made + i * target_.row_bytes() : out[i]), from, memory);
      }
      if (made) target_.store(made, out, count);
    }
  };
  // If the lines are few and long, all threads work on each line.
  if (bytes >= costs::shared_line_bytes && lines < 2 * num_threads()) return run(0, lines);
  share(costs::transform_work(2 * lines * bytes), (lines + group - 1) / group,
        [&](int64_t first, int64_t last) { run(first * group, std::min(lines, last * group)); });
}

template <class T>
void Transformer<T>::transform(T* out, const T* in, Memory& memory) const {
  switch (t_.form) {
    case Form::complex:
      return transform_line(*line_, out, in, t_.inverse, scale_);
    case Form::from_half:
      return line_to_real(out, in, memory);
    default:
      return line_from_real(out, in, memory);
  }
}

template <class T>
void Transformer<T>::line_from_real(T* out, const T* in, Memory& memory) const {
  const T sign = t_.inverse ? T(-1) : T(1);
  const int64_t half = t_.n / 2 + 1;
  T* const line = memory.line.template take<T>(2 * (length_ + 1));
  if (halved_) {
    transform_line(*line_, line, in, false, T(1));
    line[2 * length_] = line[0];
    line[2 * length_ + 1] = line[1];
    kernels_.to_half_line(out, line, as_const(half_->roots), length_, {scale_, sign * scale_});
  } else {
    for (int64_t j = 0; j < t_.n; ++j) line[2 * j] = in[j], line[2 * j + 1] = T(0);
    transform_line(*line_, line, line, false, scale_);
    for (int64_t k = 0; k < half; ++k) out[2 * k] = line[2 * k], out[2 * k + 1] = sign * line[2 * k + 1];
    out[1] = T(0);
  }
  if (!gives_all(t_)) return;
  for (int64_t k = half; k < t_.n; ++k) out[2 * k] = out[2 * (t_.n - k)], out[2 * k + 1] = -out[2 * (t_.n - k) + 1];
}

template <class T>
void Transformer<T>::line_to_real(T* out, const T* in, Memory& memory) const {
  const T sign = t_.inverse ? T(1) : T(-1);
  T* const line = memory.line.template take<T>(2 * length_);
  if (halved_) {
    kernels_.from_half_line(line, in, as_const(half_->roots), length_, sign);
    return transform_line(*line_, out, line, true, scale_);
  }
  line[0] = in[0];
  line[1] = T(0);
  for (int64_t k = 1; k < taken_; ++k) {
    line[2 * k] = line[2 * (t_.n - k)] = in[2 * k];
    line[2 * k + 1] = sign * in[2 * k + 1];
    line[2 * (t_.n - k) + 1] = -line[2 * k + 1];
  }
  transform_line(*line_, line, line, true, scale_);
  for (int64_t j = 0; j < t_.n; ++j) out[j] = line[2 * j];
}

template <class T>
void run_transform(const Tensor& target, const Tensor& source, int axis, const Transform& t) {
  Transformer<T>(target, source, axis, t, Rows::walking_order(source, axis)).run();
}

}  // namespace

int64_t taken(const Transform& t) { return t.form == Form::from_half ? t.n / 2 + 1 : t.n; }
int64_t given(const Transform& t) { return t.form == Form::to_half ? t.n / 2 + 1 : t.n; }

void transform_axis(const Tensor& target, const Tensor& source, int axis, const Transform& t) {
  if (target.size == 0) return;
  if (real_part(target.dtype) == DType::float32) {
    run_transform<float>(target, source, axis, t);
  } else {
    run_transform<double>(target, source, axis, t);
  }
}

}  // namespace suanzi::fft
