#include "cli/other_runs.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>

#include "cli/abstract_address.hpp"

namespace gable::cli {
namespace {

/// More runs at a time see the others, and are not seen by later ones.
constexpr int places = 32;

AbstractAddress address_of(int place) { return AbstractAddress(fmt::format("gable-measures-{}", place)); }

}  // namespace

OtherRuns::OtherRuns() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  int own = 0;
  for (; own < places; ++own) {
    const AbstractAddress address = address_of(own);
    if (::bind(socket_.get(), address.get(), address.size()) == 0) break;
    if (errno != EADDRINUSE) return;  // sockets are denied here: nothing is seen
  }
  for (int place = 0; place < places; ++place) {
    if (place == own) continue;
    const AbstractAddress address = address_of(place);
    const char here = 1;
    const bool sent = ::sendto(socket_.get(), &here, sizeof here, MSG_NOSIGNAL, address.get(), address.size()) > 0;
    were_there_ = were_there_ || sent || errno == EAGAIN;  // one that has many bytes to read takes no more
  }
}

bool OtherRuns::seen() const {
  char other = 0;
  return were_there_ || ::recv(socket_.get(), &other, sizeof other, MSG_PEEK) > 0;
}

}  // namespace gable::cli
