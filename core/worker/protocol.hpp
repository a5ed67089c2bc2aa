#pragma once
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/backend.hpp"
#include "core/result/result.hpp"

/// What parent and worker say to each other: one JSON object a line. docs/workers.md draws the exchange.
///
///   worker  hello      protocol version, worker name, build
///   worker  probe      devices, or the reason why there is none
///   parent  open       device id, request, free memory                       (or quit)
///   worker  items      what the request means here: of each the planned row, title, expected_s, timeout_s
///   worker  ready      prepared; waits — the start barrier
///   parent  go         the ids to run, in order: once a round      (or quit)
///   worker  begin/end  around each item; end carries its rows
///   worker  done
///
/// Where go says `together`, other workers run the same round, and between begin and end of an item there is:
///
///   worker  warm       works, and keeps working
///   parent  start      all are warm: the blocks are taken
///   worker  taken      has its blocks, and keeps working
///   parent  stop       all have theirs
///
///   worker  failed     bad input found by the worker: one line; it exits with code 2
namespace gable::worker {

inline constexpr int protocol_version = 8;

struct Hello {
  int protocol{protocol_version};
  std::string worker;
  Build build;
};
struct Found {
  Probe probe;
};
/// An Item as the parent knows it.
struct ItemInfo {
  Row planned;
  std::string title;
  double expected_s{}, timeout_s{};

  const std::string& id() const { return id_of(planned); }
};
struct Items {
  std::vector<ItemInfo> items;
};
struct Ready {};
struct Begin {
  std::string id;
};
struct Warm {
  std::string id;
};
struct Taken {
  std::string id;
};
struct End {
  std::string id;
  std::vector<Row> rows;
};
struct Done {};
struct Failed {
  std::string what;
};
using FromWorker = std::variant<Hello, Found, Items, Ready, Begin, Warm, Taken, End, Done, Failed>;

struct Open {
  std::string device;
  Request request;
  /// byte: what the plan counts on. Free memory changes, but a plan and its ids must not: a worker that takes over, now
  /// or after --resume, plans with that of the first.
  double free_memory_bytes{};
};
struct Go {
  std::vector<std::string> ids;
  bool together{};  ///< with other workers, in step
};
struct Start {};
struct Stop {};
struct Quit {};
using FromParent = std::variant<Open, Go, Start, Stop, Quit>;

/// One line without its newline. Numbers in the C locale whatever the user's.
std::string encode(const FromWorker& message);
std::string encode(const FromParent& message);
/// Throws Error naming what is wrong with the line.
FromWorker decode_from_worker(std::string_view line);
FromParent decode_from_parent(std::string_view line);

}  // namespace gable::worker
