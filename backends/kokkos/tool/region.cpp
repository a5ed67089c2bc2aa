// libgable-region.so: the three calls of gable_region.h. They harm no program: a name may be null, an amount of work no
// number, a region never left, and what goes wrong inside is not thrown into it.
#include <unistd.h>

#include <atomic>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "backends/kokkos/tool/gable_region.h"
#include "backends/kokkos/tool/loaded.hpp"

namespace {

const int begun_in = ::getpid();

void say(const std::string& text) { gable::tool::say("gable-region", text); }

void write_at_exit();
gable::tool::Loaded recorder(write_at_exit);

/// Where the Kokkos tool of the same program has the same name for its files, others.
std::string prefix() {
  const std::string own = gable::tool::output_prefix("GABLE_REGION_OUTPUT", "gable-region", begun_in);
  const auto files = [](const char* name) {
    const std::filesystem::path given = gable::tool::variable(name, "");
    std::error_code error;  // of a folder that is gone
    const auto whole = given.empty() ? given : std::filesystem::absolute(given, error);
    const auto canonical = error ? given : std::filesystem::weakly_canonical(whole, error);
    return error ? given : canonical;
  };
  const auto these = files("GABLE_REGION_OUTPUT");
  return !these.empty() && these == files("GABLE_KOKKOS_OUTPUT") ? own + ".region" : own;
}

void write_at_exit() {
  try {
    if (!recorder->empty()) say(recorder->write(prefix()));
  } catch (const std::exception& error) {
    say(error.what());
  }
}

}  // namespace

void gable_region_begin(const char* name) {
  gable::tool::unharmed([&] { recorder->push_region(gable::tool::named(name)); });
}

void gable_region_end(const char* name) {
  gable::tool::unharmed([&] {
    static std::atomic<bool> told = false;
    const std::string_view ended = gable::tool::named(name);
    if (!recorder->pop_region(ended) && !told.exchange(true))
      say("'" + std::string(ended) + "' is ended but is not the innermost region");
  });
}

void gable_region_work(const char* name, double flops, double bytes) {
  gable::tool::unharmed([&] { recorder->add_work(gable::tool::named(name), flops, bytes); });
}
