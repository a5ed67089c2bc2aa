#include "program.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace gable::test {

namespace fs = std::filesystem;

Running::Running(const std::vector<std::string>& command, const Environment& environment, const fs::path& folder) {
  std::string unique = (fs::temp_directory_path() / "gable-run-XXXXXX").string();
  const int handle = ::mkstemp(unique.data());
  if (handle < 0) throw std::runtime_error("mkstemp");
  ::close(handle);
  out_ = unique;
  err_ = unique + ".err";
  pid_ = ::fork();
  if (pid_ != 0) return;
  for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
  const auto redirect = [](const fs::path& path, int target) {
    ::dup2(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), target);
  };
  redirect(out_, STDOUT_FILENO);
  redirect(err_, STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& part : command) argv.push_back(const_cast<char*>(part.c_str()));
  argv.push_back(nullptr);
  if (::chdir(folder.c_str()) == 0) ::execv(argv[0], argv.data());
  ::_exit(126);
}

void Running::signal(int number) const { ::kill(pid_, number); }

Outcome Running::wait() {
  int status = 0;
  ::waitpid(pid_, &status, 0);
  Outcome outcome{WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status), read_text(out_), read_text(err_)};
  fs::remove(out_);
  fs::remove(err_);
  return outcome;
}

Outcome gable(const std::vector<std::string>& arguments, const Environment& environment, const fs::path& folder) {
  return Running(with({GABLE_PROGRAM}, arguments), environment, folder).wait();
}

Folder::Folder() {
  std::string name = (fs::temp_directory_path() / "gable-test-XXXXXX").string();
  if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
  path_ = name;
}
Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}
void write_text(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
int lines(const std::string& text) { return static_cast<int>(std::count(text.begin(), text.end(), '\n')); }
void expect_refusal(const Outcome& run, const std::string& culprit) {
  EXPECT_EQ(run.code, 2) << culprit << ": " << run.out;
  EXPECT_EQ(lines(run.err), 1) << run.err;
  EXPECT_TRUE(has(run.err, culprit)) << culprit << ": " << run.err;
}

json answer_of(const Outcome& run, int code) {
  EXPECT_EQ(run.code, code) << run.out << run.err;
  return json::parse(run.out);
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace gable::test
