#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"

/// BabelStream: the table that it prints, MB/s (1e6 byte/s) by the best of its runs; its CSV form has other names.
namespace gable::interchange {
namespace {

struct StreamKernel {
  std::string_view name;
  Access access;             ///< the mix of reads and writes that Gable has
  std::string_view variant;  ///< what sets it apart from the kernel that Gable measures this mix with
};
constexpr std::array kernels = {StreamKernel{"Copy", Access::copy, ""}, StreamKernel{"Mul", Access::copy, "mul"},
                                StreamKernel{"Add", Access::triad, "add"}, StreamKernel{"Triad", Access::triad, ""},
                                StreamKernel{"Dot", Access::read, "dot"}};

bool recognises(std::string_view text) { return early_line_has(text, {"Function", "MBytes/sec"}); }

Contents read(const Source& source, const Target& target) {
  Contents contents;
  Numbers numbers;
  struct Line {
    const StreamKernel* kernel;
    std::string figure;
    int number;
  };
  std::vector<Line> lines;
  for_each_line(source.text, [&](std::string_view line, int number) {
    std::istringstream words{std::string(line)};
    std::string first, second;
    words >> first >> second;
    if (first == "Version:") contents.version = second;
    if (line.starts_with("Validation failed"))
      throw Error(
          fmt::format("line {}: the tool's own check of its results failed, so its figures mean nothing", number));
    const auto kernel = std::ranges::find(kernels, first, &StreamKernel::name);
    if (kernel == kernels.end() || second.empty()) return;
    numbers.see(second, number);
    lines.push_back({&*kernel, second, number});
  });
  for (const Line& line : lines) {
    const auto figure = numbers.value(line.figure, line.number);
    if (!figure || !(*figure > 0)) throw Error(fmt::format("line {}: '{}' is no bandwidth", line.number, line.figure));
    Ceiling row =
        ceiling_of(CeilingKind::bandwidth, target.main_memory(), *figure * 1e6, std::string(line.kernel->name));
    row.access = line.kernel->access;
    row.variant = line.kernel->variant;
    contents.ceilings.push_back(std::move(row));
  }
  if (contents.ceilings.empty())
    throw Error("no line of a kernel below the names of the columns: the file was cut off");
  contents.notes.emplace_back("BabelStream's figures are of the best of its runs, Gable's are medians over blocks");
  return contents;
}

}  // namespace

const Format babelstream{"BabelStream output", "babelstream", &recognises, &read, nullptr};

}  // namespace gable::interchange
