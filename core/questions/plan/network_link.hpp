#pragma once
#include <string>
#include <string_view>

#include "core/questions/plan/transformer.hpp"
#include "core/result/result.hpp"
#include "core/verdict/machine_model.hpp"

namespace gable::questions {

/// Takes a network's result for the links between the machine's devices: its all-reduce, and the way between nodes
/// (inside the node, where it has one) for other numbers of devices than it has ranks. `name` says of what, where it is
/// not empty: a medium ("nccl"), a way ("between_nodes"; its links alone), or both ("nccl:between_nodes"). Without a
/// medium figures of devices' memory count where the file has any (device_media), but for a CPU; those of hosts' memory
/// never stand beside them. Of a file of several networks all figures are of the one that has as many ranks as there
/// are `devices`. Throws Error naming `file` where it has no such figures, where that is not one network, and for an
/// unknown name.
void set_network(MachineModel& machine, const Result& result, const std::string& file, std::string_view name,
                 Count devices);

}  // namespace gable::questions
