#include "core/backend.hpp"

#include "core/error.hpp"

namespace gable {
std::unique_ptr<measure::Benchmark> Backend::graph(OperatorInstance&) { throw Error(refuses_graphs()); }

}  // namespace gable
