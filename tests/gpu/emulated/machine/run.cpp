#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "tests/gpu/emulated/emulation_error.hpp"
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
        frames_((launch.block.count() + warp_size - 1) / warp_size),
        warps_(frames_.size()) {
    block_.grid = launch.grid;
    block_.size = launch.block;
    block_.threads = static_cast<std::uint32_t>(launch.block.count());
    block_.parameters = launch.parameters;
    block_.dynamic_shared_begin = dynamic_begin(launch);
    for (Frame& frame : frames_) frame.function = launch.kernel;
  }

  void run() {
    Extent& id = block_.id;
    try {
      for (id.z = 0; id.z < launch_.grid.z; ++id.z) {
        for (id.y = 0; id.y < launch_.grid.y; ++id.y) {
          for (id.x = 0; id.x < launch_.grid.x; ++id.x) run_block();
        }
      }
    } catch (const EmulationError& error) {
      std::string where = "kernel " + readable(launch_.kernel->name) + ", block (" + std::to_string(id.x) + ", " +
                          std::to_string(id.y) + ", " + std::to_string(id.z) + ")";
      if (running_ != nullptr) where += ", warp " + std::to_string(running_->index) + ", " + running_->current->text;
      throw EmulationError(where + ": " + error.what());
    }
  }

 private:
  /// Dynamic shared memory lies behind the static, aligned as its variables want.
  static std::uint64_t dynamic_begin(const Launch& launch) {
    std::uint64_t alignment = 16;
    for (const auto& [name, variable] : launch.kernel->module->variables) {
      if (variable.is_dynamic()) alignment = std::max(alignment, variable.alignment);
    }
    return rounded_up(launch.kernel->static_shared_bytes, alignment);
  }

  void run_block() {
    block_.shared.reset();
    block_.barriers = {};
    for (std::size_t i = 0; i < warps_.size(); ++i) warps_[i] = Warp(block_, frames_[i], static_cast<int>(i));
    for (std::size_t round = 0; alive(); ++round) {
      const std::uint64_t before = executed_instructions();
      for (std::size_t i = 0; i < warps_.size(); ++i) {
        running_ = &warps_[warp_in_turn(i, warps_.size(), launch_.warp_order, round)];
        running_->run(launch_.limit);
      }
      running_ = nullptr;
      if (!release_barriers(block_, warps_) && executed_instructions() == before) throw EmulationError(deadlock());
    }
    for (Warp& warp : warps_) {
      running_ = &warp;
      warp.check_end();
    }
  }

  bool alive() const {
    return std::any_of(warps_.begin(), warps_.end(), [](const Warp& one) { return one.alive() != 0; });
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
  std::vector<Warp> warps_;
  Warp* running_ = nullptr;
};

}  // namespace

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
