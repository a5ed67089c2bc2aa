#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/json/parse.hpp"

namespace gable {

/// Walks a JSON text of which nothing is kept: who derives from it overrides what is to be seen. Throws Error with one
/// short line for what is no JSON, for an object that has a key twice, and for deep nesting.
class JsonWalk : public nlohmann::json::json_sax_t {
 public:
  void walk(std::string_view text) { nlohmann::json::sax_parse(text.begin(), text.end(), this); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return open(); }
  bool start_array(std::size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    open_.add(name);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override;

 protected:
  std::size_t depth() const { return open_.depth(); }

 private:
  bool open() {
    open_.open();
    return true;
  }
  bool close() {
    open_.close();
    return true;
  }
  OpenKeys open_;
};

}  // namespace gable
