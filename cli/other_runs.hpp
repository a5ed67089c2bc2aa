#pragma once
#include "core/text/posix_file.hpp"

namespace gable::cli {

/// Whether other programs of this kind measure on this machine at the same time: each makes the other slower, and by
/// its own figures neither sees it. To be made before a measurement and kept until its end. Every process takes one of
/// a few names of the machine and sends a byte to all others (abstract sockets): containers with a network
/// of their own do not see each other, and nothing is refused.
class OtherRuns {
 public:
  OtherRuns();
  /// One was there when this one began, or has come since.
  bool seen() const;

 private:
  Descriptor socket_;
  bool were_there_{};
};

}  // namespace gable::cli
