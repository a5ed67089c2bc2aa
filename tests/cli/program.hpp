#pragma once
#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gable::test {

using nlohmann::json;

/// How a program ended and what it said.
struct Outcome {
  int code{};  ///< exit code, 128 + n for signal n
  std::string out, err;
};

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Environment = std::map<std::string, std::string>;

/// A program in the background.
class Running {
 public:
  Running(const std::vector<std::string>& command, const Environment& environment, const std::filesystem::path& folder);
  void signal(int number) const;
  Outcome wait();
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  std::filesystem::path out_, err_;
};

/// Runs gable with arguments and extra environment in the folder, and waits.
Outcome gable(const std::vector<std::string>& arguments, const Environment& environment = {},
              const std::filesystem::path& folder = ".");

/// A fresh empty folder, removed by the destructor.
class Folder {
 public:
  Folder();
  ~Folder();
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);
int lines(const std::string& text);
/// "One clear line" that names the culprit, and exit code 2, are a promise.
void expect_refusal(const Outcome& run, const std::string& culprit);
/// The JSON of a run that ends with this exit code.
json answer_of(const Outcome& run, int code = 0);
/// The words, and more behind them.
std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more);

}  // namespace gable::test
