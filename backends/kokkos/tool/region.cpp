// libgable-region.so: the three calls of gable_region.h.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "backends/kokkos/tool/gable_region.h"
#include "backends/kokkos/tool/recorder.hpp"

namespace {

const int begun_in = ::getpid();
thread_local std::vector<std::string> open_regions;

void say(const std::string& text) { std::fprintf(stderr, "gable-region: %s\n", text.c_str()); }

void write_at_exit();

gable::tool::Recorder& recorder() {
  static auto* all = [] {
    std::atexit(write_at_exit);
    return new gable::tool::Recorder;  // outlives whatever the program ends in
  }();
  return *all;
}

void write_at_exit() {
  try {
    say(recorder().write(gable::tool::output_prefix("GABLE_REGION_OUTPUT", "gable-region", begun_in)));
  } catch (const std::exception& error) {
    say(error.what());
  }
}

}  // namespace

void gable_region_begin(const char* name) {
  open_regions.emplace_back(name);
  recorder().push_region(name);
}

void gable_region_end(const char* name) {
  if (open_regions.empty() || open_regions.back() != name) {
    static bool told = false;
    if (!told) say("'" + std::string(name) + "' is ended but is not the innermost region");
    told = true;
    return;
  }
  open_regions.pop_back();
  recorder().pop_region();
}

void gable_region_work(const char* name, double flops, double bytes) { recorder().add_work(name, flops, bytes); }
