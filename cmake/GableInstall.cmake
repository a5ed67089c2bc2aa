# cmake --install: the program in bin, its workers in libexec/gable (gable looks there), and a package: libraries, headers, the
# sources of the programs, and gableConfig.cmake, so that a project elsewhere adds operators of its own (docs/add-an-operator.md).
# The package is that of the CPU build; a GPU build installs its programs only, so that several builds share a prefix.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS gable RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
set(libraries gable_core gable_operator_specs)
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
install(DIRECTORY cli DESTINATION share/gable FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cpp")
install(FILES ${PROJECT_BINARY_DIR}/cli/commands.cpp DESTINATION share/gable/cli)
install(FILES LICENSE DESTINATION share/gable)

if(TARGET gable_backend_openmp)
  get_target_property(GABLE_BACKEND_LIBRARIES gable_backend_openmp LINK_LIBRARIES)
endif()
configure_package_config_file(cmake/gableConfig.cmake.in ${PROJECT_BINARY_DIR}/gableConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/gableConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/gableConfig.cmake ${PROJECT_BINARY_DIR}/gableConfigVersion.cmake
              cmake/GableCpuTargets.cmake cmake/GableHighway.cmake cmake/GableImportedLibrary.cmake cmake/GableOperators.cmake cmake/GablePrograms.cmake DESTINATION ${package_folder})
