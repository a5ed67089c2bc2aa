#include "core/text/posix_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <random>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/huge_pages.hpp"
#include "core/text/safe_text.hpp"

namespace gable {

Descriptor::~Descriptor() {
  if (fd_ >= 0) ::close(fd_);
}

void open_standard_descriptors() {
  for (const int wanted : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(wanted, F_GETFD) == -1 && errno == EBADF) {
      if (::open("/dev/null", O_RDWR) != wanted) return;  // none can be opened
    }
  }
}

int Descriptor::release() { return std::exchange(fd_, -1); }

void throw_errno(std::string_view action, const std::filesystem::path& path) {
  const int code = errno;
  throw Error(fmt::format("cannot {} {}: {}", action, path.string(), std::generic_category().message(code)));
}

namespace {

/// Who may rename or remove the files of a folder beside this user: "any user", "the group hpc". Empty: nobody. A
/// user's own group, that many systems make with the user, has the user's name.
std::string others_in(const std::filesystem::path& folder) {
  struct stat about {};
  if (::stat(folder.c_str(), &about) != 0 || (about.st_mode & S_ISVTX)) return {};
  if (about.st_mode & S_IWOTH) return "any user";
  if (!(about.st_mode & S_IWGRP)) return {};
  const struct passwd* user = ::getpwuid(::geteuid());
  const struct group* group = ::getgrgid(about.st_gid);
  const std::string name = group ? group->gr_name : fmt::format("{}", about.st_gid);
  return user && user->pw_gid == about.st_gid && user->pw_name == name ? "" : "the group " + name;
}

}  // namespace

void say(const std::string& text) { std::fputs(text.c_str(), stderr); }

void tell_open_folder(const std::filesystem::path& folder) {
  static std::atomic<bool> told{false};
  const std::string who = others_in(folder);
  if (who.empty() || told.exchange(true)) return;
  say(fmt::format("gable: {} may write to {}, and replace what is written there\n", who, printable(folder.string())));
}

Descriptor create_beside(const std::filesystem::path& path, std::filesystem::path& temporary) {
  tell_open_folder(folder_of(path));
  std::random_device random;
  constexpr int flags = O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  for (int attempt = 0; attempt < 100; ++attempt) {
    temporary = folder_of(path) /
                fmt::format(".{}.{:08x}{:08x}.tmp", path.filename().string().substr(0, 100), random(), random());
    const int fd = ::open(temporary.c_str(), flags, 0666);
    if (fd >= 0) return Descriptor(fd);
    if (errno != EEXIST) break;
  }
  throw_errno("write", path);
}

bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to, bool replace) {
  if (replace) return ::rename(from.c_str(), to.c_str()) == 0;
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
  // network file systems, and disks without links
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()), true;
  struct stat there {};
  if (errno != EEXIST && ::lstat(to.c_str(), &there) != 0) return rename_file(from, to, true);
  errno = EEXIST;
  return false;
}

bool read_some(int fd, std::string& into) {
  std::array<char, 4096> chunk;
  const ssize_t got = ::read(fd, chunk.data(), chunk.size());
  if (got > 0) into.append(chunk.data(), static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void sync_folder(const std::filesystem::path& folder) {
  const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

std::vector<std::filesystem::path> listing_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    found.push_back(at->path());
  std::ranges::sort(found);
  return found;
}

namespace {

namespace fs = std::filesystem;

fs::path temporary_files() {
  std::error_code none;
  const fs::path folder = fs::temp_directory_path(none);
  if (!none) return folder;
  say("gable: TMPDIR is no folder: temporary files go to /tmp\n");
  return "/tmp";
}

void remove_left(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  const std::time_t yesterday = std::time(nullptr) - 24 * 60 * 60;
  for (const fs::path& one : listing_of(folder)) {
    const std::string found = one.filename().string();
    struct stat about {};
    if (found.starts_with(name + '-') && found.size() == name.size() + 7 && ::lstat(one.c_str(), &about) == 0 &&
        S_ISDIR(about.st_mode) && (about.st_mode & 07777) == 0700 && about.st_uid == ::getuid() &&
        about.st_mtime < yesterday)
      fs::remove_all(one, ignored);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const std::string& name, fs::path folder) {
  if (folder.empty()) folder = temporary_files();
  tell_open_folder(folder);
  remove_left(folder, name);
  std::string pattern = (folder / (name + "-XXXXXX")).string();
  if (::mkdtemp(pattern.data()) == nullptr) throw_errno("make a folder in", folder);
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::string read_text(const std::filesystem::path& path, std::size_t most) {
  // O_NONBLOCK: opening a pipe that nobody writes to must not wait for ever
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (fd.get() < 0) throw_errno("read", path);
  return read_text(fd.get(), path, most);
}

std::string read_text(int fd, const std::filesystem::path& path, std::size_t most) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw_errno("read", path);
  if (!S_ISREG(info.st_mode)) throw Error(fmt::format("cannot read {}: not a file", path.string()));
  const auto too_large = [&] {
    throw Error(fmt::format("cannot read {}: larger than {} MiB", path.string(), most >> 20));
  };
  const auto size = static_cast<std::size_t>(info.st_size);  // 0 of files that the kernel makes as they are read
  if (size > most) too_large();
  std::string text;
  text.reserve(size);
  advise_huge_pages(text.data(), text.capacity());  // a profile of 2 GiB has half a million small ones to fault in
  std::string chunk(std::size_t{1} << 20, '\0');
  for (;;) {
    const auto got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_errno("read", path);
    if (got == 0) return text;
    text.append(chunk, 0, static_cast<std::size_t>(got));
    if (text.size() > most) too_large();
  }
}

}  // namespace gable
