#include <algorithm>
#include <bitset>

#include "backends/hip/kernels/lane_map.hpp"
#include "tests/unit/tile/emulated_block.hpp"

/// Matrix units and asynchronous copies of the emulated machine.
namespace gable::device::tile::test {
namespace {

/// Addresses of 16 bytes that eight neighbouring lanes read or write at once: whether two of them share banks.
void count_conflicts(const std::vector<Words>& rows, long& phases, long& conflicts) {
  for (std::size_t first = 0; first < rows.size(); first += 8) {
    std::bitset<8> taken;
    for (std::size_t i = 0; i < 8; ++i) taken.set(rows[first + i].word[0] / 16 % 8);
    ++phases;
    if (!taken.all()) ++conflicts;
  }
}
void count_load_conflicts(const std::vector<Words>& rows) {
  count_conflicts(rows, block->report.matrix_loads, block->report.conflicts);
}

}  // namespace

void EmulatedMma::count_copy(const void* to) {
  Words given;
  given.word[0] = reinterpret_cast<std::uintptr_t>(to);
  in_warp("cp.async", given, [](const std::vector<Words>& lanes, auto&) {
    count_conflicts(lanes, block->report.copies, block->report.copy_conflicts);
  });
}

void EmulatedMma::begin_copy(void* to, const void* from, int width, int bytes) {
  check_copy(to, from, width, bytes);
  if (block->is_read(static_cast<std::byte*>(to))) throw std::logic_error("a copy to where a product under way reads");
  block->thread().open.push_back({static_cast<std::byte*>(to), static_cast<const std::byte*>(from), width, bytes});
}

void EmulatedMma::commit() {
  block->thread().groups.push_back(std::move(block->thread().open));
  block->thread().open.clear();
}

void EmulatedMma::wait_for(int groups) {
  auto& list = block->thread().groups;
  while (static_cast<int>(list.size()) > groups) {
    for (const Copy& copy : list.front()) {
      std::memset(copy.to, 0, static_cast<std::size_t>(copy.width));
      std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.bytes));
    }
    list.pop_front();
  }
}

void EmulatedMma::matrices(std::uint32_t (&words)[4], const void* row, bool transposed) {
  check_scratch(row, 16);
  Words given;
  given.word[0] = reinterpret_cast<std::uintptr_t>(row);
  const auto execute = [transposed](const std::vector<Words>& rows, std::vector<Words>& got) {
    count_load_conflicts(rows);
    const auto element = [&rows](std::size_t matrix, std::size_t r, std::size_t column) {
      std::uint16_t bits = 0;
      std::memcpy(&bits, reinterpret_cast<const std::byte*>(rows[8 * matrix + r].word[0]) + 2 * column, 2);
      return static_cast<std::uint32_t>(bits);
    };
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t matrix = 0; matrix < 4; ++matrix) {
        const std::size_t r = lane / 4, column = 2 * (lane % 4);
        got[lane].word[matrix] = transposed ? element(matrix, column, r) | element(matrix, column + 1, r) << 16
                                            : element(matrix, r, column) | element(matrix, r, column + 1) << 16;
      }
    }
  };
  const Words got = in_warp(transposed ? "ldmatrix.trans" : "ldmatrix", given, execute);
  for (std::size_t i = 0; i < 4; ++i) words[i] = static_cast<std::uint32_t>(got.word[i]);
}

void EmulatedMma::load_four(float (&values)[4], const float* from) {
  check_scratch(from, sizeof values);
  std::memcpy(values, from, sizeof values);
}

void EmulatedMma::mma_16(float (&sums)[4], const std::uint32_t (&left)[4], const std::uint32_t (&right)[2],
                         float (*value)(std::uint16_t)) {
  Words given;  // 0-1: sums, 2-3: left, 4: right
  for (std::size_t i = 0; i < 4; ++i) given.word[i / 2] |= bits_of(sums[i]) << 32 * (i % 2);
  for (std::size_t i = 0; i < 4; ++i) given.word[2 + i / 2] |= std::uint64_t{left[i]} << 32 * (i % 2);
  for (std::size_t i = 0; i < 2; ++i) given.word[4] |= std::uint64_t{right[i]} << 32 * i;
  const auto execute = [value](const std::vector<Words>& lanes, std::vector<Words>& got) {
    const auto half = [&](const Words& words, std::size_t first, std::size_t i) {
      return value(static_cast<std::uint16_t>(words.word[first + i / 4] >> 16 * (i % 4)));
    };
    float a[16][16], b[16][8], c[16][8];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      const std::size_t group = lane >> 2, in_group = lane % 4;
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t row = i < 2 || (4 <= i && i < 6) ? group : group + 8;
        const std::size_t column = i < 4 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8;
        a[row][column] = half(lanes[lane], 2, i);
      }
      for (std::size_t i = 0; i < 4; ++i) {
        b[i < 2 ? in_group * 2 + (i & 1) : in_group * 2 + (i & 1) + 8][group] = half(lanes[lane], 4, i);
      }
      for (std::size_t i = 0; i < 4; ++i) {
        c[i < 2 ? group : group + 8][in_group * 2 + (i & 1)] = as_float(lanes[lane].word[i / 2] >> 32 * (i % 2));
      }
    }
    for (std::size_t lane = 0; lane < 32; ++lane) {
      got[lane] = {};
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t row = (i < 2 ? 0U : 8U) + (lane >> 2), column = lane % 4 * 2 + (i & 1);
        float sum = c[row][column];
        for (std::size_t k = 0; k < 16; ++k) sum += a[row][k] * b[k][column];
        got[lane].word[i / 2] |= bits_of(sum) << 32 * (i % 2);
      }
    }
  };
  const Words got = in_warp("mma.m16n8k16", given, execute);
  for (std::size_t i = 0; i < 4; ++i) sums[i] = as_float(got.word[i / 2] >> 32 * (i % 2));
}

void EmulatedMma::mma(double (&sums)[2], double left, double right) {
  Words given;
  given.word = {bits_of(sums[0]), bits_of(sums[1]), bits_of(left), bits_of(right)};
  const auto execute = [](const std::vector<Words>& lanes, std::vector<Words>& got) {
    double a[8][4], b[4][8];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      a[lane >> 2][lane % 4] = as_double(lanes[lane].word[2]);
      b[lane % 4][lane >> 2] = as_double(lanes[lane].word[3]);
    }
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 2; ++i) {
        double sum = as_double(lanes[lane].word[i]);
        for (std::size_t k = 0; k < 4; ++k) sum += a[lane >> 2][k] * b[k][lane % 4 * 2 + i];
        got[lane].word[i] = bits_of(sum);
      }
    }
  };
  const Words got = in_warp("mma.m8n8k4", given, execute);
  for (std::size_t i = 0; i < 2; ++i) sums[i] = as_double(got.word[i]);
}

/// "Matrix Fragments for mma.m16n8k4 with .f64": rows of A and C are groupID and groupID + 8.
void EmulatedMma::mma(double (&upper)[2], double (&lower)[2], double left_upper, double left_lower, double right) {
  Words given;
  given.word = {bits_of(upper[0]),   bits_of(upper[1]),   bits_of(lower[0]), bits_of(lower[1]),
                bits_of(left_upper), bits_of(left_lower), bits_of(right)};
  const auto execute = [](const std::vector<Words>& lanes, std::vector<Words>& got) {
    double a[16][4], b[4][8];
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 2; ++i) a[(lane >> 2) + 8 * i][lane % 4] = as_double(lanes[lane].word[4 + i]);
      b[lane % 4][lane >> 2] = as_double(lanes[lane].word[6]);
    }
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t row = (i < 2 ? 0U : 8U) + (lane >> 2);
        double sum = as_double(lanes[lane].word[i]);
        for (std::size_t k = 0; k < 4; ++k) sum += a[row][k] * b[k][lane % 4 * 2 + (i & 1)];
        got[lane].word[i] = bits_of(sum);
      }
    }
  };
  const Words got = in_warp("mma.m16n8k4", given, execute);
  for (std::size_t i = 0; i < 2; ++i) {
    upper[i] = as_double(got.word[i]);
    lower[i] = as_double(got.word[2 + i]);
  }
}

void EmulatedMfma::count_load(const void* from) {
  Words given;
  given.word[0] = reinterpret_cast<std::uintptr_t>(from);
  in_warp("ds_read_b128", given, [](const std::vector<Words>& lanes, auto&) { count_load_conflicts(lanes); });
}

void EmulatedMfma::multiply(double (&sums)[4], const double (&a)[4], const double (&b)[4], int depth, bool is_fp64) {
  Words given;
  for (std::size_t i = 0; i < 4; ++i) {
    given.word[i] = bits_of(sums[i]);
    given.word[4 + i] = bits_of(a[i]);
    given.word[8 + i] = bits_of(b[i]);
  }
  const auto execute = [depth = static_cast<std::size_t>(depth), is_fp64](const std::vector<Words>& lanes,
                                                                          std::vector<Words>& got) {
    double left[16][16], right[16][16];
    for (std::size_t lane = 0; lane < 64; ++lane) {
      for (std::size_t i = 0; i < depth; ++i) {
        const auto k = static_cast<std::size_t>(
            gpu::operand_k(static_cast<int>(lane), static_cast<int>(i), 16, 4, static_cast<int>(depth)));
        left[lane % 16][k] = as_double(lanes[lane].word[4 + i]);
        right[k][lane % 16] = as_double(lanes[lane].word[8 + i]);
      }
    }
    for (std::size_t lane = 0; lane < 64; ++lane) {
      for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t row = is_fp64 ? 4 * i + lane / 16 : 4 * (lane / 16) + i, column = lane % 16;
        double sum = as_double(lanes[lane].word[i]);
        for (std::size_t k = 0; k < 4 * depth; ++k) sum += left[row][k] * right[k][column];
        got[lane].word[i] = bits_of(sum);
      }
    }
  };
  const Words got = in_warp("v_mfma", given, execute);
  for (std::size_t i = 0; i < 4; ++i) sums[i] = as_double(got.word[i]);
}

void EmulatedWmma::multiply(WaveProduct& product) {
  Words given;
  given.word[0] = reinterpret_cast<std::uintptr_t>(&product);
  in_warp("v_wmma", given, [](const std::vector<Words>& words, auto&) {
    std::vector<WaveProduct*> lanes;
    for (const Words& of : words) lanes.push_back(reinterpret_cast<WaveProduct*>(of.word[0]));
    for (std::size_t lane = 0; lane < 16; ++lane) {
      if (!std::ranges::equal(lanes[lane]->a, lanes[lane + 16]->a) ||
          !std::ranges::equal(lanes[lane]->b, lanes[lane + 16]->b)) {
        throw std::logic_error("operands of both halves of a wave differ");
      }
    }
    for (std::size_t lane = 0; lane < 32; ++lane) {
      for (std::size_t i = 0; i < 8; ++i) {
        const std::size_t row = 2 * i + lane / 16, column = lane % 16;
        for (std::size_t k = 0; k < 16; ++k) lanes[lane]->sums[i] += lanes[row]->a[k] * lanes[column]->b[k];
      }
    }
  });
}

}  // namespace gable::device::tile::test
