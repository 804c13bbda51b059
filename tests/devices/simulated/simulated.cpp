// A simulated accelerator, for tests: a back end of PyTorch with two devices. Like a real accelerator, and unlike
// PyTorch's CPU, the accelerator has memory that the host cannot touch and that can run out. The accelerator reports
// errors late, and refuses operands on another device. PyTorch's CPU computes every operator from copies of the
// operands, and the result is copied back.
//
// The address of a block on a device is never readable: a program that reads the address outside a copy crashes. The
// memory itself is at a constant distance behind this address. Only the functions that copy memory use
// this distance.
#include <ATen/EmptyTensor.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_neg_view.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/broadcast_tensors.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <pthread.h>
#include <sys/mman.h>
#include <torch/library.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace {

constexpr c10::DeviceType kind = c10::DeviceType::PrivateUse1;
constexpr int device_count = 2;
constexpr size_t device_bytes = size_t{1} << 33;  // the size of the address range (a write allocates memory)
thread_local c10::DeviceIndex current = 0;

// --- memory ---

class Memory {
 public:
  static Memory& instance() {
    static Memory memory;
    return memory;
  }

  void* take(c10::DeviceIndex device, size_t bytes) {
    const size_t size = std::bit_ceil(std::max(bytes, size_t{64}));
    const std::lock_guard guard(lock_);
    Device& d = devices_[static_cast<size_t>(device)];
    auto &kept = d.kept[size], &free = d.free[size];
    if (kept.empty()) {
      TORCH_CHECK_WITH(OutOfMemoryError, d.used + d.cached + size <= d.limit && d.next + size <= device_bytes,
                       "sim: out of memory: tried to allocate ", bytes, " bytes on device ", int{device}, ", where ",
                       d.used, " are in use and ", d.cached, " kept");
      if (free.empty()) {
        free.push_back(base_ + static_cast<size_t>(device) * device_bytes + d.next);
        d.next += size;
      }
      kept.push_back(free.back());
      free.pop_back();
      d.cached += size;
    }
    std::byte* const block = kept.back();
    kept.pop_back();
    d.cached -= size;
    d.used += size;
    sizes_[block] = size;
    return block;
  }

  void give_back(void* pointer) {
    auto* const block = static_cast<std::byte*>(pointer);
    const std::lock_guard guard(lock_);
    const auto found = sizes_.find(block);
    if (found == sizes_.end()) return;
    const size_t size = found->second;
    sizes_.erase(found);
    Device& d = devices_[static_cast<size_t>(block - base_) / device_bytes];
    if (size >= 4096) madvise(real(block), size, MADV_DONTNEED);
    d.kept[size].push_back(block);
    d.used -= size;
    d.cached += size;
  }

  // Frees the kept blocks, as the caching allocator of a real device does. Kept blocks count as used memory.
  void empty_cache() {
    const std::lock_guard guard(lock_);
    for (Device& d : devices_) {
      d.cached = 0;
      d.free.merge(d.kept);
      for (auto& [size, blocks] : d.kept) {  // sizes of which some blocks were free before
        auto& free = d.free[size];
        free.insert(free.end(), blocks.begin(), blocks.end());
      }
      d.kept.clear();
    }
  }

  void set_limit(int64_t device, int64_t bytes) {
    const std::lock_guard guard(lock_);
    devices_.at(static_cast<size_t>(device)).limit = static_cast<size_t>(bytes);
  }
  int64_t used(int64_t device) {
    const std::lock_guard guard(lock_);
    return static_cast<int64_t>(devices_.at(static_cast<size_t>(device)).used);
  }

  // Returns the memory behind an address of a device.
  void* real(const void* address) const {
    return const_cast<std::byte*>(static_cast<const std::byte*>(address)) + device_count * device_bytes;
  }

 private:
  struct Device {
    size_t used = 0, cached = 0, next = 0, limit = device_bytes;
    // Free blocks by their size: `kept` blocks still count as used memory, and `free` blocks do not.
    std::map<size_t, std::vector<std::byte*>> kept, free;
  };

  Memory() {
    const size_t all = device_count * device_bytes;
    void* const space = mmap(nullptr, 2 * all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    TORCH_CHECK(space != MAP_FAILED, "sim: no addresses");
    base_ = static_cast<std::byte*>(space);
    TORCH_CHECK(mprotect(base_ + all, all, PROT_READ | PROT_WRITE) == 0, "sim: no memory");
  }

  std::mutex lock_;
  std::array<Device, device_count> devices_;
  std::map<std::byte*, size_t> sizes_;
  std::byte* base_ = nullptr;
};

void release(void* block) { Memory::instance().give_back(block); }

struct Allocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t bytes) override {
    const c10::Device device(kind, current);
    if (bytes == 0) return {nullptr, nullptr, &release, device};
    void* const block = Memory::instance().take(current, bytes);
    return {block, block, &release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    const Memory& memory = Memory::instance();
    std::memcpy(memory.real(to), memory.real(from), bytes);
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { Memory::instance().empty_cache(); }
  void recordStream(const c10::DataPtr&, c10::Stream) override {}
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override { return {}; }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
} allocator;
REGISTER_ALLOCATOR(kind, &allocator);

// --- errors that are reported late ---

std::mutex late_lock;
std::string late;   // the text of an error that the device has not reported yet
bool lost = false;  // a lost context reports its error at every call

void tell() {
  const std::lock_guard guard(late_lock);
  if (late.empty()) return;
  const std::string text = late;
  if (!lost) late.clear();
  throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, 710, text);
}

// --- PyTorch's interface to the device ---

struct Guard final : c10::impl::DeviceGuardImplInterface {
  static constexpr c10::DeviceType static_type = kind;
  c10::DeviceType type() const override { return static_type; }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    uncheckedSetDevice(device);
    return before;
  }
  c10::Device getDevice() const override { return {static_type, current}; }
  void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) current = device.index();
  }
  c10::Stream getStream(c10::Device device) const override { return c10::Stream(c10::Stream::DEFAULT, device); }
  c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
  c10::Stream exchangeStream(c10::Stream stream) const override { return getStream(stream.device()); }
  c10::DeviceIndex deviceCount() const noexcept override { return device_count; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override { tell(); }
  void synchronizeDevice(const c10::DeviceIndex) const override { tell(); }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return device_count; }
  c10::DeviceIndex getCurrentDevice() const override { return current; }
  void setCurrentDevice(c10::DeviceIndex device) const override { current = device; }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t bytes) const override {
    const size_t before = storage.nbytes();
    const c10::DeviceGuard guard(storage.device());
    at::DataPtr fresh = allocator.allocate(bytes);
    if (before != 0 && bytes != 0) allocator.copy_data(fresh.get(), storage.data(), std::min(before, bytes));
    c10::StorageImpl* const implementation = storage.unsafeGetStorageImpl();
    implementation->set_data_ptr_noswap(std::move(fresh));
    implementation->set_nbytes(bytes);
  }
};

// --- operators ---

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                 std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(device.value_or(c10::Device(kind, current)));
  return at::detail::empty_generic(size, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                   dtype.value_or(at::kFloat), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> dtype,
                         std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  const c10::DeviceGuard guard(device.value_or(c10::Device(kind, current)));
  return at::detail::empty_strided_generic(size, stride, &allocator, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1),
                                           dtype.value_or(at::kFloat));
}

// Returns a tensor of PyTorch's CPU whose memory is the memory of a tensor on a device.
at::Tensor uncovered(const at::Tensor& x) {
  if (x.is_cpu()) return x;
  const auto count = static_cast<int64_t>(x.storage().nbytes() / x.itemsize());
  const at::Tensor bits =
      at::from_blob(Memory::instance().real(x.storage().data()), {count}, x.options().device(at::kCPU))
          .as_strided(x.sizes(), x.strides(), x.storage_offset());
  const at::Tensor numbers = x.is_conj() ? bits.conj() : bits;
  return x.is_neg() ? numbers._neg_view() : numbers;
}

thread_local bool computing = false;  // true while an operator makes copies, for which the host does not wait

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  if (to.is_cpu() && !computing) tell();  // a transfer waits for earlier work
  if (to.numel() != 0) uncovered(to).copy_(uncovered(from));
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  at::native::resize_(to, from.sizes(), std::nullopt);
  return copy_from(from, to, false);
}

const at::Tensor& resize(const at::Tensor& x, c10::SymIntArrayRef size, std::optional<at::MemoryFormat> format) {
  return at::native::resize_(x, C10_AS_INTARRAYREF_SLOW(size), format);
}

std::atomic<int64_t> computed = 0;

// Refuses operands on several devices, as a real device does. Numbers of the host are accepted.
void check_devices(const c10::OperatorHandle& op, const torch::jit::Stack& stack) {
  std::optional<c10::Device> seen;
  const auto see = [&](const at::Tensor& x) {
    if (!x.defined() || (x.is_cpu() && x.dim() == 0)) return;
    TORCH_CHECK(!seen || *seen == x.device(), "Expected all tensors to be on the same device, but found at least two, ",
                *seen, " and ", x.device(), " (", op.schema().name(), ")");
    seen = x.device();
  };
  for (const auto& argument : torch::jit::last(stack, op.schema().arguments().size())) {
    if (argument.isTensor()) see(argument.toTensor());
    if (!argument.isTensorList()) continue;
    for (const at::Tensor& x : argument.toTensorVector()) see(x);
  }
}

// Computes a function in the same way as real devices. PyTorch's own function for the CPU returns other results, or
// results that depend on the layout.
template <class Function>
at::Tensor exact(const at::Tensor& x, const at::Tensor& y, const Function& function) {
  const at::Tensor a = x.cpu().contiguous(), b = y.cpu().contiguous();
  const at::Tensor result = at::empty_like(a);
  for (int64_t i = 0; i < a.numel(); ++i) {
    if (a.scalar_type() == at::kDouble)
      result.data_ptr<double>()[i] = function(a.data_ptr<double>()[i], b.data_ptr<double>()[i]);
    else
      result.data_ptr<float>()[i] = function(a.data_ptr<float>()[i], b.data_ptr<float>()[i]);
  }
  return result.to(x.device());
}

bool is_single_or_double(const at::Tensor& x) {
  return x.scalar_type() == at::kDouble || x.scalar_type() == at::kFloat;
}

// Computes sqrt, fmod and pow by `exact`, and returns true if the operator is one of these functions. The last operand
// is the tensor for the result.
bool computed_exactly(const std::string& name, const std::string& overload, torch::jit::Stack* stack) {
  const bool root = name == "aten::sqrt" && overload == "out", rest = name == "aten::fmod" && overload == "Tensor_out",
             power = name == "aten::pow" && overload == "Tensor_Tensor_out";
  if (!root && !rest && !power) return false;
  const size_t count = root ? 2 : 3;
  const at::Tensor x = torch::jit::peek(*stack, 0, count).toTensor();
  const at::Tensor y = torch::jit::peek(*stack, count - 2, count).toTensor(), out = stack->back().toTensor();
  if (x.scalar_type() != y.scalar_type() || x.scalar_type() != out.scalar_type() || !is_single_or_double(x))
    return false;
  const auto both = at::broadcast_tensors({x, y.to(x.device())});
  out.copy_(root    ? exact(x, x, [](auto a, auto) { return std::sqrt(a); })
            : power ? exact(both[0], both[1], [](auto a, auto b) { return std::pow(a, b); })
                    : exact(both[0], both[1], [](auto a, auto b) { return std::fmod(a, b); }));
  torch::jit::drop(*stack, count);
  torch::jit::push(*stack, out);
  return true;
}

// PyTorch calls one operator for the convolutions of a back end, and another operator for convolutions on its CPU.
at::Tensor convolution(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                       at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                       at::IntArrayRef output_padding, int64_t groups) {
  ++computed;
  std::optional<at::Tensor> added;
  if (bias && bias->defined()) added = bias->cpu();
  return at::convolution(x.cpu(), weight.cpu(), added, stride, padding, dilation, transposed, output_padding, groups)
      .to(x.device());
}

bool forked = false;  // the context belongs to the parent process

void compute(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  TORCH_CHECK(!forked, "Cannot re-initialize sim in forked subprocess");
  ++computed;
  const std::string& name = op.schema().name();
  if (name != "aten::_to_copy" && name != "aten::copy_") check_devices(op, *stack);
  const bool outer = std::exchange(computing, name != "aten::_local_scalar_dense");
  try {
    if (!computed_exactly(name, op.schema().overload_name(), stack)) at::native::cpu_fallback(op, stack);
  } catch (...) {
    computing = outer;
    throw;
  }
  computing = outer;
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("unfold", at::native::unfold);
  m.impl("view_as_real", at::native::view_as_real);
  m.impl("view_as_complex", at::native::view_as_complex);
  m.impl("resize_", resize);
  m.impl("convolution_overrideable", convolution);
}
// `uncovered` handles conjugates and negatives in copies.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(_, PrivateUse1, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&compute>()); }

// The functions that tests call on the accelerator.
TORCH_LIBRARY(simulated, m) {
  m.def("begin() -> ()", [] {
    static Hooks hooks;
    pthread_atfork(nullptr, nullptr, [] { forked = true; });
    at::RegisterPrivateUse1HooksInterface(&hooks);
  });
  m.def("computed() -> int", [] { return computed.load(); });
  m.def("used(int device) -> int", [](int64_t device) { return Memory::instance().used(device); });
  m.def("limit(int device, int bytes) -> ()",
        [](int64_t device, int64_t bytes) { Memory::instance().set_limit(device, bytes); });
  m.def("fail(str text, bool stays) -> ()", [](std::string text, bool stays) {
    const std::lock_guard guard(late_lock);
    late = std::move(text);
    lost = stays;
  });
}
