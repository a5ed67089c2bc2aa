#include "core/text/gzip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "core/error.hpp"

namespace gable {
namespace {

constexpr unsigned longest_code = 15;

[[noreturn]] void fail_damaged() { throw Error("the gzip file is damaged"); }

/// Bits of a byte stream, the lowest of a byte first.
class Bits {
 public:
  explicit Bits(std::string_view bytes) : bytes_(bytes) {}

  unsigned take(unsigned count) {
    while (held_ < count) {
      value_ |= static_cast<std::uint64_t>(byte()) << held_;
      held_ += 8;
    }
    const auto taken = static_cast<unsigned>(value_ & ((std::uint64_t{1} << count) - 1));
    value_ >>= count;
    held_ -= count;
    return taken;
  }
  void to_byte() { take(held_ % 8); }
  /// Whole bytes, after to_byte().
  unsigned byte() {
    if (at_ == bytes_.size()) throw Error("the gzip file was cut off");
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  bool at_end() const { return held_ == 0 && at_ == bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_{};
  std::uint64_t value_{};
  unsigned held_{};
};

/// A Huffman code by the lengths of its words, as deflate orders them: short ones first, then by symbol.
class Code {
 public:
  explicit Code(std::span<const std::uint8_t> lengths) {
    for (const std::uint8_t length : lengths) ++counts_[length];
    counts_[0] = 0;
    int left = 1;
    for (unsigned length = 1; length <= longest_code; ++length) {
      left = 2 * left - counts_[length];
      if (left < 0) fail_damaged();
    }
    std::array<std::uint16_t, longest_code + 2> begin{};
    for (unsigned length = 1; length <= longest_code; ++length)
      begin[length + 1] = static_cast<std::uint16_t>(begin[length] + counts_[length]);
    for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] > 0) symbols_[begin[lengths[symbol]]++] = static_cast<std::uint16_t>(symbol);
    }
  }

  unsigned next(Bits& bits) const {
    int word = 0, first = 0, index = 0;
    for (unsigned length = 1; length <= longest_code; ++length) {
      word |= static_cast<int>(bits.take(1));
      const int count = counts_[length];
      if (word - first < count) return symbols_[static_cast<std::size_t>(index + word - first)];
      index += count;
      first = (first + count) << 1;
      word <<= 1;
    }
    fail_damaged();
  }

 private:
  std::array<std::uint16_t, longest_code + 1> counts_{};
  std::array<std::uint16_t, 288> symbols_{};
};

struct Codes {
  Code literals, distances;
};

const Codes& fixed_codes() {
  static const Codes codes = [] {
    std::array<std::uint8_t, 288> lengths{};
    for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    std::array<std::uint8_t, 30> distances{};
    distances.fill(5);
    return Codes{Code(lengths), Code(distances)};
  }();
  return codes;
}

Codes read_codes(Bits& bits) {
  constexpr std::array<std::uint8_t, 19> order{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  const unsigned literals = bits.take(5) + 257, distances = bits.take(5) + 1, of_lengths = bits.take(4) + 4;
  if (literals > 286 || distances > 30) fail_damaged();
  std::array<std::uint8_t, 19> first{};
  for (unsigned i = 0; i < of_lengths; ++i) first[order[i]] = static_cast<std::uint8_t>(bits.take(3));
  const Code lengths_code{first};
  std::array<std::uint8_t, 286 + 30> lengths{};
  for (unsigned i = 0; i < literals + distances;) {
    const unsigned symbol = lengths_code.next(bits);
    if (symbol < 16) {
      lengths[i++] = static_cast<std::uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && i == 0) fail_damaged();
    const std::uint8_t repeated = symbol == 16 ? lengths[i - 1] : std::uint8_t{0};
    const unsigned times = symbol == 16 ? 3 + bits.take(2) : symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7);
    if (i + times > literals + distances) fail_damaged();
    for (unsigned k = 0; k < times; ++k) lengths[i++] = repeated;
  }
  return {Code(std::span(lengths).first(literals)), Code(std::span(lengths).subspan(literals, distances))};
}

/// Text that grows up to a limit.
class Output {
 public:
  explicit Output(std::size_t most) : most_(most) {}
  void begin_member() { begin_ = text_.size(); }
  void add(unsigned byte) {
    need(1);
    text_ += static_cast<char>(byte);
  }
  void repeat(unsigned length, unsigned distance) {
    if (distance > text_.size() - begin_) fail_damaged();
    need(length);
    for (unsigned i = 0; i < length; ++i) text_ += text_[text_.size() - distance];
  }
  std::string_view member() const { return std::string_view(text_).substr(begin_); }
  std::string take() { return std::move(text_); }

 private:
  void need(std::size_t bytes) const {
    if (text_.size() + bytes > most_) throw Error(fmt::format("the gzip file holds over {} MiB", most_ >> 20));
  }
  std::string text_;
  std::size_t most_, begin_{};
};

void inflate_symbols(Bits& bits, const Codes& codes, Output& output) {
  constexpr unsigned end = 256;
  constexpr std::array<std::uint16_t, 29> length_base{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr std::array<std::uint16_t, 30> distance_base{1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  for (;;) {
    const unsigned symbol = codes.literals.next(bits);
    if (symbol == end) return;
    if (symbol < end) {
      output.add(symbol);
      continue;
    }
    const unsigned at = symbol - end - 1;
    if (at >= length_base.size()) fail_damaged();
    const unsigned more = at < 8 || at == 28 ? 0 : (at - 4) / 4;
    const unsigned length = length_base[at] + bits.take(more);
    const unsigned far = codes.distances.next(bits);
    if (far >= distance_base.size()) fail_damaged();
    output.repeat(length, distance_base[far] + bits.take(far < 4 ? 0 : (far - 2) / 2));
  }
}

void inflate(Bits& bits, Output& output) {
  for (bool last = false; !last;) {
    last = bits.take(1) != 0;
    switch (bits.take(2)) {
      case 0: {
        bits.to_byte();
        const unsigned length = bits.take(16);
        if ((bits.take(16) ^ length) != 0xFFFF) fail_damaged();
        for (unsigned i = 0; i < length; ++i) output.add(bits.take(8));
        break;
      }
      case 1:
        inflate_symbols(bits, fixed_codes(), output);
        break;
      case 2:
        inflate_symbols(bits, read_codes(bits), output);
        break;
      default:
        fail_damaged();
    }
  }
}

std::uint32_t checksum(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> made{};
    for (std::uint32_t i = 0; i < made.size(); ++i) {
      made[i] = i;
      for (int k = 0; k < 8; ++k) made[i] = (made[i] >> 1) ^ ((made[i] & 1) != 0 ? 0xEDB88320U : 0U);
    }
    return made;
  }();
  std::uint32_t sum = ~std::uint32_t{0};
  for (const char c : bytes) sum = (sum >> 8) ^ table[(sum ^ static_cast<unsigned char>(c)) & 0xFF];
  return ~sum;
}

void skip_header(Bits& bits) {
  constexpr unsigned has_checksum = 2, has_more = 4, has_name = 8, has_comment = 16;
  const unsigned magic = bits.take(16), method = bits.take(8), flags = bits.take(8);
  if (magic != 0x8B1F || method != 8) fail_damaged();
  for (int i = 0; i < 6; ++i) bits.take(8);
  if ((flags & has_more) != 0) {
    for (unsigned left = bits.take(16); left > 0; --left) bits.take(8);
  }
  for (const unsigned text : {has_name, has_comment}) {
    while ((flags & text) != 0 && bits.take(8) != 0) continue;
  }
  if ((flags & has_checksum) != 0) bits.take(16);
}

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1F\x8B\x08"); }

std::string gunzip(std::string_view bytes, std::size_t most) {
  Bits bits(bytes);
  Output output(most);
  do {
    skip_header(bits);
    output.begin_member();
    inflate(bits, output);
    bits.to_byte();
    const std::uint32_t sum = bits.take(32), size = bits.take(32);
    const std::string_view member = output.member();
    if (sum != checksum(member) || size != static_cast<std::uint32_t>(member.size())) fail_damaged();
  } while (!bits.at_end());
  return output.take();
}

}  // namespace gable
