#pragma once
#include <fmt/format.h>

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/variables_map.hpp>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "core/error.hpp"
#include "core/model/answer.hpp"
#include "core/model/dtype.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/render/answer.hpp"
#include "core/text/parse_number.hpp"

namespace gable::cli {

namespace po = boost::program_options;

/// What a subcommand accepts, and how its --help reads.
struct Usage {
  std::string synopsis;  ///< after "gable ", e.g. "measure [options]"
  std::string_view summary;
  std::string_view example;
  po::options_description options{"options"};
  po::positional_options_description positional{};
};

/// The kinds of options: a text, or several, by one option or by its repetition. `name` stands for one in --help.
inline auto one(const char* name) { return po::value<std::string>()->value_name(name); }
inline auto many(const char* name) { return po::value<std::vector<std::string>>()->composing()->value_name(name); }

/// What a command was given, on its command line and in its --config file.
struct Options : po::variables_map {
  /// Whether there is a value, if only the default.
  bool has(const std::string& name) const { return count(name) != 0; }
  bool is_stated(const std::string& name) const { return has(name) && !(*this)[name].defaulted(); }
  /// Whether a switch was given.
  bool is_on(const std::string& name) const { return has(name) && (*this)[name].as<bool>(); }
  /// Of an option of one text; empty without one.
  std::string text(const std::string& name) const { return has(name) ? (*this)[name].as<std::string>() : ""; }
};

/// A command with what it accepts, for what is made of it beside --help: manual pages, completion in shells.
struct Described {
  std::string_view command;  ///< "measure", "campaign"
  std::string_view part;     ///< "init" of campaign; empty for commands without parts
  std::string_view summary;
  Usage usage;

  std::string name() const { return part.empty() ? std::string(command) : fmt::format("{} {}", command, part); }
};
/// Every command, parts of a command after each other, in the order of the help.
std::vector<Described> described_commands();

/// Adds --help (and --config FILE) and parses. Returns nothing when --help was asked for and has been printed. Throws
/// Error with one line for anything the description does not allow, on the command line or in the config file.
std::optional<Options> parse(Usage usage, const Arguments& arguments);

/// Adds --format and --json, for commands that print an Answer.
void offer_format(po::options_description& options);
/// The answer as it was asked for. Throws Error for a form that is not known, and for --explain with a form for
/// programs: formulas are text.
std::string written(const Answer& answer, const Options& values);
/// Writes a text to the file of --output, atomically, or prints it where there is none.
void put_out(const Options& values, const std::string& text);
/// What --format or --json ask for. Throws Error for a form that is not known.
render::AnswerForm form_of(const Options& values);
/// "--json" or "--format csv", as it was typed.
std::string form_option(const Options& values);

/// A percentage from `least` to 100: "80%" or "80" as 0.8. Below 1 it takes a percent sign: 0.05 may be meant as 5 %.
/// Throws Error naming the option.
double fraction(const Options& values, const std::string& option, double least);

/// What an option that may be repeated was given, as it was given.
std::vector<std::string> texts(const Options& values, const std::string& option);

/// "a,b" and repeated options alike, as one list.
std::vector<std::string> list(const Options& values, const std::string& option);

/// A rate, a size, a time or a power as parse_quantity() reads it; `form`: as it is to be written, for options that
/// are in no unit of their own. Throws Error naming the option, also for a figure that no machine has.
double quantity(std::string_view option, std::string_view text, std::string_view unit, std::string_view form = {});
/// Every value of a repeated option.
std::vector<double> quantities(const Options& values, const std::string& option, std::string_view unit,
                               std::string_view form = {});
/// A time in s, 0 too, within [least, most]. Throws Error naming the option.
double seconds(std::string_view option, std::string_view text, double least = 0,
               double most = std::numeric_limits<double>::infinity());

/// The type that an option names. Throws Error listing the known ones.
DType dtype_of(std::string_view option, std::string_view text);

/// The types of a list of them. Throws Error listing the known ones.
std::vector<DType> dtypes_of(const Options& values, const std::string& option);

/// The i-th of values that are given once for all or once for each; nothing if none is given.
std::optional<double> one_for(const std::vector<double>& values, std::size_t i);

/// A whole number from 1 on, as large as Integer allows. Throws Error naming the option.
template <class Integer>
Integer positive_number(std::string_view option, std::string_view text) {
  if (const auto value = parse_number<Integer>(text); value >= 1) return *value;
  throw Error(fmt::format("--{}: '{}' is not a positive number", option, text));
}

/// Throws Error where the file that an option says to write is one that another word of the command line names, or of
/// the further inputs.
void refuse_inputs(const Options& values, const std::string& option, const std::filesystem::path& output,
                   std::vector<std::string> inputs = {});
/// Throws Error where the file of an option cannot be written, or is there (a dangling link counts) and is not to be
/// replaced: `force`.
void check_new_file(std::string_view option, const std::filesystem::path& output, bool force);

/// What an option says of the subjects of a comparison: "0.4,3.2" in their order, or "NAME=3.2" as text_of_subject(). A
/// file that is there is one entry whole, whatever its name. One entry a subject, nothing where it says nothing; empty
/// without the option. With `one_for_all` a single text without a name is of every subject, and several that are fewer
/// than the subjects are refused. Throws Error naming the option.
std::vector<std::optional<std::string>> texts_by_subject(const Options& values, const std::string& option,
                                                         const std::vector<questions::Subject>& subjects,
                                                         bool one_for_all = false);
/// The same, each text turned into a figure by `read`.
std::vector<std::optional<double>> values_by_subject(const Options& values, const std::string& option,
                                                     const std::vector<questions::Subject>& subjects,
                                                     const std::function<double(std::string_view)>& read);

/// "NAME=TEXT" apart: either may have '=' in it, and of several the last counts that has a subject's name before it.
/// Throws Error as subject_named().
std::pair<std::size_t, std::string> text_of_subject(const std::string& option,
                                                    const std::vector<questions::Subject>& subjects,
                                                    const std::string& entry);

/// The subject of a letter, a name, a part of one that fits no other, or a file of its. Throws Error naming the option.
std::size_t subject_named(const std::string& option, const std::vector<questions::Subject>& subjects,
                          const std::string& name);

/// A number within the limits. Throws Error "--OPTION: 'TEXT' is no WHAT (from … to …)".
double number_within(std::string_view option, std::string_view text, const Limits& limits, std::string_view what);

}  // namespace gable::cli
