#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "cli/command.hpp"
#include "core/device/cpu_target.hpp"
#include "core/error.hpp"
#include "core/result/provenance.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/worker/find.hpp"
#include "core/worker/session.hpp"

namespace {

using namespace gable::cli;

void print_help() {
  fmt::print("gable {}: measured rooflines of CPUs and GPUs\n\nusage: gable COMMAND [options]\n\n",
             gable::result::this_build().version);
  for (const Command& command : commands()) fmt::print("  {:<16} {}\n", command.name, command.summary);
  fmt::print(
      "\ngable COMMAND --help, or gable help COMMAND, tells the options of a command; gable -V the version,\n"
      "gable --version --verbose also how it and its workers were built.\n"
      "exit codes: 0 done, 1 done with failed rows, 2 bad input, 3 not judged, 130 interrupted\n\n"
      "example:\n  gable measure --quick --output result.json\n"
      "  gable report result.json --output roofline.svg\n");
}

void print_version(const std::string& name, const gable::Build& build) {
  fmt::print("{} {} ({}{})\n", name, build.version, build.commit, build.dirty ? ", modified" : "");
}

/// What a report of a fault needs: how the program and its workers were built, and with which libraries.
void print_build(const std::string& name, const gable::Build& build) {
  print_version(name, build);
  fmt::print("  compiler: {}, {} {}\n", build.compiler, build.build_type, build.flags);
  for (const auto& [library, version] : build.libraries) fmt::print("  {} {}\n", library, version);
}

void print_builds() {
  print_build("gable", gable::result::this_build());
  for (const gable::worker::Candidate& candidate : gable::worker::find_workers()) {
    const std::string name = gable::printable(candidate.path.filename().string());
    try {
      if (const std::string why = gable::worker::refusal(candidate, gable::cpu_flags()); !why.empty())
        throw std::runtime_error(why);
      print_build(name, gable::worker::Session(candidate).hello().build);
    } catch (const std::runtime_error& error) {
      fmt::print("{} does not start: {}\n", name, gable::printable(error.what()));
    }
  }
}

int dispatch(const Arguments& arguments) {
  const std::string first = arguments.empty() ? "--help" : arguments.front();
  if (first == "help" && arguments.size() == 2) return dispatch({arguments[1], "--help"});
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    print_help();
    return exit_ok;
  }
  if (first == "--version" || first == "-V") {
    if (arguments.size() == 1)
      print_version("gable", gable::result::this_build());
    else if (arguments[1] == "--verbose" && arguments.size() == 2)
      print_builds();
    else
      throw gable::Error(fmt::format("{} takes --verbose and nothing else", first));
    return exit_ok;
  }
  const auto found = std::ranges::find(commands(), first, &Command::name);
  if (found == commands().end())
    throw gable::Error(fmt::format("unknown command '{}'; gable --help lists them", first));
  return found->run({arguments.begin() + 1, arguments.end()});
}

/// If standard output is full or closed, what was printed is lost, and the exit code must say so.
void flush_output() {
  std::cout.flush();
  if (!std::cout || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw gable::Error(fmt::format("cannot write to standard output: {}", std::generic_category().message(errno)));
}

int bad_input(std::string line) {
  constexpr std::size_t most = 4000;  // its begin names the culprit, its end says what is wrong
  if (line.size() > most) line.replace(most / 2, line.size() - most, "…");
  std::cerr << "gable: " << gable::printable(line) << '\n';
  return exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  gable::open_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of ulimit -f is an error of write(2), which says which file
  std::signal(SIGCHLD, SIG_DFL);  // under a caller that ignores it nobody learns how gnuplot or a worker ended
  try {
    const int code = dispatch({argv + 1, argv + argc});
    flush_output();
    return code;
  } catch (const gable::Error& error) {
    return bad_input(error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    return bad_input(fmt::format("cannot use {}: {}", error.path1().string(), error.code().message()));
  } catch (const std::system_error& error) {  // standard output, pipes to workers
    return bad_input(error.what());
  } catch (const std::exception& error) {
    std::cerr << "gable: internal error: " << error.what() << '\n';
    return exit_bad_input;  // and no verdict: "slower" of a check, "ill" of a node
  }
}
