// The structures that the specification of the Arrow C data interface defines
// (https://arrow.apache.org/docs/format/CDataInterface.html and CStreamInterface.html).
#pragma once

#include <cstdint>

namespace suanzi::python {

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

// The names of capsules with these structures in the Arrow PyCapsule interface.
template <class Structure>
constexpr const char* capsule_name = nullptr;
template <>
inline constexpr const char* capsule_name<ArrowSchema> = "arrow_schema";
template <>
inline constexpr const char* capsule_name<ArrowArray> = "arrow_array";
template <>
inline constexpr const char* capsule_name<ArrowArrayStream> = "arrow_array_stream";

// A structure that the destructor releases, unless the structure has already been released.
template <class Structure>
class Owned {
 public:
  Owned() = default;
  // Takes ownership of the contents of another structure, and marks that structure as released, as the specification
  // requires.
  explicit Owned(Structure& source) : held(source) { source.release = nullptr; }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (held.release) held.release(&held);
  }

  Structure held{};
};

}  // namespace suanzi::python
