# Finds the C++ compiler, and says which compilers work if there is none or if it is too old. This file is included
# before any language is enabled, because CMake's own message for a missing compiler does not say this.

set(compilers_that_work "g++ 12 or newer, or clang++ 16 or newer. CXX=<compiler> in the environment chooses another one.")

include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "suanzi: no C++ compiler was found. What works: ${compilers_that_work}")
endif()
enable_language(CXX)

set(oldest_GNU 12)
set(oldest_Clang 16)
set(found_compiler "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
if(NOT DEFINED oldest_${CMAKE_CXX_COMPILER_ID})
  message(WARNING "suanzi: ${found_compiler}, which nobody has tried. What works: ${compilers_that_work}")
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS oldest_${CMAKE_CXX_COMPILER_ID})
  message(FATAL_ERROR "suanzi: ${found_compiler}, which is too old. What works: ${compilers_that_work}")
endif()
