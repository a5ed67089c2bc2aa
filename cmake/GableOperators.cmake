# Operators: one line each, and a registry written from those lines.
#
#   gable_add_operator(triad)                    # triad.hpp: struct Triad, triad.cpp: triad_entry(), both in namespace gable::operators
#   gable_add_operator(stencil DIRECTORY src)    # the pair lies elsewhere
#   gable_add_operator(relu HEADER activation.hpp SOURCE activation.cpp)    # the header, the source or both have several operators
#   gable_kernel_sources(tools.cpp)              # a source that operators' kernels share
#   gable_operator_library([PREFIX <prefix>])    # after the last of them
#
# The library step makes
#   <prefix>_operator_specs              what the operators are, and their list; no Kokkos. The parent and the unit tests link it.
# and for each worker's target (GABLE_WORKER_TARGETS: CPU targets, or the GPU's architecture)
#   <prefix>_operator_kernels_<target>   how they run; links Kokkos.
#   <prefix>_operators_<target>          the list of entries, with both of the above. Workers and conformance tests link it.
# The list is explicit: no static object registers itself, so no linker can drop an operator. A project outside the tree that calls
# find_package(gable) uses the same two functions with its own PREFIX; its lists then start with the installed operators
# (GABLE_INSTALLED_OPERATORS, set by the package file), whose kernels come from gable::operator_kernels_<target>.

function(gable_add_operator name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DIRECTORY;HEADER;SOURCE" "")
  if(NOT name MATCHES "^[a-z][a-z0-9_]*$")
    message(FATAL_ERROR "gable_add_operator: '${name}' is not a snake_case name")
  endif()
  set(folder ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_DIRECTORY)
    cmake_path(ABSOLUTE_PATH arg_DIRECTORY BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE folder)
  endif()
  if(NOT arg_HEADER)
    set(arg_HEADER ${name}.hpp)
  endif()
  if(NOT arg_SOURCE)
    set(arg_SOURCE ${name}.cpp)
  endif()
  foreach(file IN ITEMS ${arg_HEADER} ${arg_SOURCE})
    if(NOT EXISTS ${folder}/${file})
      message(FATAL_ERROR "gable_add_operator(${name}): ${folder}/${file} does not exist")
    endif()
  endforeach()
  set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY GABLE_OPERATORS ${name})
  set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY GABLE_OPERATOR_FOLDERS ${folder})
  set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY GABLE_OPERATOR_HEADERS ${arg_HEADER})
  set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY GABLE_KERNEL_SOURCES ${folder}/${arg_SOURCE})
endfunction()

function(gable_kernel_sources)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set_property(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} APPEND PROPERTY GABLE_KERNEL_SOURCES ${sources})
endfunction()

# gable_operator_sources(<variable>): the sources of this folder's operators.
function(gable_operator_sources variable)
  get_property(sources DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} PROPERTY GABLE_KERNEL_SOURCES)
  list(REMOVE_DUPLICATES sources)
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# gable_device_sources(<target>): the target's sources hold device code; the GPU's compiler takes them where there is a GPU.
function(gable_device_sources target)
  if(GABLE_DEVICE_LANGUAGE)
    get_target_property(sources ${target} SOURCES)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE ${GABLE_DEVICE_LANGUAGE})
  endif()
endfunction()

# gable_kernel_options(<library> <target>): how a library's kernels are compiled for a target of GABLE_WORKER_TARGETS. GPU builds keep their
# compiler's options.
function(gable_kernel_options library target)
  if(GABLE_DEVICE_LANGUAGE)
    # pragmas of the host's compiler (1675), and members that only a CPU's form of a kernel uses (177)
    target_compile_options(${library} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-diag-suppress=1675,177>)
    if(target STREQUAL "sm_90a")  # products by wgmma, which sm_90 without the a does not have
      set_target_properties(${library} PROPERTIES CUDA_ARCHITECTURES OFF)
      target_compile_options(${library} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:${GABLE_SM_90A}>)
      target_compile_definitions(${library} PRIVATE GABLE_WGMMA)
    endif()
    return()
  endif()
  gable_cpu_target_options(${target} options)
  target_compile_options(${library} PRIVATE ${options} -Wno-psabi)
  if(target STREQUAL "native")
    # Read by nobody: a build folder that another machine takes over compiles its kernels anew, because this differs there.
    string(MAKE_C_IDENTIFIER "GABLE_NATIVE_${GABLE_NATIVE_FLAGS}" made_for)
    target_compile_definitions(${library} PRIVATE ${made_for})
  endif()
  target_include_directories(${library} SYSTEM PRIVATE ${GABLE_HIGHWAY_INCLUDE_DIR})
endfunction()

# gable_kernel_library(<library> <target> <source>…): kernels compiled for a target.
function(gable_kernel_library library target)
  add_library(${library} STATIC ${ARGN})
  target_link_libraries(${library} PUBLIC gable::core Kokkos::kokkos)
  gable_device_sources(${library})
  gable_kernel_options(${library} ${target})
  gable_library(${library})
endfunction()

# gable_library(<library>): what every library of operators has in common, in the project and outside.
function(gable_library library)
  target_compile_features(${library} PUBLIC cxx_std_20)
  if(COMMAND gable_target)
    gable_target(${library})
  endif()
endfunction()

# gable_operators_for(<prefix> <form> <target>): <prefix>_operator_kernels_<form> and <prefix>_operators_<form> out of the operators of this
# folder, compiled for a target. A worker's form is its target; a test has another of its own.
function(gable_operators_for prefix form target)
  gable_operator_sources(sources)
  set(kernels ${prefix}_operator_kernels_${form})
  set(operators ${prefix}_operators_${form})
  gable_kernel_library(${kernels} ${target} ${sources})
  target_link_libraries(${kernels} INTERFACE ${prefix}_operator_specs)  # kernels' sizes come from functions of the specs
  add_library(${operators} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_registry/operator_entries.cpp)
  target_link_libraries(${operators} PUBLIC ${kernels} ${prefix}_operator_specs)
  if(GABLE_INSTALLED_OPERATORS)
    target_link_libraries(${operators} PUBLIC gable::operators_${form})
  endif()
  gable_library(${operators})
  if(prefix STREQUAL gable AND NOT GABLE_DEVICE_LANGUAGE)  # Kokkos' headers take longer to read than most kernels to compile
    target_precompile_headers(${kernels} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/device/operator_kit.hpp)
  endif()
endfunction()

# triad -> Triad, bias_relu -> BiasRelu
function(gable_operator_class name result)
  string(REPLACE "_" ";" words ${name})
  set(class "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 head)
    string(SUBSTRING ${word} 1 -1 tail)
    string(TOUPPER ${head} head)
    string(APPEND class ${head}${tail})
  endforeach()
  set(${result} ${class} PARENT_SCOPE)
endfunction()

# Writes the specs of `names`, which `headers` declare, a few in a source because their references take long to compile; `sources`: these
# files.
function(gable_write_specs folder names headers sources)
  set(written "")
  while(names)
    list(SUBLIST names 0 8 some)
    list(REMOVE_ITEM names ${some})
    list(SUBLIST headers 0 8 some_headers)
    list(LENGTH some count)
    foreach(i RANGE 1 ${count})
      list(POP_FRONT headers)
    endforeach()
    set(includes "")
    set(specs "")
    foreach(name header IN ZIP_LISTS some some_headers)
      gable_operator_class(${name} class)
      string(APPEND includes "#include \"${header}\"\n")
      string(APPEND specs "const OperatorSpec& ${name}_spec() { return spec_of<${class}>(); }\n")
    endforeach()
    list(GET some 0 first)
    set(source ${folder}/specs_from_${first}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[// Written by gable_operator_library().
#include "core/operator_spec.hpp"
@includes@
namespace gable::operators {
@specs@}  // namespace gable::operators
]])
    list(APPEND written ${source})
  endwhile()
  set(${sources} ${written} PARENT_SCOPE)
endfunction()

# Writes `function`, which lists what `names` have of a kind: of each the result of <name>_<kind>().
function(gable_write_list source function names kind class header)
  set(declarations "")
  set(elements "")
  foreach(name IN LISTS names)
    string(APPEND declarations "const ${class}& ${name}_${kind}();\n")
    string(APPEND elements "      &gable::operators::${name}_${kind}(),\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[// Written by gable_operator_library().
#include <array>

#include "@header@"

namespace gable::operators {
@declarations@}  // namespace gable::operators

std::span<const gable::@class@* const> gable::@function@() {
  static const auto list = std::to_array<const @class@*>({
@elements@  });
  return list;
}
]])
endfunction()

function(gable_operator_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PREFIX" "")
  set(prefix gable)
  if(arg_PREFIX)
    set(prefix ${arg_PREFIX})
  endif()
  get_property(names DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} PROPERTY GABLE_OPERATORS)
  get_property(headers DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} PROPERTY GABLE_OPERATOR_HEADERS)
  get_property(folders DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} PROPERTY GABLE_OPERATOR_FOLDERS)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${prefix}_registry)
  set(all ${GABLE_INSTALLED_OPERATORS} ${names})
  gable_write_specs(${generated} "${names}" "${headers}" specs)
  gable_write_list(${generated}/operator_specs.cpp operator_specs "${all}" spec OperatorSpec core/operator_spec.hpp)
  gable_write_list(${generated}/operator_entries.cpp operator_entries "${all}" entry OperatorEntry core/operator.hpp)

  add_library(${prefix}_operator_specs STATIC ${generated}/operator_specs.cpp ${specs})
  target_include_directories(${prefix}_operator_specs PRIVATE ${folders})
  target_link_libraries(${prefix}_operator_specs PUBLIC gable::core)
  if(GABLE_INSTALLED_OPERATORS)
    target_link_libraries(${prefix}_operator_specs PUBLIC gable::operator_specs)
  endif()
  gable_library(${prefix}_operator_specs)
  if(TARGET Kokkos::kokkos)
    foreach(target IN LISTS GABLE_WORKER_TARGETS)
      gable_operators_for(${prefix} ${target} ${target})
    endforeach()
  endif()
  if(prefix STREQUAL gable)
    add_library(gable::operator_specs ALIAS gable_operator_specs)
  endif()
endfunction()
