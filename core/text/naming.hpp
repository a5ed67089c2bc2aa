#pragma once
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace gable {

/// What `work` returns; what it throws begins with the name of what it is about: "FILE: …".
template <class Work>
decltype(auto) naming(std::string_view name, Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(std::string(name) + ": " + error.what());
  }
}

}  // namespace gable
