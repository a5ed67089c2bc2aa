#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gable {

/// Owner of a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int get() const { return fd_; }
  int release();

 private:
  int fd_;
};

/// Before anything else in a program: opens those of standard input, output and error that its caller closed, to
/// nowhere. Else the next file or pipe that is opened would take their place and what is printed.
void open_standard_descriptors();

/// Throws Error "cannot <action> <path>: <cause by errno>".
[[noreturn]] void throw_errno(std::string_view action, const std::filesystem::path& path);

/// Writes to standard error; nothing fails where nobody can read it.
void say(const std::string& text);

/// Says on standard error, once in a program, who else may write to a folder, where anybody may.
void tell_open_folder(const std::filesystem::path& folder);

/// A new file beside `path`, open for reading and appending, with a name that nobody can foretell: what stands there,
/// and where a link leads, is never written. Throws Error naming `path`.
Descriptor create_beside(const std::filesystem::path& path, std::filesystem::path& temporary);

/// Gives a file its name: with `replace` in place of what is there, else only where nothing is. False with errno set
/// when it cannot.
bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to, bool replace);

/// Appends what can be read now; false at the end of the stream.
bool read_some(int fd, std::string& into);

/// Writes everything, in one write(2) unless the system takes less. False with errno set when it cannot.
bool write_all(int fd, std::string_view text);

/// Makes a new or renamed entry of a folder durable. File systems that cannot do it are left alone.
void sync_folder(const std::filesystem::path& folder);

/// Folder of a file, "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// What a folder holds, sorted; nothing where it cannot be read.
std::vector<std::filesystem::path> listing_of(const std::filesystem::path& folder);

/// Most that is read of a file unless it is stated otherwise: what is larger is none of ours. A result of 10^5 kernels
/// with all metrics of a roofline has about 367 MiB.
inline constexpr std::size_t most_read = std::size_t{512} << 20;

/// A fresh folder of this user alone, which goes with the object. Those of the same name that killed programs of this
/// user left there, unchanged for a day and open to nobody else, go too.
class TemporaryFolder {
 public:
  /// `name`: how its own begins, "gable-plot". It is made in `folder`, else among the temporary files; where TMPDIR is
  /// no folder that is /tmp, and a line says so. Throws Error if it cannot be made.
  explicit TemporaryFolder(const std::string& name, std::filesystem::path folder = {});
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

/// Content of a regular file. Throws Error naming the path: not there, not a file, unreadable, over `most` bytes.
std::string read_text(const std::filesystem::path& path, std::size_t most = most_read);
/// The same of an open one, from where it stands.
std::string read_text(int fd, const std::filesystem::path& path, std::size_t most = most_read);

}  // namespace gable
