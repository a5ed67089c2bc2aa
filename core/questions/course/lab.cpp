#include "core/questions/course/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/text/csv_table.hpp"
#include "core/text/lower.hpp"
#include "core/text/naming.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::questions {

/// The keys of an exercise in a key file.
template <class A, SameStruct<Exercise> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("question", s.question);
  a.field("unit", s.unit);
  a.field("answer", s.answer);
  a.field("tolerance", s.tolerance);
  a.field("working", s.working);
  a.field("kind", s.kind);
  a.field("mistakes", s.mistakes);
}

template <class A, SameStruct<Mistake> S>
void fields(A& a, S& s) {
  a.field("name", s.name);
  a.field("answer", s.answer);
  a.field("credit", s.credit);
}

namespace {

/// A key file.
struct Key {
  std::string format;
  std::vector<Exercise> exercises;
};

constexpr const char* key_format = "gable-lab-key";

template <class A, SameStruct<Key> S>
void fields(A& a, S& s) {
  a.field("format", s.format);
  a.field("exercises", s.exercises);
}

/// "EPYC, one core".
std::string name_at(const DeviceInfo& device, Scope scope) {
  const std::string& name = device.name.empty() ? device.id : device.name;
  return scope == Scope::node ? name : fmt::format("{}, one {}", name, to_string(scope));
}

/// Name of the row with the copies from the host to a device, of pinned memory where it has no variant.
constexpr std::string_view host_link = "host_to_device";

/// A measured device, with the link to its host that was measured.
ExerciseDevice measured_device(const Result& result, const DeviceInfo& info, Scope scope) {
  ExerciseDevice device{.name = name_at(info, scope),
                        .id = info.id,
                        .scope = scope,
                        .machine = machine_of(result, info.id, scope),
                        .processor = is_cpu(info)};
  for (const Ceiling& row : result.ceilings) {
    if (row.status != Status::ok || row.kind != CeilingKind::link || row.device != info.id || row.name != host_link ||
        !row.variant.empty())
      continue;
    device.link_byte_per_s = row.value.value;
    device.link_name = "measured";
  }
  return device;
}

ExerciseDevice printed_device(const catalogue::Device& sheet) {
  ExerciseDevice device;
  device.name = sheet.name + ", datasheet";
  device.machine = machine_of(sheet);
  if (!sheet.pcie_generation) return device;
  device.link_byte_per_s = pcie_byte_per_s(*sheet.pcie_generation);
  device.link_name = fmt::format("PCIe {}.0 x16, by its standard", *sheet.pcie_generation);
  return device;
}

}  // namespace

std::vector<Exercise> exercises_of(const render::PlotData& picture, const Result& result,
                                   const render::PlotOptions& options, Operators operators, Topic topic) {
  std::vector<ExerciseDevice> devices;
  for (const render::PlotDevice& shown : picture.devices) {
    const auto info = std::ranges::find(result.devices, shown.id, &DeviceInfo::id);
    const auto sheet = std::ranges::find(options.datasheets, shown.id, catalogue::datasheet_name);
    if (shown.scope && info != result.devices.end())
      devices.push_back(measured_device(result, *info, *shown.scope));
    else if (!shown.scope && sheet != options.datasheets.end())
      devices.push_back(printed_device(*sheet));
    else
      continue;
    devices.back().letter = shown.letter.empty() ? "A" : shown.letter;
    devices.back().name = fmt::format("{} ({})", devices.back().letter, devices.back().name);
  }
  return exercises(result, devices, operators, topic);
}

Losses losses_of(const Result& result, const render::PlotOptions& options, Operators operators, Topic topic,
                 std::span<const Exercise> exercises) {
  Losses losses;
  Result good = result;
  const auto take = [&](auto& rows) {
    for (auto& row : rows) {
      if (row.status != Status::suspect) continue;
      losses.rows.push_back(row.id);
      row.status = Status::ok;
      if constexpr (requires { row.value; }) row.value.ci_low = row.value.ci_high = {};
      if constexpr (requires { row.time; }) row.time.ci_low = row.time.ci_high = {};
    }
  };
  take(good.ceilings);
  take(good.points);
  if (losses.rows.empty()) return losses;
  set_verdicts(good);
  const auto all = exercises_of(render::collect_any(good, options), good, options, operators, topic);
  const auto has = [](std::span<const Exercise> list, std::string_view id) {
    return std::ranges::find(list, id, &Exercise::id) != list.end();
  };
  const auto sort_of = [](const Exercise& one) { return std::pair(one.id.substr(0, one.id.find('/')), one.kind); };
  // by sort: where another point or device is asked about, none is lost
  std::map<std::pair<std::string, ExerciseKind>, int> lost;
  for (const Exercise& one : all) ++lost[sort_of(one)];
  for (const Exercise& one : exercises) --lost[sort_of(one)];
  for (const Exercise& one : all) {
    const bool told = one.kind == ExerciseKind::measure && has(all, one.id.substr(0, one.id.rfind('/')));
    if (!told && !has(exercises, one.id) && lost[sort_of(one)]-- > 0) losses.exercises.push_back(one.id);
  }
  return losses;
}

std::string empty_grid(const render::PlotData& picture) {
  constexpr double left = 75, top = 30, decade = 100;
  std::string lines, texts;
  const auto exponents = [](const render::Range& range) {
    return std::pair{static_cast<int>(std::floor(std::log10(range.low))),
                     static_cast<int>(std::ceil(std::log10(range.high)))};
  };
  const auto text = [&](double x, double y, const char* anchor, const std::string& words) {
    texts += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, words);
  };
  const auto [x0, x1] = exponents(picture.x);
  const auto [y0, y1] = exponents({picture.y.low / 1e9, picture.y.high / 1e9});
  const double right = left + (x1 - x0) * decade, bottom = top + (y1 - y0) * decade;
  const auto axis = [&](int from, int to, auto&& rule) {
    for (int exponent = from; exponent <= to; ++exponent) {
      for (int part = 1; part <= (exponent < to ? 9 : 1); ++part)
        lines += fmt::format("<path d=\"{}\" stroke=\"{}\"/>\n", rule((exponent - from + std::log10(part)) * decade),
                             part == 1 ? "#555" : "#bbb");
    }
  };
  axis(x0, x1, [&](double at) { return fmt::format("M{:.1f} {}V{}", left + at, top, bottom); });
  axis(y0, y1, [&](double at) { return fmt::format("M{} {:.1f}H{}", left, bottom - at, right); });
  for (int i = x0; i <= x1; ++i)
    text(left + (i - x0) * decade, bottom + 18, "middle", fmt::format("{:g}", std::pow(10, i)));
  for (int i = y0; i <= y1; ++i)
    text(left - 6, bottom - (i - y0) * decade + 5, "end", fmt::format("{:g}", std::pow(10, i)));
  text((left + right) / 2, bottom + 38, "middle", "flop/byte");
  text(left, top - 12, "end", "GFLOP/s");
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" aria-label=\"Empty logarithmic axes\" font-family=\"sans-serif\" "
      "font-size=\"13\">\n<g stroke-width=\"0.7\">\n{2}</g>\n{3}</svg>\n",
      right + 40, bottom + 45, lines, texts);
}

render::Document handout(std::span<const Exercise> exercises, std::span<const std::string> machines,
                         const std::string& grid) {
  render::Document document{"Roofline lab", {}, true};
  auto& blocks = document.blocks;
  blocks.push_back(render::Paragraph{
      "A program on a machine can be held back by its arithmetic or by its memory. P is what the units compute at most "
      "(flop/s), B what the memory delivers at most (byte/s), I the operations that a program does for each byte that "
      "it must move (flop/byte). It reaches at most min(P, I x B). The ridge is P / B: a program with a smaller I is "
      "bound by the memory, another one by the arithmetic."});
  blocks.push_back(render::Heading{"The machines"});
  blocks.push_back(render::List{{machines.begin(), machines.end()}});
  blocks.push_back(render::Heading{"What to do"});
  blocks.push_back(render::List{
      {"Draw the roofs of each machine on the empty axes: B is a slope through (1 flop/byte, B), P is flat.",
       "Predict with pen and paper before you look at any measurement. Then measure, or look into the report.",
       "An answer is a number in the unit beside it, or with a unit of your own: 6.14, 6,14 GFLOP/s, 0.00614 TFLOP/s. "
       "It is right within the factor beside it: of 1.05, 10 may be answered by 9.53 to 10.5. 1 kB is 1000 byte."}});
  constexpr std::array<std::pair<ExerciseKind, const char*>, 3> parts{
      {{ExerciseKind::predict, "Predict"},
       {ExerciseKind::measure, "Measure"},
       {ExerciseKind::why, "Why? Work out the figure, and say in one sentence what it shows"}}};
  int number = 1;
  for (const auto& [kind, title] : parts) {
    render::List list{{}, number};
    for (const Exercise& one : exercises) {
      if (one.kind == kind)
        list.items.push_back(fmt::format("{} [{}, {}]", one.question, one.unit, tolerance_text(one.tolerance)));
    }
    number += static_cast<int>(list.items.size());
    if (list.items.empty()) continue;
    blocks.push_back(render::Heading{title});
    blocks.push_back(std::move(list));
  }
  blocks.push_back(render::Heading{"Empty axes", true});
  blocks.push_back(render::Picture{"", grid});
  return document;
}

render::Document answer_sheets(std::span<const Exercise> exercises, std::span<const std::string> students) {
  render::Document document{"Roofline lab: answers", {}, true};
  const std::vector<std::string> nobody{"Name: ____________________"};
  for (const std::string& name : students.empty() ? std::span<const std::string>(nobody) : students) {
    document.blocks.push_back(render::Heading{name, !document.blocks.empty()});
    for (std::size_t i = 0; i < exercises.size(); ++i)
      document.blocks.push_back(
          render::Paragraph{fmt::format("{}. ______________________ {}", i + 1, exercises[i].unit)});
  }
  return document;
}

std::string answer_table(std::span<const Exercise> exercises, std::span<const std::string> students) {
  const std::vector<std::string> nobody{""};
  std::string text = "student,exercise,answer,unit\n";
  for (const std::string& name : students.empty() ? std::span<const std::string>(nobody) : students) {
    for (std::size_t i = 0; i < exercises.size(); ++i)
      text += csv_line({csv_cell(name), std::to_string(i + 1), "", csv_cell(exercises[i].unit)});
  }
  return text;
}

std::vector<std::string> read_students(const std::filesystem::path& file) {
  const std::string text = as_utf8(read_text(file));
  const auto records = naming(file.string(), [&] { return parse_csv(text); });
  std::vector<std::string> names;
  std::set<std::string> seen;
  std::map<std::string, std::size_t> titles;  // where the first line has some
  for (std::size_t i = 0; !records.empty() && i < records.front().cells.size(); ++i)
    titles.emplace(lower(trimmed(records.front().cells[i])), i);
  std::set<std::size_t> columns;  // of names
  for (const auto& known :
       {std::vector{"first name", "given name", "name"}, std::vector{"last name", "surname", "family name", "name"}}) {
    const auto title = std::ranges::find_if(known, [&](const char* one) { return titles.contains(one); });
    if (title != known.end()) columns.insert(titles[*title]);
  }
  if (columns.empty() && titles.contains("student")) columns = {titles["student"]};
  for (const CsvRecord& record : records) {
    if (&record == &records.front() && !columns.empty()) continue;
    const auto cell = [&](std::size_t i) { return i < record.cells.size() ? printable(trimmed(record.cells[i])) : ""; };
    std::string name = columns.empty() ? cell(0) : "";
    for (const std::size_t i : columns) name += (name.empty() || cell(i).empty() ? "" : " ") + cell(i);
    // "Lovelace, Ada" without quotes, but not "Ada Lovelace, 12345"
    if (columns.empty() && !name.empty() && !cell(1).empty() && record.cells[1].starts_with(' ') &&
        cell(1).find_first_of("0123456789@") == std::string::npos)
      name += ", " + cell(1);
    if (name.empty()) continue;
    if (!seen.insert(name).second)
      throw Error(fmt::format("{}: line {}: '{}' is there twice", file.string(), record.line, name));
    names.push_back(name);
  }
  if (names.empty()) throw Error(fmt::format("{}: it names no student", file.string()));
  return names;
}

render::Document key_document(std::span<const Exercise> exercises) {
  render::Document document{"Roofline lab: the teacher's key", {}, true};
  render::List list{{}, 1};
  for (const Exercise& one : exercises) {
    std::string mistakes;
    for (const Mistake& mistake : one.mistakes) {
      if (mistake.credit != slip_credit) mistakes += fmt::format(" {:.4g}: {}.", mistake.answer, mistake.name);
    }
    list.items.push_back(fmt::format("{} Answer: {:.4g} {} ({}). {}{}{}", one.question, one.answer, one.unit,
                                     tolerance_text(one.tolerance), one.working,
                                     mistakes.empty() ? "" : " Known mistakes:", mistakes));
  }
  document.blocks.push_back(std::move(list));
  return document;
}

std::string key_text(std::span<const Exercise> exercises) {
  return dump_json(write_json(Key{key_format, {exercises.begin(), exercises.end()}}), 1) + "\n";
}

std::vector<Exercise> read_key(const std::filesystem::path& file) {
  const std::string text = read_text(file);
  try {
    Key key = read_json_root<Key>(parse_json(text));
    if (key.format != key_format) throw Error("/format: expected \"" + std::string(key_format) + "\"");
    for (const Exercise& exercise : key.exercises) {
      const auto good = [](double one) { return one > 0 && std::isfinite(one); };
      if (!good(exercise.answer) || !good(exercise.tolerance))
        throw Error(fmt::format("exercise '{}': answer and tolerance must be positive", exercise.id));
      for (const Mistake& mistake : exercise.mistakes) {
        if (!good(mistake.answer) || !good(mistake.credit) || mistake.credit > 1)
          throw Error(fmt::format("exercise '{}': mistake '{}': its answer must be positive, its credit up to 1",
                                  exercise.id, mistake.name));
      }
    }
    return key.exercises;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}: it is no key that 'gable lab new' wrote", file.string(), error.what()));
  }
}

}  // namespace gable::questions
