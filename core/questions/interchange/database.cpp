#include "core/questions/interchange/database.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/text/safe_text.hpp"

namespace gable::interchange {
namespace {

// Of sqlite3.h, whose values and functions stay as they are ("the C-language interface is stable").
constexpr int ok = 0, interrupted = 9, corrupt = 11, not_a_database = 26, a_row = 100, done = 101, open_read_only = 1;
constexpr int limit_of_length = 0;

/// Bytes of a row, whose longest cells are the names of kernels: a computed column can be of any length.
constexpr int longest_row = 16 << 20;

/// The functions that are called.
struct Sqlite {
  int (*open)(const char*, void**, int, const char*);
  int (*close)(void*);
  int (*prepare)(void*, const char*, int, void**, const char**);
  int (*step)(void*);
  int (*finalize)(void*);
  void (*progress)(void*, int, int (*)(void*), void*);
  int (*limit)(void*, int, int);
  const unsigned char* (*text)(void*, int);
  double (*number)(void*, int);
  std::int64_t (*integer)(void*, int);
  const char* (*error)(void*);
};

template <class Function>
void find(void* library, Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (!function) throw Error(fmt::format("the SQLite library of this machine has no {}", name));
}

Sqlite load() {
  void* const library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw Error(
        "a database of SQLite, and this machine has no libsqlite3.so.0 to read it with (package libsqlite3-0 of Debian "
        "and Ubuntu, sqlite-libs of Fedora)");
  Sqlite sqlite{};
  find(library, sqlite.open, "sqlite3_open_v2");
  find(library, sqlite.close, "sqlite3_close_v2");
  find(library, sqlite.prepare, "sqlite3_prepare_v2");
  find(library, sqlite.step, "sqlite3_step");
  find(library, sqlite.finalize, "sqlite3_finalize");
  find(library, sqlite.progress, "sqlite3_progress_handler");
  find(library, sqlite.limit, "sqlite3_limit");
  find(library, sqlite.text, "sqlite3_column_text");
  find(library, sqlite.number, "sqlite3_column_double");
  find(library, sqlite.integer, "sqlite3_column_int64");
  find(library, sqlite.error, "sqlite3_errmsg");
  return sqlite;
}

const Sqlite& sqlite() {
  static const Sqlite functions = load();
  return functions;
}

}  // namespace

Database::Database(const std::filesystem::path& file, double patience_s) : patience_s_(patience_s) {
  const Sqlite& library = sqlite();
  try {
    if (library.open(file.c_str(), &handle_, open_read_only, nullptr) != ok)
      throw Error(fmt::format("SQLite cannot open it: {}", library.error(handle_)));
    constexpr int steps = 100000;  // of SQLite's machine between two looks at the clock: some ms
    library.progress(
        handle_, steps, [](void* self) { return static_cast<int>(static_cast<const Database*>(self)->is_late()); },
        this);
    library.limit(handle_, limit_of_length, longest_row);
    ask("PRAGMA trusted_schema=OFF", [](const Row&) {});
    ask("PRAGMA hard_heap_limit=1000000000", [](const Row&) {});  // larger sorts are done in files
    constexpr std::int64_t least_bytes_a_row = 4;
    std::int64_t pages = 0, bytes = 0;
    ask("PRAGMA page_count", [&](const Row& row) { pages = row.integer(0); });
    ask("PRAGMA page_size", [&](const Row& row) { bytes = row.integer(0); });
    most_rows_ = pages * bytes / least_bytes_a_row;
    // a table that a module or a view makes could run for ever
    ask("SELECT name FROM sqlite_master WHERE type='table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
        [&](const Row& row) { tables_.push_back(row.text(0)); });
  } catch (...) {
    close();
    throw;
  }
}

Database::~Database() { close(); }

void Database::close() {
  if (handle_) sqlite().close(handle_);
  handle_ = nullptr;
}

bool Database::is_late() const {
  return static_cast<double>(std::clock() - begun_) > patience_s_ * static_cast<double>(CLOCKS_PER_SEC);
}

bool Database::has(std::string_view table) const { return std::ranges::count(tables_, table) > 0; }

bool Database::has(std::string_view table, std::string_view column) const {
  bool found = false;
  if (!has(table)) return false;
  ask(fmt::format("PRAGMA table_info({})", table), [&](const Row& row) { found = found || row.text(1) == column; });
  return found;
}

std::string Database::outline() const { return fmt::format("{}\n{}\n", start, fmt::join(tables_, "\n")); }

void Database::ask(const std::string& query, const std::function<void(const Row&)>& take) const {
  const Sqlite& library = sqlite();
  void* statement = nullptr;
  begun_ = std::clock();
  const auto failed = [&](int state) {
    if (state == interrupted)
      return Error(fmt::format(
          "SQLite has no answer from it within {:g} s: it is too large to be read here, or damaged", patience_s_));
    const bool damaged = state == corrupt || state == not_a_database;
    return Error(fmt::format("SQLite cannot read it: {}{}", printable(library.error(handle_)),
                             damaged ? ": it was cut off or is damaged" : ""));
  };
  if (const int state = library.prepare(handle_, query.c_str(), -1, &statement, nullptr); state != ok)
    throw failed(state);
  const std::unique_ptr<void, int (*)(void*)> owner(statement, library.finalize);
  int state = library.step(statement);
  for (std::int64_t rows = 1; state == a_row; state = library.step(statement), ++rows) {
    if (is_late()) throw failed(interrupted);
    if (rows > most_rows_)
      throw Error(
          "an answer has more rows than its size allows: ids that stand for one row stand in many, it is damaged");
    take(Row(statement));
  }
  if (state != done) throw failed(state);
}

std::int64_t Database::Row::integer(int column) const { return sqlite().integer(statement_, column); }
double Database::Row::number(int column) const { return sqlite().number(statement_, column); }
std::string Database::Row::text(int column) const {
  const unsigned char* const text = sqlite().text(statement_, column);
  return text ? printable(reinterpret_cast<const char*>(text)) : std::string{};
}

}  // namespace gable::interchange
