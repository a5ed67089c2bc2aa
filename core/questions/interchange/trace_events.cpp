#include "core/questions/interchange/trace_events.hpp"

#include <fmt/format.h>

#include "core/json/parse.hpp"
#include "core/json/walk.hpp"

namespace gable::interchange {
namespace {

/// Walks the text and keeps one event at a time.
class EventWalk : public JsonWalk {
 public:
  explicit EventWalk(const std::function<void(TraceEvent&)>& take) : take_(take) {}

  bool null() override { return value("null", {}); }
  bool boolean(bool value_is) override { return value(value_is ? "true" : "false", {}); }
  bool number_integer(number_integer_t figure) override { return integer(figure); }
  bool number_unsigned(number_unsigned_t figure) override {
    if (figure > static_cast<number_unsigned_t>(INT64_MAX)) return value("null", static_cast<double>(figure));
    return integer(static_cast<std::int64_t>(figure));
  }
  bool number_float(number_float_t figure, const string_t& text) override {
    if (in_event() && key_ == "dur") event_.whole_us = event_.whole_us && text.find_first_of(".eE") == text.npos;
    return value(text, figure);
  }
  bool string(string_t& text) override {
    if (captured_ != nullptr) {
      separate();
      append_json_string(*captured_, text);
    } else if (in_event()) {
      set_text(text);
    }
    return true;
  }

  bool start_object(std::size_t elements) override {
    JsonWalk::start_object(elements);
    if (captured_ != nullptr) captured_->append("{");
    if (depth() == event_depth_) event_ = {};
    if (depth() == event_depth_ + 1) in_args_ = event_depth_ > 0 && event_key_ == "args";
    return true;
  }
  bool end_object() override {
    if (depth() == event_depth_ && event_depth_ > 0) take_(event_);
    if (depth() == event_depth_ + 1) in_args_ = false;
    return JsonWalk::end_object();
  }
  bool start_array(std::size_t elements) override {
    const bool is_events = (depth() == 0) || (depth() == 1 && event_depth_ == 0 && key_ == "traceEvents");
    if (captured_ == nullptr && in_args_ && depth() == event_depth_ + 1) captured_ = input_of_key();
    if (captured_ != nullptr) {
      separate();
      captured_->append("[");
    }
    JsonWalk::start_array(elements);
    if (is_events) event_depth_ = depth() + 1;
    return true;
  }
  bool end_array() override {
    JsonWalk::end_array();
    if (depth() + 2 == event_depth_) event_depth_ = 0;
    if (captured_ == nullptr) return true;
    captured_->append("]");
    if (depth() == event_depth_ + 1) captured_ = nullptr;
    return true;
  }
  bool key(string_t& name) override {
    key_ = name;
    if (depth() == event_depth_) event_key_ = name;
    return JsonWalk::key(name);
  }

 private:
  bool in_event() const { return event_depth_ > 0 && depth() == event_depth_; }
  void separate() const {
    if (!captured_->empty() && !captured_->ends_with('[')) captured_->append(",");
  }
  std::string* input_of_key() {
    RecordedInputs& inputs = event_.inputs;
    std::string* const found = key_ == "Input Dims" || key_ == "Input dims" ? &inputs.dims
                               : key_ == "Input type"                       ? &inputs.types
                               : key_ == "Input Strides"                    ? &inputs.strides
                               : key_ == "Concrete Inputs"                  ? &inputs.values
                                                                            : nullptr;
    if (found != nullptr) found->clear();
    return found;
  }
  void set_text(const std::string& text) {
    if (key_ == "ph") event_.phase = text;
    if (key_ == "cat") event_.category = text;
    if (key_ == "name") event_.name = text;
    if (key_ == "pid" || key_ == "tid") event_.thread += '/' + text;
  }
  bool integer(std::int64_t figure) {
    if (in_args_ && captured_ == nullptr && depth() == event_depth_ + 1) {
      if (key_ == "External id" || key_ == "external id") event_.external_id = figure;
      if (key_ == "correlation") event_.correlation = figure;
      if (key_ == "device") event_.device = figure;
    }
    return value(fmt::format_int(figure).c_str(), static_cast<double>(figure));
  }
  bool value(std::string_view text, std::optional<double> figure) {
    if (captured_ != nullptr) {
      separate();
      captured_->append(text);
    } else if (in_event() && figure) {
      if (key_ == "ts") event_.start_us = *figure;
      if (key_ == "dur") event_.duration_us = *figure;
      if (key_ == "pid" || key_ == "tid") event_.thread.append("/").append(text);
    }
    return true;
  }

  const std::function<void(TraceEvent&)>& take_;
  TraceEvent event_;
  std::string key_, event_key_;  ///< the last at all, the last of an event's own
  std::size_t event_depth_{};    ///< of the events' objects; 0 outside of their list
  bool in_args_{};
  std::string* captured_{};  ///< of the event's inputs, while their list is open
};

/// Figures that are no JSON become empty texts of the same length. Those within quotes stay.
std::string without_nan(std::string_view text) {
  std::string kept(text);
  bool quoted = false;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (quoted && kept[i] == '\\') {
      ++i;
    } else if (kept[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && (kept[i] == 'i' || kept[i] == 'n' || kept[i] == 'I' || kept[i] == 'N')) {
      for (const std::string_view word : {"infinity", "Infinity", "inf", "nan", "NaN", "Inf"}) {
        if (!std::string_view(kept).substr(i).starts_with(word)) continue;
        const std::size_t begin = i > 0 && kept[i - 1] == '-' ? i - 1 : i;
        kept.replace(begin, i + word.size() - begin, i + word.size() - begin, ' ');
        kept[begin] = kept[begin + 1] = '"';
        i = begin + 1;
        break;
      }
    }
  }
  return kept;
}

bool may_have_nan(std::string_view text) {
  for (const std::string_view begin : {": nan", ": -nan", ": inf", ": -inf", ": NaN", ": Infinity", ": -Infinity"}) {
    if (text.find(begin) != text.npos) return true;
  }
  return false;
}

}  // namespace

void for_each_event(std::string_view text, const std::function<void(TraceEvent&)>& take) {
  std::string repaired;
  if (may_have_nan(text)) text = repaired = without_nan(text);
  EventWalk(take).walk(text);
}

}  // namespace gable::interchange
