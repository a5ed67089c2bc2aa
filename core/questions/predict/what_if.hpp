#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/model/dtype.hpp"
#include "core/model/point.hpp"
#include "core/model/work.hpp"
#include "core/operator.hpp"

namespace gable::questions {

/// What a prediction is made for: stages in one set of types.
struct Work {
  std::string name;
  Types types;
  std::vector<Stage> stages;
  bool cold{true};  ///< the data come from main memory; else from where they stay between runs
  /// What the counters of an imported point do not tell of the work (Imported::unknown): its least time is only that.
  std::vector<std::string> unknown{};
};

/// Sizes times factors: "m=4". Sizes without a factor stay. Throws Error for a factor of what is no size of it.
Params scaled(Params sizes, const Params& factors);

/// What a point's operator is; null for the user's kernels, whatever they are called, and operators that this build
/// lacks.
const OperatorSpec* known_operator(const Point& point, Operators operators);

/// An operator of those sizes in a storage type.
Work work_of(const OperatorSpec& spec, const Params& params, DType dtype);

/// What a measured point did.
Work work_of(const Point& point);

/// A measured point with its sizes scaled, and in another storage type where one is named: what it would do, not what
/// it took. Of an operator its sizes; of the user's kernels and of those that were imported (`spec` is null) all
/// operations and all bytes: "flop=2,byte=4". Throws Error for what it does not take.
Point changed(const Point& point, const OperatorSpec* spec, const Params& factors, std::optional<DType> dtype);

/// The user's kernel, or an imported one, taken to be of one type throughout, in another type: as many operations, all
/// bytes in proportion to its size.
Point retyped(const Point& point, DType dtype);

/// The same work if each byte of main memory were used so many times as often: that many times fewer bytes.
Work reused(Work work, double times);

/// An operator and its sizes.
using SizedOperator = std::pair<const OperatorSpec*, Params>;
/// Operators one after another, and in one launch, each handing its results to the next (fusion.hpp). Throws Error for
/// operators of a single launch, and, fused, where one reads no array of the size that the one before writes.
Work in_turn(std::span<const SizedOperator> operators, DType dtype);
Work in_one_launch(std::span<const SizedOperator> operators, DType dtype);

/// Work without an operator: operations, bytes from main memory, or one of them and flop/byte. Where flop/byte alone is
/// there, neither amount means anything.
struct PlainWork {
  std::optional<double> flop, byte, flop_per_byte;
};
Work work_of(const PlainWork& plain, std::string name, DType dtype);

/// By the operator of the build that does all of this one in one launch, which may leave work out (what a mask hides).
/// Nothing where there is none for the type.
std::optional<Work> by_fused_sibling(const SizedOperator& op, DType dtype, Operators operators);

/// What a point would do in one launch (fusion.hpp). Throws Error for a point that is one already.
Work in_one_launch(const Point& point, Operators operators);

/// The point of a result whose id is the text, else the one of that operator, else the one whose id contains it, among
/// those that were measured. Throws Error if there is none, or several: then it lists them.
const Point& find_point(const std::vector<Point>& points, const std::string& id);

}  // namespace gable::questions
