#include "ops/fft/line.h"

#include <algorithm>

#include "runtime/share.h"

namespace suanzi::fft {
namespace {

int kernel_index(int radix) { return radix <= 8 ? radix : 0; }

// Returns true if the columns fill a block whose rows are contiguous.
template <class T>
bool fills_block(const FftColumns& columns) {
  if (columns.count < block_columns<T>) return false;
  for (int64_t q = 1; q < columns.count; ++q)
    if (columns.first[q] - columns.first[q - 1] != 2 * static_cast<int64_t>(sizeof(T))) return false;
  return true;
}

template <class T>
std::byte* bytes_at(const T* line, int64_t number) {
  return reinterpret_cast<std::byte*>(const_cast<T*>(line + 2 * number));
}

// Describes columns of a line that is treated as a matrix. Column q begins at number start + q * step of the line, and
// the rows of a column are `row_step` numbers apart.
template <class T>
struct BlockAt {
  std::byte* first[block_columns<T>];
  FftColumns columns;

  BlockAt(const T* line, int64_t start, int64_t count, int64_t step, int64_t row_step)
      : columns{first, count, row_step * 2 * static_cast<int64_t>(sizeof(T))} {
    for (int64_t q = 0; q < count; ++q) first[q] = bytes_at(line, start + q * step);
  }
};

template <class T>
void transform_by_passes(const Passes<T>& passes, T* out, const T* in, bool inverse, T scale) {
  const FftKernelsOf<T>& kernels = fft_kernels<T>();
  PlanePair<T> planes;
  planes.take(passes.n);
  kernels.first(passes.list[0], planes.here, in, inverse);
  int64_t columns = passes.list[0].radix;
  for (size_t i = 1; i + 1 < passes.list.size(); ++i) {
    const FftPass<T>& pass = passes.list[i];
    kernels.pass[kernel_index(pass.radix)](pass, planes.there, as_const(planes.here), columns);
    columns *= pass.radix;
    planes.turn();
  }
  const FftPass<T>& last = passes.list.back();
  kernels.last[kernel_index(last.radix)](last, out, as_const(planes.here), columns, scale, inverse);
}

// Transforms a line by the passes for blocks. The line is one column of a block.
template <class T>
void transform_as_column(const Passes<T>& passes, T* out, const T* in, bool inverse, T scale) {
  PlanePair<T> planes;
  planes.take(passes.n * block_columns<T>);
  const BlockAt<T> source(in, 0, 1, 1, 1), target(out, 0, 1, 1, 1);
  transform_block<T>(passes, planes, {&source.columns, inverse}, {&target.columns, inverse, scale});
}

// Calls body(first, last, planes) for ranges [first, last) that together make up `count` blocks of columns. Each range
// has its own planes. Several threads share the blocks if the work is large enough.
template <class T, class Body>
void for_blocks(int64_t count, int64_t bytes, Body body) {
  share(bytes, count, [&](int64_t first, int64_t last) {
    PlanePair<T> planes;
    body(first, last, planes);
  });
}

template <class T>
void transform_split(const LinePlan<T>& plan, T* out, const T* in, bool inverse, T scale) {
  constexpr int64_t width = block_columns<T>;
  const FftKernelsOf<T>& kernels = fft_kernels<T>();
  const int64_t height = plan.rows->n, length = plan.columns->n, bytes = 2 * plan.n * static_cast<int64_t>(sizeof(T));
  const auto blocks_of = [](int64_t n) { return (n + width - 1) / width; };
  Scratch memory;
  T* const middle = memory.take<T>(2 * plan.n);
  for_blocks<T>(blocks_of(length), bytes, [&](int64_t block, int64_t end, PlanePair<T>& planes) {
    planes.take(height * width);
    for (; block < end; ++block) {
      const int64_t start = block * width, count = std::min(width, length - start);
      const BlockAt<T> source(in, start, count, 1, length), target(middle, start, count, 1, length);
      transform_block<T>(*plan.rows, planes, {&source.columns, inverse});
      const Planes<const T> by{plan.by.re + block * height, plan.by.im + block * height};
      kernels.twiddle(planes.here, by, as_const(plan.each), height);
      kernels.store(target.columns, as_const(planes.here), height, {T(1), T(1)});
    }
  });
  for_blocks<T>(blocks_of(height), bytes, [&](int64_t block, int64_t end, PlanePair<T>& planes) {
    planes.take(length * width);
    for (; block < end; ++block) {
      const int64_t start = block * width, count = std::min(width, height - start);
      const BlockAt<T> source(middle, start * length, count, length, 1), target(out, start, count, 1, height);
      transform_block<T>(*plan.columns, planes, {&source.columns}, {&target.columns, inverse, scale});
    }
  });
}

// Writes out = a * b or, if `conjugate` is true, out = a * conj b.
template <class T>
void multiply_lines(T* out, const T* a, const T* b, int64_t n, bool conjugate) {
  constexpr int64_t chunk = costs::multiplied_line;
  const int64_t tasks = (n + chunk - 1) / chunk;
  parallel_for(tasks, [&](int64_t task) {
    const int64_t start = task * chunk, count = std::min(chunk, n - start);
    fft_kernels<T>().multiply(out + 2 * start, a + 2 * start, b + 2 * start, count, conjugate ? T(-1) : T(1));
  });
}

// Transforms a line of any length by a convolution, because
//   x[j] exp(-2πi jk / n) = x[j] c[j] c[k] / c[k - j] with c[k] = exp(-πi k² / n).
template <class T>
void transform_by_chirp(const LinePlan<T>& plan, T* out, const T* in, bool inverse, T scale) {
  const int64_t m = plan.inner->n;
  Scratch memory;
  T* const line = memory.take<T>(2 * m);
  multiply_lines(line, in, plan.chirp, plan.n, inverse);
  std::fill_n(line + 2 * plan.n, 2 * (m - plan.n), T(0));
  transform_line(*plan.inner, line, line, false, T(1));
  multiply_lines(line, line, plan.spectrum, m, inverse);
  transform_line(*plan.inner, line, line, true, scale);
  multiply_lines(out, line, plan.chirp, plan.n, inverse);
}

}  // namespace

template <class T>
void transform_block(const Passes<T>& passes, PlanePair<T>& planes, const BlockEnd<T>& from, const BlockEnd<T>& to) {
  const FftKernelsOf<T>& kernels = fft_kernels<T>();
  const auto planes_of = [&](const BlockEnd<T>& end) { return end.swapped ? swapped(planes.here) : planes.here; };
  // If the rows are contiguous, the first pass reads the rows from memory, and the last pass writes the rows to memory.
  const bool several = passes.list.size() > 1;
  const bool loads = several && from.columns && fills_block<T>(*from.columns);
  const bool stores = several && to.columns && fills_block<T>(*to.columns);
  if (from.columns && !loads) kernels.load(planes_of(from), *from.columns, passes.n);
  int64_t rows = 1;
  for (size_t i = 0; i < passes.list.size(); ++i) {
    const FftPass<T>& pass = passes.list[i];
    const int index = kernel_index(pass.radix);
    if (i == 0 && loads) {
      kernels.load_pass[index](pass, planes.here, *from.columns, from.swapped);
    } else if (i + 1 == passes.list.size() && stores) {
      kernels.store_pass[index](pass, *to.columns, as_const(planes.here), rows, to.scale, to.swapped);
    } else {
      kernels.pass[index](pass, planes.there, as_const(planes.here), rows * block_columns<T>);
      planes.turn();
    }
    rows *= pass.radix;
  }
  if (to.columns && !stores) kernels.store(*to.columns, as_const(planes_of(to)), passes.n, {to.scale, to.scale});
}

template <class T>
void transform_line(const LinePlan<T>& plan, T* out, const T* in, bool inverse, T scale) {
  switch (plan.method) {
    case Method::line:
      return transform_by_passes(*plan.passes, out, in, inverse, scale);
    case Method::block:
      return transform_as_column(*plan.passes, out, in, inverse, scale);
    case Method::split:
      return transform_split(plan, out, in, inverse, scale);
    case Method::chirp:
      return transform_by_chirp(plan, out, in, inverse, scale);
  }
}

template void transform_block(const Passes<float>&, PlanePair<float>&, const BlockEnd<float>&, const BlockEnd<float>&);
template void transform_block(const Passes<double>&, PlanePair<double>&, const BlockEnd<double>&,
                              const BlockEnd<double>&);
template void transform_line(const LinePlan<float>&, float*, const float*, bool, float);
template void transform_line(const LinePlan<double>&, double*, const double*, bool, double);

}  // namespace suanzi::fft
