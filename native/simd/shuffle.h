// Reorders lanes. The functions reverse lanes, and interleave two vectors as a part of transposes. The functions use
// the compiler's shuffles. Each shuffle is one instruction at levels that have such an instruction.
//
// Some functions treat vectors wider than 16 bytes as pieces of 16 bytes, because lanes move faster within pieces than
// between pieces. The comments of these functions mention the pieces.
#pragma once

#include <utility>

#include "simd/vec.h"

namespace suanzi::SUANZI_LEVEL {

inline constexpr int piece_bytes = 16;

// Lane i of the result is lane Pattern::lane(i, lanes of a piece) of the concatenated vectors a and b.
template <class Pattern, class T, int N, size_t... I>
SUANZI_INLINE Vec<T, N> shuffle(Vec<T, N> a, Vec<T, N> b, std::index_sequence<I...>) {
  constexpr int piece = piece_bytes / sizeof(T);
  return __builtin_shufflevector(a.v, b.v, Pattern::template lane<N>(static_cast<int>(I), piece)...);
}
template <class Pattern, class T, int N>
SUANZI_INLINE Vec<T, N> shuffle(Vec<T, N> a, Vec<T, N> b) {
  return shuffle<Pattern>(a, b, std::make_index_sequence<N>{});
}

// Chooses every third lane of three concatenated vectors. The first chosen lane is lane `Part`. The first step reads
// the first two vectors, and the second step reads the third vector.
template <int Part>
struct ThirdLanes {
  template <int N>
  static constexpr int lane(int i, int) {
    return 3 * i + Part < 2 * N ? 3 * i + Part : 0;
  }
};
template <int Part>
struct ThirdLanesOfLast {
  template <int N>
  static constexpr int lane(int i, int) {
    return 3 * i + Part < 2 * N ? i : 3 * i + Part - N;
  }
};
// Alternates the lower (Half 0) or upper (Half 1) lanes of a and b within each piece.
template <int Half>
struct ZipLanes {
  template <int N>
  static constexpr int lane(int i, int piece) {
    return i / piece * piece + Half * piece / 2 + i % piece / 2 + i % 2 * N;
  }
};
// Interleaves whole vectors. The result alternates the lower or upper halves of a and b, Run lanes at a time.
template <int Half, int Run>
struct InterleaveLanes {
  template <int N>
  static constexpr int lane(int i, int) {
    return Half * N / 2 + i / Run / 2 * Run + i % Run + i / Run % 2 * N;
  }
};
// Chooses the even (Part 0) or odd (Part 1) lanes of the concatenated vectors a and b.
template <int Part>
struct AlternateLanes {
  template <int>
  static constexpr int lane(int i, int) {
    return 2 * i + Part;
  }
};
struct ReverseWithinPieces {
  template <int>
  static constexpr int lane(int i, int piece) {
    return i / piece * piece + piece - 1 - i % piece;
  }
};
struct ReversePieces {
  template <int N>
  static constexpr int lane(int i, int piece) {
    return (N / piece - 1 - i / piece) * piece + i % piece;
  }
};
// SwapNeighbours swaps the two lanes of each pair. RepeatNeighbour puts lane `Which` of each pair into both lanes.
struct SwapNeighbours {
  template <int>
  static constexpr int lane(int i, int) {
    return i ^ 1;
  }
};
template <int Which>
struct RepeatNeighbour {
  template <int>
  static constexpr int lane(int i, int) {
    return i / 2 * 2 + Which;
  }
};

template <class T, int N>
SUANZI_INLINE Vec<T, N> swap_neighbours(Vec<T, N> x) {
  return shuffle<SwapNeighbours>(x, x);
}
template <int Which, class T, int N>
SUANZI_INLINE Vec<T, N> repeat_neighbour(Vec<T, N> x) {
  return shuffle<RepeatNeighbour<Which>>(x, x);
}

template <int Half, class T, int N>
SUANZI_INLINE Vec<T, N> zip(Vec<T, N> a, Vec<T, N> b) {
  return shuffle<ZipLanes<Half>>(a, b);
}

template <int Half, int Run = 1, class T, int N>
SUANZI_INLINE Vec<T, N> interleave(Vec<T, N> a, Vec<T, N> b) {
  return shuffle<InterleaveLanes<Half, Run>>(a, b);
}
template <int Part, class T, int N>
SUANZI_INLINE Vec<T, N> alternate(Vec<T, N> a, Vec<T, N> b) {
  return shuffle<AlternateLanes<Part>>(a, b);
}

// Replaces Count vectors, which hold consecutive rows of Count lanes, by the columns of these rows.
template <class T, int N>
SUANZI_INLINE void take_columns(Vec<T, N> (&v)[2]) {
  const Vec<T, N> even = alternate<0>(v[0], v[1]), odd = alternate<1>(v[0], v[1]);
  v[0] = even;
  v[1] = odd;
}
template <class T, int N>
SUANZI_INLINE void take_columns(Vec<T, N> (&v)[3]) {
  const auto column = [&]<int Part>() {
    return shuffle<ThirdLanesOfLast<Part>>(shuffle<ThirdLanes<Part>>(v[0], v[1]), v[2]);
  };
  const Vec<T, N> first = column.template operator()<0>(), second = column.template operator()<1>();
  v[2] = column.template operator()<2>();
  v[0] = first;
  v[1] = second;
}
template <class T, int N>
SUANZI_INLINE void take_columns(Vec<T, N> (&v)[4]) {
  Vec<T, N> even[2] = {alternate<0>(v[0], v[1]), alternate<0>(v[2], v[3])};
  Vec<T, N> odd[2] = {alternate<1>(v[0], v[1]), alternate<1>(v[2], v[3])};
  take_columns(even);
  take_columns(odd);
  v[0] = even[0];
  v[1] = odd[0];
  v[2] = even[1];
  v[3] = odd[1];
}

// Interleaves Count vectors in place. The result consists of the first run of each vector, then the second run of each
// vector, and so on. If each vector has Count runs, the result is the transpose. The function computes one perfect
// shuffle for each factor 2 of Count.
template <int Run = 1, int Count, class T, int N>
SUANZI_INLINE void interleave_all(Vec<T, N> (&v)[Count]) {
  static_assert((Count & (Count - 1)) == 0);
  for (int width = 1; width < Count; width *= 2) {
    Vec<T, N> next[Count];
    for (int i = 0; i < Count / 2; ++i) {
      next[2 * i] = interleave<0, Run>(v[i], v[i + Count / 2]);
      next[2 * i + 1] = interleave<1, Run>(v[i], v[i + Count / 2]);
    }
    for (int i = 0; i < Count; ++i) v[i] = next[i];
  }
}

// Returns the pieces from last to first. The lanes within each piece keep their order.
template <class T, int N>
SUANZI_INLINE Vec<T, N> reverse_pieces(Vec<T, N> x) {
  return shuffle<ReversePieces>(x, x);
}
// Returns all lanes from last to first.
template <class T, int N>
SUANZI_INLINE Vec<T, N> reverse(Vec<T, N> x) {
  const Vec<T, N> within = shuffle<ReverseWithinPieces>(x, x);
  return bit_cast<T>(reverse_pieces(bit_cast<uint64_t>(within)));
}

// Concatenates two vectors.
template <class T, int N, size_t... I>
SUANZI_INLINE Vec<T, 2 * N> join(Vec<T, N> a, Vec<T, N> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a.v, b.v, I...);
}

// Returns the lower (Half 0) or upper (Half 1) lanes.
template <int Half, class T, int N, size_t... I>
SUANZI_INLINE Vec<T, N / 2> half_of(Vec<T, N> x, std::index_sequence<I...>) {
  return __builtin_shufflevector(x.v, x.v, (Half * N / 2 + static_cast<int>(I))...);
}
template <int Half, class T, int N>
SUANZI_INLINE Vec<T, N / 2> half_of(Vec<T, N> x) {
  return half_of<Half>(x, std::make_index_sequence<N / 2>{});
}

// Loads pieces that are `step` bytes apart in memory as one vector.
template <class T, int N>
SUANZI_INLINE Vec<T, N> load_pieces(const std::byte* p, int64_t step) {
  constexpr int bytes = static_cast<int>(N * sizeof(T));
  if constexpr (bytes == piece_bytes) {
    return Vec<T, N>::load(reinterpret_cast<const T*>(p));
  } else {
    const Vec<T, N / 2> low = load_pieces<T, N / 2>(p, step);
    const Vec<T, N / 2> high = load_pieces<T, N / 2>(p + bytes / piece_bytes / 2 * step, step);
    return join(low, high, std::make_index_sequence<N>{});
  }
}

}  // namespace suanzi::SUANZI_LEVEL
