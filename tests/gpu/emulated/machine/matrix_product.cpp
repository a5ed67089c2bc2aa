#include "tests/gpu/emulated/machine/matrix_product.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/gpu/emulated/emulation_error.hpp"
#include "tests/gpu/emulated/machine/bits.hpp"
#include "tests/gpu/emulated/machine/small_float.hpp"
#include "tests/gpu/emulated/machine/warp.hpp"

namespace gable::emulated {
namespace {

/// The lower 13 bits are not read.
double tf32_number(std::uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000U)); }

template <class Word>
double same_number(Word word) {
  return static_cast<double>(word);
}

template <class Word, auto number = same_number<Word>>
void decode_words(const std::byte* from, int count, double* to) {
  for (int i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, from + static_cast<std::size_t>(i) * sizeof word, sizeof word);
    to[i] = number(word);
  }
}

/// Two a byte.
void decode_s4(const std::byte* from, int count, double* to) {
  for (int i = 0; i < count; ++i) to[i] = ((static_cast<int>(from[i / 2]) >> 4 * (i % 2) & 15) ^ 8) - 8;
}

constexpr MatrixElement elements[] = {{"f16", 16, false, decode_words<std::uint16_t, decoded<half_format>>},
                                      {"bf16", 16, false, decode_words<std::uint16_t, decoded<bfloat_format>>},
                                      {"tf32", 32, false, decode_words<std::uint32_t, tf32_number>},
                                      {"f64", 64, false, decode_words<double>},
                                      {"s8", 8, true, decode_words<std::int8_t>},
                                      {"s4", 4, true, decode_s4},
                                      {"e4m3", 8, false, decode_words<std::uint8_t, decoded<e4m3_format>>},
                                      {"e5m2", 8, false, decode_words<std::uint8_t, decoded<e5m2_format>>}};
constexpr struct {
  std::string_view name;
  Sum sum;
} sums[] = {{"f16", Sum::f16}, {"f32", Sum::f32}, {"f64", Sum::f64}, {"s32", Sum::s32}};

/// Null if there is none of this name.
template <class Named, std::size_t count>
const Named* find(const Named (&list)[count], std::string_view name) {
  const auto* const found = std::find_if(list, list + count, [name](const Named& one) { return one.name == name; });
  return found == list + count ? nullptr : found;
}

/// Calls each(register, lane, half, place) for the sums of 8 columns: the first element of a lane is that of row
/// lane / 4 and column 2 (lane % 4), the second is right of it, the next two are eight rows below.
template <int per_register, class Each>
void for_sums(int rows, Each&& each) {
  for (int number = 0; number < rows / 4 / per_register; ++number) {
    for (int lane = 0; lane < warp_size; ++lane) {
      for (int half = 0; half < per_register; ++half) {
        const int element = number * per_register + half;
        each(number, lane, half, 64 * (element / 2) + 2 * lane + element % 2);
      }
    }
  }
}

template <class T>
void load_as(int rows, const std::uint64_t* const* from, double* to) {
  for_sums<1>(rows, [=](int number, int lane, int, int place) {
    to[place] = static_cast<double>(value_of<T>(from[number][lane]));
  });
}

void load(Sum sum, int rows, const std::uint64_t* const* from, double* to) {
  if (sum == Sum::f32) return load_as<float>(rows, from, to);
  if (sum == Sum::f64) return load_as<double>(rows, from, to);
  if (sum == Sum::s32) return load_as<std::int32_t>(rows, from, to);
  for_sums<2>(rows, [=](int number, int lane, int half, int place) {
    to[place] = decoded<half_format>(from[number][lane] >> 16 * half);
  });
}

template <class T>
void store_as(int rows, const double* from, std::uint64_t* const* to) {
  using Whole = std::conditional_t<std::is_integral_v<T>, std::int64_t, T>;  // 32 bits of it: sums wrap around
  for_sums<1>(rows, [=](int number, int lane, int, int place) {
    to[number][lane] = bits_of(static_cast<T>(static_cast<Whole>(from[place])));
  });
}

void store(Sum sum, int rows, const double* from, std::uint64_t* const* to) {
  if (sum == Sum::f32) return store_as<float>(rows, from, to);
  if (sum == Sum::f64) return store_as<double>(rows, from, to);
  if (sum == Sum::s32) return store_as<std::int32_t>(rows, from, to);
  for_sums<2>(rows, [=](int number, int lane, int half, int place) {
    const std::uint64_t bits = encoded<half_format>(from[place]);
    to[number][lane] = half == 0 ? bits : to[number][lane] | bits << 16;
  });
}

/// Four rows and four columns at a time, which stay in registers.
void add_products(int rows, int depth, const double* left, const Eight* right, Eight* to) {
  using Four [[gnu::vector_size(32), gnu::may_alias, gnu::aligned(8)]] = double;
  for (int r = 0; r < rows; r += 4) {
    for (int c = 0; c < 8; c += 4) {
      Four sum[4];
      for (int i = 0; i < 4; ++i) sum[i] = *reinterpret_cast<Four*>(&to[r + i][c]);
      for (int k = 0; k < depth; ++k) {
        const Four b = *reinterpret_cast<const Four*>(&right[k][c]);
        for (int i = 0; i < 4; ++i) sum[i] += left[(r + i) * depth + k] * b;
      }
      for (int i = 0; i < 4; ++i) *reinterpret_cast<Four*>(&to[r + i][c]) = sum[i];
    }
  }
}

/// Of f64, whose products are not exact.
void add_fused(int rows, int depth, const double* left, const Eight* right, Eight* to) {
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < depth; ++k) {
      for (int c = 0; c < 8; ++c) to[r][c] = std::fma(left[r * depth + k], right[k][c], to[r][c]);
    }
  }
}

}  // namespace

MatrixProduct read_product(const Statement& statement) {
  static const std::set<std::string_view> words{"mma_async", "sync", "aligned", "row", "col"};
  MatrixProduct product;
  std::vector<std::string_view> types;  // of D, A, B and, of mma, C
  for (const std::string& one : statement.modifiers) {
    const bool is_shape = std::sscanf(one.c_str(), "m%dn%dk%d", &product.rows, &product.columns, &product.depth) == 3;
    if (!is_shape && !words.contains(one)) types.push_back(one);
  }
  const bool fit = types.size() >= 3 && types[1] == types[2] && (types.size() == 3 || types[3] == types[0]);
  const auto* const sum = fit ? find(sums, types[0]) : nullptr;
  product.element = fit ? find(elements, types[1]) : nullptr;
  if (sum == nullptr || product.element == nullptr || product.element->is_integer != (sum->sum == Sum::s32) ||
      (product.element->bits == 64) != (sum->sum == Sum::f64)) {
    throw EmulationError(statement.name + " of this form or of these types is not supported");
  }
  product.sum = sum->sum;
  return product;
}

void read_register(const MatrixElement& element, const std::uint64_t* values, double* to) {
  std::array<std::uint32_t, warp_size> words;
  if (element.bits == 64) return element.decode(reinterpret_cast<const std::byte*>(values), warp_size, to);
  for (std::size_t lane = 0; lane < warp_size; ++lane) words[lane] = static_cast<std::uint32_t>(values[lane]);
  element.decode(reinterpret_cast<const std::byte*>(words.data()), warp_size * element.per_register(), to);
}

void read_left(const MatrixProduct& product, int rows, const std::vector<const std::uint64_t*>& registers,
               double* left) {
  const auto count = static_cast<std::size_t>(rows), depth = static_cast<std::size_t>(product.depth);
  const auto width = static_cast<std::size_t>(4 * product.element->per_register());
  std::array<double, warp_size * 8> numbers;  // [8][width]
  for (std::size_t j = 0; j < registers.size(); ++j) {
    read_register(*product.element, registers[j], numbers.data());
    const std::size_t row = 8 * j % count, k = 8 * j / count * width;
    for (std::size_t r = 0; r < 8; ++r) std::copy_n(&numbers[r * width], width, &left[(row + r) * depth + k]);
  }
}

void multiply(const MatrixProduct& product, int rows, const double* left, const Eight* right,
              const std::uint64_t* const* addend, std::uint64_t* const* result) {
  Eight total[16] = {};
  double* const numbers = &total[0][0];
  if (addend != nullptr) load(product.sum, rows, addend, numbers);
  (product.sum == Sum::f64 ? add_fused : add_products)(rows, product.depth, left, right, total);
  store(product.sum, rows, numbers, result);
}

}  // namespace gable::emulated
