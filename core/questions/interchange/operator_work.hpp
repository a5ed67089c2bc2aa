#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/model/dtype.hpp"

namespace gable::interchange {

/// What is recorded of the inputs of an operator: JSON texts of lists with one entry an input, empty where there is
/// none.
struct RecordedInputs {
  std::string dims, types, strides, values;
};

/// What one call of a framework's operator has to do, by the shapes and types of its inputs.
struct OperatorWork {
  std::string operands{};  ///< "bf16[141,512] bf16[512,512]", and what else its work depends on
  /// Multiplications and additions; nothing where they are not known, such as of exponentials.
  std::optional<double> operations{};
  std::optional<DType> dtype{};          ///< of the operations, as stored
  bool is_product{};                     ///< a product of matrices, a convolution or attention
  double bytes_read{}, bytes_written{};  ///< each input once, each output once
  bool strides_known{};  ///< an input that is expanded (stride 0) counts what is stored; without strides in full
};

/// Of PyTorch's operators: products of matrices, convolutions, attention, and elementwise ones. Nothing for any other,
/// and where shapes, types or arguments that the work depends on were not recorded. Operations: 2 a multiplication
/// with its addition, of a convolution those of its definition, of attention those of both products; a causal mask
/// takes those behind the diagonal away.
std::optional<OperatorWork> work_of_operator(std::string_view name, const RecordedInputs& inputs);

}  // namespace gable::interchange
