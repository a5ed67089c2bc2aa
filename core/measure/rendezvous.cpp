#include "core/measure/rendezvous.hpp"

#include <utility>

namespace gable::measure {
namespace {

Rendezvous* next = nullptr;

}  // namespace

Rendezvous* take_rendezvous() { return std::exchange(next, nullptr); }

AtRendezvous::AtRendezvous(Rendezvous& rendezvous) { next = &rendezvous; }
AtRendezvous::~AtRendezvous() { next = nullptr; }

}  // namespace gable::measure
