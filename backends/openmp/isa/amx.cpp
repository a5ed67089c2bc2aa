// AMX tiles (Sapphire Rapids and later): bf16 into fp32 and int8 into int32. The operating system must have granted the
// tile state to the process (all_tables() in isa.cpp asks for it).
#include <immintrin.h>

#include "backends/openmp/isa/isa_table.hpp"

namespace gable::isa {
namespace {

constexpr int rows = 16;
constexpr int row_bytes = 64;
constexpr int tile_bytes = rows * row_bytes;

/// Palette 1, all eight tiles 16 rows of 64 bytes (Intel SDM vol. 1, table of the tile configuration).
struct alignas(64) Configuration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t bytes_per_row[16] = {row_bytes, row_bytes, row_bytes, row_bytes,
                                     row_bytes, row_bytes, row_bytes, row_bytes};
  std::uint8_t row_count[16] = {rows, rows, rows, rows, rows, rows, rows, rows};
};

/// Tiles 0-3: sums, zero at first. 4, 5: A. 6: B, 7: another B (bf16: the same with its signs turned, so that sums stay
/// bounded). The tile intrinsics are volatile assembly: every one that is written is executed, in this order.
[[gnu::always_inline]] inline void load_tiles(const void* in, std::uint32_t second_b_signs) {
  const Configuration configuration;
  _tile_loadconfig(&configuration);
  const char* bytes = static_cast<const char*>(in);
  alignas(64) std::uint32_t second[tile_bytes / 4];
  for (int i = 0; i < tile_bytes / 4; ++i) {
    std::uint32_t word;
    __builtin_memcpy(&word, bytes + 2 * tile_bytes + 4 * i, 4);
    second[i] = word ^ second_b_signs;
  }
  asm volatile("" : : "r"(second) : "memory");
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_loadd(4, bytes, row_bytes);
  _tile_loadd(5, bytes + tile_bytes, row_bytes);
  _tile_loadd(6, bytes + 2 * tile_bytes, row_bytes);
  _tile_loadd(7, second, row_bytes);
}

/// The four sums' first rows, added as 32-bit words, to the sink.
[[gnu::always_inline]] inline void store_tiles(void* sink) {
  alignas(64) std::uint32_t sums[4][tile_bytes / 4];
  _tile_stored(0, sums[0], row_bytes);
  _tile_stored(1, sums[1], row_bytes);
  _tile_stored(2, sums[2], row_bytes);
  _tile_stored(3, sums[3], row_bytes);
  _tile_release();
  asm volatile("" : : "r"(sums) : "memory");
  for (int i = 0; i < 16; ++i) static_cast<std::uint32_t*>(sink)[i] = sums[0][i] + sums[1][i] + sums[2][i] + sums[3][i];
}

/// 16 x 16 x 32 multiply-adds per instruction, one started every 16 cycles; four sums cover its 52 cycles of latency.
/// Each sum gets a B and its negative in turn.
void bf16_products(std::uint64_t n, const void* in, void* sink) {
  load_tiles(in, 0x80008000U);
  for (; n != 0; --n) {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
    _tile_dpbf16ps(0, 4, 7);
    _tile_dpbf16ps(1, 4, 6);
    _tile_dpbf16ps(2, 5, 7);
    _tile_dpbf16ps(3, 5, 6);
  }
  store_tiles(sink);
}

/// 16 x 16 x 64 multiply-adds per instruction; sums wrap around.
void int8_products(std::uint64_t n, const void* in, void* sink) {
  load_tiles(in, 0x55555555U);
  for (; n != 0; --n) {
    _tile_dpbssd(0, 4, 6);
    _tile_dpbssd(1, 4, 7);
    _tile_dpbssd(2, 5, 6);
    _tile_dpbssd(3, 5, 7);
    _tile_dpbssd(0, 4, 7);
    _tile_dpbssd(1, 4, 6);
    _tile_dpbssd(2, 5, 7);
    _tile_dpbssd(3, 5, 6);
  }
  store_tiles(sink);
}

constexpr ComputeKernel compute[] = {
    {.unit = "matrix",
     .dtype = "bf16",
     .accumulate = "fp32",
     .instruction = "tdpbf16ps",
     .operations = 8.0 * 16 * 16 * 32 * 2,
     .instructions = 8,
     .run = bf16_products},
    {.unit = "matrix",
     .dtype = "int8",
     .accumulate = "int32",
     .instruction = "tdpbssd",
     .operations = 8.0 * 16 * 16 * 64 * 2,
     .instructions = 8,
     .run = int8_products},
};

constexpr IsaTable table{"amx", 8192, compute, {}};

}  // namespace
}  // namespace gable::isa

extern "C" const gable::isa::IsaTable* gable_isa_amx() { return &gable::isa::table; }
