#pragma once
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <type_traits>

#include "operators/device/elementwise.hpp"
#include "operators/device/exp.hpp"
#include "operators/device/tile/decode_parts.hpp"

namespace gable::device::tile {

/// The result of a query out of its parts: a thread takes a query.
template <class T>
struct DecodeCombine {
  static constexpr int pack = register_bytes / static_cast<int>(sizeof(float));
  DecodeParts parts;
  Index queries, d;
  T* o;

  /// Enqueues.
  void run(const Exec& exec) const {
    Kokkos::parallel_for("gable::attention_combine", ThreadPolicy(exec, 0, queries), *this);
  }
  KOKKOS_INLINE_FUNCTION void operator()(Index query) const {
    for (Index column = 0; column < d; column += pack) columns(query, column);
  }

 private:
  GABLE_FUNCTION void columns(Index query, Index column) const {
    float largest = parts.largest[parts.at(query, 0)];
    for (Index split = 1; split < parts.splits; ++split) {
      const float other = parts.largest[parts.at(query, split)];
      largest = other > largest ? other : largest;
    }
    float total = 0;
    Lanes<float, pack> sum(0.0F);
    for (Index split = 0; split < parts.splits; ++split) {
      const Index at = parts.at(query, split);
      const float weight = exp(Lanes<float, pack>(parts.largest[at] - largest))[0];
      total += parts.total[at] * weight;
      sum += load<pack>(parts.sums + at * parts.stride + column) * weight;
    }
    T* target = o + query * d + column;
    if (d - column >= pack) {
      store<pack>(target, sum * (1 / total));
    } else {
      store<pack>(target, sum * (1 / total), static_cast<int>(d - column));
    }
  }
};

/// A thread takes a split of a row's tokens, `keys` at a time, which stay in L1 with their values for all queries of
/// the row: scores, their online softmax, then the values, `columns` at a time. While it computes with keys it
/// prefetches their values, and while it computes with values the next keys. Queries go four at a time, the scores of a
/// token side by side, so that the softmax of the four is one.
template <class C, class T>
struct DecodeBody {
  static constexpr int lanes = register_bytes / static_cast<int>(sizeof(float));
  static constexpr int columns = 2 * lanes;
  static constexpr int heads_at_once = 4;
  static_assert(lanes % heads_at_once == 0 && DecodeWorkspace::padding % columns == 0);
  static constexpr int keys = (lanes > 8 ? 48 : 24) * (sizeof(C) == 1 ? 2 : 1);
  static_assert(keys % lanes == 0);
  static constexpr float lowest = -Kokkos::Experimental::finite_max_v<float>;
  using Register = Lanes<float, lanes>;
  using Pair = Lanes<float, columns>;

  DecodeSize size;
  DecodeArrays<C, T> arrays;
  DecodeCombine<T> combine;
  float* workspace;  ///< [threads, state_size(size)]
  Index threads;
  float factor;

  /// What a thread keeps: queries [group, stride], scores [group, keys], and the factor of what was summed before.
  static Index state_size(const DecodeSize& size, Index stride) { return size.group * (stride + keys + lanes); }

  KOKKOS_INLINE_FUNCTION void operator()(Index thread) const {
    const DecodeParts& parts = combine.parts;
    const Chunk chunk = chunk_of(size.rows * parts.splits, thread, threads, 1);
    float* base = workspace + thread * state_size(size, parts.stride);
    const State state{base, base + size.group * parts.stride, base + size.group * (parts.stride + keys)};
    for (Index item = chunk.begin; item < chunk.end; ++item) {
      const Index row = item / parts.splits;
      take(state, row, item);
      if (parts.splits > 1) continue;
      for (Index query = 0; query < size.group; ++query) combine(row * size.group + query);
    }
  }

 private:
  struct State {
    float* queries;
    float* scores;  ///< of queries taken together: [keys, queries]
    float* rescale;
  };
  /// Tokens of a block and where they are.
  struct Block {
    const C* keys;
    const C* values;
    Index token;  ///< the first, of all rows
    int count;
  };

  template <int N, class Access>
  static GABLE_FUNCTION Lanes<float, N> cached(const Access& access, const C* source) {
    const LanesOf<C, N> stored = access.load(source);
    if constexpr (std::is_integral_v<C>) {
      Lanes<float, N> result;
      for (int p = 0; p < result.parts; ++p)
        result.part[p] = __builtin_convertvector(stored.part[p], typename Lanes<float, N>::Part);
      return result;
    } else {
      return stored;
    }
  }
  GABLE_FUNCTION void take(const State& state, Index row, Index item) const {
    const DecodeParts& parts = combine.parts;
    const Index first = item * size.group;
    for (Index query = 0; query < size.group; ++query) {
      float* target = state.queries + query * parts.stride;
      const T* source = arrays.q + (row * size.group + query) * size.d;
      Index c = 0;
      for (; c + lanes <= size.d; c += lanes) store<lanes>(target + c, load<lanes>(source + c) * factor);
      for (; c < parts.stride; ++c) target[c] = c < size.d ? widen(source[c]) * factor : 0.0F;
      for (c = 0; c < parts.stride; ++c) parts.sums[(first + query) * parts.stride + c] = 0;
      parts.largest[first + query] = lowest;
      parts.total[first + query] = 0;
    }
    const Chunk tokens = chunk_of(size.tokens, item % parts.splits, parts.splits, 1);
    for (Index token = tokens.begin; token < tokens.end; token += keys) {
      const Index at = row * size.tokens + token;
      const int count = static_cast<int>(tokens.end - token < keys ? tokens.end - token : keys);
      advance(state, {arrays.k + at * size.d, arrays.v + at * size.d, at, count}, first);
    }
  }
  /// All queries of a row over a block.
  GABLE_FUNCTION void advance(const State& state, const Block& block, Index first) const {
    Index query = 0;
    for (; query + heads_at_once <= size.group; query += heads_at_once) {
      scores<heads_at_once, 3>(state, block, query);
      weigh<heads_at_once>(state, block, first, query);
    }
    for (; query < size.group; ++query) {
      scores<1, 8>(state, block, query);
      weigh<1>(state, block, first, query);
    }
    for (query = 0; query + heads_at_once <= size.group; query += heads_at_once)
      values<heads_at_once>(state, block, first, query);
    for (; query < size.group; ++query) values<1>(state, block, first, query);
  }
  /// Scores of `heads` queries, `tokens` of them at a time: twelve sums, three keys and a query fill the 16 registers.
  template <int heads, int tokens>
  GABLE_FUNCTION void scores(const State& state, const Block& block, Index query) const {
    static_assert(keys % tokens == 0);
    for (int i = 0; i < block.count; i += tokens) {
      const C* source[tokens];
      for (int t = 0; t < tokens; ++t) {
        const int token = i + t < block.count ? i + t : block.count - 1;
        source[t] = block.keys + token * size.d;
        const char* line = reinterpret_cast<const char*>(block.values + token * size.d);
        for (Index byte = 0; byte < size.d * Index{sizeof(C)}; byte += 64) prefetch_read(line + byte);
      }
      Register sums[tokens * heads];
      for (auto& sum : sums) sum = 0.0F;
      const float* q = state.queries + query * combine.parts.stride;
      Index c = 0;
      for (; c + lanes <= size.d; c += lanes) add_products<heads, tokens>(sums, FullPack<lanes>{}, source, q, c);
      if (c < size.d) add_products<heads, tokens>(sums, PartialPack<lanes>{static_cast<int>(size.d - c)}, source, q, c);
      sum_each(state.scores + query * keys + i * heads, sums);
    }
  }
  template <int heads, int tokens, class Access>
  GABLE_FUNCTION void add_products(Register (&sums)[tokens * heads], const Access& access,
                                   const C* const (&source)[tokens], const float* q, Index c) const {
    Register key[tokens];
    for (int t = 0; t < tokens; ++t) key[t] = cached<lanes>(access, source[t] + c);
#pragma GCC unroll 4
    for (int h = 0; h < heads; ++h) {
      Register along = load<lanes>(q + h * combine.parts.stride + c);
      keep_in_register(
          along);  // loaded once: as a memory operand of every product it would need more loads than a core can do
#pragma GCC unroll 8
      for (int t = 0; t < tokens; ++t) sums[t * heads + h] += along * key[t];
    }
  }
  /// The sum over the lanes of each register.
  template <int count>
  static GABLE_FUNCTION void sum_each(float* totals, const Register (&x)[count]) {
    static_assert(count % 4 == 0);
    for (int i = 0; i < count; i += 4) store_sums(totals + i, x[i], x[i + 1], x[i + 2], x[i + 3]);
  }
  /// Scores of `heads` queries become weights relative to their largest scores so far, times the values' factors.
  template <int heads>
  GABLE_FUNCTION void weigh(const State& state, const Block& block, Index first, Index query) const {
    float* const scores = state.scores + query * keys;
    float* const largest = combine.parts.largest + first + query;
    const int end = (block.count * heads + lanes - 1) / lanes * lanes;
    for (int i = block.count * heads; i < end; ++i) scores[i] = lowest;
    const Register before = arranged<heads>([&](int, int h) { return largest[h]; });
    Register best = before;
    for (int i = 0; i < end; i += lanes) {
      Register score = load<lanes>(scores + i);
      if constexpr (std::is_integral_v<C>) {
        score = score * factors<heads>(arrays.k_factor, block, i / heads);
        store<lanes>(scores + i, score);
      }
      best = max(score, best);
    }
    best = over_tokens<heads>(best, [](float x, float y) { return x > y ? x : y; });
    Register total(0.0F);
    for (int i = 0; i < end; i += lanes) {
      Register weight = exp_for<T>(load<lanes>(scores + i) - best);
      total += weight;
      if constexpr (std::is_integral_v<C>) weight = weight * factors<heads>(arrays.v_factor, block, i / heads);
      store<lanes>(scores + i, weight);
    }
    total = over_tokens<heads>(total, [](float x, float y) { return x + y; });
    const Register rescale = exp(before - best);
    for (int h = 0; h < heads; ++h) {
      largest[h] = best[h];
      state.rescale[query + h] = rescale[h];
      float& sum = combine.parts.total[first + query + h];
      sum = sum * rescale[h] + total[h];
    }
  }
  /// of(token, query) in the order of scores.
  template <int heads, class Of>
  static GABLE_FUNCTION Register arranged(const Of& of) {
    float all[lanes];
#pragma GCC unroll 16
    for (int i = 0; i < lanes; ++i) all[i] = of(i / heads, i % heads);
    return load<lanes>(all);
  }
  /// The sum or maximum over the tokens of a register, for all of them.
  template <int heads, class Join>
  static GABLE_FUNCTION Register over_tokens(const Register& x, const Join& join) {
    return arranged<heads>([&](int, int h) {
      float all = x[h];
      for (int i = h + heads; i < lanes; i += heads) all = join(all, x[i]);
      return all;
    });
  }
  /// Factors of the tokens from `token` on; beyond the block 1.
  template <int heads>
  static GABLE_FUNCTION Register factors(const float* all, const Block& block, int token) {
    const float* const first = all + block.token + token;
    const int left = block.count - token;
    if (left * heads >= lanes) return arranged<heads>([&](int t, int) { return first[t]; });
    return arranged<heads>([&](int t, int) { return t < left ? first[t] : 1.0F; });
  }
  template <int heads>
  GABLE_FUNCTION void values(const State& state, const Block& block, Index first, Index query) const {
    const auto* next = reinterpret_cast<const char*>(block.keys + block.count * size.d);
    Index c = 0;
    for (; c + columns <= size.d; c += columns) {
      add_values<heads>(state, block, FullPack<columns>{}, first, query, c, next);
      next += block.count * columns * Index{sizeof(C)};
    }
    if (c < size.d) {
      add_values<heads>(state, block, PartialPack<columns>{static_cast<int>(size.d - c)}, first, query, c, next);
    }
  }
  /// Adds weighted values to the columns from c on, and asks for as many bytes from `next` on as these are.
  template <int heads, class Access>
  GABLE_FUNCTION void add_values(const State& state, const Block& block, const Access& access, Index first, Index query,
                                 Index c, const char* next) const {
    const Index stride = combine.parts.stride;
    float* const sums = combine.parts.sums + (first + query) * stride + c;
    const float* const weights = state.scores + query * keys;
    const C* source = block.values + c;
    Pair total[heads];
#pragma GCC unroll 4
    for (int h = 0; h < heads; ++h) total[h] = load<columns>(sums + h * stride) * state.rescale[query + h];
    for (int i = 0; i < block.count; ++i, source += size.d, next += columns * sizeof(C)) {
      prefetch_read(next);
      Pair value = cached<columns>(access, source);
      keep_in_register(value);  // as in add_products: 7 loads for 8 products, not 13
#pragma GCC unroll 4
      for (int h = 0; h < heads; ++h) total[h] += value * weights[i * heads + h];
    }
#pragma GCC unroll 4
    for (int h = 0; h < heads; ++h) store<columns>(sums + h * stride, total[h]);
  }
};

/// One query of each head against its cached keys and values: o = softmax(q K^T / sqrt(d)) V.
template <class C, class T>
class DecodeAttention {
  using Body = DecodeBody<C, T>;

 public:
  DecodeAttention(const DecodeSize& size, const DecodeArrays<C, T>& arrays)
      : parts_(size, splits_of(size)),
        workspace_(make_workspace<float>("gable::attention::state",
                                         Exec().concurrency() * Body::state_size(size, parts_.parts().stride))),
        body_{size,
              arrays,
              {parts_.parts(), size.rows * size.group, size.d, arrays.o},
              workspace_.data(),
              Exec().concurrency(),
              static_cast<float>(1.0 / std::sqrt(static_cast<double>(size.d)))} {}

  /// Enqueues.
  void run(const Exec& exec) const {
    Kokkos::parallel_for("gable::attention_decode", ThreadPolicy(exec, 0, body_.threads), body_);
    if (body_.combine.parts.splits > 1) body_.combine.run(exec);
  }

 private:
  /// As many as give every thread the same number of items, each of tokens enough to be worth a partial result.
  static Index splits_of(const DecodeSize& size) {
    constexpr Index fewest_tokens = 256;
    const Index threads = Exec().concurrency();
    return std::clamp<Index>(size.tokens / fewest_tokens, 1, threads / std::gcd(size.rows, threads));
  }

  DecodeWorkspace parts_;
  Kokkos::View<float*, Exec::memory_space> workspace_;
  Body body_;
};

}  // namespace gable::device::tile
