#include "core/text/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

#include "core/error.hpp"

namespace gable {

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B\x08"); }

namespace {
bool is_zeros(std::string_view bytes) { return bytes.find_first_not_of('\0') == bytes.npos; }

/// Of the input that zlib has not read yet.
std::string_view rest_of(const z_stream& stream) {
  return {reinterpret_cast<const char*>(stream.next_in), stream.avail_in};
}
}  // namespace

std::string gunzip(std::string_view bytes, std::size_t most) {
  constexpr int gzip_alone = 16 + MAX_WBITS;
  z_stream stream{};
  if (inflateInit2(&stream, gzip_alone) != Z_OK) throw Error("there is no memory to unpack the gzip file");
  const std::unique_ptr<z_stream, decltype([](z_stream* one) { inflateEnd(one); })> ends(&stream);
  std::string text;
  std::array<char, std::size_t{1} << 16> part;
  int state = Z_OK;
  while (state != Z_STREAM_END || !bytes.empty() || stream.avail_in > 0) {
    if (state == Z_STREAM_END && is_zeros(bytes) && is_zeros(rest_of(stream))) break;  // padding, as of tapes
    if (state == Z_STREAM_END && inflateReset(&stream) != Z_OK) throw Error("the gzip file is damaged");
    if (stream.avail_in == 0) {
      const std::size_t taken = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
      stream.avail_in = static_cast<uInt>(taken);
      bytes.remove_prefix(taken);
    }
    stream.next_out = reinterpret_cast<Bytef*>(part.data());
    stream.avail_out = static_cast<uInt>(part.size());
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(part.data(), part.size() - stream.avail_out);
    if (text.size() > most) throw Error(fmt::format("the gzip file holds over {} MiB", most >> 20));
    if (state == Z_BUF_ERROR && bytes.empty()) throw Error("the gzip file was cut off");
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) throw Error("the gzip file is damaged");
  }
  return text;
}

}  // namespace gable
