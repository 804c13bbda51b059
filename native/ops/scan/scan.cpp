#include "ops/scan/scan.h"

#include <algorithm>
#include <cmath>

#include "kernels/kernel.h"
#include "ops/reduce/reduce.h"
#include "ops/scan/scan.kernels.h"
#include "runtime/share.h"
#include "walk/copy.h"
#include "walk/iteration.h"
#include "walk/staging.h"

namespace suanzi {
namespace {

using walk::Cursor;
using walk::Path;
using walk::View;

// The number of elements of a line that are scanned at once.
constexpr int64_t chunk_elements = 4096;
// The number of lines side by side that are scanned at once, if the fastest dimension is not scanned.
constexpr int64_t piece_elements = 1024;

// Returns the type that kernels scan if the results have the type t.
DType scanned_as(DType t) {
  if (is_half(t)) return DType::float64;
  return t == DType::complex64 ? DType::complex128 : t;
}

// Returns a view of the elements [begin, end) along an axis.
Tensor range(const Tensor& x, int axis, int64_t begin, int64_t end) {
  Dims shape = x.shape;
  shape[axis] = end - begin;
  return make_view(x, shape, x.strides, begin * x.strides[axis]);
}

Tensor reversed(const Tensor& x, int axis) {
  if (x.shape[axis] == 0) return x;
  Dims strides = x.strides;
  strides[axis] = -strides[axis];
  return make_view(x, x.shape, strides, (x.shape[axis] - 1) * x.strides[axis]);
}

// Converts the elements of one operand to the form that kernels scan, and back. Tiles hold copies of elements that are
// not contiguous, or do not have the kernels' type.
class Gate {
 public:
  Gate(int element_size, Kernel convert) : size_(element_size), convert_(convert) {}

  // Returns the number of bytes of scratch memory for n elements.
  static int64_t bytes(int64_t n) { return 2 * 16 * n; }

  const void* load(std::byte* scratch, const std::byte* base, const Path& path, int64_t start, int64_t n) const {
    const std::byte* elements = walk::in_place(const_cast<std::byte*>(base), path, size_, start, n);
    if (!elements) {
      walk::gather(scratch, base, path, size_, start, n);
      elements = scratch;
    }
    if (!convert_) return elements;
    const void* source = elements;
    convert_(scratch + 16 * n, &source, n, {});
    return scratch + 16 * n;
  }

  // Returns the memory into which the kernel may write the n elements [start, start + n) of the path.
  void* target(std::byte* scratch, std::byte* base, const Path& path, int64_t start, int64_t n) const {
    std::byte* const elements = convert_ ? nullptr : walk::in_place(base, path, size_, start, n);
    return elements ? elements : scratch;
  }
  // Stores the n elements [start, start + n) of the path, which the kernel has written into the memory `from`. Copies
  // nothing if target() returned the place of the elements in the tensor.
  void store(std::byte* scratch, std::byte* base, const Path& path, int64_t start, int64_t n, const void* from) const {
    if (from != scratch) return;
    std::byte* elements = scratch;
    if (convert_) {
      const void* source = scratch;
      elements = scratch + 16 * n;
      convert_(elements, &source, n, {});
    }
    walk::scatter(base, elements, path, size_, start, n);
  }

 private:
  int size_;
  Kernel convert_;
};

// Scans one tensor into another tensor of the same shape.
class Scanner {
 public:
  Scanner(const char* name, Scan op, const Tensor& source, const Tensor& target, int axis);
  void run() const;

 private:
  // The first element of a line along the axis in each operand.
  struct Line {
    std::byte* from;
    std::byte* to;
  };

  bool along_memory() const;
  void chunk(std::byte* scratch, const Line& line, int64_t start, std::byte* carry) const;
  void scan_line(std::byte* scratch, const Line& line) const;
  void scan_line_together(const Line& line) const;
  void scan_lines() const;
  void scan_piece(std::byte* scratch, int64_t start, int64_t n) const;
  void scan_pieces() const;
  Tensor make_scratch(int64_t n) const { return make_empty(name_, {2 * Gate::bytes(n)}, DType::uint8); }
  int64_t bytes() const { return source_.nbytes() + target_.nbytes(); }
  bool small() const { return !is_shared(bytes()); }

  const char* name_;
  const Tensor& source_;
  const Tensor& target_;
  int64_t length_;
  const bool may_leave_range_;  // true if some folds of elements may leave the range of float64
  const ScanKernels& kernels_;
  Gate in_, out_;
  Path kept_from_, kept_to_;  // the first elements of the lines
  Path from_, to_;            // the elements of one line
};

Scanner::Scanner(const char* name, Scan op, const Tensor& source, const Tensor& target, int axis)
    : name_(name),
      source_(source),
      target_(target),
      length_(source.shape[axis]),
      may_leave_range_(!is_integer(target.dtype) && kind(target.dtype) != Kind::boolean &&
                       (op == Scan::prod || target.dtype != DType::float32)),
      kernels_(kernels().scan->of[static_cast<int>(op)][static_cast<int>(scanned_as(target.dtype))]),
      in_(size_of(source.dtype), converter(source.dtype, scanned_as(target.dtype))),
      out_(size_of(target.dtype), converter(scanned_as(target.dtype), target.dtype)) {
  Dims kept_shape, from_strides, to_strides;
  for (int i = 0; i < source.rank(); ++i) {
    if (i == axis) continue;
    kept_shape.push_back(source.shape[i]);
    from_strides.push_back(source.strides[i]);
    to_strides.push_back(target.strides[i]);
  }
  const View from{source.data, source.dtype, from_strides}, to{target.data, target.dtype, to_strides};
  const Dims order = walk::walking_order(kept_shape, from);
  kept_from_ = walk::make_path(kept_shape, order, from);
  kept_to_ = walk::make_path(kept_shape, order, to);
  from_ = Path{{length_}, {source.strides[axis] * size_of(source.dtype)}};
  to_ = Path{{length_}, {target.strides[axis] * size_of(target.dtype)}};
}

bool Scanner::along_memory() const {
  return kept_from_.sizes.empty() || std::abs(from_.steps[0]) <= std::abs(kept_from_.steps[0]);
}

void Scanner::chunk(std::byte* scratch, const Line& line, int64_t start, std::byte* carry) const {
  const int64_t n = std::min(chunk_elements, length_ - start);
  std::byte* const out_scratch = scratch + Gate::bytes(n);
  const void* const source = in_.load(scratch, line.from, from_, start, n);
  void* const target = out_.target(out_scratch, line.to, to_, start, n);
  kernels_.along(target, source, n, carry);
  out_.store(out_scratch, line.to, to_, start, n, target);
}

void Scanner::scan_line(std::byte* scratch, const Line& line) const {
  alignas(16) std::byte carry[carry_bytes];
  kernels_.start(carry);
  for (int64_t start = 0; start < length_; start += chunk_elements) chunk(scratch, line, start, carry);
}

// Scans one line with all threads. The threads first compute the totals of the line's chunks. Then one thread computes
// the prefixes of the totals. Then the threads scan the chunks. If a total does not determine the next carry, one
// thread scans the line.
void Scanner::scan_line_together(const Line& line) const {
  const int64_t chunks = (length_ + chunk_elements - 1) / chunk_elements;
  const Tensor carries = make_empty(name_, {chunks * carry_bytes}, DType::uint8);
  const auto in_pieces = [&](auto&& body) {
    share(bytes(), chunks, [&](int64_t first, int64_t last) {
      const Tensor scratch = make_scratch(chunk_elements);
      for (int64_t c = first; c < last; ++c) body(scratch.data, c * chunk_elements, carries.data + c * carry_bytes);
    });
  };
  in_pieces([&](std::byte* scratch, int64_t start, std::byte* total) {
    const int64_t n = std::min(chunk_elements, length_ - start);
    kernels_.total(total, in_.load(scratch, line.from, from_, start, n), n);
  });
  alignas(16) std::byte carry[carry_bytes], total[carry_bytes];
  kernels_.start(carry);
  for (int64_t c = 0; c < chunks; ++c) {
    std::copy_n(carries.data + c * carry_bytes, carry_bytes, total);
    if (may_leave_range_ && std::isnan(*reinterpret_cast<const double*>(total)))
      return scan_line(make_scratch(chunk_elements).data, line);
    std::copy_n(carry, carry_bytes, carries.data + c * carry_bytes);
    kernels_.advance(carry, total);
  }
  in_pieces([&](std::byte* scratch, int64_t start, std::byte* before) { chunk(scratch, line, start, before); });
}

void Scanner::scan_lines() const {
  const int64_t lines = source_.size / length_;
  const bool few = lines < num_threads() && bytes() / lines >= costs::shared_line_bytes;
  if (few) {
    Cursor from(kept_from_, 0), to(kept_to_, 0);
    for (int64_t i = 0; i < lines; ++i, from.advance(1), to.advance(1))
      scan_line_together({source_.data + from.offset(), target_.data + to.offset()});
    return;
  }
  share(bytes(), lines, [&](int64_t first, int64_t last) {
    const Tensor scratch = make_scratch(std::min(length_, chunk_elements));
    Cursor from(kept_from_, first), to(kept_to_, first);
    for (int64_t i = first; i < last; ++i, from.advance(1), to.advance(1))
      scan_line(scratch.data, {source_.data + from.offset(), target_.data + to.offset()});
  });
}

// Scans the lines [start, start + n) side by side.
void Scanner::scan_piece(std::byte* scratch, int64_t start, int64_t n) const {
  std::byte* const out_scratch = scratch + Gate::bytes(n);
  std::byte* const carries = out_scratch + Gate::bytes(n);
  for (int64_t i = 0; i < length_; ++i) {
    const void* const source = in_.load(scratch, source_.data + i * from_.steps[0], kept_from_, start, n);
    std::byte* const base = target_.data + i * to_.steps[0];
    void* const target = out_.target(out_scratch, base, kept_to_, start, n);
    kernels_.across(target, source, n, carries, i == 0);
    out_.store(out_scratch, base, kept_to_, start, n, target);
  }
}

void Scanner::scan_pieces() const {
  const int64_t lines = source_.size / length_, row = kept_from_.sizes[0];
  // Lines do not depend on each other, so the number of lines side by side does not change the results.
  const int64_t shared = small() ? row : std::max(costs::least_lines, row / (2 * num_threads()));
  const int64_t piece = std::min({row, shared, piece_elements});
  const int64_t pieces_per_row = (row + piece - 1) / piece, pieces = lines / row * pieces_per_row;
  share(bytes(), pieces, [&](int64_t first, int64_t last) {
    const Tensor scratch = make_empty(name_, {2 * Gate::bytes(piece) + carry_bytes * piece}, DType::uint8);
    for (int64_t p = first; p < last; ++p) {
      const int64_t begin = p % pieces_per_row * piece;
      scan_piece(scratch.data, p / pieces_per_row * row + begin, std::min(piece, row - begin));
    }
  });
}

void Scanner::run() const {
  if (source_.size == 0) return;
  if (along_memory()) {
    scan_lines();
  } else {
    scan_pieces();
  }
}

DType result_type(const Tensor& x, std::optional<DType> dtype) {
  const bool keeps = is_floating(x.dtype) || is_complex(x.dtype);
  return dtype.value_or(keeps ? x.dtype : accumulator_type(Reduction::sum, x.dtype));
}

}  // namespace

Tensor scan(const char* name, Scan op, const Tensor& operand, const ScanOptions& options) {
  check_alive(name, operand);
  if (options.exclusive && options.include_initial)
    fail(Status::invalid_argument, name, ": exclusive and include_initial cannot both be True");
  const DType type = result_type(operand, options.dtype);
  if (operand.dtype == DType::string || type == DType::string)
    fail(Status::type_mismatch, name, ": element type string is not a number");
  // This call fails if the cast does not exist.
  stage_as(name, operand, type);
  const int axis = options.axis ? checked_axis(name, *options.axis, operand.rank()) : 0;
  Tensor x = options.axis ? operand : reshape(name, operand, {operand.size});
  // The code first converts elements to the result's type, and then to the kernels' type.
  if (x.dtype != type && scanned_as(type) != type) x = cast(name, x, type);

  Dims shape = x.shape;
  if (options.include_initial) ++shape[axis];
  const Tensor result = make_empty_like(name, shape, type, x);
  Tensor source = x, target = result;
  if (options.reverse) {
    source = reversed(source, axis);
    target = reversed(target, axis);
  }
  if ((options.exclusive || options.include_initial) && shape[axis] > 0) {
    fill(name, range(target, axis, 0, 1), Scalar::of(int64_t{op == Scan::prod}));
    target = range(target, axis, 1, shape[axis]);
    source = range(source, axis, 0, target.shape[axis]);
  }
  Scanner(name, op, source, target, axis).run();
  return result;
}

}  // namespace suanzi
