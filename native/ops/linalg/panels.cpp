#include "ops/linalg/panels.h"

#include <algorithm>
#include <functional>

#include "kernels/kernel.h"
#include "ops/product/gemm.h"
#include "ops/product/gemm.kernels.h"
#include "runtime/share.h"

namespace suanzi::linalg {

using products::copy_panel;
namespace {

constexpr int64_t panel_width = 64;  // the number of columns in a panel

template <class T>
T minus_conjugate(const T& x) {
  if constexpr (is_complex_number<T>) {
    return -std::conj(x);
  } else {
    return -x;
  }
}

template <class T>
std::byte* bytes(const T* data) {
  return reinterpret_cast<std::byte*>(const_cast<T*>(data));
}

template <class T>
const GemmKernels& kernels_of() {
  return kernels().gemm[static_cast<int>(dtype_of<T>)];
}

// Returns the number of columns that are packed side by side. These columns fill four vectors.
template <class T>
int64_t packed_width() {
  return 2 * kernels_of<T>().panel;
}

// Writes the transpose of a matrix of rows × columns elements to `to`. The columns become the rows of `to`.
template <class T>
void transpose(T* to, int64_t to_row, const T* from, int64_t from_row, int64_t rows, int64_t columns) {
  copy_panel(bytes(to), {bytes(from), rows, columns, 1, from_row}, to_row, sizeof(T));
}

// Replaces X by T⁻¹ X. `triangle` holds T in the form that the kernel for substitution reads
// (ops/product/gemm.kernels.h).
template <class T>
void substitute(const T* triangle, T* x, int64_t x_row, int64_t rows, int64_t columns) {
  kernels_of<T>().substitute({rows, columns, bytes(triangle), panel_width, bytes(x), x_row});
}

// Adds A B to C, where A has the given strides, B is packed, and C is stored by rows.
template <class T>
void add_product(const T* a, int64_t a_row, int64_t a_column, int64_t terms, const T* packed, T* c, int64_t c_row,
                 int64_t rows, int64_t columns) {
  const GemmKernels& kernel = kernels_of<T>();
  for (int64_t first = 0; first < columns; first += packed_width<T>()) {
    const int64_t width = std::min(packed_width<T>(), columns - first);
    std::byte* const target = bytes(c + first);
    kernel.block({rows, width, terms, bytes(a), a_row, a_column, kernel.rows * a_row, bytes(packed + first * terms),
                  width, target, c_row, target, c_row});
  }
}

// The operands with which the code updates later panels after it has factorised one panel. The operands are the panel's
// diagonal block, in the form that substitution reads, and the negated part below this block. The negated part is
// transposed (for Cholesky also conjugated) and packed. The code makes the operands of the next panel during the
// update.
template <class T>
class Steps {
 public:
  explicit Steps(int64_t rows) : each_(panel_width * (panel_width + rows)), memory_(2 * each_) {}
  T* triangle(int64_t panel) const { return memory_.data() + panel % 2 * each_; }
  T* packed(int64_t panel) const { return triangle(panel) + panel_width * panel_width; }

 private:
  int64_t each_;
  ScratchArray<T> memory_;
};

// Updates each panel with each earlier panel, one after the other, and then factorises the panel. After the code has
// factorised a panel, threads update the later panels. The thread that updates the first of these panels then
// factorises this panel, while other threads still update other panels.
template <class Update, class Factorise>
void for_each_panel(int64_t panels, int64_t factorised, Length length, Update update, Factorise factorise) {
  factorise(0);
  for (int64_t done = 0; done < factorised; ++done) {
    parallel_for(panels - done - 1, length, [&](int64_t task) {
      const int64_t panel = done + 1 + task;
      update(panel, done);
      if (task == 0 && panel < factorised) factorise(panel);
    });
  }
}

Length length_of_factorisation(int64_t m, int64_t n, int64_t k) {
  return work_of(m, n, k) < 0x1p24 ? Length::brief : Length::any;
}

// Exchanges elements of columns. Element first + i changes places with the element of the row that pivot i selects.
template <class T>
void exchange(T* column, int64_t columns, int64_t leading, const Int* pivots, int64_t first, int64_t count) {
  for (int64_t j = 0; j < columns; ++j, column += leading)
    for (int64_t i = 0; i < count; ++i) std::swap(column[first + i], column[pivots[i] - 1]);
}

}  // namespace

bool by_panels(const Matrices& x, double operations) {
  return x.rank() >= costs::least_panel_rank && (x.rows - 1) / costs::tallest_panels < x.columns &&
         !is_shared_out(x, x.count, operations) && own_factors();
}

template <class T>
Int lu_by_library(const Routines<T>& routines, Int m, Int n, T* a, Int* pivots) {
  const Int k = std::min(m, n), ld = leading(m);
  Int info = 0;
  routines.getrf(&m, &k, a, &ld, pivots, &info);
  if (n > m) {
    T* const rest = a + m * m;
    exchange(rest, n - m, m, pivots, 0, m);
    const T one = 1;
    routines.trsm(Order::column_major, Side::left, Triangle::lower, Transpose::no, Diagonal::unit, m, n - m,
                  as_factor(one), a, ld, rest, ld);
  }
  return info;
}

template <class T>
Int lu_by_panels(Int m, Int n, T* a, Int* pivots) {
  const Session session(1);
  const Routines<T>& routines = session.routines<T>();
  const Int k = std::min(m, n);
  const int64_t panels = ceiling(n, panel_width), factorised = ceiling(k, panel_width);
  const auto column = [&](int64_t panel) { return a + panel * panel_width * m; };
  const auto width = [&](int64_t panel, int64_t end) { return std::min(panel_width, end - panel * panel_width); };
  const Steps<T> memory(m);
  Int info = 0;

  const auto factorise = [&](int64_t panel) {
    session.enter_task();
    const Int first = panel * panel_width, rows = m - first, columns = width(panel, n), steps = width(panel, k);
    T* const block = column(panel) + first;
    Int failed = 0;
    routines.getrf(&rows, &columns, block, &m, pivots + first, &failed);
    if (info == 0 && failed > 0) info = first + failed;
    for (Int i = 0; i < steps; ++i) pivots[first + i] += first;
    T* const triangle = memory.triangle(panel);
    for (Int i = 0; i < steps; ++i) {
      for (Int j = 0; j < i; ++j) triangle[i * panel_width + j] = -block[j * m + i];
      triangle[i * panel_width + i] = 1;
    }
    T* to = memory.packed(panel);
    for (int64_t row = steps; row < rows; row += packed_width<T>()) {
      const int64_t count = std::min(packed_width<T>(), rows - row);
      for (int64_t j = 0; j < steps; ++j, to += count)
        std::transform(block + j * m + row, block + j * m + row + count, to, std::negate<>());
    }
  };
  const auto update = [&](int64_t panel, int64_t with) {
    const Int first = with * panel_width, steps = width(with, k), columns = width(panel, n);
    T* const target = column(panel);
    exchange(target, columns, m, pivots + first, first, steps);
    alignas(64) std::byte stack[panel_width * panel_width * sizeof(T)];
    T* const upper = reinterpret_cast<T*>(stack);  // the panel's rows of U
    transpose(upper, columns, target + first, m, steps, columns);
    substitute(memory.triangle(with), upper, columns, steps, columns);
    transpose(target + first, m, upper, columns, columns, steps);
    // A matrix stored by columns is the transpose of a matrix stored by rows.
    add_product(upper, 1, columns, steps, memory.packed(with), target + first + steps, m, columns, m - first - steps);
  };
  for_each_panel(panels, factorised, length_of_factorisation(m, n, k), update, factorise);
  // The code also applies the row exchanges of each panel to all columns before the panel.
  parallel_for(factorised - 1, length_of(m * k * static_cast<Int>(sizeof(T))), [&](int64_t panel) {
    const Int first = (panel + 1) * panel_width;
    exchange(column(panel), panel_width, m, pivots + first, first, k - first);
  });
  return info;
}

template <class T>
void solve_by_panels(Int n, const T* factors, const Int* pivots, T* b, Int columns, Sides sides) {
  const int64_t panels = ceiling(n, panel_width), stripe = packed_width<T>();
  constexpr int64_t triangle_size = panel_width * panel_width;
  // If code reads `factors` by rows, the factors are a lower triangle with a diagonal, and a unit upper triangle. In
  // `triangles`, the rows and columns of the upper triangle are reversed.
  const ScratchArray<T> triangles(2 * panels * triangle_size);
  const auto lower = [&](int64_t panel) { return triangles.data() + 2 * panel * triangle_size; };
  const auto upper = [&](int64_t panel) { return lower(panel) + triangle_size; };
  const auto height = [&](int64_t panel) { return std::min(panel_width, n - panel * panel_width); };
  const auto block = [&](int64_t down, int64_t across) { return factors + (down * n + across) * panel_width; };
  parallel_for(panels, Length::brief, [&](int64_t panel) {
    const int64_t rows = height(panel), last = rows - 1;
    const T* const diagonal = block(panel, panel);
    for (int64_t i = 0; i < rows; ++i) {
      T* const down = lower(panel) + i * panel_width;
      T* const up = upper(panel) + i * panel_width;
      std::transform(diagonal + i * n, diagonal + i * n + i, down, std::negate<>());
      down[i] = T(1) / diagonal[i * n + i];
      for (int64_t j = 0; j < i; ++j) up[j] = -diagonal[(last - i) * n + last - j];
      up[i] = 1;
    }
  });
  parallel_for(ceiling(columns, stripe), length_of_factorisation(n, n, columns), [&](int64_t task) {
    const int64_t first = task * stripe, width = std::min(stripe, columns - first);
    const ScratchArray<T> memory((n + panel_width) * width);
    T* const x = memory.data();
    T* const minus = x + n * width;  // the negated rows that were solved last
    // Subtracts the contributions of the panel's solved rows from the rows [from, from + rows) of x.
    const auto subtract = [&](int64_t panel, int64_t from, int64_t rows) {
      const T* const solved = x + panel * panel_width * width;
      std::transform(solved, solved + height(panel) * width, minus, std::negate<>());
      add_product(factors + from * n + panel * panel_width, n, 1, height(panel), minus, x + from * width, width, rows,
                  width);
    };
    // The number of the first panel that may have nonzero rows.
    int64_t begin = 0;
    if (sides == Sides::unit) {
      begin = first / panel_width;
      std::fill_n(x, n * width, T(0));
      for (int64_t j = 0; j < width; ++j) x[(first + j) * width + j] = 1;
    } else {
      for (int64_t i = 0; i < n; ++i) std::copy_n(b + i * columns + first, width, x + i * width);
    }
    for (int64_t panel = begin; panel < panels; ++panel) {
      const int64_t row = panel * panel_width, below = row + height(panel);
      substitute(lower(panel), x + row * width, width, height(panel), width);
      subtract(panel, below, n - below);
    }
    for (int64_t panel = panels - 1; panel >= 0; --panel) {
      const int64_t row = panel * panel_width;
      substitute(upper(panel), x + (row + height(panel) - 1) * width, -width, height(panel), width);
      subtract(panel, 0, row);
    }
    for (int64_t i = n - 1; i >= 0; --i)
      if (pivots[i] - 1 != i) std::swap_ranges(x + i * width, x + (i + 1) * width, x + (pivots[i] - 1) * width);
    for (int64_t i = 0; i < n; ++i) std::copy_n(x + i * width, width, b + i * columns + first);
  });
}

template <class T>
Int cholesky_by_panels(Int n, T* a) {
  const Session session(1);
  const Routines<T>& routines = session.routines<T>();
  const int64_t panels = ceiling(n, panel_width);
  const auto width = [&](int64_t panel) { return std::min(panel_width, n - panel * panel_width); };
  const auto block = [&](int64_t down, int64_t across) { return a + (down * n + across) * panel_width; };
  const Steps<T> memory(n);
  Int info = 0;

  const auto factorise = [&](int64_t panel) {
    if (info != 0) return;
    session.enter_task();
    const Int steps = width(panel), first = panel * panel_width;
    T* const diagonal = block(panel, panel);
    routines.potrf("U", &steps, diagonal, &n, &info, 1);  // "U" is the lower triangle of a matrix stored by rows
    if (info != 0) {
      info += first;
      return;
    }
    T* const triangle = memory.triangle(panel);
    for (Int i = 0; i < steps; ++i) {
      for (Int j = 0; j < i; ++j) triangle[i * panel_width + j] = minus_conjugate(diagonal[i * n + j]);
      triangle[i * panel_width + i] = T(1) / diagonal[i * n + i];
    }
    T* to = memory.packed(panel);
    for (int64_t row = steps; row < n - first; row += packed_width<T>()) {
      const int64_t count = std::min(packed_width<T>(), n - first - row);
      T* const below = diagonal + row * n;
      transpose(to, count, below, n, steps, count);
      substitute(triangle, to, count, steps, count);
      transpose(below, n, to, count, count, steps);
      T* const end = to + steps * count;
      std::transform(to, end, to, minus_conjugate<T>);
      to = end;
    }
  };
  const auto update = [&](int64_t panel, int64_t with) {
    const T* const packed = memory.packed(with) + (panel - with - 1) * panel_width * panel_width;
    add_product(block(panel, with), n, 1, panel_width, packed, block(panel, panel), n, n - panel * panel_width,
                width(panel));
  };
  for_each_panel(panels, panels, length_of_factorisation(n, n, n), update, factorise);
  return info;
}

template Int lu_by_library(const Routines<float>&, Int, Int, float*, Int*);
template Int lu_by_panels(Int, Int, float*, Int*);
template Int lu_by_library(const Routines<double>&, Int, Int, double*, Int*);
template Int lu_by_panels(Int, Int, double*, Int*);
template Int lu_by_library(const Routines<std::complex<float>>&, Int, Int, std::complex<float>*, Int*);
template Int lu_by_panels(Int, Int, std::complex<float>*, Int*);
template Int lu_by_library(const Routines<std::complex<double>>&, Int, Int, std::complex<double>*, Int*);
template Int lu_by_panels(Int, Int, std::complex<double>*, Int*);
template void solve_by_panels(Int, const float*, const Int*, float*, Int, Sides);
template Int cholesky_by_panels(Int, float*);
template void solve_by_panels(Int, const double*, const Int*, double*, Int, Sides);
template Int cholesky_by_panels(Int, double*);
template void solve_by_panels(Int, const std::complex<float>*, const Int*, std::complex<float>*, Int, Sides);
template Int cholesky_by_panels(Int, std::complex<float>*);
template void solve_by_panels(Int, const std::complex<double>*, const Int*, std::complex<double>*, Int, Sides);
template Int cholesky_by_panels(Int, std::complex<double>*);

}  // namespace suanzi::linalg
