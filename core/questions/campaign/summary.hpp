#pragma once
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/questions/campaign/folder.hpp"
#include "core/result/result.hpp"
#include "core/status.hpp"

namespace gable::campaign {

/// Most bytes of a summary's file: a report reads one of each of 10,000 nodes.
inline constexpr std::size_t most_summary_bytes = 30'000;

/// A device of a node, in the order of its result. Its id is the slot: the same place in every node.
struct SummaryDevice {
  std::string id, name;
};

/// What a figure may depend on. Of several devices of one backend that differ the value tells which has what.
struct SummaryFact {
  std::string name, value;
};

/// A row of the result that has one figure. Its name is the row's id without samples, the same on every node.
struct SummaryRow {
  std::size_t device{};  ///< among NodeSummary::devices
  std::string name{};
  std::string unit{};  ///< as in files: flop/s, op/s, byte/s, s
  Status status{Status::ok};
  std::string reason{};                 ///< of a status other than ok
  std::optional<double> value{};        ///< of ok and suspect rows, 5 significant digits
  std::optional<double> low{}, high{};  ///< the 95 % interval
  std::optional<double> clock_hz{}, power_w{}, temperature_c{};
  std::string clock_limits{};  ///< what held the clock back; empty where nothing is told
};

/// What a campaign's report reads of a node: its result without samples and texts.
struct NodeSummary {
  std::string plan;  ///< id of the plan that it followed
  std::string node;
  int retest{};        ///< NodeRun::retest
  int round{1};        ///< NodeRun::round
  std::string host{};  ///< name of the machine, where it is another than the node's; up to its first dot
  std::string measured_at{};
  Mode mode{};
  std::string failure{};  ///< why the node has no result; empty where it has
  std::vector<SummaryDevice> devices{};
  std::vector<SummaryFact> facts{};
  std::vector<SummaryRow> rows{};
  int left_out{};  ///< names of rows that did not fit into the file, from the last on
};

/// Of a complete result. Facts are those of its devices and of the run, but what is one card's own or changes from run
/// to run, and main memory, cores, operating system, kernel, program and workers.
NodeSummary summary_of(const Result& result, const std::string& plan, const NodeRun& run);

/// JSON of at most most_summary_bytes, if need be without the last rows of every device.
std::string summary_text(NodeSummary summary);

/// Throws Error with one line: not JSON, no summary, another version, a bad key, a figure that cannot be.
NodeSummary parse_summary(std::string_view text);
/// The same of a file. Throws Error without its name: it stands beside the node's.
NodeSummary read_summary(const std::filesystem::path& path);

}  // namespace gable::campaign
