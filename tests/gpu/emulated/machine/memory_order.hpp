#pragma once
#include "tests/gpu/emulated/machine/warp.hpp"
#include "tests/gpu/emulated/ptx/statement.hpp"

namespace gable::emulated {

/// What an instruction says of memory order (.volatile, .relaxed, .acquire, .release, .acq_rel).
struct MemoryOrder {
  bool atomic = false, acquire = false, release = false;

  static MemoryOrder of(const Statement& statement);
  /// Before a write: a release makes known what the warp knows; without one, what it knew at its last fence.
  void before_write(Warp& warp) const;
  /// After a read: an acquire learns what is known; without one, the next fence does.
  void after_read(Warp& warp) const;
};

/// Whether an address is one of shared memory, not a generic one.
inline bool names_shared_memory(const Statement& statement) {
  return statement.has("shared") || statement.has("shared::cta") || statement.has("shared::cluster");
}

}  // namespace gable::emulated
