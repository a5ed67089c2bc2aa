#include "readers.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "backends/kokkos/tool/declarations.hpp"
#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/json/parse.hpp"
#include "core/questions/campaign/fleet_answer.hpp"
#include "core/questions/campaign/fleet_builder.hpp"
#include "core/questions/campaign/nodelist.hpp"
#include "core/questions/campaign/summary.hpp"
#include "core/questions/check/acceptance.hpp"
#include "core/questions/compare/subject.hpp"
#include "core/questions/explain/explanation.hpp"
#include "core/questions/interchange/import.hpp"
#include "core/questions/interchange/peaks.hpp"
#include "core/questions/plan/transformer.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/answer.hpp"
#include "core/render/gnuplot.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/anonymous.hpp"
#include "core/result/journal.hpp"
#include "core/result/json.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"
#include "core/verdict/machine_model.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/soundness.hpp"
#include "core/verdict/validate.hpp"
#include "core/worker/protocol.hpp"
#include "core/workload/suite.hpp"
#include "program.hpp"

namespace gable::attack {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string source(const char* path) { return read_text(fs::path(GABLE_SEEDS) / path); }

/// A measured result with a few rows of each kind, so that a mutation hits something and is fast.
std::string small_result() {
  json document = json::parse(source("data/measured/amd-zen-4-operators.json"));
  for (const char* rows : {"ceilings", "points", "curves"}) {
    json some = json::array();
    for (std::size_t i = 0; i < document[rows].size(); i += 1 + document[rows].size() / 6)
      some.push_back(document[rows][i]);
    document[rows] = some;
  }
  return document.dump();
}

/// Its peaks, if it has any, in all forms.
void hand_on(const Result& result, const std::string& device) {
  try {
    const auto peaks = interchange::peaks_of(result, device);
    render::write(interchange::answer_of(peaks), render::AnswerForm::csv);
    for (const std::string& text : {interchange::ert_text(peaks), interchange::tracelens_text(peaks)}) {
      if (json::parse(text).empty()) throw std::logic_error("an empty document");
    }
    interchange::reframe_text(peaks);
    interchange::prometheus_text(peaks);
    interchange::llm_viewer_text(peaks);
  } catch (const Error&) {  // no ceiling of it is good
  }
}

void draw(const Result& result) {
  try {
    render::gnuplot_script(render::plot_data(result, {}), render::Format::svg, "picture");
  } catch (const Error&) {  // it has no roof and no flops
  }
}

/// Everything that is done with a result.
void use(Result result) {
  set_verdicts(result);
  verdict::mark_suspects(result);
  report::text(result, 80);
  report::csv(result, report::CsvTable::ceilings);
  report::csv(result, report::CsvTable::points);
  verdict::plausibility(result, operator_specs());
  const auto written = result::to_json(result);
  if (result::to_json(result::result_from_json(parse_json(dump_json(written, -1)))) != written)
    throw std::runtime_error("a result does not come back as it was written");
  if (result::to_text(result) != dump_json(written, 1) + "\n")
    throw std::runtime_error("the text of a result is not that of its document");
  Result other = result;
  other.run.started_at = "2000-01-01T00:00:00Z";
  Result merged = result::merge(std::array{result, other});
  set_verdicts(merged);
  draw(merged);
  for (const DeviceInfo& device : result.devices) {
    hand_on(result, device.id);
    const auto explained = questions::explain_device(result, device.id, operator_specs(), {});
    for (const auto form :
         {render::AnswerForm::text, render::AnswerForm::json, render::AnswerForm::csv, render::AnswerForm::markdown})
      render::write(questions::explanation_answer(explained, false, {}), form, 60);
  }
  questions::subjects_of(std::vector<NamedResult>{{"a.json", result}});
  result::anonymous(std::move(result));
}

/// A journal with a header, a round of a point and a note.
std::string journal_of(const Result& result, const std::string& folder) {
  const fs::path path = fs::path(folder) / "a.journal";
  Result header = result;
  header.ceilings.clear();
  header.points.clear();
  header.curves.clear();
  {
    auto journal = result::Journal::create(path, header, true);
    journal.add_round("openmp/" + result.points.front().id, {0, {result.points.front()}});
    journal.add_note("a note");
  }
  return read_text(path);
}

fs::path put(const std::string& folder, const char* name, const std::string& text) {
  const fs::path path = fs::path(folder) / name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  return path;
}

/// A new folder so deep that what leads out of it stays in `folder`.
std::string working_folder(const std::string& folder) {
  const fs::path deep = fs::path(folder) / "a/b/c";
  fs::remove_all(deep);
  fs::create_directories(deep);
  return deep.string();
}

/// All options of all commands, and what may stand behind them.
std::vector<std::string> vocabulary(const std::string& folder) {
  std::vector<std::string> words{"ceilings", "csv",  "fp32",   "MI300X", "gemm",   "m=1,n=1,k=1",
                                 "openmp",   "core", "2",      "quick",  "5%",     "fusion",
                                 "init",     "run",  "report", "new",    "retest", "grade",
                                 "bash",     "date", "made",   "perf",   "n1",     "n[1-3],login"};
  const std::string script = run_program(folder, {"completion", "bash"});
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz-";
  for (std::size_t at = 0; (at = script.find("--", at)) != std::string::npos;) {
    const std::size_t end = std::min(script.find_first_not_of(letters, at), script.size());
    if (end > at + 2) words.push_back(script.substr(at, end - at));
    at = end;
  }
  return words;
}

/// The program with words of its own vocabulary and hostile ones.
void command_line(const std::string& folder, const std::vector<std::string>& words, const std::string& file,
                  Random& random) {
  constexpr std::array commands{"devices", "measure",  "calibrate",       "run",     "experiment", "suites",
                                "report",  "lab",      "compare",         "explain", "predict",    "plan",
                                "trend",   "validate", "check",           "health",  "campaign",   "import",
                                "export",  "manual",   "verify-counters", "help",    "completion"};
  const std::string here = working_folder(folder);
  put(here, "b.json", file);
  std::vector<std::string> arguments{commands[below(random, commands.size())]};
  for (std::size_t i = 0, n = below(random, 1 + below(random, 7)); i < n; ++i) {
    switch (below(random, 4)) {
      case 0:
        arguments.push_back(hostile_word(random));
        break;
      case 1:
        arguments.emplace_back("b.json");
        break;
      default:
        arguments.push_back(words[below(random, words.size())]);
    }
  }
  const std::string command = arguments.front();
  if (command == "measure" || command == "run" || command == "experiment" || command == "calibrate")
    arguments.emplace_back("--list");
  run_program(here, arguments);
}

/// The files of a campaign in its folder, by their names.
using CampaignFiles = std::vector<std::pair<std::string, std::string>>;

CampaignFiles campaign_files(const std::string& folder) {
  run_program(folder, {"campaign", "init", "c", "--operator", "triad", "--params", "n=1000", "--dtype", "fp32"});
  CampaignFiles files{{"c/plan.json", read_text(fs::path(folder) / "c/plan.json")}};
  for (const char* node : {"n1", "n2", "n3"}) {
    run_program(folder, {"campaign", "run", "c", "--node", node});
    const std::string name = fmt::format("c/nodes/{}.summary.json", node);
    files.emplace_back(name, read_text(fs::path(folder) / name));
  }
  return files;
}

/// The campaign with this text in the place of its plan, of a summary, or as that of a retest.
void use_campaign(const std::string& folder, const CampaignFiles& files, const std::string& text, Random& random) {
  const std::string here = working_folder(folder);
  fs::create_directories(fs::path(here) / "c/nodes");
  for (const auto& [name, content] : files) put(here, name.c_str(), content);
  const bool is_plan = text.find("gable-campaign-plan") != std::string::npos;
  put(here,
      is_plan                 ? "c/plan.json"
      : below(random, 2) == 0 ? "c/nodes/n1.summary.json"
                              : "c/nodes/n2.retest-1.summary.json",
      text);
  const std::array<std::vector<std::string>, 4> calls{{{"report", "c", "--json"},
                                                       {"report", "c", "--files", "f", "--group-by", "slot"},
                                                       {"retest", "c"},
                                                       {"run", "c", "--node", "n1"}}};
  auto call = calls[below(random, calls.size())];
  call.insert(call.begin(), "campaign");
  run_program(here, call);
}

/// The report of a campaign of eight nodes, one of which has this summary.
void use_summary(const campaign::NodeSummary& summary, const campaign::NodeSummary& healthy) {
  campaign::Plan plan;
  plan.id = healthy.plan;
  campaign::FleetBuilder builder(plan);
  builder.add(summary.node, summary);
  for (int i = 0; i < 7; ++i) {
    campaign::NodeSummary other = healthy;
    other.node = fmt::format("n{}", i);
    builder.add(other.node, other);
  }
  const auto fleet = builder.finish();
  campaign::fleet_junit(fleet);
  campaign::nodes_csv(fleet);
  const Answer answer = campaign::answer_of(fleet);
  for (const auto form : {render::AnswerForm::text, render::AnswerForm::json, render::AnswerForm::csv})
    render::write(answer, form, 60);
}

/// What Gable itself wrote.
std::vector<Reader> own_readers(const std::string& folder) {
  const std::string result = small_result();
  const auto load = [folder](const std::string& text, Random&) { use(result::load(put(folder, "result.json", text))); };
  const auto validate = [folder](const std::string& text, Random&) {
    const auto found = verdict::validate_file(put(folder, "result.json", text), operator_specs());
    if (!found.empty()) throw Error(found.front().what);
  };
  const auto journal = [folder](const std::string& text, Random&) {
    result::JournalContent content;
    result::Journal::reopen(put(folder, "journal", text), content);
  };
  const Result parsed = result::result_from_json(json::parse(result));
  const std::string id = parsed.points.front().id;
  const std::string end = worker::encode(worker::FromWorker(worker::End{id, {parsed.points.front()}}));
  const std::string plan =
      worker::encode(worker::FromWorker(worker::Items{{{parsed.points.front(), "a point", 0.2, 5}}}));
  const auto healthy = campaign::summary_of(parsed, "a-plan", {"a"});
  const auto summary = [healthy](const std::string& text, Random&) {
    const auto read = campaign::parse_summary(text);
    use_summary(read, healthy);
    campaign::parse_summary(campaign::summary_text(read));
  };
  return {{"results", {result}, mutate_json, load},
          {"results, validated", {result}, mutate_json, validate},
          {"workers' lines",
           {end, plan},
           mutate_json,
           [](const std::string& text, Random&) { worker::decode_from_worker(text); }},
          {"journals", {journal_of(parsed, folder)}, mutate_lines, journal},
          {"summaries of nodes", {campaign::summary_text(healthy)}, mutate_json, summary}};
}

/// What the program is started for.
std::vector<Reader> programs(const std::string& folder) {
  const std::string here = working_folder(folder);
  const auto words = vocabulary(here);
  const std::string result = small_result();
  const auto command = [folder, words](const std::string& text, Random& random) {
    command_line(folder, words, text, random);
  };
  const CampaignFiles files = campaign_files(here);
  const auto campaign = [folder, files](const std::string& text, Random& random) {
    use_campaign(folder, files, text, random);
  };
  run_program(here, {"lab", "new", "l", GABLE_SEEDS "/data/measured/amd-zen-4.json"});
  const std::string key = read_text(fs::path(here) / "l/key.json");
  std::string answers;
  for (const char one : read_text(fs::path(here) / "l/answers.csv")) {  // a student answers 1.5 throughout
    if (one == ',' && answers.ends_with('\n')) answers += "Ada";
    if (one == ',' && answers.ends_with(',')) answers += "1.5";
    answers += one;
  }
  const auto lab = [folder, key, answers](const std::string& text, Random&) {
    const std::string class_room = working_folder(folder);
    const bool is_key = text.starts_with("{");
    put(class_room, "key.json", is_key ? text : key);
    put(class_room, "answers.csv", is_key ? answers : text);
    run_program(class_room, {"lab", "grade", "answers.csv", "--working"});
  };
  return {{"command lines", {result}, mutate_json, command, true},
          {"folders of campaigns", {files[0].second, files[1].second}, mutate_json, campaign, true},
          {"answers of labs", {answers}, mutate_csv, lab, true},
          {"keys of labs", {key}, mutate_json, lab, true}};
}

/// What users write by hand.
std::vector<Reader> users_readers(const std::string& folder) {
  const auto census = [folder](const std::string& text, Random&) {
    workload::read_census(put(folder, "census.csv", text), find_spec("gemm"));
  };
  const auto points = [folder](const std::string& text, Random&) {
    interchange::read_points_csv(put(folder, "points.csv", text), "openmp", Scope::node);
  };
  const auto limits = [folder](const std::string& text, Random& random) {
    questions::read_limits(put(folder, below(random, 2) == 0 ? "limits.csv" : "limits.json", text));
  };
  const auto nodelist = [](const std::string& text, Random&) {
    const auto names = campaign::expand_nodelist(text);
    if (campaign::expand_nodelist(campaign::compress_nodelist(names)).size() != names.size())
      throw std::runtime_error("a list of nodes does not come back");
  };
  const auto declarations = [folder](const std::string& text, Random&) {
    const tool::Lookup value = [](std::string_view name) { return std::optional(name == "n" ? 64.0 : 3.5); };
    try {
      for (const tool::Declaration& one : tool::read_declarations(put(folder, "work.csv", text).string()))
        tool::work_of(one, value);
    } catch (const std::runtime_error& error) {  // of a library that has no Error
      throw Error(error.what());
    }
  };
  const std::string suite = R"({"schema": 1, "name": "a", "summary": "b", "operators": [
    {"name": "gemm", "params": ["m=64,n=64,k=64"], "dtypes": ["fp32"], "count": 3, "label": "x"}, {"name": "relu"}]})";
  return {{"suites",
           {suite},
           mutate_json,
           [](const std::string& text, Random&) { workload::parse_suite(text, "suite", operator_specs()); }},
          {"devices",
           {R"({"devices": [{"name": "X", "memory_type": "HBM",
        "memory_byte": 8e10, "memory_byte_per_s": 2e12, "source": "s", "confidence": "derived",
        "peaks": [{"dtype": "fp32", "unit": "vector", "peak_flop_per_s": 2e13}]}]})"},
           mutate_json,
           [](const std::string& text, Random&) { catalogue::parse_users_entries(text); }},
          {"models",
           {source("data/models.json")},
           mutate_json,
           [](const std::string& text, Random&) { questions::parse_transformers(text); }},
          {"censuses", {"m,n,k,count,name,dtype\n64,64,64,2,a,fp32\n1,2,3,4,b,\n"}, mutate_csv, census},
          {"points",
           {"name,dtype,flops,bytes,time_s\nmine,fp32,1e9,1e9,0.1\nyours,fp64,1e6,2e6,1e-3\n",
            // as libgable-region.so writes them
            "name,dtype,flops,bytes,time_s,unit\n\"all / sum, of \"\"x\"\"\",fp64,2097152,8388608,0.0021,vector\n"},
           mutate_csv,
           points},
          {"work of kernels",
           {"label,flops,bytes,dtype,unit\naxpy*,2*n,24*n,fp64,vector\nfft,5*n*log2(n),(16+8)*n^2,fp32,matrix\n"},
           mutate_csv,
           declarations},
          {"limits", {"name,lower,upper,unit\na/b,1e10,,byte/s\nc,,1,s\n"}, mutate_csv, limits},
          {"lists of nodes", {"n[001-004,007],login", "r[1-2]n[01-16].rack,a"}, mutate_csv, nodelist}};
}

}  // namespace

std::vector<Reader> readers(const std::string& folder) {
  const Read import = [folder](const std::string& text, Random&) {
    interchange::ImportInto into;
    into.target.device.id = "openmp";
    into.run.mode = Mode::quick;
    use(interchange::import_files(std::array{put(folder, "profile.csv", text)}, into).result);
  };
  std::vector<Reader> all = users_readers(folder);
  for (const auto& more : {tools_readers(folder, import), own_readers(folder), programs(folder)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace gable::attack
