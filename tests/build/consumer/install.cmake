# -DBUILD=<build folder> -DPREFIX=<empty folder to install to>
file(REMOVE_RECURSE ${PREFIX})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)

# The package names no library by where it was on the machine that built it: another one has it elsewhere.
file(GLOB_RECURSE targets ${PREFIX}/gableTargets*.cmake)
if(NOT targets)
  message(FATAL_ERROR "no gableTargets.cmake in ${PREFIX}")
endif()
foreach(file IN LISTS targets)
  file(STRINGS ${file} lines REGEX "LINK_(INTERFACE_)?LIBRARIES.*[\";:]/")
  if(lines)
    message(FATAL_ERROR "${file} links a file of this machine: ${lines}")
  endif()
endforeach()
