// libgable-kokkos-tool.so: loaded by KOKKOS_TOOLS_LIBS into any Kokkos program (docs/applications.md). It declares the
// C interface of Kokkos' tools by itself, version 20210623, and so needs no Kokkos to be built.
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "backends/kokkos/tool/counters.hpp"
#include "backends/kokkos/tool/loaded.hpp"
#include "core/model/dtype.hpp"

struct SpaceHandle {
  char name[64];  ///< of a name as long as that, or longer, without a 0 behind it
  std::string_view text() const { return {name, ::strnlen(name, sizeof name)}; }
};

namespace {

using gable::tool::Kind;
using gable::tool::Place;

bool fences() { return gable::tool::variable("GABLE_KOKKOS_FENCE", "0") != "0"; }

void say(const std::string& text) { gable::tool::say("gable-kokkos-tool", text); }

const int begun_in = ::getpid();
bool written = false;

void write();
void write_at_exit();
gable::tool::Loaded recorder(write_at_exit);

/// Of a program that ends without Kokkos::finalize().
bool is_initialized = false;
void write_at_exit() {
  if (is_initialized) write();
}

/// Once, and in a forked child what it did itself, if it did anything.
void write() {
  if (recorder.in_child() ? recorder->empty() : written) return;
  written = true;
  try {
    say(recorder->write(gable::tool::output_prefix("GABLE_KOKKOS_OUTPUT", "gable-kokkos", begun_in)));
  } catch (const std::exception& error) {
    say(error.what());
  }
}

/// Where what is begun there runs. Kokkos has the kind of the execution space in the upper eight bits of a device's
/// number (its tools' DeviceType: Cuda, HIP, OpenMPTarget, SYCL, OpenACC).
Place place_of(std::uint32_t device) {
  const std::uint32_t kind = device >> 24;
  const bool gpu = kind == 2 || kind == 3 || kind == 4 || kind == 7 || kind == 8;
  static const bool fenced = fences();
  if (!gpu) return Place::host;
  return fenced ? Place::gpu : Place::launch;
}

/// "Cuda<-Host: velocities".
std::string copy_name(const SpaceHandle& to, const SpaceHandle& from, const char* label) {
  return std::string(to.text()).append("<-").append(from.text()) + ": " + (label ? label : "");
}

/// Reads what GABLE_KOKKOS_WORK and GABLE_KOKKOS_PARAMETERS declare.
void declare() {
  const std::string file = gable::tool::variable("GABLE_KOKKOS_WORK", "");
  const std::string text = gable::tool::variable("GABLE_KOKKOS_PARAMETERS", "");
  const auto parameters = text.empty() ? gable::tool::Parameters{} : gable::tool::parse_parameters(text);
  if (!parameters) throw std::runtime_error("GABLE_KOKKOS_PARAMETERS: '" + text + "' is not like 'm=512,n=512'");
  if (!file.empty()) recorder->declare(gable::tool::read_declarations(file), *parameters);
}

/// Counts operations of the type that GABLE_KOKKOS_COUNTERS names, and bytes, where that can be.
void count() {
  const std::string dtype = gable::tool::variable("GABLE_KOKKOS_COUNTERS", "");
  if (dtype.empty()) return;
  if (dtype != "fp64" && dtype != "fp32") {
    say("GABLE_KOKKOS_COUNTERS: '" + dtype + "' is none of fp64, fp32; going on without counters");
    return;
  }
  static auto* counters = new gable::tool::Counters(*gable::parse_dtype(dtype), !gable::tool::in_several_tasks());
  say(counters->about());
  if (counters->any()) recorder->count([] { return counters->read(); }, dtype);
}

void begin(Kind kind, const char* name, std::uint32_t device, std::uint64_t* id) {
  *id = ~std::uint64_t{0};  // what was not begun does not end
  gable::tool::unharmed([&] { *id = recorder->begin(kind, gable::tool::named(name), place_of(device)); });
}
void end(std::uint64_t id) {
  gable::tool::unharmed([&] { recorder->end(id); });
}

}  // namespace

extern "C" {

struct Kokkos_Tools_ToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

void kokkosp_request_tool_settings(std::uint32_t, Kokkos_Tools_ToolSettings* settings) {
  settings->requires_global_fencing = fences();
}

void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  is_initialized = true;
  try {
    declare();
  } catch (const std::exception& error) {
    say(std::string(error.what()) + "; going on without declared work");
  }
  count();
}

void kokkosp_finalize_library() { write(); }

void kokkosp_begin_parallel_for(const char* name, std::uint32_t device, std::uint64_t* id) {
  begin(Kind::parallel_for, name, device, id);
}
void kokkosp_end_parallel_for(std::uint64_t id) { end(id); }
void kokkosp_begin_parallel_reduce(const char* name, std::uint32_t device, std::uint64_t* id) {
  begin(Kind::parallel_reduce, name, device, id);
}
void kokkosp_end_parallel_reduce(std::uint64_t id) { end(id); }
void kokkosp_begin_parallel_scan(const char* name, std::uint32_t device, std::uint64_t* id) {
  begin(Kind::parallel_scan, name, device, id);
}
void kokkosp_end_parallel_scan(std::uint64_t id) { end(id); }

void kokkosp_push_profile_region(const char* name) {
  gable::tool::unharmed([&] { recorder->push_region(gable::tool::named(name)); });
}
void kokkosp_pop_profile_region() {
  gable::tool::unharmed([] { recorder->pop_region(); });
}

void kokkosp_begin_deep_copy(SpaceHandle to, const char* to_label, const void*, SpaceHandle from, const char*,
                             const void*, std::uint64_t bytes) {
  gable::tool::unharmed([&] { recorder->begin_copy(copy_name(to, from, to_label), static_cast<double>(bytes)); });
}
void kokkosp_end_deep_copy() {
  gable::tool::unharmed([] { recorder->end_last(Kind::deep_copy); });
}

void kokkosp_allocate_data(SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  gable::tool::unharmed([&] { recorder->allocated(space.text(), bytes); });
}
void kokkosp_deallocate_data(SpaceHandle space, const char*, const void*, std::uint64_t bytes) {
  gable::tool::unharmed([&] { recorder->freed(space.text(), bytes); });
}

}  // extern "C"
