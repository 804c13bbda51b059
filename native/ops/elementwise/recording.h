// Recording of elementwise operations: a thread that traces a function (fusion/) records them instead of running them.
#pragma once

#include <span>

#include "kernels/kernel.h"
#include "kernels/operations.h"
#include "ops/elementwise/elementwise.h"

namespace suanzi {

// An operation whose operands have been checked and whose types are known.
struct RecordedOperation {
  const char* name;  // the name in messages
  Operation operation;
  Kernel kernel;
  KernelParams params;
  std::span<const Operand> operands;
  int first_value;  // operands before it are conditions, read as bool
  DType computed;   // the type to which operands of a wider one are rounded
  DType working;    // the type of the kernel's inputs
  DType produced;   // the type of the kernel's output
  DType result;
  bool heavy;
};

class Recorder {
 public:
  // Gives a tensor that stands for the result: as an operand of another operation it will be recognised.
  virtual Tensor record(const RecordedOperation& operation) = 0;
  // Records a cast of such a tensor.
  virtual Tensor cast(const Tensor& x, DType dtype) = 0;
  // Is told that the operation to be recorded next depends on the value of a number among its operands, not on its
  // type alone.
  virtual void reads(const Scalar& number) = 0;

 protected:
  ~Recorder() = default;
};

// The recorder of this thread; null where it does not trace.
Recorder*& recorder();

}  // namespace suanzi
