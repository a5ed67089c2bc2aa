#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "core/result/provenance.hpp"
#include "core/text/safe_text.hpp"

namespace {

using namespace gable::cli;

void print_help() {
  fmt::print("gable {}: measured rooflines of CPUs and GPUs\n\nusage: gable COMMAND [options]\n\n",
             gable::result::this_build().version);
  for (const Command& command : commands()) fmt::print("  {:<16} {}\n", command.name, command.summary);
  fmt::print(
      "\ngable COMMAND --help, or gable help COMMAND, tells the options of a command; gable -V the version.\n"
      "exit codes: 0 done, 1 done with failed rows, 2 bad input, 130 interrupted\n\n"
      "example:\n  gable measure --quick --output result.json\n"
      "  gable report result.json --output roofline.svg\n");
}

int dispatch(const Arguments& arguments) {
  const std::string first = arguments.empty() ? "--help" : arguments.front();
  if (first == "help" && arguments.size() == 2) return dispatch({arguments[1], "--help"});
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) {
    print_help();
    return exit_ok;
  }
  if (first == "--version" || first == "-V") {
    const auto build = gable::result::this_build();
    fmt::print("gable {} ({}{})\n", build.version, build.commit, build.dirty ? ", modified" : "");
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

int bad_input(const std::string& line) {
  std::cerr << "gable: " << gable::printable(line) << '\n';
  return exit_bad_input;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file over the limit of ulimit -f is an error of write(2), which says which file
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
    return exit_failed_rows;
  }
}
