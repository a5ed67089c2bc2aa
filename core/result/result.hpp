#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/ceiling.hpp"
#include "core/model/mode.hpp"
#include "core/model/point.hpp"
#include "core/request.hpp"

namespace gable {

/// Version of the result format that this build writes, and the only one that it reads.
inline constexpr std::string_view schema_version = "1.0";

/// How the program that measured was made.
struct Build {
  std::string version;  ///< project version
  std::string commit;   ///< "unknown" outside a checkout
  bool dirty{};
  std::string compiler, flags, build_type;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
  std::optional<std::string> target{};  ///< of a worker: what its kernels are compiled for, x86-64-v3, sm_90a
};

/// Name of the facts of a run that tell by which other files' ceilings its points were judged.
inline constexpr std::string_view roofs_fact = "roofs";

/// The circumstances of one run.
struct RunInfo {
  std::string started_at, finished_at;  ///< UTC, ISO 8601
  std::vector<std::string> command_line;
  Mode mode{};
  bool complete{};  ///< every planned item has its row
  int resumed{};    ///< how often it was continued from a journal
  std::string hostname, os, kernel;
  std::vector<Fact> facts;  ///< host-wide: hypervisor, load, OMP_* environment …
};

/// One document per run.
struct Result {
  Build build;                                         ///< of the parent
  std::vector<std::pair<std::string, Build>> workers;  ///< worker name, its build
  RunInfo run;
  std::vector<DeviceInfo> devices;
  std::vector<Ceiling> ceilings;
  std::vector<Curve> curves;
  std::vector<Point> points;
  std::vector<std::string> notes;  ///< gaps and incidents, in plain words
  std::optional<Request> request;  ///< what was asked for; unknown of several runs and of other tools
};

/// The lists of rows of a result (const or not), one for each kind of row, in the order in which they are written.
template <class AnyResult>
auto row_lists(AnyResult& result) {
  return std::tie(result.ceilings, result.curves, result.points);
}

/// A result, and what it is called in messages: its file.
struct NamedResult {
  std::string name;
  Result result;
  std::string device{};  ///< only this one of its devices; empty: all
};

}  // namespace gable
