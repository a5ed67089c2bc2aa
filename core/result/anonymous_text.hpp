#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gable::result {

/// Takes out of texts what tells whose machine it was. Done twice it changes nothing more.
class AnonymousText {
 public:
  /// A name to take out, in small or capital letters. Names that say nothing ("localhost", "node", "root") are left
  /// alone, being words of our own texts.
  void add(std::string name, std::string replacement);

  /// Any text: names; absolute paths but those below /proc and /sys that say where a fact was read; addresses, UUIDs,
  /// PCI buses; of a time its date.
  std::string text(std::string_view text) const;
  /// A version such as "10.1.0.2", which looks like an address: all the others of these.
  std::string version(std::string_view text) const;
  /// Compiler flags: every word that holds a path, also a relative one.
  std::string flags(std::string_view text) const;
  /// The value of an environment variable: all of it if it holds a path.
  std::string environment(std::string_view text) const;
  /// An argument of a command line: "m=64,matrix=file.mtx" with `file` for what is a file's name.
  std::string argument(std::string_view text, std::string_view file) const;

  /// Whether a name is left, a long one also within another word, or a path.
  bool leaks(std::string_view text) const;

 private:
  struct SecretName {
    std::string name, replacement;
  };

  std::string without_names(std::string_view text) const;

  std::vector<SecretName> names_;  ///< the longest first, as one may be a part of another
};

/// "6.1.0" of "6.1.0-18-cloud-amd64".
std::string kernel_version(std::string_view release);

/// Names of users in a text: what follows "/home/" and "/Users/".
std::vector<std::string> users_in(std::string_view text);

/// Whether a word is a file's name: it has a slash, a tilde in front, or an ending such as ".json".
bool is_file_name(std::string_view word);

}  // namespace gable::result
