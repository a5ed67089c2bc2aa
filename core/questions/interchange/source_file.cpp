#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "core/questions/interchange/database.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/text/gzip.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/worker/process.hpp"

namespace gable::interchange {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

/// Profiles of many kernels are larger than results: a line a metric is a quarter of a kilobyte.
constexpr std::size_t most_imported = std::size_t{2} << 30;

/// What reports of NVIDIA's tools begin with.
constexpr std::string_view ncu_report = "NVR\0"sv, nsys_report = "NVIDIA Tegra Profiler Report"sv;

std::string first_bytes(const fs::path& file) {
  std::string bytes(64, '\0');
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};  // read_text() says what is wrong with it
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

/// Names that a file gives reach results and terminals: bytes that are no UTF-8 and control characters do not. Line
/// breaks of Windows go. All of it happens in place, as profiles have up to 2 GiB, but for bytes that are no UTF-8:
/// they make a line longer, and the text is there twice then.
std::string printable_lines(std::string text) {
  const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
  const auto is_kept = [&](char c) { return is_plain(c) || c == '\n'; };
  if (std::ranges::count_if(text, is_kept) == std::ssize(text)) return text;  // without a branch for each byte
  std::size_t written = 0;
  std::string clean, copy;
  bool is_copied = false;
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end + 1) {
    end = std::min(text.find('\n', begin), text.size());
    auto line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!std::ranges::all_of(line, is_plain)) {
      clean = printable(line);
      line = clean;
    }
    if (!is_copied && written + line.size() > end) {  // it would reach into the next line
      copy.assign(text, 0, written);
      is_copied = true;
    }
    const bool has_end = end < text.size();
    if (is_copied) {
      copy.append(line).append(has_end ? "\n" : "");
      continue;
    }
    std::ranges::copy(line, text.begin() + static_cast<std::ptrdiff_t>(written));  // to the left, if anywhere
    written += line.size();
    if (has_end) text[written++] = '\n';
  }
  if (is_copied) return copy;
  text.resize(written);
  return text;
}

/// What a tool of NVIDIA prints. Throws Error with its last words where it fails.
std::string output_of(const std::string& tool, const std::vector<std::string>& arguments) {
  constexpr double patience_s = 600;  // large reports take minutes
  worker::Process process(worker::find_program(tool), arguments, worker::Process::Ends::descendants);
  std::string text, last;
  for (;;) {
    const worker::ReadResult read = process.read(patience_s);
    if (const auto* line = std::get_if<worker::OutputLine>(&read)) {
      last = line->text;
      text.append(last).push_back('\n');
      if (text.size() > most_imported) throw Error(fmt::format("{} makes more than 2 GiB of it", tool));
      continue;
    }
    if (std::holds_alternative<worker::Closed>(read)) break;
    process.kill();
    throw Error(fmt::format("{} did not read it: {}", tool,
                            std::holds_alternative<worker::TimedOut>(read) ? "no word for 10 minutes" : "interrupted"));
  }
  if (process.exit_code() == 0) return text;
  const std::string error = process.last_error_line();
  throw Error(fmt::format("{} cannot read it: {}", tool, printable(error.empty() ? last : error)));
}

void need_program(const std::string& tool, std::string_view what, const std::string& command) {
  if (worker::find_program(tool).empty())
    throw Error(
        fmt::format("a report of {}, which {} alone can read, and PATH has none: run  {}  where it is installed, and "
                    "import what it writes",
                    what, tool, command));
}

std::shared_ptr<const Database> opened(const fs::path& file, std::shared_ptr<const TemporaryFolder> in = {}) {
  auto database = std::make_unique<const Database>(file);
  return {database.release(), [in = std::move(in)](const Database* one) { delete one; }};
}

Source of_database(std::string name, std::shared_ptr<const Database> database) {
  std::string outline = database->outline();
  return {std::move(name), std::move(outline), std::move(database)};
}

std::string printed_by_ncu(const fs::path& file) {
  const std::string path = fs::absolute(file).string();  // no name is an option
  need_program(
      "ncu", "Nsight Compute",
      fmt::format("ncu --import {} --csv --page raw > {}", for_shell(path), for_shell(file.stem().string() + ".csv")));
  return output_of("ncu", {"--import", path, "--csv", "--page", "raw"});
}

std::shared_ptr<const Database> exported_by_nsys(const fs::path& file) {
  const std::string path = fs::absolute(file).string(), made = "./" + file.stem().string() + ".sqlite";
  need_program("nsys", "Nsight Systems",
               fmt::format("nsys export --type sqlite --output {} {}", for_shell(made), for_shell(path)));
  auto folder = std::make_shared<const TemporaryFolder>("gable-import");
  const fs::path database = *folder / "report.sqlite";
  output_of("nsys", {"export", "--type", "sqlite", "--output", database.string(), path});
  if (!fs::exists(database)) throw Error("nsys export made no database of it");
  return opened(database, std::move(folder));
}

}  // namespace

Source open_source(const fs::path& file) {
  std::string name = printable(file.filename().string());
  const std::string first = first_bytes(file);
  if (first.starts_with(Database::start)) return of_database(std::move(name), opened(file));
  if (first.starts_with(ncu_report)) return {std::move(name), printable_lines(printed_by_ncu(file)), {}};
  if (first.find(nsys_report) != first.npos) return of_database(std::move(name), exported_by_nsys(file));
  std::string text = read_text(file, most_imported);
  if (is_gzip(text)) text = gunzip(text, most_imported);
  text = printable_lines(from_utf16(std::move(text)));
  // formats know databases by their beginning, and SQLite reads files alone
  if (text.starts_with(Database::start)) throw Error("a packed database: unpack it first (gunzip)");
  return {std::move(name), std::move(text), {}};
}

}  // namespace gable::interchange
