#include "core/worker/protocol.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/error.hpp"
#include "core/json/archive.hpp"
#include "core/json/parse.hpp"
#include "core/result/fields.hpp"
#include "core/result/impossible_figures.hpp"
#include "core/result/json.hpp"
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

template <class Message>
constexpr const char* name_of() {
  if constexpr (std::is_same_v<Message, Hello>) return "hello";
  if constexpr (std::is_same_v<Message, Found>) return "probe";
  if constexpr (std::is_same_v<Message, Items>) return "items";
  if constexpr (std::is_same_v<Message, Ready>) return "ready";
  if constexpr (std::is_same_v<Message, Begin>) return "begin";
  if constexpr (std::is_same_v<Message, Warm>) return "warm";
  if constexpr (std::is_same_v<Message, Taken>) return "taken";
  if constexpr (std::is_same_v<Message, End>) return "end";
  if constexpr (std::is_same_v<Message, Done>) return "done";
  if constexpr (std::is_same_v<Message, Failed>) return "failed";
  if constexpr (std::is_same_v<Message, Open>) return "open";
  if constexpr (std::is_same_v<Message, Go>) return "go";
  if constexpr (std::is_same_v<Message, Start>) return "start";
  if constexpr (std::is_same_v<Message, Stop>) return "stop";
  if constexpr (std::is_same_v<Message, Quit>) return "quit";
}

template <class Message>
void check(Message&) {}
/// A figure that cannot be must not reach the journal, which could not be read again.
void check(End& message) {
  for (Row& row : message.rows) result::fail_impossible(row);
}

template <class Messages>
std::string encode_line(const Messages& message) {
  return std::visit(
      [](const auto& entry) {
        auto object = write_json(entry);
        object[tag] = name_of<std::decay_t<decltype(entry)>>();
        return dump_json(object, -1);
      },
      message);
}

/// Fills `found` if the object is named like the message.
template <class Message, class Messages>
bool try_read(const std::string& name, const json& object, Messages& found) {
  if (name != name_of<Message>()) return false;
  auto message = read_json_root<Message>(object);
  check(message);
  found = std::move(message);
  return true;
}

template <class... Each>
std::variant<Each...> decode_line(std::string_view line, std::string_view sender,
                                  std::type_identity<std::variant<Each...>>) {
  try {
    const auto object = parse_json(line);
    std::string name;
    const JsonLocation place(object);
    JsonReader(place).field(tag, name);
    std::variant<Each...> found;
    if ((try_read<Each>(name, object, found) || ...)) return found;
    throw Error(fmt::format("unknown message '{:.60}'", name));
  } catch (const Error& error) {
    throw Error(fmt::format("bad line from the {}: {}", sender, error.what()));
  }
}

}  // namespace

std::string encode(const FromWorker& message) { return encode_line(message); }
std::string encode(const FromParent& message) { return encode_line(message); }

FromWorker decode_from_worker(std::string_view line) {
  return decode_line(line, "worker", std::type_identity<FromWorker>{});
}
FromParent decode_from_parent(std::string_view line) {
  return decode_line(line, "parent", std::type_identity<FromParent>{});
}

}  // namespace gable::worker
