#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/machine.hpp"
#include "core/analysis/transformer.hpp"

namespace gable::analysis {

/// What is to be generated, and in which types.
struct Inference {
  Count batch{1};    ///< sequences side by side
  Count context{1};  ///< tokens of each: the prompt of the prefill, and what a decoded token attends to
  DType weights{DType::bf16}, cache{DType::bf16}, activations{DType::bf16};
  Count devices{1};  ///< tensor parallel: heads and feed-forward width are divided among them
};

/// What an operator of a layer spends its time on.
enum class Part { product, feed_forward, attention, elementwise };

/// Operators of one kind in a phase, on one device.
struct PlannedOperator {
  std::string name;
  Part part{};
  Count times{1};                      ///< layers that have it
  Types types{};                       ///< of its products; elementwise work: of the activations
  Stage stage{};                       ///< of one of them
  std::optional<Bound> bound{};        ///< of one of them; nothing where a roof is missing
  std::vector<std::string> missing{};  ///< these
  std::optional<Count> m{}, n{}, k{};  ///< of a product, as a gemm's sizes
};

/// Prefill of all prompts, or one decoded token of every sequence.
struct PhasePlan {
  std::vector<PlannedOperator> operators;
  int launches{};                      ///< of unfused kernels
  std::optional<double> time_s;        ///< operators and all-reduces; nothing where a roof is missing
  std::optional<double> launch_s;      ///< launches x the machine's fixed cost, where it is known
  double all_reduce_byte{};            ///< that each device sends, 2 (t - 1) / t of the sums of two a layer (ring)
  std::optional<double> all_reduce_s;  ///< at the link's one direction; nothing without a link
};

struct InferencePlan {
  double weights_byte{};                ///< of the whole model
  double cache_byte{};                  ///< of all sequences at full context
  std::optional<Count> devices_needed;  ///< for both; nothing where the machine's memory is not known
  PhasePlan prefill, decode;
  /// Time in which one device reads its weights once at the roof of reads: no token of a dense model comes faster.
  std::optional<double> floor_s;
  std::optional<double> experts_read;  ///< of a layer, in expectation, for the tokens of a decode step
};

/// Bounds of both phases on one of `what.devices` equal machines. Formulas: docs/plan.md. Throws Error for sizes below
/// one, for devices that do not divide the heads, and for types that are no types of weights.
InferencePlan plan_inference(const Transformer& model, const Machine& machine, const Inference& what);

/// Where decode changes its regime as the batch grows, up to `most`.
struct BatchMarks {
  std::optional<Count> ridge;     ///< smallest batch whose feed-forward products are compute-bound
  std::optional<Count> takeover;  ///< smallest batch at which reading the cache takes longer than all products
};
BatchMarks batch_marks(const Transformer& model, const Machine& machine, Inference what, Count most = 65536);

}  // namespace gable::analysis
