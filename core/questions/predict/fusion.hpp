#pragma once
#include <span>

#include "core/model/point.hpp"
#include "core/model/work.hpp"
#include "core/operator.hpp"

/// Work that followed one another as one launch.
namespace gable::questions {

/// What one stage hands to the next and nothing else needs: it moves neither way when the two are one.
struct HandedOn {
  double bytes{};    ///< byte, written before and read behind
  double updated{};  ///< of them, what at least one of the two updates in place
};

/// Two stages as one of one launch.
Stage fused(const Stage& before, const Stage& after, const HandedOn& handed_on);

/// One stage for stages that follow one another and whose arrays are not known: each hands on the smaller of the bytes
/// that it writes and the next reads, what is updated in place first, and nothing else needs it.
Stage fused(std::span<const Stage> stages);

/// One stage for all stages of an operator, `runs` times on arrays of its own. Each array that it reads comes once and
/// each of its results goes once, also one that a later stage reads; what else lies between its stages stays inside.
/// Throws Error for sizes or types that the operator does not take.
Stage fused(const OperatorSpec& spec, const Params& params, const Types& types, std::span<const Stage> stages,
            int runs = 1);

/// The work of a point in one launch: by the arrays of its operator, or, where that is not known (the user's kernels,
/// files of another version), by its stages alone.
Stage fused(const Point& point, Operators operators);

/// What the first operator hands to the second: of each array that it writes, to one of as many elements that the
/// second reads. No bytes where there is none.
HandedOn handed_on(const OperatorSpec& first, const Params& first_params, const Types& first_types,
                   const OperatorSpec& second, const Params& second_params, const Types& second_types);

}  // namespace gable::questions
