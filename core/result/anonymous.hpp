#pragma once
#include <string_view>

#include "core/result/result.hpp"

namespace gable::result {

/// The result without what tells whose machine it was: names of hosts and users, what a site added to the kernel's
/// name, paths and names of files, addresses, serial numbers, UUIDs and PCI buses of devices, the time of day. What
/// explains the figures stays: products, caches, facts, builds, options; so do the figures, bit by bit. An anonymous
/// result comes back as it is. Throws Error naming the key where a name or a path is left, in a field that must not
/// change.
Result anonymous(Result result);

/// Whether a fact is one card's or one board's own: UUID, PCI bus, serial number, network address.
bool names_one_device(const Fact& fact);

/// Whether two names of hosts are known to mean one machine: anonymous ones are not.
bool same_host(std::string_view a, std::string_view b);

/// Whether a point's parameters ("matrix=FILE1.mtx,rows=1") name a file that anonymous() took out: nobody can read it.
bool names_lost_file(std::string_view params);

}  // namespace gable::result
