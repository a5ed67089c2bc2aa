# gable_imported_library(<name> <variable> <file>): gable::<name>, a library that has no CMake package. <variable> says where it is, in
# the build of gable and again, found anew, in a project that uses the installed gable: an exported target names no file of the machine
# that gable was built on. Without such a library there is no such target. More arguments are hints for find_library().
function(gable_imported_library name variable file)
  find_library(${variable} ${file} ${ARGN})
  mark_as_advanced(${variable})
  if(${variable} AND NOT TARGET gable::${name})
    add_library(gable::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(gable::${name} PROPERTIES IMPORTED_LOCATION ${${variable}})
  endif()
endfunction()
