#pragma once
#include <type_traits>

#include "core/operator.hpp"
#include "operators/device/function.hpp"
#include "operators/device/storage.hpp"

namespace gable::device::tile {

/// Sizes of a batch of products, elements.
struct ProductSize {
  Index batch, m, n, k;
};

/// What a product of operands of storage type T is stored as: T; of types of one byte their sums.
template <class T>
using Result = std::conditional_t<sizeof(T) == 1, Accumulate<T>, T>;

/// Sizes of attention: heads of the queries, heads of keys and values (each serves h / kv neighbouring heads of the
/// queries), length of the sequence, width of a head; causal: row i sees keys 0 to i, else all.
struct AttentionSize {
  Index h, kv, l, d;
  bool causal;
};

/// Sizes of decode attention: rows of the cache (heads of keys and values, of all sequences), queries that share one,
/// tokens, width of a head.
struct DecodeSize {
  Index rows, group, tokens, d;
};

/// Arrays of decode attention: q, o [rows, group, d] in T; k, v [rows, tokens, d] in C; what is stored of a token
/// counts times its factor, [rows, tokens], where C is an integer.
template <class C, class T>
struct DecodeArrays {
  const T* q;
  const C* k;
  const C* v;
  const float* k_factor;
  const float* v_factor;
  T* o;
};

/// Partial results of decode attention: of each query over each split of its tokens the largest score (a GPU's: times
/// log2(e)), the sum of the weights relative to it, and the weighted sum of values, [rows, splits, group] of each.
struct DecodeParts {
  Index splits, group;
  Index stride;  ///< elements from one sum of values to the next: d, padded to whole registers
  float* largest;
  float* total;
  float* sums;
  int* finished;  ///< GPU: how many splits of a row's are done, for each of its blocks; 0 between runs

  /// Where a query's part is, of `query` queries of all rows.
  GABLE_FUNCTION Index at(Index query, Index split) const {
    return (query / group * splits + split) * group + query % group;
  }
};

}  // namespace gable::device::tile
