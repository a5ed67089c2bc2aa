#pragma once
#include <random>
#include <string>

/// Valid texts made invalid, or odd, in ways that depend on a random number alone.
namespace gable::attack {

using Random = std::mt19937_64;

/// One of 0 … n - 1.
std::size_t below(Random& random, std::size_t n);

/// What became of a text.
struct Mutated {
  std::string text;
  bool must_be_refused{};  ///< no reader may take it: a key twice, text behind the end, a figure that no machine has …
};

/// A JSON document with some of its values, keys or bytes changed.
Mutated mutate_json(const std::string& text, Random& random);
/// Lines of JSON, one of which is changed.
Mutated mutate_lines(const std::string& text, Random& random);
/// A table with some of its cells, lines or bytes changed.
Mutated mutate_csv(const std::string& text, Random& random);

/// Statements of SQL, one a line, some of which are gone, repeated or have other words.
Mutated mutate_sql(const std::string& text, Random& random);
/// A few bytes of a file of SQLite, those of its header and of the heads of its pages more often than others.
void damage_database(std::string& bytes, Random& random);

/// A name, number or text that programs stumble over.
std::string hostile_word(Random& random);

}  // namespace gable::attack
