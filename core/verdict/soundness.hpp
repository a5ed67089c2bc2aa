#pragma once
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/operator.hpp"
#include "core/result/result.hpp"
#include "core/result/row.hpp"
#include "core/verdict/peers.hpp"
#include "core/verdict/roofs.hpp"
#include "core/verdict/validate.hpp"

/// Which rows can be true: one table of rules, which marks rows suspect and which `gable validate` goes through.
/// Limits of single figures stand at their fields (core/model/figure_limits.hpp).
namespace gable::verdict {

enum class Consequence {
  left_out,  ///< the clock, of the row
  suspect,   ///< the row is no roof, and judges no other
  finding,   ///< of `gable validate` only: measured rows keep such rules, edited ones may not
};
constexpr auto names_of(Consequence) {
  return names_up_to<Consequence::finding>("left out, with its theory", "`suspect`", "finding of `gable validate`");
}

/// Collects what is wrong with one row or device.
class Told {
 public:
  /// `key` is that of the row's figure.
  Told(std::vector<Finding>& findings, std::string where, std::string_view key = {})
      : figure(key), findings_(findings), where_(std::move(where)) {}

  void unless(bool good, std::string what) {
    if (!good) findings_.push_back({false, where_, std::move(what)});
  }
  /// `value` has to be finite and above zero.
  void positive(double value, std::string_view what);

  const std::string_view figure;  ///< its key

 private:
  std::vector<Finding>& findings_;
  std::string where_;
};

/// What rows are judged against.
struct Around {
  PointRoofs roofs;
  Operators known;  ///< of this program
  std::set<std::string> devices{};
  std::set<std::tuple<RowKind, std::string, std::string>> rows{};  ///< those before: kind, device, id
};

/// What all kinds of rows have.
struct RowHead {
  RowKind kind;
  const std::string &device, &id;
  Status status;
  const std::string& reason;
};

/// Says what breaks a rule. Of rows, those that were measured; of their heads, all.
template <class T>
using Check = void (*)(const T& of, Around& around, Told& told);
/// Takes a clock that cannot be from a row, and says whether there was one.
using ClockCheck = bool (*)(Conditions& conditions, const DeviceInfo& device);
/// Why a row that is ok is suspect: any row of such a device, a ceiling by itself, beside its peers or beside the
/// points. Else empty.
using DeviceDoubt = std::string (*)(const DeviceInfo& device);
using CeilingDoubt = std::string (*)(const Ceiling& row);
using PeerDoubt = std::string (*)(const Peer& row, std::span<const Peer> peers, const DeviceInfo& device);
using PointsDoubt = std::string (*)(const Ceiling& row, std::span<const Point> points);

// Checks of measured rows that are more than a comparison (row_checks.cpp): whether all that is said of one follows
// from its samples, work and roofs. A figure that was edited by hand no longer does.

void positive_estimate(const Estimate& estimate, Around& around, Told& told);
void within_interval(const Estimate& estimate, Around& around, Told& told);
void counts_of_samples(const Estimate& estimate, Around& around, Told& told);
/// Value, median and used rounds are those that the estimator takes of the samples.
void follows_from_samples(const Estimate& estimate, Around& around, Told& told);

void stages_of_point(const Point& row, Around& around, Told& told);
/// For the operators that this program knows.
void work_of_operator(const Point& row, Around& around, Told& told);
/// What set_verdicts() would have called suspect. Points that are compared by rounds are not judged here.
void below_its_roof(const Point& row, Around& around, Told& told);
void share_of_rounds(const Point& row, Around& around, Told& told);

/// One rule. Its texts are a row of the table in docs/method.md.
struct Rule {
  std::string_view of;      ///< what it applies to
  std::string_view broken;  ///< when it is broken
  std::string_view why;     ///< what is then the likely cause, or what else the figure would mean
  Consequence consequence;
  std::variant<ClockCheck, DeviceDoubt, CeilingDoubt, PeerDoubt, PointsDoubt, Check<DeviceInfo>, Check<RowHead>,
               Check<Estimate>, Check<Ceiling>, Check<Point>, Check<Curve>>
      check;
};
/// In the order in which they are applied: a row that is suspect already judges no other.
std::span<const Rule> rules();

/// Whether its interval is wider than ± 25 % of its value: it says nothing of the machine as a whole.
bool is_too_wide(const Ceiling& row);

/// Leaves out clocks and makes rows suspect, with the reason, by the rules of those consequences. Suspect rows are no
/// roofs (but see MemorySpeed). Points above their roof become so in set_verdicts().
void mark_suspects(Result& result);

}  // namespace gable::verdict
