#include "core/worker/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <type_traits>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/result/fields.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/row_fields.hpp"

namespace gable::worker {

using nlohmann::json;

// found by argument, hence not in the unnamed namespace

template <class A, SameStruct<Hello> S>
void fields(A& a, S& s) {
  a.field("protocol", s.protocol);
  a.field("worker", s.worker);
  a.field("build", s.build);
}
template <class A, SameStruct<Found> S>
void fields(A& a, S& s) {
  a.field("devices", s.probe.devices);
  a.field("reason", s.probe.reason);
}
template <class A, SameStruct<ItemInfo> S>
void fields(A& a, S& s) {
  a.field("planned", s.planned);
  a.field("title", s.title);
  a.field("expected_s", s.expected_s);
  a.field("timeout_s", s.timeout_s);
}
template <class A, SameStruct<Items> S>
void fields(A& a, S& s) {
  a.field("items", s.items);
}
template <class A, class S>
requires SameStruct<S, Begin> || SameStruct<S, Warm> || SameStruct<S, Taken>
void fields(A& a, S& s) { a.field("id", s.id); }
template <class A, SameStruct<End> S>
void fields(A& a, S& s) {
  a.field("id", s.id);
  a.field("rows", s.rows);
}
template <class A, SameStruct<Failed> S>
void fields(A& a, S& s) {
  a.field("what", s.what);
}
template <class A, SameStruct<Open> S>
void fields(A& a, S& s) {
  a.field("device", s.device);
  a.field("request", s.request);
  a.field("free_memory_bytes", s.free_memory_bytes);
}
template <class A, SameStruct<Go> S>
void fields(A& a, S& s) {
  a.field("ids", s.ids);
  a.unusual_field("together", s.together, false);
}
template <class A, class S>
requires SameStruct<S, Ready> || SameStruct<S, Done> || SameStruct<S, Start> || SameStruct<S, Stop> ||
    SameStruct<S, Quit>
void fields(A&, S&) {}

namespace {

constexpr const char* tag = "message";

/// In the order of the messages.
constexpr std::array<const char*, std::variant_size_v<FromWorker>> worker_says{
    "hello", "probe", "items", "ready", "begin", "warm", "taken", "end", "done", "failed"};
constexpr std::array<const char*, std::variant_size_v<FromParent>> parent_says{"open", "go", "start", "stop", "quit"};

template <class Message>
void check(Message&) {}
/// A figure that cannot be must not reach the journal, which could not be read again.
void check(End& message) {
  for (Row& row : message.rows) result::fail_impossible(row);
}

template <class Messages>
std::string encode_line(const Messages& message, std::span<const char* const> names) {
  json object = std::visit([](const auto& one) { return write_json(one); }, message);
  object[tag] = names[message.index()];
  return dump_json(object, -1);
}

template <class... Each>
void read_message(const json& object, std::size_t index, std::variant<Each...>& message) {
  std::size_t i = 0;
  const auto read = [&]<class Message>(std::type_identity<Message>) {
    if (i++ != index) return;
    auto found = read_json_root<Message>(object);
    check(found);
    message = std::move(found);
  };
  (read(std::type_identity<Each>{}), ...);
}

template <class Messages>
Messages decode_line(std::string_view line, std::string_view sender, std::span<const char* const> names) {
  try {
    const auto object = parse_json(line);
    std::string name;
    const JsonLocation place(object);
    JsonReader(place).field(tag, name);
    const auto known = std::ranges::find(names, name);
    if (known == names.end()) throw Error(fmt::format("unknown message '{:.60}'", name));
    Messages message;
    read_message(object, static_cast<std::size_t>(known - names.begin()), message);
    return message;
  } catch (const Error& error) {
    throw Error(fmt::format("bad line from the {}: {}", sender, error.what()));
  }
}

}  // namespace

std::string encode(const FromWorker& message) { return encode_line(message, worker_says); }
std::string encode(const FromParent& message) { return encode_line(message, parent_says); }

FromWorker decode_from_worker(std::string_view line) { return decode_line<FromWorker>(line, "worker", worker_says); }
FromParent decode_from_parent(std::string_view line) { return decode_line<FromParent>(line, "parent", parent_says); }

}  // namespace gable::worker
