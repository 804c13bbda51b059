// Every threshold: from where on one way to do work takes less time than another, and how much work makes a task.
//
// Tuning for another machine touches this file alone. Numbers that follow from a size of the machine are computed from
// it; the others were measured on x86-64 cores of AMD (Zen 4, Zen 5), and is right for caches like theirs: 32 to 48 KiB
// of L1, 1 MiB of L2. Products, factors and Fourier transforms may round otherwise where a value here is changed,
// nothing else: constants on which the order of a sum or the numbers of a seed depend belong to the algorithm and are
// in its files.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/machine.h"

namespace suanzi::costs {

inline constexpr int64_t KiB = 1024;
inline constexpr int64_t MiB = 1024 * KiB;

// --- threads (runtime/share.h) ---

// Work that is shared, in bytes that are read and written with little else to do: a core moves as many from its L2
// cache in the 10 us that it takes to wake a thread.
inline constexpr int64_t shared_work = 256 * KiB;
// A loop over less may well be over before a sleeping thread has woken.
inline constexpr int64_t brief_work = 4 * MiB;
// Ranges for each thread, so that one that is held up does not hold up all.
inline constexpr int64_t ranges_per_thread = 4;
// Elements past which the interpreter's lock is released: to take it again costs about as much as these.
inline constexpr int64_t unlocked_elements = 16384;

// Weights of other work. A byte of an argument of a mathematical function, against a byte that is copied.
inline constexpr int64_t function_cost = 16;
// Elements of sparse tensors that are looked at; as many as may be counted, which is more than there can be.
constexpr int64_t sparse_work(int64_t elements) { return elements > INT64_MAX / 4 ? INT64_MAX : 4 * elements; }
// A byte of a Fourier transform: three passes over memory that a copy passes over twice.
constexpr int64_t transform_work(int64_t bytes) { return bytes + bytes / 2; }
// The work of columns that are not contiguous: threads write to the same cache lines.
constexpr int64_t column_transform_work(int64_t bytes) { return bytes / 4; }
// The work of gathering in blocks: a byte counts an eighth where the blocks are short, because to find one costs as
// much as to copy 32 bytes.
constexpr int64_t gather_work(int64_t bytes, int64_t blocks) {
  const int64_t found = (bytes + 32 * blocks) / 8;
  return found > bytes ? found : bytes;
}

// --- memory ---

// True if results are better written past the caches: they would not stay in the last of them.
inline bool passes_caches(int64_t bytes_moved) { return bytes_moved > cache_bytes(); }
// Blocks up to this size are kept by the thread that freed them, so much of each class; larger ones go to the pool.
inline constexpr int64_t thread_block = 32 * KiB;
inline constexpr int64_t thread_list = 64 * KiB;
// A block from this size on is mapped by itself, so that the system can make huge pages of it: x86's are of 2 MiB.
inline constexpr int64_t mapped_block = 2 * MiB;
// The pool keeps so much unless a caller sets its limit, but no more than this part of the machine's memory.
inline constexpr int64_t cache_limit = 2048 * MiB;
inline constexpr int64_t cache_share = 8;
// Asking the system for available memory takes some 20 us: worth it if touching the memory first takes milliseconds.
inline constexpr int64_t checked_block = 256 * MiB;
// Blocks from which the data begin elsewhere in the page than those of others (tensor/storage.cpp).
inline constexpr int64_t staggered_block = 256 * KiB;
// Bytes that a call of memset writes at once, without releasing the interpreter's lock.
inline constexpr int64_t cleared_at_once = 4 * KiB;

// --- elementwise (walk/executor.cpp, ops/elementwise) ---

// Elements up to which the engine's preparations would cost more than the work.
inline constexpr int64_t direct_elements = 4096;
// Elements up to which a formula's steps take less time one by one than the preparations of its program.
inline constexpr int64_t stepwise_elements = 512;
// A row at least this long is walked row by row, so that its operands are used where they lie.
inline constexpr int64_t long_row = 256;
// Elements of a tile when nothing is staged: long enough that the calls vanish, short enough for threads to share. And
// when the output is written past the caches: each tile then ends in a wait for its writes.
inline constexpr int64_t direct_tile = 16384;
inline constexpr int64_t streamed_tile = 1 << 17;
// Bytes of the largest tile that a caller may ask for (runtime/tile_shape.h): a core's own cache.
inline constexpr int64_t largest_tile = 1 * MiB;
// Tiles of data that are judged (ops/elementwise/fits.cpp) in one task.
inline constexpr int64_t judged_tiles = 64;

// --- fused programs (fusion/schedule.cpp) ---

// Bytes of the rows that go through all steps together: a quarter of an L2 cache of 1 MiB, so that the results of one
// step are there for the next.
inline constexpr int64_t fused_block = 256 * KiB;
// Bytes of a row up to which blocks are of fewer dimensions than they might be: a part of a core's own cache.
inline constexpr int64_t fused_row = 64 * KiB;
// Steps on elements in the cache that take as long as to write these to memory and read them again.
inline constexpr int64_t steps_like_memory = 4;
// Views of one value that are computed each by itself: where there are more, the value is computed as a whole.
inline constexpr int64_t most_views = 4;
// Elements, times the passes that fusing saves, from which on a chain of an ONNX model is fused. A fused function costs
// about 2 us more to call than operators do; of two calls, it is measured to win from 30,000 elements on, of four from
// 8,000 on.
inline constexpr int64_t fused_chain = 1 << 15;

// --- movement (walk/move.cpp, walk/staging.cpp, ops/arrange) ---

// Elements of a row below which a call of memcpy costs more than copying one by one.
inline constexpr int64_t short_row = 16;
// The size of a block of writes, in rows that are as long as possible.
inline constexpr int64_t block_bytes = 128 * KiB;
// If rows of the target are columns of the source, a block follows few rows of the source (as many as it has
// columns) far enough for the lines that it writes in turn to stay in the L2 cache until they are full.
inline constexpr int64_t crossing_bytes = 128 * KiB;
inline constexpr int64_t crossing_columns = 64;
inline constexpr int64_t crossing_rows = 512;
// Moves that wait to be shared out together.
inline constexpr int64_t waiting_moves = 1024;
// The part of a long result that a thread pads at a time: the sides of its rows lie in the same cache lines.
inline constexpr int64_t padded_bytes = 1 * MiB;
// The part of the rows of matrices that a thread takes at a time; such rows are copied all at once and cleared after.
inline constexpr int64_t matrix_bytes = 256 * KiB;
inline constexpr int64_t short_row_bytes = 256;

// --- rows (walk/rows.h) ---

// On few rows at least this long the algorithm itself uses all threads.
inline constexpr int64_t shared_row_bytes = 1 * MiB;

// --- reductions and scans (walk/reduction_walk.h, ops/reduce, ops/scan) ---

// The longest rows of which several are folded at once, one in each lane of a vector: those of 2 to 4 elements take a
// half to a third of the time. Longer ones fill vectors of their own.
inline constexpr int64_t row_in_lanes = 15;

// Elements of a contiguous tensor that one thread reduces as a whole.
inline constexpr int64_t whole_reduction = 32768;
// Bytes of rows that are computed for a reduction at a time: a part of the first cache, and long enough for the tiles.
inline constexpr int64_t produced_block = 32 * KiB;
// Elements that are computed for a reduction as a whole: as a tensor they stay in a core's own cache, and a call of the
// program for each row costs more.
inline constexpr int64_t folded_whole = 32768;
// Elements of a contiguous tensor that are searched for the greatest as one.
inline constexpr int64_t whole_search = 131072;
// If slabs are fewer than this, they are made narrower, but not below so many columns, in steps of a cache line.
inline constexpr int64_t few_slabs = 4;
inline constexpr int64_t narrowest_slab = 64;
inline constexpr int64_t slab_step = 16;
// A part that threads take in turn.
inline constexpr int64_t turn_units = 8;
// Bytes below which one thread scans a line, which takes several of them twice the work.
inline constexpr int64_t shared_line_bytes = 1 * MiB;
// Lines side by side that are worth a range of their own.
inline constexpr int64_t least_lines = 64;

// --- gather, scatter (ops/indexing) ---

// Bytes that a thread moves at a time.
inline constexpr int64_t moved_bytes = 64 * KiB;
// Bytes of a result from which its tiles are shared, each with a view of its own to be made.
inline constexpr int64_t shared_tiles_bytes = 2 * MiB;
// Offsets from which checking them is shared, and those of a task.
inline constexpr int64_t shared_offsets = 65536;
inline constexpr int64_t offsets_of_task = 32768;
// Entries of the largest table of offsets: more are computed again for every outer position, which costs less than
// their memory.
inline constexpr int64_t largest_table = 65536;
// Positions of a row from which it is looked up by itself, and not together with its neighbours.
inline constexpr int64_t long_index_row = 32;
// Bytes of a few rows that are taken or put without the walk's preparations.
inline constexpr int64_t few_rows_bytes = 64 * KiB;
// A target of so many bytes is copied by the thread that updates it, and is then in its L2 cache.
inline constexpr int64_t cached_target = 512 * KiB;
// Updates, and bytes of the target, from which updates of single elements are grouped by block of the target. A block
// is a part of a core's own cache, but for targets of so many blocks that their streams would not fit there.
inline constexpr int64_t grouped_updates = 1024 * 1024;
inline constexpr int64_t grouped_target = 16 * MiB;
inline constexpr int64_t update_block = 256 * KiB;
inline constexpr int64_t most_update_blocks = 1024;

// --- decision trees (ops/trees) ---

// The way of a row from a root to a leaf, in bytes that are moved: some 25 ns.
inline constexpr int64_t tree_visit = 640;
// Rows that go through all trees together, so that a tree's nodes are in the L1 cache for them; of fewer, threads share
// the trees.
inline constexpr int64_t tree_rows = 32;

// --- sorting (ops/sort) ---

// Fewer keys are sorted by one call of the kernel.
inline constexpr int64_t many_keys = 65536;
// Keys for which a thread is worth waking.
inline constexpr int64_t keys_of_thread = 16384;
// Keys of a tile, which stay in the L1 cache.
inline constexpr int64_t key_tile = 2048;
// Elements that are counted instead of sorted, of one byte and of two: fewer are sorted faster.
inline constexpr int64_t counted_bytes = 256;
inline constexpr int64_t counted_halves = 262144;
// Elements of two bytes of which unique counts the patterns: to order so many takes as long as to pass through a table
// of all patterns.
inline constexpr int64_t counted_distinct_halves = 4096;
inline constexpr int64_t counted_order = 512;
// Equal keys whose indices are sorted by insertion.
inline constexpr int64_t short_run = 16;
// A single key that is searched for takes as long as so many together.
inline constexpr int64_t single_search = 64;

// --- values on lines (ops/interpolate/lines.cpp) ---

// An element takes as long as so many bytes.
inline constexpr int64_t bytes_per_line = 64;
// A line this many points further than for the element before is found more quickly by walking than by bisection.
inline constexpr int64_t lines_ahead = 4;
// If walking keeps failing, it is tried for one in this many groups of elements.
inline constexpr int64_t groups_per_walk = 16;

// --- random numbers (ops/random) ---

// Numbers of a task: of distributions, of draws from classes, and of the classes themselves.
inline constexpr int64_t random_piece = 1 << 15;
inline constexpr int64_t draws_of_task = 1 << 13;
inline constexpr int64_t classes_of_task = 1 << 15;

// --- Fourier transforms (ops/fft) ---

// Most bytes of one part of a block that is transformed: both parts of a block stay in the L1 cache. Blocks that are
// copied with strides may be larger.
inline constexpr int64_t transformed_block = 16 * KiB;
inline constexpr int64_t strided_block = 64 * KiB;
// A line of so many bytes of one part is transformed whole, with the numbers between the passes in the L2 cache.
inline constexpr int64_t transformed_line = 128 * KiB;
// Shorter lines are transformed as columns of a block, unless there are fewer.
inline constexpr int64_t shortest_line = 64;
inline constexpr int64_t fewest_columns = 4;
// Bytes of lines that are staged together.
inline constexpr int64_t staged_lines = 1 * MiB;
// The shortest length that is split into rows and columns.
inline constexpr int64_t least_split = 128;
// Numbers of a task that multiplies two lines.
inline constexpr int64_t multiplied_line = 16384;

// --- interpolation (ops/interpolate) ---

// Bytes of layers that are interpolated together and stay in the L2 cache.
inline constexpr int64_t interpolated_block = 256 * KiB;
// Results of a task where a row is long; and a row so long, of so few rows, that its table is made where it is needed.
inline constexpr int64_t row_piece = 1 << 15;
inline constexpr int64_t long_axis = 1 << 15;
inline constexpr int64_t few_long_rows = 4;
// Entries of a table that make a task.
inline constexpr int64_t table_piece = 8192;

// --- convolutions (ops/convolve) ---

// Multiply-adds that make a task of several images and groups.
inline constexpr int64_t convolution_task = 1 << 17;
// Multiply-adds of an image and group from which threads share its product.
inline constexpr int64_t shared_convolution = 1 << 20;
// Places of a result from which the weights are packed: each of them is read once for every panel of places.
inline constexpr int64_t packed_places = 256;
// Bytes of the panels that a thread packs before it multiplies them, if all weights stay in the L2 cache meanwhile.
inline constexpr int64_t patch_panels_bytes = 48 * KiB;
// Channels of a group up to which results are summed directly from the image, or terms of a sum; else panels of patches
// are packed, which takes as long whatever the number of channels (on Zen 3, 16 channels take 0.6 of the time of
// panels, 64 take 0.9, 128 of 9 terms 0.3). Of a group with kernels of one place, whose patches need no packing, the
// channels that are read at most.
inline constexpr int64_t direct_channels = 64;
inline constexpr int64_t direct_terms = 64;
inline constexpr int64_t direct_read_channels = 32;
// Bytes of the part of an image that is copied for such sums, which stays in the L2 cache with the weights (128 KiB
// take 1.1 of the time, 256 KiB 1.2); the rows of results that it has at least, if there are as many, and columns in
// whose steps it is made smaller for them.
inline constexpr int64_t direct_bytes = 64 * KiB;
inline constexpr int64_t direct_least_rows = 4;
inline constexpr int64_t direct_columns = 32;
// All such copies may be so many times as large as the image and its result, and once more for each so many
// multiply-adds of an element.
inline constexpr int64_t padded_growth = 2;
inline constexpr int64_t terms_like_copy = 32;
// Bytes of the channels of such a part that are read for all results before others are, and stay in the L1 cache.
inline constexpr int64_t direct_rows_bytes = 16 * KiB;
// Channels of a group up to which each is computed by itself.
inline constexpr int64_t single_channels = 3;
// Terms and channels up to which 8-bit integers are summed as numbers.
inline constexpr int64_t direct_byte_terms = 256;
inline constexpr int64_t direct_byte_channels = 4;
// Places of a result up to which the weights are multiplied by the patch of each one as by a vector.
inline constexpr int64_t places_by_vectors = 2;

// --- pooling and sampling (ops/pool, ops/sample) ---

// A row that is padded and spread for its windows is at most so many times as long as its elements and results; where
// windows reach further, they are walked one by one.
inline constexpr int64_t padded_row_times = 4;
// Bytes of the places and weights of points that are sampled together: they stay in the L1 cache for all channels.
inline constexpr int64_t sampled_table = 16 * KiB;
// Results of a row that are pooled together: their windows stay in the L1 cache.
inline constexpr int64_t pooled_row = 4096;
// The work of an element that is taken from anywhere, and of two boxes that are compared, as bytes.
inline constexpr int64_t bytes_per_tap = 8;
inline constexpr int64_t bytes_per_box = 16;

// --- sparse tensors (ops/sparse) ---

// Threads among which elements are distributed by bucket: each has a table of all buckets.
inline constexpr int64_t most_distributors = 16;
// Products up to which there is room for as many elements, and no need to count columns before.
inline constexpr int64_t roomy_products = 4 * MiB;

// --- products and factorisations (ops/product, ops/linalg) ---

// Multiply-adds that make a task; those of all products up to which they are brief work for several threads; and those
// of one product from which on our kernels share it out themselves.
inline constexpr int64_t product_task = 1 << 17;
inline constexpr int64_t brief_product = 1 << 24;
inline constexpr int64_t shared_product = 1 << 26;
// Tiles in which one product is cut at most, by its multiply-adds. A library packs its operands anew for each: on one
// thread a product of 256 x 256 in eight tiles takes 1.11 of its time in one piece, in four 1.05.
inline constexpr int64_t product_tiles(int64_t work, bool by_library) {
  if (!by_library) return std::min<int64_t>(work / product_task, work < (int64_t{1} << 29) ? 8 : 16);
  if (work < (int64_t{1} << 25)) return std::min<int64_t>(work >> 20, 2);
  return work < (int64_t{1} << 28) ? 4 : work < (int64_t{1} << 31) ? 8 : 16;
}
// The further cost of a product, as many multiply-adds.
inline constexpr int64_t product_call = 1024;
// Bytes of a matrix that make a task of its product with a vector, and those of a contiguous column of which a thread
// takes at least as many.
inline constexpr int64_t vector_product_bytes = 64 * KiB;
inline constexpr int64_t column_stripe = 256;
// A few rows times a matrix of floating elements, or of packed codes, read it once, up to so many rows; and the bytes
// of the least such matrix of elements, which other kernels may read more often while caches hold it.
inline constexpr int64_t thin_rows = 16;
inline constexpr int64_t thin_matrix = 256 * KiB;
// Chunks of an inner product from which they are shared.
inline constexpr int64_t shared_chunks = 3;
// Rows of A from which packing the panels of B pays, and bytes over which B extends that needs none.
inline constexpr int64_t packed_rows = 32;
inline constexpr int64_t unpacked_bytes = 64 * KiB;
// Products that threads share: rows of B that are taken at a time, bytes of the panels that are packed of them, and
// of a packed slice of A, which stays in the L2 cache while they pass. The more rows, the less often C is read and
// written; but where a core multiplies two of the widest vectors per cycle, a panel must stay in the L1 cache (on an
// Intel core with AVX-512, 1024 rows take 1.2 times as long as 256, and slices of 384 KiB 1.05 times as long as 192).
inline int64_t shared_panel_rows() { return cpu_maker() == Maker::amd ? 1024 : 256; }
inline constexpr int64_t shared_panels_bytes = 4 * MiB;
inline int64_t slice_bytes() { return (cpu_maker() == Maker::amd ? 384 : 192) * KiB; }
// Elements of a stored matrix from which on it is packed once for all products with it.
inline constexpr int64_t packed_matrix = 1 << 14;
// Sizes for a matrix in panels: bytes that are copied by one task, and rows of a panel whose sums are made at a time,
// so that it stays in the L1 cache for all rows of A.
inline constexpr int64_t panel_copy_bytes = 256 * KiB;
inline constexpr int64_t panel_depth = 512;
// Sizes for bfloat16: multiply-adds from which packing pays, and from which threads do; the least matrix; products of a
// batch that are shared out whole.
inline constexpr double packed_bfloat16 = 0x1p14;
inline constexpr double shared_bfloat16 = 0x1p20;
inline constexpr int64_t least_bfloat16_rows = 6;
inline constexpr int64_t least_bfloat16_columns = 16;
inline constexpr int64_t whole_bfloat16_products = 16;
// Products of 8-bit integers that wrap in their own type are quicker by sums of pairs from so many multiply-adds and
// columns on; with a few rows, where the other matrix has so many bytes, more than caches hold. Measured on Zen 3: 64 x
// 64 x 64 takes 0.5 of the time, 32 x 32 x 32 twice of it; 4 rows times 4096 x 4096 0.3, times 256 x 256 three times.
inline constexpr double packed_bytes = 0x1p18;
inline constexpr int64_t least_byte_columns = 16;
inline constexpr double large_byte_matrix = 0x1p21;
// Multiply-adds from which threads share a product of 8-bit integers.
inline constexpr double shared_bytes = 0x1p20;
// Products of a few rows: the columns of B that a thread takes at least, and those at most whose sums stay in the
// cache. The longer the part of each line, the better the processor fetches ahead (4096: 0.6 of the time of 1024).
inline constexpr int64_t few_row_columns = 256;
inline constexpr int64_t most_row_columns = 4096;

// Operations on matrices of a batch that make a task; those of a single matrix from which all of the library's threads
// are worth waking; elements of a matrix and operations on it up to which the matrices of a batch are shared out whole,
// and how many of them always are.
inline constexpr double factorisation_task = 0x1p19;
inline constexpr double shared_factorisation = 0x1p21;
inline constexpr int64_t whole_matrix = 1 << 17;
inline constexpr double whole_factorisation = 0x1p32;
inline constexpr int64_t whole_matrices = 16;
// Operations on small matrices, in the lanes of vectors, that are shared.
inline constexpr int64_t shared_small_matrices = 1 << 18;
// Rank from which a matrix is factorised by panels, and how tall it may be: else the panels are most of the work.
inline constexpr int64_t least_panel_rank = 192;
inline constexpr int64_t tallest_panels = 32;
// Right-hand sides from which solving for them by panels takes less time than by LAPACK.
inline constexpr int64_t panel_sides = 2;

// Own or the library's. Multiply-adds up to which a product takes less time by our kernels, `wide` telling whether they
// have the widest registers (AVX-512). A call of a library has the costs of its checks and packing: they alone decide
// up to a few ten rows, `small_order` for this library. Beyond, ours are chosen only where they were measured to be
// faster on the whole (docs/results/own-or-library.md): on AMD's and Intel's processors with AVX-512. On any other, the
// library is.
inline constexpr int64_t own_smallest_product = 32 * 32 * 32;
inline int64_t own_product(bool wide, int64_t small_order) {
  if (wide && cpu_maker() != Maker::other) return INT64_MAX;
  return small_order * small_order * small_order;
}
// The rule for LU and Cholesky factors by panels, which are made of such products. The library always computes QR, SVD
// and eigenvalues of matrices that are not small.
inline bool own_factors(bool wide) { return own_product(wide, 0) == INT64_MAX; }

}  // namespace suanzi::costs
