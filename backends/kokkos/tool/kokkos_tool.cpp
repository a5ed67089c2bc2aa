// libgable-kokkos-tool.so: loaded by KOKKOS_TOOLS_LIBS into any Kokkos program (docs/applications.md). It declares the
// C interface of Kokkos' tools by itself, version 20210623, and so needs no Kokkos to be built.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "backends/kokkos/tool/recorder.hpp"

namespace {

using gable::tool::Kind;

gable::tool::Recorder& recorder() {
  static auto* all = new gable::tool::Recorder;  // outlives whatever the program ends in
  return *all;
}

bool fences() { return gable::tool::variable("GABLE_KOKKOS_FENCE", "0") != "0"; }

void say(const std::string& text) { std::fprintf(stderr, "gable-kokkos-tool: %s\n", text.c_str()); }

const int begun_in = ::getpid();
bool written = false;

void write() {
  if (written) return;
  written = true;
  try {
    say(recorder().write(gable::tool::output_prefix("GABLE_KOKKOS_OUTPUT", "gable-kokkos", begun_in)));
  } catch (const std::exception& error) {
    say(error.what());
  }
}

/// Whether what is begun there ends when it is launched: on a GPU, without fences. Kokkos has the kind of the execution
/// space in the upper eight bits of a device's number (its tools' DeviceType: Cuda, HIP, OpenMPTarget, SYCL, OpenACC).
bool is_launch(std::uint32_t device) {
  const std::uint32_t kind = device >> 24;
  const bool gpu = kind == 2 || kind == 3 || kind == 4 || kind == 7 || kind == 8;
  static const bool fenced = fences();
  return gpu && !fenced;
}

/// "Cuda<-Host: velocities".
std::string copy_name(const char* to, const char* from, const char* label) {
  return std::string(to) + "<-" + from + ": " + (label ? label : "");
}

}  // namespace

extern "C" {

struct SpaceHandle {
  char name[64];
};

struct Kokkos_Tools_ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

void kokkosp_request_tool_settings(std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
  settings->requires_global_fencing = fences();
}

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  std::atexit(write);  // of a program that ends without Kokkos::finalize()
  const std::string file = gable::tool::variable("GABLE_KOKKOS_WORK", "");
  if (file.empty()) return;
  try {
    recorder().declare(gable::tool::read_declarations(file));
  } catch (const std::exception& error) {
    say(std::string(error.what()) + "; going on without declared work");
  }
}

void kokkosp_finalize_library() { write(); }

void kokkosp_begin_parallel_for(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = recorder().begin(Kind::parallel_for, name, is_launch(device));
}
void kokkosp_end_parallel_for(std::uint64_t id) { recorder().end(id); }
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = recorder().begin(Kind::parallel_reduce, name, is_launch(device));
}
void kokkosp_end_parallel_reduce(std::uint64_t id) { recorder().end(id); }
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = recorder().begin(Kind::parallel_scan, name, is_launch(device));
}
void kokkosp_end_parallel_scan(std::uint64_t id) { recorder().end(id); }

void kokkosp_push_profile_region(const char* name) { recorder().push_region(name); }
void kokkosp_pop_profile_region() { recorder().pop_region(); }

void kokkosp_begin_deep_copy(SpaceHandle to, const char* to_label, const void*, SpaceHandle from, const char*,
                             const void*, std::uint64_t bytes) {
  recorder().begin_copy(copy_name(to.name, from.name, to_label), static_cast<double>(bytes));
}
void kokkosp_end_deep_copy() { recorder().end_last(Kind::deep_copy); }

void kokkosp_allocate_data(SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  recorder().allocated(space.name, bytes);
}
void kokkosp_deallocate_data(SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  recorder().freed(space.name, bytes);
}

}  // extern "C"
