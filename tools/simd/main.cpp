// Tests that each operation of simd/ returns the same bits at the level `baseline` as at the level `generic`.
// tools/aarch64.py runs the test.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

using Results = std::map<std::string, std::vector<unsigned char>>;
using Words = std::vector<uint32_t>;

namespace suanzi {
namespace generic {
Results results(const Words& words);
}
namespace baseline {
Results results(const Words& words);
double estimate_error();
}  // namespace baseline
}  // namespace suanzi

namespace {

uint32_t bits(float x) {
  uint32_t word;
  std::memcpy(&word, &x, sizeof(word));
  return word;
}

// Returns zeros, infinities, quiet NaNs, denormals, halves, the ends of ranges, numbers that conversions round, and
// random bits. Signalling NaNs are left out, because an instruction makes a signalling NaN quiet, and a selection does
// not.
Words inputs() {
  const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7fc12345,
                              0x7ff80000, 0xfff80000, 1,          0x80000001, 0x3f000000, 0xbf000000, 0x4b000001,
                              0x477fefff, 0x477ff000, 0x33000001, 0x387fffff, 0x3fe00000, 0x43300000, 0xbff80000};
  std::mt19937_64 draw(5);
  Words words;
  while (words.size() < 40000) {
    const uint64_t drawn = draw();
    const uint32_t any = static_cast<uint32_t>(drawn >> 8);
    const float quarters = static_cast<float>(static_cast<int32_t>(any) % 100000) / 4;
    words.push_back(drawn % 4 == 0 ? special[any % std::size(special)] : drawn % 4 == 1 ? any : bits(quarters));
    if ((words.back() & 0x7f800000) == 0x7f800000 && (words.back() & 0x7fffff)) words.back() |= 0x400000;
    if ((words.back() & 0x7ff00000) == 0x7ff00000) words.back() |= 0x80000;
  }
  return words;
}

}  // namespace

int main() {
  const Words words = inputs();
  const Results expected = suanzi::generic::results(words), found = suanzi::baseline::results(words);
  int wrong = 0;
  for (const auto& [name, bytes] : expected) {
    if (found.at(name) == bytes) continue;
    ++wrong;
    std::printf("%s: other bits than those of the generic level\n", name.c_str());
  }
  const double error = suanzi::baseline::estimate_error();
  wrong += !(error <= 1);
  std::printf("%zu operations on vectors, %d wrong; estimates within %.3f * 2^-11\n", expected.size(), wrong, error);
  return wrong > 0;
}
