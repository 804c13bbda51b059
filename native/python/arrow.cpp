// Converts tensors to Arrow arrays and back by the Arrow C data interface. A tensor and an array share memory if they
// have the same bytes. Arrow packs eight truth values into a byte and joins strings, so the functions copy truth values
// and strings.
#include "python/arrow.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "python/arguments.h"
#include "python/bindings.h"
#include "tensor/text.h"
#include "walk/copy.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

template <class Structure>
Structure& structure_in(const char* op, nb::handle capsule) {
  constexpr const char* name = capsule_name<Structure>;
  if (!PyCapsule_IsValid(capsule.ptr(), name))
    fail(Status::type_mismatch, op, ": the object does not hold a capsule ", name);
  auto& found = *static_cast<Structure*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (!found.release) fail(Status::invalid_argument, op, ": the capsule ", name, " has already been used");
  return found;
}

// Returns a capsule that owns a structure. The capsule releases the structure unless a consumer has taken ownership of
// the structure.
template <class Structure>
nb::object capsule_of(std::unique_ptr<Owned<Structure>> owned) {
  static_assert(offsetof(Owned<Structure>, held) == 0);
  nb::object capsule = nb::steal(PyCapsule_New(&owned->held, capsule_name<Structure>, [](PyObject* dead) {
    void* const held = PyCapsule_GetPointer(dead, capsule_name<Structure>);
    const std::unique_ptr<Owned<Structure>> owned(static_cast<Owned<Structure>*>(held));
  }));
  if (!capsule.is_valid()) throw PythonErrorSet{};
  // The capsule owns the structure.
  owned.release();
  return capsule;
}

// --- element types ---

struct Format {
  DType dtype;
  const char* text;
};
constexpr Format formats[] = {
    {DType::boolean, "b"}, {DType::int8, "c"},    {DType::uint8, "C"},  {DType::int16, "s"},  {DType::uint16, "S"},
    {DType::int32, "i"},   {DType::uint32, "I"},  {DType::int64, "l"},  {DType::uint64, "L"}, {DType::float16, "e"},
    {DType::float32, "f"}, {DType::float64, "g"}, {DType::string, "U"},
};

const char* format_of(const char* op, DType dtype) {
  for (const Format& format : formats)
    if (format.dtype == dtype) return format.text;
  fail(Status::type_mismatch, op, ": Arrow has no element type ", name(dtype));
}

// --- a tensor as an array ---

// The parts of an exported schema or array, one for each dimension. The innermost part holds the elements.
struct SchemaPart {
  std::string format;
  ArrowSchema child{};
  ArrowSchema* children[1] = {&child};
};
struct ArrayPart {
  StoragePtr elements, offsets;
  // Without a bitmap, no element is null.
  const void* buffers[3] = {nullptr, nullptr, nullptr};
  ArrowArray child{};
  ArrowArray* children[1] = {&child};
};

template <class Structure, class Part>
void release_part(Structure* structure) {
  const std::unique_ptr<Part> part(static_cast<Part*>(structure->private_data));
  // A consumer may have moved the child away.
  if (part->child.release) part->child.release(&part->child);
  structure->release = nullptr;
}

void describe(ArrowSchema& out, const char* element_format, const Dims& shape, int axis) {
  auto part = std::make_unique<SchemaPart>();
  const bool is_list = axis + 1 < shape.size();
  // Most producers set this flag, even if no element is null.
  constexpr int64_t nullable = 2;
  part->format = is_list ? "+w:" + std::to_string(shape[axis + 1]) : element_format;
  if (is_list) describe(part->child, element_format, shape, axis + 1);
  out = {part->format.c_str(),
         axis ? "item" : "",
         nullptr,
         nullable,
         is_list ? 1 : 0,
         part->children,
         nullptr,
         release_part<ArrowSchema, SchemaPart>,
         part.get()};
  // release_part deletes the part.
  part.release();
}

// Returns the truth values of x, packed into bits with the least significant bit first.
StoragePtr bits_of(const Tensor& x) {
  const StoragePtr bits = StoragePtr::allocate(static_cast<size_t>(x.size + 7) / 8);
  const auto* const values = reinterpret_cast<const uint8_t*>(x.data);
  const std::span bytes(reinterpret_cast<uint8_t*>(bits->data()), bits->bytes());
  std::ranges::fill(bytes, uint8_t{0});
  for (int64_t i = 0; i < x.size; ++i) bytes[i / 8] |= static_cast<uint8_t>((values[i] != 0) << i % 8);
  return bits;
}

// Writes the strings of x one after the other to the part, and writes the offset at which each string begins.
template <class Offset>
void join(ArrayPart& part, const Tensor& x) {
  const std::span texts(x.as<Text>(), static_cast<size_t>(x.size));
  int64_t total = 0;
  for (const Text& text : texts) total += text.length;
  part.offsets = StoragePtr::allocate((texts.size() + 1) * sizeof(Offset));
  part.elements = StoragePtr::allocate(static_cast<size_t>(total));
  auto* const offsets = reinterpret_cast<Offset*>(part.offsets->data());
  auto* const bytes = reinterpret_cast<char*>(part.elements->data());
  int64_t end = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    offsets[i] = static_cast<Offset>(end);
    if (texts[i].length) std::memcpy(bytes + end, texts[i].data, static_cast<size_t>(texts[i].length));
    end += texts[i].length;
  }
  offsets[texts.size()] = static_cast<Offset>(end);
}

// Returns true if offsets of 32 bits are large enough for the joined strings of x.
bool is_short(const Tensor& x) {
  int64_t total = 0;
  for (const Text& text : std::span(x.as<Text>(), static_cast<size_t>(x.size))) total += text.length;
  return total <= std::numeric_limits<int32_t>::max();
}

void export_elements(ArrayPart& part, const Tensor& x, bool short_offsets) {
  if (x.dtype == DType::string) {
    short_offsets ? join<int32_t>(part, x) : join<int64_t>(part, x);
    part.buffers[1] = part.offsets->data();
    part.buffers[2] = part.elements->data();
  } else if (x.dtype == DType::boolean) {
    part.elements = bits_of(x);
    part.buffers[1] = part.elements->data();
  } else {
    part.elements = x.storage;
    part.buffers[1] = x.data;
  }
}

void export_array(ArrowArray& out, const Tensor& x, bool short_offsets, int axis, int64_t length) {
  auto part = std::make_unique<ArrayPart>();
  const bool is_list = axis + 1 < x.rank();
  if (is_list)
    export_array(part->child, x, short_offsets, axis + 1, length * x.shape[axis + 1]);
  else
    export_elements(*part, x, short_offsets);
  out = {length,
         0,
         0,
         is_list                    ? 1
         : x.dtype == DType::string ? 3
                                    : 2,
         is_list ? 1 : 0,
         part->buffers,
         part->children,
         nullptr,
         release_part<ArrowArray, ArrayPart>,
         part.get()};
  // release_part deletes the part.
  part.release();
}

// Returns capsules of the Arrow schema and of the Arrow array of a tensor. If `short_strings` is true, offsets of
// strings have 32 bits if 32 bits suffice.
nb::tuple exported(const char* op, const Tensor& given, bool short_strings) {
  const char* format = format_of(op, given.dtype);
  if (given.rank() == 0)
    fail(Status::dimensions_mismatch, op, ": a tensor of shape () is not an array; call reshape(1) first");
  const Tensor x = to_contiguous(op, given);
  const bool short_offsets = short_strings && x.dtype == DType::string && is_short(x);
  if (short_offsets) format = "u";
  auto schema = std::make_unique<Owned<ArrowSchema>>();
  describe(schema->held, format, x.shape, 0);
  auto array = std::make_unique<Owned<ArrowArray>>();
  export_array(array->held, x, short_offsets, 0, x.shape[0]);
  const nb::object first = capsule_of(std::move(schema));
  return nb::make_tuple(first, capsule_of(std::move(array)));
}

// --- an array as a tensor ---

enum class Bytes : uint8_t { elements, bits, short_offsets, long_offsets, views };

struct Description {
  DType dtype = DType::float32;
  Bytes bytes = Bytes::elements;
  Dims lists;  // the number of elements in the lists of each further dimension
};

[[noreturn]] void refuse(const char* op, std::string_view format) {
  struct Reason {
    std::string_view begins, text;
  };
  constexpr Reason reasons[] = {
      {"n", "nothing but nulls"},
      {"+l", "lists that may differ in length; of one length they are a fixed_size_list"},
      {"+L", "lists that may differ in length; of one length they are a fixed_size_list"},
      {"t", "dates or times; cast to int64 they are numbers"},
      {"d", "decimals; cast to float64 they are numbers"},
      {"z", "bytes, which are not strings"},
      {"Z", "bytes, which are not strings"},
      {"vz", "bytes, which are not strings"},
      {"w", "bytes, which are no strings"},
  };
  for (const Reason& reason : reasons)
    if (format.starts_with(reason.begins)) fail(Status::type_mismatch, op, ": an Arrow array of ", reason.text);
  fail(Status::type_mismatch, op, ": an Arrow array of format ", format, " has no element type here");
}

// Returns true if the metadata name an extension type. The metadata begin with a count of pairs. Each text of a pair is
// stored as its length and its bytes.
bool is_extension(const char* metadata) {
  if (!metadata) return false;
  const auto number = [&] {
    int32_t value = 0;
    std::memcpy(&value, metadata, sizeof value);
    metadata += sizeof value;
    return value;
  };
  for (int32_t pairs = number(); pairs > 0; --pairs) {
    const int32_t length = number();
    if (std::string_view(metadata, static_cast<size_t>(length)) == "ARROW:extension:name") return true;
    metadata += length;
    metadata += number();
  }
  return false;
}

Description described(const char* op, const ArrowSchema& schema) {
  Description result;
  const ArrowSchema* part = &schema;
  for (;; part = part->children[0]) {
    if (is_extension(part->metadata))
      fail(Status::type_mismatch, op, ": an Arrow array has an extension type; pass its storage");
    if (part->dictionary)
      fail(Status::type_mismatch, op, ": an Arrow array is encoded by a dictionary; decode it first");
    const std::string_view format = part->format;
    if (!format.starts_with("+w:")) break;
    int64_t size = -1;
    (void)std::from_chars(format.data() + 3, format.data() + format.size(), size);
    if (size < 0 || part->n_children != 1 || result.lists.size() + 2 > max_rank)
      fail(Status::invalid_argument, op, ": an Arrow array of format ", format, " is damaged, or nested too deep");
    result.lists.push_back(size);
  }
  const std::string_view format = part->format;
  if (format == "u" || format == "vu") {
    result.dtype = DType::string;
    result.bytes = format == "u" ? Bytes::short_offsets : Bytes::views;
    return result;
  }
  for (const Format& known : formats) {
    if (format != known.text) continue;
    result.dtype = known.dtype;
    if (known.dtype == DType::boolean) result.bytes = Bytes::bits;
    if (known.dtype == DType::string) result.bytes = Bytes::long_offsets;
    return result;
  }
  refuse(op, format);
}

bool is_set(const void* bits, int64_t place) { return static_cast<const uint8_t*>(bits)[place / 8] >> place % 8 & 1; }

void check_nulls(const char* op, const ArrowArray& array, int64_t begin, int64_t count) {
  if (array.null_count == 0 || array.n_buffers < 1 || !array.buffers[0]) return;
  int64_t nulls = 0;
  for (int64_t i = begin; i < begin + count; ++i) nulls += !is_set(array.buffers[0], i);
  if (nulls)
    fail(Status::invalid_argument, op, ": ", nulls, " of ", count,
         " elements of an Arrow array are null, which a tensor cannot hold; call fill_null(0) or drop_null() first");
}

// The elements of an array. The first element is at `begin` in the array's innermost part.
struct Elements {
  const ArrowArray* part;
  int64_t begin;
  Dims shape;
  int64_t count;
};

Elements elements_of(const char* op, const ArrowArray& array, const Description& as) {
  Elements found{&array, array.offset, {array.length}, array.length};
  for (int level = 0;; ++level) {
    if (found.begin < 0 || found.count < 0 || found.part->length < 0 || found.part->offset < 0)
      fail(Status::invalid_argument, op, ": an Arrow array of ", found.count, " elements is damaged");
    check_nulls(op, *found.part, found.begin, found.count);
    if (level == as.lists.size()) return found;
    const int64_t size = as.lists[level];
    int64_t begin = 0, count = 0, end = 0;
    if (found.part->n_children != 1 || __builtin_mul_overflow(found.begin, size, &begin) ||
        __builtin_mul_overflow(found.count, size, &count) || __builtin_add_overflow(begin, count, &end) ||
        end > found.part->children[0]->length)
      fail(Status::invalid_argument, op, ": an Arrow array of lists of ", size, " is damaged");
    found.part = found.part->children[0];
    found.begin = begin + found.part->offset;
    found.count = count;
    found.shape.push_back(size);
  }
}

// Returns `length` bytes at `data` as an element of the target. Fails unless the bytes are UTF-8.
Text text_of(const char* op, const Tensor& target, const char* data, int64_t length) {
  const nb::object decoded = nb::steal(PyUnicode_DecodeUTF8(data, length, nullptr));
  if (!decoded.is_valid()) {
    PyErr_Clear();
    fail(Status::invalid_argument, op, ": a string of an Arrow array is not UTF-8");
  }
  return adopt(target, {data, static_cast<size_t>(length)});
}

template <class Offset>
void read_joined(const char* op, const Tensor& target, const Elements& from) {
  const auto* const offsets = static_cast<const Offset*>(from.part->buffers[1]) + from.begin;
  const auto* const bytes = static_cast<const char*>(from.part->buffers[2]);
  for (int64_t i = 0; i < from.count; ++i) {
    if (offsets[i + 1] < offsets[i]) fail(Status::invalid_argument, op, ": the strings of an Arrow array are damaged");
    target.as<Text>()[i] = text_of(op, target, bytes + offsets[i], offsets[i + 1] - offsets[i]);
  }
}

void read_views(const char* op, const Tensor& target, const Elements& from) {
  struct View {
    int32_t length;
    char begins[4];
    int32_t buffer, offset;
  };
  constexpr int32_t most_inline = sizeof(View) - sizeof(View::length);
  const auto* const views = static_cast<const View*>(from.part->buffers[1]) + from.begin;
  for (int64_t i = 0; i < from.count; ++i) {
    const View& view = views[i];
    if (view.length < 0) fail(Status::invalid_argument, op, ": the strings of an Arrow array are damaged");
    const char* data = view.begins;
    if (view.length > most_inline) {
      if (view.buffer < 0 || view.offset < 0 ||
          // Three buffers hold no text: the bitmap, the views, and the sizes of the buffers of text.
          view.buffer >= from.part->n_buffers - 3)
        fail(Status::invalid_argument, op, ": the strings of an Arrow array are damaged");
      data = static_cast<const char*>(from.part->buffers[2 + view.buffer]) + view.offset;
    }
    target.as<Text>()[i] = text_of(op, target, data, view.length);
  }
}

Tensor read_copy(const char* op, const Description& as, const Elements& from) {
  const Tensor result = make_empty(op, from.shape, as.dtype);
  if (!from.count) return result;
  const void* const bytes = from.part->buffers[1];
  switch (as.bytes) {
    case Bytes::elements:
      std::memcpy(result.data, static_cast<const std::byte*>(bytes) + from.begin * size_of(as.dtype),
                  static_cast<size_t>(result.nbytes()));
      break;
    case Bytes::bits:
      for (int64_t i = 0; i < from.count; ++i) result.as<bool>()[i] = is_set(bytes, from.begin + i);
      break;
    case Bytes::short_offsets:
      read_joined<int32_t>(op, result, from);
      break;
    case Bytes::long_offsets:
      read_joined<int64_t>(op, result, from);
      break;
    case Bytes::views:
      read_views(op, result, from);
      break;
  }
  return result;
}

bool has_columns(const ArrowSchema& schema) { return std::string_view(schema.format).starts_with("+s"); }

// Returns the array as a tensor. If the tensor uses the array's memory, the tensor keeps the array. If `shared` is
// true, the function refuses to copy.
Tensor imported(const char* op, const ArrowSchema& schema, ArrowArray& array, bool shared) {
  const Description as = described(op, schema);
  auto kept = std::make_unique<Owned<ArrowArray>>(array);
  const Elements from = elements_of(op, kept->held, as);
  const int64_t size = checked_size(op, from.shape, as.dtype);
  const int64_t least = as.bytes == Bytes::elements || as.bytes == Bytes::bits ? 2 : 3;
  if (size != from.count || from.part->n_buffers < least || (size && !from.part->buffers[1]))
    fail(Status::invalid_argument, op, ": an Arrow array of ", from.part->n_buffers, " buffers is damaged");
  const auto* const bytes = static_cast<const std::byte*>(from.part->buffers[1]);
  const bool is_aligned = reinterpret_cast<uintptr_t>(bytes) % static_cast<uintptr_t>(size_of(as.dtype)) == 0;
  if (as.bytes != Bytes::elements || !is_aligned || !size) {
    if (shared && size)
      fail(Status::invalid_argument, op, ": an Arrow array of ", name(as.dtype),
           as.bytes == Bytes::elements ? " that is not aligned" : " has other bytes",
           ", so that it cannot be shared; suanzi.tensor copies it");
    return read_copy(op, as, from);
  }
  Tensor whole;
  whole.dtype = as.dtype;
  // The storage is read-only (`false` below), so no operator writes to the array's memory.
  whole.data = const_cast<std::byte*>(bytes) + from.begin * size_of(as.dtype);
  whole.storage = StoragePtr::reference(
      whole.data, static_cast<size_t>(size * size_of(as.dtype)), false, kept.get(),
      [](void* owner) { const std::unique_ptr<Owned<ArrowArray>> dead(static_cast<Owned<ArrowArray>*>(owner)); });
  // The storage owns the array.
  kept.release();
  return make_view(whole, from.shape, contiguous_strides(from.shape));
}

nb::object imported_stream(const char* op, ArrowArrayStream& given, bool shared) {
  Owned<ArrowArrayStream> stream(given);
  ArrowArrayStream& source = stream.held;
  const auto check = [&](int code) {
    if (!code) return;
    const char* const why = source.get_last_error(&source);
    fail(Status::invalid_argument, op, ": a stream of Arrow arrays ended with error ", code, why ? ", " : "",
         why ? why : "");
  };
  Owned<ArrowSchema> schema;
  check([&] {
    // The call runs without the lock, because a thread that produces the arrays may need the lock.
    const Unlocked unlocked;
    return source.get_schema(&source, &schema.held);
  }());
  if (has_columns(schema.held)) return nb::none();
  nb::list parts;
  for (;;) {
    Owned<ArrowArray> array;
    check([&] {
      const Unlocked unlocked;
      return source.get_next(&source, &array.held);
    }());
    if (!array.held.release) break;
    parts.append(wrapped(imported(op, schema.held, array.held, shared)));
  }
  if (!parts.size()) {
    const Description as = described(op, schema.held);
    Dims shape{0};
    for (const int64_t size : as.lists) shape.push_back(size);
    parts.append(wrapped(make_empty(op, shape, as.dtype)));
  }
  return parts;
}

}  // namespace

void bind_arrow(nb::module_& m) {
  define(m, "arrow_array", "(operator: str, x: Tensor, short_strings: bool, /) -> tuple[object, object]",
         [](const char* op, nb::handle x, bool short_strings) {
           return exported(op, require_tensor(op, x.ptr()), short_strings);
         });
  // `arrow_type` returns a schema's element type, the sizes of the schema's lists, and true if the schema's strings
  // have offsets of 32 bits.
  define(m, "arrow_type", "(operator: str, schema: object, /) -> tuple[DType, tuple[int, ...], bool]",
         [](const char* op, nb::handle schema) {
           const Description as = described(op, structure_in<ArrowSchema>(op, schema));
           return nb::make_tuple(nb::borrow(dtype_object(as.dtype)), nb::steal(dims_to_tuple(as.lists)),
                                 as.bytes == Bytes::short_offsets);
         });
  define(m, "from_arrow", "(operator: str, schema: object, array: object, shared: bool, /) -> Tensor | None",
         [](const char* op, nb::handle schema, nb::handle array, bool shared) -> nb::object {
           const ArrowSchema& description = structure_in<ArrowSchema>(op, schema);
           if (has_columns(description)) return nb::none();
           return wrapped(imported(op, description, structure_in<ArrowArray>(op, array), shared));
         });
  define(m, "from_arrow_stream", "(operator: str, stream: object, shared: bool, /) -> list[Tensor] | None",
         [](const char* op, nb::handle stream, bool shared) {
           return imported_stream(op, structure_in<ArrowArrayStream>(op, stream), shared);
         });
}

}  // namespace suanzi::python
