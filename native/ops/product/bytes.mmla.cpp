// The kernels of ops/product/bytes.kernels.h with an instruction that multiplies blocks of two rows and two columns.
#include "ops/product/bytes.tile.h"
#include "ops/product/row_pairs.tile.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

// A word of four signed bytes. One instruction multiplies blocks of two words.
struct BlockWords {
  using part = int8_t;
  static constexpr int terms = 4, group = 2;
  static constexpr int offset(ByteCodes codes) { return codes.is_signed ? 0 : 128; }
  static constexpr int offset_of_a(ByteCodes a) { return offset(a); }
  static constexpr int offset_of_b(ByteCodes b) { return offset(b); }
  static constexpr int rest_of_a(ByteCodes a) { return a.zero - offset(a); }
  static constexpr int rest_of_b(ByteCodes b) { return b.zero - offset(b); }
};
using Packing = ByteProducts<BlockWords>;
static_assert(Packing::panel == line_columns);

template <class C>
void multiply(const ByteBlock& g) {
  constexpr int64_t word_bytes = sizeof(uint32_t);
  const BlockRows a{reinterpret_cast<const std::byte*>(g.a), g.a_row * word_bytes, g.rows};
  const auto write = [&](int64_t row, const WordSums(&sums)[2])
                         __attribute__((always_inline)) { Packing::write_row<C>(g, row, sums); };
  multiply_row_pairs<int32_t>(a, g.b, g.words, write);
}

}  // namespace

extern const ByteKernels byte_kernels;
const ByteKernels byte_kernels{2 * most_row_pairs, Packing::panel,    BlockWords::terms,
                               BlockWords::group,  Packing::pack_row, Packing::pack_panel,
                               multiply<int32_t>,  multiply<int64_t>, few_byte_kernels};

}  // namespace suanzi::SUANZI_LEVEL
