find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial hdf5)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
find_path(RANDOM123_INCLUDE Random123/philox.h REQUIRED)

add_library(bnre_dependencies INTERFACE)
target_include_directories(bnre_dependencies SYSTEM INTERFACE
                           ${RANDOM123_INCLUDE})
target_link_libraries(bnre_dependencies INTERFACE PkgConfig::HDF5
                      PkgConfig::YAML PkgConfig::ZLIB PkgConfig::JANSSON Threads::Threads m
                      ${CMAKE_DL_LIBS})
