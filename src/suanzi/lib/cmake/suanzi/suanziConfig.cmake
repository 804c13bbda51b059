# find_package(suanzi) defines the target suanzi::suanzi.
if(NOT TARGET suanzi::suanzi)
  get_filename_component(suanzi_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  add_library(suanzi::suanzi SHARED IMPORTED)
  set_target_properties(suanzi::suanzi PROPERTIES
    IMPORTED_LOCATION "${suanzi_prefix}/lib/libsuanzi${CMAKE_SHARED_LIBRARY_SUFFIX}"
    INTERFACE_INCLUDE_DIRECTORIES "${suanzi_prefix}/include")
endif()
