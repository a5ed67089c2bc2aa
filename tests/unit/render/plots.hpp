#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/merge.hpp"
#include "core/result/store.hpp"
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

inline PlotOptions sized(double width_in, double height_in) {
  PlotOptions options;
  options.width_in = width_in;
  options.height_in = height_in;
  return options;
}

inline PlotOptions of_type(DType dtype) {
  PlotOptions options;
  options.dtypes = {dtype};
  return options;
}

inline PlotOptions at_scope(Scope scope) {
  PlotOptions options;
  options.scope = scope;
  return options;
}

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

inline PlotOptions with_datasheet() {
  PlotOptions options;
  options.datasheets = {printed_device()};
  return options;
}

inline bool has_text(const PlotData& data, const std::string& text) {
  return std::ranges::count(data.texts, text, &PlotText::text) > 0;
}

}  // namespace gable::render
