#pragma once
#include <string>
#include <vector>

#include "core/worker/protocol.hpp"

namespace gable::bench {

/// One of our rows and the kernels of likwid-bench that measure the same quantity.
struct Planned {
  std::string id;        ///< of the item in the worker
  std::string quantity;  ///< for people
  std::string unit;      ///< flop/s or byte/s
  std::vector<std::string> kernels;
  double bytes{};       ///< likwid's streams together; 0: the working set of our row
  double duration_s{};  ///< of one run of likwid
};

/// The ceilings among these items that likwid-bench has kernels for: vector fp64 and fp32 of every instruction set at
/// both operating points; of every level load, copy and triad, in main memory with non-temporal stores too. `threads`:
/// those of the rows.
std::vector<Planned> plan(const std::vector<worker::ItemInfo>& items, int threads);

}  // namespace gable::bench
