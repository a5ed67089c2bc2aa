#include "backends/kokkos/tool/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "backends/kokkos/tool/loaded.hpp"
#include "core/enum_names.hpp"

namespace gable::tool {
namespace {

/// Of the calling thread: the names of the regions it is in, and what it began. A thread that ends may still call, from
/// destructors that come later: from then on it records nothing.
struct Nesting {
  std::vector<std::pair<std::string, std::uint64_t>> regions;
  std::vector<std::pair<Kind, std::uint64_t>> begun;
  std::size_t deeper{};  ///< regions that are not recorded
  Nesting() { is_used = true; }
  ~Nesting() { is_gone = true; }
  static thread_local bool is_used, is_gone;
};
thread_local bool Nesting::is_used = false, Nesting::is_gone = false;
thread_local Nesting nesting;

constexpr std::uint64_t not_begun = ~std::uint64_t{0};

std::string path() {
  std::string text;
  for (const auto& [name, id] : nesting.regions) text += (text.empty() ? "" : " / ") + name;
  return text;
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

std::string_view named(const char* name) {
  constexpr std::size_t most = 1000;
  const std::string_view text = name != nullptr ? std::string_view(name, ::strnlen(name, most)) : "";
  const bool is_blank = std::ranges::all_of(text, [](unsigned char c) { return c <= ' ' || c == 0x7f; });
  return is_blank ? "(no name)" : text;
}

void Recorder::forget_thread() {
  if (!Nesting::is_used || Nesting::is_gone) return;
  nesting.regions.clear();
  nesting.begun.clear();
  nesting.deeper = 0;
}

bool Recorder::empty() const {
  const std::lock_guard lock(mutex_);
  return records_.empty() && spaces_.empty();
}

Recorder::Entry& Recorder::entry(Kind kind, std::string_view region, std::string_view name) {
  Key key{kind, std::string(region), std::string(name)};
  if (const auto known = records_.find(key); known != records_.end()) return *known;
  name_bytes_ += region.size() + name.size();
  if (records_.size() >= most_names || name_bytes_ > most_name_bytes) {
    ++further_names_;
    return *records_.try_emplace(Key{kind, "", "(further names)"}).first;
  }
  const auto [found, made] = records_.try_emplace(std::move(key));
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
  const HeldBack held;
  try {
    entry.second.declared_work = work_of(*one, value);
    entry.second.declared = one;
  } catch (const std::runtime_error& error) {
    if (undeclared_++ == 0) why_undeclared_ = "'" + name + "': " + error.what();
  }
}

std::uint64_t Recorder::begin(Kind kind, std::string_view name, Place place) {
  if (Nesting::is_gone) return not_begun;
  if (nesting.begun.size() >= 2 * most_depth) {  // regions and kernels in them
    const std::lock_guard lock(mutex_);
    ++never_ended_;
    return not_begun;
  }
  const std::string region = path();
  const bool counts = counts_ && place == Place::host && kind != Kind::region && kind != Kind::deep_copy;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      running_.emplace_back();
      free_.push_back(running_.size() - 1);
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
  if (Nesting::is_gone) return;
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
  if (entry->first.kind == Kind::region && record.calls == 1) {
    const auto [ended, first] = ended_.try_emplace(entry->first.name, entry);
    if (!first) ended->second = nullptr;
  }
  entry = nullptr;
  free_.push_back(id);
}

void Recorder::begin_copy(std::string_view name, double bytes) {
  const auto id = begin(Kind::deep_copy, name);
  if (id == not_begun) return;
  const std::lock_guard lock(mutex_);
  running_[id].entry->second.bytes += bytes;
}

void Recorder::end_last(Kind kind) {
  if (Nesting::is_gone) return;
  for (auto one = nesting.begun.rbegin(); one != nesting.begun.rend(); ++one) {
    if (one->first == kind) return end(one->second);
  }
}

void Recorder::push_region(std::string_view name) {
  if (Nesting::is_gone) return;
  if (nesting.regions.size() >= most_depth) {
    ++nesting.deeper;
    const std::lock_guard lock(mutex_);
    ++too_deep_;
    return;
  }
  const auto id = begin(Kind::region, name);
  if (id == not_begun) {
    ++nesting.deeper;
    return;
  }
  nesting.regions.emplace_back(name, id);
}

bool Recorder::pop_region(std::string_view name) {
  if (Nesting::is_gone) return true;
  if (nesting.deeper == 0 && (nesting.regions.empty() || nesting.regions.back().first != name)) return false;
  pop_region();
  return true;
}

void Recorder::pop_region() {
  if (Nesting::is_gone) return;
  if (nesting.deeper > 0) {
    --nesting.deeper;
    return;
  }
  if (nesting.regions.empty()) return;
  const auto id = nesting.regions.back().second;
  nesting.regions.pop_back();
  end(id);
}

void Recorder::add_work(std::string_view name, double flops, double bytes) {
  constexpr double most = 1e24;  // more than any program does in its life
  if (Nesting::is_gone) return;
  // Comparisons that are quiet: a program may trap those with what is no number.
  const auto is_amount = [](double x) { return std::isgreaterequal(x, 0) && std::islessequal(x, most); };
  if (!is_amount(flops) || !is_amount(bytes)) {
    const std::lock_guard lock(mutex_);
    ++no_amounts_;
    return;
  }
  std::string outside;
  for (const auto& [region, id] : nesting.regions) {
    if (region == name) break;
    outside += (outside.empty() ? "" : " / ") + region;
  }
  const bool inside = std::ranges::any_of(nesting.regions, [&](const auto& one) { return one.first == name; });
  const std::lock_guard lock(mutex_);
  const auto ended = inside ? ended_.end() : ended_.find(std::string(name));
  const bool one_ended = ended != ended_.end() && ended->second != nullptr;
  Record& record = one_ended ? ended->second->second : entry(Kind::region, inside ? outside : "", name).second;
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

}  // namespace gable::tool
