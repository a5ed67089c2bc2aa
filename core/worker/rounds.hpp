#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "core/result/result.hpp"
#include "core/worker/session.hpp"

namespace gable::worker {

/// Rows of a result, by id, that are worth a further round.
struct Doubtful {
  std::set<std::string> without_figure;  ///< they would end suspect or skipped, or contradict others
  std::set<std::string> imprecise;
  std::set<std::string> basic;  ///< of those without a figure, the roofs that most verdicts rest on
  /// Of all, those whose interval is narrow enough: they contradict others, or were faster once. More rounds that say
  /// the same change neither.
  std::set<std::string> certain;
};

/// How a run goes over a schedule. Every step is measured once a round, so that a brief disturbance is spread over all
/// rows. The first round keeps the plan's order, the others shuffle the ceilings, then the operators with the streams
/// among them. Then steps of rows without a good figure are measured in further rounds while the budget lasts: basic
/// roofs without any first while less than half of it is spent, then all those without any in every round, and those
/// that are imprecise in every second, and in all when there are no others; none that is certain and whose further
/// rounds say the same (say_the_same()). A round that would take less than a 24th of the budget takes others of them
/// along.
struct Rounds {
  int count{3};
  int of_a_curve{1};       ///< how many of them measure a curve that is no ladder: it has no interval
  int of_another_size{3};  ///< the same of a library's product in another size than its ceiling's, which is no roof
  int of_a_long_item{3};   ///< the same of an item that takes half a second a round
  std::uint64_t seed{1};   ///< of the orders
  /// s for each schedule: no further round is begun with less left, and there are at most 48; nothing: `further` of the
  /// time planned.
  std::optional<double> retry_budget_s{};
  double further{1};
  std::function<Doubtful(const Result&)> doubtful{};  ///< empty: no further rounds

  /// How many of the rounds planned measure an item: one of a row that is known beforehand (not supported here),
  /// `of_a_curve` of a curve, `of_another_size` of a library's compute row with a variant, `of_a_long_item` of one that
  /// takes half a second or more a round, all of others.
  int of(const ItemInfo& item) const;
};

/// A quick run has 3 rounds and as long again for further ones, a full one 5 and a fifth of their time: 4 of a long
/// item, and 2 of a library's product in another size, whose ten blocks are enough for an interval.
Rounds rounds_of(Mode mode);

}  // namespace gable::worker
