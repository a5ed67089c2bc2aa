#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/json/archive.hpp"
#include "core/operator.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/result.hpp"

/// Rows of a result as plot data have them (data/plot-data.schema.json).
namespace gable::report {

/// A name that says nothing has no key.
template <class T>
void name_unless_none(JsonWriter& writer, const char* key, T value) {
  if (value != T::none) writer.field(key, std::string(to_string(value)));
}

inline void text_unless_empty(JsonWriter& writer, const char* key, const std::string& text) {
  if (!text.empty()) writer.field(key, text);
}

/// `measured`: else it is a vendor's figure, which has no status.
nlohmann::json ceiling_json(const Ceiling& row, bool measured = true);
/// `drawn`: what pictures show of it; null where they do not.
nlohmann::json point_json(const Result& result, const Point& point, const render::PlotPoint* drawn,
                          Operators operators);
nlohmann::json curve_json(const Curve& curve);

}  // namespace gable::report
