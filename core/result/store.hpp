#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result/json.hpp"
#include "core/result/result.hpp"
#include "core/text/posix_file.hpp"

namespace gable::result {

/// Writes text to a temporary file beside `path`, syncs and renames it over `path`. On any failure (full disk, no
/// permission; a file that came meanwhile, without `replace`) throws Error naming the path and the cause, and an
/// existing file keeps its content.
void write_file_atomically(const std::filesystem::path& path, std::string_view text, bool replace = true);

/// Names of files, with what is in each; a name that ends in "/" is an empty folder.
using NamedTexts = std::vector<std::pair<std::string, std::string>>;
/// Makes a folder, and those on the way to it, with these in it. On any failure (full disk, no permission, something is
/// there that is no empty folder) throws Error naming the path and the cause, and nothing of it is left. Of several
/// programs that make one at the same moment one does, and the others find it there.
void write_new_folder(const std::filesystem::path& folder, const NamedTexts& files);

/// Throws Error early when `path` cannot be written later: folder missing, not a file, no permission.
void check_writable(const std::filesystem::path& path);

/// The most that a file may have. A type of its own, so that no number or empty braces are taken for it by mistake.
struct SizeLimit {
  std::size_t bytes{most_read};
};

/// Throws Error for a result that load() would not read again: over the limit.
void save(const Result& result, const std::filesystem::path& path, SizeLimit most = {}, bool replace = true);
/// Throws Error with one line naming the file: unreadable, not JSON (with position), not a result, another version, a
/// bad key, a figure that cannot be (figure_limits.hpp).
Result load(const std::filesystem::path& path);

}  // namespace gable::result
