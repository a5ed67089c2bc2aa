#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/render/plot_data.hpp"
#include "core/result/result.hpp"
#include "core/verdict/message_roofline.hpp"

/// What the picture of the message roofline shows, free of any drawing program.
namespace gable::questions {

/// A roof, or what was reached.
struct MessageLine {
  std::string label;  ///< empty: it needs none
  std::string way;
  MessageMedium medium{};
  bool roof{};
  int messages_before_wait{};  ///< 0 for the peak
  unsigned colour{};
  int series{};  ///< of what was reached: place among the series of one colour; chooses the marker
  std::vector<double> bytes, byte_per_s;
};

struct MessageData {
  render::Range bytes, byte_per_s;  ///< of the axes
  std::vector<MessageLine> lines;
};

/// Of one device of the result. No lines where it has no messages between two ranks. Of more than two ways and media
/// what one message and 64 before a wait reached (message_window) is shown alone: more could not be told apart.
MessageData message_data(const Result& result, const std::string& device);

}  // namespace gable::questions
