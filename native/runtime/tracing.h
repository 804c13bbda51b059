// Whether this thread traces a function (fusion/): what it does now is repeated at later calls, so nothing may be done
// that is different every time.
#pragma once

namespace suanzi {

inline thread_local bool tracing = false;

}  // namespace suanzi
