#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/device/device_info.hpp"
#include "core/model/dtype.hpp"
#include "core/model/work.hpp"
#include "core/vendor_call.hpp"

namespace gable {

using Index = std::int64_t;

/// Named parameters of one run of an operator, in the operator's order: "m=4096,n=4096". Sizes are numbers; a choice or
/// a file is a word: "matrix=banded".
class Params {
 public:
  using Value = std::variant<Index, std::string>;
  Params() = default;
  Params(std::initializer_list<std::pair<std::string, Value>> values) : values_(values) {}
  void set(std::string name, Value value);
  /// Throws Error naming the parameter if it is not there, or is no number.
  Index at(std::string_view name) const;
  /// Throws Error naming the parameter if it is not there, or is no word.
  const std::string& word(std::string_view name) const;
  bool has(std::string_view name) const;
  const std::vector<std::pair<std::string, Value>>& values() const { return values_; }
  std::string to_string() const;
  /// "m=64,matrix=banded"; throws Error on anything else: empty, repeated names, zero, negative, beyond 2^62. What does
  /// not begin like a number is a word, which has neither comma nor equals sign.
  static Params parse(std::string_view text);
  bool operator==(const Params&) const = default;

 private:
  const Value& find(std::string_view name) const;

  std::vector<std::pair<std::string, Value>> values_;
};

/// `updated`: read and written in place (y += a x): an input, with the values it begins with, and an output. Compulsory
/// bytes count it once on each side; nothing is allocated for a write.
enum class Role { input, output, updated };
constexpr bool is_read(Role role) { return role != Role::output; }
constexpr bool is_written(Role role) { return role != Role::input; }

/// One array of an operator: what conformance fills, runs and compares. What is read holds uniform random values in
/// [low, high), rounded to dtype, or what `value` gives for each element, called by several threads at once: indices,
/// labels, offsets of rows. int4 is stored two to a byte, the even element in the low half.
struct BufferSpec {
  std::string_view name;
  Index count{};  ///< elements
  DType dtype{};
  Role role{Role::input};
  double low{-1.0}, high{1.0};
  std::function<double(Index)> value{};
  std::optional<double> tolerance{};  ///< of an output whose type is not the operator's; else OperatorSpec::tolerance
};

/// What NaN and infinity in the inputs do; the first where an operator does not say.
enum class NonFinite {
  as_reference,  ///< what reference() makes of them
  undefined,     ///< inputs must be finite, as large as `low` to `high` or not much more
};

/// Operations the reference really did, counted by running it on a counting scalar.
struct CountedWork {
  double flops{};      ///< add, sub, mul, div, min, max, compare, sqrt: 1 each; fma 2
  double exps{};       ///< exp, log, tanh, erf: 1 each, not in flops
  double divisions{};  ///< and square roots, which are in flops too
};

/// What an operator is. Free of Kokkos: parent and unit tests use it. Made by make_spec<Op>() (core/operator_spec.hpp).
struct OperatorSpec {
  std::string_view name;
  std::string_view summary;                                               ///< one line: formula with shapes
  std::vector<std::pair<std::string_view, std::string_view>> parameters;  ///< name, meaning
  std::vector<Types> types;                                               ///< what it can be run with
  std::vector<Params> (*default_params)(const DeviceInfo&,
                                        const Types&){};      ///< what `measure` runs: spans caches to main memory
  std::vector<Params> (*conformance_params)(){};              ///< small, odd and large
  std::vector<Stage> (*work)(const Params&, const Types&){};  ///< throws Error on missing, zero, or overflowing sizes
  std::vector<BufferSpec> (*buffers)(const Params&, const Types&){};
  /// inputs: what is read, outputs: what is written, each in the order of buffers().
  void (*reference)(const Params&, std::span<const std::vector<double>> inputs,
                    std::span<std::vector<double>> outputs){};
  /// Null where flops are a convention that no plain reference follows.
  CountedWork (*count)(const Params&, const Types&){};
  double (*tolerance)(const Params&, const Types&){};  ///< allowed |got - want| / max(1, |want|)
  NonFinite non_finite{};
  /// An element of an output, or a row, needs of inputs of its size only the same element or row: it may be written
  /// over one of them.
  bool in_place{};
  std::string_view fused{};  ///< the operator that does the same in one launch; empty: none
  std::string_view int8{};   ///< the operator that does the same with int8; empty: none, or this one
  double (*workspace_bytes)(const Params&, const Types&){};  ///< byte beside the buffers; null: next to nothing
};

/// Memory that an operator takes, byte: buffers and workspace. Where what the work touches is more than `most`, that is
/// the answer, and the buffers, whose description can be large itself (a sparse matrix), are not made.
double memory_bytes(const OperatorSpec& spec, const Params& params, const Types& types, double most);

/// "gemm does not take int8: gemm_int8 does"; empty of a type of the operator's first operand.
std::string refused_type(const OperatorSpec& spec, DType dtype);
/// Its types for a storage type of its first operand. Throws Error if it does not take that.
const Types& types_of(const OperatorSpec& spec, DType dtype);

/// The parameters in the operator's order. Throws as work() for what the operator does not take.
Params ordered(const OperatorSpec& spec, const Params& params);

/// One prepared run: buffers allocated and filled, types erased. run() only enqueues: no fence, no allocation, no host
/// result.
class OperatorInstance {
 public:
  virtual ~OperatorInstance() = default;
  virtual void run() = 0;
  virtual void fence() = 0;
  /// The queue that run() enqueues on, as vendor libraries take it (cudaStream_t, hipStream_t); null on hosts.
  virtual void* stream() { return nullptr; }
  /// Copies back, widened to double: the buffers of the spec that are read, or written, in its order. What is updated
  /// in place is among both, as it is now.
  virtual std::vector<std::vector<double>> inputs() = 0;
  virtual std::vector<std::vector<double>> outputs() = 0;
  /// Sets one element of the i-th buffer that is read, rounded to its type. Throws Error if there is none, or if this
  /// instance has no single buffers.
  virtual void set_input(std::size_t i, Index element, double value);
};

/// One way of running an operator.
struct Implementation {
  std::string_view name;  ///< "kokkos", "kokkos-fused", "vendor"
  /// What rows call it where a vendor's library runs it, e.g. "openblas"; null where our own kernels do.
  std::string (*library)(const Types& types, const VendorLibrary& vendor){};
  /// Empty if it can run these types here, else the reason. Throws if a library fails when it is asked.
  std::string (*refuses)(const Types& types, const VendorLibrary* vendor){};
  std::unique_ptr<OperatorInstance> (*create)(const Params& params, const Types& types, std::uint64_t seed,
                                              VendorLibrary* vendor){};
};

/// How an operator runs: one of these per operator source, listed by a generated registry. Data and function pointers
/// only.
struct OperatorEntry {
  const OperatorSpec* spec{};
  std::vector<Implementation> implementations;
};

/// The operators of a program.
using Operators = std::span<const OperatorSpec* const>;

/// All specs of the build; linked into parent, workers and unit tests. Generated by gable_add_operator().
Operators operator_specs();
/// All entries of the build; linked into workers and conformance tests only.
std::span<const OperatorEntry* const> operator_entries();

/// Spec by name out of `specs`; null where there is none.
const OperatorSpec* known_spec(Operators specs, std::string_view name);
/// The same; throws Error listing the known names.
const OperatorSpec& find_spec(Operators specs, std::string_view name);
/// Out of operator_specs(). Inline, so that only programs that link the specs need them.
inline const OperatorSpec& find_spec(std::string_view name) { return find_spec(operator_specs(), name); }

}  // namespace gable
