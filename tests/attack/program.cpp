#include "program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "core/error.hpp"
#include "core/text/posix_file.hpp"

namespace gable::attack {

std::string run_program(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), GABLE_PROGRAM);
  std::vector<char*> pointers;
  for (std::string& one : arguments) pointers.push_back(one.data());
  pointers.push_back(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a reader that hangs is killed
    if (::chdir(folder.c_str()) != 0) ::_exit(126);
    ::setenv("GABLE_WORKER_PATH", GABLE_FAKE_WORKER_FOLDER, 1);
    ::dup2(::open("/dev/null", O_RDONLY), 0);
    ::dup2(::open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    ::dup2(::open("errors", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    ::execv(GABLE_PROGRAM, pointers.data());
    ::_exit(127);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const std::string errors = read_text(std::filesystem::path(folder) / "errors");
  std::string call;
  for (std::size_t i = 1; i < arguments.size(); ++i) call += ' ' + arguments[i];
  constexpr int most_code = 3;
  if (!WIFEXITED(status) || WEXITSTATUS(status) > most_code)
    throw std::runtime_error(fmt::format("gable{} ends with {}: {}", call, status, errors));
  if (errors.find("internal error") != std::string::npos)
    throw std::runtime_error(fmt::format("gable{}: {}", call, errors));
  if (WEXITSTATUS(status) == 2) throw Error(errors);
  return read_text(std::filesystem::path(folder) / "said");
}

}  // namespace gable::attack
