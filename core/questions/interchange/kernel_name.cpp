#include "core/questions/interchange/kernel_name.hpp"

#include <cxxabi.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "core/text/posix_file.hpp"

namespace gable::interchange {
namespace {

constexpr std::size_t longest = 80;

/// Where the bracket that opens at `open` closes; the end where it never does.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(' || text[i] == '{') ++depth;
    const bool arrow = text[i] == '>' && i > 0 && text[i - 1] == '-';
    if ((text[i] == '>' && !arrow) || text[i] == ')' || text[i] == '}') --depth;
    if (depth <= 0) return i;
  }
  return text.size();
}

/// The first of the arguments that stand behind `open`, a "<".
std::string_view first_argument(std::string_view text, std::size_t open) {
  std::size_t end = open + 1;
  for (; end < text.size() && text[end] != ',' && text[end] != '>'; ++end) {
    if (text[end] == '<' || text[end] == '(' || text[end] == '{') end = closing(text, end);
  }
  return text.substr(open + 1, end - open - 1);
}

/// Without arguments in brackets at depth 0, and without what stands before the last blank there: the return type.
std::string without_signature(std::string_view name) {
  std::string kept;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '(' && !name.substr(i).starts_with("(anonymous namespace)")) break;
    if (c == ' ') {
      kept.clear();
      continue;
    }
    if (c == '<' || c == '{' || c == '(') {
      const std::size_t end = closing(name, i);
      kept += name.substr(i, end - i + 1);
      i = end;
      continue;
    }
    kept += c;
  }
  return kept;
}

/// What runs: a functor's type, or the function around a lambda.
std::string callable(std::string_view type) {
  if (const auto tag = type.find("__nv_dl_tag<"); tag != type.npos) {  // an extended lambda of CUDA names its function
    if (const auto name = type.find("&", tag); name != type.npos) {
      const auto begin = type.find_first_not_of("&( ", name);
      const auto end = type.find_first_of(",()", begin == type.npos ? name : begin);
      if (begin != type.npos) return std::string(type.substr(begin, end - begin));
    }
  }
  const auto lambda = std::min(type.find("::{lambda"), type.find("::'lambda"));
  if (lambda == type.npos) return without_signature(type);
  const auto number = type.find('#', lambda);
  const auto end = number == type.npos ? type.npos : type.find('}', number);
  const std::string in = without_signature(type.substr(0, lambda));
  return end == type.npos ? in + "::lambda" : fmt::format("{}::lambda{}", in, type.substr(number, end - number));
}

std::optional<std::string> kokkos_name(std::string_view name) {
  if (name.find("Kokkos::") == name.npos) return {};
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kinds{
      {{"Kokkos::Impl::ParallelFor<", "for"},
       {"Kokkos::Impl::ParallelReduce<", "reduce"},
       {"Kokkos::Impl::ParallelScan<", "scan"}}};
  for (const auto& [start, kind] : kinds) {
    const auto found = name.find(start);
    if (found == name.npos) continue;
    std::string_view functor = first_argument(name, found + start.size() - 1);
    for (const std::string_view wrapper : {"Kokkos::Impl::CombinedFunctorReducer<", "Kokkos::Impl::FunctorAnalysis<"}) {
      if (functor.starts_with(wrapper)) functor = first_argument(functor, wrapper.size() - 1);
    }
    return fmt::format("Kokkos {} {}", kind, callable(functor));
  }
  return {};
}

std::optional<std::string> raja_name(std::string_view name) {
  const auto at = name.find("::{lambda");
  auto begin = name.find("__nv_dl_tag<");
  if (name.find("RAJA::") == name.npos || (at == name.npos && begin == name.npos)) return {};
  // the lambda's own type: back from "::{lambda" to where its argument begins
  if (begin == name.npos) {
    int depth = 0;
    begin = 0;
    for (std::size_t i = at; i-- > 0;) {
      if (name[i] == '>' || name[i] == ')') ++depth;
      if (name[i] == '<' || name[i] == '(') --depth;
      if (depth < 0 || (depth == 0 && name[i] == ',')) {
        begin = i + 1;
        break;
      }
    }
  }
  const char* const kind = name.find("forall") == name.npos ? "kernel" : "forall";
  return fmt::format("RAJA {} {}", kind, callable(name.substr(begin)));
}

/// "f<float, (int)4>" stays, longer lists of arguments become "<…>".
std::string with_short_arguments(std::string_view name) {
  constexpr std::size_t most = 24;
  std::string kept;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '<') {
      kept += name[i];
      continue;
    }
    const std::size_t end = closing(name, i);
    kept += end - i > most ? std::string("<…>") : std::string(name.substr(i, end - i + 1));
    i = end;
  }
  return kept;
}

std::string cut(std::string name) {
  if (name.size() <= longest) return name;
  std::size_t end = longest;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80) --end;  // not within a character
  return name.substr(0, end) + "…";
}

using Clock = std::chrono::steady_clock;

/// In a child process: writes what each name is demangled to, and a 0, or the 0 alone where it stays. A few letters may
/// grow without bound: the system ends the process at a name that takes longer than one of a real program, and one with
/// more than is left of `letters` stays.
[[noreturn]] void demangle(std::span<std::string> names, std::size_t letters, int to, Clock::time_point end) {
  constexpr itimerval longest_time{{}, {.tv_sec = 0, .tv_usec = 20'000}};  // of the processor
  constexpr std::size_t most = std::size_t{64} << 10;                      // letters: more nobody reads
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGPROF, SIG_DFL);
  const sigset_t none{};
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  for (std::string& name : names) {
    if (Clock::now() > end) break;
    ::setitimer(ITIMER_PROF, &longest_time, nullptr);
    if (name.ends_with(".kd")) name.resize(name.size() - 3);  // AMD's kernel descriptor
    char* const text = is_mangled(name) ? abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr) : nullptr;
    const std::string_view found = text && std::strlen(text) < std::min(most, letters) ? text : "";
    letters -= found.size();
    if (!write_all(to, {found.data(), found.size() + 1})) break;
    std::free(text);
  }
  ::_exit(EXIT_SUCCESS);
}

}  // namespace

bool is_mangled(std::string_view name) { return name.starts_with("_Z"); }

std::vector<std::string> demangled(std::vector<std::string> names) {
  // Real names take some microseconds each. Behind one that ended its child the next child goes on.
  const auto end = Clock::now() + std::chrono::seconds(2) + names.size() * std::chrono::microseconds(100);
  const bool any = std::ranges::any_of(names, is_mangled);
  std::size_t letters = std::size_t{64} << 20;  // of all names
  for (std::size_t next = 0; any && next < names.size() && Clock::now() < end; ++next) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return names;
    const Descriptor from(pipe[0]);
    const pid_t child = ::fork();
    if (child == 0 && ::close(from.get()) == 0) demangle(std::span(names).subspan(next), letters, pipe[1], end);
    ::close(pipe[1]);
    std::string texts;
    while (read_some(from.get(), texts)) continue;
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) continue;
    for (std::size_t begin = 0, last = 0; (last = texts.find('\0', begin)) != texts.npos; begin = last + 1, ++next) {
      if (last > begin) names[next] = texts.substr(begin, last - begin);
      letters -= last - begin;
    }
  }
  return names;
}

std::string short_kernel_name(std::string_view name) {
  auto text = kokkos_name(name);
  if (!text) text = raja_name(name);
  std::string known = with_short_arguments(text ? *text : without_signature(name));
  if (known.empty()) known = std::string(name);
  return cut(std::move(known));
}

std::string short_region_name(std::string_view name) {
  constexpr std::string_view between = " / ";
  std::string_view inner = name;
  for (auto at = inner.find(between); inner.size() > longest && at != inner.npos; at = inner.find(between))
    inner.remove_prefix(at + between.size());
  return cut(inner.size() == name.size() ? std::string(name) : fmt::format("… / {}", inner));
}

}  // namespace gable::interchange
