// attack [--seconds N] [--inputs N] [--seed S] [--only I]: mutated input for every reader, and what becomes of it.
//
// Input I is made of the seed and I alone, so every fault can be looked at again: attack --seed S --only I. Processes
// of their own do the reading; one that dies, stands still for 10 s or takes 1.5 GB is counted and replaced.
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "core/error.hpp"
#include "readers.hpp"

namespace {

using namespace gable::attack;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_readers = 32, most_processes = 64;
constexpr double hang_s = 10;
constexpr long most_kib = 1500000;

enum Count { inputs, refused, accepted, silent, faults, hangs, kinds };

/// In memory that all processes share.
struct Shared {
  std::atomic<std::uint64_t> next, limit;
  std::atomic<bool> stop;
  std::atomic<std::uint64_t> counts[most_readers][kinds];
  struct {
    std::atomic<std::uint64_t> input, reader;
    std::atomic<double> since;  ///< s; 0: between two inputs
  } at[most_processes];
};

struct Options {
  std::uint64_t seed{1}, inputs{~std::uint64_t{0}};
  double seconds{60};
  std::uint64_t only{~std::uint64_t{0}};
};

double now_s() { return std::chrono::duration<double>(Clock::now().time_since_epoch()).count(); }

/// Which reader an input is for: those that start the program take turns with one input of so many.
std::size_t reader_of(Random& random, const std::vector<Reader>& all) {
  constexpr std::size_t one_in = 50;
  const bool starts = below(random, one_in) == 0;
  for (;;) {
    const std::size_t k = below(random, all.size());
    if (all[k].starts_program == starts) return k;
  }
}

void tell(const char* what, std::uint64_t input, const std::string& reader, const std::string& message) {
  const std::string line = fmt::format("{}: input {}, {}: {:.300}\n", what, input, reader, message);
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, line.data(), line.size());
}

void read_one(const std::vector<Reader>& all, std::uint64_t seed, std::uint64_t input, Shared& shared, std::size_t slot,
              bool show) {
  Random random(seed * 1'000'003 + input);
  const std::size_t k = reader_of(random, all);
  const Reader& reader = all[k];
  auto& counts = shared.counts[k];
  shared.at[slot].input = input;
  shared.at[slot].reader = k;
  shared.at[slot].since = now_s();
  const Mutated mutated = reader.mutate(reader.seeds[below(random, reader.seeds.size())], random);
  if (show) fmt::print("{}\n{}\n", reader.name, mutated.text);
  ++counts[inputs];
  try {
    reader.read(mutated.text, random);
    ++counts[accepted];
    if (mutated.must_be_refused && !reader.starts_program) {
      ++counts[silent];
      tell("accepted in silence", input, reader.name, mutated.text);
    }
  } catch (const gable::Error& error) {
    ++counts[refused];
    if (show) fmt::print("refused: {}\n", error.what());
  } catch (const std::exception& error) {
    ++counts[faults];
    tell("fault", input, reader.name, error.what());
  }
  shared.at[slot].since = 0;
}

/// In a folder of its own under `root`, which the parent removes: whoever is killed cannot.
[[noreturn]] void work(const Options& options, const std::string& root, Shared& shared, std::size_t slot) {
  const std::string folder = fmt::format("{}/{}", root, ::getpid());
  std::filesystem::create_directories(folder);
  {
    const auto all = readers(folder);
    while (!shared.stop) {
      const std::uint64_t input = shared.next++;
      if (input >= shared.limit) break;
      read_one(all, options.seed, input, shared, slot, false);
      rusage used{};
      ::getrusage(RUSAGE_SELF, &used);
      if (used.ru_maxrss < most_kib) continue;
      tell("memory", input, all[shared.at[slot].reader].name, fmt::format("{} KiB", used.ru_maxrss));
      std::_Exit(1);
    }
  }
  std::filesystem::remove_all(folder);
  std::_Exit(0);
}

pid_t start(const Options& options, const std::string& root, Shared& shared, std::size_t slot) {
  shared.at[slot].since = 0;
  const pid_t child = ::fork();
  if (child == 0) work(options, root, shared, slot);
  return child;
}

/// Until all inputs are read or the time is over.
void drive(const Options& options, const std::string& root, Shared& shared, const std::vector<Reader>& all) {
  const std::size_t processes = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_processes);
  std::map<pid_t, std::size_t> running;
  for (std::size_t slot = 0; slot < processes; ++slot) running[start(options, root, shared, slot)] = slot;
  const double end = now_s() + options.seconds;
  while (!running.empty()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (now_s() > end) shared.stop = true;
    for (const auto& [pid, slot] : running) {
      const double since = shared.at[slot].since;
      const double most_s = hang_s * (all[shared.at[slot].reader].starts_program ? 6 : 1);  // on a busy machine
      if (since > 0 && now_s() - since > most_s) ::kill(pid, SIGKILL);
    }
    int status = 0;
    for (pid_t ended; (ended = ::waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto one = running.find(ended);
      if (one == running.end()) continue;
      const std::size_t slot = one->second;
      running.erase(one);
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
      const std::size_t k = shared.at[slot].reader;
      const bool hung = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
      ++shared.counts[k][hung ? hangs : faults];
      tell(hung ? "hang" : "crash", shared.at[slot].input, all[k].name, fmt::format("status {}", status));
      running[start(options, root, shared, slot)] = slot;
    }
  }
}

template <class Number>
bool number(const char* text, Number& value) {
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  return error == std::errc{} && *end == '\0';
}

bool read_options(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--seconds"  ? !number(argv[i + 1], options.seconds)
        : name == "--inputs" ? !number(argv[i + 1], options.inputs)
        : name == "--seed"   ? !number(argv[i + 1], options.seed)
        : name == "--only"   ? !number(argv[i + 1], options.only)
                             : true)
      return false;
  }
  return argc % 2 == 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read_options(argc, argv, options)) {
    fmt::print(stderr, "usage: attack [--seconds N] [--inputs N] [--seed S] [--only I]\n");
    return 2;
  }
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto& shared = *new (memory) Shared{};
  shared.limit = options.inputs;
  const std::string folder =
      fmt::format("{}/gable-attack-{}", std::filesystem::temp_directory_path().string(), ::getpid());
  std::filesystem::create_directories(folder);
  const auto all = readers(folder);
  if (all.size() > most_readers) {
    fmt::print(stderr, "attack: {} readers, and counters for {}: raise most_readers\n", all.size(), most_readers);
    return 2;
  }
  if (options.only != ~std::uint64_t{0})
    read_one(all, options.seed, options.only, shared, 0, true);
  else
    drive(options, folder, shared, all);
  std::filesystem::remove_all(folder);
  constexpr double least_share = 0.05;     // of the inputs of a reader that are to come past refusal
  constexpr std::uint64_t tells_of = 300;  // inputs
  std::uint64_t wrong = 0, sum = 0;
  fmt::print("{:<20} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "reader", "inputs", "refused", "accepted", "silent",
             "faults", "hangs");
  for (std::size_t k = 0; k < all.size(); ++k) {
    const auto& c = shared.counts[k];
    const double share = static_cast<double>(c[accepted]) / static_cast<double>(std::max<std::uint64_t>(c[inputs], 1));
    const bool shallow = share < least_share && c[inputs] >= tells_of;
    fmt::print("{:<20} {:>9} {:>9} {:>7.1f} % {:>9} {:>9} {:>9}{}\n", all[k].name, c[inputs].load(), c[refused].load(),
               100 * share, c[silent].load(), c[faults].load(), c[hangs].load(),
               shallow ? ": hardly anything is accepted" : "");
    wrong += c[silent] + c[faults] + c[hangs] + (shallow ? 1 : 0);
    sum += c[inputs];
  }
  fmt::print("{} inputs, seed {}: {} wrong\n", sum, options.seed, wrong);
  return wrong == 0 ? 0 : 1;
}
