#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/render/gnuplot.hpp"
#include "core/render/plot_data.hpp"
#include "core/result/result.hpp"
#include "core/verdict/message_roofline.hpp"

/// The message roofline as a picture: what it shows, free of any drawing program, and its script for gnuplot.
namespace gable::questions {

/// A roof, or what was reached.
struct MessageLine {
  std::string label{};  ///< empty: it needs none
  std::string way{};
  MessageMedium medium{};
  bool roof{};
  int messages_before_wait{};  ///< 0 for the peak
  unsigned colour{};
  int series{};  ///< of what was reached: place among the series of one colour; chooses the marker
  std::vector<double> bytes{}, byte_per_s{};
};

struct MessageData {
  render::Range bytes, byte_per_s;  ///< of the axes
  std::vector<MessageLine> lines;
};

/// Of one device of the result. No lines where it has no messages between two ranks. Of more than two ways and media
/// what one message and 64 before a wait reached (message_window) is shown alone: more could not be told apart.
MessageData message_data(const Result& result, const std::string& device);

/// Whether a result is of networks alone, so that its picture is the message roofline.
bool is_of_networks(const Result& result);

/// A script for gnuplot 5.4 or later that draws the message roofline (core/verdict/message_roofline.hpp) of a result
/// of networks to `output`: byte/s over message size, the peak and the latency as roofs, and what was reached by
/// messages before each wait. Throws Error where the result has neither roof nor curve, and for more than one network:
/// their lines could not be told apart.
std::string message_script(const Result& result, const render::PlotOptions& options, render::Format format,
                           const std::filesystem::path& output);

}  // namespace gable::questions
