// All thresholds of the core: sizes from which one algorithm takes less time than another, and the amounts of work that
// make a task.
//
// Only this file must be changed to tune the library for another machine. Numbers that follow from a size of the
// machine are computed from that size. All other numbers were measured on x86-64 cores of AMD (Zen 4, Zen 5) and suit
// caches of these sizes: 32 to 48 KiB of L1, 1 MiB of L2. A change here may change how products, factors and Fourier
// transforms round, and nothing else: constants that determine the order of a sum or the numbers of a seed belong to
// the algorithm and are in its files.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/machine.h"

namespace suanzi::costs {

inline constexpr int64_t KiB = 1024;
inline constexpr int64_t MiB = 1024 * KiB;

// --- threads (runtime/share.h) ---

// The least work that threads share, in bytes that are read and written with little other work. A core moves this many
// bytes from its L2 cache in 10 us, and waking a thread takes as long.
inline constexpr int64_t shared_work = 256 * KiB;
// A loop over less work than this may well end before a sleeping thread has woken.
inline constexpr int64_t brief_work = 4 * MiB;
// The number of ranges for each thread. If a thread has several ranges, its delay does not delay the whole loop.
inline constexpr int64_t ranges_per_thread = 4;
// The number of elements above which the interpreter's lock is released: acquiring it again costs about as much as
// computing these.
inline constexpr int64_t unlocked_elements = 16384;

// Weights of other work. A byte of a mathematical function's argument is this many times the work of a byte that is
// copied.
inline constexpr int64_t function_cost = 16;
// The work of reading elements of sparse tensors. `elements` may be the greatest int64, which is more than any tensor
// has.
constexpr int64_t sparse_work(int64_t elements) { return elements > INT64_MAX / 4 ? INT64_MAX : 4 * elements; }
// The work of a Fourier transform, which passes over memory three times, where a copy passes twice.
constexpr int64_t transform_work(int64_t bytes) { return bytes + bytes / 2; }
// The work of transforming columns that are not contiguous. This work counts less than for rows, because threads write
// to the same cache lines.
constexpr int64_t column_transform_work(int64_t bytes) { return bytes / 4; }
// The work of gathering in blocks. Finding a block costs as much as copying 32 bytes, so a byte of long blocks counts
// an eighth.
constexpr int64_t gather_work(int64_t bytes, int64_t blocks) {
  const int64_t found = (bytes + 32 * blocks) / 8;
  return found > bytes ? found : bytes;
}

// --- memory ---

// True if results are better written past the caches, because they would not stay in the last-level cache.
inline bool passes_caches(int64_t bytes_moved) { return bytes_moved > cache_bytes(); }
// Blocks up to thread_block bytes are kept by the thread that freed them, up to thread_list bytes of each class. Larger
// blocks go to the pool.
inline constexpr int64_t thread_block = 32 * KiB;
inline constexpr int64_t thread_list = 64 * KiB;
// A block of at least this size is mapped by itself, so that the system can use huge pages for it (2 MiB on x86).
inline constexpr int64_t mapped_block = 2 * MiB;
// The pool keeps at most cache_limit bytes unless a caller sets its limit, and no more than one part in cache_share of
// the machine's memory.
inline constexpr int64_t cache_limit = 2048 * MiB;
inline constexpr int64_t cache_share = 8;
// Blocks of at least this size ask the system for available memory. The system answers in some 20 us, and touching such
// a block for the first time takes milliseconds.
inline constexpr int64_t checked_block = 256 * MiB;
// The data of blocks of at least this size begin at different places of a page (tensor/storage.cpp).
inline constexpr int64_t staggered_block = 256 * KiB;
// The number of bytes that one call of memset clears without releasing the interpreter's lock.
inline constexpr int64_t cleared_at_once = 4 * KiB;

// --- elementwise (walk/executor.cpp, ops/elementwise) ---

// The number of elements up to which the engine's preparations would cost more than the work.
inline constexpr int64_t direct_elements = 4096;
// The number of elements up to which the steps of a formula take less time one by one than preparing its program.
inline constexpr int64_t stepwise_elements = 512;
// A row of at least this length is walked row by row, so that its operands are read where they are.
inline constexpr int64_t long_row = 256;
// The number of elements of a tile when nothing is staged: enough to make the cost of calls negligible, and few enough
// for threads to share. A tile that is written past the caches is larger, because each tile ends with a wait for its
// writes.
inline constexpr int64_t direct_tile = 16384;
inline constexpr int64_t streamed_tile = 1 << 17;
// The size in bytes of the largest tile that a caller may ask for (runtime/tile_shape.h): a core's own cache.
inline constexpr int64_t largest_tile = 1 * MiB;
// The number of tiles of data that one task checks (ops/elementwise/fits.cpp).
inline constexpr int64_t judged_tiles = 64;

// --- fused programs (fusion/schedule.cpp) ---

// The size in bytes of the rows that go through all steps together: a quarter of an L2 cache of 1 MiB, so that the
// results of one step are still in the cache for the next step.
inline constexpr int64_t fused_block = 256 * KiB;
// The size in bytes of a row up to which blocks may have fewer dimensions than possible: a part of a core's own cache.
inline constexpr int64_t fused_row = 64 * KiB;
// The number of steps on elements in the cache that take as long as writing these elements to memory and reading them
// again.
inline constexpr int64_t steps_like_memory = 4;
// The number of views of one value that are computed separately. A value with more views is computed as a whole.
inline constexpr int64_t most_views = 4;
// A chain of an ONNX model is fused if its elements, times the memory passes that fusing saves, are at least this
// number. Calling a fused function costs about 2 us more than calling operators: measurements show a gain for two calls
// from 30,000 elements on, for four calls from 8,000 on.
inline constexpr int64_t fused_chain = 1 << 15;

// --- movement (walk/move.cpp, walk/staging.cpp, ops/arrange) ---

// The number of elements of a row below which a call of memcpy costs more than copying the elements one by one.
inline constexpr int64_t short_row = 16;
// The size of a block of writes, whose rows are as long as possible.
inline constexpr int64_t block_bytes = 128 * KiB;
// Sizes of a block if rows of the target are columns of the source. The rows of the block are so short that the cache
// lines that it writes by turns stay in the L2 cache until they are full.
inline constexpr int64_t crossing_bytes = 128 * KiB;
inline constexpr int64_t crossing_columns = 64;
inline constexpr int64_t crossing_rows = 512;
// The number of moves that are collected before threads share them.
inline constexpr int64_t waiting_moves = 1024;
// The size of the part of a long result that a thread pads at a time. One thread pads all sides of a part, because they
// share cache lines.
inline constexpr int64_t padded_bytes = 1 * MiB;
// The size of the part of matrices that a thread handles at a time. Rows shorter than short_row_bytes are all copied at
// once, and cleared afterwards.
inline constexpr int64_t matrix_bytes = 256 * KiB;
inline constexpr int64_t short_row_bytes = 256;

// --- rows (walk/rows.h) ---

// If there are few rows and each has at least this size, the algorithm for one row uses all threads.
inline constexpr int64_t shared_row_bytes = 1 * MiB;

// --- reductions and scans (walk/reduction_walk.h, ops/reduce, ops/scan) ---

// The greatest length of rows that are folded several at once, one in each lane of a vector: rows of 2 to 4 elements
// then take a half to a third of the time. A longer row fills vectors of its own.
inline constexpr int64_t row_in_lanes = 15;

// The number of elements of a contiguous tensor up to which one thread reduces it as a whole.
inline constexpr int64_t whole_reduction = 32768;
// The size in bytes of the rows that are computed for a reduction at a time: a part of the L1 cache, and enough for the
// tiles.
inline constexpr int64_t produced_block = 32 * KiB;
// The number of elements of rows on which operators of several steps (ops/elementwise/on_rows.h) take each step, so
// that the elements stay in the L1 cache.
inline constexpr int64_t stepped_elements = 2048;
// The number of elements up to which the operand of a reduction is computed as a whole. A tensor of this size stays in
// a core's own cache, and a call of the program for each row would cost more.
inline constexpr int64_t folded_whole = 32768;
// The number of elements of a contiguous tensor up to which its maximum is searched for in one piece.
inline constexpr int64_t whole_search = 131072;
// If there are fewer slabs than few_slabs, they are made narrower, in steps of a cache line, but not narrower than
// narrowest_slab columns.
inline constexpr int64_t few_slabs = 4;
inline constexpr int64_t narrowest_slab = 64;
inline constexpr int64_t slab_step = 16;
// The number of units that a thread takes at a time when threads take turns.
inline constexpr int64_t turn_units = 8;
// The size in bytes of a line below which one thread scans it. Several threads together do twice the work of one thread
// for a line.
inline constexpr int64_t shared_line_bytes = 1 * MiB;
// The least number of lines side by side that make a range of their own.
inline constexpr int64_t least_lines = 64;

// --- gather, scatter (ops/indexing) ---

// The number of bytes that a thread moves at a time.
inline constexpr int64_t moved_bytes = 64 * KiB;
// The size in bytes of a result from which threads share its tiles, each of which needs its own view.
inline constexpr int64_t shared_tiles_bytes = 2 * MiB;
// The number of offsets from which threads share the check that all offsets are valid, and the number that one task
// checks.
inline constexpr int64_t shared_offsets = 65536;
inline constexpr int64_t offsets_of_task = 32768;
// The number of entries of the largest table of offsets. Larger tables are computed again for every outer position,
// which costs less than their memory.
inline constexpr int64_t largest_table = 65536;
// The length of a row of positions from which the row is looked up by itself instead of together with its neighbours.
inline constexpr int64_t long_index_row = 32;
// The size in bytes up to which a few rows are gathered or scattered without the preparations of a walk.
inline constexpr int64_t few_rows_bytes = 64 * KiB;
// The thread that updates a target of at most this size also copies it, so that the target is in its L2 cache.
inline constexpr int64_t cached_target = 512 * KiB;
// The number of updates, and the bytes of the target, from which updates of single elements are grouped by block of the
// target. A block is a part of a core's own cache. A block is larger only if the target would have more blocks than
// most_update_blocks, whose streams would not fit the cache.
inline constexpr int64_t grouped_updates = 1024 * 1024;
inline constexpr int64_t grouped_target = 16 * MiB;
inline constexpr int64_t update_block = 256 * KiB;
inline constexpr int64_t most_update_blocks = 1024;

// --- decision trees (ops/trees) ---

// The work of a row's path from a root to a leaf, some 25 ns, as bytes that are moved.
inline constexpr int64_t tree_visit = 640;
// The number of rows that go through all trees together, which keeps a tree's nodes in the L1 cache. If there are fewer
// rows, threads share the trees.
inline constexpr int64_t tree_rows = 32;

// --- sorting (ops/sort) ---

// The number of keys below which one call of the kernel sorts them.
inline constexpr int64_t many_keys = 65536;
// The number of keys for which waking a thread pays.
inline constexpr int64_t keys_of_thread = 16384;
// The number of keys of a tile, which stay in the L1 cache.
inline constexpr int64_t key_tile = 2048;
// The numbers of elements of one byte, and of two bytes, from which elements are counted instead of sorted. Sorting
// fewer elements is faster.
inline constexpr int64_t counted_bytes = 256;
inline constexpr int64_t counted_halves = 262144;
// The number of two-byte elements from which `unique` counts bit patterns. Sorting counted_order elements takes as long
// as passing through a table of all patterns.
inline constexpr int64_t counted_distinct_halves = 4096;
inline constexpr int64_t counted_order = 512;
// The greatest number of equal keys whose indices are sorted by insertion.
inline constexpr int64_t short_run = 16;
// The number of keys that are searched for together in the time that a single key takes.
inline constexpr int64_t single_search = 64;

// --- values on lines (ops/interpolate/lines.cpp) ---

// The work of an element, as bytes that are moved.
inline constexpr int64_t bytes_per_line = 64;
// Walking from the line of the element before finds a line faster than bisection if the line is at most this many
// points further on.
inline constexpr int64_t lines_ahead = 4;
// If walking keeps failing, only one in this many groups of elements tries to walk.
inline constexpr int64_t groups_per_walk = 16;

// --- random numbers (ops/random) ---

// The quantities that make a task: numbers of distributions, draws from classes, and classes.
inline constexpr int64_t random_piece = 1 << 15;
inline constexpr int64_t draws_of_task = 1 << 13;
inline constexpr int64_t classes_of_task = 1 << 15;

// --- Fourier transforms (ops/fft) ---

// The greatest size in bytes of the real parts of a block that is transformed: real and imaginary parts stay in the L1
// cache. Blocks that are copied with strides may be larger.
inline constexpr int64_t transformed_block = 16 * KiB;
inline constexpr int64_t strided_block = 64 * KiB;
// A line whose real parts have at most this many bytes is transformed as a whole, because its intermediate results stay
// in the L2 cache.
inline constexpr int64_t transformed_line = 128 * KiB;
// Lines shorter than shortest_line are transformed as columns of a block, unless there are fewer than fewest_columns.
inline constexpr int64_t shortest_line = 64;
inline constexpr int64_t fewest_columns = 4;
// The size in bytes of the lines that are staged together.
inline constexpr int64_t staged_lines = 1 * MiB;
// The shortest length that is split into rows and columns.
inline constexpr int64_t least_split = 128;
// The number of elements in a task that multiplies two lines.
inline constexpr int64_t multiplied_line = 16384;

// --- interpolation (ops/interpolate) ---

// The size in bytes of layers that are interpolated together and stay in the L2 cache.
inline constexpr int64_t interpolated_block = 256 * KiB;
// The number of results in a task if a row is long. An axis of at least long_axis results with at most few_long_rows
// rows has no table: its entries are computed where they are needed.
inline constexpr int64_t row_piece = 1 << 15;
inline constexpr int64_t long_axis = 1 << 15;
inline constexpr int64_t few_long_rows = 4;
// The number of entries of a table that make a task.
inline constexpr int64_t table_piece = 8192;

// --- convolutions (ops/convolve) ---

// The number of multiply-adds that make a task of several images and groups.
inline constexpr int64_t convolution_task = 1 << 17;
// The number of multiply-adds of one image and group from which threads share its product.
inline constexpr int64_t shared_convolution = 1 << 20;
// The number of places of a result from which the weights are packed. Every panel of places reads each weight once.
inline constexpr int64_t packed_places = 256;
// The size in bytes of the panels that a thread packs before it multiplies them, if all weights meanwhile stay in the
// L2 cache.
inline constexpr int64_t patch_panels_bytes = 48 * KiB;
// The number of channels of a group, or of terms of a sum, up to which results are summed directly from the image.
// Above both numbers, panels of patches are packed, which takes the same time for any number of channels. Measured on
// Zen 3, direct sums of 16 channels take 0.6 of the time of panels, of 64 channels 0.9, of 128 channels with 9 terms
// 0.3. Kernels of one place have lower limits, because their panels cost less. With stride 1, patches need no packing:
// panels of 24 or 32 channels take 0.8 of the time of direct sums, panels of 16 channels 1.1 of it. With larger
// strides, panels copy fewer places: panels of 24 channels take 0.4 of the time, of 3 channels 1.2.
inline constexpr int64_t direct_channels = 64;
inline constexpr int64_t direct_terms = 64;
inline constexpr int64_t direct_read_channels = 16;
inline constexpr int64_t direct_strided_channels = 4;
// The size in bytes of the part of an image that is copied for direct sums, which stays in the L2 cache with the
// weights (128 KiB take 1.1 times as long, 256 KiB 1.2 times). The part has at least direct_least_rows rows of results,
// if the result has as many; a part with fewer rows is made narrower, in steps of direct_columns columns.
inline constexpr int64_t direct_bytes = 64 * KiB;
inline constexpr int64_t direct_least_rows = 4;
inline constexpr int64_t direct_columns = 32;
// All copies for direct sums together may be padded_growth times as large as the image and its result. Sums of more
// than padded_growth * terms_like_copy terms allow one time for each terms_like_copy terms.
inline constexpr int64_t padded_growth = 2;
inline constexpr int64_t terms_like_copy = 32;
// The size in bytes of the channels that are read at a time for all results of such a part, so that these channels stay
// in the L1 cache.
inline constexpr int64_t direct_rows_bytes = 16 * KiB;
// The number of channels of a group up to which each channel is computed by itself.
inline constexpr int64_t single_channels = 3;
// An image with at least blocked_channels channels is copied in blocks whose channels are neighbours, if the result has
// at least twice as many channels and each sum at least blocked_terms terms. On Zen 3 this takes 0.7 to 0.9 of the time
// of rows and of panels; with 3 channels and 147 terms it would take 1.2 times as long. A block has at most strip_terms
// terms, so that its weights for a strip stay in the L1 cache.
inline constexpr int64_t blocked_channels = 8;
inline constexpr int64_t blocked_terms = 128;
inline constexpr int64_t strip_terms = 320;
// Sizes of a piece, the part of a result that is computed from one such copy: its places, its least number of rows, and
// its columns if it has more rows. The last two sizes stay in the L2 cache: the bytes of the sums of all strips that
// are computed together, and the bytes of a copy.
inline constexpr int64_t piece_places = 384;
inline constexpr int64_t piece_rows = 4;
inline constexpr int64_t piece_columns = 64;
inline constexpr int64_t piece_sums_bytes = 192 * KiB;
inline constexpr int64_t piece_bytes = 128 * KiB;
// With at least this many pieces for each thread, a piece that is left over at the end hardly delays the whole.
inline constexpr int64_t pieces_per_thread = 16;
// The numbers of terms and of channels up to which sums of 8-bit integers are computed in float32.
inline constexpr int64_t direct_byte_terms = 256;
inline constexpr int64_t direct_byte_channels = 4;
// The number of places of a result up to which each place's patch is a vector that the matrix of weights multiplies.
inline constexpr int64_t places_by_vectors = 2;

// --- pooling and sampling (ops/pool, ops/sample) ---

// A row that is padded and spread for its windows is at most this many times as long as its elements and results
// together. If the padded row would be longer, the elements of each window are visited one by one.
inline constexpr int64_t padded_row_times = 4;
// The size in bytes of the places and weights of points that are sampled together, which stay in the L1 cache for all
// channels.
inline constexpr int64_t sampled_table = 16 * KiB;
// The number of results of a row that are pooled together, whose windows stay in the L1 cache.
inline constexpr int64_t pooled_row = 4096;
// The work of reading an element at any position, and of comparing two boxes, in bytes that are moved.
inline constexpr int64_t bytes_per_tap = 8;
inline constexpr int64_t bytes_per_box = 16;

// --- sparse tensors (ops/sparse) ---

// The greatest number of threads that distribute elements into buckets. Each thread has a table of all buckets.
inline constexpr int64_t most_distributors = 16;
// The number of products up to which the result has memory for one element per product, without counting its columns
// first.
inline constexpr int64_t roomy_products = 4 * MiB;

// --- products and factorisations (ops/product, ops/linalg) ---

// Numbers of multiply-adds: those that make a task; those up to which all products together are brief work for several
// threads; and those from which our own kernels divide a single product among threads.
inline constexpr int64_t product_task = 1 << 17;
inline constexpr int64_t brief_product = 1 << 24;
inline constexpr int64_t shared_product = 1 << 26;
// The greatest number of tiles into which one product is cut, by its multiply-adds. A library packs its operands again
// for each tile: on one thread, a product of 256 x 256 in eight tiles takes 1.11 times as long as in one piece, in four
// tiles 1.05 times.
inline constexpr int64_t product_tiles(int64_t work, bool by_library) {
  if (!by_library) return std::min<int64_t>(work / product_task, work < (int64_t{1} << 29) ? 8 : 16);
  if (work < (int64_t{1} << 25)) return std::min<int64_t>(work >> 20, 2);
  return work < (int64_t{1} << 28) ? 4 : work < (int64_t{1} << 31) ? 8 : 16;
}
// The fixed cost of a call of a product, in multiply-adds.
inline constexpr int64_t product_call = 1024;
// Sizes of products with a vector: the bytes of the matrix that make a task, and the least contiguous part of a column
// that a thread takes.
inline constexpr int64_t vector_product_bytes = 64 * KiB;
inline constexpr int64_t column_stripe = 256;
// The greatest number of rows whose product with a matrix of floating elements, or of packed codes, reads the matrix
// only once; and the size in bytes of the least such matrix of elements. Other kernels may read smaller matrices more
// often, because caches hold them.
inline constexpr int64_t thin_rows = 16;
inline constexpr int64_t thin_matrix = 256 * KiB;
// The number of chunks of an inner product from which threads share them.
inline constexpr int64_t shared_chunks = 3;
// The number of rows of A from which packing the panels of B takes less time, and the size of B in bytes up to which it
// needs no packing.
inline constexpr int64_t packed_rows = 32;
inline constexpr int64_t unpacked_bytes = 64 * KiB;
// Sizes of products that threads share: the rows of B that are handled at a time, the bytes of the panels that are
// packed from them, and the bytes of a packed slice of A, which stays in the L2 cache while the panels pass. With more
// rows, C is read and written less often. But on cores that multiply two of the widest vectors per cycle, a panel must
// stay in the L1 cache (on an Intel core with AVX-512, 1024 rows take 1.2 times as long as 256, and slices of 384 KiB
// 1.05 times as long as slices of 192).
inline int64_t shared_panel_rows() { return cpu_maker() == Maker::amd ? 1024 : 256; }
inline constexpr int64_t shared_panels_bytes = 4 * MiB;
inline int64_t slice_bytes() { return (cpu_maker() == Maker::amd ? 384 : 192) * KiB; }
// The number of elements of a stored matrix from which it is packed once for all products with it.
inline constexpr int64_t packed_matrix = 1 << 14;
// Sizes for a matrix in panels: the bytes that one task copies, and the rows of a panel whose sums are computed at a
// time, so that they stay in the L1 cache for all rows of A.
inline constexpr int64_t panel_copy_bytes = 256 * KiB;
inline constexpr int64_t panel_depth = 512;
// Sizes for bfloat16: the multiply-adds from which packing takes less time, and those from which sharing among threads
// takes less time; the least rows and columns; and the number of products of a batch from which each product stays on
// one thread.
inline constexpr double packed_bfloat16 = 0x1p14;
inline constexpr double shared_bfloat16 = 0x1p20;
inline constexpr int64_t least_bfloat16_rows = 6;
inline constexpr int64_t least_bfloat16_columns = 16;
inline constexpr int64_t whole_bfloat16_products = 16;
// Rows this many bytes apart, or a multiple of it, displace one another from the caches.
inline constexpr int64_t same_cache_set = 4 * KiB;
// Sizes for products of 8-bit integers that wrap in their own type. Kernels that sum pairs take less time than the
// other kernels from packed_bytes multiply-adds and least_byte_columns columns on, or, with at most few_byte_rows rows,
// if the other matrix has at least large_byte_matrix bytes, more than caches hold. Measured on Zen 3 relative to the
// other kernels: 64 x 64 x 64 takes 0.5 of the time, 32 x 32 x 32 twice the time; 4 rows times 4096 x 4096 take 0.3,
// times 256 x 256 three times the time.
inline constexpr double packed_bytes = 0x1p18;
inline constexpr int64_t least_byte_columns = 16;
inline constexpr int64_t few_byte_rows = 4;
inline constexpr double large_byte_matrix = 0x1p21;
// The number of multiply-adds from which threads share a product of 8-bit integers.
inline constexpr double shared_bytes = 0x1p20;
// Sizes for products of a few rows of 8-bit integers: the least number of columns of B that a thread handles, and the
// greatest number of sums, which stay in the cache, of at least least_sum_rows rows. The processor prefetches better if
// the part of each line is longer (4096 columns take 0.6 of the time of 1024).
inline constexpr int64_t few_row_columns = 256;
inline constexpr int64_t most_row_sums = 16384;
inline constexpr int64_t least_sum_rows = 4;

// Sizes for factorisations: the operations on matrices of a batch that make a task; the operations on a single matrix
// that are worth waking all of the library's threads; the elements of a matrix, and the operations on it, up to which
// each matrix of a batch stays on one thread; and the number of matrices from which each matrix always stays on one
// thread.
inline constexpr double factorisation_task = 0x1p19;
inline constexpr double shared_factorisation = 0x1p21;
inline constexpr int64_t whole_matrix = 1 << 17;
inline constexpr double whole_factorisation = 0x1p32;
inline constexpr int64_t whole_matrices = 16;
// The number of operations on small matrices, in the lanes of vectors, from which threads share them.
inline constexpr int64_t shared_small_matrices = 1 << 18;
// The rank from which a matrix is factorised by panels, and the greatest ratio of its height to its width. For a taller
// matrix, most of the work would be in the panels.
inline constexpr int64_t least_panel_rank = 192;
inline constexpr int64_t tallest_panels = 32;
// The number of right-hand sides from which solving by panels takes less time than by LAPACK.
inline constexpr int64_t panel_sides = 2;

// The choice between our kernels and the library: the multiply-adds up to which a product takes less time by our
// kernels. `wide` says that the kernels use the widest registers (AVX-512). A call of a library also checks its
// arguments and packs, so our kernels are faster up to an order of a few tens, `small_order` for this library. Beyond
// that order, our kernels are chosen only where measurements show that they are faster on the whole
// (docs/results/own-or-library.md): on AMD's and Intel's processors with AVX-512. All other processors use the library.
inline constexpr int64_t own_smallest_product = 32 * 32 * 32;
inline int64_t own_product(bool wide, int64_t small_order) {
  if (wide && cpu_maker() != Maker::other) return INT64_MAX;
  return small_order * small_order * small_order;
}
// The choice for LU and Cholesky factors by panels, whose work is mostly matrix products. The library always computes
// QR, SVD and eigenvalues of matrices that are not small.
inline bool own_factors(bool wide) { return own_product(wide, 0) == INT64_MAX; }

}  // namespace suanzi::costs
