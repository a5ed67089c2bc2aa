# For code that runs for moments (programs' own, texts, tests): compiled in less than half the time of -O3. Kernels keep the build type's options.
set(GABLE_COLD_OPTIONS $<$<CONFIG:Release>:-Og>)
set(GABLE_WARM_OPTIONS $<$<CONFIG:Release>:-O1>)  # for what such code repeats 10^5 times: half the time of -Og
set(GABLE_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)  # for tests that compute little: again a third less

# gable_target(<target>): what every target of this project has in common.
function(gable_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set(quirks "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    set(quirks -Wno-restrict)  # GCC 12 sees overlaps in "literal" + std::string (its bug 105651)
  elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
    set(quirks -Wno-maybe-uninitialized)  # GCC 16 takes the string of a variant that is copied for uninitialised
  endif()
  set(cxx -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${GABLE_WERROR}>:-Werror> ${quirks})
  # constexpr functions of the standard library (std::bit_cast) are called in kernels. What nvcc hands to the host compiler is neither
  # pedantic nor without needless parentheses, and has nvcc's own pragmas.
  list(JOIN quirks "," host_quirks)
  set(cuda --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-Wno-parentheses,-Wno-unknown-pragmas$<$<BOOL:${quirks}>:,${host_quirks}>
           $<$<BOOL:${GABLE_WERROR}>:-Werror=all-warnings>)
  # ROCm's compiler says it when it does not unroll a loop as far as a pragma of a library asks
  set(hip -Wall -Wextra -Wshadow -Wno-pass-failed $<$<BOOL:${GABLE_WERROR}>:-Werror>)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${cxx}> $<$<COMPILE_LANGUAGE:CUDA>:${cuda}> $<$<COMPILE_LANGUAGE:HIP>:${hip}>)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/gable>)
endfunction()

# Most sources are small and read the same large headers: those of a folder are compiled a few at a time, which takes half the time. A name in
# an anonymous namespace then stands once in a folder. OFF compiles each alone, so that a change compiles only what it touches.
option(GABLE_UNITY "Compile small sources of a folder together" ON)

# gable_unite(<target> [EXCEPT <pattern>]): compiles the target's sources together, but for those that match and those with options of their own.
function(gable_unite target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "EXCEPT" "")
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  if(arg_EXCEPT)
    list(FILTER sources EXCLUDE REGEX "${arg_EXCEPT}")
  endif()
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME folder)
    list(APPEND of_${folder} ${source})
    list(LENGTH of_${folder} count)
    math(EXPR batch "(${count} - 1) / 8")
    set_property(SOURCE ${source} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP "${folder}_${batch}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GABLE_UNITY} UNITY_BUILD_MODE GROUP)
  if(GABLE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # what another source has in its anonymous namespace is no global name
    target_compile_options(${target} PRIVATE -Wno-shadow -Wshadow=local -Wno-subobject-linkage)
  elseif(GABLE_UNITY)
    target_compile_options(${target} PRIVATE -Wno-shadow)
  endif()
endfunction()
