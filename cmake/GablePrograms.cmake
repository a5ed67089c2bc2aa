# For projects that use an installed gable.
#
#   gable_add_programs(PREFIX <prefix>)    # after gable_operator_library(PREFIX <prefix>)
#
# makes `gable` and its CPU workers with the installed operators and those of <prefix>, in <build folder>/bin. Targets:
# <prefix>_program, and <prefix>_worker_<target> for each of GABLE_CPU_TARGETS.
function(gable_add_programs)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PREFIX" "")
  if(NOT TARGET ${arg_PREFIX}_operator_specs)
    message(FATAL_ERROR "gable_add_programs: call gable_operator_library(PREFIX ${arg_PREFIX}) first")
  endif()
  set(worker_main ${GABLE_PROGRAM_SOURCES}/cli/worker_main.cpp)
  add_executable(${arg_PREFIX}_program ${GABLE_PROGRAM_SOURCES}/cli/main.cpp)
  target_link_libraries(${arg_PREFIX}_program PRIVATE gable::commands ${arg_PREFIX}_operator_specs gable::operator_specs gable::core)
  set_target_properties(${arg_PREFIX}_program PROPERTIES OUTPUT_NAME gable)
  set(made ${arg_PREFIX}_program)
  # of the operators of <prefix>; the installed ones were compiled as the installed gable says
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" own_flags)
  foreach(target IN LISTS GABLE_WORKER_TARGETS)
    set(worker ${arg_PREFIX}_worker_${target})
    set(name gable-worker-openmp-${target})
    gable_cpu_target_options(${target} options)
    string(JOIN " " options ${options})
    add_executable(${worker} ${worker_main})
    target_link_libraries(${worker} PRIVATE ${arg_PREFIX}_operators_${target} gable::backend_kokkos gable::kokkos_streams_${target}
                                            gable::backend_openmp)
    target_compile_definitions(${worker} PRIVATE GABLE_WORKER_NAME="${name}" GABLE_KERNEL_FLAGS="${options}"
                                                 GABLE_OWN_FLAGS=" | ${arg_PREFIX}: ${CMAKE_BUILD_TYPE} ${own_flags} ${options}"
                                                 GABLE_TARGET="${GABLE_CPU_TARGET_${target}_TEXT}")
    set_target_properties(${worker} PROPERTIES OUTPUT_NAME ${name})
    list(APPEND made ${worker})
  endforeach()
  foreach(target IN LISTS made)
    target_include_directories(${target} PRIVATE ${GABLE_PROGRAM_SOURCES})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/bin)
  endforeach()
endfunction()
