#pragma once
#include <cstdint>
#include <type_traits>

#include "operators/device/isa/pair.hpp"
#include "operators/device/tile/warp/accumulator.hpp"

namespace gable::device::tile::warp {

/// The form of NVIDIA's GPUs: warps of 32 lanes, fragments of ldmatrix and mma.sync (PTX ISA, "Matrix Fragments for
/// mma.m16n8k16", "for mma.m16n8k32", "for mma.m8n8k4" and "for mma.m16n8k4"). fp32, which these units do not have, is
/// multiplied lane by lane.
struct Mma {
  static constexpr int lanes = 32;
  static constexpr int row_bytes = 64;           ///< of a panel along the depth
  static constexpr int scratch_alignment = 128;  ///< of panels, so that their layout meets the banks as it means to
  /// Columns of C of a product's block, and how long its ring may be: two stages ahead are 1000 cycles of an H100 in
  /// bf16.
  static constexpr int product_columns = 128;
  template <class T>
  static constexpr int least_stages = 2;
  template <class T>
  static constexpr int most_stages = 3;
  static constexpr bool attention_has_one_stage = false;
  /// Stages whose multiplication may still be under way when the next one's begins.
  static constexpr int behind = 0;
  template <class T>
  static constexpr int product_warp_rows = 64;  ///< of C in the registers of a warp
  /// Warps that make a product's block of 128 x 128: fp32 takes few, with large tiles: every lane loads its own
  /// factors.
  template <class T>
  static constexpr int product_warps = std::is_same_v<T, float> ? 4 : 8;
  /// Two thread blocks a multiprocessor where the accumulators, and what an epilogue needs beside them, leave the
  /// registers for it.
  template <class T, bool needs_registers>
  static constexpr int product_blocks = sizeof(T) == 8 || needs_registers ? 1 : 2;
  /// Of decode attention by plain fma: 168 registers for each, of which it needs more than the 128 of four blocks.
  static constexpr int decode_blocks = 3;
  /// Whether decode attention multiplies types of two bytes and int8 on the matrix unit: what it copies to scratch
  /// passes no registers.
  static constexpr bool decodes_by_matrix = true;
  /// Depth of one step: of one mma.sync, or of one 16-byte load of each row.
  template <class T>
  static constexpr int step_depth = sizeof(T) <= 2 ? 32 / static_cast<int>(sizeof(T)) : 4;
  template <class Machine, class T>
  static constexpr int steps_at_once = 1;
  /// Whether a product's panels are GappedDepth: a lane of fp32 loads all its factors of one k as neighbours.
  template <class T>
  static constexpr bool product_is_gapped = std::is_same_v<T, float>;

  /// Those that read at once along the depth: eight neighbouring rows (ldmatrix), rows four apart (fp32, whose threads
  /// hold four neighbouring columns), or four rows by 32 bytes (fp64).
  template <class T>
  GABLE_FUNCTION static constexpr int place_along(int row, int segment) {
    if constexpr (sizeof(T) == 8) return segment ^ 2 * (row >> 1 & 1);
    if constexpr (sizeof(T) == 4) return segment ^ (row >> 2 & 3);
    return segment ^ (row >> 1 & 3);
  }
  template <class T>
  GABLE_FUNCTION static constexpr int place_across(int k, int segment) {
    if constexpr (sizeof(T) == 8) return segment ^ 2 * ((k ^ k >> 2) & 3);
    if constexpr (sizeof(T) == 4) return segment;
    return segment ^ (k & 7);
  }

  /// Which elements of a tile a lane holds.
  template <class T>
  struct Held {
    static constexpr int across = std::is_same_v<T, float> ? 8 : 4;  ///< lanes that share a row
    static constexpr int apart = 1;                                  ///< from each of them to the next
    static constexpr int packed = std::is_same_v<T, float> ? 4 : 2;
    static constexpr int down = lanes / across;
    static constexpr int stride = across * packed;

    GABLE_FUNCTION static constexpr int row(int lane, int slot) {
      // fp32: four neighbours, which a lane loads at once from a panel across the depth
      if constexpr (std::is_same_v<T, float>) return 16 * (slot / 4) + 4 * (lane / across) + slot % 4;
      return down * slot + lane / across;
    }
    GABLE_FUNCTION static constexpr int column(int lane, int pack) { return stride * pack + packed * (lane % across); }
  };
};

/// The row of eight elements whose address a lane gives to a load of four 8 x 8 matrices of 2-byte elements (PTX ISA,
/// "ldmatrix": lanes 8i to 8i + 7 those of matrix i), relative to the fragment's first element.
struct MatrixRow {
  int outer, inner;  ///< as the panel's at()
};
/// Left operand, 16 rows by depth 16: rows 0-7 and 8-15 of the first eight k, then of the others.
GABLE_FUNCTION constexpr MatrixRow left_matrix_row(int lane) { return {lane % 16, 8 * (lane / 16)}; }
/// The same from a panel across the depth, transposed while loading.
GABLE_FUNCTION constexpr MatrixRow left_across_row(int lane) {
  return {8 * (lane / 8 % 2), lane % 8 + 8 * (lane / 16)};
}
/// Right operand along the depth, 16 columns by depth 16: both halves of the depth for columns 0-7, then for 8-15.
GABLE_FUNCTION constexpr MatrixRow right_along_row(int lane) {
  return {lane % 8 + 8 * (lane / 16), 8 * (lane / 8 % 2)};
}
/// Right operand across the depth, transposed while loading: the same matrices.
GABLE_FUNCTION constexpr MatrixRow right_across_row(int lane) { return {lane % 16, 8 * (lane / 16)}; }

/// How the depth is numbered. The order of a sum's terms is free: fp64 takes the weights of attention as they lie in an
/// accumulator, two neighbours a lane, and the right operand in the same order.
enum class Order { natural, paired };

/// Fragment of the left operand: rows by one step of depth.
template <class T, int rows>
struct Left {
  static constexpr int slots = rows / Mma::Held<T>::down;
  float value[slots][4];  // fp32: all four k of the step, for each of the lane's rows
};
template <int rows>
struct Left<double, rows> {
  static constexpr int slots = rows / 8;
  double value[slots];
};
template <int rows>
struct LeftWords {
  static constexpr int slots = rows / 16;
  std::uint32_t value[slots][4];
};
template <int rows>
struct Left<Fp16, rows> : LeftWords<rows> {};
template <int rows>
struct Left<Bf16, rows> : LeftWords<rows> {};
template <int rows>
struct Left<std::int8_t, rows> : LeftWords<rows> {};

/// Elements of T in place of two bytes: an int8 fragment is, byte by byte, one of a 2-byte type and half the depth.
template <class T>
inline constexpr int per_half = 2 / static_cast<int>(sizeof(T));

/// From rows [row, row + rows) of a panel along the depth, at depth k.
template <class Machine, int rows, class T>
GABLE_FUNCTION Left<T, rows> load_left(const T* panel, int row, int k) {
  const int lane = Machine::lane();
  Left<T, rows> left;
#pragma unroll
  for (int s = 0; s < left.slots; ++s) {
    if constexpr (sizeof(T) <= 2) {
      const MatrixRow from = left_matrix_row(lane);
      Machine::load_matrices(left.value[s],
                             panel + AlongDepth<Mma, T>::at(row + 16 * s + from.outer, k + from.inner * per_half<T>));
    } else if constexpr (sizeof(T) == 8) {
      left.value[s] = panel[AlongDepth<Mma, T>::at(row + 8 * s + lane / 4, k + lane % 4)];
    } else {
      Machine::load_four(left.value[s], panel + AlongDepth<Mma, T>::at(row + Mma::Held<T>::row(lane, s), k));
    }
  }
  return left;
}

/// The same of a panel across the depth; not of fp32.
template <class Machine, int rows, class T, int width>
GABLE_FUNCTION Left<T, rows> load_left(const LeftAcross<Mma, T, width>& panel, int row, int k) {
  const int lane = Machine::lane();
  Left<T, rows> left;
#pragma unroll
  for (int s = 0; s < left.slots; ++s) {
    if constexpr (sizeof(T) == 2) {
      const MatrixRow from = left_across_row(lane);
      Machine::load_matrices_transposed(left.value[s], panel.at(row + 16 * s + from.outer, k + from.inner));
    } else {
      left.value[s] = *panel.at(row + 8 * s + lane / 4, k + lane % 4);
    }
  }
  return left;
}

/// From an accumulator whose columns are the depth: step `step` of them, rounded to storage type.
template <class Machine, class Form, class T, int rows, int columns>
GABLE_FUNCTION Left<T, rows> left_of(const Accumulator<Form, T, rows, columns>& from, int step) {
  Left<T, rows> left;
#pragma unroll
  for (int s = 0; s < left.slots; ++s) {
    if constexpr (sizeof(T) == 2) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const auto& pack = from.value[2 * s + i % 2][2 * step + i / 2];
        left.value[s][i] = narrow_pair<T>(pack[0], pack[1]);
      }
    } else if constexpr (sizeof(T) == 8) {
      left.value[s] = from.value[s][step / 2][step % 2];  // Order::paired
    } else {
      const int holder = Machine::lane() / 8 * 8 + step % 8;
#pragma unroll
      for (int i = 0; i < 4; ++i) left.value[s][i] = Machine::from_lane(from.value[s][step / 8][i], holder);
    }
  }
  return left;
}

/// fp32, lane by lane: the columns of the lane are [own, own + 4), and again every 32.
template <class Machine, int rows, int columns>
GABLE_FUNCTION void add_product(Accumulator<Mma, float, rows, columns>& tile, const Left<float, rows>& left,
                                const float (&factors)[Accumulator<Mma, float, rows, columns>::packs][4], int i) {
#pragma unroll
  for (int s = 0; s < tile.slots; ++s) {
#pragma unroll
    for (int p = 0; p < tile.packs; ++p) {
#pragma unroll
      for (int c = 0; c < 4; ++c)
        tile.value[s][p][c] = Machine::fma(left.value[s][i], factors[p][c], tile.value[s][p][c]);
    }
  }
}
template <class Machine, int rows, int columns, int width>
GABLE_FUNCTION void multiply_lanes(Accumulator<Mma, float, rows, columns>& tile, const Left<float, rows>& left,
                                   const RightAcross<Mma, float, width>& right, int k, int own) {
  using Tile = Accumulator<Mma, float, rows, columns>;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float factors[Tile::packs][4];
#pragma unroll
    for (int p = 0; p < Tile::packs; ++p) Machine::load_four(factors[p], right.at(k + i, own + 32 * p));
    add_product<Machine>(tile, left, factors, i);
  }
}
template <class Machine, int rows, int columns>
GABLE_FUNCTION void multiply_lanes(Accumulator<Mma, float, rows, columns>& tile, const Left<float, rows>& left,
                                   const RightAlong<Mma, float>& right, int k, int own) {
  using Tile = Accumulator<Mma, float, rows, columns>;
  float along[Tile::packs][4][4];  // [pack][column][k]
#pragma unroll
  for (int p = 0; p < Tile::packs; ++p) {
#pragma unroll
    for (int c = 0; c < 4; ++c) Machine::load_four(along[p][c], right.at(k, own + 32 * p + c));
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float factors[Tile::packs][4];
#pragma unroll
    for (int p = 0; p < Tile::packs; ++p) {
#pragma unroll
      for (int c = 0; c < 4; ++c) factors[p][c] = along[p][c][i];
    }
    add_product<Machine>(tile, left, factors, i);
  }
}

/// tile += left x right over one step of depth, from depth k and columns [column, column + columns) of the right.
template <class Machine, Order order = Order::natural, class T, int rows, int columns, class Right>
GABLE_FUNCTION void multiply_step(Accumulator<Mma, T, rows, columns>& tile, const Left<T, rows>& left,
                                  const Right& right, int k, int column) {
  using Tile = Accumulator<Mma, T, rows, columns>;
  const int lane = Machine::lane();
  if constexpr (sizeof(T) <= 2) {
#pragma unroll
    for (int p = 0; p < Tile::packs; p += 2) {
      std::uint32_t words[4];
      if constexpr (std::is_same_v<Right, RightAlong<Mma, T>>) {
        const MatrixRow from = right_along_row(lane);
        Machine::load_matrices(words, right.at(k + from.inner * per_half<T>, column + 8 * p + from.outer));
      } else {
        const MatrixRow from = right_across_row(lane);
        Machine::load_matrices_transposed(words, right.at(k + from.outer, column + 8 * p + from.inner));
      }
#pragma unroll
      for (int s = 0; s < left.slots; ++s) {
        Machine::template mma<T>(tile.value[2 * s][p], tile.value[2 * s + 1][p], left.value[s], words[0], words[1]);
        Machine::template mma<T>(tile.value[2 * s][p + 1], tile.value[2 * s + 1][p + 1], left.value[s], words[2],
                                 words[3]);
      }
    }
  } else if constexpr (sizeof(T) == 8) {
    const int own = order == Order::natural ? k + lane % 4 : k / 8 * 8 + 2 * (lane % 4) + k / 4 % 2;
#pragma unroll
    for (int p = 0; p < Tile::packs; ++p) {
      const double factor = *right.at(own, column + 8 * p + lane / 4);
#pragma unroll
      for (int s = 0; s + 1 < Tile::slots; s += 2)
        Machine::mma(tile.value[s][p], tile.value[s + 1][p], left.value[s], left.value[s + 1], factor);
      if constexpr (Tile::slots % 2 == 1)
        Machine::mma(tile.value[Tile::slots - 1][p], left.value[Tile::slots - 1], factor);
    }
  } else {
    multiply_lanes<Machine>(tile, left, right, k, column + Mma::Held<T>::column(lane, 0));
  }
}

/// tile += left x right, int8 that becomes fp16. Along the depth, over 32 of it from k on, `left` a panel of them: a
/// word of a lane is four neighbours of the depth, of which a step has two in its first half and two in the last. So
/// must the panel.
template <class Machine, int rows, int columns>
GABLE_FUNCTION void multiply_bytes(Accumulator<Mma, Fp16, rows, columns>& tile, const Fp16* left,
                                   const RightAlong<Mma, std::int8_t>& right, int k) {
  const MatrixRow from = right_along_row(Machine::lane());
  const Left<Fp16, rows> steps[2] = {load_left<Machine, rows>(left, 0, 0), load_left<Machine, rows>(left, 0, 16)};
#pragma unroll
  for (int p = 0; p < tile.packs; p += 2) {
    std::uint32_t words[4];
    Machine::load_matrices(words, right.at(k + 2 * from.inner, 8 * p + from.outer));
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t first = Machine::template pair_of_bytes<0, 1>(words[i]);
      const std::uint32_t last = Machine::template pair_of_bytes<2, 3>(words[i]);
#pragma unroll
      for (int s = 0; s < steps[0].slots; ++s) {
        Machine::template mma<Fp16>(tile.value[2 * s][p + i / 2], tile.value[2 * s + 1][p + i / 2],
                                    steps[i % 2].value[s], first, last);
      }
    }
  }
}
/// Across it, over one step from k on: of 16 columns, the tile's first eight are the even ones.
template <class Machine, int rows, int columns, int width>
GABLE_FUNCTION void multiply_bytes(Accumulator<Mma, Fp16, rows, columns>& tile, const Left<Fp16, rows>& left,
                                   const RightAcross<Mma, std::int8_t, width>& right, int k) {
  const MatrixRow from = right_across_row(Machine::lane());
#pragma unroll
  for (int p = 0; p < tile.packs; p += 4) {
    std::uint32_t words[4];
    Machine::load_matrices_transposed(words, right.at(k + from.outer, 8 * p + 2 * from.inner));
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
#pragma unroll
      for (int s = 0; s < left.slots; ++s) {
        Machine::template mma<Fp16>(tile.value[2 * s][p + i], tile.value[2 * s + 1][p + i], left.value[s],
                                    Machine::template pair_of_bytes<0, 2>(words[i]),
                                    Machine::template pair_of_bytes<0, 2>(words[i + 1]));
        Machine::template mma<Fp16>(tile.value[2 * s][p + i + 1], tile.value[2 * s + 1][p + i + 1], left.value[s],
                                    Machine::template pair_of_bytes<1, 3>(words[i]),
                                    Machine::template pair_of_bytes<1, 3>(words[i + 1]));
      }
    }
  }
}

/// tile += left x right over a panel's depth: rows [row, row + rows) of the left panel, columns from `column` on.
template <class Machine, class T, int rows, int columns, class LeftPanel, class Right>
GABLE_FUNCTION void multiply(Accumulator<Mma, T, rows, columns>& tile, const LeftPanel& left, int row,
                             const Right& right, int column) {
#pragma unroll
  for (int k = 0; k < AlongDepth<Mma, T>::depth; k += Mma::step_depth<T>) {
    multiply_step<Machine>(tile, load_left<Machine, rows>(left, row, k), right, k, column);
  }
}

/// fp32. A lane goes there and back over its columns: registers are read from two banks, one each a cycle, of which a
/// product needs three, unless it takes the factor that the one before has read.
template <class Machine, int rows, int columns, int height, int width>
GABLE_FUNCTION void multiply(Accumulator<Mma, float, rows, columns>& tile, GappedPanel<float, height> left, int row,
                             GappedPanel<float, width> right, int column) {
  using Tile = Accumulator<Mma, float, rows, columns>;
  const float* from_left = left.at(0, row + Tile::Held::row(Machine::lane(), 0));
  const float* from_right = right.at(0, column + Tile::Held::column(Machine::lane(), 0));
#pragma unroll
  for (int k = 0; k < AlongDepth<Mma, float>::depth; ++k) {
    float factors[Tile::slots / 4][4], others[Tile::packs][4];
#pragma unroll
    for (int s = 0; s < Tile::slots / 4; ++s)
      Machine::load_four(factors[s], from_left + GappedDepth<float, height>::at(k, Tile::Held::row(0, 4 * s)));
#pragma unroll
    for (int p = 0; p < Tile::packs; ++p)
      Machine::load_four(others[p], from_right + GappedDepth<float, width>::at(k, Tile::Held::column(0, p)));
#pragma unroll
    for (int s = 0; s < Tile::slots; ++s) {
#pragma unroll
      for (int i = 0; i < 4 * Tile::packs; ++i) {
        const int c = s % 2 == 0 ? i : 4 * Tile::packs - 1 - i;
        float& sum = tile.value[s][c / 4][c % 4];
        sum = Machine::fma(factors[s / 4][s % 4], others[c / 4][c % 4], sum);
      }
    }
  }
}

/// After it the tile is there: no multiplication is under way.
template <class Machine, class T, int rows, int columns>
GABLE_FUNCTION void finish(Accumulator<Mma, T, rows, columns>&) {}

/// tile += left x right over one step of depth: the left operand is step `step` of the columns of `from`, rounded to
/// storage type; of the right one it is step `right_step`.
template <class Machine, class T, int rows, int columns, int depth, class Right>
GABLE_FUNCTION void multiply_held(Accumulator<Mma, T, rows, columns>& tile,
                                  const Accumulator<Mma, T, rows, depth>& from, int step, const Right& right,
                                  int right_step) {
  const auto left = left_of<Machine>(from, step);
  multiply_step<Machine, Order::paired>(tile, left, right, right_step * Mma::step_depth<T>, 0);
}

}  // namespace gable::device::tile::warp
