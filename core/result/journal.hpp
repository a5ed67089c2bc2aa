#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/result/result.hpp"
#include "core/result/row.hpp"
#include "core/text/posix_file.hpp"

namespace gable::result {

/// The rows that an item yielded in one round of a run.
struct RoundRows {
  int round{};
  std::vector<Row> rows;
};

/// What a journal held when it was read back.
struct JournalContent {
  Result header;                                        ///< build, run, request, devices; no rows of this run
  std::map<std::string, std::vector<RoundRows>> items;  ///< "device/item id" -> what its finished rounds yielded
};

/// An append-only file next to the result: a header line, then one line per item and round, each written and synced
/// whole. A torn last line (power cut, kill -9) is dropped when read. Round by round: nothing measured is lost, nothing
/// doubled.
class Journal {
 public:
  /// Throws Error if a journal is there that may not be replaced: any (naming --resume), or, with `replace`, one that
  /// another run is writing.
  static void check_free(const std::filesystem::path& path, bool replace);
  /// Starts a new journal. One that is there already is replaced or refused as check_free() says.
  static Journal create(const std::filesystem::path& path, const Result& header, bool replace = false);
  /// Opens for appending after dropping a torn last line, and reads what is there. Throws Error if another run has it
  /// open.
  static Journal reopen(const std::filesystem::path& path, JournalContent& content);

  void add_round(const std::string& key, const RoundRows& of_round);
  /// A gap or incident in plain words, for Result::notes.
  void add_note(const std::string& text);
  /// The run goes on: counts in RunInfo::resumed.
  void add_resumed();
  /// Removes the file: the result has been saved.
  void discard();

 private:
  Journal(std::filesystem::path path, Descriptor fd) : path_(std::move(path)), fd_(std::move(fd)) {}

  std::filesystem::path path_;
  Descriptor fd_;  ///< the lock goes with it
};

JournalContent read_journal(const std::filesystem::path& path);

}  // namespace gable::result
