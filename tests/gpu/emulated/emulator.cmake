# The emulator of NVIDIA device code and its tests, and, with CUDA's headers, what stands in for the CUDA runtime: the libraries
# libcudart.so.13 and libcuda.so.1 in the folder GABLE_EMULATED_CUDA, for LD_LIBRARY_PATH of programs that link the shared runtime.
find_package(GTest REQUIRED)
find_package(CUDAToolkit 13.0 QUIET)

file(GLOB gable_emulator_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/ptx/*.cpp
     ${CMAKE_CURRENT_LIST_DIR}/machine/*.cpp)
file(GLOB gable_emulator_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.cpp)
get_filename_component(gable_emulator_root ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)

add_library(gable_emulator STATIC ${gable_emulator_sources})
target_compile_features(gable_emulator PUBLIC cxx_std_20)
target_include_directories(gable_emulator PUBLIC ${gable_emulator_root})
# A product and a sum are two roundings in PTX unless it says fma. -O3 turns the loops of matrix products into vectors.
target_compile_options(gable_emulator PUBLIC -ffp-contract=off PRIVATE -O3)
set_target_properties(gable_emulator PROPERTIES POSITION_INDEPENDENT_CODE ON)

add_executable(gable_test_emulator)
target_link_libraries(gable_test_emulator PRIVATE gable_emulator GTest::gtest_main)

if(CUDAToolkit_FOUND)
  set(gable_emulated_runtime ${CMAKE_CURRENT_LIST_DIR}/runtime)
  set(GABLE_EMULATED_CUDA ${CMAKE_CURRENT_BINARY_DIR}/emulated_cuda)
  add_library(gable_emulated_runtime OBJECT ${gable_emulated_runtime}/answer.cpp ${gable_emulated_runtime}/device.cpp
    ${gable_emulated_runtime}/fat_binary.cpp ${gable_emulated_runtime}/launch.cpp ${gable_emulated_runtime}/memory.cpp
    ${gable_emulated_runtime}/program.cpp ${gable_emulated_runtime}/stream.cpp)
  target_link_libraries(gable_emulated_runtime PUBLIC gable_emulator)
  target_include_directories(gable_emulated_runtime SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
  set_target_properties(gable_emulated_runtime PROPERTIES POSITION_INDEPENDENT_CODE ON)

  # Programs ask for the version of each function, which is the library's name.
  add_library(gable_emulated_cudart SHARED)
  target_link_libraries(gable_emulated_cudart PRIVATE gable_emulated_runtime
    -Wl,--version-script=${gable_emulated_runtime}/cudart.map)
  set_target_properties(gable_emulated_cudart PROPERTIES OUTPUT_NAME cudart VERSION 13 SOVERSION 13 LINKER_LANGUAGE CXX
    LINK_DEPENDS ${gable_emulated_runtime}/cudart.map LIBRARY_OUTPUT_DIRECTORY ${GABLE_EMULATED_CUDA})
  add_library(gable_emulated_cuda SHARED ${gable_emulated_runtime}/driver.cpp)
  target_include_directories(gable_emulated_cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  set_target_properties(gable_emulated_cuda PROPERTIES OUTPUT_NAME cuda VERSION 1 SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${GABLE_EMULATED_CUDA})

  target_link_libraries(gable_test_emulator PRIVATE gable_emulated_runtime)
else()
  message(STATUS "Emulator of NVIDIA device code: no CUDA 13, so there is no emulated runtime and no test of it")
  list(FILTER gable_emulator_tests EXCLUDE REGEX runtime_test.cpp)
endif()
target_sources(gable_test_emulator PRIVATE ${gable_emulator_tests})
