#include "ops/quantized/dynamic.h"

#include "runtime/costs.h"
#include "runtime/share.h"
#include "tensor/scratch.h"
#include "walk/copy.h"

namespace suanzi {
namespace {

using On = OnRows<float>;

constexpr int64_t chunk = costs::stepped_elements;

int64_t chunks_of(int64_t n) { return n / chunk + (n % chunk > 0); }

// Divides n elements into chunks, and calls body with each chunk's index, first element and number of elements.
template <class Body>
void for_chunks(int64_t n, Body body) {
  share(n * int64_t{sizeof(float)}, chunks_of(n), [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i) body(i, i * chunk, std::min(chunk, n - i * chunk));
  });
}

DynamicScale<float> scale_of(const float* x, int64_t n) {
  const int64_t chunks = chunks_of(n);
  const ScratchArray<float> least(chunks), most(chunks);
  for_chunks(n, [&](int64_t number, int64_t first, int64_t count) {
    least.data()[number] = On::least(x + first, count);
    most.data()[number] = On::greatest(x + first, count);
  });
  return DynamicScale<float>::of(On::least(least.data(), chunks), On::greatest(most.data(), chunks));
}

}  // namespace

DynamicCodes dynamic_codes(const char* op, const Tensor& given) {
  check_alive(op, given);
  if (given.dtype != DType::float32)
    fail(Status::type_mismatch, op, ": elements are ", name(given.dtype), ", not float32");
  const Tensor x = to_contiguous(op, given);
  const DynamicScale<float> scale = scale_of(x.as<float>(), x.size);
  const DynamicCodes result{make_empty(op, x.shape, DType::uint8), make_empty(op, {}, DType::float32),
                            make_empty(op, {}, DType::uint8)};
  *result.step.as<float>() = scale.step;
  *result.zero.as<uint8_t>() = scale.zero == scale.zero ? static_cast<uint8_t>(scale.zero) : uint8_t{0};
  const Kernel narrow = converter(DType::float32, DType::uint8);
  for_chunks(x.size, [&](int64_t, int64_t first, int64_t count) {
    Scratch memory;
    float* const codes = memory.take<float>(count);
    scale.round(x.as<float>() + first, codes, count);
    const void* const in[] = {codes};
    narrow(result.codes.as<uint8_t>() + first, in, count, {});
  });
  return result;
}

}  // namespace suanzi
