#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/enum_names.hpp"

namespace gable {

/// What a command found out, as data. core/render/answer.hpp writes it as text, JSON, CSV or Markdown.
///
/// What has a key is for programs (JSON and CSV), what has a title for people (text and Markdown); most has both. Keys
/// are paths: "gemm/m" is the member m of the object gemm, "time_interval_s/0" the first of a list, "." the object of
/// the row itself.
struct Answer {
  struct Table;

  /// An object of the result format as JSON. JSON has it whole, CSV its members; people do not see it.
  struct Object {
    std::string json;
  };

  /// A cell: nothing, JSON's null, a truth value, a whole number, a figure, a text, several texts, a table of its own
  /// (an array of objects in JSON; people see its rows side by side), or an object of the result format.
  class Value {
   public:
    using Texts = std::vector<std::string>;
    std::variant<std::monostate, std::nullptr_t, bool, std::int64_t, double, std::string, Texts,
                 std::shared_ptr<const Table>, Object>
        held;

    Value() = default;
    Value(std::nullptr_t) : held(nullptr) {}
    template <std::same_as<bool> Bool>
    Value(Bool truth) : held(truth) {}
    template <std::integral Integer>
    requires(!std::same_as<Integer, bool>) Value(Integer number) : held(static_cast<std::int64_t>(number)) {}
    Value(double figure) : held(figure) {}
    Value(std::string text) : held(std::move(text)) {}
    Value(std::string_view text) : held(std::string(text)) {}
    Value(const char* text) : held(std::string(text)) {}
    Value(Texts texts) : held(std::move(texts)) {}
    Value(Table table);
    Value(Object object) : held(std::move(object)) {}
    /// Nothing where it is empty.
    template <class T>
    Value(const std::optional<T>& value) {
      if (value) *this = Value(*value);
    }
    /// The name that to_string() has for it.
    template <class Enum>
    requires std::is_enum_v<Enum> Value(Enum value) : Value(to_string(value)) {}

    bool empty() const { return std::holds_alternative<std::monostate>(held); }
    /// The table in this cell; null where it holds something else.
    const Table* table() const {
      const auto* inner = std::get_if<std::shared_ptr<const Table>>(&held);
      return inner ? inner->get() : nullptr;
    }
  };

  struct Column {
    std::string key;     ///< empty: not for programs
    std::string title;   ///< empty: not for people. Of a table in a cell "{}" stands for the label of its row
    std::string unit{};  ///< of figures, as in files: s, byte, flop/s …; "%": a part of 1, in percent for people
    bool operator==(const Column&) const = default;
  };

  /// A cell and its column.
  struct Fact : Column {
    Fact(std::string path, Value of) : Fact(std::move(path), {}, std::move(of)) {}
    Fact(std::string path, std::string heading, Value of, std::string figures_in = {})
        : Column{std::move(path), std::move(heading), std::move(figures_in)}, value(std::move(of)) {}
    Value value;
  };

  /// A row: facts of one thing.
  struct Facts : std::vector<Fact> {
    using std::vector<Fact>::vector;
    Facts& add(Facts more);
    /// As members of an object.
    Facts& add(const std::string& object, Facts more);
  };

  struct Table {
    std::vector<Column> columns{};
    std::vector<std::vector<Value>> rows{};  ///< as many cells as columns
    std::vector<std::string> labels{};       ///< of a table in a cell: one for each of its rows

    /// Rows may have different columns: what a row lacks is nothing.
    void add(Facts row);
  };

  enum class Readers { all, programs, people };

  /// A table, or facts: the one row of a table, written as one object and told one fact a line.
  struct Section {
    std::string key;    ///< path of its array or object in JSON; empty: the whole document
    std::string title;  ///< for people; empty: none
    Table table{};
    bool facts{};
    bool whole{};  ///< people see long cells whole, however wide the table gets
    Readers readers{Readers::all};
    std::vector<std::string> notes{};  ///< sentences for people
    std::string caption{};             ///< a line above the table, for people: of several under one title
  };

  std::string title{};  ///< for people; empty: none
  std::vector<Section> sections{};

  /// Each returns the new section.
  Section& add_facts(std::string key, std::string heading, Facts facts);
  Section& add_table(std::string key, std::string heading, Table table);
  /// A table for people alone, which programs have in another place.
  Section& show_table(std::string heading, Table table);
  /// Sentences under a title.
  Section& add_notes(std::string heading, std::vector<std::string> notes);
  /// Adds a sentence to the last section.
  void say(std::string note);
};

/// A row for each item: the facts that `facts_of` has of it.
template <class Items, class FactsOf>
Answer::Table table_of(const Items& items, FactsOf&& facts_of) {
  Answer::Table table;
  for (const auto& item : items) table.add(facts_of(item));
  return table;
}

/// JSON's null where it is empty.
template <class T>
Answer::Value or_null(const std::optional<T>& value) {
  return value ? Answer::Value(*value) : Answer::Value(nullptr);
}
/// Nothing of an empty text.
inline Answer::Value named(const std::string& text) { return text.empty() ? Answer::Value() : Answer::Value(text); }

}  // namespace gable
