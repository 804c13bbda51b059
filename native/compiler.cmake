# Finds the C++ compiler. If no compiler exists, or if the compiler is too old, the message names the supported
# compilers. This file is included before any language is enabled, because CMake's own message for a missing compiler
# does not name the supported compilers.

set(supported_compilers "g++ 12 or newer, and clang++ 16 or newer. Set CXX=<compiler> in the environment to choose one.")

include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "suanzi: no C++ compiler was found. Supported compilers: ${supported_compilers}")
endif()
enable_language(CXX)

set(oldest_GNU 12)
set(oldest_Clang 16)
set(found_compiler "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(NOT DEFINED oldest_${CMAKE_CXX_COMPILER_ID})
  message(WARNING "suanzi: ${found_compiler}, and suanzi is not tested with this compiler. Supported compilers: ${supported_compilers}")
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest_${CMAKE_CXX_COMPILER_ID})
  message(FATAL_ERROR "suanzi: ${found_compiler}, which is too old. Supported compilers: ${supported_compilers}")
endif()
