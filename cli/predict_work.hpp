#pragma once
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "core/analysis/what_if.hpp"
#include "core/model/dtype.hpp"
#include "core/model/point.hpp"
#include "core/operator.hpp"

/// What `predict` is asked to predict. All throw Error with one line.
namespace gable::cli {

/// Whether somebody gave it; a switch that is off by default was not.
bool is_given(const po::variables_map& values, const std::string& option);

/// Plain figures without any amount: neither operations nor bytes.
bool only_intensity(const po::variables_map& values);

/// One --params for each --operator, in the same order, sizes scaled.
std::vector<analysis::SizedOperator> named_operators(const po::variables_map& values);

/// The operators, fused or not, or plain figures, in one type.
std::vector<analysis::Work> work_of(const po::variables_map& values, DType dtype);

/// The point in the types and sizes that are named, and fused; as it is, where nothing is.
std::vector<analysis::Work> changed_work(const po::variables_map& values, const Point& point);

}  // namespace gable::cli
