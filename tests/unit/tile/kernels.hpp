#pragma once
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "core/operator.hpp"
#include "operators/device/storage.hpp"
#include "tests/unit/tile/emulated_machine.hpp"

namespace gable::device::tile::test {

/// `count` values in [-1, 1), int8 in [-128, 127], that depend on nothing but their number and the seed, in storage
/// type.
template <class T>
std::vector<T> values(Index count, unsigned seed) {
  std::vector<T> list(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (T& value : list) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double uniform = static_cast<double>(state >> 11) * 0x1p-52 - 1.0;
    value = from_double<T>(std::is_integral_v<T> ? std::floor(128 * uniform) : uniform);
  }
  return list;
}

/// The same, of whole numbers from -3 to 3, whose products every type sums exactly.
template <class T>
std::vector<T> whole_values(Index count, unsigned seed) {
  std::vector<T> list(static_cast<std::size_t>(count));
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (T& value : list) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    value = from_double<T>(static_cast<double>((state >> 33) % 7) - 3.0);
  }
  return list;
}

/// What came out: values in accumulate type, and what the machine saw.
struct Outcome {
  std::vector<double> values;
  Report report;
};

/// C = factor A B for a batch, by warp::ProductBlock on an emulated machine with a ring of `stages`. A [batch, m, k]
/// (transposed: [batch, k, m]), B [batch, k, n] (transposed: [batch, n, k]), C [batch, m, n].
struct ProductCase {
  Index batch, m, n, k;
  int stages;
};
template <class Machine, class T, bool TransposedB, bool TransposedA>
Outcome product(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b, double factor);
/// C = A B, to each row of which `bias` is added.
template <class Machine, class T>
Outcome product_with_bias(const ProductCase& size, const std::vector<T>& a, const std::vector<T>& b,
                          const std::vector<T>& bias);
/// The sums of each part of the depth, [parts, m, n].
template <class Machine, class T, bool TransposedB, bool TransposedA>
Outcome sums_of_parts(const ProductCase& size, Index parts, const std::vector<T>& a, const std::vector<T>& b);

/// Fused attention of h heads, l keys, width d by blocks of an emulated machine. Q, O: [h, l, d], K, V:
/// [kv, l, d].
struct AttentionCase {
  Index h, kv, l, d;
  bool causal;
};
template <class Block, class T>
Outcome attention(const AttentionCase& size, const std::vector<T>& q, const std::vector<T>& k, const std::vector<T>& v);

}  // namespace gable::device::tile::test
