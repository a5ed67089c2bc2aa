#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/machine.hpp"
#include "core/analysis/phase_operators.hpp"
#include "core/analysis/transformer.hpp"

namespace gable::analysis {

/// Prefill of all prompts, or one decoded token of every sequence.
struct PhasePlan {
  std::vector<PlannedOperator> operators;
  Count launches{};                    ///< of unfused kernels
  std::optional<double> time_s;        ///< operators, launches and all-reduces; nothing where a roof is missing
  std::optional<double> work_s;        ///< its part without launches, as a graph has it at best
  std::optional<double> launch_s;      ///< launches x the machine's fixed cost, where it is known
  double all_reduce_byte{};            ///< that each device sends, 2 (t - 1) / t of the sums of two a layer (ring)
  std::optional<double> all_reduce_s;  ///< at one direction of the links between them; nothing without a link
};

struct InferencePlan {
  double weights_byte{};  ///< of the whole model
  double cache_byte{};    ///< of all sequences at full context
  /// For both: the smallest number that divides the heads. Nothing where the machine's memory is not known, or no such
  /// number is enough.
  std::optional<Count> devices_needed;
  PhasePlan prefill, decode;
  /// Time in which one device reads its weights once at the roof of reads, of experts those that a step reads in
  /// expectation: no decode step is faster where reads were measured or printed (`notes` say so else).
  std::optional<double> floor_s;
  std::optional<double> experts_read;  ///< of a layer, in expectation, for the tokens of a decode step
  std::vector<std::string> notes;      ///< what the figures take for granted of this machine
};

/// Bounds of both phases on one of `what.devices` equal machines. Formulas: docs/plan.md. Throws Error for sizes below
/// one or beyond most_tokens, for devices that do not divide the heads, and for types that are no types of weights.
InferencePlan plan_inference(const Transformer& model, const Machine& machine, const Inference& what);

struct SweptBatch {
  Count batch;
  InferencePlan plan;
};
/// The plan for batches of 1, 2, 4 … up to `most`.
std::vector<SweptBatch> batch_sweep(const Transformer& model, const Machine& machine, Inference what,
                                    Count most = 1024);

/// Where decode changes its regime as the batch grows.
struct BatchMarks {
  std::optional<Count> ridge;     ///< smallest batch whose feed-forward products are compute-bound
  std::optional<Count> takeover;  ///< smallest batch at which reading the cache takes longer than all products
};
inline constexpr Count most_marked_batch = 65536;
/// Marks up to `most`, each nothing where no batch has it; nothing at all where roofs are missing.
std::optional<BatchMarks> batch_marks(const Transformer& model, const Machine& machine, Inference what,
                                      Count most = most_marked_batch);

}  // namespace gable::analysis
