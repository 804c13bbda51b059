// The kernel table of one level, from its families.
#include "kernels/families.h"

#define SUANZI_TEXT_OF(name) #name
#define SUANZI_TEXT(name) SUANZI_TEXT_OF(name)

namespace suanzi::SUANZI_LEVEL {
namespace {

KernelTable build_table() {
  KernelTable table{.level = SUANZI_TEXT(SUANZI_LEVEL)};
  for (auto fill : {fill_arithmetic, fill_integer_division, fill_compare, fill_bitwise, fill_rounding, fill_select,
                    fill_math, fill_complex, fill_convert, fill_reduce})
    fill(table);
  return table;
}

}  // namespace

const KernelTable& table() {
  static const KernelTable built = build_table();
  return built;
}

}  // namespace suanzi::SUANZI_LEVEL
