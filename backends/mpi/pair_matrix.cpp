#include "backends/mpi/pair_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "core/model/units.hpp"

namespace gable::mpi {
namespace {

constexpr std::string_view alone = "one pair at a time", at_once = "pairs at once";
constexpr std::size_t most_named = 8;  ///< of slow pairs

class PairMatrix {
 public:
  PairMatrix(Team& team, bool full, Record& record) : team_(team), record_(record), blocks_(full ? 7 : 3) {}

  /// byte/s of each pair while all of them exchange messages.
  std::vector<PairRate> rates(const std::vector<RankPair>& pairs) {
    team_.pair_up(pairs);
    if (command_.iterations == 0) size_batch();
    team_.each(command_);  // ranks that never met connect now
    std::vector<std::vector<double>> seconds(pairs.size());
    for (int block = 0; block < blocks_; ++block) {
      const auto times = team_.each(command_);
      for (std::size_t i = 0; i < pairs.size(); ++i) seconds[i].push_back(slower(times, pairs[i]));
    }
    std::vector<PairRate> all;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto middle = seconds[i].begin() + blocks_ / 2;
      std::ranges::nth_element(seconds[i], middle);
      if (*middle > 0)
        all.push_back({pairs[i], bytes_moved(command_) * static_cast<double>(command_.iterations) / *middle});
    }
    return all;
  }

  /// All rounds, each a set of pairs at once, into curves of this way.
  std::vector<PairRate> play(const std::vector<std::vector<RankPair>>& rounds, std::string_view way) {
    std::vector<PairRate> all;
    for (const auto& round : rounds) {
      for (const PairRate& pair : rates(round)) {
        const auto curve = record_.curve("pair_matrix", fmt::format("from rank {}, {}", pair.ranks.from, way),
                                         {"rank", ""}, {"bandwidth", "byte/s"});
        record_.add_point(curve, pair.ranks.to, pair.byte_per_s);
        all.push_back(pair);
      }
      record_.tell();
    }
    return all;
  }

  /// Slow pairs of one way; those at once may be slow because of the others, so they are measured alone too.
  void name_slow(const std::vector<PairRate>& all, std::string_view way) {
    const auto slow = slow_pairs(all);
    if (slow.empty()) return;
    const double median = median_rate(all);
    for (const PairRate& pair : std::span(slow).first(std::min(most_named, slow.size()))) {
      std::string note =
          fmt::format("slow pair, {}: {} and {}: {}, {:.0f} % of the median {}", way, named(pair.ranks.from),
                      named(pair.ranks.to), format_quantity(pair.byte_per_s, "byte/s"), 100 * pair.byte_per_s / median,
                      format_quantity(median, "byte/s"));
      if (way == at_once) {
        const auto again = rates({pair.ranks});
        if (!again.empty()) note += fmt::format("; alone {}", format_quantity(again[0].byte_per_s, "byte/s"));
      }
      record_.note(std::move(note));
    }
    if (slow.size() > most_named) record_.note(fmt::format("{} more slow pairs, {}", slow.size() - most_named, way));
    for (const int rank : slow_ranks(all, slow))
      record_.note(fmt::format("slow with most partners, {}: {}", way, named(rank)));
  }

 private:
  static constexpr std::int64_t most_iterations = 1 << 12;
  static constexpr double batch_s = 3e-3;

  static double slower(const std::vector<double>& times, const RankPair& pair) {
    return std::max(times[static_cast<std::size_t>(pair.from)], times[static_cast<std::size_t>(pair.to)]);
  }

  std::string named(int rank) const {
    return fmt::format("rank {} ({})", rank, team_.hosts()[static_cast<std::size_t>(rank)]);
  }

  /// Iterations for a batch, from the pairs that are joined; the same for all, so that all are treated alike.
  void size_batch() {
    for (command_.iterations = 1; command_.iterations < most_iterations; command_.iterations *= 2) {
      team_.run(command_);
      if (team_.run(command_) >= batch_s) return;
    }
  }

  Team& team_;
  Record& record_;
  int blocks_;
  Command command_{.exchange = Exchange::two_directions, .bytes = 1 << 20, .window = 8};
};

}  // namespace

void measure_pair_matrix(Team& team, const std::vector<int>& players, bool full, Record& record) {
  PairMatrix matrix(team, full, record);
  const auto rounds = tournament(players);
  const std::size_t few = full ? 32 : 16;
  if (players.size() <= few) {
    std::vector<std::vector<RankPair>> single;
    for (const auto& round : rounds) {
      for (const RankPair& pair : round) single.push_back({pair});
    }
    matrix.name_slow(matrix.play(single, alone), alone);
  }
  if (players.size() > 3) matrix.name_slow(matrix.play(rounds, at_once), at_once);
}

}  // namespace gable::mpi
