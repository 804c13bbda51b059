// The flag of a thread that traces a function (fusion/): its calls are repeated later, so nothing may be done that is
// different every time.
#pragma once

namespace suanzi {

inline thread_local bool tracing = false;
// An operator that the function calls runs as a whole: its writes on the way are its own.
inline thread_local bool carrying_out = false;

inline bool refuses_writes() { return tracing && !carrying_out; }

}  // namespace suanzi
