#include <fmt/ranges.h>

#include <boost/program_options/cmdline.hpp>

#include "cli/options.hpp"

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
bool takes_file(const po::option_description& option) {
  const std::string what = option.semantic()->name();
  return takes_value(option) && (what.find("FILE") != what.npos || what.find("CSV") != what.npos ||
                                 what.find("DIR") != what.npos || what.find("PATH") != what.npos);
}
/// "--output" and, where it has one, "-h".
std::vector<std::string> spellings(const po::option_description& option) {
  std::vector<std::string> list{"--" + option.long_name()};
  const std::string brief = option.canonical_display_name(po::command_line_style::allow_dash_for_short);
  if (brief.size() == 2 && brief.front() == '-') list.push_back(brief);
  return list;
}
/// Words that are the first argument of a command in the place of an option.
std::string_view first_words(std::string_view command) {
  if (command == "lab") return "new grade";
  if (command == "completion") return "bash zsh";
  return "";
}
/// Options of a command that may be written: those for positions have a name of their own that nobody writes.
std::vector<const po::option_description*> offered_options(const Usage& usage) {
  std::vector<const po::option_description*> list;
  const std::string position = usage.positional.max_total_count() > 0 ? usage.positional.name_for_position(0) : "";
  for (const auto& option : usage.options.options()) {
    if (option->long_name() != position) list.push_back(option.get());
  }
  return list;
}

std::string spaced(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

void print_bash(const std::vector<Described>& all) {
  std::vector<std::string> names, parts;
  for (const Command& command : commands()) names.emplace_back(command.name);
  std::string cases;
  for (const Described& command : all) {
    std::vector<std::string> every, files, values;
    for (const auto* option : offered_options(command.usage)) {
      for (const std::string& spelling : spellings(*option)) {
        every.push_back(spelling);
        if (takes_file(*option))
          files.push_back(spelling);
        else if (takes_value(*option))
          values.push_back(spelling);
      }
    }
    cases +=
        fmt::format("    {})\n      options='{}'\n      files='{}'\n      values='{}'\n      words='{}'\n      ;;\n",
                    command.part.empty() ? command.name() : "'" + command.name() + "'", spaced(every), spaced(files),
                    spaced(values), first_words(command.command));
    if (!command.part.empty()) parts.emplace_back(command.part);
  }
  fmt::print(R"(# Completion of gable for bash: made by "gable completion bash".
_gable() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} command=${{COMP_WORDS[1]}}
  local options='' files='' values='' words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{} help --help --version' -- "$current")
    return
  fi
  if [ "$command" = campaign ] && [ "$COMP_CWORD" -eq 2 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$current")
    return
  fi
  if [[ $command == @(help|manual) && $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '{}' -- "$current")
    return
  fi
  [ "$command" != campaign ] || command="campaign ${{COMP_WORDS[2]}}"
  case $command in
{}  esac
  if [[ " $files " == *" $before "* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ " $values " == *" $before "* ]]; then
    return
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
  else
    [ "$COMP_CWORD" -ne 2 ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    local file
    while IFS= read -r file; do COMPREPLY+=("$file"); done < <(compgen -f -- "$current")
  fi
}}
complete -o filenames -F _gable gable
)",
             spaced(names), spaced(parts), spaced(names), cases);
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
          specs += fmt::format(":{}:{}", for_zsh(option->semantic()->name()), takes_file(*option) ? "_files" : " ");
        specs += '\'';
      }
    }
    const std::string_view words = first_words(command.command);
    if (!words.empty()) specs += fmt::format(" \\\n        '1:word:({})'", words);
    specs += " \\\n        '*:file:_files'";
    cases += fmt::format("    ('{}')\n      _arguments{}\n      ;;\n", command.name(), specs);
    if (!command.part.empty()) parts += fmt::format("    '{}:{}'\n", command.part, for_zsh(command.summary));
  }
  fmt::print(R"(#compdef gable
# Completion of gable for zsh: made by "gable completion zsh".
_gable() {{
  local -a commands parts
  commands=(
{}  )
  parts=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  if [[ $command == (help|manual) && $words[CURRENT] != -* ]]; then
    _describe command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  if [[ $command == campaign ]]; then
    if (( CURRENT == 2 )); then
      _describe part parts
      return
    fi
    command="campaign $words[2]"
    shift words
    (( CURRENT-- ))
  fi
  case $command in
{}  esac
}}
_gable "$@"
)",
             list, parts, cases);
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
