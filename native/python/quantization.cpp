// Quantizing and dequantizing as Python functions; scales and zero points are checked by suanzi.quantized.
#include "python/arguments.h"
#include "python/bindings.h"
#include "tile/quantize.h"

namespace nb = nanobind;

namespace suanzi::python {

void bind_quantization(nb::module_& m) {
  define(m, "quantize", [](nb::handle x, nb::handle scale, nb::handle zero_point, int64_t codes, bool symmetric) {
    constexpr const char* op = "quantize";
    const Tensor real = require_tensor(op, x.ptr()), steps = require_tensor(op, scale.ptr());
    const int64_t zero = require_integer(op, "zero_point", zero_point.ptr());
    const DType type = require_dtype(op, codes);
    return unlocked_if_long(unlocked_work(real), [&] { return quantize(op, real, steps, zero, type, symmetric); });
  });
  define(m, "dequantize", [](nb::handle x, nb::handle scale, nb::handle zero_point, int64_t real) {
    constexpr const char* op = "dequantize";
    const Tensor codes = require_tensor(op, x.ptr()), steps = require_tensor(op, scale.ptr());
    const int64_t zero = require_integer(op, "zero_point", zero_point.ptr());
    const DType type = require_dtype(op, real);
    return unlocked_if_long(unlocked_work(codes), [&] { return dequantize(op, codes, steps, zero, type); });
  });
}

}  // namespace suanzi::python
