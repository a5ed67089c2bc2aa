#include "operators/sparse/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <tuple>

#include "core/error.hpp"
#include "core/text/lower.hpp"

namespace gable::operators::sparse {
namespace {

enum class Symmetry { general, symmetric, skew };

struct Entry {
  Index row, column;
  double value;
};

struct Header {
  bool pattern;
  Symmetry symmetry;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(path) {
    if (!file_) throw Error(fmt::format("{}: {}", path, std::strerror(errno)));
  }

  Matrix read() {
    const Header header = read_header();
    const Entry sizes = read_sizes();
    check_room(static_cast<Index>(sizes.value));
    const auto [rows, columns, count] = std::tuple(sizes.row, sizes.column, static_cast<Index>(sizes.value));
    if (header.symmetry != Symmetry::general && rows != columns) fail("a symmetric matrix must be square");
    std::vector<Entry> entries;
    entries.reserve(static_cast<std::size_t>(count) * (header.symmetry == Symmetry::general ? 1 : 2));
    for (Index k = 0; k < count; ++k) {
      if (!next_line()) fail(fmt::format("{} entries announced, {} found", count, k));
      add(header, read_entry(header, rows, columns), entries);
    }
    if (next_line()) fail(fmt::format("more than the {} entries announced", count));
    if (entries.size() > 0x7fffffffU) fail("more than 2^31 - 1 entries");
    return by_rows(rows, columns, entries);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw Error(fmt::format("{}:{}: {}", path_, line_, what)); }

  bool next() {
    ++line_;
    return static_cast<bool>(std::getline(file_, text_));
  }
  /// The next line that is neither empty nor a comment.
  bool next_line() {
    while (next()) {
      const auto first = text_.find_first_not_of(" \t\r");
      if (first != std::string::npos && text_[first] != '%') return true;
    }
    return false;
  }

  /// An entry takes four characters at least: "1 1" and the end of its line.
  void check_room(Index count) const {
    const auto size = static_cast<Index>(std::filesystem::file_size(path_));
    if (count > (size + 1) / 4)
      fail(fmt::format("{} entries announced, a file of {} bytes cannot hold them", count, size));
  }

  Header read_header() {
    if (!next()) fail("an empty file");
    text_ = lower(text_);
    std::istringstream words(text_);
    std::string banner, object, format, field, symmetry;
    words >> banner >> object >> format >> field >> symmetry;
    if (banner != "%%matrixmarket" || object != "matrix") fail("no line '%%MatrixMarket matrix ...'");
    if (format != "coordinate") fail(fmt::format("format '{}' is not coordinate", format));
    if (field != "real" && field != "integer" && field != "pattern") {
      fail(fmt::format("values '{}' are not real, integer or pattern", field));
    }
    if (symmetry == "general") return {field == "pattern", Symmetry::general};
    if (symmetry == "symmetric") return {field == "pattern", Symmetry::symmetric};
    if (symmetry == "skew-symmetric" && field != "pattern") return {false, Symmetry::skew};
    fail(fmt::format("symmetry '{}' is not general, symmetric or (with values) skew-symmetric", symmetry));
  }

  /// Rows, columns, and the number of entries as value.
  Entry read_sizes() {
    if (!next_line()) fail("no line with rows, columns and entries");
    const char* at = text_.c_str();
    const Index rows = whole(at), columns = whole(at), count = whole(at);
    end(at);
    if (rows < 1 || columns < 1 || count < 1) fail("a matrix without rows, columns or entries");
    if (rows >= 0x7fffffff || columns > 0x7fffffff || count > 0x7fffffff) fail("beyond 32-bit indices");
    return {rows, columns, static_cast<double>(count)};
  }

  Entry read_entry(const Header& header, Index rows, Index columns) {
    const char* at = text_.c_str();
    const Index row = whole(at), column = whole(at);
    double value = 1.0;
    if (!header.pattern) {
      char* behind = nullptr;
      value = std::strtod(at, &behind);
      if (behind == at) fail(fmt::format("'{}' has no value", text_));
      at = behind;
    }
    end(at);
    if (row < 1 || row > rows) fail(fmt::format("row {} is not within 1 to {}", row, rows));
    if (column < 1 || column > columns) fail(fmt::format("column {} is not within 1 to {}", column, columns));
    return {row - 1, column - 1, value};
  }

  void add(const Header& header, const Entry& entry, std::vector<Entry>& entries) const {
    entries.push_back(entry);
    if (header.symmetry == Symmetry::general) return;
    if (entry.column > entry.row) fail("an entry above the diagonal of a symmetric matrix");
    if (entry.column < entry.row) {
      entries.push_back({entry.column, entry.row, header.symmetry == Symmetry::skew ? -entry.value : entry.value});
    } else if (header.symmetry == Symmetry::skew) {
      fail("an entry on the diagonal of a skew-symmetric matrix");
    }
  }

  Index whole(const char*& at) const {
    char* behind = nullptr;
    const Index number = std::strtoll(at, &behind, 10);
    if (behind == at) fail(fmt::format("'{}' is not the numbers that belong here", text_));
    at = behind;
    return number;
  }
  void end(const char* at) const {
    while (std::isspace(static_cast<unsigned char>(*at)) != 0) ++at;
    if (*at != '\0') fail(fmt::format("'{}' is not the numbers that belong here", text_));
  }

  static Matrix by_rows(Index rows, Index columns, std::vector<Entry>& entries) {
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& x, const Entry& y) {
      return x.row != y.row ? x.row < y.row : x.column < y.column;
    });
    Matrix matrix{rows, columns, std::vector<std::int32_t>(static_cast<std::size_t>(rows) + 1), {}, {}};
    matrix.column.reserve(entries.size());
    matrix.value.reserve(entries.size());
    for (const Entry& entry : entries) {
      ++matrix.offset[static_cast<std::size_t>(entry.row) + 1];
      matrix.column.push_back(static_cast<std::int32_t>(entry.column));
      matrix.value.push_back(entry.value);
    }
    for (std::size_t i = 1; i < matrix.offset.size(); ++i) matrix.offset[i] += matrix.offset[i - 1];
    return matrix;
  }

  std::string path_;
  std::ifstream file_;
  std::string text_;
  Index line_{0};
};

}  // namespace

Matrix read_matrix_market(const std::string& path) {
  try {
    return Reader(path).read();
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("{}: the matrix does not fit into memory", path));
  }
}

}  // namespace gable::operators::sparse
