#include "backends/kokkos/tool/recorder.hpp"

#include <unistd.h>

#include "core/model/dtype.hpp"
#include "core/model/work.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace gable::tool {
namespace {

/// Of the calling thread: the names of the regions it is in, and what it began.
struct Nesting {
  std::vector<std::pair<std::string, std::uint64_t>> regions;
  std::vector<std::pair<Kind, std::uint64_t>> begun;
};
thread_local Nesting nesting;

std::string path() {
  std::string text;
  for (const auto& [name, id] : nesting.regions) text += (text.empty() ? "" : " / ") + name;
  return text;
}

std::string number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};  // with a point in every locale
}

/// A cell of CSV in one line: control characters and invisible line ends become blanks.
std::string cell(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
  }
  return quoted + '"';
}

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

double figure(const std::string& text, const std::string& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0) || value > 1e30)
    throw std::runtime_error(place + ": '" + text + "' is not a figure from 0 on");
  return value;
}

std::string_view remark(Kind kind, const Record& record) {
  if (!record.launches) return "";
  return kind == Kind::region ? "without fences: work of a GPU may have gone on behind its end"
                              : "without fences: time of the launch on a GPU";
}

/// Written beside the file, then renamed over it.
void write_file(const std::string& file, const std::string& text) {
  const std::string beside = file + ".tmp" + std::to_string(::getpid());
  {
    std::ofstream out(beside, std::ios::binary);
    out << text;
    out.flush();
    if (!out) {
      std::remove(beside.c_str());
      throw std::runtime_error(file + " cannot be written");
    }
  }
  if (std::rename(beside.c_str(), file.c_str()) != 0) {
    std::remove(beside.c_str());
    throw std::runtime_error(file + " cannot be written");
  }
}

}  // namespace

std::string_view to_string(Kind kind) {
  switch (kind) {
    case Kind::parallel_for:
      return "parallel_for";
    case Kind::parallel_reduce:
      return "parallel_reduce";
    case Kind::parallel_scan:
      return "parallel_scan";
    case Kind::deep_copy:
      return "deep_copy";
    case Kind::region:
      return "region";
  }
  return "";
}

std::string variable(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

std::string output_prefix(const char* name, const std::string& tool, int begun_in) {
  const std::string process = std::to_string(::getpid());
  std::string prefix = variable(name, "");
  if (prefix.empty()) {
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    return tool + '-' + host + '-' + process;
  }
  for (const auto& [number, count] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"},
        std::pair{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
    const std::string task = variable(number, ""), tasks = variable(count, "1");
    if (task.empty() || tasks == "1" || task.find_first_not_of("0123456789") != std::string::npos) continue;
    prefix += '.' + task;
    break;
  }
  return ::getpid() == begun_in ? prefix : prefix + '.' + process;
}

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
    const auto row = cells(line);
    if (columns.empty()) {
      columns = row;
      const std::vector<std::string> known{"label", "flops", "bytes", "dtype", "unit"};
      for (const char* needed : {"label", "flops", "bytes"}) {
        if (std::ranges::count(columns, needed) != 1) throw std::runtime_error(place + ": no column '" + needed + "'");
      }
      for (const std::string& column : columns) {
        if (std::ranges::count(known, column) == 0)
          throw std::runtime_error(place + ": no column is called '" + column + "'");
      }
      continue;
    }
    if (row.size() != columns.size())
      throw std::runtime_error(place + ": " + std::to_string(row.size()) + " cells, the first line has " +
                               std::to_string(columns.size()));
    Declaration one;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (columns[i] == "label") one.label = row[i];
      if (columns[i] == "flops") one.flops = figure(row[i], place);
      if (columns[i] == "bytes") one.bytes = figure(row[i], place);
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

Recorder::Entry& Recorder::entry(Kind kind, std::string_view region, std::string_view name) {
  const auto [found, made] = records_.try_emplace(Key{kind, std::string(region), std::string(name)});
  if (made && kind != Kind::region && kind != Kind::deep_copy) {
    const auto one = std::ranges::find_if(declarations_, [&](const Declaration& d) { return fits(d.label, name); });
    if (one != declarations_.end()) found->second.declared = &*one;
  }
  return *found;
}

std::uint64_t Recorder::begin(Kind kind, std::string_view name, bool launch) {
  const std::string region = path();
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.push_back(running_.size());
      running_.emplace_back();
    }
    id = free_.back();
    free_.pop_back();
    running_[id] = {&entry(kind, region, name), Clock::now()};
    if (launch) {
      running_[id].entry->second.launches = true;
      for (const auto& outer : nesting.regions) running_[outer.second].entry->second.launches = true;
    }
  }
  nesting.begun.emplace_back(kind, id);
  return id;
}

void Recorder::end(std::uint64_t id) {
  const auto now = Clock::now();
  std::erase_if(nesting.begun, [&](const auto& one) { return one.second == id; });
  const std::lock_guard lock(mutex_);
  if (id >= running_.size() || running_[id].entry == nullptr) return;
  auto& [key, record] = *running_[id].entry;
  const double taken = std::chrono::duration<double>(now - running_[id].since).count();
  record.least_s = record.calls == 0 ? taken : std::min(record.least_s, taken);
  record.most_s = std::max(record.most_s, taken);
  record.total_s += taken;
  ++record.calls;
  if (const Declaration* one = record.declared) {
    record.flops += one->flops;
    record.bytes += one->bytes;
    record.work = true;
  }
  running_[id].entry = nullptr;
  free_.push_back(id);
}

void Recorder::begin_copy(std::string_view name, double bytes) {
  const auto id = begin(Kind::deep_copy, name);
  const std::lock_guard lock(mutex_);
  running_[id].entry->second.bytes += bytes;
}

void Recorder::end_last(Kind kind) {
  for (auto one = nesting.begun.rbegin(); one != nesting.begun.rend(); ++one) {
    if (one->first == kind) return end(one->second);
  }
}

void Recorder::push_region(std::string_view name) {
  const auto id = begin(Kind::region, name);
  nesting.regions.emplace_back(name, id);
}

void Recorder::pop_region() {
  if (nesting.regions.empty()) return;
  const auto id = nesting.regions.back().second;
  nesting.regions.pop_back();
  end(id);
}

void Recorder::add_work(std::string_view name, double flops, double bytes) {
  std::string outside;
  for (const auto& [region, id] : nesting.regions) {
    if (region == name) break;
    outside += (outside.empty() ? "" : " / ") + region;
  }
  const bool inside = std::ranges::any_of(nesting.regions, [&](const auto& one) { return one.first == name; });
  const std::lock_guard lock(mutex_);
  const auto is_named = [&](const auto& one) {
    return one.first.kind == Kind::region && one.first.name == name && one.second.calls > 0;
  };
  const auto ended = std::ranges::find_if(records_, is_named);
  const bool one_ended = !inside && std::ranges::count_if(records_, is_named) == 1;
  Record& record = one_ended ? ended->second : entry(Kind::region, inside ? outside : "", name).second;
  record.flops += flops;
  record.bytes += bytes;
  record.work = true;
}

void Recorder::allocated(std::string_view space, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  auto found = spaces_.find(space);
  if (found == spaces_.end()) found = spaces_.emplace(space, Space{}).first;
  found->second.now += bytes;
  found->second.most = std::max(found->second.most, found->second.now);
}

void Recorder::freed(std::string_view space, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = spaces_.find(space);
  if (found != spaces_.end()) found->second.now -= std::min(found->second.now, bytes);
}

std::string Recorder::kernels() const {
  std::ostringstream out;
  out << "kind,region,name,calls,total_s,mean_s,least_s,most_s,flops,bytes,remark\n";
  for (const auto& [key, record] : records_) {
    if (record.calls == 0) continue;
    const bool bytes_known = record.work || key.kind == Kind::deep_copy;
    out << to_string(key.kind) << ',' << cell(key.region) << ',' << cell(key.name) << ',' << record.calls << ','
        << number(record.total_s) << ',' << number(record.total_s / static_cast<double>(record.calls)) << ','
        << number(record.least_s) << ',' << number(record.most_s) << ',' << (record.work ? number(record.flops) : "")
        << ',' << (bytes_known ? number(record.bytes) : "") << ',' << cell(remark(key.kind, record)) << '\n';
  }
  for (const auto& [name, space] : spaces_)
    out << "memory,\"\"," << cell(name) << ",,,,,,," << space.most << ",\"most bytes at one time\"\n";
  return out.str();
}

Recorder::Points Recorder::points() const {
  std::map<std::string, int> times;  // a name has, of kernels of several kinds
  const auto name_of = [](const Key& key) { return key.region.empty() ? key.name : key.region + " / " + key.name; };
  for (const auto& [key, record] : records_) times[name_of(key)] += record.work ? 1 : 0;
  Points points;
  std::ostringstream out;
  out << "name,dtype,flops,bytes,time_s,unit\n";
  for (const auto& [key, record] : records_) {
    if (!record.work) continue;
    std::size_t* const left_out = record.calls == 0   ? &points.never_ended
                                  : record.launches   ? &points.launches
                                  : record.bytes <= 0 ? &points.without_bytes
                                                      : nullptr;
    if (left_out != nullptr) {
      ++*left_out;
      continue;
    }
    const auto calls = static_cast<double>(record.calls);
    const Declaration* one = record.declared;
    std::string name = name_of(key);
    if (times[name] > 1) name += " (" + std::string(to_string(key.kind)) + ")";
    out << cell(name) << ',' << (one ? one->dtype : variable("GABLE_REGION_DTYPE", "fp64")) << ','
        << number(record.flops / calls) << ',' << number(record.bytes / calls) << ',' << number(record.total_s / calls)
        << ',' << (one ? one->unit : "vector") << '\n';
    ++points.count;
  }
  points.text = out.str();
  return points;
}

std::string Recorder::write(const std::string& prefix) const {
  const std::lock_guard lock(mutex_);
  const Points placed = points();
  write_file(prefix + ".kernels.csv", kernels());
  std::string line = "times are in " + prefix + ".kernels.csv";
  const std::string file = prefix + ".points.csv";
  if (placed.count > 0) {
    write_file(file, placed.text);
    line += ", " + std::to_string(placed.count) + " with known work in " + file + " (gable report --points)";
  } else {
    std::remove(file.c_str());
    line += "; there are no points";
    if (placed.launches + placed.without_bytes + placed.never_ended == 0) line += ", because no work is known";
  }
  const auto left_out = [&](std::size_t count, const char* why) {
    if (count > 0) line += "; left out of the points: " + std::to_string(count) + ' ' + why;
  };
  left_out(placed.launches, "whose times are of launches (GABLE_KOKKOS_FENCE=1 times the work)");
  left_out(placed.without_bytes, "of 0 bytes");
  left_out(placed.never_ended, "with work but without an end");
  return line;
}

}  // namespace gable::tool
