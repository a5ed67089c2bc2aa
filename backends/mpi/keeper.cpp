#include "backends/mpi/keeper.hpp"

#include <fmt/format.h>

#include "core/measure/clock.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/verdict/soundness.hpp"

namespace gable::mpi {
void Keeper::write(const std::string& note) {
  Result part = result_;
  part.notes.push_back(note);
  part.run.complete = false;
  verdict::mark_suspects(part);
  result::finish_run(part.run);
  result::save(part, output_, {}, replace_);
  replace_ = true;
}

void Keeper::keep() {
  constexpr double most_of_time = 0.05;  // what writing may take of it
  auto& clock = measure::steady_clock();
  const double begin = clock.now();
  if (begin - last_s_ < took_s_ / most_of_time) return;
  write(fmt::format("not measured to the end: the program ended in or behind: {}", now_));
  last_s_ = clock.now();
  took_s_ = last_s_ - begin;
}

std::string Keeper::save_part(const std::string& cause) {
  if (result_.ceilings.empty()) return cause + "; nothing was measured";
  const std::string note = fmt::format("not measured to the end: {}", cause);
  write(note);
  return fmt::format("{}; '{}' holds what was measured", note, output_.string());
}

void Keeper::save() {
  verdict::mark_suspects(result_);
  result_.run.complete = true;
  result::finish_run(result_.run);
  result::save(result_, output_, {}, replace_);
}

}  // namespace gable::mpi
