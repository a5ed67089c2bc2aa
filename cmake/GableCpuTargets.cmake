# What the CPU kernels are compiled for. Each target makes a worker of its own, gable-worker-openmp-<target>; several are built and
# installed side by side, because a cluster's login node is not its compute node. `gable` starts the one of the highest rank whose flags
# this processor has (core/device/cpu_target.hpp); it is told of this table when it is compiled.
#
# Sets GABLE_ALL_CPU_TARGETS, the names of the table, GABLE_CPU_TARGETS_HERE, those for this kind of processor, and of each target:
#   GABLE_CPU_TARGET_<name>_RANK      the higher, the better
#   GABLE_CPU_TARGET_<name>_OPTIONS   of the compiler
#   GABLE_CPU_TARGET_<name>_FLAGS     what its code uses, in the words of Linux' /proc/cpuinfo
#   GABLE_CPU_TARGET_<name>_TEXT      its name, as a result gives it
set(GABLE_ALL_CPU_TARGETS "")
set(GABLE_CPU_TARGETS_HERE "")

macro(gable_cpu_target name rank processors)
  cmake_parse_arguments(target "" "" "OPTIONS;FLAGS" ${ARGN})
  list(APPEND GABLE_ALL_CPU_TARGETS ${name})
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(${processors})$")
    list(APPEND GABLE_CPU_TARGETS_HERE ${name})
  endif()
  set(GABLE_CPU_TARGET_${name}_RANK ${rank})
  set(GABLE_CPU_TARGET_${name}_OPTIONS ${target_OPTIONS})
  set(GABLE_CPU_TARGET_${name}_FLAGS ${target_FLAGS})
  set(GABLE_CPU_TARGET_${name}_TEXT ${name})
endmacro()

# Macros that a compiler defines where it may use an instruction set by itself, and the flag that a processor has then.
set(x86_macros __SSE3__=pni __SSSE3__=ssse3 __SSE4_1__=sse4_1 __SSE4_2__=sse4_2 __POPCNT__=popcnt __AVX__=avx __AVX2__=avx2 __FMA__=fma
    __F16C__=f16c __BMI__=bmi1 __BMI2__=bmi2 __LZCNT__=abm __MOVBE__=movbe __AVX512F__=avx512f __AVX512CD__=avx512cd __AVX512BW__=avx512bw
    __AVX512DQ__=avx512dq __AVX512VL__=avx512vl __AVX512VNNI__=avx512_vnni __AVX512BF16__=avx512_bf16 __AVX512FP16__=avx512_fp16
    __AVX512VBMI__=avx512vbmi __AVX512VBMI2__=avx512_vbmi2 __AVX512BITALG__=avx512_bitalg __AVX512VPOPCNTDQ__=avx512_vpopcntdq
    __AVX512IFMA__=avx512ifma __AVXVNNI__=avx_vnni __GFNI__=gfni)
set(arm_macros __ARM_NEON=asimd __ARM_FEATURE_ATOMICS=atomics __ARM_FEATURE_QRDMX=asimdrdm __ARM_FEATURE_DOTPROD=asimddp
    __ARM_FEATURE_FP16_VECTOR_ARITHMETIC=asimdhp __ARM_FEATURE_BF16=bf16 __ARM_FEATURE_MATMUL_INT8=i8mm __ARM_FEATURE_SVE=sve
    __ARM_FEATURE_SVE2=sve2)

# Adds the target "native": what the compiler makes of this machine, a little above the target of the table that it includes. Sets
# GABLE_NATIVE_FLAGS, this machine's flags; nothing where the compiler cannot tell or compiles for another machine.
macro(gable_native_target option)
  set(GABLE_NATIVE_FLAGS "")
  if(NOT CMAKE_CROSSCOMPILING)
    execute_process(COMMAND ${CMAKE_COMMAND} -E echo "" COMMAND ${CMAKE_CXX_COMPILER} ${option} -dM -E -x c++ -
                    OUTPUT_VARIABLE defined ERROR_QUIET)
    foreach(pair ${ARGN})
      string(REPLACE "=" ";" pair ${pair})
      list(GET pair 0 macro)
      list(GET pair 1 flag)
      if(defined MATCHES "#define ${macro} ")
        list(APPEND GABLE_NATIVE_FLAGS ${flag})
      endif()
    endforeach()
  endif()
  set(rank 0)
  set(text "")
  set(others ${GABLE_NATIVE_FLAGS})
  foreach(name IN LISTS GABLE_CPU_TARGETS_HERE)
    set(lacks ${GABLE_CPU_TARGET_${name}_FLAGS})
    if(lacks)
      list(REMOVE_ITEM lacks ${GABLE_NATIVE_FLAGS} none)
    endif()
    if(NOT lacks AND GABLE_CPU_TARGET_${name}_RANK GREATER_EQUAL rank)
      set(rank ${GABLE_CPU_TARGET_${name}_RANK})
      set(text ${name})
      set(others ${GABLE_NATIVE_FLAGS})
      list(REMOVE_ITEM others ${GABLE_CPU_TARGET_${name}_FLAGS} none)
    endif()
  endforeach()
  math(EXPR rank "${rank} + 5")
  gable_cpu_target(native ${rank} ".*" OPTIONS ${option} FLAGS ${GABLE_NATIVE_FLAGS})
  string(JOIN " " others ${others})
  if(others)
    set(others " with ${others}")
  endif()
  set(GABLE_CPU_TARGET_native_TEXT "native (${text}${others})")
endmacro()

set(x86 "x86_64|AMD64")
set(arm "aarch64|arm64")
set(v2 pni ssse3 sse4_1 sse4_2 popcnt)
set(v3 ${v2} avx avx2 bmi1 bmi2 f16c fma abm movbe)
set(v4 ${v3} avx512f avx512bw avx512cd avx512dq avx512vl)
set(bf16 -mavx512vnni -mavx512bf16)
set(v82 asimd atomics asimdrdm asimdhp asimddp)
gable_cpu_target(baseline 10 ".*")  # whatever the compiler takes without being asked
gable_cpu_target(x86-64-v2 20 ${x86} OPTIONS -march=x86-64-v2 FLAGS ${v2})
gable_cpu_target(x86-64-v3 30 ${x86} OPTIONS -march=x86-64-v3 FLAGS ${v3})
gable_cpu_target(x86-64-v4 40 ${x86} OPTIONS -march=x86-64-v4 FLAGS ${v4})
gable_cpu_target(v4-bf16 50 ${x86} OPTIONS -march=x86-64-v4 ${bf16} FLAGS ${v4} avx512_vnni avx512_bf16)
gable_cpu_target(sapphirerapids 60 ${x86} OPTIONS -march=x86-64-v4 ${bf16} -mavx512fp16 FLAGS ${v4} avx512_vnni avx512_bf16 avx512_fp16)
gable_cpu_target(armv8.2-a 20 ${arm} OPTIONS -march=armv8.2-a+fp16+dotprod FLAGS ${v82})
# Its vectors have exactly 256 bits: a processor with SVE of another length is refused.
gable_cpu_target(neoverse-v1 30 ${arm} OPTIONS -march=armv8.2-a+fp16+dotprod+sve+bf16+i8mm -mtune=neoverse-v1 -msve-vector-bits=256
                 FLAGS ${v82} bf16 i8mm sve sve256)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(${x86})$")
  gable_native_target(-march=native ${x86_macros})
else()
  gable_native_target(-mcpu=native ${arm_macros})
endif()

string(JOIN ", " known ${GABLE_CPU_TARGETS_HERE})
set(GABLE_CPU_TARGETS native CACHE STRING "What the CPU kernels are compiled for, a list: ${known}")
if(DEFINED GABLE_CPU_ARCH)
  message(FATAL_ERROR "GABLE_CPU_ARCH is now GABLE_CPU_TARGETS, a list out of: ${known}")
endif()
foreach(target IN LISTS GABLE_CPU_TARGETS)
  if(NOT target IN_LIST GABLE_CPU_TARGETS_HERE)
    message(FATAL_ERROR "GABLE_CPU_TARGETS: there is no target '${target}' for ${CMAKE_SYSTEM_PROCESSOR}; there are: ${known}")
  endif()
endforeach()
if(NOT GABLE_CPU_TARGETS)
  message(FATAL_ERROR "GABLE_CPU_TARGETS is empty; there are: ${known}")
endif()

# Those of the list that this machine can run, and the best of them, which tests and benchmarks run; when cross-compiling the first.
set(GABLE_RUNNABLE_CPU_TARGETS "")
list(GET GABLE_CPU_TARGETS 0 GABLE_TESTED_CPU_TARGET)
set(best 0)
foreach(target IN LISTS GABLE_CPU_TARGETS)
  set(lacks ${GABLE_CPU_TARGET_${target}_FLAGS})
  if(lacks)
    list(REMOVE_ITEM lacks ${GABLE_NATIVE_FLAGS} none)
  endif()
  if(NOT lacks)
    list(APPEND GABLE_RUNNABLE_CPU_TARGETS ${target})
    if(GABLE_CPU_TARGET_${target}_RANK GREATER best)
      set(best ${GABLE_CPU_TARGET_${target}_RANK})
      set(GABLE_TESTED_CPU_TARGET ${target})
    endif()
  endif()
endforeach()
set(GABLE_FOREIGN_TARGET_OPTIONS "" CACHE STRING
    "Options added to the kernels of targets that this machine cannot run: -O1 shortens a build that only shows that they compile")
mark_as_advanced(GABLE_FOREIGN_TARGET_OPTIONS)

# Vector arguments never cross a library boundary, so their ABI does not matter (-Wno-psabi); nothing reads errno or the trap flags.
set(GABLE_CPU_KERNEL_OPTIONS -fno-math-errno -fno-trapping-math)

# gable_cpu_target_options(<target> <variable>): how kernels are compiled for it.
function(gable_cpu_target_options target variable)
  set(options ${GABLE_CPU_TARGET_${target}_OPTIONS} ${GABLE_CPU_KERNEL_OPTIONS})
  if(NOT target IN_LIST GABLE_RUNNABLE_CPU_TARGETS)
    list(APPEND options ${GABLE_FOREIGN_TARGET_OPTIONS})
  endif()
  set(${variable} ${options} PARENT_SCOPE)
endfunction()

# gable_write_cpu_targets(<source>): the table as C++ (core/device/cpu_target.hpp).
function(gable_write_cpu_targets source)
  set(rows "")
  foreach(name IN LISTS GABLE_ALL_CPU_TARGETS)
    string(JOIN "\", \"" flags ${GABLE_CPU_TARGET_${name}_FLAGS})
    if(flags)
      set(flags "\"${flags}\"")
    endif()
    string(APPEND rows "      {\"${name}\", ${GABLE_CPU_TARGET_${name}_RANK}, {${flags}}},\n")
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
