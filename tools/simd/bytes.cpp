// The test of the byte kernels of the level `baseline`, and of the byte kernels for the instructions that multiply
// bytes. The kernels' products must equal the products of plain loops. tools/aarch64.py runs the test, and links all
// these kernels.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "ops/product/bytes.kernels.h"

namespace suanzi {
namespace baseline {
extern const ByteKernels byte_kernels;
}
namespace neon_dot {
extern const ByteKernels byte_kernels;
}
namespace neon_mmla {
extern const ByteKernels byte_kernels;
}

namespace {

std::mt19937 draw(7);

struct Operand {
  ByteCodes codes;
  std::vector<std::byte> bytes;

  // Draws any codes and any zero point, or only the least and the greatest code if `extreme` is true.
  Operand(bool is_signed, int64_t size, bool extreme) : codes{is_signed, 0}, bytes(static_cast<size_t>(size)) {
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(extreme ? (is_signed ? 127 : 255) + static_cast<int>(draw() % 2) : draw());
    codes.zero = extreme ? lowest() + 255 * static_cast<int>(draw() % 2) : lowest() + static_cast<int>(draw() % 256);
  }
  int lowest() const { return codes.is_signed ? -128 : 0; }
  int64_t operator[](int64_t i) const {
    const std::byte byte = bytes[static_cast<size_t>(i)];
    return (codes.is_signed ? static_cast<int8_t>(byte) : static_cast<int>(byte)) - codes.zero;
  }
};

// Returns the number of wrong elements in a product of matrices of rows x terms and terms x panel. The product has
// `columns` columns, which are at most one panel.
template <class C>
int wrong(const ByteKernels& kernels, const Operand& a, const Operand& b, int64_t rows, int64_t terms,
          int64_t columns) {
  const int64_t panel = kernels.panel, words = kernels.words_of(terms), step = kernels.row_words(terms);
  std::vector<uint32_t> left(static_cast<size_t>(rows * step)), right(static_cast<size_t>((words + 1) * panel));
  for (int64_t r = 0; r < rows; ++r)
    kernels.pack_row(left.data() + r * step, a.bytes.data() + r * terms, terms, a.codes, b.codes);
  kernels.pack_panel(right.data(), b.bytes.data(), terms, panel, b.codes);
  std::vector<C> found(static_cast<size_t>(rows * columns), C{3});
  const ByteBlock block{rows,         columns, words, left.data(), step,   right.data(),
                        found.data(), columns, true,  a.codes,     b.codes};
  (sizeof(C) == 4 ? kernels.multiply_to_int32 : kernels.multiply_to_int64)(block);
  int count = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < columns; ++j) {
      int64_t expected = 3;
      for (int64_t k = 0; k < terms; ++k) expected += a[r * terms + k] * b[k * panel + j];
      count += found[static_cast<size_t>(r * columns + j)] != static_cast<C>(expected);
    }
  }
  return count;
}

// Returns the number of wrong sums of a few rows times an unpacked matrix. The lines of the matrix are contiguous if
// `across` is true.
int wrong_few(const FewByteKernels& kernels, const Operand& a, const Operand& b, int64_t rows, int64_t terms,
              int64_t columns, bool across) {
  constexpr int64_t vector = 64;  // the kernels read rows in whole vectors
  const int64_t step = (terms * kernels.part_bytes + vector - 1) / vector * vector;
  const int offset_a = kernels.offset_of_a(a.codes), offset_b = kernels.offset_of_b(b.codes);
  std::vector<uint32_t> words(static_cast<size_t>(rows * step / 4));
  const auto stored = [&](int64_t i) { return static_cast<int>(a[i]) + a.codes.zero - offset_a; };
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < terms; ++k) {
      const int value = stored(r * terms + k);
      std::memcpy(reinterpret_cast<std::byte*>(words.data()) + r * step + k * kernels.part_bytes, &value,
                  static_cast<size_t>(kernels.part_bytes));
    }
  std::vector<int32_t> found(static_cast<size_t>(rows * columns), 3);
  const FewByteBlock block{
      rows,         columns, terms, words.data(), step / 4, b.bytes.data(), across ? columns : terms, b.codes.is_signed,
      found.data(), columns};
  (across ? kernels.multiply_across : kernels.multiply_along)(block);
  int count = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j) {
      int64_t expected = 3;
      for (int64_t k = 0; k < terms; ++k)
        expected += stored(r * terms + k) * (b[across ? k * columns + j : j * terms + k] + b.codes.zero - offset_b);
      count += found[static_cast<size_t>(r * columns + j)] != expected;
    }
  return count;
}

int compare_few(const char* name, const FewByteKernels& kernels) {
  int products = 0, faults = 0;
  for (const int64_t terms : {1, 2, 3, 4, 5, 15, 16, 17, 31, 64, 131, 1021})
    for (int64_t rows = 1; rows <= kernels.rows; rows += terms > 1000 ? 5 : 2)
      for (int kind = 0; kind < 16; ++kind) {
        const int64_t columns = 1 + static_cast<int64_t>(draw() % 100);
        const Operand a((kind & 1) != 0, rows * terms, (kind & 4) != 0);
        const Operand b((kind & 2) != 0, terms * columns, (kind & 4) != 0);
        faults += wrong_few(kernels, a, b, rows, terms, columns, (kind & 8) != 0) != 0;
        ++products;
      }
  std::printf("%s: %d products of a few rows of bytes, %d wrong\n", name, products, faults);
  return faults;
}

int compare(const char* name, const ByteKernels& kernels) {
  int products = 0, faults = 0;
  for (const int64_t terms : {1, 2, 3, 4, 5, 31, 256, 1021, 32768}) {
    for (int64_t rows = 1; rows <= 2 * kernels.rows + 1; rows += terms > 1000 ? 7 : 3) {
      for (int kind = 0; kind < 8; ++kind) {
        const Operand a((kind & 1) != 0, rows * terms, (kind & 4) != 0);
        const Operand b((kind & 2) != 0, terms * kernels.panel, (kind & 4) != 0);
        const int64_t columns = 1 + static_cast<int64_t>(draw() % static_cast<unsigned>(kernels.panel));
        faults += wrong<int32_t>(kernels, a, b, rows, terms, columns) != 0;
        faults += wrong<int64_t>(kernels, a, b, rows, terms, kernels.panel) != 0;
        products += 2;
      }
    }
  }
  std::printf("%s: %d products of bytes, %d wrong\n", name, products, faults);
  return faults + compare_few(name, kernels.few);
}

}  // namespace
}  // namespace suanzi

int main() {
  const int faults = suanzi::compare("baseline", suanzi::baseline::byte_kernels) +
                     suanzi::compare("neon_dot", suanzi::neon_dot::byte_kernels) +
                     suanzi::compare("neon_mmla", suanzi::neon_mmla::byte_kernels);
  return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
