#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/model/roofline.hpp"
#include "core/model/work.hpp"
#include "core/operator.hpp"
#include "core/questions/plan/transformer.hpp"

namespace gable::questions {

/// What is to be generated, and in which types.
struct Inference {
  Count batch{1};    ///< sequences side by side
  Count context{1};  ///< tokens of each: the prompt of the prefill, and what a decoded token attends to
  DType weights{DType::bf16}, cache{DType::bf16}, activations{DType::bf16};
  Count devices{1};  ///< tensor parallel: heads and feed-forward width are divided among them
};

/// What an operator of a layer spends its time on.
enum class Part { product, feed_forward, attention, elementwise };

/// The sizes of a product, as the operator gemm has them.
struct Gemm {
  Count m{}, n{}, k{};
};

/// How an operator of the build does the same work.
struct OperatorRun {
  std::string op;
  Params params;
  DType a{}, b{};  ///< Types::a and Types::b that it must take
};

/// Operators of one kind in a phase, on one device.
struct PlannedOperator {
  std::string name;
  Part part{};
  Count times{1};                      ///< how often: once a layer that has it, or twice
  Types types{};                       ///< of its products; elementwise work: of the activations
  Stage stage{};                       ///< of one of them
  std::optional<Bound> bound{};        ///< of one of them; nothing where a roof is missing
  std::vector<std::string> missing{};  ///< these
  std::optional<Gemm> gemm{};          ///< of a product of two matrices
  std::optional<OperatorRun> run{};    ///< nothing where no operator does it
  std::string no_run{};                ///< then: why
};

/// The types that the plan's arithmetic is done in: of elementwise work and attention, and of products.
std::vector<Types> types_of(const Inference& what);

/// The operators of a prefill, or of one decode step, without bounds. Formulas: docs/plan.md.
std::vector<PlannedOperator> phase_operators(const Transformer& model, const Inference& what, bool decode);

}  // namespace gable::questions
