#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/questions/interchange/import.hpp"

namespace gable::test {

/// Files of other tools with made-up figures, imported as `gable import` does.
class ImportedFiles {
 public:
  ImportedFiles();
  ~ImportedFiles();
  ImportedFiles(const ImportedFiles&) = delete;
  ImportedFiles& operator=(const ImportedFiles&) = delete;

  /// What the texts hold, each in a file of its own named "a.csv", "b.csv" …
  Result read(const std::vector<std::string>& texts) const;
  Result read(const std::string& text) const { return read(std::vector{text}); }
  /// The first point of these.
  Point point(const std::vector<std::string>& texts) const { return read(texts).points.at(0); }
  Point point(const std::string& text) const { return read(text).points.at(0); }
  /// What is said of a text that is refused; "accepted" of another.
  std::string message(const std::string& text) const;

  /// Of another file, which goes with these.
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }

  interchange::ImportInto into;

 private:
  std::filesystem::path folder_;
};

class OtherTools : public testing::Test {
 protected:
  /// Expects that a text is refused, and what is said of it.
  void refuses(const std::string& text, const std::string& what) const {
    const std::string message = files.message(text);
    EXPECT_NE(message.find(what), std::string::npos) << message;
  }

  ImportedFiles files;
};

/// Writes a database through the library that reads it, as the tables of tools have thirty columns.
class MadeDatabase {
 public:
  explicit MadeDatabase(const std::filesystem::path& file);
  ~MadeDatabase();
  MadeDatabase(MadeDatabase&&) = delete;
  /// False where this machine has no such library, or the statements are wrong.
  bool run(const std::string& sql);

 private:
  using Run = int (*)(void*, const char*, int (*)(void*, int, char**, char**), void*, char**);
  void* handle_{};
  Run run_{};
  int (*close_)(void*){};
};

/// Operations of a point's call that were counted on this unit in this type; 0 where none were.
double operations(const Point& point, Unit unit, DType dtype);
/// The shortest and the longest call of a point, s; zeros where they are unknown.
std::pair<double, double> calls_of(const Point& point);
/// Whether one of the things that the counters do not tell begins so.
bool lacks(const Point& point, const std::string& what);

}  // namespace gable::test
