// The division of one matrix product among threads. The code packs B panel by panel, and packs A in slices of rows.
// Each task multiplies one slice of A by a group of panels.
#pragma once

#include <algorithm>
#include <type_traits>

#include "ops/product/matrix.h"
#include "runtime/costs.h"
#include "runtime/threads.h"
#include "tensor/scratch.h"

namespace suanzi::products {

struct Sharing {
  int64_t rows, columns, terms;    // the sizes of the product
  int64_t strip, width;            // the numbers of rows and columns that the kernel computes at a time
  int64_t depth;                   // the number of terms that are summed before C is written
  int64_t panel_bytes, row_bytes;  // the sizes of a packed panel and of a packed row
  int threads = max_threads;
};

// share_out calls these functions:
//   pack_panel(memory, column, term, terms), or nullptr if `multiply` finds B packed elsewhere
//   pack_rows(memory, row, rows, term, terms)
//   multiply(packed rows, row, rows, packed panel, column, term, terms)
// `multiply` writes the sums of the first terms to C, and adds the sums of later terms to C. The scratch memory is 4
// MiB, and 400 KiB for each thread.
template <class PackPanel, class PackRows, class Multiply>
void share_out(const Sharing& s, PackPanel pack_panel, PackRows pack_rows, Multiply multiply) {
  const int64_t threads = std::min(num_threads(), s.threads);
  const int64_t panels =
      std::min(std::max<int64_t>(costs::shared_panels_bytes / s.panel_bytes, 1), ceiling(s.columns, s.width));
  // If the product has enough strips, all threads have the same number of slices. If the slices are few, the code also
  // divides each slice's panels.
  const int64_t strips = ceiling(s.rows, s.strip),
                together = std::max<int64_t>(costs::slice_bytes() / (s.row_bytes * s.strip), 1);
  const int64_t slices = std::min(ceiling(ceiling(strips, together), threads) * threads, strips);
  const int64_t groups = ceiling(threads, slices);
  Scratch memory;
  std::byte* const packed = memory.take<std::byte>(panels * s.panel_bytes);
  for (int64_t column = 0; column < s.columns; column += panels * s.width) {
    const int64_t count = std::min(panels, ceiling(s.columns - column, s.width));
    for (int64_t term = 0; term < s.terms; term += s.depth) {
      const int64_t terms = std::min(s.depth, s.terms - term);
      if constexpr (!std::is_null_pointer_v<PackPanel>) {
        parallel_for(count, s.threads, [&](int64_t panel) {
          pack_panel(packed + panel * s.panel_bytes, column + panel * s.width, term, terms);
        });
      }
      parallel_for(slices * groups, s.threads, [&](int64_t task) {
        const int64_t slice = task / groups, group = task % groups;
        const int64_t row = strips * slice / slices * s.strip;
        const int64_t rows = std::min(strips * (slice + 1) / slices * s.strip, s.rows) - row;
        Scratch own;
        std::byte* const left = own.take<std::byte>(ceiling(rows, s.strip) * s.strip * s.row_bytes);
        pack_rows(left, row, rows, term, terms);
        for (int64_t panel = count * group / groups; panel < count * (group + 1) / groups; ++panel)
          multiply(left, row, rows, packed + panel * s.panel_bytes, column + panel * s.width, term, terms);
      });
    }
  }
}

}  // namespace suanzi::products
