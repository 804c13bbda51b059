// Calls code that moves elements, with the element size as a compile-time constant. Code that moves elements depends
// only on the size of the elements, and not on the type.
#pragma once

#include <cstdint>

namespace suanzi {

constexpr bool is_element_size(int64_t bytes) {
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

// Calls make.operator()<Size>() for an element size that is known at run time.
template <class Make>
auto for_element_size(int64_t size, Make make) {
  switch (size) {
    case 1:
      return make.template operator()<1>();
    case 2:
      return make.template operator()<2>();
    case 4:
      return make.template operator()<4>();
    case 8:
      return make.template operator()<8>();
    default:
      return make.template operator()<16>();
  }
}

}  // namespace suanzi
