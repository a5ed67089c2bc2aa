#pragma once
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace gable::cli {

/// Address of an abstract socket (unix(7)): a name that one process of this machine has as long as it lives, without a
/// file system. Names are cut at 106 bytes.
class AbstractAddress {
 public:
  explicit AbstractAddress(std::string_view name) {
    const std::size_t length = std::min(name.size(), sizeof(address_.sun_path) - 2);  // its first byte is 0
    address_.sun_family = AF_UNIX;
    std::copy_n(name.begin(), length, address_.sun_path + 1);
    size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&address_); }
  socklen_t size() const { return size_; }

 private:
  sockaddr_un address_{};
  socklen_t size_{};
};

}  // namespace gable::cli
