// The C interface: every call ends exceptions of C++ and keeps their words for gable_error().
#include "core/library/gable.h"

#include <cfenv>
#include <cstddef>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/library/machine.hpp"
#include "core/result/provenance.hpp"

namespace {

constexpr int failed = 2;

/// A point and the texts that gable_point refers to.
struct PointTexts {
  gable::Point point;
  std::string dtype, status;
};

/// A text of the calling thread that a caller may look at until the next one; what does not fit is cut off. Plain
/// memory, so that a thread that ends, or has no memory left, has nothing to free or to get.
template <std::size_t size>
struct Kept {
  char text[size];

  void set(std::string_view from) noexcept { text[from.copy(text, size - 1)] = '\0'; }
};
thread_local Kept<2048> last_error;
thread_local Kept<256> last_limit;
thread_local Kept<1024> last_missing;

/// Not inline: g++ 16 puts the call that finds the thread's memory in front of a handler's first instructions, and
/// loses the exception with it.
[[gnu::noinline]] void remember_error(const char* what) noexcept { last_error.set(what); }

/// A program's traps of arithmetic, off while it lives.
struct Untrapped {
  std::fenv_t before;
  Untrapped() { std::feholdexcept(&before); }
  ~Untrapped() { std::fesetenv(&before); }
};

/// What `call` returns; `otherwise` if it throws.
template <class Result, class Call>
Result guarded(Result otherwise, Call&& call) noexcept {
  const Untrapped untrapped;
  try {
    return call();
  } catch (const std::exception& error) {
    remember_error(error.what());
  } catch (...) {
    remember_error("not known");
  }
  return otherwise;
}

template <class T>
const T& given(const T* pointer, const char* what) {
  if (pointer == nullptr) throw gable::Error(std::string(what) + " is NULL");
  return *pointer;
}

gable_kind kind_of(gable::LimitKind kind) {
  switch (kind) {
    case gable::LimitKind::compute:
      return GABLE_COMPUTE;
    case gable::LimitKind::bandwidth:
      return GABLE_BANDWIDTH;
    case gable::LimitKind::overhead:
      return GABLE_OVERHEAD;
    case gable::LimitKind::link:
      return GABLE_LINK;
    case gable::LimitKind::none:
      break;
  }
  return GABLE_NONE;
}

}  // namespace

struct gable_machine {
  gable::MachineModel model;
  std::string basis;
  std::vector<gable::library::Roof> roofs;
  std::vector<PointTexts> points;
};

int gable_api_version(void) { return GABLE_API_VERSION; }

const char* gable_version(void) {
  static const std::string version = gable::result::this_build().version;
  return version.c_str();
}

const char* gable_error(void) { return last_error.text; }

gable_machine* gable_open(const char* name) {
  return guarded<gable_machine*>(nullptr, [&] {
    auto opened = gable::library::open(&given(name, "the machine's name"));
    auto machine = std::make_unique<gable_machine>();
    machine->basis = basis_text(opened.model.basis, opened.model.source);
    machine->roofs = gable::library::roofs_of(opened.model.roofline);
    for (auto& point : opened.points) {
      std::string dtype(to_string(point.types.a)), status(to_string(point.status));
      machine->points.push_back({std::move(point), std::move(dtype), std::move(status)});
    }
    machine->model = std::move(opened.model);
    return machine.release();
  });
}

void gable_close(gable_machine* machine) { delete machine; }

const char* gable_machine_name(const gable_machine* machine) { return machine ? machine->model.name.c_str() : ""; }
const char* gable_machine_basis(const gable_machine* machine) { return machine ? machine->basis.c_str() : ""; }
size_t gable_roof_count(const gable_machine* machine) { return machine ? machine->roofs.size() : 0; }
size_t gable_point_count(const gable_machine* machine) { return machine ? machine->points.size() : 0; }

int gable_get_roof(const gable_machine* machine, size_t index, gable_roof* roof) {
  return guarded(failed, [&] {
    const auto& roofs = given(machine, "the machine").roofs;
    given(roof, "the roof to fill");
    if (index >= roofs.size())
      throw gable::Error("no roof " + std::to_string(index) + ": there are " + std::to_string(roofs.size()));
    const gable::library::Roof& one = roofs[index];
    *roof = {kind_of(one.kind),           one.label.c_str(),  one.level.c_str(), one.unit.c_str(), one.dtype.c_str(),
             one.operating_point.c_str(), one.access.c_str(), one.value,         one.low,          one.high};
    return 0;
  });
}

int gable_get_point(const gable_machine* machine, size_t index, gable_point* point) {
  return guarded(failed, [&] {
    const auto& points = given(machine, "the machine").points;
    given(point, "the point to fill");
    if (index >= points.size())
      throw gable::Error("no point " + std::to_string(index) + ": there are " + std::to_string(points.size()));
    const auto& [one, dtype, status] = points[index];
    *point = {one.id.c_str(),
              one.op.c_str(),
              one.implementation.c_str(),
              one.params.c_str(),
              dtype.c_str(),
              status.c_str(),
              one.time.value,
              one.time.low(),
              one.time.high(),
              gable::flops_of(one).value_or(0),
              gable::bytes_of(one).value_or(0),
              one.limit.c_str(),
              one.bound_s.value_or(0),
              one.fraction_of_limit.value_or(0)};
    return 0;
  });
}

int gable_judge(const gable_machine* machine, const gable_work* work, gable_bound* bound) {
  return guarded(failed, [&] {
    const auto& roofline = given(machine, "the machine").model.roofline;
    const gable_work& asked = given(work, "the work");
    given(bound, "the bound to fill");
    const auto judgement = gable::library::judge(roofline, {.dtype = &given(asked.dtype, "the type of the work"),
                                                            .unit = asked.unit ? asked.unit : "",
                                                            .operations = asked.operations,
                                                            .bytes_read = asked.bytes_read,
                                                            .bytes_written = asked.bytes_written,
                                                            .working_set = asked.working_set,
                                                            .launches = asked.launches == 0 ? 1 : asked.launches,
                                                            .cold = asked.cold != 0});
    last_limit.set(judgement.bound->limit.label);
    std::string missing;
    for (const std::string& name : judgement.missing_names()) missing += (missing.empty() ? "" : ", ") + name;
    last_missing.set(missing);
    *bound = {judgement.bound->time_s, kind_of(judgement.bound->limit.kind), last_limit.text, last_missing.text};
    return 0;
  });
}
