#include "backends/kokkos/tool/counters.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <utility>

#include "core/text/parse_number.hpp"

namespace gable::tool {
namespace {

namespace fs = std::filesystem;

const fs::path event_sources = "/sys/bus/event_source/devices";

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  while (text.ends_with('\n') || text.ends_with(' ')) text.pop_back();
  return text;
}

/// "0x0a" and "10"; nothing where the text is anything else.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Parts of a text between separators.
std::vector<std::string> parts_of(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);) parts.push_back(part);
  return parts;
}

/// "event=0x04,umask=0x03" in the bits that the counters' folder gives each field ("config:8-15").
std::optional<std::uint64_t> config_of(const fs::path& folder, const std::string& fields) {
  std::uint64_t config = 0;
  for (const std::string& field : parts_of(fields, ',')) {
    const auto equals = field.find('=');
    if (equals == field.npos) return {};
    const auto value = whole_number(std::string_view(field).substr(equals + 1));
    const std::string bits = text_of(folder / "format" / field.substr(0, equals));
    constexpr std::string_view where = "config:";
    if (!value || !bits.starts_with(where)) return {};
    const std::string_view range = std::string_view(bits).substr(where.size());
    const auto dash = range.find('-');
    const auto from = whole_number(range.substr(0, dash));
    const auto to = dash == range.npos ? from : whole_number(range.substr(dash + 1));
    if (!from || !to || *to < *from || *to > 63) return {};
    const std::uint64_t width = *to - *from + 1;
    if (width < 64 && (*value >> width) != 0) return {};
    config |= *value << *from;
  }
  return config;
}

/// What one count of an event in a folder of counters is, in bytes; nothing where it does not say.
std::optional<double> bytes_of_count(const fs::path& folder, const std::string& event) {
  const auto scale = parse_number<double>(text_of(folder / "events" / (event + ".scale")));
  if (!(scale > 0) || text_of(folder / "events" / (event + ".unit")) != "MiB") return {};
  return *scale * 1048576;
}

std::vector<CountedEvent> controller_events(const fs::path& folder, std::uint32_t type, bool intel) {
  std::vector<CountedEvent> events;
  for (const bool read : {true, false}) {
    constexpr double line = 64;
    const std::string name = read ? "cas_count_read" : "cas_count_write";
    const std::string umc = read ? "event=0x0a,rdwrmask=0x1" : "event=0x0a,rdwrmask=0x2";
    const std::string fields = intel ? text_of(folder / "events" / name) : umc;
    const auto config = fields.empty() ? std::nullopt : config_of(folder, fields);
    const auto bytes = intel ? bytes_of_count(folder, name) : std::optional(line);
    if (!config || !bytes) return {};
    events.push_back({type, *config, *bytes});
  }
  return events;
}

/// "uncore_imc_12" is one of "uncore_imc_"; "uncore_imc_free_running_0" is not.
bool is_numbered(const std::string& name, std::string_view kind) {
  return name.starts_with(kind) && whole_number(std::string_view(name).substr(kind.size())).has_value();
}

std::string why_not(const std::error_code& error) {
  if (error == std::errc::permission_denied || error == std::errc::operation_not_permitted) {
    const std::string level = text_of("/proc/sys/kernel/perf_event_paranoid");
    return "this user may not count them" + (level.empty() ? "" : " (perf_event_paranoid is " + level + ")");
  }
  if (error == std::errc::no_such_file_or_directory || error == std::errc::operation_not_supported ||
      error == std::errc::no_such_device)
    return "the processor does not count them here, as in virtual machines that hide counters";
  return error.message();
}

}  // namespace

Processor processor_of(std::string_view cpuinfo) {
  Processor processor;
  std::istringstream in{std::string(cpuinfo)};
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const auto colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string key = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    const std::string value = line.substr(std::min(colon + 2, line.size()));
    if (key == "vendor_id") processor.vendor = value;
    if (key == "cpu family") processor.family = static_cast<int>(whole_number(value).value_or(0));
    if (key == "model") processor.model = static_cast<int>(whole_number(value).value_or(0));
    if (key == "flags") processor.avx512 = (" " + value + " ").find(" avx512f ") != std::string::npos;
  }
  return processor;
}

std::vector<CountedEvent> flop_events(const Processor& processor, DType dtype) {
  if (dtype != DType::fp64 && dtype != DType::fp32) return {};
  const auto event = [](std::uint64_t code, std::uint64_t mask, double operations) {
    return CountedEvent{PERF_TYPE_RAW, code | mask << 8, operations};
  };
  if (processor.vendor == "GenuineIntel" && processor.family == 6) {
    // Broadwell, Skylake, Cascade Lake, Ice Lake, Tiger Lake, Rocket Lake, Sapphire, Emerald and Granite Rapids.
    // Processors with two kinds of cores are not among them.
    constexpr std::array models{0x3D, 0x47, 0x4F, 0x56, 0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6, 0x55,
                                0x7D, 0x7E, 0x6A, 0x6C, 0x8C, 0x8D, 0xA7, 0x8F, 0xCF, 0xAD, 0xAE};
    if (std::ranges::count(models, processor.model) == 0) return {};
    std::vector<CountedEvent> events;
    const int widths = processor.avx512 ? 4 : 3;  // one value, 128, 256 and 512 bit
    for (int width = 0; width < widths; ++width) {
      const double lanes = width == 0 ? 1 : (dtype == DType::fp64 ? 1 : 2) * (1 << width);
      events.push_back(event(0xC7, (dtype == DType::fp64 ? 1u : 2u) << (2 * width), lanes));
    }
    return events;
  }
  if (processor.vendor != "AuthenticAMD") return {};
  const bool zen4 = (processor.model >= 0x10 && processor.model <= 0x1F) || processor.model >= 0x60;
  if (processor.family == 0x17) return {event(0x03, 0xFF, 1)};
  if (processor.family == 0x19) return {event(0x03, zen4 ? 0x1F : 0xFF, 1)};
  if (processor.family == 0x1A) return {event(0x03, 0x0F, 1)};
  return {};
}

std::vector<MemoryController> memory_controllers(const fs::path& devices) {
  std::vector<MemoryController> controllers;
  std::error_code error;
  for (fs::directory_iterator one(devices, error), end; !error && one != end; one.increment(error)) {
    const std::string name = one->path().filename().string();
    const bool intel = is_numbered(name, "uncore_imc_");
    if (!intel && !is_numbered(name, "amd_umc_")) continue;
    const auto type = whole_number(text_of(one->path() / "type"));
    const auto events =
        type ? controller_events(one->path(), static_cast<std::uint32_t>(*type), intel) : std::vector<CountedEvent>{};
    const auto cpus = parts_of(text_of(one->path() / "cpumask"), ',');
    if (events.empty() || cpus.empty()) return {};
    for (const std::string& cpu : cpus) {
      const auto number = whole_number(cpu);
      if (!number) return {};
      controllers.push_back({static_cast<int>(*number), events});
    }
  }
  return controllers;
}

EventGroup::EventGroup(std::vector<CountedEvent> events, int thread, int cpu) : events_(std::move(events)) {
  for (const CountedEvent& event : events_) {
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    attributes.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (thread >= 0) {  // of a thread: what the program itself does, also in threads that it starts
      attributes.inherit = 1;
      attributes.exclude_kernel = 1;
      attributes.exclude_hv = 1;
    }
    const int leader = files_.empty() ? -1 : files_.front();
    const long file = ::syscall(SYS_perf_event_open, &attributes, thread, cpu, leader, PERF_FLAG_FD_CLOEXEC);
    if (file < 0) {
      const int why = errno;
      for (const int open : files_) ::close(open);
      throw std::system_error(why, std::generic_category(), "perf_event_open");
    }
    files_.push_back(static_cast<int>(file));
  }
}

EventGroup::EventGroup(EventGroup&& other) noexcept
    : events_(std::move(other.events_)), files_(std::exchange(other.files_, {})) {}

EventGroup::~EventGroup() {
  for (const int file : files_) ::close(file);
}

std::optional<double> EventGroup::read() const {
  constexpr std::size_t most = 8;
  struct {
    std::uint64_t count, enabled, running;
    std::array<std::uint64_t, most> values;
  } group{};
  const ssize_t bytes = ::read(files_.front(), &group, sizeof group);
  if (bytes < 0 || group.count != events_.size() || group.running < group.enabled) return {};
  double sum = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) sum += static_cast<double>(group.values[i]) * events_[i].worth;
  return sum;
}

std::vector<EventGroup> count_threads(const std::vector<CountedEvent>& events) {
  std::vector<EventGroup> groups;
  for (const auto& one : fs::directory_iterator("/proc/self/task")) {
    const auto thread = whole_number(one.path().filename().string());
    if (thread) groups.emplace_back(events, static_cast<int>(*thread), -1);
  }
  return groups;
}

Counters::Counters(DType dtype, bool whole_node) {
  const Processor processor = processor_of(text_of("/proc/cpuinfo"));
  const std::string type(to_string(dtype));
  const auto add = [&](const std::string& text) { about_ += (about_.empty() ? "" : "; ") + text; };
  std::string no_flops;
  const auto events = flop_events(processor, dtype);
  if (!fs::exists(event_sources / "cpu")) {
    no_flops = "this machine shows no counters of its processor, as virtual machines often do not";
  } else if (events.empty()) {
    no_flops = "which events count them on this processor is not known";
  } else {
    try {
      threads_ = count_threads(events);
      add("counting " + type + " operations of " + std::to_string(threads_.size()) + " threads" +
          (processor.vendor == "AuthenticAMD" ? ", with those of other floating-point types" : ""));
    } catch (const std::system_error& error) {
      no_flops = why_not(error.code());
    }
  }
  if (!no_flops.empty()) add("no operations are counted: " + no_flops);
  std::string no_bytes;
  const auto controllers = memory_controllers(event_sources);
  if (!whole_node) {
    no_bytes = "memory controllers count the whole node, and this is one of several tasks";
  } else if (controllers.empty()) {
    no_bytes = "this machine shows no counters of its memory controllers";
  } else {
    try {
      for (const MemoryController& one : controllers) controllers_.emplace_back(one.events, -1, one.cpu);
      add("bytes of " + std::to_string(controllers_.size()) + " memory controllers, whoever on the node moves them");
    } catch (const std::system_error& error) {
      controllers_.clear();
      no_bytes = why_not(error.code());
    }
  }
  if (!no_bytes.empty()) add("no bytes are counted: " + no_bytes);
}

Counts Counters::read() const {
  const auto sum = [](const std::vector<EventGroup>& groups) -> std::optional<double> {
    if (groups.empty()) return {};
    double total = 0;
    for (const EventGroup& group : groups) {
      const auto value = group.read();
      if (!value) return {};
      total += *value;
    }
    return total;
  };
  return {sum(threads_), sum(controllers_)};
}

}  // namespace gable::tool
