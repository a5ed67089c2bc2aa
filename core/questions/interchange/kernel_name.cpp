#include "core/questions/interchange/kernel_name.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <utility>

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
  if (name.find("RAJA::") == name.npos) return {};
  const bool lambda = name.find("::{lambda") != name.npos || name.find("__nv_dl_tag<") != name.npos;
  if (!lambda) return {};
  const bool forall = name.find("forall") != name.npos;
  // the lambda's own type: back from "::{lambda" to where its argument begins
  auto begin = name.find("__nv_dl_tag<");
  if (begin == name.npos) {
    const auto at = name.find("::{lambda");
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
  return fmt::format("RAJA {} {}", forall ? "forall" : "kernel", callable(name.substr(begin)));
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

/// Bound of the letters that a mangled name grows to, and of the steps to demangle it: a way into it takes none or one
/// of the references to each earlier part ("S1_"); each template argument ("T_") and conversion ("cv") may double it.
double most_letters(std::string_view mangled) {
  double letters = static_cast<double>(mangled.size());
  std::map<std::string_view, int> references;
  for (std::size_t i = 0; i < mangled.size(); ++i) {
    const std::size_t length = mangled.substr(i, 5).find('_');
    if (mangled[i] == 'S' && length != mangled.npos) ++references[mangled.substr(i, length)];
    if ((mangled[i] == 'T' && length != mangled.npos) || mangled.substr(i, 2) == "cv") letters *= 2;
  }
  for (const auto& [reference, times] : references) letters *= 1 + times;
  return letters;
}

constexpr std::size_t most_demangled = std::size_t{64} << 10;  ///< letters: more nobody reads

/// Empty where it cannot be demangled, or would be too long.
std::string demangled_here(const std::string& mangled) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), &std::free);
  const std::string_view found = text ? text.get() : "";
  return found.size() >= most_demangled ? "" : std::string(found);
}

/// The same in a process of its own, which the system ends after a time that is long for a name of a real program:
/// each reference may double what comes out and what it takes.
std::string demangled_apart(const std::string& mangled) {
  constexpr itimerval longest_time{{}, {.tv_sec = 0, .tv_usec = 20'000}};  // of the processor
  void* const shared = ::mmap(nullptr, most_demangled, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return {};
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGPROF, SIG_DFL);
    ::setitimer(ITIMER_PROF, &longest_time, nullptr);
    const std::string text = demangled_here(mangled);
    text.copy(static_cast<char*>(shared), text.size());  // what follows is 0
    ::_exit(0);
  }
  int status = 0;
  const bool whole = child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
  std::string text = whole ? static_cast<const char*>(shared) : "";
  ::munmap(shared, most_demangled);
  return text;
}

}  // namespace

std::string demangled(std::string_view name) {
  if (!name.starts_with("_Z")) return std::string(name);
  std::string mangled(name);
  if (mangled.ends_with(".kd")) mangled.resize(mangled.size() - 3);  // AMD's kernel descriptor
  constexpr double few = 4e6;                                        // some hundredths of a second
  const std::string text = most_letters(mangled) > few ? demangled_apart(mangled) : demangled_here(mangled);
  return text.empty() ? std::string(name) : text;
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
