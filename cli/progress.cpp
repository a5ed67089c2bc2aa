#include "cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/render/row_outcome.hpp"
#include "core/text/environment.hpp"
#include "core/text/safe_text.hpp"

namespace gable::cli {

Progress::Progress(bool quiet) : quiet_(quiet), redraws_(!quiet && can_redraw()) {}
Progress::~Progress() { end(); }

void Progress::tell(const std::string& text) const {
  if (!quiet_) say(text);
}

void Progress::planned(int items, double expected_s) {
  items_ = items;
  expected_s_ = expected_s;
  start_ = std::chrono::steady_clock::now();
  tell(fmt::format("measuring {} items, about {:.0f} s\n", items, std::ceil(expected_s)));
}

void Progress::round(int round, int rounds, int items) {
  end();
  if (round > rounds)
    tell(fmt::format("measuring {} item{} without a good figure again\n", items, items == 1 ? "" : "s"));
  else
    tell(fmt::format("round {} of {}\n", round, rounds));
}

void Progress::begun(const worker::ItemInfo& item) {
  if (redraws_) draw(item.title);
}

void Progress::finished(const worker::ItemInfo& item, const std::vector<Row>& rows, bool last) {
  ++done_;
  expected_done_s_ += item.expected_s;
  if (redraws_)
    draw(item.title);
  else if (last)
    tell(fmt::format("[{}/{}] {}: {}\n", done_, std::max(done_, items_), printable(item.title),
                     printable(render::outcome_text(rows))));
}

void Progress::note(const std::string& text) {
  end();
  tell(fmt::format("note: {}\n", printable(text)));
}

double Progress::time_left_s() const {
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const double ahead = std::max(0.0, expected_s_ - expected_done_s_);
  // The planned seconds, corrected by the ratio of real to planned time so far.
  const double factor = expected_done_s_ > 1.0 ? spent / expected_done_s_ : 1.0;
  return ahead * factor;
}

void Progress::draw(const std::string& title) {
  constexpr int width = 30;
  const double share = items_ > 0 ? static_cast<double>(done_) / items_ : 1.0;
  const int filled = static_cast<int>(share * width);
  tell(fmt::format("\r\x1b[K[{}{}] {}/{}  {:.0f} s left  {:.60}", std::string(static_cast<std::size_t>(filled), '#'),
                   std::string(static_cast<std::size_t>(width - filled), '.'), done_, items_, time_left_s(),
                   printable(title)));
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::end() {
  if (drawn_) say("\r\x1b[K");
  drawn_ = false;
}

}  // namespace gable::cli
