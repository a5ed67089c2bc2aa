#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <boost/program_options/cmdline.hpp>
#include <functional>
#include <utility>

#include "cli/options.hpp"
#include "core/device/catalogue.hpp"
#include "core/model/dtype.hpp"
#include "core/operator.hpp"
#include "core/questions/experiment/experiment.hpp"
#include "core/questions/plan/transformer.hpp"
#include "core/render/answer.hpp"
#include "core/workload/suite.hpp"

namespace gable::embedded {
extern const std::string_view completion_bash, completion_zsh;
}

namespace gable::cli {
namespace {

Usage completion_usage() {
  Usage usage{"completion bash|zsh",
              "What a shell needs to complete commands, options and files: made of the tables that --help prints.",
              "gable completion bash > /usr/share/bash-completion/completions/gable",
              po::options_description("options")};
  usage.options.add_options()("shell", one("bash|zsh"), "which shell");
  usage.positional.add("shell", 1);
  return usage;
}

bool takes_value(const po::option_description& option) { return option.semantic()->max_tokens() > 0; }

/// Names that a value may be, as they are compiled in.
struct Names {
  std::string_view kind;
  std::vector<std::string> words;
};
std::vector<Names> known_names() {
  const auto named = [](std::string_view kind, const auto& list, const auto& name_of) {
    Names names{kind, {}};
    for (const auto& entry : list) names.words.emplace_back(std::invoke(name_of, entry));
    return names;
  };
  return {named("device", catalogue::devices(), &catalogue::Device::name),
          named("dtype", all_dtypes, [](DType type) { return to_string(type); }),
          named("experiment", experiment::experiments(), &experiment::Experiment::name),
          named("form", render::answer_form_names, std::identity{}),
          named("model", questions::transformers(), &questions::Transformer::name),
          named("operator", operator_specs(), &OperatorSpec::name),
          named("part", std::array{"new", "grade"}, std::identity{}),
          named("shell", std::array{"bash", "zsh"}, std::identity{}),
          named("suite", workload::suite_names(), std::identity{})};
}

/// What a value of a command's option may be, separated by commas: kinds of names, "result" for a result file, "file"
/// for any file. Empty for what nobody can know.
std::string_view kinds_of(std::string_view command, const po::option_description& option) {
  constexpr std::array of_results{"against", "from", "measured", "remeasure", "resume", "roofs"};
  const std::string &name = option.long_name(), value = option.semantic()->name();
  if (name == "operator" || name == "suite" || name == "model" || name == "shell") return option.long_name();
  if (name == "show") return command == "devices" ? "device" : "suite,file";
  if (name == "name" && command == "experiment") return "experiment";
  if (name == "word") return "part,file";
  if (name == "on" || name == "side" || (name == "device" && command == "import") ||
      (name == "file" && command == "report"))
    return "device,result";
  if (name == "format" && command != "export") return "form";
  if (value.find("TYPE") != value.npos) return "dtype";
  if (std::ranges::count(of_results, name) > 0 || (name == "file" && command != "import")) return "result";
  const bool is_path = value.find("FILE") != value.npos || value.find("CSV") != value.npos ||
                       value.find("DIR") != value.npos || value.find("PATH") != value.npos ||
                       value.find("XML") != value.npos;
  return is_path ? "file" : "";
}
/// "--output" and, where it has one, "-h".
std::vector<std::string> spellings(const po::option_description& option) {
  std::vector<std::string> list{"--" + option.long_name()};
  const std::string brief = option.canonical_display_name(po::command_line_style::allow_dash_for_short);
  if (brief.size() == 2 && brief.front() == '-') list.push_back(brief);
  return list;
}
/// The name of what stands in the command's positions; empty where nothing does.
std::string position_of(const Usage& usage) {
  return usage.positional.max_total_count() > 0 ? usage.positional.name_for_position(0) : "";
}
/// Options of a command that may be written: those for positions have a name of their own that nobody writes.
std::vector<const po::option_description*> offered_options(const Usage& usage) {
  std::vector<const po::option_description*> list;
  const std::string position = position_of(usage);
  for (const auto& option : usage.options.options()) {
    if (option->long_name() != position) list.push_back(option.get());
  }
  return list;
}
/// Kinds of what stands in the command's positions.
std::string_view kinds_in_position(const Described& command) {
  const std::string position = position_of(command.usage);
  if (position.empty()) return "file";
  return kinds_of(command.command, command.usage.options.find(position, false));
}

/// A function of both shells: _gable_names KIND prints the names of a kind, one a line.
std::string names_function() {
  std::string cases;
  for (const Names& names : known_names())
    cases += fmt::format("    {}) printf '%s\\n' '{}' ;;\n", names.kind, fmt::join(names.words, "' '"));
  return fmt::format("_gable_names() {{\n  case $1 in\n{}  esac\n}}\n", cases);
}

/// The script of a shell, with texts in the places of their marks, "@names@".
std::string filled(std::string_view script, const std::vector<std::pair<std::string_view, std::string>>& texts) {
  std::string whole(script);
  for (const auto& [mark, text] : texts) boost::replace_all(whole, fmt::format("@{}@", mark), text);
  return whole;
}

std::string spaced(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

void print_bash(const std::vector<Described>& all) {
  std::vector<std::string> names, parts;
  for (const Command& command : commands()) names.emplace_back(command.name);
  std::string cases;
  for (const Described& command : all) {
    std::vector<std::string> every, kinds;
    for (const auto* option : offered_options(command.usage)) {
      for (const std::string& spelling : spellings(*option)) {
        every.push_back(spelling);
        if (takes_value(*option)) kinds.push_back(spelling + "=" + std::string(kinds_of(command.command, *option)));
      }
    }
    cases += fmt::format("    {})\n      options='{}'\n      kinds='{}'\n      position='{}'\n      ;;\n",
                         command.part.empty() ? command.name() : "'" + command.name() + "'", spaced(every),
                         spaced(kinds), kinds_in_position(command));
    if (!command.part.empty()) parts.emplace_back(command.part);
  }
  fmt::print(
      "{}",
      filled(embedded::completion_bash,
             {{"names", names_function()}, {"commands", spaced(names)}, {"parts", spaced(parts)}, {"cases", cases}}));
}

/// Text within single quotes of an option or a description of zsh.
std::string for_zsh(std::string_view text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      quoted += fmt::format("\\{}", c);
    else
      quoted += c == '\n' ? ' ' : c;
  }
  return quoted;
}

/// What _arguments does for a value of these kinds.
std::string offer_of_zsh(std::string_view kinds) {
  return kinds.empty() ? " " : fmt::format(" _gable_offer {}", kinds);
}

void print_zsh(const std::vector<Described>& all) {
  std::string list, parts, cases;
  for (const Command& command : commands())
    list += fmt::format("    '{}:{}'\n", command.name, for_zsh(command.summary));
  for (const Described& command : all) {
    std::string specs;
    for (const auto* option : offered_options(command.usage)) {
      for (const std::string& spelling : spellings(*option)) {
        specs += fmt::format(" \\\n        '*{}[{}]", spelling, for_zsh(option->description()));
        if (takes_value(*option))
          specs += fmt::format(":{}:{}", for_zsh(option->semantic()->name()),
                               offer_of_zsh(kinds_of(command.command, *option)));
        specs += '\'';
      }
    }
    specs += fmt::format(" \\\n        '*:word:{}'", offer_of_zsh(kinds_in_position(command)));
    cases += fmt::format("    ('{}')\n      _arguments{}\n      ;;\n", command.name(), specs);
    if (!command.part.empty()) parts += fmt::format("    '{}:{}'\n", command.part, for_zsh(command.summary));
  }
  fmt::print("{}", filled(embedded::completion_zsh,
                          {{"names", names_function()}, {"commands", list}, {"parts", parts}, {"cases", cases}}));
}

}  // namespace

int completion(const Arguments& arguments) {
  const auto values = parse(completion_usage(), arguments);
  if (!values) return exit_ok;
  const std::string shell = values->text("shell");
  if (shell != "bash" && shell != "zsh") throw Error("completion: say for which shell: bash or zsh");
  if (shell == "bash")
    print_bash(described_commands());
  else
    print_zsh(described_commands());
  return exit_ok;
}

}  // namespace gable::cli
