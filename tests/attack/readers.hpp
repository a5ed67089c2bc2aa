#pragma once
#include <functional>
#include <string>
#include <vector>

#include "mutation.hpp"

namespace gable::attack {

/// Throws gable::Error for bad input; everything else that it throws, or dies of, is a fault.
using Read = std::function<void(const std::string& text, Random& random)>;

/// Something that reads what others wrote.
struct Reader {
  std::string name;
  std::vector<std::string> seeds;  ///< valid texts
  Mutated (*mutate)(const std::string&, Random&);
  Read read;
  bool starts_program{};  ///< which takes a hundred times as long as reading a text, and need not be given the text
};

/// Those of what other tools write, which `import` reads.
std::vector<Reader> tools_readers(const std::string& folder, const Read& import);

/// All of them. Files are written into the folder, which each process has of its own.
std::vector<Reader> readers(const std::string& folder);

}  // namespace gable::attack
