#include <algorithm>

#include "cli/options.hpp"
#include "core/result/provenance.hpp"
#include "core/text/lower.hpp"

namespace gable::cli {
namespace {

Usage manual_usage() {
  Usage usage{"manual [COMMAND]",
              "The manual page of the program, or of a command, in the form that man reads: made of the tables that "
              "--help prints.",
              "gable manual measure > gable-measure.1"};
  usage.options.add_options()("command", one("COMMAND"), "of which command");
  usage.positional.add("command", 1);
  return usage;
}

/// Text that troff prints as it is.
std::string plain(std::string_view text) {
  std::string page;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) page += "\\&";
    if (c == '\\')
      page += "\\e";
    else if (c == '-')
      page += "\\-";
    else
      page += c;
    line_begins = c == '\n';
  }
  return page;
}

std::string head(const std::string& name, std::string_view summary) {
  return fmt::format(".TH {} 1 \"\" \"gable {}\" \"Gable\"\n.SH NAME\n{} \\- {}\n", plain(upper(name)),
                     result::this_build().version, plain(name), plain(summary));
}

std::string described_options(const Usage& usage) {
  std::string page;
  for (const auto& option : usage.options.options()) {
    page += fmt::format(".TP\n.B {}\n{}\n", plain(option->format_name() + " " + option->format_parameter()),
                        plain(option->description()));
  }
  return page;
}

constexpr std::string_view exits =
    ".SH EXIT STATUS\n0 done, 1 done with failed rows or findings, 2 bad input, 3 not judged, 130 interrupted.\n";

std::string page_of_program() {
  std::string page = head("gable", "measured rooflines of CPUs and GPUs");
  page += ".SH SYNOPSIS\n.B gable\nCOMMAND [options]\n.SH COMMANDS\n";
  for (const Command& command : commands())
    page += fmt::format(".TP\n.B {}\n{}\n", plain(command.name), plain(command.summary));
  page += fmt::format(".PP\nEach has a page of its own: {}.\n", plain("gable-COMMAND(1)"));
  page += exits;
  page +=
      fmt::format(".SH EXAMPLE\n.nf\n{}\n.fi\n",
                  plain("gable measure --quick --output result.json\ngable report result.json --output roofline.svg"));
  return page;
}

std::string page_of(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  if (found == commands().end())
    throw Error(fmt::format("manual: unknown command '{}'; gable --help lists them", name));
  std::string page = head(fmt::format("gable-{}", name), found->summary), synopsis, parts;
  for (const Described& command : described_commands()) {
    if (command.command != name) continue;
    synopsis += fmt::format(".B gable\n{}\n.br\n", plain(command.usage.synopsis));
    const std::string title = command.part.empty() ? "" : fmt::format(".SH {}\n", plain(upper(command.name())));
    parts +=
        fmt::format("{}{}{}\n{}\n{}.PP\nExample:\n.PP\n.nf\n{}\n.fi\n", title, title.empty() ? ".SH DESCRIPTION\n" : "",
                    plain(command.usage.summary), title.empty() ? ".SH OPTIONS" : ".PP",
                    described_options(command.usage), plain(command.usage.example));
  }
  return page + ".SH SYNOPSIS\n" + synopsis + parts + std::string(exits) + ".SH SEE ALSO\n.BR gable (1)\n";
}

}  // namespace

int manual(const Arguments& arguments) {
  const auto values = parse(manual_usage(), arguments);
  if (!values) return exit_ok;
  fmt::print("{}", values->has("command") ? page_of(values->text("command")) : page_of_program());
  return exit_ok;
}

}  // namespace gable::cli
