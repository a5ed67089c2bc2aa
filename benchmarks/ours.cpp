#include "benchmarks/ours.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace gable::bench {

Ours::Ours(Request request) : request_(std::move(request)) {
  std::vector<worker::StartProblem> problems;
  auto sessions = worker::start_sessions(problems);
  const auto cpu = std::find_if(sessions.begin(), sessions.end(),
                                [](const worker::Session& session) { return session.candidate().backend == "openmp"; });
  if (cpu == sessions.end()) {
    throw Error(fmt::format("no CPU worker starts{}", problems.empty() ? "" : "; " + to_string(problems.front())));
  }
  candidate_ = cpu->candidate();
  program_ = {cpu->hello().worker, cpu->hello().build};
  device_ = cpu->probe().devices.front();
  items_ = cpu->open(device_, request_).items;
}

std::vector<Row> Ours::measure(const std::vector<std::string>& ids) const {
  std::vector<worker::ItemInfo> wanted;
  for (const std::string& id : ids) {
    const auto found = std::find_if(items_.begin(), items_.end(), [&](const auto& item) { return item.id() == id; });
    if (found == items_.end()) throw Error(fmt::format("the worker has no item '{}'", id));
    wanted.push_back(*found);
  }
  worker::Session session(candidate_);
  session.open(device_, request_);
  std::vector<Row> all;
  const worker::Session::Events events{
      [](const worker::ItemInfo&) {},
      [&](const worker::ItemInfo&, std::vector<Row> rows) { all.insert(all.end(), rows.begin(), rows.end()); }};
  std::string failure;
  if (const auto died = session.drive(wanted, events, failure)) {
    throw Error(fmt::format("{}: {}", died->id(), failure));
  }
  return all;
}

}  // namespace gable::bench
