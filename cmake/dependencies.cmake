# What mercer is made with: Debian packages, found once here.
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(libzip REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(zlib REQUIRED IMPORTED_TARGET zlib)
pkg_check_modules(libpng REQUIRED IMPORTED_TARGET libpng)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
pkg_check_modules(fftw3 REQUIRED IMPORTED_TARGET fftw3)
pkg_check_modules(fftw3f REQUIRED IMPORTED_TARGET fftw3f)
find_path(FAST_FLOAT_INCLUDE fast_float/fast_float.h REQUIRED)
find_path(NANOFLANN_INCLUDE nanoflann.hpp REQUIRED)
find_path(HNSWLIB_INCLUDE hnswlib/hnswlib.h REQUIRED)
find_path(CHOLMOD_INCLUDE cholmod.h REQUIRED PATH_SUFFIXES suitesparse)
find_library(CHOLMOD_LIBRARY cholmod REQUIRED)
find_path(DSDP_INCLUDE dsdp5.h REQUIRED PATH_SUFFIXES dsdp)
find_library(DSDP_LIBRARY dsdp REQUIRED)
if(MERCER_PLOT)
  pkg_check_modules(cairo REQUIRED IMPORTED_TARGET cairo)
endif()

# OpenBLAS by build, not by whatever the alternatives point to: the OpenMP build follows our threads. Debian's serial one
# hands out the same buffer twice where several threads call it: linalg then lets in one at a time (for the thread sanitizer).
find_library(MERCER_OPENBLAS_LIBRARY openblas REQUIRED
             PATH_SUFFIXES openblas-${MERCER_OPENBLAS} NO_CACHE)
find_path(MERCER_OPENBLAS_INCLUDE cblas.h REQUIRED
          PATH_SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-${MERCER_OPENBLAS} openblas NO_CACHE)
add_library(mercer_openblas INTERFACE)
target_link_libraries(mercer_openblas INTERFACE
  $<BUILD_INTERFACE:${MERCER_OPENBLAS_LIBRARY}> $<INSTALL_INTERFACE:mercer::openblas>)
# CHOLMOD and DSDP ask for libblas.so.3, and the alternatives may answer with another build, which does not run on this one.
if(NOT MERCER_OPENBLAS STREQUAL "openmp")
  get_filename_component(openblas_folder ${MERCER_OPENBLAS_LIBRARY} DIRECTORY)
  target_link_libraries(mercer_openblas INTERFACE $<BUILD_INTERFACE:-Wl,--no-as-needed>
    $<BUILD_INTERFACE:${openblas_folder}/libblas.so.3> $<BUILD_INTERFACE:${openblas_folder}/liblapack.so.3>)
endif()
target_include_directories(mercer_openblas SYSTEM INTERFACE $<BUILD_INTERFACE:${MERCER_OPENBLAS_INCLUDE}>)

# What the implementation files use; users of the library see none of it (those of a static library link
# it: cmake/mercerConfig.cmake.in finds it again).
add_library(mercer_implementation INTERFACE)
target_link_libraries(mercer_implementation INTERFACE
  fmt::fmt $<BUILD_INTERFACE:nlohmann_json::nlohmann_json> PkgConfig::hwy PkgConfig::libzip PkgConfig::zlib
  PkgConfig::libpng PkgConfig::xxhash PkgConfig::muparser PkgConfig::fftw3 PkgConfig::fftw3f
  $<BUILD_INTERFACE:${CHOLMOD_LIBRARY}> $<BUILD_INTERFACE:${DSDP_LIBRARY}> $<INSTALL_INTERFACE:cholmod> $<INSTALL_INTERFACE:dsdp>)
target_include_directories(mercer_implementation SYSTEM INTERFACE $<BUILD_INTERFACE:${FAST_FLOAT_INCLUDE}>
  $<BUILD_INTERFACE:${NANOFLANN_INCLUDE}> $<BUILD_INTERFACE:${HNSWLIB_INCLUDE}> $<BUILD_INTERFACE:${CHOLMOD_INCLUDE}>
  $<BUILD_INTERFACE:${DSDP_INCLUDE}>)
