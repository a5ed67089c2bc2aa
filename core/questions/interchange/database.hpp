#pragma once
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gable::interchange {

/// A database of SQLite that a profiler wrote, only read. The library is the system's (libsqlite3.so.0), looked for
/// when the first database is: nothing else needs it, and a machine without it reads all other files.
class Database {
 public:
  /// Throws Error without the file's name: no library, no database, damaged. `patience_s`: processor time for one
  /// answer, s: tables can be made so that they are joined for years.
  explicit Database(const std::filesystem::path& file, double patience_s = 60);
  ~Database();
  Database(Database&&) = delete;
  Database& operator=(Database&&) = delete;

  /// What every such file begins with.
  static constexpr std::string_view start = "SQLite format 3";

  bool has(std::string_view table) const;
  bool has(std::string_view table, std::string_view column) const;
  /// A line each: `start`, then the names of the tables. By it formats recognise theirs.
  std::string outline() const;

  /// A line of an answer. Columns count from 0; what is no number is 0, what is no text is empty.
  class Row {
   public:
    std::int64_t integer(int column) const;
    double number(int column) const;
    std::string text(int column) const;

   private:
    friend class Database;
    explicit Row(void* statement) : statement_(statement) {}
    void* statement_;
  };
  /// Calls `take` with every line of the answer. Throws Error where the database is damaged or lacks what is asked for,
  /// or the answer takes too long or has more lines than tables of the file's size can: joins of ours have none more.
  void ask(const std::string& query, const std::function<void(const Row&)>& take) const;

 private:
  void close();
  bool is_late() const;

  void* handle_{};
  double patience_s_;
  std::int64_t most_rows_{INT64_MAX};  ///< of an answer
  mutable std::clock_t begun_{};       ///< the answer that is asked for
  std::vector<std::string> tables_;
};

}  // namespace gable::interchange
