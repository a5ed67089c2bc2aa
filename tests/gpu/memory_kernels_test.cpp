// What the kernels of the memory ceilings and of the launches do: a ceiling that reads or writes something else
// measures something else.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "backends/gpu/buffer.hpp"
#include "backends/gpu/captured_graph.hpp"
#include "backends/gpu/ceilings/measurements.hpp"
#include "backends/gpu/kernels/kernels.hpp"
#include "backends/gpu/operands.hpp"
#include "tests/gpu/usable_device.hpp"

namespace gable::gpu::test {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::size_t grain_words = stream_grain / sizeof(std::uint32_t);
constexpr std::size_t access_words = 4;  // 16 bytes
constexpr std::uint64_t seed = 0x5eed;

class MemoryKernel : public NeedsDevice<> {
 protected:
  void SetUp() override {
    NeedsDevice::SetUp();
    if (IsSkipped()) return;
    stamp_ = on_device(Words(sizeof(ClockStamp) / sizeof(std::uint32_t)));
  }

  template <class T>
  static Buffer on_device(const std::vector<T>& values) {
    Buffer buffer(values.size() * sizeof(T));
    copy_async(buffer.as<void>(), values.data(), buffer.size_bytes(), Copy::to_device, {});
    synchronize();
    return buffer;
  }

  template <class T>
  static std::vector<T> on_host(const Buffer& buffer) {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    synchronize();
    copy_async(values.data(), buffer.as<void>(), buffer.size_bytes(), Copy::to_host, {});
    synchronize();
    return values;
  }

  ClockStamp* stamp() const { return stamp_.as<ClockStamp>(); }

  /// The kernels' first thread adds how long it lived.
  void expect_stamped() const { EXPECT_GT(on_host<std::uint64_t>(stamp_).front(), 0U); }

 private:
  Buffer stamp_;
};

/// Words without a pattern.
Words random_words(std::size_t count, std::uint64_t start) {
  Words words(count);
  std::uint64_t state = start;
  for (auto& word : words) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    word = static_cast<std::uint32_t>(state >> 32);
  }
  return words;
}

/// Element i of what enqueue_fill() writes: splitmix64 (Steele, Lea and Flood, OOPSLA 2014) as a double from 0.5 on.
double filled(std::uint64_t i) {
  std::uint64_t x = seed + (i + 1) * 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return 0.5 + static_cast<double>(x >> 11) * 0x1p-53;
}

TEST_F(MemoryKernel, FillWritesRandomDoubles) {
  constexpr std::size_t count = 1003;
  const auto data = on_device(std::vector<double>(count + 1, -1.0));
  enqueue_fill(data.as<void>(), count * sizeof(double), seed, {});
  const auto found = on_host<double>(data);
  for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(found[i], filled(i)) << i;
  EXPECT_EQ(found[count], -1.0);
}

constexpr std::size_t tile_accesses = stream_threads * stream_unroll;

/// The line, of a power of two of them, that a block's access i at random takes.
std::uint32_t line_of(std::size_t i, std::size_t block, std::size_t lines) {
  const auto below = static_cast<std::uint32_t>(lines);
  auto line = static_cast<std::uint32_t>(i ^ (block * 0x9e3779b9U % tile_accesses));
  line = line * 747796405U % below;
  line = (line ^ line / 512) * 0x9e3779b9U % below;
  return line ^ line / 2048;
}

/// Of so many tiles each block's accesses take every line once, and lanes side by side not those of the same kilobyte.
TEST(LinesAtRandom, AreEachTakenOnceAPassAndFarApart) {
  for (const std::size_t tiles : {1, 4, 64, 512}) {
    const std::size_t lines = tiles * tile_accesses;
    for (const std::size_t block : {0, 1, 77, 1055}) {
      std::vector<int> taken(lines);
      std::size_t near = 0;
      for (std::size_t i = 0; i < lines; ++i) {
        const auto line = line_of(i, block, lines);
        ++taken[line];
        near += line / 16 == line_of(i ^ 1, block, lines) / 16 ? 1 : 0;
      }
      EXPECT_EQ(std::ranges::count(taken, 1), std::ssize(taken)) << tiles << " tiles, block " << block;
      EXPECT_LE(near, lines / 50) << tiles << " tiles, block " << block;
    }
  }
}

/// xor of the words that a thread reads in tiles `block`, `block` + `blocks` … of `taken` tiles that are dealt in turn.
std::uint32_t sum_of_thread(const Words& words, Access access, std::size_t thread, std::size_t block,
                            std::size_t blocks, std::size_t taken) {
  const std::size_t distance = access == Access::random ? 16 : access_words;
  const std::size_t accesses = words.size() / distance;
  std::uint32_t sum = 0;
  for (std::size_t tile = block; tile < taken; tile += blocks) {
    for (std::size_t u = 0; u < stream_unroll; ++u) {
      const std::size_t i = (tile * tile_accesses + u * stream_threads + thread) % accesses;
      const std::size_t at = (access == Access::random ? line_of(i, block, accesses) : i) * distance;
      for (std::size_t k = 0; k < access_words; ++k) sum ^= words[at + k];
    }
  }
  return sum;
}

/// A thread that finds the sum of all that it read in the sink inverts the sink: each thread's sum is tried.
void expect_read(Access access, std::size_t tiles, std::size_t blocks, const Words& words, const Buffer& data,
                 ClockStamp* stamp) {
  constexpr std::size_t passes = 3;
  for (std::size_t block = 0; block < blocks; ++block) {
    for (const std::size_t thread : {std::size_t{0}, std::size_t{77}, std::size_t{stream_threads - 1}}) {
      const Words sum{sum_of_thread(words, access, thread, block, blocks, tiles * passes)};
      const Buffer sink(sizeof sum.front());
      copy_async(sink.as<void>(), sum.data(), sink.size_bytes(), Copy::to_device, {});
      StreamArrays arrays{data.as<void>(), nullptr, nullptr, data.size_bytes(), sink.as<std::uint32_t>(), stamp};
      enqueue_stream(access, arrays, static_cast<int>(blocks), passes, {});
      std::uint32_t found = 0;
      synchronize();
      copy_async(&found, sink.as<void>(), sizeof found, Copy::to_host, {});
      synchronize();
      EXPECT_EQ(found, ~sum.front()) << to_string(access) << ", block " << block << ", thread " << thread;
    }
  }
}

/// A block has some of the tiles at random: of all of them, other factors would give the same sums to other threads.
TEST_F(MemoryKernel, ReadTakesEveryTileOnceAPass) {
  const auto words = random_words(5 * grain_words, 1),
             lines = random_words(4 * random_grain / sizeof(std::uint32_t), 6);
  const auto data = on_device(words), data_of_lines = on_device(lines);
  expect_read(Access::read, 5, 3, words, data, stamp());
  expect_read(Access::random, 4, 5, lines, data_of_lines, stamp());
  EXPECT_EQ(on_host<std::uint32_t>(data), words);
  expect_stamped();
}

/// What a thread writes in its tile number `round` of a launch; `block` counts through the grid's rows.
Words written(std::size_t block, std::size_t thread, std::size_t round) {
  auto word = static_cast<std::uint32_t>(0x5eedU + (block * stream_threads + thread) * 0x9e3779b9U);
  for (std::size_t i = 0; i <= round; ++i) word = word * 1664525U + 1013904223U;
  return {word, word ^ 0x85ebca6bU, ~word, word ^ 0xc2b2ae35U};
}

/// Access number i of what was written.
Words access_of(const Words& found, std::size_t i) {
  const auto* const first = found.data() + i * access_words;
  return {first, first + access_words};
}

/// Every tile is written by the block it is dealt to; what lies behind the array stays.
void expect_written(const Words& found, std::size_t tiles, std::size_t blocks, std::size_t passes) {
  for (std::size_t i = 0; i < tiles * grain_words / access_words; ++i) {
    const std::size_t tile = i * access_words / grain_words;
    const std::size_t dealt = tile + (passes - 1) * tiles;  // the last pass
    ASSERT_EQ(access_of(found, i), written(dealt % blocks, i % stream_threads, dealt / blocks)) << "access " << i;
  }
  EXPECT_EQ(found[tiles * grain_words], 17U);
}

TEST_F(MemoryKernel, WriteReachesEveryWord) {
  constexpr std::size_t tiles = 5;
  for (const auto& [blocks, passes] : {std::pair<std::size_t, std::size_t>{3, 1}, {8, 1}, {1, 2}}) {
    Words words(tiles * grain_words + 1, 17U);
    const auto data = on_device(words);
    StreamArrays arrays{data.as<void>(), nullptr, nullptr, tiles * stream_grain, nullptr, stamp()};
    enqueue_stream(Access::write, arrays, static_cast<int>(blocks), static_cast<int>(passes), {});
    expect_written(on_host<std::uint32_t>(data), tiles, blocks, passes);
  }
  expect_stamped();
}

/// By one access a thread: the first block has half of a block's share of the tiles in all passes, every other block
/// one in one pass. Two passes may come at once.
void expect_grid_written(const Words& found, std::size_t tiles, std::size_t blocks, std::size_t passes) {
  const std::size_t of_first = tiles / (2 * blocks) + 1, row = tiles - of_first + 1;
  for (std::size_t i = 0; i < tiles * stream_threads; ++i) {
    const std::size_t tile = i / stream_threads, thread = i % stream_threads;
    const auto by = [&](std::size_t pass) {
      return tile < of_first ? written(0, thread, pass * of_first + tile)
                             : written(pass * row + tile - of_first + 1, thread, 0);
    };
    bool is_of_a_pass = false;
    for (std::size_t pass = tile < of_first ? passes - 1 : 0; pass < passes; ++pass) {
      is_of_a_pass = is_of_a_pass || access_of(found, i) == by(pass);
    }
    ASSERT_TRUE(is_of_a_pass) << "access " << i;
  }
  EXPECT_EQ(found[tiles * stream_threads * access_words], 17U);
}

TEST_F(MemoryKernel, GridWritesEveryWord) {
  for (const auto& [grains, blocks, passes] : {std::tuple{5, 1, 1}, {5, 3, 2}, {1, 900, 3}}) {
    SCOPED_TRACE(testing::Message() << grains << " grains, " << blocks << " blocks");
    const auto data = on_device(Words(static_cast<std::size_t>(grains) * grain_words + 1, 17U));
    const std::size_t bytes = static_cast<std::size_t>(grains) * stream_grain;
    enqueue_grid_stream(Access::write, {data.as<void>(), nullptr, nullptr, bytes, nullptr, stamp()}, blocks, passes,
                        {});
    expect_grid_written(on_host<std::uint32_t>(data), static_cast<std::size_t>(grains * stream_unroll),
                        static_cast<std::size_t>(blocks), static_cast<std::size_t>(passes));
  }
  expect_stamped();
}

TEST_F(MemoryKernel, CopyCopiesEveryWord) {
  constexpr std::size_t tiles = 4;
  const auto from = random_words(tiles * grain_words, 2);
  auto want = from;
  want.push_back(17U);
  const auto b = on_device(from);
  for (const auto enqueue : {enqueue_stream, enqueue_grid_stream}) {
    for (const int blocks : {1, 3, 9}) {
      const auto a = on_device(Words(want.size(), 17U));
      enqueue(Access::copy, {a.as<void>(), b.as<void>(), nullptr, b.size_bytes(), nullptr, stamp()}, blocks, 2, {});
      EXPECT_EQ(on_host<std::uint32_t>(a), want) << blocks << " blocks";
    }
  }
  expect_stamped();
}

TEST_F(MemoryKernel, TriadAddsAMultipleToEveryElement) {
  constexpr std::size_t tiles = 3, count = tiles * stream_grain / sizeof(double);
  std::vector<double> left(count), right(count), want(count + 1, -1.0);
  for (std::size_t i = 0; i < count; ++i) {
    left[i] = filled(i);
    right[i] = filled(count + i);
    want[i] = std::fma(0.4, right[i], left[i]);
  }
  const auto b = on_device(left), c = on_device(right);
  for (const auto enqueue : {enqueue_stream, enqueue_grid_stream}) {
    for (const int blocks : {1, 2, 7}) {
      const auto a = on_device(std::vector<double>(count + 1, -1.0));
      enqueue(Access::triad, {a.as<void>(), b.as<void>(), c.as<void>(), b.size_bytes(), nullptr, stamp()}, blocks, 2,
              {});
      EXPECT_EQ(on_host<double>(a), want) << blocks << " blocks";
    }
  }
  expect_stamped();
}

/// xor of the words that a thread reads in one pass over a part of `part_bytes`, which begins at word `first`.
std::uint32_t near_sum(const Words& words, std::size_t first, std::size_t part_bytes, std::size_t thread) {
  constexpr std::size_t accesses = near_bytes / (access_words * sizeof(std::uint32_t)) / near_threads;
  const std::size_t vectors = part_bytes / (access_words * sizeof(std::uint32_t));
  std::uint32_t sum = 0;
  for (std::size_t u = 0; u < accesses; ++u) {
    const std::size_t at = first + (thread + u * near_threads % vectors) * access_words;
    for (std::size_t k = 0; k < access_words; ++k) sum ^= words[at + k];
  }
  return sum;
}

using Enqueue = void (*)(const NearData&, int, int, ClockStamp*, Stream);

/// An odd number of passes leaves the sum of one.
void expect_near_read(Enqueue enqueue, const Words& words, const Buffer& data, std::size_t part_bytes,
                      std::size_t distance, ClockStamp* stamp) {
  constexpr int parts = 2, blocks = 3, passes = 3;
  for (std::size_t part = 0; part < parts; ++part) {
    for (const std::size_t thread : {std::size_t{0}, std::size_t{100}, std::size_t{near_threads - 1}}) {
      const auto sum = near_sum(words, part * distance / sizeof(std::uint32_t), part_bytes, thread);
      const Buffer sink(sizeof sum);
      copy_async(sink.as<void>(), &sum, sizeof sum, Copy::to_device, {});
      enqueue({data.as<void>(), parts, sink.as<std::uint32_t>()}, blocks, passes, stamp, {});
      std::uint32_t found = 0;
      synchronize();
      copy_async(&found, sink.as<void>(), sizeof found, Copy::to_host, {});
      synchronize();
      // blocks 0 and 2 have the same part: whichever comes second finds the sink inverted and leaves it
      EXPECT_EQ(found, ~sum) << "part " << part << ", thread " << thread;
    }
  }
}

TEST_F(MemoryKernel, SharedReadTakesEveryWordOfItsPart) {
  const auto words = random_words(2 * near_bytes / sizeof(std::uint32_t), 3);
  const auto data = on_device(words);
  expect_near_read(&enqueue_shared_read, words, data, near_shared_bytes, near_shared_bytes, stamp());
  expect_stamped();
}

TEST_F(MemoryKernel, L1ReadTakesEveryWordOfItsPart) {
  const auto words = random_words(2 * std::max(near_bytes, near_l1_distance) / sizeof(std::uint32_t), 4);
  const auto data = on_device(words);
  expect_near_read(&enqueue_l1_read, words, data, near_l1_bytes, near_l1_distance, stamp());
  expect_stamped();
}

/// Where a chase comes to from link `at`.
std::uint32_t followed(const Words& next, std::uint32_t at, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) at = next[at];
  return at;
}

class Chase : public MemoryKernel, public testing::WithParamInterface<ChaseLevel> {};

TEST_P(Chase, EndsWhereItsLinksLead) {
  const bool shared = GetParam() == ChaseLevel::shared;
  const auto next = random_cycle(shared ? std::size_t{shared_chase_words} : 300, seed);
  const auto words = on_device(next);
  const Buffer lines(shared ? sizeof(std::uint64_t) : next.size() * chase_line_bytes);
  const std::uint64_t base = shared ? 0 : reinterpret_cast<std::uint64_t>(lines.as<void>());
  const std::uint64_t distance = shared ? sizeof(std::uint32_t) : chase_line_bytes;
  if (!shared) enqueue_link(lines.as<void>(), words.as<std::uint32_t>(), next.size(), {});
  const auto at = on_device(std::vector<std::uint64_t>{base});
  std::uint32_t link = 0;
  for (const std::size_t steps : {std::size_t{1}, std::size_t{16}, std::size_t{53}, next.size()}) {
    enqueue_chase(GetParam(), at.as<std::uint64_t>(), words.as<std::uint32_t>(), steps, stamp(), {});
    link = followed(next, link, steps);
    EXPECT_EQ(on_host<std::uint64_t>(at).front(), base + link * distance) << steps << " steps";
  }
  expect_stamped();
}

std::string name_of(const testing::TestParamInfo<ChaseLevel>& level) {
  return std::vector<std::string>{"shared", "l1", "l2", "memory"}[static_cast<std::size_t>(level.param)];
}

INSTANTIATE_TEST_SUITE_P(Every, Chase,
                         testing::Values(ChaseLevel::shared, ChaseLevel::l1, ChaseLevel::l2, ChaseLevel::memory),
                         name_of);

TEST_F(MemoryKernel, LinksLeadToTheNextLine) {
  const auto next = random_cycle(300, seed);
  const auto words = on_device(next);
  const auto lines = on_device(std::vector<std::byte>(next.size() * chase_line_bytes));
  enqueue_link(lines.as<void>(), words.as<std::uint32_t>(), next.size(), {});
  const auto found = on_host<std::uint64_t>(lines);
  const auto base = reinterpret_cast<std::uint64_t>(lines.as<void>());
  constexpr std::size_t line = chase_line_bytes / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < next.size(); ++i) ASSERT_EQ(found[i * line], base + next[i] * chase_line_bytes) << i;
}

/// Kernels that do nothing end, one by one and as a graph.
TEST_F(MemoryKernel, EmptyKernelsEnd) {
  const Stream stream = create_stream();
  EXPECT_NO_THROW({
    enqueue_lead_in(stream);
    enqueue_empty(stream);
    check_launch("empty kernel");
    synchronize(stream);
    CapturedGraph graph(stream, [stream] {
      for (int i = 0; i < 3; ++i) enqueue_empty(stream);
    });
    graph.replay();
    synchronize(stream);
  });
  destroy(stream);
}

}  // namespace
}  // namespace gable::gpu::test
