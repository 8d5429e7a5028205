# cmake --install: libraries, headers, the program, find_package(mercer) and pkg-config files.
# A static library needs what it is made with again when a program links it, so then those
# libraries are named in what is installed; a shared one needs Eigen's headers only.
include(CMakePackageConfigHelpers)

get_target_property(mercer_library_type mercer TYPE)
set(mercer_targets mercer)
set(MERCER_STATIC OFF)
if(mercer_library_type STREQUAL "STATIC_LIBRARY")
  set(MERCER_STATIC ON)
  list(APPEND mercer_targets mercer_openblas mercer_implementation)
endif()
if(MERCER_PLOT)
  list(APPEND mercer_targets mercer_plot)
endif()
get_filename_component(mercer_openblas_dir ${MERCER_OPENBLAS_LIBRARY} DIRECTORY)
set_target_properties(mercer PROPERTIES INSTALL_RPATH "$ORIGIN")

install(TARGETS ${mercer_targets} EXPORT mercerTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/mercer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
        PATTERN "plot.hpp" EXCLUDE)
if(MERCER_PLOT)
  set_target_properties(mercer_plot PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(FILES include/mercer/plot.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mercer)
endif()
if(TARGET mercer_app)
  set_target_properties(mercer_app PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS mercer_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY examples/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/mercer/examples)
endif()

# find_package(mercer) gives mercer::mercer and, where it was built, mercer::plot.
set(mercer_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)
install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION ${mercer_config_dir})
configure_package_config_file(cmake/mercerConfig.cmake.in ${PROJECT_BINARY_DIR}/mercerConfig.cmake
                              INSTALL_DESTINATION ${mercer_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mercerConfig.cmake ${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake
        DESTINATION ${mercer_config_dir})

# pkg-config --cflags --libs mercer (or mercer-plot). The prefix is found from where the file lies, since
# cmake --install --prefix may move it.
file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(pc_requires "eigen3")
set(pc_plot_requires "mercer = ${PROJECT_VERSION}")
set(pc_libs "")
if(MERCER_STATIC)
  string(APPEND pc_requires ", fmt, libhwy, libzip, zlib, libpng, libxxhash, muparser, fftw3, fftw3f")
  string(APPEND pc_plot_requires ", cairo")
  set(pc_libs "-L${mercer_openblas_dir} -Wl,-rpath,${mercer_openblas_dir} -lopenblas -lcholmod -ldsdp ${OpenMP_CXX_FLAGS}")
endif()
foreach(pc mercer mercer-plot)
  if(pc STREQUAL "mercer" OR MERCER_PLOT)
    configure_file(cmake/${pc}.pc.in ${PROJECT_BINARY_DIR}/${pc}.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endforeach()
