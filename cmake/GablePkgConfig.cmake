# gable_write_pkg_config(<file>): gable.pc for CMAKE_INSTALL_PREFIX, CMAKE_INSTALL_LIBDIR, CMAKE_INSTALL_INCLUDEDIR and PROJECT_VERSION.
# It names the prefix by where it lies itself, so that an installation can be moved: lib is one folder below the prefix,
# lib/x86_64-linux-gnu two.
set(GABLE_PKG_CONFIG_TEMPLATE ${CMAKE_CURRENT_LIST_DIR}/gable.pc.in)
function(gable_write_pkg_config file)
  cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} NORMALIZE OUTPUT_VARIABLE folder)
  file(RELATIVE_PATH GABLE_UP_TO_PREFIX ${folder}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  string(REGEX REPLACE "/$" "" GABLE_UP_TO_PREFIX ${GABLE_UP_TO_PREFIX})
  configure_file(${GABLE_PKG_CONFIG_TEMPLATE} ${file} @ONLY)
endfunction()
