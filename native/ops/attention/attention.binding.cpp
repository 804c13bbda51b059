// Attention as a Python function: for suanzi.nn, which reads and checks the arguments of users.
#include "ops/attention/attention.h"

#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {

void bind_attention(nb::module_& m) {
  define(m, "attention",
         "(operator: str, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, causal: int | None, scale: "
         "float, softcap: float, out: Tensor, /) -> None",
         [](const char* op, nb::handle query, nb::handle key, nb::handle value, nb::handle mask, nb::handle causal,
            nb::handle scale, nb::handle softcap, nb::handle out) {
           attention::Operands operands{require_tensor(op, query.ptr()), require_tensor(op, key.ptr()),
                                        require_tensor(op, value.ptr())};
           if (!mask.is_none()) operands.mask = require_tensor(op, mask.ptr());
           const attention::Options options{require_real(op, "scale", scale.ptr()),
                                            require_real(op, "softcap", softcap.ptr()),
                                            optional_integer(op, "causal", causal.ptr())};
           const Tensor target = require_out(op, out.ptr());
           unlocked_if_long(8 * (operands.query.size + operands.key.size),
                            [&] { attention::run(op, operands, options, target); });
         });
}

}  // namespace suanzi::python
