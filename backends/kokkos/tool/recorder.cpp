#include "backends/kokkos/tool/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "core/enum_names.hpp"

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

/// The number of this process among several tasks of MPI or Slurm; empty where it is alone.
std::string task_of_several() {
  for (const auto& [number, count] :
       {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"},
        std::pair{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
    std::string task = variable(number, "");
    if (!task.empty() && variable(count, "1") != "1" && task.find_first_not_of("0123456789") == std::string::npos)
      return task;
  }
  return "";
}

/// Flops or bytes of a kernel, a copy or a region, and where they come from.
struct Amount {
  std::optional<double> value;  ///< of all calls
  const char* from = "";
};

Amount amount(const Record& record, const Count& counted, double declared_once, double stated, bool same_type) {
  const auto calls = static_cast<double>(record.calls);
  if (record.calls > 0 && counted.calls == record.calls && same_type) return {counted.sum, "counted"};
  if (record.declared != nullptr) return {calls * declared_once, "declared"};
  if (record.stated) return {stated, "stated"};
  return {};
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
  constexpr auto names = enum_names<Kind>({{Kind::parallel_for, "parallel_for"},
                                           {Kind::parallel_reduce, "parallel_reduce"},
                                           {Kind::parallel_scan, "parallel_scan"},
                                           {Kind::deep_copy, "deep_copy"},
                                           {Kind::region, "region"}});
  return names.name(kind);
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
  if (const std::string task = task_of_several(); !task.empty()) prefix += '.' + task;
  return ::getpid() == begun_in ? prefix : prefix + '.' + process;
}

bool in_several_tasks() { return !task_of_several().empty(); }

Recorder::Entry& Recorder::entry(Kind kind, std::string_view region, std::string_view name) {
  const auto [found, made] = records_.try_emplace(Key{kind, std::string(region), std::string(name)});
  if (made && kind != Kind::region && kind != Kind::deep_copy) declare(*found);
  return *found;
}

void Recorder::declare(Entry& entry) {
  const std::string& name = entry.first.name;
  const Declaration* one = find_declaration(declarations_, name);
  if (one == nullptr) return;
  const Parameters own = split_name(name).parameters;
  const auto value = [&](std::string_view parameter) {
    auto found = find_parameter(own, parameter);
    for (auto outer = nesting.regions.rbegin(); !found && outer != nesting.regions.rend(); ++outer)
      found = find_parameter(split_name(outer->first).parameters, parameter);
    return found ? found : find_parameter(parameters_, parameter);
  };
  try {
    entry.second.declared_work = work_of(*one, value);
    entry.second.declared = one;
  } catch (const std::runtime_error& error) {
    if (undeclared_++ == 0) why_undeclared_ = "'" + name + "': " + error.what();
  }
}

std::uint64_t Recorder::begin(Kind kind, std::string_view name, Place place) {
  const std::string region = path();
  const bool counts = counts_ && place == Place::host && kind != Kind::region && kind != Kind::deep_copy;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.push_back(running_.size());
      running_.emplace_back();
    }
    id = free_.back();
    free_.pop_back();
    running_[id] =
        Running{.entry = &entry(kind, region, name), .counts = counts, .alone = true, .before = {}, .since = {}};
    if (place == Place::launch) {
      running_[id].entry->second.launches = true;
      for (const auto& outer : nesting.regions) running_[outer.second].entry->second.launches = true;
    }
    if (counts && counting_++ > 0) {
      for (Running& one : running_) one.alone = one.alone && !(one.entry != nullptr && one.counts);
    }
    running_[id].since = Clock::now();
  }
  nesting.begun.emplace_back(kind, id);
  if (counts) {
    const Counts before = counts_();
    const std::lock_guard lock(mutex_);
    running_[id].before = before;
    running_[id].since = Clock::now();  // reading counters is no part of the kernel
  }
  return id;
}

void Recorder::end(std::uint64_t id) {
  const auto now = Clock::now();
  std::erase_if(nesting.begun, [&](const auto& one) { return one.second == id; });
  const std::lock_guard lock(mutex_);
  if (id >= running_.size() || running_[id].entry == nullptr) return;
  auto& [entry, counts, alone, before, since] = running_[id];
  Record& record = entry->second;
  const double taken = std::chrono::duration<double>(now - since).count();
  record.least_s = record.calls == 0 ? taken : std::min(record.least_s, taken);
  record.most_s = std::max(record.most_s, taken);
  record.total_s += taken;
  ++record.calls;
  if (counts) {
    const Counts after = counts_();
    if (alone) {
      record.counted_flops.add(before.flops, after.flops);
      record.counted_bytes.add(before.bytes, after.bytes);
    }
    --counting_;
  }
  entry = nullptr;
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
  record.stated = true;
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

Recorder::Amounts Recorder::amounts(const Record& record) const {
  // Counters of one type say nothing about a kernel of another.
  const bool same_type = record.declared == nullptr || record.declared->dtype == counted_dtype_;
  const Work once = record.declared_work;
  const Amount flops = amount(record, record.counted_flops, once.flops, record.flops, same_type);
  const Amount bytes = amount(record, record.counted_bytes, once.bytes, record.bytes, true);
  return {flops.value, bytes.value, flops.from, bytes.from};
}

std::string Recorder::kernels() const {
  std::ostringstream out;
  out << "kind,region,name,calls,total_s,mean_s,least_s,most_s,flops,bytes,flops_from,bytes_from,remark\n";
  const auto known = [](const std::optional<double>& value) { return value ? number(*value) : ""; };
  for (const auto& [key, record] : records_) {
    if (record.calls == 0) continue;
    Amounts work = amounts(record);
    if (key.kind == Kind::deep_copy) work.bytes = record.bytes;
    out << to_string(key.kind) << ',' << cell(key.region) << ',' << cell(key.name) << ',' << record.calls << ','
        << number(record.total_s) << ',' << number(record.total_s / static_cast<double>(record.calls)) << ','
        << number(record.least_s) << ',' << number(record.most_s) << ',' << known(work.flops) << ','
        << known(work.bytes) << ',' << work.flops_from << ',' << work.bytes_from << ','
        << cell(remark(key.kind, record)) << '\n';
  }
  for (const auto& [name, space] : spaces_)
    out << "memory,\"\"," << cell(name) << ",,,,,,," << space.most << ",,,\"most bytes at one time\"\n";
  return out.str();
}

Recorder::Points Recorder::points() const {
  std::map<std::string, int> times;  // a name has, of kernels of several kinds
  const auto name_of = [](const Key& key) { return key.region.empty() ? key.name : key.region + " / " + key.name; };
  const auto has_work = [&](const Record& record) {
    const Amounts work = amounts(record);
    return record.stated || work.flops || work.bytes;
  };
  for (const auto& [key, record] : records_) times[name_of(key)] += has_work(record) ? 1 : 0;
  Points points;
  std::ostringstream out;
  out << "name,dtype,flops,bytes,time_s,unit\n";
  for (const auto& [key, record] : records_) {
    if (!has_work(record)) continue;
    const Amounts work = amounts(record);
    std::size_t* const left_out = record.calls == 0            ? &points.never_ended
                                  : record.launches            ? &points.launches
                                  : !work.flops || !work.bytes ? &points.half_known
                                  : *work.bytes <= 0           ? &points.without_bytes
                                                               : nullptr;
    if (left_out != nullptr) {
      ++*left_out;
      continue;
    }
    const auto calls = static_cast<double>(record.calls);
    const Declaration* one = record.declared;
    const std::string dtype = one != nullptr                 ? one->dtype
                              : work.flops_from == "counted" ? counted_dtype_
                                                             : variable("GABLE_REGION_DTYPE", "fp64");
    std::string name = name_of(key);
    if (times[name] > 1) name += " (" + std::string(to_string(key.kind)) + ")";
    out << cell(name) << ',' << dtype << ',' << number(*work.flops / calls) << ',' << number(*work.bytes / calls) << ','
        << number(record.total_s / calls) << ',' << (one ? one->unit : "vector") << '\n';
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
    const std::size_t known = placed.launches + placed.without_bytes + placed.never_ended + placed.half_known;
    if (known + undeclared_ == 0) line += ", because no work is known";
  }
  const auto left_out = [&](std::size_t count, const char* why) {
    if (count > 0) line += "; left out of the points: " + std::to_string(count) + ' ' + why;
  };
  left_out(placed.launches, "whose times are of launches (GABLE_KOKKOS_FENCE=1 times the work)");
  left_out(placed.without_bytes, "of 0 bytes");
  left_out(placed.never_ended, "with work but without an end");
  left_out(placed.half_known, "whose flops or bytes are not known (declare them)");
  left_out(undeclared_, ("with declarations that have no value, first " + why_undeclared_).c_str());
  return line;
}

}  // namespace gable::tool
