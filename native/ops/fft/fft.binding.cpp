// Fourier transforms as Python functions.
#include <array>
#include <string_view>

#include "ops/fft/fft.h"
#include "python/arguments.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace suanzi::python {
namespace {

using namespace fft;

// The names of the normalisations, in the order of the enumeration Norm.
constexpr std::array<std::string_view, 3> norms{"backward", "ortho", "forward"};

Norm read_norm(const char* op, PyObject* norm) {
  if (norm == Py_None) return Norm::backward;
  if (!PyUnicode_Check(norm)) fail(Status::type_mismatch, op, ": norm must be a string, not ", Py_TYPE(norm)->tp_name);
  return static_cast<Norm>(require_choice(op, "norm", norm, norms));
}

// Estimates the work of a transform as 8 times the number of elements or the length, whichever is greater.
int64_t work_of(const Tensor& x, int64_t length) {
  return std::max(std::min<int64_t>(x.size, 1 << 20), std::min<int64_t>(length, 1 << 20)) * 8;
}

void bind_line(nb::module_& m, const char* name, const Fourier& op) {
  define(m, name, [op](nb::handle object, nb::handle length, nb::handle axis, nb::handle norm) {
    const Tensor x = require_tensor(op.name, object.ptr());
    const std::optional<int64_t> n = optional_integer(op.name, "n", length.ptr());
    const int64_t along = require_integer(op.name, "axis", axis.ptr());
    const Norm scaling = read_norm(op.name, norm.ptr());
    return unlocked_if_long(work_of(x, n.value_or(0)), [&] { return fourier(op, x, n, along, scaling); });
  });
}

void bind_box(nb::module_& m, const char* name, const Fourier& op) {
  define(m, name, [op](nb::handle object, nb::handle lengths, nb::handle axes, nb::handle norm) {
    const Tensor x = require_tensor(op.name, object.ptr());
    std::optional<Dims> s, along;
    if (!lengths.is_none()) s = require_dims(op.name, "s", lengths.ptr());
    if (!axes.is_none()) along = require_dims(op.name, "axes", axes.ptr());
    const Norm scaling = read_norm(op.name, norm.ptr());
    int64_t longest = 0;
    for (int i = 0; s && i < s->size(); ++i) longest = std::max(longest, (*s)[i]);
    return unlocked_if_long(work_of(x, longest), [&] { return fourier(op, x, s, along, scaling); });
  });
}

void bind_shift(nb::module_& m, const char* name, const char* op, bool inverse) {
  define(m, name, [op, inverse](nb::handle object, nb::handle axes) {
    const Tensor x = require_tensor(op, object.ptr());
    std::optional<Dims> along;
    if (!axes.is_none()) along = require_dims(op, "axes", axes.ptr());
    return unlocked_if_long(unlocked_work(x), [&] { return shifted(op, x, along, inverse); });
  });
}

void bind_frequencies(nb::module_& m, const char* name, const char* op, bool half) {
  define(m, name, [op, half](nb::handle n, nb::handle spacing, nb::handle dtype, nb::handle) {
    const int64_t length = require_integer(op, "n", n.ptr());
    return frequencies(op, length, require_real(op, "d", spacing.ptr()), require_dtype(op, dtype.ptr()), half);
  });
}

}  // namespace

void bind_fft(nb::module_& m) {
  bind_line(m, "fft", {"fft.fft", Form::complex, false});
  bind_line(m, "ifft", {"fft.ifft", Form::complex, true});
  bind_line(m, "rfft", {"fft.rfft", Form::to_half, false});
  bind_line(m, "irfft", {"fft.irfft", Form::from_half, true});
  bind_line(m, "hfft", {"fft.hfft", Form::from_half, false});
  bind_line(m, "ihfft", {"fft.ihfft", Form::to_half, true});
  bind_box(m, "fftn", {"fft.fftn", Form::complex, false});
  bind_box(m, "ifftn", {"fft.ifftn", Form::complex, true});
  bind_box(m, "rfftn", {"fft.rfftn", Form::to_half, false});
  bind_box(m, "irfftn", {"fft.irfftn", Form::from_half, true});
  bind_shift(m, "fftshift", "fft.fftshift", false);
  bind_shift(m, "ifftshift", "fft.ifftshift", true);
  bind_frequencies(m, "fftfreq", "fft.fftfreq", false);
  bind_frequencies(m, "rfftfreq", "fft.rfftfreq", true);
}

}  // namespace suanzi::python
