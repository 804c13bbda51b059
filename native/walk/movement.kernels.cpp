// Kernels that move elements of 1, 2, 4, 8 or 16 bytes between planes of memory. The kernels do not depend on the
// element type.
#include "walk/movement.kernels.h"

#include "kernels/families.h"
#include "simd/shuffle.h"

namespace suanzi::SUANZI_LEVEL {
namespace {

constexpr int line_bytes = cache_line;

// The type of the words of an element. An element is one word, or two words for the largest size.
template <int Size>
using Word = std::make_unsigned_t<typename IntOfSize<Size <= 8 ? Size : 8>::type>;
template <int Size>
inline constexpr int elements_per_vector = vector_bytes / Size;
template <int Size>
using Elements = Vec<Word<Size>, vector_bytes / static_cast<int>(sizeof(Word<Size>))>;

template <int Size>
SUANZI_INLINE Elements<Size> load(const std::byte* p) {
  return Elements<Size>::load(reinterpret_cast<const Word<Size>*>(p));
}
template <class V>
SUANZI_INLINE void store(std::byte* p, V x) {
  x.store(reinterpret_cast<typename V::element*>(p));
}
template <int Bytes>
SUANZI_INLINE void move_bytes(std::byte* target, const std::byte* source) {
  std::memcpy(target, source, Bytes);
}

// --- any strides ---

template <int Size>
void stride(std::byte* target, const std::byte* source, Plane plane) {
  for (int64_t r = 0; r < plane.rows; ++r) {
    std::byte* to = target + r * plane.target_row;
    const std::byte* from = source + r * plane.source_row;
#pragma GCC unroll 8
    for (int64_t c = 0; c < plane.columns; ++c, to += plane.target_column, from += plane.source_column)
      move_bytes<Size>(to, from);
  }
}

// Moves a plane of few columns in groups of 128 rows, one column at a time. The cache lines of a group stay in the L1
// cache until the last column.
template <int Size>
void stride_narrow(std::byte* target, const std::byte* source, const Plane& plane) {
  constexpr int64_t rows = 128;
  for (int64_t r = 0; r < plane.rows; r += rows)
    stride<Size>(target + r * plane.target_row, source + r * plane.source_row,
                 {plane.rows - r < rows ? plane.rows - r : rows, plane.columns, plane.target_row, plane.target_column,
                  plane.source_row, plane.source_column});
}

// --- rows of contiguous elements ---

// Copies rows whose size is from Bytes to twice Bytes. Two moves, which may overlap, copy each row.
template <int Bytes>
void copy_short_rows(std::byte* target, const std::byte* source, Plane plane, int64_t row_bytes) {
  const int64_t last = row_bytes - Bytes;
  for (int64_t r = 0; r < plane.rows; ++r) {
    using Piece = Vec<uint8_t, Bytes>;
    const auto* from = reinterpret_cast<const uint8_t*>(source + r * plane.source_row);
    auto* to = reinterpret_cast<uint8_t*>(target + r * plane.target_row);
    const Piece first = Piece::load(from), second = Piece::load(from + last);
    first.store(to);
    second.store(to + last);
  }
}

// Rows of at least this size may be streamed. The writes to the two ends of a row go through the cache.
constexpr int64_t streamed_bytes = 16 * line_bytes;

// Copies a row of at least vector_bytes bytes. The C library's memcpy copies some lengths byte by byte in microcode.
// Copies in microcode are several times slower than this function if source and target have different offsets in their
// cache lines.
template <bool Stream>
SUANZI_INLINE void copy_long_row(uint8_t* to, const uint8_t* from, int64_t bytes) {
  using Piece = Vec<uint8_t, vector_bytes>;
  const Piece last = Piece::load(from + bytes - vector_bytes);
  Piece::load(from).store(to);
  int64_t i = vector_bytes - static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % vector_bytes);
  for (; i + 4 * vector_bytes <= bytes; i += 4 * vector_bytes) {
    Piece pieces[4];
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) pieces[k] = Piece::load(from + i + k * vector_bytes);
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      if constexpr (Stream) {
        pieces[k].stream(to + i + k * vector_bytes);
      } else {
        pieces[k].store(to + i + k * vector_bytes);
      }
    }
  }
  for (; i + vector_bytes <= bytes; i += vector_bytes) Piece::load(from + i).store(to + i);
  last.store(to + bytes - vector_bytes);
}

template <bool Stream>
void copy_long_rows(std::byte* target, const std::byte* source, const Plane& plane, int64_t row_bytes) {
  for (int64_t r = 0; r < plane.rows; ++r)
    copy_long_row<Stream>(reinterpret_cast<uint8_t*>(target + r * plane.target_row),
                          reinterpret_cast<const uint8_t*>(source + r * plane.source_row), row_bytes);
}

template <int Size>
void copy(std::byte* target, const std::byte* source, Plane plane) {
  const int64_t bytes = plane.columns * Size;
  if (plane.stream && bytes >= streamed_bytes) {
    copy_long_rows<true>(target, source, plane, bytes);
    return finish_streaming();
  }
  if (bytes > 2 * line_bytes) return copy_long_rows<false>(target, source, plane, bytes);
  if (bytes >= line_bytes) return copy_short_rows<line_bytes>(target, source, plane, bytes);
  if (bytes >= 32) return copy_short_rows<32>(target, source, plane, bytes);
  if (bytes >= 16) return copy_short_rows<16>(target, source, plane, bytes);
  if (bytes >= 8) return copy_short_rows<8>(target, source, plane, bytes);
  if (bytes >= 4) return copy_short_rows<4>(target, source, plane, bytes);
  if (bytes >= 2) return copy_short_rows<2>(target, source, plane, bytes);
  copy_short_rows<1>(target, source, plane, bytes);
}

// Writes vectors to a row as far as whole vectors fit. value(c) returns the vector whose first element is in column c.
// Returns the number of written columns. After a streamed row, the caller must call finish_streaming().
template <int Size, class Value>
SUANZI_INLINE int64_t store_vectors(std::byte* to, int64_t columns, bool stream, Value value) {
  constexpr int lanes = elements_per_vector<Size>;
  const auto misplaced = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % vector_bytes);
  int64_t c = 0;
  if (stream && columns * Size >= streamed_bytes && misplaced % Size == 0) {
    store(to, value(0));
    for (c = lanes - misplaced / Size; c + lanes <= columns; c += lanes)
      value(c).stream(reinterpret_cast<Word<Size>*>(to + c * Size));
  } else {
    for (; c + lanes <= columns; c += lanes) store(to + c * Size, value(c));
  }
  return c;
}

template <int Size>
SUANZI_INLINE Elements<Size> reversed(Elements<Size> x) {
  if constexpr (Size == piece_bytes) {
    return reverse_pieces(x);
  } else {
    return reverse(x);
  }
}

template <int Size>
void reverse_rows(std::byte* target, const std::byte* source, Plane plane) {
  constexpr int lanes = elements_per_vector<Size>;
  if (plane.columns < 4) return stride_narrow<Size>(target, source, plane);
  for (int64_t r = 0; r < plane.rows; ++r) {
    std::byte* to = target + r * plane.target_row;
    const std::byte* end = source + r * plane.source_row + Size;  // the address behind the next element to move
    int64_t c = store_vectors<Size>(to, plane.columns, plane.stream, [&](int64_t first) __attribute__((always_inline)) {
      return reversed<Size>(load<Size>(end - (first + lanes) * Size));
    });
    for (; c < plane.columns; ++c) move_bytes<Size>(to + c * Size, end - (c + 1) * Size);
  }
  if (plane.stream) finish_streaming();
}

template <int Size, class V>
SUANZI_INLINE V repeated(const std::byte* element) {
  std::byte bytes[sizeof(V)];
  for (size_t i = 0; i < sizeof(V); i += Size) move_bytes<Size>(bytes + i, element);
  return V::load(reinterpret_cast<const typename V::element*>(bytes));
}

// Fills rows whose size is from Bytes to twice Bytes, like copy_short_rows. Returns false if an element has more than
// Bytes bytes.
template <int Size, int Bytes>
SUANZI_INLINE bool fill_short_rows(std::byte* target, const std::byte* source, const Plane& plane) {
  if constexpr (Bytes < Size) {
    return false;
  } else {
    using V = Vec<Word<Size>, Bytes / static_cast<int>(sizeof(Word<Size>))>;
    const int64_t last = plane.columns * Size - Bytes;
    for (int64_t r = 0; r < plane.rows; ++r) {
      const V value = repeated<Size, V>(source + r * plane.source_row);
      store(target + r * plane.target_row, value);
      store(target + r * plane.target_row + last, value);
    }
    return true;
  }
}

template <int Size>
void fill(std::byte* target, const std::byte* source, Plane plane) {
  const int64_t bytes = plane.columns * Size;
  if (bytes < 8 && bytes >= 4 && fill_short_rows<Size, 4>(target, source, plane)) return;
  if (bytes < 16 && bytes >= 8 && fill_short_rows<Size, 8>(target, source, plane)) return;
  if (bytes < 32 && bytes >= 16 && fill_short_rows<Size, 16>(target, source, plane)) return;
  constexpr int lanes = elements_per_vector<Size>;
  for (int64_t r = 0; r < plane.rows; ++r) {
    std::byte* to = target + r * plane.target_row;
    const std::byte* element = source + r * plane.source_row;
    int64_t c = 0;
    if (plane.columns >= lanes) {
      const auto value = repeated<Size, Elements<Size>>(element);
      c = store_vectors<Size>(to, plane.columns, plane.stream, [&](int64_t) { return value; });
    }
    for (; c < plane.columns; ++c) move_bytes<Size>(to + c * Size, element);
  }
  if (plane.stream) finish_streaming();
}

// --- transposes ---

// Interleaves the first half of the registers with the second half. After log2(Count) rounds, each piece of the
// registers is transposed.
template <int Count, class V>
SUANZI_INLINE void transpose_pieces(V (&x)[Count]) {
  for (int round = 1; round < Count; round *= 2) {
    V zipped[Count];
#pragma GCC unroll 16
    for (int i = 0; i < Count / 2; ++i) {
      zipped[2 * i] = zip<0>(x[i], x[i + Count / 2]);
      zipped[2 * i + 1] = zip<1>(x[i], x[i + Count / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < Count; ++i) x[i] = zipped[i];
  }
}

// Transposes a block whose width is one vector of V. The block has as many rows as a piece has elements.
template <int Size, class V>
SUANZI_INLINE void transpose_block(std::byte* target, const std::byte* source, Plane plane) {
  constexpr int rows = piece_bytes / Size;
  V x[rows];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i)
    x[i] = load_pieces<typename V::element, V::lanes>(source + i * plane.source_column, rows * plane.source_column);
  transpose_pieces(x);
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) store(target + i * plane.target_row, x[i]);
}

// Transposes columns [first, last) in blocks of V. Returns the first column that is left over.
template <int Size, class V>
SUANZI_INLINE int64_t transpose_blocks(std::byte* target, const std::byte* source, Plane plane, int64_t rows,
                                       int64_t first) {
  constexpr int block_rows = piece_bytes / Size;
  constexpr int block_columns = static_cast<int>(sizeof(V)) / Size;
  int64_t c = first;
  for (; c + block_columns <= plane.columns; c += block_columns)
    for (int64_t r = 0; r < rows; r += block_rows)
      transpose_block<Size, V>(target + r * plane.target_row + c * Size, source + c * plane.source_column + r * Size,
                               plane);
  return c;
}

// Transposes a plane of two columns. Each row of the target has one element from each of two lines of the source.
template <int Size>
void move_by_turns(std::byte* target, const std::byte* source, const Plane& plane) {
  constexpr int lanes = elements_per_vector<Size>;
  int64_t r = 0;
  for (; r + lanes <= plane.rows; r += lanes) {
    const std::byte* const from = source + r * Size;
    const auto first = load<Size>(from), second = load<Size>(from + plane.source_column);
    std::byte* const to = target + 2 * r * Size;
    store(to, interleave<0>(first, second));
    store(to + lanes * Size, interleave<1>(first, second));
  }
  stride<Size>(target + 2 * r * Size, source + r * Size,
               {2, plane.rows - r, Size, 2 * Size, plane.source_column, Size});
}

template <int Size>
void transpose(std::byte* target, const std::byte* source, Plane plane) {
  if constexpr (Size <= 8)
    if (plane.columns == 2 && plane.target_row == 2 * Size) return move_by_turns<Size>(target, source, plane);
  using Piece = Vec<Word<Size>, piece_bytes / static_cast<int>(sizeof(Word<Size>))>;
  // A block reads whole cache lines of the source at once.
  constexpr int line_rows = line_bytes / Size;
  for (int64_t r = 0; r < plane.rows; r += line_rows) {
    std::byte* to = target + r * plane.target_row;
    const std::byte* from = source + r * Size;
    const int64_t left = plane.rows - r < line_rows ? plane.rows - r : line_rows;
    const int64_t whole = left - left % (piece_bytes / Size);
    int64_t c = transpose_blocks<Size, Elements<Size>>(to, from, plane, whole, 0);
    c = transpose_blocks<Size, Piece>(to, from, plane, whole, c);
    stride<Size>(to + c * Size, from + c * plane.source_column,
                 {plane.columns - c, whole, Size, plane.target_row, plane.source_column, Size});
    stride<Size>(to + whole * plane.target_row, from + whole * Size,
                 {plane.columns, left - whole, Size, plane.target_row, plane.source_column, Size});
  }
}

template <int Size>
constexpr MoveKernels kernels_of_size() {
  return {copy<Size>, reverse_rows<Size>, fill<Size>, transpose<Size>, stride<Size>};
}

}  // namespace

void fill_movement(MoveKernels* of_size) {
  of_size[0] = kernels_of_size<1>();
  of_size[1] = kernels_of_size<2>();
  of_size[2] = kernels_of_size<4>();
  of_size[3] = kernels_of_size<8>();
  of_size[4] = kernels_of_size<16>();
}

}  // namespace suanzi::SUANZI_LEVEL
