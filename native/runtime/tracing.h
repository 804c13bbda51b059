// The flag of a thread that traces a function (fusion/). The traced calls are repeated later with other operands, so
// the function must not change existing tensors during the trace.
#pragma once

#include <cstdint>

namespace suanzi {

inline thread_local bool tracing = false;
// The flag is true while an operator that the traced function calls runs as a whole. The operator's own intermediate
// writes are then allowed.
inline thread_local bool carrying_out = false;

// The number of the thread's trace, or 0 without a trace. Each storage has the number of the trace in which the storage
// was made, so that a trace can tell tensors that existed before the trace.
inline thread_local uint32_t current_trace = 0;

inline bool refuses_writes() { return tracing && !carrying_out; }

}  // namespace suanzi
