#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/error.hpp"
#include "core/questions/interchange/format.hpp"
#include "core/questions/interchange/sheet.hpp"
#include "core/text/parse_number.hpp"

/// llama.cpp: times of operators as `test-backend-ops perf` prints them, a line a case
/// ("  MUL_MAT(type_a=q4_0,…):  852 runs -  2129.73 us/run - 117.44 MFLOP/run -  55.14 GFLOPS"), and as `--output csv`
/// writes them. Forms: its tests/test-backend-ops.cpp.
namespace gable::interchange {
namespace {

constexpr std::string_view run_mark = "us/run - ", how = "test-backend-ops perf";

bool holds(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

bool is_table(std::string_view text) {
  const std::string_view heading = first_line(text);
  return holds(heading, "op_params") && holds(heading, "time_us");
}
bool is_bench(std::string_view text) {
  return (holds(text, "avg_ts") && holds(text, "n_gen")) ||
         (holds(text, "| model ") && holds(text, " t/s |") && holds(text, "| backend"));
}
bool is_test(std::string_view text) { return holds(text, "Device description:") && holds(text, "): OK"); }

bool recognises_timings(std::string_view text) {
  return holds(text, run_mark) || is_table(text) || is_bench(text) || is_test(text);
}

/// A type of ggml: so many bytes hold so many elements (ggml-common.h). `dtype`: what products of it are computed in;
/// nothing for blocks, which backends multiply as they like.
struct BlockType {
  std::string_view name;
  double bytes, elements;
  std::optional<DType> dtype{};
};
constexpr std::array block_types{
    BlockType{"f32", 4, 1},        BlockType{"f16", 2, 1, DType::fp16}, BlockType{"bf16", 2, 1, DType::bf16},
    BlockType{"q4_0", 18, 32},     BlockType{"q4_1", 20, 32},           BlockType{"q5_0", 22, 32},
    BlockType{"q5_1", 24, 32},     BlockType{"q8_0", 34, 32},           BlockType{"q2_K", 84, 256},
    BlockType{"q3_K", 110, 256},   BlockType{"q4_K", 144, 256},         BlockType{"q5_K", 176, 256},
    BlockType{"q6_K", 210, 256},   BlockType{"iq2_xxs", 66, 256},       BlockType{"iq2_xs", 74, 256},
    BlockType{"iq2_s", 82, 256},   BlockType{"iq3_xxs", 98, 256},       BlockType{"iq3_s", 110, 256},
    BlockType{"iq1_s", 50, 256},   BlockType{"iq1_m", 56, 256},         BlockType{"iq4_nl", 18, 32},
    BlockType{"iq4_xs", 136, 256}, BlockType{"mxfp4", 17, 32},
};

/// "m" of "type_a=f32,m=4096,bs=[1,1]"; lists with their brackets, empty where it is not there.
std::string_view parameter(std::string_view all, std::string_view name) {
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = at;
    for (int open = 0; end < all.size() && (open > 0 || all[end] != ','); ++end)
      open += all[end] == '[' ? 1 : all[end] == ']' ? -1 : 0;
    const std::string_view one = all.substr(at, end - at);
    if (one.starts_with(name) && one.substr(name.size()).starts_with('=')) return one.substr(name.size() + 1);
    at = end + 1;
  }
  return {};
}

std::optional<double> number_of(std::string_view text) { return parse_number<double>(trimmed(text)); }

/// The product of the two numbers in "[8,1]".
std::optional<double> pair_product(std::string_view list) {
  if (!list.starts_with('[') || !list.ends_with(']')) return {};
  list = list.substr(1, list.size() - 2);
  const auto comma = list.find(',');
  if (comma == list.npos) return {};
  const auto a = number_of(list.substr(0, comma)), b = number_of(list.substr(comma + 1));
  return a && b ? std::optional(*a * *b) : std::nullopt;
}

/// A product of matrices by its parameters: a [k,m] of type_a, b [k,n] and the result [m,n] of type_b, in batches.
std::optional<OperatorWork> product_of_parameters(std::string_view all) {
  const auto type_of = [&](std::string_view name) {
    return std::ranges::find(block_types, parameter(all, name), &BlockType::name);
  };
  const auto a = type_of("type_a"), b = type_of("type_b");
  const auto m = number_of(parameter(all, "m")), n = number_of(parameter(all, "n")), k = number_of(parameter(all, "k"));
  const auto batches = pair_product(parameter(all, "bs")), repeats = pair_product(parameter(all, "nr"));
  const std::string_view outputs = parameter(all, "o");
  if (a == block_types.end() || b == block_types.end() || !m || !n || !k || !batches || !repeats) return {};
  if (!outputs.empty() && outputs != "1") return {};
  const double all_batches = *batches * *repeats;
  OperatorWork work;
  work.operations = 2 * *m * *n * *k * all_batches;
  work.dtype = a->dtype;
  work.is_product = true;
  work.bytes_read = *m * *k * *batches * a->bytes / a->elements + *n * *k * all_batches * b->bytes / b->elements;
  constexpr double result_bytes = 4;  // fp32
  work.bytes_written = *m * *n * all_batches * result_bytes;
  work.strides_known = true;
  return work;
}

struct Timing {
  std::string op, parameters;
  double runs{}, microseconds{};
  std::optional<double> flop{}, bytes{};  ///< of a run
};

/// What is printed is rounded: the parameters of a product tell it exactly where both agree.
OperatorWork work_of_timing(const Timing& timing) {
  if (timing.op == "MUL_MAT" && timing.flop) {
    constexpr double rounding = 0.006;  // of three digits
    const auto exact = product_of_parameters(timing.parameters);
    if (exact && std::abs(*exact->operations - *timing.flop) <= rounding * *timing.flop) return *exact;
  }
  return {.operations = timing.flop,
          .is_product = timing.flop.has_value(),
          .bytes_read = timing.bytes.value_or(0),
          .strides_known = true};
}

/// "123 runs - 45.6 us/run - 117.44 MFLOP/run - …" behind a case.
void read_figures(std::string_view text, int line, Timing& timing) {
  const auto fail = [&] { fail_at(line, "'{:.60}' are not runs and us/run", text); };
  const auto runs = text.find(" runs - "), time = text.find(" us/run - "), work = text.find("/run", time + 7);
  if (runs == text.npos || time == text.npos || work == text.npos || runs > time) fail();
  const auto count = number_of(text.substr(0, runs)), microseconds = number_of(text.substr(runs + 8, time - runs - 8));
  std::string_view figure = text.substr(time + 10, work - time - 10);
  const auto blank = figure.find_last_of(' ');
  if (!count || !microseconds || blank == figure.npos || !(*count > 0) || !(*microseconds > 0)) fail();
  const std::string_view unit = figure.substr(blank + 1);
  const auto value = number_of(figure.substr(0, blank));
  if (!value || !(*value >= 0)) fail();
  timing.runs = *count;
  timing.microseconds = *microseconds;
  if (unit == "kB") {
    if (*value > 0) timing.bytes = *value * 1024;
  } else if (const auto factor = unit_factor(unit, {"FLOP"})) {
    timing.flop = *value * *factor;
  } else {
    fail_at(line, "'{:.20}' is a unit that is not known here", unit);
  }
}

class Timings {
 public:
  void add(const Timing& timing) {
    KernelTable& kernels = contents_.kernels;
    Kernel& kernel = kernels.kernel(fmt::format("{} {}", timing.op, timing.parameters));
    kernel.op = timing.op;
    kernel.operands = timing.parameters;
    kernel.add_calls(timing.runs, timing.runs * timing.microseconds * 1e-6);
    OperatorWork work = work_of_timing(timing);
    if (work.operations) *work.operations *= timing.runs;
    work.bytes_read *= timing.runs;
    work.bytes_written *= timing.runs;
    kernels.add(kernel, "us/run", timing.microseconds);
    add_by_shapes(kernels, kernel, work);
  }
  void of_backend(std::string_view name) {
    backends_.emplace(name);
    if (backends_.size() > 1)
      throw Error(fmt::format("rows of several backends ({}, {}): a point is of one device, call {} with -b",
                              *backends_.begin(), *backends_.rbegin(), how));
  }
  void add_unsupported() { ++unsupported_; }
  Contents take() {
    if (contents_.kernels.kernels().empty())
      throw Error(fmt::format("it has no times, only what is supported or right: call {}", how));
    if (unsupported_ > 0) say(contents_.notes, "{} cases that the backend does not support", unsupported_);
    return std::move(contents_);
  }

 private:
  Contents contents_;
  std::set<std::string, std::less<>> backends_;
  int unsupported_{};
};

/// "ROCm0" of "Backend 1/2: ROCm0", "Backend 2/2 (ROCm0)" or "  Backend name: ROCm0".
std::optional<std::string_view> backend_of_line(std::string_view line) {
  line = trimmed(line);
  constexpr std::string_view word = "Backend ", named = "Backend name: ";
  if (line.starts_with(named)) return line.substr(named.size());
  if (!line.starts_with(word) || line.find('/') == line.npos) return {};
  if (const auto colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  const auto open = line.find('('), close = line.find(')');
  return open != line.npos && close > open ? std::optional(line.substr(open + 1, close - open - 1)) : std::nullopt;
}

Contents read_lines(std::string_view text) {
  Timings timings;
  std::string_view backend;
  for_each_line(text, [&](std::string_view one, int line) {
    if (const auto found = backend_of_line(one)) backend = *found;
    const auto begin = one.find_first_not_of(' '), open = one.find('('), close = one.find("):");
    if (begin == one.npos || open == one.npos || close == one.npos || open > close) return;
    const std::string_view rest = one.substr(close + 2);
    if (holds(rest, "not supported")) timings.add_unsupported();
    if (!holds(rest, run_mark)) return;
    Timing timing{.op = std::string(one.substr(begin, open - begin)),
                  .parameters = std::string(one.substr(open + 1, close - open - 1))};
    read_figures(rest, line, timing);
    if (!backend.empty()) timings.of_backend(backend);
    timings.add(timing);
  });
  return timings.take();
}

Contents read_table(const Source& source) {
  const Sheet sheet(source.text);
  const std::size_t op = sheet.column("op_name"), parameters = sheet.column("op_params"),
                    time = sheet.column("time_us");
  const std::size_t rate = sheet.column("flops"), kilobytes = sheet.column("memory_kb"), runs = sheet.column("n_runs");
  const std::size_t backend = sheet.column("backend_name");
  Timings timings;
  for (const CsvRecord& row : sheet) {
    const auto figure = [&](std::size_t at) { return number_of(row.cells[at]).value_or(0); };
    if (!(figure(time) > 0) || !(figure(runs) > 0)) {
      timings.add_unsupported();
      continue;
    }
    Timing timing{
        .op = row.cells[op], .parameters = row.cells[parameters], .runs = figure(runs), .microseconds = figure(time)};
    if (figure(rate) > 0) timing.flop = figure(rate) * timing.microseconds * 1e-6;
    if (figure(kilobytes) > 0) timing.bytes = figure(kilobytes) * 1024;
    timings.of_backend(row.cells[backend]);
    timings.add(timing);
  }
  return timings.take();
}

Contents read_timings(const Source& source, const Target&) {
  if (is_table(source.text)) return read_table(source);
  if (!holds(source.text, run_mark) && is_bench(source.text))
    throw Error(fmt::format("llama-bench times whole passes of a model: {} times its operators", how));
  return read_lines(source.text);
}

KernelWork work_of_timings(Counted& counted, const Target& target) {
  counted.find("us/run");
  return work_by_shapes(counted, target);
}

}  // namespace

const Format llama_ops{"llama.cpp test-backend-ops", "test-backend-ops", &recognises_timings, &read_timings,
                       &work_of_timings};

}  // namespace gable::interchange
