// The flag of a thread that traces a function (fusion/). The traced calls are repeated later with other operands, so
// the function must not change existing tensors during the trace.
#pragma once

namespace suanzi {

inline thread_local bool tracing = false;
// The flag is true while an operator that the traced function calls runs as a whole. The operator's own intermediate
// writes are then allowed.
inline thread_local bool carrying_out = false;

inline bool refuses_writes() { return tracing && !carrying_out; }

}  // namespace suanzi
