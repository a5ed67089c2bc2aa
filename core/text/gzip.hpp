#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace gable {

/// Whether the bytes begin as those of a gzip file do (RFC 1952).
bool is_gzip(std::string_view bytes);

/// What a gzip file of one or several members holds (RFC 1952), by zlib. Zeros may pad its end. Throws Error for a file
/// that is damaged or cut off, and for one that holds over `most` bytes.
std::string gunzip(std::string_view bytes, std::size_t most);

}  // namespace gable
