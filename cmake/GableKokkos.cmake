# Finds Kokkos 4.6 or newer (5.x included), in this order:
#   1. an installed one                 find_package: CMAKE_PREFIX_PATH, Kokkos_ROOT; Spack, modules, distributions
#   2. a source tree                    FETCHCONTENT_SOURCE_DIR_KOKKOS, or kokkos/ in the user's cache folder
#   3. the pinned official release      FetchContent downloads it
# scripts/quickstart has a fourth way for machines where only a Debian mirror answers. Targets: Kokkos::kokkos, gable::kokkos.
set(GABLE_KOKKOS_URL "https://github.com/kokkos/kokkos/releases/download/5.2.2/kokkos-5.2.2.tar.gz" CACHE STRING
    "Where the pinned Kokkos release is downloaded from (a site's mirror, a file:// URL)")
set(GABLE_KOKKOS_SHA256 "d6557aaef39302282a15f9c770433d1fcdf4e961dfd6d9ed726b9d0d0f546b9f" CACHE STRING
    "SHA-256 of what GABLE_KOKKOS_URL gives")
mark_as_advanced(GABLE_KOKKOS_URL GABLE_KOKKOS_SHA256)
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # unpacked files are as old as their download
endif()

# Sets FETCHCONTENT_SOURCE_DIR_KOKKOS to the user's cached source tree if there is one.
function(gable_use_cached_kokkos)
  if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(tree "$ENV{XDG_CACHE_HOME}/gable/kokkos")
  else()
    set(tree "$ENV{HOME}/.cache/gable/kokkos")
  endif()
  if(EXISTS "${tree}/CMakeLists.txt")
    set(FETCHCONTENT_SOURCE_DIR_KOKKOS "${tree}" CACHE PATH "Kokkos source tree to build")
  endif()
endfunction()

# Stops with what can be done when the release cannot be downloaded.
function(gable_require_kokkos_download)
  if(EXISTS "${FETCHCONTENT_BASE_DIR}/kokkos-src/CMakeLists.txt" OR FETCHCONTENT_FULLY_DISCONNECTED)
    return()
  endif()
  file(DOWNLOAD "${GABLE_KOKKOS_URL}" RANGE_END 0 TIMEOUT 20 STATUS status)
  list(GET status 0 code)
  if(NOT code EQUAL 0)
    list(GET status 1 reason)
    message(FATAL_ERROR "No Kokkos: none of 4.6 or newer is installed where CMake looks, and ${GABLE_KOKKOS_URL} "
      "cannot be downloaded (${reason}). Either point CMAKE_PREFIX_PATH or Kokkos_ROOT to an installed one, or "
      "FETCHCONTENT_SOURCE_DIR_KOKKOS to a source tree, or let scripts/quickstart build in a Debian root; see docs/install.md.")
  endif()
endfunction()

# gable_mend_kokkos4(<version> <target> <scope>): Kokkos before 5 and what is compiled against it lack something for CUDA, which comes from
# a header that nvcc includes before everything else. scope: PUBLIC for a Kokkos that this build makes, INTERFACE for an installed one.
function(gable_mend_kokkos4 version target scope)
  if(GABLE_DEVICE_LANGUAGE STREQUAL "CUDA" AND version VERSION_LESS 5)
    set(header ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../backends/cuda/kokkos4.h)
    target_compile_options(${target} ${scope} "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-include \"${header}\">")
  endif()
endfunction()

# Builds Kokkos from source as part of this build: OpenMP for any CPU of this kind, because the kernels of every target share it, and
# beside it the GPU of GABLE_BACKEND.
macro(gable_build_kokkos)
  set(Kokkos_ENABLE_OPENMP ON CACHE BOOL "")
  set(Kokkos_ENABLE_SERIAL OFF CACHE BOOL "")
  if(GABLE_DEVICE_LANGUAGE)
    set(Kokkos_ENABLE_${GABLE_DEVICE_LANGUAGE} ON CACHE BOOL "")
    set(Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE ON CACHE BOOL "")
    set(Kokkos_ENABLE_ROCTHRUST OFF CACHE BOOL "")  # Kokkos sorts with it; nothing here does
    set(Kokkos_ARCH_${GABLE_KOKKOS_ARCH} ON CACHE BOOL "")
  endif()
  FetchContent_Declare(Kokkos SYSTEM URL "${GABLE_KOKKOS_URL}" URL_HASH "SHA256=${GABLE_KOKKOS_SHA256}")
  FetchContent_MakeAvailable(Kokkos)
  get_directory_property(gable_kokkos_version DIRECTORY ${kokkos_SOURCE_DIR} DEFINITION Kokkos_VERSION)
  gable_mend_kokkos4("${gable_kokkos_version}" kokkoscore PUBLIC)
  if(GABLE_DEVICE_LANGUAGE)
    # its archives are inside the worker; an installed package is the CPU build's
    set_property(DIRECTORY ${kokkos_SOURCE_DIR} PROPERTY EXCLUDE_FROM_ALL ON)
  endif()
endmacro()

# Stops if Kokkos, found or built along, is for one kind of CPU, whose options would go into the kernels of every target.
function(gable_check_cpu_of_kokkos)
  get_target_property(options Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)
  if(options MATCHES "(-m(arch|cpu)=[A-Za-z0-9_.+-]*|-mavx[0-9a-z]*|-xHost)" AND NOT GABLE_CPU_TARGETS STREQUAL "native")
    message(FATAL_ERROR "The Kokkos of this build is for one kind of CPU (${CMAKE_MATCH_1}): GABLE_CPU_TARGETS can only be native with it. "
      "Take one without Kokkos_ARCH_* for CPUs: point Kokkos_ROOT to it, or let this build make it (CMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON)")
  endif()
endfunction()

# Stops if the Kokkos that was found is not for this build's GPU.
function(gable_check_installed_kokkos)
  if(NOT GABLE_DEVICE_LANGUAGE)
    return()
  endif()
  set(how "Point Kokkos_ROOT to another, or let this build make one: CMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON")
  if(NOT GABLE_DEVICE_LANGUAGE IN_LIST Kokkos_DEVICES)
    message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} has no ${GABLE_DEVICE_LANGUAGE}. ${how}")
  endif()
  set(archs ${Kokkos_ARCH})  # two of AMD's have an older name, which Spack's Kokkos is built with
  list(TRANSFORM archs REPLACE "^VEGA90A$" AMD_GFX90A)
  list(TRANSFORM archs REPLACE "^NAVI1100$" AMD_GFX1100)
  if(NOT GABLE_KOKKOS_ARCH IN_LIST archs)
    message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} is for ${Kokkos_ARCH}, not for ${GABLE_KOKKOS_ARCH}. ${how}")
  endif()
  if(NOT Kokkos_COMPILE_LANGUAGE STREQUAL GABLE_DEVICE_LANGUAGE)  # its options are then for another compiler
    message(FATAL_ERROR "The Kokkos in ${Kokkos_DIR} was not built with Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE. ${how}")
  endif()
endfunction()

find_package(Kokkos 4.6 QUIET)
if(Kokkos_FOUND)
  message(STATUS "Kokkos ${Kokkos_VERSION} installed in ${Kokkos_DIR}")
  gable_check_installed_kokkos()
  gable_mend_kokkos4("${Kokkos_VERSION}" Kokkos::kokkoscore INTERFACE)
else()
  include(FetchContent)
  if(NOT FETCHCONTENT_SOURCE_DIR_KOKKOS)
    gable_use_cached_kokkos()
  endif()
  if(FETCHCONTENT_SOURCE_DIR_KOKKOS)
    message(STATUS "Kokkos from the source tree ${FETCHCONTENT_SOURCE_DIR_KOKKOS}")
  else()
    gable_require_kokkos_download()
    message(STATUS "Kokkos from ${GABLE_KOKKOS_URL}")
  endif()
  gable_build_kokkos()
endif()
if(NOT GABLE_DEVICE_LANGUAGE)
  gable_check_cpu_of_kokkos()
endif()
add_library(gable_kokkos INTERFACE)
add_library(gable::kokkos ALIAS gable_kokkos)
set_target_properties(gable_kokkos PROPERTIES EXPORT_NAME kokkos)
target_link_libraries(gable_kokkos INTERFACE Kokkos::kokkos)
