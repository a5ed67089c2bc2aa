#include <algorithm>
#include <cmath>

#include "core/questions/course/exercise_sides.hpp"

namespace gable::questions {
namespace {

/// A language model of a size that many know: the same in every course.
constexpr double weight_bytes = 2 * 8e9, flops_a_token = 2 * 8e9;
constexpr int launches_a_token = 256, question_tokens = 2048;

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

Words words_of_model(const ExerciseDevice& device, DType dtype, const Sides& sides) {
  const double token_s = flops_a_token / sides.peak, weights_s = weight_bytes / sides.bandwidth;
  return words_of(device, dtype, sides) + Words{{"model",
                                                 "A language model has 8 billion weights of 2 bytes. For each token it "
                                                 "does 2 flop with each of them, and each is read once a pass, however "
                                                 "many tokens that has; leave all else out."},
                                                {"weights_time", {weights_s, "s"}},
                                                {"token_time", {token_s, "s"}},
                                                {"by_arithmetic", 1 / token_s},
                                                {"by_memory", 1 / weights_s},
                                                {"tokens", question_tokens},
                                                {"one", 1},
                                                {"two", 2}};
}

void add_batches(std::vector<Exercise>& list, const ExerciseDevice& device, const Sides& sides, const Words& of_model) {
  const int batch = std::max(1, static_cast<int>(std::round(sides.ridge() * 2 / 3)));
  const Words words =
      of_model +
      Words{{"texts", batch}, {"pass_time", {batch * flops_a_token / sides.peak, "s"}}, {"double", 2 * sides.ridge()}};
  ask(list, "batch", device.letter, sides.ridge() * weight_bytes / flops_a_token, words);
  ask(list, "precision", device.letter, pass_s(sides, batch) / pass_s(sides, batch, weight_bytes / 2), words);
}

void add_launches(std::vector<Exercise>& list, const ExerciseDevice& device, const Sides& sides,
                  const Words& of_model) {
  const Launch launch = launch_of(device);
  if (!(launch.seconds > 0)) return;
  const double weights_s = weight_bytes / sides.bandwidth, launches_s = launches_a_token * launch.seconds;
  // arrays of 2 MB: the sum reads two and writes one, the others read one and write one; as one kernel it is three
  constexpr double apart = 7 * 2e6, fused = 3 * 2e6;
  const double apart_s = 3 * launch.seconds + apart / sides.bandwidth,
               fused_s = launch.seconds + fused / sides.bandwidth;
  const Words words = of_model + Words{{"launch", launch.words},
                                       {"kernels", launches_a_token},
                                       {"launches_time", {launches_s, "s"}},
                                       {"of_weights", 100 * launches_s / weights_s},
                                       {"apart", {apart_s, "s"}},
                                       {"fused", {fused_s, "s"}},
                                       {"bytes_alone", apart / fused},
                                       {"launches_alone", 3}};
  ask(list, "launches", device.letter, 100 * launches_s / (launches_s + weights_s), words);
  ask(list, "chain", device.letter, apart_s / fused_s, words);
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
    if (intensity < 1) continue;
    return ask(list, "matrix", device.letter, sides->most(intensity) / by_vector,
               words_of(device, dtype, *sides) + Words{{"vector", {vector, "flop/s"}},
                                                       {"intensity", intensity},
                                                       {"most", {sides->most(intensity), "flop/s"}},
                                                       {"vector_most", {by_vector, "flop/s"}},
                                                       {"peaks_alone", sides->peak / vector}});
  }
}

}  // namespace

void add_serving(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices) {
  const ExerciseDevice *host = first_device(devices, true), *gpu = first_device(devices, false);
  if (!gpu) return;
  for (const ExerciseDevice* device : {host, gpu}) {
    const auto best = device ? fastest(*device) : std::nullopt;
    if (!best) continue;
    const auto& [dtype, sides] = *best;
    const Words words = words_of_model(*device, dtype, sides);
    ask(list, "decode", device->letter, 1 / pass_s(sides, 1), words);
    ask(list, "prefill", device->letter, question_tokens / pass_s(sides, question_tokens), words);
    if (device == host) continue;
    add_batches(list, *device, sides, words);
    add_launches(list, *device, sides, words);
  }
  add_matrix(list, *gpu);
}

}  // namespace gable::questions
