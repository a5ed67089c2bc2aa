#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/block_order.hpp"
#include "tests/gpu/emulated/machine/launch.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"

namespace gable::emulated {
namespace {

constexpr std::size_t name_length = 200;

std::string readable(const std::string& mangled) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), &std::free);
  const std::string whole = name ? name.get() : mangled;
  return whole.size() <= name_length ? whole : whole.substr(0, name_length) + "...";
}

/// The number of the warp, or block, that runs as number `i` of `count` in a round.
std::uint64_t in_turn(std::uint64_t i, std::uint64_t count, int order, std::uint64_t round) {
  if (order == 0) return i;
  if (order == 1) return count - 1 - i;
  std::uint64_t step = 7;
  while (std::gcd(step, count) != 1) ++step;
  return (i * step + round * 3 + static_cast<std::uint64_t>(order)) % count;
}

/// The blocks of a launch, one after the other.
class Blocks {
 public:
  explicit Blocks(const Launch& launch)
      : launch_(launch),
        block_(dynamic_begin(launch) + launch.dynamic_shared_bytes),
        frames_((launch.block.count() + warp_size - 1) / warp_size) {
    block_.grid = launch.grid;
    block_.size = launch.block;
    block_.threads = static_cast<std::uint32_t>(launch.block.count());
    block_.parameters = launch.parameters;
    block_.dynamic_shared_begin = dynamic_begin(launch);
    block_.warps.resize(frames_.size());
    for (Frame& frame : frames_) frame.function = launch.kernel;
  }

  void run() {
    Extent& id = block_.id;
    try {
      const Extent& grid = launch_.grid;
      begin_launch(launch_.blocks_may_race);
      for (std::uint64_t i = 0; i < grid.count(); ++i) {
        const std::uint64_t number = in_turn(i, grid.count(), launch_.warp_order, 0), row = number / grid.x;
        id = {static_cast<std::uint32_t>(number % grid.x), static_cast<std::uint32_t>(row % grid.y),
              static_cast<std::uint32_t>(row / grid.y)};
        begin_block(id);
        run_block();
      }
    } catch (const EmulationError& error) {
      std::string where = "kernel " + readable(launch_.kernel->name) + ", block " + text_of(id);
      if (running_ != nullptr) where += ", warp " + std::to_string(running_->index) + ", " + running_->current->text;
      throw EmulationError(where + ": " + error.what());
    }
  }

 private:
  /// Dynamic shared memory lies behind the static, aligned as its variables want and no better.
  static std::uint64_t dynamic_begin(const Launch& launch) {
    std::uint64_t alignment = 16;
    for (const auto& [name, variable] : launch.kernel->module->variables) {
      if (variable.is_dynamic()) alignment = std::max(alignment, variable.alignment);
    }
    const std::uint64_t begin = rounded_up(launch.kernel->static_shared_bytes, alignment);
    if (launch.dynamic_shared_bytes == 0) return launch.kernel->static_shared_bytes;
    return begin / alignment % 2 != 0 ? begin : begin + alignment;
  }

  void run_block() {
    block_.shared.reset();
    block_.barriers = {};
    for (auto& steps : block_.group_steps) steps.clear();
    std::vector<Warp>& warps = block_.warps;
    for (std::size_t i = 0; i < warps.size(); ++i) warps[i] = Warp(block_, frames_[i], static_cast<int>(i));
    for (std::size_t round = 0; alive(); ++round) {
      const std::uint64_t before = executed_instructions();
      for (std::size_t i = 0; i < warps.size(); ++i) {
        running_ = &warps[in_turn(i, warps.size(), launch_.warp_order, round)];
        running_->run(launch_.limit);
      }
      running_ = nullptr;
      if (!release_barriers(block_) && executed_instructions() == before) throw EmulationError(deadlock());
    }
    for (Warp& warp : warps) {
      running_ = &warp;
      warp.check_end();
    }
  }

  bool alive() const {
    return std::any_of(block_.warps.begin(), block_.warps.end(), [](const Warp& one) { return one.alive() != 0; });
  }

  std::string deadlock() const {
    std::string text = "deadlock, every thread waits:";
    for (std::size_t i = 0; i < block_.barriers.size(); ++i) {
      const Block::Barrier& barrier = block_.barriers[i];
      if (barrier.arrived == 0) continue;
      text += " " + std::to_string(barrier.arrived) + " threads at barrier " + std::to_string(i) + " for " +
              (barrier.expected == 0 ? "all" : std::to_string(barrier.expected)) + ";";
    }
    text.pop_back();
    return text;
  }

  const Launch& launch_;
  Block block_;
  std::vector<Frame> frames_;
  Warp* running_ = nullptr;
};

}  // namespace

std::string text_of(const Extent& place) {
  return "(" + std::to_string(place.x) + ", " + std::to_string(place.y) + ", " + std::to_string(place.z) + ")";
}

void run(const Launch& launch) {
  Function& kernel = *launch.kernel;
  try {
    if (launch.block.count() == 0 || launch.block.count() > kernel.max_threads) {
      throw EmulationError(std::to_string(launch.block.count()) + " threads, not 1 to " +
                           std::to_string(kernel.max_threads));
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
