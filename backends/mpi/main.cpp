// gable-mpi [--quick|--full] --output FILE: the network between the ranks that MPI's own launcher started, as a
// result file (docs/network.md). Started by mpirun, srun and their like, never by gable.
#include <fmt/format.h>
#include <mpi.h>

#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "backends/mpi/keeper.hpp"
#include "backends/mpi/network.hpp"
#include "backends/mpi/team.hpp"
#include "core/error.hpp"
#include "core/questions/report/report.hpp"
#include "core/render/row_outcome.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/text/posix_file.hpp"
#include "core/text/safe_text.hpp"

namespace {

using namespace gable;

constexpr int failed_rows = 1, bad_input = 2, interrupted = 130;
constexpr const char* usage =
    "usage: mpirun -n RANKS gable-mpi [--quick | --full] [--memory WHOSE] [--force] --output FILE\n\n"
    "Latency and bandwidth between ranks, and collectives, as a result file.\n\n"
    "  --quick        some seconds (as without it)\n"
    "  --full         more sizes, narrower intervals\n"
    "  --memory WHOSE host (as without it), device (GPUs', by MPI and by NCCL or RCCL), all\n"
    "  --output FILE  the result, written by rank 0 while it measures\n"
    "  --force        replace a result that is there\n"
    "  --help         this text\n";

struct Options {
  Mode mode{Mode::quick};
  mpi::Memories memories{};
  std::string output;
  bool force{}, help{};
};

mpi::Memories memories_of(std::string_view word) {
  if (word == "host") return {true, false};
  if (word == "device") return {false, true};
  if (word == "all") return {true, true};
  throw Error(fmt::format("--memory: '{}' is none of host, device, all", word));
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") {
      options.help = true;
    } else if (word == "--quick" || word == "--full") {
      options.mode = word == "--full" ? Mode::full : Mode::quick;
    } else if (word == "--force") {
      options.force = true;
    } else if (word == "--memory" && i + 1 < argc) {
      options.memories = memories_of(argv[++i]);
    } else if (word == "--output" && i + 1 < argc) {
      options.output = argv[++i];
    } else {
      throw Error(fmt::format("unknown or incomplete option '{}'; --help lists them", word));
    }
  }
  if (!options.help && options.output.empty()) throw Error("--output FILE is missing");
  return options;
}

int lead(mpi::Team& team, const Options& options, const std::vector<std::string>& words) {
  result::check_writable(options.output);
  if (!options.force && std::filesystem::exists(options.output))
    throw Error(fmt::format("'{}' exists; name another --output or add --force", options.output));
  Result result;
  result.build = result::this_build();
  result.build.libraries.emplace_back("MPI", mpi::mpi_library());
  result.run = result::begin_run(words, options.mode);
  result.workers = {{"gable-mpi", result.build}};
  mpi::Keeper keeper(result, options.output, options.force);
  const mpi::Listener listener{.next =
                                   [&](const std::string& what) {
                                     say(fmt::format("gable-mpi: {}\n", what));
                                     keeper.measures(what);
                                   },
                               .kept = [&] { keeper.keep(); }};
  try {
    mpi::measure_network(team, options.mode, options.memories, result, listener);
  } catch (const mpi::Stopped&) {
    say(fmt::format("gable-mpi: {}\n", keeper.save_part("a signal asked a rank to stop")));
    return interrupted;
  } catch (const std::exception& error) {
    keeper.save_part(error.what());
    throw;
  }
  keeper.save();
  fmt::print("{}", report::text(result));
  const std::string held = render::held_back_text(result);
  if (held.empty()) return 0;
  say(fmt::format("gable-mpi: {}\n", held));
  return failed_rows;
}

/// The leader's part; the others wait for it whatever becomes of it.
int led(mpi::Team& team, int argc, char** argv) {
  int code = 0;
  try {
    const Options options = read_options(argc, argv);
    if (options.help)
      fmt::print("{}", usage);
    else
      code = lead(team, options, {argv, argv + argc});
  } catch (const std::exception& error) {
    say(fmt::format("gable-mpi: {}\n", printable(error.what())));
    code = bad_input;
  }
  team.dismiss();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  gable::open_standard_descriptors();
  MPI_Init(&argc, &argv);
  int code = 0;
  {
    mpi::Team team;
    if (team.leads())
      code = led(team, argc, argv);
    else
      team.follow();
  }
  MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
