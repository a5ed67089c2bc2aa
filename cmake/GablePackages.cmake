# cpack -G DEB|TGZ --config BUILD/CPackConfig.cmake: packages of what `cmake --install` installs (docs/packaging.md). The .deb asks for
# the libraries of the Debian that it is built on; the archive says in share/gable/requirements.txt what it needs.
set(CPACK_PACKAGE_VENDOR "the Gable project")
set(CPACK_PACKAGE_CONTACT "the Gable project <maintainers@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION "Measures the ceilings of CPUs and GPUs (bandwidth of each memory level, arithmetic of each type and unit,
 launch overhead), places operators under them, and compares machines by the same figures.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_FILE_NAME gable-${PROJECT_VERSION}-${GABLE_BACKEND}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_PACKAGE_NAME gable)
if(NOT GABLE_BACKEND STREQUAL "openmp")  # its worker beside the gable of a CPU build, not that again
  set(CPACK_PACKAGE_NAME gable-${GABLE_BACKEND})
  set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};worker;/")
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "gable (= ${PROJECT_VERSION})")
endif()
set(CPACK_GENERATOR TGZ)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CPACK_PACKAGE_CONTACT}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS gnuplot-nox)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

install(CODE "set(GABLE_OBJDUMP \"${CMAKE_OBJDUMP}\")")
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/GableRequirements.cmake)
include(CPack)
