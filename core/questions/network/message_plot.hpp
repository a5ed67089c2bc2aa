#pragma once
#include <filesystem>
#include <string>

#include "core/render/gnuplot.hpp"

namespace gable::questions {

/// Whether a result is of networks alone, so that its picture is the message roofline.
bool is_of_networks(const Result& result);

/// A script for gnuplot 5.4 or later that draws the message roofline (core/verdict/message_roofline.hpp) of a result
/// of networks to `output`: byte/s over message size, the peak and the latency as roofs, and what was reached by
/// messages before each wait. Throws Error where the result has neither roof nor curve, and for more than one network:
/// their lines could not be told apart.
std::string message_script(const Result& result, const render::PlotOptions& options, render::Format format,
                           const std::filesystem::path& output);

}  // namespace gable::questions
