# Finds the C++ compiler, and checks the options that the environment adds. If no compiler exists, or if the compiler is
# too old, the message names the supported compilers. CMakeLists.txt includes this file before CMake enables a language,
# because CMake's own message for a missing compiler does not name the supported compilers.

if(CMAKE_SOURCE_DIR MATCHES "[][;\"]")
  message(FATAL_ERROR "suanzi: the path ${CMAKE_SOURCE_DIR} has one of the characters [ ] ; \", with which CMake cannot build. Move the sources to another folder.")
endif()

set(supported_compilers "g++ 12 or newer, and clang++ 16 or newer. Set CXX=<compiler> in the environment to choose one.")

# CXX may have options, or begin with a launcher, as in CXX="ccache g++".
if(NOT CMAKE_CXX_COMPILER AND NOT CMAKE_TOOLCHAIN_FILE)
  if(NOT "$ENV{CXX}" STREQUAL "")
    get_filename_component(any_compiler "$ENV{CXX}" PROGRAM PROGRAM_ARGS unused)
  else()
    find_program(any_compiler NAMES c++ CC g++ clang++)
  endif()
  if(NOT any_compiler)
    message(FATAL_ERROR "suanzi: no C++ compiler was found. Supported compilers: ${supported_compilers}")
  endif()
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

# Some options, which CXXFLAGS or LDFLAGS may contain, break the rules of IEEE 754. With such an option, results would
# be wrong. The linker then also adds code that makes denormal numbers zero in the whole process.
set(inexact "(^| )(-Ofast|-ffast-math|-funsafe-math-optimizations|-ffinite-math-only|-fassociative-math|-freciprocal-math|-fno-signed-zeros|-fcx-limited-range|-ffp-model=[a-z]+|-mdaz-ftz)( |$)")
foreach(flags CMAKE_CXX_FLAGS CMAKE_SHARED_LINKER_FLAGS CMAKE_MODULE_LINKER_FLAGS CMAKE_EXE_LINKER_FLAGS)
  while("${${flags}}" MATCHES "${inexact}")
    message(WARNING "suanzi: the option ${CMAKE_MATCH_2} would make results wrong; the build leaves the option out.")
    string(REGEX REPLACE "${inexact}" " " ${flags} "${${flags}}")
  endwhile()
endforeach()
