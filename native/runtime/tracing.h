// The flag of a thread that traces a function (fusion/). The traced calls are repeated later, so nothing may happen
// during a trace that would differ from run to run.
#pragma once

namespace suanzi {

inline thread_local bool tracing = false;
// True while an operator that the traced function calls runs as a whole, so that its own intermediate writes are
// allowed.
inline thread_local bool carrying_out = false;

inline bool refuses_writes() { return tracing && !carrying_out; }

}  // namespace suanzi
