# For projects that use an installed gable.
#
#   gable_add_programs(PREFIX <prefix>)    # after gable_operator_library(PREFIX <prefix>)
#
# makes `gable` and its CPU worker with the installed operators and those of <prefix>, in <build folder>/bin. Targets:
# <prefix>_program, <prefix>_worker.
function(gable_add_programs)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PREFIX" "")
  if(NOT TARGET ${arg_PREFIX}_operators)
    message(FATAL_ERROR "gable_add_programs: call gable_operator_library(PREFIX ${arg_PREFIX}) first")
  endif()
  set(arch ${GABLE_CPU_ARCH})
  if(NOT arch)
    set(arch generic)
  endif()
  file(GLOB sources ${GABLE_PROGRAM_SOURCES}/cli/*.cpp)
  set(worker_main ${GABLE_PROGRAM_SOURCES}/cli/worker_main.cpp)
  list(FILTER sources EXCLUDE REGEX "/worker_main[^/]*$")
  add_executable(${arg_PREFIX}_program ${sources})
  target_link_libraries(${arg_PREFIX}_program PRIVATE ${arg_PREFIX}_operator_specs gable::operator_specs gable::core
                                                      Boost::program_options)
  add_executable(${arg_PREFIX}_worker ${worker_main})
  target_link_libraries(${arg_PREFIX}_worker PRIVATE ${arg_PREFIX}_operators gable::backend_kokkos gable::backend_openmp)
  target_compile_definitions(${arg_PREFIX}_worker PRIVATE GABLE_WORKER_NAME="gable-worker-openmp-${arch}"
                             GABLE_KERNEL_FLAGS="${GABLE_CPU_KERNEL_FLAGS}")
  set_target_properties(${arg_PREFIX}_program PROPERTIES OUTPUT_NAME gable)
  set_target_properties(${arg_PREFIX}_worker PROPERTIES OUTPUT_NAME gable-worker-openmp-${arch})
  foreach(target IN ITEMS ${arg_PREFIX}_program ${arg_PREFIX}_worker)
    target_include_directories(${target} PRIVATE ${GABLE_PROGRAM_SOURCES})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)
  endforeach()
endfunction()
