#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <random>
#include <sstream>
#include <stdexcept>

#include "backends/kokkos/tool/loaded.hpp"
#include "backends/kokkos/tool/recorder.hpp"

/// What a recorder writes.
namespace gable::tool {
namespace {

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

/// Written beside the file, under a name that nobody can foretell, then renamed over it.
void write_file(const std::string& file, const std::string& text) {
  const auto cannot = [&] { return std::runtime_error(file + " cannot be written"); };
  std::random_device random;
  const std::string beside = file + ".tmp" + std::to_string(random()) + std::to_string(random());
  const int to = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (to < 0) throw cannot();
  std::size_t done = 0;
  while (done < text.size()) {
    const auto wrote = ::write(to, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) break;
    done += static_cast<std::size_t>(wrote);
  }
  const bool closed = ::close(to) == 0;
  if (closed && done == text.size() && std::rename(beside.c_str(), file.c_str()) == 0) return;
  ::unlink(beside.c_str());
  throw cannot();
}

}  // namespace

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
  const WithoutWriteSignals held;
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
  left_out(no_amounts_, "amounts of work that are no amount (not finite or negative)");
  if (never_ended_ > 0)
    line += "; " + std::to_string(never_ended_) + " calls were not recorded, as too much was begun and not ended";
  if (too_deep_ > 0) line += "; " + std::to_string(too_deep_) + " regions more than 100 deep were not recorded";
  if (further_names_ > 0)
    line += "; names beyond the first " + std::to_string(most_names) + " are one, '(further names)'";
  left_out(undeclared_, ("with declarations that have no value, first " + why_undeclared_).c_str());
  return line;
}

}  // namespace gable::tool
