// Recording of elementwise operations. A thread that traces a function (fusion/) records the operations instead of
// running the operations.
#pragma once

#include <span>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "ops/elementwise/elementwise.h"

namespace suanzi {

// An operation with checked operands, and the types that the operation uses.
struct RecordedOperation {
  const char* name;  // the operator's name in messages
  Operation operation;
  Kernel kernel;
  KernelParams params;
  std::span<const Operand> operands;
  int first_value;  // the index of the first operand that is not a condition (conditions are read as bool)
  DType computed;   // the type to which operands of a wider type are rounded
  DType working;    // the type of the kernel's inputs
  DType produced;   // the type of the kernel's output
  DType result;
  bool heavy;
};

class Recorder {
 public:
  // Records an operation, and returns a placeholder tensor for the result. The recorder recognises the placeholder as
  // an operand of later operations.
  virtual Tensor record(const RecordedOperation& operation) = 0;
  // Records a cast of the placeholder x, and returns a placeholder tensor for the result of the cast.
  virtual Tensor cast(const Tensor& x, DType dtype) = 0;
  // Reports that the next recorded operation depends on the value of a number among its operands, and not only on the
  // number's type.
  virtual void reads(const Scalar& number) = 0;

 protected:
  ~Recorder() = default;
};

// Returns the recorder of this thread, or null if the thread does not trace.
Recorder*& recorder();

}  // namespace suanzi
