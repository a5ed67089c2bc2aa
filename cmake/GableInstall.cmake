# cmake --install: the program in bin, its workers in libexec/gable (gable looks there), and a package: libraries, headers, the
# main functions of the programs, and gableConfig.cmake, so that a project elsewhere adds operators of its own (docs/add-an-operator.md).
# The package is that of the CPU build; a GPU build installs its programs only, so that several builds share a prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# First of all (GableBundle.cmake): what starts without the libraries of this build.
set(programs "")
foreach(target IN ITEMS gable gable_mpi ${GABLE_WORKER_TARGETS})
  foreach(program IN ITEMS ${target} gable_worker_${target})
    if(TARGET ${program})
      list(APPEND programs $<TARGET_FILE:${program}>)
    endif()
  endforeach()
endforeach()
if(NOT GABLE_BACKEND STREQUAL "openmp")
  list(REMOVE_ITEM programs $<TARGET_FILE:gable>)
endif()
if(NOT CMAKE_CROSSCOMPILING)  # it has to start the programs' loader
  install(CODE "set(GABLE_BUILD \"${PROJECT_BINARY_DIR}\")
set(GABLE_BACKEND ${GABLE_BACKEND})
set(GABLE_PROGRAMS \"${programs}\")" COMPONENT worker)
  install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/GableBundle.cmake COMPONENT worker)
endif()
if(EXISTS ${PROJECT_BINARY_DIR}/gable-root)  # they are found inside the root alone
  set(portable ${PROJECT_BINARY_DIR}/portable)
  add_custom_command(OUTPUT ${portable}/libexec/gable/${GABLE_BACKEND}/ld.so DEPENDS ${programs} ${CMAKE_CURRENT_LIST_DIR}/GableBundle.cmake
                     COMMAND ${CMAKE_COMMAND} "-DGABLE_PROGRAMS=${programs}" -DGABLE_BACKEND=${GABLE_BACKEND} -DGABLE_PORTABLE=${portable}
                             -P ${CMAKE_CURRENT_LIST_DIR}/GableBundle.cmake
                     COMMENT "Collecting the libraries of the programs" VERBATIM)
  add_custom_target(gable_libraries ALL DEPENDS ${portable}/libexec/gable/${GABLE_BACKEND}/ld.so)
endif()

install(TARGETS gable RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET gable_mpi)
  set_target_properties(gable_mpi PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS gable_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# A package of a GPU build has the component `worker` alone (GablePackages.cmake).
if(GABLE_WORKER)
  foreach(target IN LISTS GABLE_WORKER_TARGETS)
    set_target_properties(gable_worker_${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS gable_worker_${target} RUNTIME DESTINATION libexec/gable COMPONENT worker)
  endforeach()
endif()
if(NOT GABLE_BACKEND STREQUAL "openmp")
  return()
endif()

# For programs of others (docs/library.md)
install(TARGETS gable_c EXPORT gableTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES core/library/gable.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET gable_kokkos_tool)
  install(TARGETS gable_kokkos_tool LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS gable_region EXPORT gableTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES backends/kokkos/tool/gable_region.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
if(TARGET gable_python)
  install(TARGETS gable_python LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gable/python)
endif()
include(GablePkgConfig)
gable_write_pkg_config(${PROJECT_BINARY_DIR}/gable.pc)
install(FILES ${PROJECT_BINARY_DIR}/gable.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/gable)
get_property(GABLE_INSTALLED_OPERATORS DIRECTORY ${PROJECT_SOURCE_DIR}/operators PROPERTY GABLE_OPERATORS)

# one target per thing; the package calls gable_core gable::core
set(libraries gable_commands gable_core gable_operator_specs)
if(GABLE_WORKER)
  list(APPEND libraries gable_kokkos gable_isa_tables gable_isa gable_backend_openmp gable_backend_kokkos)
  foreach(target IN LISTS GABLE_WORKER_TARGETS)
    list(APPEND libraries gable_kokkos_streams_${target} gable_operator_kernels_${target} gable_operators_${target})
  endforeach()
endif()
foreach(library IN LISTS libraries)
  string(REGEX REPLACE "^gable_" "" short ${library})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${short})
endforeach()
install(TARGETS ${libraries} EXPORT gableTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT gableTargets NAMESPACE gable:: DESTINATION ${package_folder})
install(DIRECTORY core operators backends DESTINATION include/gable FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY cli DESTINATION share/gable FILES_MATCHING PATTERN "*.hpp" PATTERN "main.cpp" PATTERN "worker_main.cpp")
install(FILES LICENSE DESTINATION share/gable)
if(TARGET gable_printed)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/cli/printed/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
  install(FILES ${PROJECT_BINARY_DIR}/cli/printed/gable DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
  foreach(folder IN ITEMS site-functions vendor-completions)  # Debian's zsh looks in the second
    install(FILES ${PROJECT_BINARY_DIR}/cli/printed/_gable DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/${folder})
  endforeach()
endif()

if(TARGET gable_backend_openmp)
  get_target_property(GABLE_BACKEND_LIBRARIES gable_backend_openmp LINK_LIBRARIES)
endif()
configure_package_config_file(cmake/gableConfig.cmake.in ${PROJECT_BINARY_DIR}/gableConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gableConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gableConfig.cmake ${PROJECT_BINARY_DIR}/gableConfigVersion.cmake
              cmake/GableCpuTargets.cmake cmake/GableHighway.cmake cmake/GableImportedLibrary.cmake cmake/GableOperators.cmake cmake/GablePrograms.cmake DESTINATION ${package_folder})
