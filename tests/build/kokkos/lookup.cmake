# Lays out an installed package, a cached tree, a given tree and a release, and takes them away one by one.
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${FOLDER})

function(make_tree tree)  # what it says tells which one was built
  file(WRITE ${tree}/CMakeLists.txt
    "cmake_minimum_required(VERSION 3.22)\nproject(Kokkos NONE)\nmessage(STATUS \"built ${ARGN}\")\n"
    "add_library(kokkos INTERFACE)\nadd_library(Kokkos::kokkos ALIAS kokkos)\n")
endfunction()

function(make_package prefix version)  # more arguments: what it is for
  string(REPLACE ";" "\n" settings "${ARGN}")
  file(WRITE ${prefix}/lib/cmake/Kokkos/KokkosConfig.cmake "add_library(Kokkos::kokkos INTERFACE IMPORTED)\n${settings}\n")
  file(WRITE ${prefix}/lib/cmake/Kokkos/KokkosConfigVersion.cmake
    "set(PACKAGE_VERSION ${version})\nif(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)\n"
    "  set(PACKAGE_VERSION_COMPATIBLE TRUE)\nendif()\n")
endfunction()

# expect(<pattern in what configuring prints> <option> …); $ENV{XDG_CACHE_HOME} is the cache
function(expect pattern)
  file(REMOVE_RECURSE ${FOLDER}/out)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${FOLDER}/project -B ${FOLDER}/out -G ${GENERATOR} -DCMAKE_MAKE_PROGRAM=${MAKE} -DCMAKE_CXX_COMPILER=${COMPILER}
            -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF
            -DCMAKE_FIND_USE_CMAKE_ENVIRONMENT_PATH=OFF -DCMAKE_FIND_USE_PACKAGE_ROOT_PATH=OFF
            -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF -DGABLE_KOKKOS_URL=${url} -DGABLE_KOKKOS_SHA256=${hash} ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(NOT output MATCHES "${pattern}")
    message(FATAL_ERROR "options '${ARGN}': expected '${pattern}' in\n${output}")
  endif()
endfunction()

file(WRITE ${FOLDER}/project/CMakeLists.txt
  "cmake_minimum_required(VERSION 3.22)\nproject(probe LANGUAGES CXX)\ninclude(${MODULE})\n"
  "get_target_property(linked gable::kokkos INTERFACE_LINK_LIBRARIES)\nmessage(STATUS \"linked \${linked}\")\n"
  "if(TARGET Kokkos::kokkoscore)\n  get_target_property(options Kokkos::kokkoscore INTERFACE_COMPILE_OPTIONS)\n"
  "  message(STATUS \"options \${options}\")\nendif()\n")
make_package(${FOLDER}/new 5.2.2)
make_package(${FOLDER}/old 4.5.0)
make_tree(${FOLDER}/given "the given tree")
make_tree(${FOLDER}/cache/gable/kokkos "the cached tree")
make_tree(${FOLDER}/release/kokkos-9 "the release")
file(MAKE_DIRECTORY ${FOLDER}/empty)
execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf ${FOLDER}/release.tar.gz kokkos-9 WORKING_DIRECTORY ${FOLDER}/release
                COMMAND_ERROR_IS_FATAL ANY)
file(SHA256 ${FOLDER}/release.tar.gz hash)
set(url file://${FOLDER}/release.tar.gz)
set(given -DFETCHCONTENT_SOURCE_DIR_KOKKOS=${FOLDER}/given)

set(ENV{XDG_CACHE_HOME} ${FOLDER}/cache)
expect("Kokkos 5.2.2 installed in .*linked Kokkos::kokkos" -DCMAKE_PREFIX_PATH=${FOLDER}/new ${given})
expect("built the given tree.*linked Kokkos::kokkos" -DCMAKE_PREFIX_PATH=${FOLDER}/old ${given})
expect("built the cached tree" -DCMAKE_PREFIX_PATH=${FOLDER}/old)
set(ENV{XDG_CACHE_HOME} ${FOLDER}/empty)
expect("built the release.*linked Kokkos::kokkos")
string(REPEAT 0 64 other)
expect("hash.*(does not match|mismatch)" -DGABLE_KOKKOS_SHA256=${other})
expect("No Kokkos: none of 4.6 or newer.*no-such.*cannot be downloaded.*FETCHCONTENT_SOURCE_DIR_KOKKOS.*scripts/quickstart"
       -DGABLE_KOKKOS_URL=file://${FOLDER}/no-such.tar.gz)

# For a GPU an installed one must be for that GPU, in CMake's language of it.
set(gpu -DGABLE_DEVICE_LANGUAGE=HIP -DGABLE_KOKKOS_ARCH=AMD_GFX942)
make_package(${FOLDER}/amd 5.2.2 "set(Kokkos_DEVICES OPENMP HIP)" "set(Kokkos_ARCH ZEN3 AMD_GFX942)" "set(Kokkos_COMPILE_LANGUAGE HIP)")
make_package(${FOLDER}/cpu 5.2.2 "set(Kokkos_DEVICES OPENMP)" "set(Kokkos_ARCH ZEN3)" "set(Kokkos_COMPILE_LANGUAGE CXX)")
make_package(${FOLDER}/other 5.2.2 "set(Kokkos_DEVICES OPENMP HIP)" "set(Kokkos_ARCH AMD_GFX90A)" "set(Kokkos_COMPILE_LANGUAGE HIP)")
make_package(${FOLDER}/hipcc 5.2.2 "set(Kokkos_DEVICES OPENMP HIP)" "set(Kokkos_ARCH AMD_GFX942)" "set(Kokkos_COMPILE_LANGUAGE CXX)")
expect("Kokkos 5.2.2 installed in .*linked Kokkos::kokkos" -DCMAKE_PREFIX_PATH=${FOLDER}/amd ${gpu})
expect("The Kokkos in .*cpu.* has no HIP" -DCMAKE_PREFIX_PATH=${FOLDER}/cpu ${gpu})
expect("The Kokkos in .*other.* is for AMD_GFX90A, not for AMD_GFX942" -DCMAKE_PREFIX_PATH=${FOLDER}/other ${gpu})
make_package(${FOLDER}/spack 5.2.2 "set(Kokkos_DEVICES OPENMP HIP)" "set(Kokkos_ARCH VEGA90A)" "set(Kokkos_COMPILE_LANGUAGE HIP)")
expect("Kokkos 5.2.2 installed in .*linked Kokkos::kokkos" -DCMAKE_PREFIX_PATH=${FOLDER}/spack -DGABLE_DEVICE_LANGUAGE=HIP
       -DGABLE_KOKKOS_ARCH=AMD_GFX90A)
expect("The Kokkos in .*hipcc.* was not built with Kokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE" -DCMAKE_PREFIX_PATH=${FOLDER}/hipcc ${gpu})

# With CUDA, one before 5 gets a header that nvcc includes first; newer ones do not.
set(cuda -DGABLE_DEVICE_LANGUAGE=CUDA -DGABLE_KOKKOS_ARCH=HOPPER90)
foreach(version IN ITEMS 4.7.1 5.0.0)
  make_package(${FOLDER}/cuda-${version} ${version} "set(Kokkos_DEVICES OPENMP CUDA)" "set(Kokkos_ARCH HOPPER90)"
               "set(Kokkos_COMPILE_LANGUAGE CUDA)" "set(Kokkos_VERSION ${version})" "add_library(Kokkos::kokkoscore INTERFACE IMPORTED)")
endforeach()
expect("options .*COMPILE_LANGUAGE:CUDA>:SHELL:-include .*/backends/cuda/kokkos4.h" -DCMAKE_PREFIX_PATH=${FOLDER}/cuda-4.7.1 ${cuda})
expect("options options-NOTFOUND" -DCMAKE_PREFIX_PATH=${FOLDER}/cuda-5.0.0 ${cuda})
