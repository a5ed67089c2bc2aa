#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gable::interchange {

/// What is recorded of the inputs of an operator: JSON texts of lists with one entry an input, empty where there is
/// none.
struct RecordedInputs {
  std::string dims, types, strides, values;
};

/// An event of a Chrome trace ("Trace Event Format", Google) with what PyTorch's profiler (Kineto) adds to it.
struct TraceEvent {
  std::string phase, category, name;
  std::string thread;  ///< "process/thread"
  double start_us{}, duration_us{};
  bool whole_us{true};  ///< the duration has no digits behind the point
  std::optional<std::int64_t> external_id, correlation, device;
  RecordedInputs inputs;
};

/// Calls `take` with every event of a trace: an object whose key "traceEvents" is their list, or the list. Few of it is
/// in memory at a time. Where a figure is nan or inf, as some versions of Kineto write it, which is no JSON, it is read
/// as absent. Throws Error for what is no JSON, such as a file that was cut off.
void for_each_event(std::string_view text, const std::function<void(TraceEvent&)>& take);

}  // namespace gable::interchange
