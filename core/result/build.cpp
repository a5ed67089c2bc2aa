// Compiled with what CMake knows of this build; see CMakeLists.txt beside it.
#include <fmt/core.h>

#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "core/result/provenance.hpp"
#include "gable_commit.hpp"

namespace gable::result {
namespace {

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

}  // namespace

Build this_build() {
  Build build;
  build.version = GABLE_BUILD_VERSION;
  build.commit = build_commit;
  build.dirty = build_dirty;
  build.compiler = GABLE_BUILD_COMPILER;
  build.flags = GABLE_BUILD_FLAGS;
  build.build_type = GABLE_BUILD_TYPE;
  build.libraries = {
      {"fmt", dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"nlohmann-json", dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH)},
      {"Boost", dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
  };
  return build;
}

}  // namespace gable::result
