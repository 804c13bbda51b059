// The flag of a thread that traces a function (fusion/). The traced calls are repeated later with other operands, so
// the function must not change existing tensors during the trace.
#pragma once

namespace suanzi {

inline thread_local bool tracing = false;
// True while an operator that the traced function calls runs as a whole, so that its own intermediate writes are
// allowed.
inline thread_local bool carrying_out = false;

inline bool refuses_writes() { return tracing && !carrying_out; }

}  // namespace suanzi
