#pragma once
#include <stdexcept>
#include <string>

namespace gable {

/// Bad input or misuse: an argument, a file, an environment variable. what() is one line that names the
/// culprit; the program prints it and exits with code 2. A measurement that fails is a Status, not an Error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gable
