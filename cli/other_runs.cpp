#include "cli/other_runs.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>

namespace gable::cli {
namespace {

/// More runs at a time see the others, and are not seen by later ones.
constexpr int places = 32;

/// An abstract socket (unix(7)): a name that one process of this machine has as long as it lives, without a file.
sockaddr_un address_of(int place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  fmt::format_to(address.sun_path + 1, "gable-measures-{}", place);  // the first byte is 0
  return address;
}
const sockaddr* generic(const sockaddr_un& address) { return reinterpret_cast<const sockaddr*>(&address); }

}  // namespace

OtherRuns::OtherRuns() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  int own = 0;
  for (; own < places; ++own) {
    const sockaddr_un address = address_of(own);
    if (::bind(socket_.get(), generic(address), sizeof address) == 0) break;
    if (errno != EADDRINUSE) return;  // sockets are denied here: nothing is seen
  }
  for (int place = 0; place < places; ++place) {
    if (place == own) continue;
    const sockaddr_un address = address_of(place);
    const char here = 1;
    const bool sent = ::sendto(socket_.get(), &here, sizeof here, MSG_NOSIGNAL, generic(address), sizeof address) > 0;
    were_there_ = were_there_ || sent || errno == EAGAIN;  // one that has many bytes to read takes no more
  }
}

bool OtherRuns::seen() const {
  char other = 0;
  return were_there_ || ::recv(socket_.get(), &other, sizeof other, MSG_PEEK) > 0;
}

}  // namespace gable::cli
