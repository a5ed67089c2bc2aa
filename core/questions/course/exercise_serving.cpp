#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/model/units.hpp"
#include "core/questions/course/exercise_sides.hpp"

namespace gable::questions {
namespace {

/// A language model of a size that many know: the same in every course.
constexpr double weights = 8e9, weight_bytes = 2 * weights, flops_a_token = 2 * weights, launches_a_token = 256,
                 question_tokens = 2048;
constexpr const char* model_text =
    "A language model has 8 billion weights of 2 bytes. It does 2 flop with each weight for each token, and reads each "
    "weight once a pass, for however many tokens; leave all else out.";

/// Of the types that hold 2 bytes or more, that in which the device is the fastest.
std::optional<std::pair<DType, Sides>> fastest(const ExerciseDevice& device) {
  std::optional<std::pair<DType, Sides>> best;
  for (const DType dtype : {DType::bf16, DType::fp16, DType::fp32}) {
    const auto sides = sides_of(device, dtype);
    if (sides && (!best || sides->peak > best->second.peak)) best = {dtype, *sides};
  }
  return best;
}

/// s of a pass over so many tokens.
double pass_s(const Sides& sides, double tokens, double bytes = weight_bytes) {
  return sides.time(tokens * flops_a_token, bytes);
}

void add_tokens(std::vector<Exercise>& list, const ExerciseDevice& device, DType dtype, const Sides& sides) {
  const std::string figures = fmt::format("{} Of {}, {}.", model_text, device.name, sides.figures(dtype));
  const double by_memory = sides.bandwidth / weight_bytes, by_arithmetic = sides.peak / flops_a_token;
  const std::string working = fmt::format(
      "The weights take {}, the arithmetic of a token {}: ", format_quantity(weight_bytes / sides.bandwidth, "s"),
      format_quantity(flops_a_token / sides.peak, "s"));
  list.push_back({"decode/" + device.letter,
                  figures + " It answers one text, token after token. How many tokens a second are there at most?",
                  "token/s",
                  1 / pass_s(sides, 1),
                  0.1,
                  working + "a token costs the longer of both.",
                  ExerciseKind::predict,
                  {{"P alone: the weights have to be read", by_arithmetic, wrong_way_credit},
                   {"a weight has 2 bytes", 2 * by_memory, slip_credit}}});
  list.push_back({"prefill/" + device.letter,
                  fmt::format("{} It reads a question of {:.0f} tokens in one pass. How many tokens a second are there "
                              "at most?",
                              figures, question_tokens),
                  "token/s",
                  question_tokens / pass_s(sides, question_tokens),
                  0.1,
                  fmt::format("{}the weights once, the arithmetic {:.0f} times.", working, question_tokens),
                  ExerciseKind::predict,
                  {{"the weights are read once for all tokens", by_memory, wrong_way_credit},
                   {"a multiplication and an addition for each weight", 2 * by_arithmetic, slip_credit}}});
}

void add_batches(std::vector<Exercise>& list, const ExerciseDevice& device, DType dtype, const Sides& sides) {
  const std::string figures = fmt::format("{} Of {}, {}.", model_text, device.name, sides.figures(dtype));
  const double ridge = sides.ridge(), batch = std::max(1.0, std::round(ridge * 2 / 3));
  list.push_back({"batch/" + device.letter,
                  figures + " It answers several texts at once, a token of each in a pass. From how many texts on does "
                            "the arithmetic decide?",
                  "texts", ridge * weight_bytes / flops_a_token, 0.1,
                  fmt::format("A pass over b texts does 2 b flop with each weight of 2 bytes: I = b, and the ridge is "
                              "{:.3g} flop/byte.",
                              ridge)});
  const double gain = pass_s(sides, batch) / pass_s(sides, batch, weight_bytes / 2);
  list.push_back({"precision/" + device.letter,
                  fmt::format("{} Its weights are now stored in 1 byte and computed with as before. How many times as "
                              "fast is a pass over {:.0f} texts?",
                              figures, batch),
                  times_as_fast,
                  gain,
                  0.05,
                  fmt::format("Before max({}, {}), after half of the first: {:.3g}. The arithmetic, which stays, "
                              "decides then.",
                              format_quantity(weight_bytes / sides.bandwidth, "s"),
                              format_quantity(batch * flops_a_token / sides.peak, "s"), gain),
                  ExerciseKind::predict,
                  {{"half the bytes, but the arithmetic decides before", 2, wrong_way_credit},
                   {"the memory decides at first", 1, wrong_way_credit}}});
}

void add_launches(std::vector<Exercise>& list, const ExerciseDevice& device, const Sides& sides) {
  const Launch launch = launch_of(device);
  if (!(launch.seconds > 0)) return;
  const std::string rate = format_quantity(sides.bandwidth, "byte/s");
  const double weights_s = weight_bytes / sides.bandwidth, launches_s = launches_a_token * launch.seconds;
  list.push_back({"launches/" + device.letter,
                  fmt::format("{} {} moves {}, and {}. A token takes {:.0f} kernels, launched one after another. What "
                              "share of its time are the launches?",
                              model_text, device.name, rate, launch.words, launches_a_token),
                  percent,
                  100 * launches_s / (launches_s + weights_s),
                  0.1,
                  fmt::format("{} of launches beside {} for the weights.", format_quantity(launches_s, "s"),
                              format_quantity(weights_s, "s")),
                  ExerciseKind::predict,
                  {{"of the weights' time, not of all", 100 * launches_s / weights_s, wrong_way_credit}}});
  // a sum (2 reads, 1 write), an activation and a scaling (1 read, 1 write each): 7 arrays; as one kernel 3
  constexpr double array = 2e6, apart = 7 * array, fused = 3 * array;
  const auto chain_s = [&](double kernels, double bytes) { return kernels * launch.seconds + bytes / sides.bandwidth; };
  list.push_back({"chain/" + device.letter,
                  fmt::format("c = a + b, then d = gelu(c), then e = k d, each a kernel on arrays of a million numbers "
                              "of 2 bytes in the memory of {}, which moves {}; {}. How many times as fast is it as one "
                              "kernel that only reads a and b and writes e? Leave arithmetic and caches out.",
                              device.name, rate, launch.words),
                  times_as_fast,
                  chain_s(3, apart) / chain_s(1, fused),
                  0.1,
                  fmt::format("(3 launches + {} / B) / (1 launch + {} / B) = {} / {}.", format_quantity(apart, "byte"),
                              format_quantity(fused, "byte"), format_quantity(chain_s(3, apart), "s"),
                              format_quantity(chain_s(1, fused), "s")),
                  ExerciseKind::predict,
                  {{"the bytes alone", apart / fused, wrong_way_credit}, {"the launches alone", 3, wrong_way_credit}}});
}

/// A product whose intensity lies between the ridges of both units.
void add_matrix(std::vector<Exercise>& list, const ExerciseDevice& device) {
  for (const DType dtype : {DType::bf16, DType::fp16}) {
    const auto sides = sides_of(device, dtype);
    double vector = 0;
    for (const ComputeRoof& roof : device.machine.roofline.compute()) {
      if (roof.unit == Unit::vector && roof.dtype == dtype && roof.at != OperatingPoint::library)
        vector = std::max(vector, roof.flop_per_s);
    }
    if (!sides || vector <= 0 || sides->peak < 2 * vector) continue;
    const double intensity = std::round(sides->ridge() / 2), by_vector = std::min(vector, intensity * sides->bandwidth);
    const double gain = sides->most(intensity) / by_vector;
    list.push_back(
        {"matrix/" + device.letter,
         fmt::format("In {} the matrix units of {} do {}, its vector units {}; main memory does {}. A product has "
                     "{:.0f} flop/byte. How many times as fast can it be in the matrix units as in the vector units?",
                     to_string(dtype), device.name, format_quantity(sides->peak, "flop/s"),
                     format_quantity(vector, "flop/s"), format_quantity(sides->bandwidth, "byte/s"), intensity),
         times_as_fast,
         gain,
         0.1,
         fmt::format("min(P, I x B): {} and {}. The peaks alone would say {:.3g}, but memory holds the matrix units "
                     "back.",
                     format_quantity(sides->most(intensity), "flop/s"), format_quantity(by_vector, "flop/s"),
                     sides->peak / vector),
         ExerciseKind::predict,
         {{"the peaks alone", sides->peak / vector, wrong_way_credit}}});
    return;
  }
}

}  // namespace

void add_serving(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  const ExerciseDevice *host = first_device(devices, true), *device = first_device(devices, false);
  if (!device) return;
  for (const ExerciseDevice* one : {host, device}) {
    if (!one) continue;
    if (const auto best = fastest(*one)) add_tokens(list, *one, best->first, best->second);
  }
  if (const auto best = fastest(*device)) {
    add_batches(list, *device, best->first, best->second);
    add_launches(list, *device, best->second);
  }
  add_matrix(list, *device);
}

}  // namespace gable::questions
