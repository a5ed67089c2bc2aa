# What the CPU kernels are compiled for. Each target makes a worker of its own, gable-worker-openmp-<target>; several are built and
# installed side by side, because a cluster's login node is not its compute node. `gable` starts the one of the highest rank whose flags
# this processor has (core/device/cpu_target.hpp); it is told of this table when it is compiled.
#
# Sets GABLE_ALL_CPU_TARGETS, the names of the table, GABLE_CPU_TARGETS_HERE, those for this kind of processor, and of each target:
#   GABLE_CPU_TARGET_<name>_RANK      the higher, the better
#   GABLE_CPU_TARGET_<name>_OPTIONS   of the compiler
#   GABLE_CPU_TARGET_<name>_FLAGS     what its code may use, in the words of Linux' /proc/cpuinfo
#   GABLE_CPU_TARGET_<name>_TEXT      its name, as a result gives it
set(GABLE_ALL_CPU_TARGETS "")
set(GABLE_CPU_TARGETS_HERE "")

macro(gable_cpu_target gable_name gable_rank processors)
  cmake_parse_arguments(target "" "" "OPTIONS;FLAGS" ${ARGN})
  list(APPEND GABLE_ALL_CPU_TARGETS ${gable_name})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(${processors})$")
    list(APPEND GABLE_CPU_TARGETS_HERE ${gable_name})
  endif()
  set(GABLE_CPU_TARGET_${gable_name}_RANK ${gable_rank})
  set(GABLE_CPU_TARGET_${gable_name}_OPTIONS ${target_OPTIONS})
  set(GABLE_CPU_TARGET_${gable_name}_FLAGS ${target_FLAGS})
  set(GABLE_CPU_TARGET_${gable_name}_TEXT ${gable_name})
endmacro()

# Macros that a compiler defines where it may use an instruction set by itself, and the flag that a processor has then.
set(gable_x86_macros __SSE3__=pni __SSSE3__=ssse3 __SSE4_1__=sse4_1 __SSE4_2__=sse4_2 __POPCNT__=popcnt __AVX__=avx __AVX2__=avx2 __FMA__=fma
    __F16C__=f16c __BMI__=bmi1 __BMI2__=bmi2 __LZCNT__=abm __MOVBE__=movbe __AVX512F__=avx512f __AVX512CD__=avx512cd __AVX512BW__=avx512bw
    __AVX512DQ__=avx512dq __AVX512VL__=avx512vl __AVX512VNNI__=avx512_vnni __AVX512BF16__=avx512_bf16 __AVX512FP16__=avx512_fp16
    __AVX512VBMI__=avx512vbmi __AVX512VBMI2__=avx512_vbmi2 __AVX512BITALG__=avx512_bitalg __AVX512VPOPCNTDQ__=avx512_vpopcntdq
    __AVX512IFMA__=avx512ifma __AVXVNNI__=avx_vnni __AVXVNNIINT8__=avx_vnni_int8
    __AVXVNNIINT16__=avx_vnni_int16 __AVXIFMA__=avx_ifma __AVXNECONVERT__=avx_ne_convert __GFNI__=gfni __XOP__=xop __FMA4__=fma4 __TBM__=tbm)
set(gable_arm_macros __ARM_NEON=asimd __ARM_FEATURE_ATOMICS=atomics __ARM_FEATURE_QRDMX=asimdrdm __ARM_FEATURE_DOTPROD=asimddp
    __ARM_FEATURE_FP16_VECTOR_ARITHMETIC=asimdhp __ARM_FEATURE_BF16=bf16 __ARM_FEATURE_MATMUL_INT8=i8mm __ARM_FEATURE_SVE=sve
    __ARM_FEATURE_SVE2=sve2)

# Adds the target "native": what the compiler makes of this machine, a little above the target of the table that it includes. Sets
# GABLE_NATIVE_FLAGS, this machine's flags. There is no such target where the compiler cannot tell, or compiles for another machine.
macro(gable_native_target option)
  set(GABLE_NATIVE_FLAGS "")
  if(NOT CMAKE_CROSSCOMPILING)
    separate_arguments(gable_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}")
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "" COMMAND ${CMAKE_CXX_COMPILER} ${gable_flags} ${option} -dM -E -x c++ -
                    OUTPUT_VARIABLE gable_defined ERROR_QUIET)
    foreach(gable_pair ${ARGN})
      string(REPLACE "=" ";" gable_pair ${gable_pair})
      list(GET gable_pair 0 gable_macro)
      list(GET gable_pair 1 gable_flag)
      if(gable_defined MATCHES "#define ${gable_macro} ")
        list(APPEND GABLE_NATIVE_FLAGS ${gable_flag})
      endif()
    endforeach()
  endif()
  set(gable_rank 0)
  set(gable_text "")
  set(gable_others ${GABLE_NATIVE_FLAGS})
  foreach(gable_name IN LISTS GABLE_CPU_TARGETS_HERE)
    set(gable_lacks ${GABLE_CPU_TARGET_${gable_name}_FLAGS})
    if(gable_lacks)
      list(REMOVE_ITEM gable_lacks ${GABLE_NATIVE_FLAGS} none)
    endif()
    if(NOT gable_lacks AND GABLE_CPU_TARGET_${gable_name}_RANK GREATER_EQUAL gable_rank)
      set(gable_rank ${GABLE_CPU_TARGET_${gable_name}_RANK})
      set(gable_text ${gable_name})
      set(gable_others ${GABLE_NATIVE_FLAGS})
      list(REMOVE_ITEM gable_others ${GABLE_CPU_TARGET_${gable_name}_FLAGS} none)
    endif()
  endforeach()
  math(EXPR gable_rank "${gable_rank} + 5")
  set(gable_anywhere ".*")
  if(NOT GABLE_NATIVE_FLAGS)
    set(gable_anywhere "nowhere")
  endif()
  gable_cpu_target(native ${gable_rank} ${gable_anywhere} OPTIONS ${option} FLAGS ${GABLE_NATIVE_FLAGS})
  string(JOIN " " gable_others ${gable_others})
  if(gable_others)
    set(gable_others " with ${gable_others}")
  endif()
  set(GABLE_CPU_TARGET_native_TEXT "native (${gable_text}${gable_others})")
endmacro()

set(gable_x86 "x86_64|AMD64")
set(gable_arm "aarch64|arm64")
set(gable_v2 pni ssse3 sse4_1 sse4_2 popcnt)
set(gable_v3 ${gable_v2} avx avx2 bmi1 bmi2 f16c fma abm movbe)
set(gable_v4 ${gable_v3} avx512f avx512bw avx512cd avx512dq avx512vl)
set(gable_bf16 -mavx512vnni -mavx512bf16)
set(gable_v82 asimd atomics asimdrdm asimdhp asimddp)
gable_cpu_target(baseline 10 ".*")  # whatever the compiler takes without being asked
gable_cpu_target(x86-64-v2 20 ${gable_x86} OPTIONS -march=x86-64-v2 FLAGS ${gable_v2})
gable_cpu_target(x86-64-v3 30 ${gable_x86} OPTIONS -march=x86-64-v3 FLAGS ${gable_v3})
gable_cpu_target(x86-64-v4 40 ${gable_x86} OPTIONS -march=x86-64-v4 FLAGS ${gable_v4})
gable_cpu_target(v4-bf16 50 ${gable_x86} OPTIONS -march=x86-64-v4 ${gable_bf16} FLAGS ${gable_v4} avx512_vnni avx512_bf16)
gable_cpu_target(sapphirerapids 60 ${gable_x86} OPTIONS -march=x86-64-v4 ${gable_bf16} -mavx512fp16 FLAGS ${gable_v4} avx512_vnni avx512_bf16 avx512_fp16)
gable_cpu_target(armv8.2-a 20 ${gable_arm} OPTIONS -march=armv8.2-a+fp16+dotprod FLAGS ${gable_v82})
gable_cpu_target(neoverse-v1 30 ${gable_arm} OPTIONS -march=armv8.2-a+fp16+dotprod+sve+bf16+i8mm -mtune=neoverse-v1
                 FLAGS ${gable_v82} bf16 i8mm sve)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(${gable_x86})$")
  gable_native_target(-march=native ${gable_x86_macros})
else()
  gable_native_target(-mcpu=native ${gable_arm_macros})
endif()

string(JOIN ", " gable_known ${GABLE_CPU_TARGETS_HERE})
set(gable_default baseline)
if(native IN_LIST GABLE_CPU_TARGETS_HERE)
  set(gable_default native)
endif()
set(GABLE_CPU_TARGETS ${gable_default} CACHE STRING "What the CPU kernels are compiled for, a list: ${gable_known}")
if(GABLE_CPU_ARCH STREQUAL "native")  # of a build folder from before there were targets
  unset(GABLE_CPU_ARCH CACHE)
  unset(Kokkos_ARCH_NATIVE CACHE)
elseif(DEFINED GABLE_CPU_ARCH)
  message(FATAL_ERROR "GABLE_CPU_ARCH is now GABLE_CPU_TARGETS, a list out of: ${gable_known}. Configure with -UGABLE_CPU_ARCH")
endif()
foreach(target IN LISTS GABLE_CPU_TARGETS)
  if(NOT target IN_LIST GABLE_CPU_TARGETS_HERE)
    message(FATAL_ERROR "GABLE_CPU_TARGETS: there is no target '${target}' for ${CMAKE_SYSTEM_PROCESSOR}; there are: ${gable_known}")
  endif()
endforeach()
if(NOT GABLE_CPU_TARGETS)
  message(FATAL_ERROR "GABLE_CPU_TARGETS is empty; there are: ${gable_known}")
endif()

# Those of the list that this machine can run, and the best of them, which tests and benchmarks run: the first where there is none.
set(GABLE_RUNNABLE_CPU_TARGETS "")
list(GET GABLE_CPU_TARGETS 0 GABLE_TESTED_CPU_TARGET)
set(gable_best 0)
foreach(target IN LISTS GABLE_CPU_TARGETS)
  set(gable_lacks ${GABLE_CPU_TARGET_${target}_FLAGS})
  if(gable_lacks)
    list(REMOVE_ITEM gable_lacks ${GABLE_NATIVE_FLAGS} none)
  endif()
  if(NOT gable_lacks)
    list(APPEND GABLE_RUNNABLE_CPU_TARGETS ${target})
    if(GABLE_CPU_TARGET_${target}_RANK GREATER gable_best)
      set(gable_best ${GABLE_CPU_TARGET_${target}_RANK})
      set(GABLE_TESTED_CPU_TARGET ${target})
    endif()
  endif()
endforeach()
# Whether tests can run kernels. When cross-compiling an emulator does.
set(GABLE_KERNELS_RUN ON)
if(NOT GABLE_RUNNABLE_CPU_TARGETS AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  set(GABLE_KERNELS_RUN OFF)
  message(STATUS "This machine can run none of ${GABLE_CPU_TARGETS}: tests of kernels are left out")
endif()
set(GABLE_OTHER_TARGET_OPTIONS "" CACHE STRING
    "Options added to the kernels of all targets but the best that this machine runs: -O1 shortens a build for tests")
mark_as_advanced(GABLE_OTHER_TARGET_OPTIONS)

# Vector arguments never cross a library boundary, so their ABI does not matter (-Wno-psabi); nothing reads errno or the trap flags.
set(GABLE_CPU_KERNEL_OPTIONS -fno-math-errno -fno-trapping-math)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 warns of the undefined lanes inside its own AVX-512 header (its bug 105593)
  list(APPEND GABLE_CPU_KERNEL_OPTIONS -Wno-uninitialized -Wno-maybe-uninitialized)
endif()

# gable_cpu_target_options(<target> <variable>): how kernels are compiled for it.
function(gable_cpu_target_options target variable)
  set(options ${GABLE_CPU_TARGET_${target}_OPTIONS} ${GABLE_CPU_KERNEL_OPTIONS})
  if(NOT target STREQUAL GABLE_TESTED_CPU_TARGET)
    list(APPEND options ${GABLE_OTHER_TARGET_OPTIONS})
  endif()
  set(${variable} ${options} PARENT_SCOPE)
endfunction()

# gable_write_cpu_targets(<source>): the table as C++ (core/device/cpu_target.hpp).
function(gable_write_cpu_targets source)
  set(rows "")
  foreach(gable_name IN LISTS GABLE_ALL_CPU_TARGETS)
    string(JOIN "\", \"" flags ${GABLE_CPU_TARGET_${gable_name}_FLAGS})
    if(flags)
      set(flags "\"${flags}\"")
    endif()
    string(APPEND rows "      {\"${gable_name}\", ${GABLE_CPU_TARGET_${gable_name}_RANK}, {${flags}}},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[// Written by gable_write_cpu_targets().
#include "core/device/cpu_target.hpp"

const std::vector<gable::CpuTarget>& gable::cpu_targets() {
  static const std::vector<CpuTarget> table{
@rows@  };
  return table;
}
]])
endfunction()
