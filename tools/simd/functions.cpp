// Computes the correctly rounded functions of float32 without the rest of the library, for blocks of 2^20 inputs.
// tools/aarch64.py compares hashes of the results with the conformance kit's hashes
// (src/suanzi/conformance/probes/rounding.py).
//
//     functions NAME BLOCK...    writes the results for each block to the standard output
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "kernels/operations.h"
#include "math/exp.h"
#include "math/hyperbolic.h"
#include "math/inverse_hyperbolic.h"
#include "math/inverse_trig.h"
#include "math/log.h"
#include "math/rsqrt.h"
#include "math/trig.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr uint32_t block_inputs = 1 << 20;

template <int N, class F>
void compute(uint32_t block, std::vector<float>& results, F f) {
  for (uint32_t i = 0; i < block_inputs; i += N) {
    Vec<uint32_t, N> bits;
    for (int k = 0; k < N; ++k) bits.v[k] = block * block_inputs + i + static_cast<uint32_t>(k);
    const Vec<float, N> y = f(bit_cast<float>(bits));
    select(y == y, y, bit_cast<float>(Vec<uint32_t, N>(0x7fc00000u))).store(results.data() + i);
  }
}

// Computes the function of a given name, and returns true. Returns false if no function has this name.
bool compute(std::string_view name, uint32_t block, std::vector<float>& results) {
#define SUANZI_COMPUTE(_, function)                                                                      \
  if (name == #function) {                                                                               \
    compute<math::lanes_of_##function<float>>(block, results, [](auto x) { return math::function(x); }); \
    return true;                                                                                         \
  }
  SUANZI_FUNCTIONS(SUANZI_COMPUTE, )
#undef SUANZI_COMPUTE
  return false;
}

}  // namespace
}  // namespace suanzi::SUANZI_LEVEL

int main(int count, char** given) {
  if (count < 2) return EXIT_FAILURE;
  std::vector<float> results(suanzi::SUANZI_LEVEL::block_inputs);
  for (int i = 2; i < count; ++i) {
    const auto block = static_cast<uint32_t>(std::strtoul(given[i], nullptr, 10));
    if (!suanzi::SUANZI_LEVEL::compute(given[1], block, results)) return EXIT_FAILURE;
    if (std::fwrite(results.data(), sizeof(float), results.size(), stdout) != results.size()) return EXIT_FAILURE;
  }
}
