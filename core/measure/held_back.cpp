#include "core/measure/held_back.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace gable::measure {
namespace {

double time_of(clockid_t clock) {
  timespec now{};
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The beginning of a small file, read anew.
std::string_view text_of(int file, std::span<char> buffer) {
  const auto size = ::pread(file, buffer.data(), buffer.size(), 0);
  return {buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0};
}

/// The number behind `key` and a blank; nothing without one.
std::optional<double> number_behind(std::string_view text, std::string_view key) {
  const auto at = text.find(key);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(std::min(text.size(), at + key.size() + 1));
  double number{};
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc{}) return {};
  return number;
}

/// What the kernel counts of a thread.
struct Counted {
  double delay_s{};  ///< on the run queue
  double ran_s{};    ///< processor time
};

/// By the thread's schedstat, whose processor time is some ms old: the thread's own clock, where it has one, is not.
std::optional<Counted> counted_of(int thread, int file) {
  std::array<char, 128> buffer;
  const auto text = text_of(file, buffer);
  double ran_ns{};
  if (std::from_chars(text.data(), text.data() + text.size(), ran_ns).ec != std::errc{}) return {};
  const auto delay_ns = number_behind(text, text.substr(0, text.find(' ')));
  if (!delay_ns) return {};
  constexpr int of_a_thread = 6;  // and what it ran: clockid_t of Linux
  const double ran_s = time_of(static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | of_a_thread));
  return Counted{1e-9 * *delay_ns, ran_s > 0 ? ran_s : 1e-9 * ran_ns};
}

/// The cpus that a thread may run on, as the kernel keeps them; 8192 is its greatest number.
using Mask = std::array<unsigned long, 8192 / (8 * sizeof(unsigned long))>;

Mask mask_of(int thread) {
  Mask mask{};
  if (syscall(SYS_sched_getaffinity, thread, sizeof mask, mask.data()) < 0) return {};
  return mask;
}

int count(const Mask& mask) {
  int cpus = 0;
  for (const unsigned long word : mask) cpus += std::popcount(word);
  return cpus;
}

bool lacks_some_of(const Mask& mask, const Mask& former) {
  for (std::size_t i = 0; i < mask.size(); ++i) {
    if ((former[i] & ~mask[i]) != 0) return true;
  }
  return false;
}

double slowdown(double time_s, double waited_s) {
  constexpr double most = 100;
  return time_s > 0 ? time_s / std::max(time_s - waited_s, time_s / most) : 1;
}

}  // namespace

double thread_time_s() { return time_of(CLOCK_THREAD_CPUTIME_ID); }

ThrottleClock::ThrottleClock(const std::vector<std::string>& cpu_stat_files) {
  for (const std::string& path : cpu_stat_files) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0) files_.push_back(std::move(file));
  }
}

double ThrottleClock::now_s() const {
  double sum = 0;
  std::array<char, 1024> buffer;
  for (const Descriptor& file : files_) {
    const auto text = text_of(file.get(), buffer);
    sum += 1e-6 * number_behind(text, "throttled_usec").value_or(0) +
           1e-9 * number_behind(text, "throttled_time").value_or(0);
  }
  return sum;
}

double HeldBack::preemption(double time_s) const { return slowdown(time_s, longest_s); }
double HeldBack::most_preemption(double time_s) const { return slowdown(time_s, waited_s); }

struct HeldWatch::Thread {
  int id{};
  Descriptor schedstat;
  Mask first{};   ///< when it was seen first, or where it was pinned to since
  Mask before{};  ///< at begin()
  std::optional<Counted> counted_before{};
};

HeldWatch::HeldWatch(std::string root) : folder_(std::move(root) + "/proc/self/task") {}
HeldWatch::~HeldWatch() = default;

void HeldWatch::find_threads() {
  constexpr std::size_t most_watched = 512;  // half of the files that most systems let a process open
  std::error_code error;
  std::vector<Thread> found;
  for (std::filesystem::directory_iterator at(folder_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int id{};
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec != std::errc{}) continue;
    const auto known = std::ranges::find(threads_, id, &Thread::id);
    if (known != threads_.end() && counted_of(id, known->schedstat.get())) {
      found.push_back(std::move(*known));
      continue;
    }
    const auto file = (at->path() / "schedstat").string();
    const bool is_watched = found.size() < most_watched;
    found.push_back({id, Descriptor(is_watched ? ::open(file.c_str(), O_RDONLY | O_CLOEXEC) : -1), mask_of(id)});
  }
  threads_.swap(found);
}

void HeldWatch::begin() {
  struct stat of_folder {};
  const std::size_t links = ::stat(folder_.c_str(), &of_folder) == 0 ? of_folder.st_nlink : 0;
  const auto gone = [](const Thread& thread) { return thread.schedstat.get() >= 0 && !thread.counted_before; };
  const auto count_all = [&] {
    for (Thread& thread : threads_) thread.counted_before = counted_of(thread.id, thread.schedstat.get());
  };
  count_all();
  if (links != links_ || std::ranges::any_of(threads_, gone)) {
    find_threads();
    count_all();
    links_ = links;
  }
  for (Thread& thread : threads_) thread.before = mask_of(thread.id);
  ran_s_ = time_of(CLOCK_PROCESS_CPUTIME_ID);
}

void HeldWatch::pinned(int thread) {
  for (Thread& known : threads_) {
    if (known.id == thread) known.first = mask_of(thread);
  }
}

HeldBack HeldWatch::end(double time_s, bool waits) {
  constexpr double not_up_to_date_s = 10e-3;
  HeldBack seen;
  if (!waits) seen.longest_s = std::max(0.0, time_s - (time_of(CLOCK_PROCESS_CPUTIME_ID) - ran_s_) - not_up_to_date_s);
  for (const Thread& thread : threads_) {
    const auto counted = counted_of(thread.id, thread.schedstat.get());
    const auto& former = thread.counted_before;
    const bool worked = counted && former && counted->ran_s > former->ran_s;
    const double waited_s = worked ? counted->delay_s - former->delay_s : 0;
    seen.waited_s += waited_s;
    seen.longest_s = std::max(seen.longest_s, waited_s);
    const Mask now = mask_of(thread.id);
    const bool ended = count(now) == 0;
    const bool lost_some = lacks_some_of(now, thread.first);
    seen.moved = seen.moved || (!ended && (now != thread.before || lost_some));
  }
  seen.waited_s = std::max(seen.waited_s, seen.longest_s);
  return seen;
}

}  // namespace gable::measure
