#pragma once
#include <string>
#include <string_view>

#include "core/analysis/machine_model.hpp"
#include "core/result/result.hpp"

namespace gable::analysis {

/// Takes a network's result for the links between the machine's devices: its all-reduce, and the way between nodes
/// (inside the node, where it has one) for other numbers of devices than it has ranks. `name` says of what, where it is
/// not empty: a medium ("nccl"), a way
/// ("between_nodes"; its links alone), or both ("nccl:between_nodes"). Without a medium figures of devices' memory
/// count where the file has any (device_media); those of hosts' memory never stand beside them. Throws Error naming
/// `file` where it has no such figures, and for an unknown name.
void set_network(MachineModel& machine, const Result& result, const std::string& file, std::string_view name);

}  // namespace gable::analysis
