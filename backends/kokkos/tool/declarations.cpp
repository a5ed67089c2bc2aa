#include "backends/kokkos/tool/declarations.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

namespace gable::tool {
namespace {

/// What follows the last * so far is looked for further on each time it does not fit.
bool fits(std::string_view pattern, std::string_view text) {
  std::size_t at = 0, star = std::string_view::npos, seen = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      seen = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++seen;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

/// Cells of one line of CSV (RFC 4180, no line ends within cells).
std::vector<std::string> cells(std::string_view line) {
  std::vector<std::string> list(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      list.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      list.emplace_back();
    } else if (c != '\r') {
      list.back() += c;
    }
  }
  return list;
}

double figure(const std::string& expression, const Lookup& parameters) {
  const double value = evaluate(expression, parameters);
  if (!(value >= 0) || value > 1e30)
    throw std::runtime_error("'" + expression + "' is " + std::to_string(value) + ", not a figure from 0 on");
  return value;
}

/// A cell as an expression. Whatever its parameters are it can be read, and without any it has a value.
std::string expression(const std::string& text, const std::string& place) {
  try {
    bool depends = false;
    evaluate(text, [&](std::string_view) {
      depends = true;
      return std::optional<double>(1);
    });
    if (!depends) figure(text, [](std::string_view) { return std::optional<double>(); });
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(place + ": " + error.what());
  }
  return text;
}

void read_header(const std::vector<std::string>& columns, const std::string& place) {
  const std::vector<std::string> known{"label", "flops", "bytes", "dtype", "unit"};
  for (const char* needed : {"label", "flops", "bytes"}) {
    if (std::ranges::count(columns, needed) != 1) throw std::runtime_error(place + ": no column '" + needed + "'");
  }
  for (const std::string& column : columns) {
    if (std::ranges::count(known, column) == 0)
      throw std::runtime_error(place + ": no column is called '" + column + "'");
  }
}

}  // namespace

std::vector<Declaration> read_declarations(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be read");
  std::vector<Declaration> list;
  std::vector<std::string> columns;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty() || line == "\r") continue;
    const std::string place = file + ":" + std::to_string(number);
    auto row = cells(line);
    if (columns.empty()) {
      read_header(row, place);
      columns = std::move(row);
      continue;
    }
    if (row.size() != columns.size())
      throw std::runtime_error(place + ": " + std::to_string(row.size()) + " cells, the first line has " +
                               std::to_string(columns.size()));
    Declaration one;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns[i] == "label") one.label = row[i];
      if (columns[i] == "flops") one.flops = expression(row[i], place);
      if (columns[i] == "bytes") one.bytes = expression(row[i], place);
      if (columns[i] == "dtype" && !row[i].empty()) one.dtype = row[i];
      if (columns[i] == "unit" && !row[i].empty()) one.unit = row[i];
    }
    if (!parse_dtype(one.dtype)) throw std::runtime_error(place + ": '" + one.dtype + "' is not a data type");
    if (const auto unit = parse_unit(one.unit); !unit || !is_flop(*unit))
      throw std::runtime_error(place + ": '" + one.unit + "' is none of scalar, vector, matrix, multiply_add");
    list.push_back(std::move(one));
  }
  if (columns.empty()) throw std::runtime_error(file + ": no line 'label,flops,bytes'");
  return list;
}

const Declaration* find_declaration(const std::vector<Declaration>& declarations, std::string_view kernel) {
  const std::string_view bare = split_name(kernel).name;
  const auto one = std::ranges::find_if(
      declarations, [&](const Declaration& d) { return fits(d.label, kernel) || fits(d.label, bare); });
  return one == declarations.end() ? nullptr : &*one;
}

Work work_of(const Declaration& declaration, const Lookup& parameters) {
  return {figure(declaration.flops, parameters), figure(declaration.bytes, parameters)};
}

}  // namespace gable::tool
