#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/launch.hpp"
#include "tests/gpu/emulated/machine/running_warp.hpp"
#include "tests/gpu/emulated/ptx/declaration.hpp"

namespace gable::emulated {
namespace {

constexpr std::size_t name_length = 200;

std::string readable(const std::string& mangled) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), &std::free);
  const std::string whole = name ? name.get() : mangled;
  return whole.size() <= name_length ? whole : whole.substr(0, name_length) + "...";
}

std::string text_of(const Extent& id) {
  return "(" + std::to_string(id.x) + ", " + std::to_string(id.y) + ", " + std::to_string(id.z) + ")";
}

/// The number of the warp that runs as number `i` of `warps` in a round.
std::size_t warp_in_turn(std::size_t i, std::size_t warps, int order, std::size_t round) {
  if (order == 0) return i;
  if (order == 1) return warps - 1 - i;
  const std::size_t step = warps % 7 != 0 ? 7 : 5;  // has no divisor in common with the number of warps
  return (i * step + round * 3 + static_cast<std::size_t>(order)) % warps;
}

/// The blocks of a launch, one after the other.
class Blocks {
 public:
  explicit Blocks(const Launch& launch)
      : launch_(launch),
        block_(dynamic_begin(launch) + launch.dynamic_shared_bytes),
        warps_((launch.block.x * launch.block.y * launch.block.z + warp_size - 1) / warp_size) {
    block_.grid = launch.grid;
    block_.size = launch.block;
    block_.threads = launch.block.x * launch.block.y * launch.block.z;
    block_.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    for (const int number : launch.kernel->dynamic_shared) {
      launch.kernel->constants[static_cast<std::size_t>(number)].fill(dynamic_begin(launch));
    }
  }

  void run() {
    Extent& id = block_.id;
    for (id.z = 0; id.z < launch_.grid.z; ++id.z) {
      for (id.y = 0; id.y < launch_.grid.y; ++id.y) {
        for (id.x = 0; id.x < launch_.grid.x; ++id.x) run_block();
      }
    }
  }

 private:
  /// Calls `what`; an EmulationError says where it happened.
  template <class What>
  auto explain(What&& what, const RunningWarp* running = nullptr) const {
    try {
      return what();
    } catch (const EmulationError& error) {
      std::string where = "kernel " + readable(launch_.kernel->name) + ", block " + text_of(block_.id);
      if (running != nullptr) {
        const Instruction* instruction = running->instruction();
        where += ", warp " + std::to_string(running->warp.index);
        if (instruction != nullptr) where += ", " + instruction->text;
      }
      throw EmulationError(where + ": " + error.what());
    }
  }

  /// Dynamic shared memory lies behind the static, aligned as its variables want.
  static std::uint64_t dynamic_begin(const Launch& launch) {
    std::uint64_t alignment = 16;
    for (const auto& [name, variable] : launch.kernel->module->variables) {
      if (variable.dynamic) alignment = std::max(alignment, variable.alignment);
    }
    return rounded_up(launch.kernel->static_shared_bytes, alignment);
  }

  void run_block() {
    block_.shared.reset();
    block_.barriers.clear();
    for (std::size_t i = 0; i < warps_.size(); ++i) warps_[i].begin(launch_, block_, static_cast<int>(i));
    for (std::size_t round = 0; alive(); ++round) {
      const std::uint64_t before = executed_instructions();
      for (std::size_t i = 0; i < warps_.size(); ++i) {
        RunningWarp& running = warps_[warp_in_turn(i, warps_.size(), launch_.warp_order, round)];
        explain([&] { running.run(launch_.limit); }, &running);
      }
      const bool released = explain([&] { return release_barriers(block_, warps_); });
      if (!released && executed_instructions() == before) explain([&] { throw EmulationError(deadlock()); });
    }
    for (RunningWarp& running : warps_) explain([&] { running.check_end(); }, &running);
  }

  bool alive() const {
    return std::any_of(warps_.begin(), warps_.end(), [](const RunningWarp& one) { return one.alive() != 0; });
  }

  std::string deadlock() const {
    std::string text = "deadlock, every thread waits:";
    for (const auto& [number, barrier] : block_.barriers) {
      if (barrier.arrived == 0) continue;
      text += " " + std::to_string(barrier.arrived) + " threads at barrier " + std::to_string(number) + " for " +
              (barrier.expected == 0 ? "all" : std::to_string(barrier.expected)) + ";";
    }
    text.pop_back();
    return text;
  }

  const Launch& launch_;
  Block block_;
  std::vector<RunningWarp> warps_;
};

}  // namespace

void run(const Launch& launch) {
  Function& kernel = *launch.kernel;
  const std::uint64_t threads = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
  try {
    if (threads == 0 || threads > kernel.max_threads) {
      throw EmulationError(std::to_string(threads) + " threads, not 1 to " + std::to_string(kernel.max_threads));
    }
    if (launch.parameters.size() != kernel.parameter_bytes) {
      throw EmulationError(std::to_string(launch.parameters.size()) + " bytes of parameters, not " +
                           std::to_string(kernel.parameter_bytes));
    }
    decode(kernel);
  } catch (const EmulationError& error) {
    throw EmulationError("kernel " + readable(kernel.name) + ": " + error.what());
  }
  Blocks(launch).run();
}

}  // namespace gable::emulated
