#pragma once
#include <chrono>
#include <string>

#include "core/text/posix_file.hpp"
#include "core/worker/run_driver.hpp"

namespace gable::cli {

/// Progress on standard error: a bar with the time left on a terminal, otherwise a line for every round, and in the
/// last one a line for every item with its figure.
class Progress : public worker::Watcher {
 public:
  /// A quiet one says nothing.
  explicit Progress(bool quiet = false);
  ~Progress() override;
  void planned(int items, double expected_s) override;
  void round(int round, int rounds, int items) override;
  void begun(const worker::ItemInfo& item) override;
  void finished(const worker::ItemInfo& item, const std::vector<Row>& rows, bool last) override;
  void note(const std::string& text) override;
  /// Takes the bar away; what is printed next stands on a line of its own.
  void end();

 private:
  void draw(const std::string& title);
  double time_left_s() const;

  void tell(const std::string& text) const;
  bool quiet_, redraws_;
  bool drawn_{false};
  int items_{}, done_{};
  double expected_s_{}, expected_done_s_{};
  std::chrono::steady_clock::time_point start_;
};

}  // namespace gable::cli
