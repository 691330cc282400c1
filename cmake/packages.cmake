# What is installed where, and as packages: the program, the library, what is
# needed to build with it, and the Python package (`make deb` puts it into
# build/dist-packages first).
include(CMakePackageConfigHelpers)

set_target_properties(bnre_shared PROPERTIES EXPORT_NAME bnre)
target_include_directories(bnre_shared INTERFACE
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
install(TARGETS bnre RUNTIME COMPONENT program)
install(TARGETS bnre_shared EXPORT bnreTargets
        LIBRARY COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS bnre_static ARCHIVE COMPONENT development)
install(TARGETS bnre-supervise
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/bnre COMPONENT program)
install(FILES include/bnre.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
install(DIRECTORY include/bnre DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)

# The prefix may be chosen at installation: bnre.pc tells it from its own place.
string(REGEX REPLACE "[^/]+" ".." BNRE_PC_TO_PREFIX
       "/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file(bnre.pc.in bnre.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bnre.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# find_package(bnre) gives the target bnre::bnre.
set(BNRE_CMAKE ${CMAKE_INSTALL_LIBDIR}/cmake/bnre)
install(EXPORT bnreTargets NAMESPACE bnre:: FILE bnreConfig.cmake
        DESTINATION ${BNRE_CMAKE} COMPONENT development)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/bnreConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/bnreConfigVersion.cmake
        DESTINATION ${BNRE_CMAKE} COMPONENT development)

# Manual pages and completions, which the program itself prints.
if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "execute_process(COMMAND
        ${PROJECT_SOURCE_DIR}/tools/make-manual $<TARGET_FILE:bnre>
        ${PROJECT_BINARY_DIR}/share COMMAND_ERROR_IS_FATAL ANY)"
            COMPONENT program)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/share/
            DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
endif()
install(DIRECTORY ${PROJECT_BINARY_DIR}/dist-packages/
        DESTINATION lib/python3/dist-packages COMPONENT python
        USE_SOURCE_PERMISSIONS EXCLUDE_FROM_ALL OPTIONAL)

set(CPACK_PACKAGE_NAME bnre)
set(CPACK_PACKAGE_VENDOR "the bnre developers")
set(CPACK_PACKAGE_CONTACT "the bnre developers <bnre@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program library development python)
if(TARGET bnre-mpi)
    list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bnre)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS gnuplot-nox)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME bnre-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "bnre (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libbnre0)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbnre-dev)
# pkg-config asks for what the static library needs, too.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libbnre0 (= ${PROJECT_VERSION}), \
libhdf5-dev, libyaml-dev, zlib1g-dev, libjansson-dev")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-bnre)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
include(CPack)
