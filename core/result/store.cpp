#include "core/result/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/text/naming.hpp"

namespace gable::result {
namespace {

/// The file a symbolic link leads to, so that replacing it keeps the link. Throws Error for a link that another user
/// put there, root apart: it may lead to what is not to be lost.
std::filesystem::path target_of(const std::filesystem::path& path) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0 || !S_ISLNK(there.st_mode)) return path;
  if (there.st_uid != ::geteuid() && there.st_uid != 0)
    throw Error(fmt::format("cannot write {}: another user made it a link", path.string()));
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return path;
  return target_of(folder_of(path) / std::filesystem::read_symlink(path));
}

/// Removes the temporary file unless it took its final name.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::filesystem::path& path) : fd_(create_beside(path, path_)) {}
  ~TemporaryFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  int fd() const { return fd_.get(); }
  bool rename_to(const std::filesystem::path& target, bool replace) {
    if (!rename_file(path_, target, replace)) return false;
    path_.clear();
    return true;
  }

 private:
  std::filesystem::path path_;
  Descriptor fd_;
};

/// `fill` is called with a function that writes a piece of text.
template <class Fill>
void fill_file_atomically(const std::filesystem::path& path, bool replace, Fill&& fill) {
  check_writable(path);
  const auto target = target_of(path);
  TemporaryFile temporary(target);
  struct stat old {};
  if (::stat(target.c_str(), &old) == 0 && old.st_uid == ::geteuid()) {  // another user's mode may be a trap
    const bool of_its_group = ::fchown(temporary.fd(), static_cast<uid_t>(-1), old.st_gid) == 0;
    ::fchmod(temporary.fd(), old.st_mode & (of_its_group ? 0777 : 0707));
  }
  fill([&](std::string_view text) {
    if (!write_all(temporary.fd(), text)) throw_errno("write", path);
  });
  if (::fsync(temporary.fd()) != 0 || !temporary.rename_to(target, replace)) throw_errno("write", path);
  sync_folder(folder_of(target));
}

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view text, bool replace) {
  fill_file_atomically(path, replace, [&](const auto& write) { write(text); });
}

void write_new_folder(const std::filesystem::path& folder, const NamedTexts& files) {
  namespace fs = std::filesystem;
  try {
    const fs::path named = (folder / "").parent_path();  // "new" of "new/"
    const fs::path target = (fs::weakly_canonical(named) / "").parent_path();
    const bool there = fs::is_directory(target);
    const auto entries = [&] {  // beside what killed programs left
      const auto counts = [](const auto& one) { return !one.path().filename().string().starts_with(".gable-new-"); };
      return std::count_if(fs::directory_iterator(target), {}, counts);
    };
    if (fs::is_symlink(named) || (!there && fs::exists(target)) || (there && entries() > 0))
      throw Error(fmt::format("'{}' is there already: name a new folder", folder.string()));
    fs::path top = target;  // the first on the way that is to be made
    while (!there && !fs::exists(folder_of(top))) top = folder_of(top);
    // An empty folder may be a mount, or where the caller is: it stays, and takes what was made in it.
    const TemporaryFolder made(".gable-new", there ? target : folder_of(top));
    const fs::path within = made.path() / target.lexically_relative(folder_of(top));
    for (const auto& [name, text] : files) {
      fs::create_directories((within / name).parent_path());
      if (name.ends_with('/')) continue;
      const Descriptor fd(::open((within / name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (fd.get() < 0 || !write_all(fd.get(), text) || ::fsync(fd.get()) != 0) throw_errno("write", folder / name);
    }
    sync_folder(within);
    if (!there) fs::rename(made.path() / top.filename(), top);
    const fs::path lock = target / ".gable-new";  // of the only program that moves files into it
    const bool locked = there && fs::create_directory(lock);
    std::error_code error, ignored;
    if (there && (!locked || entries() > 1)) error = std::make_error_code(std::errc::directory_not_empty);
    std::size_t moved = 0;
    while (there && !error && moved < files.size()) {
      fs::rename(within / files[moved].first, target / files[moved].first, error);
      if (!error) ++moved;
    }
    while (error && moved-- > 0) fs::rename(target / files[moved].first, within / files[moved].first, ignored);
    if (locked) fs::remove(lock, ignored);
    if (error) throw fs::filesystem_error("", error);
    sync_folder(there ? target : folder_of(top));
    tell_open_folder(target);
  } catch (const fs::filesystem_error& error) {
    if (error.code() == std::errc::directory_not_empty || error.code() == std::errc::file_exists)
      return write_new_folder(folder, files);  // another program was quicker: this one looks again
    throw Error(fmt::format("cannot make the folder '{}': {}", folder.string(), error.code().message()));
  }
}

void check_writable(const std::filesystem::path& path) {
  const auto fail = [&](std::string_view why) { throw Error(fmt::format("cannot write {}: {}", path.string(), why)); };
  if (path.filename().empty()) fail("not a file name");
  const auto folder = folder_of(path);
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error)) fail(fmt::format("there is no folder {}", folder.string()));
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) fail("not a file");
  const auto target_folder = folder_of(target_of(path));
  if (::access(target_folder.c_str(), W_OK | X_OK) != 0) throw_errno("write", path);
  if (std::filesystem::exists(status) && ::access(path.c_str(), W_OK) != 0) throw_errno("write", path);
}

void save(const Result& result, const std::filesystem::path& path, SizeLimit most, bool replace) {
  fill_file_atomically(path, replace, [&](const auto& write) {
    std::size_t size = 0;
    const auto take = [&](std::string& text) {
      size += text.size();
      if (size > most.bytes)
        throw Error(fmt::format("{} is not written: files over {} MiB are not read again, and it would be one",
                                path.string(), most.bytes >> 20));
      write(text);
      text.clear();
    };
    std::string rest = to_text(result, take);
    take(rest);
  });
}

Result load(const std::filesystem::path& path) {
  const auto text = read_text(path);
  return naming(path.string(), [&] {
    Result result = result_from_json(parse_json(text));
    refuse_impossible(result);
    drop_impossible(result);
    return result;
  });
}

}  // namespace gable::result
