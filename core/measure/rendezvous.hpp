#pragma once
#include <functional>

namespace gable::measure {

/// Where processes that measure at the same time, one device each, wait for each other. Each keeps its load running
/// before its first and behind its last block until told, so that every block of each was taken while all were at work.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  /// Runs `work` again and again until all are at work.
  virtual void begin(const std::function<void()>& work) = 0;
  /// Runs `work` again and again until all have taken their blocks.
  virtual void end(const std::function<void()>& work) = 0;
};

/// The rendezvous of the next measure() of this process, which takes it: a second measurement of the same item is made
/// alone. Null where there is none.
Rendezvous* take_rendezvous();

/// The next measure() waits for the others at `rendezvous`, as long as this object lives.
class AtRendezvous {
 public:
  explicit AtRendezvous(Rendezvous& rendezvous);
  ~AtRendezvous();
  AtRendezvous(const AtRendezvous&) = delete;
  AtRendezvous& operator=(const AtRendezvous&) = delete;
};

}  // namespace gable::measure
