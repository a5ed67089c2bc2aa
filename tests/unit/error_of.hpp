#pragma once
#include <string>

#include "core/error.hpp"

namespace gable {

/// Message of the Error that an action throws; empty if it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace gable
