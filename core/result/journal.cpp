#include "core/result/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/result/fields.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/json.hpp"
#include "core/result/row_fields.hpp"

namespace gable::result {
namespace {

using nlohmann::json;

constexpr int journal_version = 3;

void read_header(const json& record, JournalContent& content) {
  const JsonLocation place(record);
  const JsonReader reader(place);
  int version{};
  reader.field("journal", version);
  if (version != journal_version) place.fail(fmt::format("journal of version {}, not {}", version, journal_version));
  if (!record.contains("header")) place.fail("key 'header' is missing");
  content.header = result_from_json(record.at("header"));
  refuse_impossible(content.header, "/header");
}

void read_record(const json& record, JournalContent& content) {
  const JsonLocation place(record);
  const JsonReader reader(place);
  if (record.contains("resumed")) {
    ++content.header.run.resumed;
  } else if (record.contains("note")) {
    reader.field("note", content.header.notes.emplace_back());
  } else {
    std::string key;
    reader.field("item", key);
    RoundRows of_round;
    reader.field("round", of_round.round);
    if (!is_within(of_round.round, count_limits))
      throw Error(fmt::format("/round: {}: {}", of_round.round, count_limits.words));
    reader.field("rows", of_round.rows);
    for (std::size_t i = 0; i < of_round.rows.size(); ++i)
      refuse_impossible(of_round.rows[i], fmt::format("/rows/{}", i));
    content.items[key].push_back(std::move(of_round));
  }
}

/// Reads the complete lines and returns how many bytes they take. Only the last line may be torn: it lacks its newline,
/// or, after a power cut, holds something else than was written.
std::size_t read_lines(std::string_view text, const std::filesystem::path& path, JournalContent& content) {
  std::size_t begin = 0;
  for (int number = 1;; ++number) {
    const auto end = text.find('\n', begin);
    const bool last = end == std::string_view::npos || end + 1 == text.size();
    if (end == std::string_view::npos) {
      if (number == 1)
        throw Error(fmt::format("{}: not a journal, its first line is incomplete; delete it", path.string()));
      return begin;
    }
    json record;
    try {
      record = parse_json(text.substr(begin, end - begin));
    } catch (const Error& error) {
      if (last && number > 1) return begin;
      throw Error(fmt::format("{}: line {}: {}", path.string(), number, error.what()));
    }
    try {
      number == 1 ? read_header(record, content) : read_record(record, content);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: line {}: {}", path.string(), number, error.what()));
    }
    begin = end + 1;
    if (begin == text.size()) return begin;
  }
}

/// One process writes a journal. The lock goes with the descriptor, so it ends with the process however that ends.
void lock(int fd, const std::filesystem::path& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return;
  if (errno == EWOULDBLOCK) throw Error(fmt::format("{}: another run is writing this journal", path.string()));
  throw_errno("lock", path);
}

/// Opens and locks what is at the path; no descriptor if nothing is.
Descriptor take(const std::filesystem::path& path) {
  Descriptor fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_CLOEXEC));  // a link may lead to what is not to be cut
  if (fd.get() < 0 && errno == ENOENT) return fd;
  if (fd.get() < 0) throw_errno("open", path);
  lock(fd.get(), path);
  struct stat opened {
  }, there{};
  const bool same = ::fstat(fd.get(), &opened) == 0 && ::stat(path.c_str(), &there) == 0 &&
                    opened.st_dev == there.st_dev && opened.st_ino == there.st_ino;
  if (!same) throw Error(fmt::format("{}: another run has begun to write this journal", path.string()));
  return fd;
}

/// Refuses a journal that is there, unless it may be replaced.
Descriptor take_free(const std::filesystem::path& path, bool replace) {
  Descriptor before = take(path);
  if (before.get() < 0 || replace) return before;
  throw Error(
      fmt::format("{} is there already: continue that run with --resume, or replace it with --force", path.string()));
}

/// Appends one line and waits until it is on the disk. On failure the file is as before.
void append(int fd, const std::filesystem::path& path, const json& record) {
  const auto before = ::lseek(fd, 0, SEEK_END);
  if (before < 0) throw_errno("write", path);
  if (write_all(fd, dump_json(record, -1) + "\n") && ::fdatasync(fd) == 0) return;
  const int cause = errno;
  [[maybe_unused]] const int torn = ::ftruncate(fd, before);  // if this fails too, the torn line is dropped when read
  errno = cause;
  throw_errno("write", path);
}

}  // namespace

void Journal::check_free(const std::filesystem::path& path, bool replace) { take_free(path, replace); }

Journal Journal::create(const std::filesystem::path& path, const Result& header, bool replace) {
  const Descriptor before = take_free(path, replace);
  std::filesystem::path fresh;  // a journal has its header from its first moment on
  Descriptor fd = create_beside(path, fresh);
  try {
    lock(fd.get(), path);
    append(fd.get(), fresh, json::object({{"journal", journal_version}, {"header", to_json(header)}}));
    if (!rename_file(fresh, path, before.get() >= 0)) {
      if (errno == EEXIST) throw Error(fmt::format("{}: another run has begun to write this journal", path.string()));
      throw_errno("write", path);
    }
  } catch (...) {
    ::unlink(fresh.c_str());
    throw;
  }
  sync_folder(folder_of(path));
  return {path, std::move(fd)};
}

Journal Journal::reopen(const std::filesystem::path& path, JournalContent& content) {
  Descriptor fd = take(path);
  if (fd.get() < 0) throw_errno("open", path);
  content = {};
  const auto whole = read_lines(read_text(fd.get(), path), path, content);
  if (::ftruncate(fd.get(), static_cast<off_t>(whole)) != 0) throw_errno("write", path);
  return {path, std::move(fd)};
}

void Journal::add_round(const std::string& key, const RoundRows& of_round) {
  append(fd_.get(), path_,
         json::object({{"item", key}, {"round", of_round.round}, {"rows", write_json(of_round.rows)}}));
}

void Journal::add_note(const std::string& text) { append(fd_.get(), path_, json::object({{"note", text}})); }

void Journal::add_resumed() { append(fd_.get(), path_, json::object({{"resumed", true}})); }

void Journal::discard() {
  if (::unlink(path_.c_str()) != 0 && errno != ENOENT) throw_errno("remove", path_);
}

JournalContent read_journal(const std::filesystem::path& path) {
  JournalContent content;
  read_lines(read_text(path), path, content);
  return content;
}

}  // namespace gable::result
