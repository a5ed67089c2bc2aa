# For code that runs for moments (programs' own, texts, tests): half the time to compile. Measuring and the model keep the build type's options.
set(GABLE_COLD_OPTIONS $<$<CONFIG:Release>:-O1>)

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
