#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/device/catalogue.hpp"
#include "core/render/plot_data.hpp"
#include "core/verdict/roofs.hpp"
#include "tests/report/sample.hpp"

namespace gable::render {

inline const PlotRoof& roof(const PlotData& data, const std::string& label) {
  const auto found = std::ranges::find(data.roofs, label, &PlotRoof::label);
  if (found == data.roofs.end()) throw std::runtime_error("no roof " + label);
  return *found;
}

inline std::ptrdiff_t count(const PlotData& data, bool flat) {
  return std::ranges::count(data.roofs, flat, &PlotRoof::flat);
}

inline PlotOptions sized(double width_in, double height_in) { return {.width_in = width_in, .height_in = height_in}; }
inline PlotOptions of_type(DType dtype) { return {.dtypes = {dtype}}; }
inline PlotOptions at_scope(Scope scope) { return {.scope = scope}; }

/// A device with one matrix roof and one memory.
inline Result one_roof(DType dtype, double flop_per_s, double byte_per_s) {
  Result result;
  DeviceInfo device;
  device.id = "gpu";
  device.memory = {{"HBM", 8e10, 1, 1, 64, "test"}};
  result.devices = {device};
  result.ceilings = {test::sample_compute("gpu", Unit::matrix, dtype, OperatingPoint::burst, flop_per_s),
                     test::sample_bandwidth("gpu", "HBM", Access::triad, Stores::ordinary, byte_per_s)};
  return result;
}

/// 2 TB/s, 20 TFLOP/s of vectors and 312 TFLOP/s of matrix units: ridges at 10 and 156 flop/byte.
inline catalogue::Device printed_device() {
  catalogue::Device device;
  device.name = "Printed GPU";
  device.memory_type = "HBM2e";
  device.memory_byte = 80e9;
  device.memory_byte_per_s = 2e12;
  device.source = "made up";
  device.confidence = Confidence::derived;
  device.peaks = {{"vector", DType::fp32, DType::fp32, 20e12, "flop/s", {}, "made up", Confidence::derived},
                  {"matrix", DType::fp16, DType::fp32, 312e12, "flop/s", {}, "made up", Confidence::derived}};
  return device;
}

inline PlotOptions with_datasheet() { return {.datasheets = {printed_device()}}; }

inline bool has_text(const PlotData& data, const std::string& text) {
  return std::ranges::count(data.texts, text, &PlotText::text) > 0;
}
/// Whether some text of the picture begins and goes on so.
inline bool has_text(const PlotData& data, const std::string& begin, const std::string& part) {
  return std::ranges::any_of(data.texts, [&](const PlotText& text) {
    return text.text.starts_with(begin) && text.text.find(part) != std::string::npos;
  });
}

inline void expect_no_text_covers_another(const PlotData& data) {
  for (std::size_t i = 0; i < data.texts.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      for (const Box& a : data.texts[i].boxes) {
        for (const Box& b : data.texts[k].boxes)
          EXPECT_FALSE(overlap(a, b)) << data.texts[i].text << " and " << data.texts[k].text;
      }
    }
  }
}

inline void expect_texts_on_the_picture(const PlotData& data) {
  for (const PlotText& text : data.texts) {
    for (const Box& box : text.boxes) EXPECT_TRUE(inside(box, {0, 0, data.width_pt, data.height_pt})) << text.text;
  }
}

}  // namespace gable::render
