// All thresholds of the core, by which Suanzi is tuned for a machine. A threshold is a size at which one algorithm
// begins to take less time than another, or an amount of work that makes a task. Sizes inside a single kernel, such as
// the distance of a prefetch, are in the file of the kernel.
//
// Some thresholds are computed from a size of the machine. All other thresholds are measurements on x86-64 cores,
// mostly of AMD (Zen 3, Zen 4, Zen 5). The measured thresholds suit caches of 32 to 48 KiB (L1) and 1 MiB (L2).
//
// A change of a threshold may change the roundings of products, convolutions, factors and Fourier transforms, and no
// other result. Constants that determine the order of a sum or the numbers of a seed are parts of an algorithm, and are
// in the algorithm's files.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/machine.h"

namespace suanzi::costs {

inline constexpr int64_t KiB = 1024;
inline constexpr int64_t MiB = 1024 * KiB;

// --- threads (runtime/share.h) ---

// The least work that threads share, in bytes that are read and written with little other work. A core moves this
// number of bytes from its L2 cache in 10 us, and the wake-up of a thread also takes 10 us.
inline constexpr int64_t shared_work = 256 * KiB;
// A loop over less work than brief_work may end before a sleeping thread has woken.
inline constexpr int64_t brief_work = 4 * MiB;
// The number of ranges for each thread. If each thread has several ranges, the delay of one thread does not delay the
// whole loop.
inline constexpr int64_t ranges_per_thread = 4;
// The number of elements above which operators release the interpreter's lock. The acquisition of the lock takes about
// as long as the computation of this number of elements.
inline constexpr int64_t unlocked_elements = 16384;

// The work for a byte of a mathematical function's argument is function_cost times the work for a copied byte.
inline constexpr int64_t function_cost = 16;
// Returns the work of reading elements of sparse tensors. `elements` may be the greatest int64, which exceeds the
// number of elements of any tensor.
constexpr int64_t sparse_work(int64_t elements) { return elements > INT64_MAX / 4 ? INT64_MAX : 4 * elements; }
// Returns the work of a Fourier transform. A transform passes over memory three times, and a copy passes over memory
// twice.
constexpr int64_t transform_work(int64_t bytes) { return bytes + bytes / 2; }
// Returns the work of transforming columns that are not contiguous. A byte of a column counts less than a byte of a
// row, because threads that share columns write to the same cache lines.
constexpr int64_t column_transform_work(int64_t bytes) { return bytes / 4; }
// Returns the work of gathering in blocks. The work is the number of gathered bytes. If the blocks are short, the work
// is an eighth of the sum of these bytes and of 32 bytes for the search for each block.
constexpr int64_t gather_work(int64_t bytes, int64_t blocks) {
  const int64_t found = (bytes + 32 * blocks) / 8;
  return found > bytes ? found : bytes;
}

// --- memory ---

// Returns true if writes past the caches are faster, because the results would not stay in the last-level cache.
inline bool passes_caches(int64_t bytes_moved) { return bytes_moved > cache_bytes(); }
// Returns true if the last-level cache does not keep a matrix of `bytes` bytes from one product to the next.
inline bool is_in_memory(double bytes) { return bytes > 0.75 * static_cast<double>(cache_bytes()); }
// The thread that freed blocks of up to thread_block bytes keeps these blocks, up to thread_list bytes of each size
// class. Larger blocks go to the pool.
inline constexpr int64_t thread_block = 32 * KiB;
inline constexpr int64_t thread_list = 64 * KiB;
// A block of at least this size has its own mapping, so that the system can use huge pages for the block (2 MiB on
// x86).
inline constexpr int64_t mapped_block = 2 * MiB;
// The pool keeps at most cache_limit bytes, and at most the machine's memory divided by cache_share, unless a caller
// sets the pool's limit.
inline constexpr int64_t cache_limit = 2048 * MiB;
inline constexpr int64_t cache_share = 8;
// Before the allocation of a block of at least this size, the allocator reads the available memory from the system.
// This read takes some 20 us, and the first use of a block of this size takes milliseconds.
inline constexpr int64_t checked_block = 256 * MiB;
// The data of storages of at least this size begin in the middle of a page (tensor/storage.cpp).
inline constexpr int64_t staggered_block = 256 * KiB;
// The number of bytes that one call of memset clears while the interpreter's lock is held.
inline constexpr int64_t cleared_at_once = 4 * KiB;

// --- elementwise (walk/executor.cpp, ops/elementwise) ---

// The greatest number of elements for which the engine's preparations would cost more than the work.
inline constexpr int64_t direct_elements = 4096;
// The greatest number of elements for which the steps of a formula, one by one, take less time than the preparation of
// the formula's program.
inline constexpr int64_t stepwise_elements = 512;
// The engine walks rows of at least this length row by row, so that it reads operands in place.
inline constexpr int64_t long_row = 256;
// The number of elements of a tile if no operand is staged. This number is so large that the cost of calls is
// negligible, and so small that threads can share the tiles. A tile that is written past the caches is larger, because
// each tile ends with a wait for its writes.
inline constexpr int64_t direct_tile = 16384;
inline constexpr int64_t streamed_tile = 1 << 17;
// The size in bytes of the largest tile that a caller may request (runtime/tile_shape.h). This size is the size of an
// L2 cache.
inline constexpr int64_t largest_tile = 1 * MiB;
// The number of tiles of data that one task checks (ops/elementwise/fits.cpp).
inline constexpr int64_t judged_tiles = 64;

// --- fused programs (fusion/schedule.cpp) ---

// The size in bytes of a block of rows. All steps run on one block, then on the next block. The size is a quarter of an
// L2 cache of 1 MiB, so that the results of one step are still in the cache for the next step.
inline constexpr int64_t fused_block = 256 * KiB;
// The greatest size in bytes of a row if blocks are cut only along the dimensions that several reductions share. A row
// of this size fits in a part of an L2 cache.
inline constexpr int64_t fused_row = 64 * KiB;
// The number of steps on elements in the cache that take as long as a write of these elements to memory and a read from
// memory.
inline constexpr int64_t steps_like_memory = 4;
// The greatest number of views of one value that are computed separately. A value with more views is computed as a
// whole.
inline constexpr int64_t most_views = 4;
// A chain of an ONNX model is fused if the number of elements times the number of saved passes over memory is at least
// fused_chain. A call of a fused function takes about 2 us longer than calls of operators. Measurements show a gain for
// two calls on at least 30,000 elements, and for four calls on at least 8,000 elements.
inline constexpr int64_t fused_chain = 1 << 15;

// --- movement (walk/move.cpp, walk/staging.cpp, ops/arrange) ---

// The number of elements of a row below which a call of memcpy takes longer than copies of single elements.
inline constexpr int64_t short_row = 16;
// The size of a block of writes, whose rows are as long as possible.
inline constexpr int64_t block_bytes = 128 * KiB;
// The sizes of a block if rows of the target are columns of the source. The rows of the block are so short that the
// written cache lines stay in the L2 cache until these lines are full.
inline constexpr int64_t crossing_bytes = 128 * KiB;
inline constexpr int64_t crossing_columns = 64;
inline constexpr int64_t crossing_rows = 512;
// The number of moves that the code collects before threads share the moves.
inline constexpr int64_t waiting_moves = 1024;
// The size of the part of a long result that a thread pads at a time. One thread pads all sides of a part, because the
// sides share cache lines.
inline constexpr int64_t padded_bytes = 1 * MiB;
// The size of the part of matrices that a thread handles at a time. The code copies all rows of at most short_row_bytes
// bytes at once, and then clears elements.
inline constexpr int64_t matrix_bytes = 256 * KiB;
inline constexpr int64_t short_row_bytes = 256;

// --- rows (walk/rows.h) ---

// If the rows are few and each row has at least this size, the algorithm for one row uses all threads.
inline constexpr int64_t shared_row_bytes = 1 * MiB;

// --- reductions and scans (walk/reduction_walk.h, ops/reduce, ops/scan) ---

// The greatest length of a row that kernels fold together with other rows, one row in each lane of a vector. For rows
// of 2 to 4 elements, such a fold takes a half to a third of the time of a fold of one row at a time. A longer row
// fills its own vectors.
inline constexpr int64_t row_in_lanes = 15;

// The greatest number of elements of a contiguous tensor that one thread reduces as a whole.
inline constexpr int64_t whole_reduction = 32768;
// The size in bytes of the rows that are computed for a reduction at a time. Rows of this size fit in the L1 cache, and
// are long enough to fill the tiles.
inline constexpr int64_t produced_block = 32 * KiB;
// Operators of several steps (ops/elementwise/on_rows.h) run all steps on rows of about this number of elements before
// the next rows. These elements stay in the L1 cache.
inline constexpr int64_t stepped_elements = 2048;
// The greatest number of elements for which the operand of a reduction is computed as a whole. A tensor of this size
// stays in the L2 cache, and a call of the program for each row would take longer.
inline constexpr int64_t folded_whole = 32768;
// The greatest number of elements of a contiguous tensor that one call searches for the maximum.
inline constexpr int64_t whole_search = 131072;
// If a walk has fewer slabs than few_slabs, the code makes the slabs narrower, in steps of a cache line, but not
// narrower than narrowest_slab columns.
inline constexpr int64_t few_slabs = 4;
inline constexpr int64_t narrowest_slab = 64;
inline constexpr int64_t slab_step = 16;
// The number of units that a thread takes at a time when threads take turns.
inline constexpr int64_t turn_units = 8;
// The size in bytes of a line below which one thread scans or transforms the line. Several threads that scan a line
// together have twice the work of one thread.
inline constexpr int64_t shared_line_bytes = 1 * MiB;
// The least number of neighbouring lines that are scanned together as a part of the work.
inline constexpr int64_t least_lines = 64;

// --- gather, scatter (ops/indexing) ---

// The number of bytes that a thread moves at a time.
inline constexpr int64_t moved_bytes = 64 * KiB;
// The least size in bytes of a result whose tiles threads share. Each tile needs its own view.
inline constexpr int64_t shared_tiles_bytes = 2 * MiB;
// The least number of offsets for which threads share the check that all offsets are valid, and the number of offsets
// that one task checks.
inline constexpr int64_t shared_offsets = 65536;
inline constexpr int64_t offsets_of_task = 32768;
// The number of entries of the largest table of offsets. The code does not store larger tables and computes their
// offsets again for every outer position, because the computation takes less time than reads from memory.
inline constexpr int64_t largest_table = 65536;
// The least length of a row of positions that the code looks up by itself. The code looks up shorter rows together with
// their neighbours.
inline constexpr int64_t long_index_row = 32;
// The greatest size in bytes of a few rows that are gathered or scattered without the preparations of a walk.
inline constexpr int64_t few_rows_bytes = 64 * KiB;
// The thread that updates a target of at most this size also copies the target, so that the target is in the thread's
// L2 cache.
inline constexpr int64_t cached_target = 512 * KiB;
// The least number of updates, and the least size of the target in bytes, for which updates of single elements are
// grouped by block of the target. A block fits in a part of the L2 cache. A block is larger only if the target would
// otherwise have more blocks than most_update_blocks. The streams of more blocks would not fit the cache.
inline constexpr int64_t grouped_updates = 1024 * 1024;
inline constexpr int64_t grouped_target = 16 * MiB;
inline constexpr int64_t update_block = 256 * KiB;
inline constexpr int64_t most_update_blocks = 1024;

// --- decision trees (ops/trees) ---

// The work of a row's path from a root to a leaf, as moved bytes. The path takes some 25 ns.
inline constexpr int64_t tree_visit = 640;
// The number of rows that a thread evaluates together, tree by tree. A tree's nodes then stay in the L1 cache. If a
// matrix has at most this number of rows, threads share the trees.
inline constexpr int64_t tree_rows = 32;

// --- sorting (ops/sort) ---

// The number of keys below which one call of the kernel sorts the keys.
inline constexpr int64_t many_keys = 65536;
// The least number of keys for each thread for which another thread saves time.
inline constexpr int64_t keys_of_thread = 16384;
// The number of keys of a tile. The keys of a tile stay in the L1 cache.
inline constexpr int64_t key_tile = 2048;
// The least number of elements of one byte, and of two bytes, for which the code counts elements instead of sorting the
// elements. For fewer elements, the sort is faster.
inline constexpr int64_t counted_bytes = 256;
inline constexpr int64_t counted_halves = 262144;
// The least number of two-byte elements for which `unique` counts bit patterns, and the least number of one-byte
// elements whose order the code finds by counting. A sort of fewer elements takes less time than a pass through a table
// of all bit patterns.
inline constexpr int64_t counted_distinct_halves = 4096;
inline constexpr int64_t counted_order = 512;
// The greatest number of equal keys whose indices are sorted by an insertion sort.
inline constexpr int64_t short_run = 16;
// The number of keys that the code can compute in advance in the time of one search that computes its keys on demand.
inline constexpr int64_t single_search = 64;

// --- values on lines (ops/interpolate/lines.cpp) ---

// The work of finding the value at one element, as moved bytes.
inline constexpr int64_t bytes_per_line = 64;
// A walk from the line of the previous element is faster than bisection if the wanted line is at most lines_ahead
// points further on.
inline constexpr int64_t lines_ahead = 4;
// If walks fail repeatedly, the code tries a walk only for one group of elements among groups_per_walk groups.
inline constexpr int64_t groups_per_walk = 16;

// --- random numbers (ops/random) ---

// A task computes random_piece elements of a distribution, draws_of_task draws of one row of classes, or several rows
// that together consist of at most classes_of_task classes.
inline constexpr int64_t random_piece = 1 << 15;
inline constexpr int64_t draws_of_task = 1 << 13;
inline constexpr int64_t classes_of_task = 1 << 15;

// --- Fourier transforms (ops/fft) ---

// The greatest size in bytes of the real parts of a column that is transformed in a block of columns. The real and the
// imaginary parts of the block stay in the L2 cache. Columns that are copied with strides may be longer.
inline constexpr int64_t transformed_block = 16 * KiB;
inline constexpr int64_t strided_block = 64 * KiB;
// If the real parts of a line have at most this number of bytes, the line is transformed as a whole, because its
// intermediate results stay in the L2 cache.
inline constexpr int64_t transformed_line = 128 * KiB;
// Lines shorter than shortest_line are transformed as columns of a block. Longer lines are transformed as columns of a
// block only if the number of lines is at least fewest_columns.
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
// The number of results in a task if a row is long. An axis of more than long_axis results has no table if there are
// fewer than few_long_rows rows. The code then computes each entry when the code needs the entry.
inline constexpr int64_t row_piece = 1 << 15;
inline constexpr int64_t long_axis = 1 << 15;
inline constexpr int64_t few_long_rows = 4;
// The greatest number of entries of an interpolation table that one task computes.
inline constexpr int64_t table_piece = 8192;

// --- convolutions (ops/convolve) ---

// The number of multiply-adds that make a task of several images and groups.
inline constexpr int64_t convolution_task = 1 << 17;
// The least number of multiply-adds of one image and group for which threads share the product.
inline constexpr int64_t shared_convolution = 1 << 20;
// The least number of positions of a result for which the code packs the weights. The product with each panel of
// patches reads every weight once.
inline constexpr int64_t packed_places = 256;
// The size in bytes of the panels that a thread packs before it multiplies the panels, if all weights meanwhile stay in
// the L2 cache.
inline constexpr int64_t patch_panels_bytes = 48 * KiB;
// The greatest number of channels of a group, and the greatest number of terms of a sum, for which results are summed
// directly from the image. If a convolution exceeds both limits, the code packs panels of patches. The packing takes
// the same time for any number of channels. On Zen 3, direct sums take 0.6 times as long as panels for 16 channels, 0.9
// times as long for 64 channels, and 0.3 times as long for 128 channels and 9 terms.
//
// Kernels of one element have lower limits, because the panels of these kernels take less time. With stride 1, patches
// of these kernels need no packing. Panels then take 0.8 times as long as direct sums for 24 or 32 channels, and 1.1
// times as long for 16 channels. With larger strides, the code copies fewer elements to panels. Panels then take 0.4
// times as long as direct sums for 24 channels, and 1.2 times as long for 3 channels.
inline constexpr int64_t direct_channels = 64;
inline constexpr int64_t direct_terms = 64;
inline constexpr int64_t direct_read_channels = 16;
inline constexpr int64_t direct_strided_channels = 4;
// The size in bytes of the part of an image that is copied for direct sums. This part stays in the L2 cache with the
// weights. Sums over parts of 128 KiB take 1.1 times as long as sums over parts of 64 KiB, and sums over parts of 256
// KiB take 1.2 times as long. A part has at least direct_least_rows rows of results, or all rows of the result. If a
// part would have fewer rows, the code makes the part narrower, in steps of direct_columns columns.
inline constexpr int64_t direct_bytes = 64 * KiB;
inline constexpr int64_t direct_least_rows = 4;
inline constexpr int64_t direct_columns = 32;
// All copies for direct sums together may be padded_growth times as large as the image and its result. For sums of more
// than padded_growth * terms_like_copy terms, the copies may be terms / terms_like_copy times as large.
inline constexpr int64_t padded_growth = 2;
inline constexpr int64_t terms_like_copy = 32;
// The size in bytes of the channels that are read at a time for all results of a part for direct sums. These channels
// stay in the L1 cache.
inline constexpr int64_t direct_rows_bytes = 16 * KiB;
// The greatest number of channels of a group for which each channel is computed separately.
inline constexpr int64_t single_channels = 3;
// The code copies an image with at least blocked_channels channels in blocks whose channels are neighbours. The result
// must have at least twice as many channels, and each sum must have at least blocked_terms terms. On Zen 3, sums from
// blocks take 0.7 to 0.9 times as long as direct sums or panels. With 3 channels and 147 terms, sums from blocks would
// take 1.2 times as long as the other methods. A block has at most strip_terms terms, so that its weights for a strip
// stay in the L1 cache.
inline constexpr int64_t blocked_channels = 8;
inline constexpr int64_t blocked_terms = 128;
inline constexpr int64_t strip_terms = 320;
// The least number of positions of a result for which sums from blocks read a weight that a model has packed. For 25 to
// 196 positions on Zen 5, sums from blocks take 0.3 to 0.98 times as long as products with the unpacked weight. The
// range includes AVX-512 and AVX2, except 1 x 1 kernels of stride 2 on AVX2, which take 1.07 times as long.
inline constexpr int64_t blocked_places = 17;
// The sizes of a piece, which is the part of a result that is computed from one copy of blocks. The first three sizes
// are the positions of a piece, the least number of rows of a piece, and the greatest number of columns of a piece if
// the result has more than piece_rows rows. The last two sizes are the bytes of the sums of all strips that are
// computed together, and the bytes of a copy. The sums and the copy stay in the L2 cache.
inline constexpr int64_t piece_places = 384;
inline constexpr int64_t piece_rows = 4;
inline constexpr int64_t piece_columns = 64;
inline constexpr int64_t piece_sums_bytes = 192 * KiB;
inline constexpr int64_t piece_bytes = 128 * KiB;
// The least size in bytes of an image whose next elements are prefetched while a piece is computed. On Zen 5, a
// convolution of 128 channels of 901 x 161 elements takes 0.97 times as long with prefetches as without. Convolutions
// of smaller images take 1.02 times as long with prefetches as without.
inline constexpr int64_t fetched_image_bytes = 4 * MiB;
// If each thread has at least this number of pieces, a piece that is left over at the end hardly delays the
// convolution.
inline constexpr int64_t pieces_per_thread = 16;
// The greatest number of terms and the greatest number of channels for which sums of 8-bit integers are computed in
// float32.
inline constexpr int64_t direct_byte_terms = 256;
inline constexpr int64_t direct_byte_channels = 4;
// The greatest number of positions of a result for which each position's patch is a vector that the matrix of weights
// multiplies.
inline constexpr int64_t places_by_vectors = 2;

// --- pooling and sampling (ops/pool, ops/sample) ---

// A row that is padded and spread for its windows is at most padded_row_times times as long as its elements and results
// together. If the padded row would be longer, the kernel visits the elements of each window one by one.
inline constexpr int64_t padded_row_times = 4;
// The size in bytes of the places and weights of points that are sampled together. These places and weights stay in the
// L1 cache for all channels.
inline constexpr int64_t sampled_table = 16 * KiB;
// The greatest number of results of a row that the kernel computes before the kernel moves to the next row. The windows
// of these results stay in the L1 cache.
inline constexpr int64_t pooled_row = 4096;
// The work of reading an element at any position, and the work of comparing two boxes, as moved bytes.
inline constexpr int64_t bytes_per_tap = 8;
inline constexpr int64_t bytes_per_box = 16;

// --- sparse tensors (ops/sparse) ---

// The greatest number of threads that distribute elements into buckets. Each thread has a table of all buckets.
inline constexpr int64_t most_distributors = 16;
// The greatest number of products for which the result has memory for one element for each product. For more products,
// the code first counts the columns of the result.
inline constexpr int64_t roomy_products = 4 * MiB;

// --- products and factorisations (ops/product, ops/linalg) ---

// Three numbers of multiply-adds:
// - product_task multiply-adds make a task.
// - All products together are brief work for several threads if they together have less than brief_product
//   multiply-adds.
// - Our own kernels divide a single product of at least shared_product multiply-adds among threads.
inline constexpr int64_t product_task = 1 << 17;
inline constexpr int64_t brief_product = 1 << 24;
inline constexpr int64_t shared_product = 1 << 26;
// Returns the greatest number of tiles of a product with `work` multiply-adds. A BLAS library packs the operands again
// for each tile. On one thread, a product of 256 x 256 takes 1.11 times as long in eight tiles as in one piece, and
// 1.05 times as long in four tiles.
inline constexpr int64_t product_tiles(int64_t work, bool by_library) {
  if (!by_library) return std::min<int64_t>(work / product_task, work < (int64_t{1} << 29) ? 8 : 16);
  if (work < (int64_t{1} << 25)) return std::min<int64_t>(work >> 20, 2);
  return work < (int64_t{1} << 28) ? 4 : work < (int64_t{1} << 31) ? 8 : 16;
}
// The fixed cost of a call of a product, in multiply-adds.
inline constexpr int64_t product_call = 1024;
// Two sizes of products with a vector. vector_product_bytes bytes of the matrix make a task, and column_stripe is the
// least contiguous part of a column that a thread takes.
inline constexpr int64_t vector_product_bytes = 64 * KiB;
inline constexpr int64_t column_stripe = 256;
// thin_rows is the greatest number of rows whose product with a matrix of floating elements, or of packed codes, reads
// the matrix only once. thin_matrix is the least size in bytes of such a matrix of elements. Other kernels may read
// smaller matrices more often, because caches hold smaller matrices.
inline constexpr int64_t thin_rows = 16;
inline constexpr int64_t thin_matrix = 256 * KiB;
// If our kernels compute all products, products of more rows of floating elements also read the matrix in place
// (measured on Zen 5). Such a product has up to many_thin_rows rows if lines are contiguous or no cache holds the
// matrix, and up to some_thin_rows rows if columns are contiguous. Each sum must have at least thin_terms_of_lines or
// thin_terms_of_columns terms. If the matrix has 4096 lines of 4096 float32 numbers, products in place take 0.4 times
// as long as packed products for 17 rows, and 0.7 times as long for 64 rows. If the matrix has contiguous columns and
// is in a cache, products of 64 rows in place would take 1.1 to 1.3 times as long as packed products.
inline constexpr int64_t some_thin_rows = 32;
inline constexpr int64_t many_thin_rows = 64;
inline constexpr int64_t thin_terms_of_lines = 128;
inline constexpr int64_t thin_terms_of_columns = 512;
// The least number of chunks of an inner product that threads share.
inline constexpr int64_t shared_chunks = 3;
// Products with packed panels of B take less time if A has more than packed_rows rows. A matrix B of at most
// unpacked_bytes bytes needs no packing.
inline constexpr int64_t packed_rows = 32;
inline constexpr int64_t unpacked_bytes = 64 * KiB;
// Three sizes of products that threads share:
// - shared_panel_rows returns the number of rows of B that are handled at a time.
// - shared_panels_bytes is the size of the panels that are packed from these rows.
// - slice_bytes returns the size of a packed slice of A, which stays in the L2 cache during the products with all
//   panels.
//
// With more rows, C is read and written less often. But on cores that multiply two of the widest vectors in each cycle,
// a panel must stay in the L1 cache. On an Intel core with AVX-512, 1024 rows take 1.2 times as long as 256 rows.
// Slices of 384 KiB take 1.05 times as long as slices of 192 KiB.
inline int64_t shared_panel_rows() { return cpu_maker() == Maker::amd ? 1024 : 256; }
inline constexpr int64_t shared_panels_bytes = 4 * MiB;
inline int64_t slice_bytes() { return (cpu_maker() == Maker::amd ? 384 : 192) * KiB; }
// The least number of elements of a stored matrix that the code packs once for all its products.
inline constexpr int64_t packed_matrix = 1 << 14;
// Two sizes for a matrix in panels. One task copies panel_copy_bytes bytes. The kernel computes the sums of panel_depth
// rows of a panel at a time, and these rows stay in the L1 cache for all rows of A.
inline constexpr int64_t panel_copy_bytes = 256 * KiB;
inline constexpr int64_t panel_depth = 512;
// The sizes for bfloat16:
// - Products of at least packed_bfloat16 multiply-adds take less time with packed operands.
// - Products of at least shared_bfloat16 multiply-adds take less time on several threads.
// - least_bfloat16_rows and least_bfloat16_columns are the least rows and columns of a product by these kernels.
// - In a batch of at least whole_bfloat16_products products, each product stays on one thread.
inline constexpr double packed_bfloat16 = 0x1p14;
inline constexpr double shared_bfloat16 = 0x1p20;
inline constexpr int64_t least_bfloat16_rows = 6;
inline constexpr int64_t least_bfloat16_columns = 16;
inline constexpr int64_t whole_bfloat16_products = 16;
// Rows whose distance is a multiple of this number of bytes displace one another from the caches.
inline constexpr int64_t same_cache_set = 4 * KiB;
// The sizes for products of 8-bit integers that wrap in their own type. Kernels that sum pairs take less time than the
// other kernels in two cases:
// - The product has more than few_byte_rows rows, at least least_byte_columns columns, and at least packed_bytes
//   multiply-adds.
// - The product has from 2 to few_byte_rows rows, and the other matrix has at least large_byte_matrix bytes, which
//   exceed an L2 cache.
//
// On Zen 3, the ratio of the time of kernels that sum pairs to the time of the other kernels is:
// - 0.5 for a product of 64 x 64 x 64, and 2 for a product of 32 x 32 x 32.
// - 0.3 for a product of 4 rows and a matrix of 4096 x 4096, and 3 for a product of 4 rows and a matrix of 256 x 256.
inline constexpr double packed_bytes = 0x1p18;
inline constexpr int64_t least_byte_columns = 16;
inline constexpr int64_t few_byte_rows = 4;
inline constexpr double large_byte_matrix = 0x1p21;
// The least number of multiply-adds of a product of 8-bit integers that threads share.
inline constexpr double shared_bytes = 0x1p20;
// The sizes for products of a few rows of 8-bit integers. few_row_columns is the least number of columns of B that a
// thread handles. most_row_sums is the greatest number of sums that a thread computes together, so that these sums stay
// in the cache. Fewer than least_sum_rows rows count as least_sum_rows rows. The processor prefetches better if the
// part of each line is longer. A product in parts of 4096 columns takes 0.6 times as long as in parts of 1024 columns.
inline constexpr int64_t few_row_columns = 256;
inline constexpr int64_t most_row_sums = 16384;
inline constexpr int64_t least_sum_rows = 4;

// The sizes for factorisations:
// - factorisation_task operations on matrices of a batch make a task.
// - A factorisation of a single matrix in at least shared_factorisation operations takes less time on all threads of
//   the BLAS library.
// - Each matrix of a batch stays on one thread if the matrix has less than whole_matrix elements and the factorisation
//   has less than whole_factorisation operations.
// - In a batch of at least whole_matrices matrices, each matrix stays on one thread.
inline constexpr double factorisation_task = 0x1p19;
inline constexpr double shared_factorisation = 0x1p21;
inline constexpr int64_t whole_matrix = 1 << 17;
inline constexpr double whole_factorisation = 0x1p32;
inline constexpr int64_t whole_matrices = 16;
// The least number of operations on small matrices, in the lanes of vectors, for which threads share the matrices.
inline constexpr int64_t shared_small_matrices = 1 << 18;
// The least number of rows and of columns of a matrix that is factorised by panels, and the greatest ratio of the
// matrix's height to its width. For a taller matrix, most of the work would be in the panels.
inline constexpr int64_t least_panel_rank = 192;
inline constexpr int64_t tallest_panels = 32;
// The least number of right-hand sides for which solutions by panels take less time than solutions by LAPACK.
inline constexpr int64_t panel_sides = 2;

// The choice between our kernels and the BLAS library. own_product returns the greatest number of multiply-adds of a
// product that our kernels compute. Our kernels compute every product of at most own_smallest_product multiply-adds, so
// such a product does not load the BLAS library. `wide` is true if the kernels use the widest registers (AVX-512). A
// call of a BLAS library also checks the arguments and packs the operands. Our kernels are therefore faster up to an
// order of a few tens, which is `small_order` of the loaded BLAS library. Beyond this order, own_product chooses our
// kernels only on AMD's and Intel's processors with AVX-512. Measurements show that our kernels are faster on these
// processors on the whole (docs/results/own-or-library.md). On all other processors, the BLAS library computes such
// products.
inline constexpr int64_t own_smallest_product = 32 * 32 * 32;
inline bool owns_products(bool wide) { return wide && cpu_maker() != Maker::other; }
inline int64_t own_product(bool wide, int64_t small_order) {
  if (owns_products(wide)) return INT64_MAX;
  return small_order * small_order * small_order;
}
// Returns true if our kernels compute LU and Cholesky factors by panels. Most of the work for these factors is matrix
// products. LAPACK always computes QR, SVD and eigenvalues of matrices that are not small.
inline bool own_factors(bool wide) { return owns_products(wide); }

}  // namespace suanzi::costs
