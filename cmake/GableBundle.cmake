# Programs with the libraries and the loader that they were linked with, which start on a machine that has none of them, or older ones:
# what cpack's archive holds, what cmake --install leaves outside the build root that the programs were built in, and the folder portable/ of
# such a build, which scripts/gable starts where that root is not.
#
#   <prefix>/bin/gable, <prefix>/libexec/gable/gable-worker-…   scripts that start
#   <prefix>/libexec/gable/<backend>/                           ld.so, and the programs and libraries themselves in bin/ and lib/
#
# Runs at installation, before everything else is installed, with GABLE_BUILD, GABLE_BACKEND and GABLE_PROGRAMS; where it makes such a tree, it
# is all that is installed. As a script (cmake -DGABLE_PROGRAMS=… -DGABLE_BACKEND=… -DGABLE_PORTABLE=FOLDER -P) it makes the folder in the root.

# Those of drivers and vendors' toolkits are the machine's.
set(gable_machines "^lib(cuda|cudart|cublas(Lt)?|cufft(w)?|cupti|nv[A-Z][A-Za-z]*|nvrtc(-builtins)?|nvidia-[-a-z]+|nccl|amdhip64|hip[a-zA-Z]+|roc[-_a-z0-9]+|rccl|hsa-runtime64|hsakmt|amd_[a-z]+)\\.so")

function(gable_collect_libraries folder)
  file(REMOVE_RECURSE ${folder}/lib ${folder}/ld.so)  # workers of other builds stay
  file(MAKE_DIRECTORY ${folder}/lib)
  foreach(program IN LISTS ARGN)
    if(program MATCHES "/gable-mpi$")  # its MPI has to be the machine's
      continue()
    endif()
    execute_process(COMMAND ldd ${program} OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" lines "${listed}")
    foreach(line IN LISTS lines)
      if(line MATCHES "^[ \t]*(lib[^ /]+) => (.*)$")
        set(name ${CMAKE_MATCH_1})
        string(REGEX REPLACE " \\(0x.*" "" file "${CMAKE_MATCH_2}")
        if(name MATCHES "${gable_machines}")
          continue()
        elseif(file STREQUAL "not found")
          message(FATAL_ERROR "${program} needs ${name}, which is not found: what would be installed does not start")
        endif()
        set(copy ${folder}/lib/${name})
        if(name STREQUAL "libc.so.6")
          cmake_path(GET file PARENT_PATH libc_folder)
        endif()
      elseif(line MATCHES "^[ \t]*(/[^ ]*/ld[^ /]*) ")
        set(file ${CMAKE_MATCH_1})
        set(copy ${folder}/ld.so)
      else()
        continue()
      endif()
      if(NOT EXISTS ${copy})
        file(REAL_PATH ${file} file)
        file(COPY_FILE ${file} ${copy})
      endif()
    endforeach()
  endforeach()
  # Drivers ask for parts of the C library that the programs do not: all of them have to be of one version.
  foreach(part IN ITEMS libdl.so.2 libpthread.so.0 librt.so.1 libutil.so.1 libanl.so.1 libresolv.so.2)
    if(EXISTS ${libc_folder}/${part} AND NOT EXISTS ${folder}/lib/${part})
      file(REAL_PATH ${libc_folder}/${part} file)
      file(COPY_FILE ${file} ${folder}/lib/${part})
    endif()
  endforeach()
endfunction()

# The script that starts a program of <prefix>/libexec/gable/<backend>/bin; its path goes into <result>.
function(gable_write_starter prefix name result)
  set(script ${prefix}/libexec/gable/${name})
  set(home "\${own%/*}")
  if(name STREQUAL "gable")
    set(script ${prefix}/bin/gable)
    set(home "\${own%/*}/../libexec/gable")
  endif()
  file(REMOVE ${script})
  file(WRITE ${script} "#!/bin/sh
# Starts the program with the loader and the libraries that it came with.
own=$(readlink -f \"$0\")
home=${home}/${GABLE_BACKEND}
exec \"$home/ld.so\" --library-path \"$home/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}\" --argv0 \"$0\" \"$home/bin/${name}\" \"$@\"
")
  file(CHMOD ${script} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  set(${result} ${script} PARENT_SCOPE)
endfunction()

if(DEFINED GABLE_PORTABLE)
  set(folder ${GABLE_PORTABLE}/libexec/gable/${GABLE_BACKEND})
  file(REMOVE_RECURSE ${GABLE_PORTABLE})
  gable_collect_libraries(${folder} ${GABLE_PROGRAMS})
  foreach(program IN LISTS GABLE_PROGRAMS)
    cmake_path(GET program FILENAME name)
    if(NOT name STREQUAL "gable-mpi")
      gable_write_starter(${GABLE_PORTABLE} ${name} script)
    endif()
  endforeach()
  list(GET GABLE_PROGRAMS 0 program)
  cmake_path(GET program PARENT_PATH programs)
  cmake_path(RELATIVE_PATH programs BASE_DIRECTORY ${folder})
  file(CREATE_LINK ${programs} ${folder}/bin SYMBOLIC)
  return()
endif()

set(prefix $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX})
set(outside FALSE)  # of the build root: only there do the programs start as they are
if(EXISTS ${GABLE_BUILD}/gable-root AND NOT EXISTS /etc/gable-root)
  set(outside TRUE)
elseif(NOT prefix MATCHES "/_CPack_Packages/[^/]+/TGZ/")
  return()
endif()
set(folder ${prefix}/libexec/gable/${GABLE_BACKEND})
if(outside)
  file(REMOVE_RECURSE ${folder}/lib ${folder}/ld.so)
  set(collected ${GABLE_BUILD}/portable/libexec/gable/${GABLE_BACKEND})
  file(COPY ${collected}/ld.so ${collected}/lib DESTINATION ${folder})
else()
  gable_collect_libraries(${folder} ${GABLE_PROGRAMS})
endif()

foreach(program IN LISTS GABLE_PROGRAMS)
  cmake_path(GET program FILENAME name)
  if(name STREQUAL "gable-mpi")  # its MPI has to be the machine's
    message(STATUS "Left out: gable-mpi; build it with the MPI of the machine that it runs on")
    continue()
  endif()
  gable_write_starter(${prefix} ${name} script)
  message(STATUS "Installing: ${script}")
  file(COPY ${program} DESTINATION ${folder}/bin)
  if(GABLE_BACKEND STREQUAL "openmp")  # GPU workers find the toolkit by it
    file(RPATH_REMOVE FILE ${folder}/bin/${name})
  endif()
endforeach()
if(GABLE_BACKEND STREQUAL "openmp")
  file(COPY ${CMAKE_CURRENT_LIST_DIR}/../LICENSE DESTINATION ${prefix}/share/gable)
  file(WRITE ${prefix}/share/gable/requirements.txt "These programs bring their libraries: they need a Linux kernel, a shell and readlink; those for GPUs the driver and its toolkit, too.\n")
  set(printed ${GABLE_BUILD}/cli/printed)
  file(GLOB pages ${printed}/*.1)
  file(COPY ${pages} DESTINATION ${prefix}/share/man/man1)
  file(COPY ${printed}/gable DESTINATION ${prefix}/share/bash-completion/completions)
  file(COPY ${printed}/_gable DESTINATION ${prefix}/share/zsh/site-functions)
  message(STATUS "Left out: libraries and headers for programs of others, which would need the libraries of the build")
endif()
set(CMAKE_INSTALL_COMPONENT nothing_else)
