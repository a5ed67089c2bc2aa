// Compiled with what CMake knows of this build; see CMakeLists.txt beside it.
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

#include "core/result/provenance.hpp"
#include "gable_commit.hpp"

namespace gable::result {
namespace {

std::string dotted(int major, int minor, int patch) { return fmt::format("{}.{}.{}", major, minor, patch); }

/// "glibc 2.36"; unknown of others.
std::string libc() {
  std::array<char, 64> text{};
  return ::confstr(_CS_GNU_LIBC_VERSION, text.data(), text.size()) > 1 ? text.data() : "unknown";
}

/// Of the SQLite that this process has loaded to read a database; empty if it has not.
std::string sqlite_version() {
  void* const library = ::dlopen("libsqlite3.so.0", RTLD_LAZY | RTLD_NOLOAD);
  const auto version = library ? reinterpret_cast<const char* (*)()>(::dlsym(library, "sqlite3_libversion")) : nullptr;
  return version ? version() : "";
}

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
      {"zlib", ::zlibVersion()},
      {"libc", libc()},
  };
  if (std::string version = sqlite_version(); !version.empty()) build.libraries.emplace_back("SQLite", version);
  return build;
}

}  // namespace gable::result
