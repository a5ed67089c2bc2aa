#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/questions/course/exercise.hpp"

/// What the parts of exercises() share.
namespace gable::questions {

/// Main memory and the highest roof of a type: all that the simplest roofline needs.
struct Sides {
  double peak{}, bandwidth{};  ///< flop/s, byte/s
  std::string label;           ///< of the peak
  double ridge() const { return peak / bandwidth; }
  double most(double intensity) const;            ///< flop/s
  double time(double flops, double bytes) const;  ///< s
};

/// Nothing of integers, and where one of the two is not known.
std::optional<Sides> sides_of(const ExerciseDevice& device, DType dtype);

/// What stands for a name in the texts of an exercise: words, a number, or a figure of files.
struct Word {
  std::string text;
  double number{};
  Word(std::string words) : text(std::move(words)) {}
  Word(std::string_view words) : text(words) {}
  Word(const char* words) : text(words) {}
  Word(double value);
  Word(int count) : text(std::to_string(count)), number(count) {}
  Word(double value, std::string_view unit);
};
using Words = std::vector<std::pair<const char*, Word>>;
Words operator+(Words words, const Words& more);
/// Of a device: "device", "letter", "dtype", "peak", "memory", "ridge".
Words words_of(const ExerciseDevice& device, DType dtype, const Sides& sides);

/// Adds "bits for bytes" to the known mistakes of an answer that is proportional to a bandwidth, or to bytes.
void add_bits(Exercise& exercise);

/// Adds an exercise that data/exercises.json has the texts of, "simd/why", about `where`: its id is "simd/A/why".
void ask(std::vector<Exercise>& list, std::string_view name, const std::string& where, double answer,
         const Words& words);

/// "2 cores", "132 multiprocessors".
std::string units_text(const ExerciseDevice& device, int threads);

/// The device that a row belongs to, at the scope that is asked about; null where there is none.
template <class Row>
const ExerciseDevice* device_of(std::span<const ExerciseDevice> devices, const Row& row) {
  for (const ExerciseDevice& device : devices) {
    if (device.scope && device.id == row.device && *device.scope == row.scope) return &device;
  }
  return nullptr;
}

/// The first device that is, or is not, a processor; null where there is none.
const ExerciseDevice* first_device(std::span<const ExerciseDevice> devices, bool processor);

/// Of a device whose launch nobody measured 10 us: a launch and the wait for it take about as long on many.
struct Launch {
  double seconds{};
  std::string words;
};
Launch launch_of(const ExerciseDevice& device);

/// Whether a figure within [low, high] is what a textbook says: all of it within 15 %, or none of it.
enum class Evidence { bears_out, contradicts, too_uncertain };
Evidence evidence(double textbook, double low, double high);

/// The peak by cores and clock; what vectors, narrower types, fused multiply-add, cores, stores past the caches and
/// replayed graphs give, one by one.
void add_ablations(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices);

/// Operators that ran in several kernels and as one.
void add_fusion(std::vector<Exercise>& list, const Result& result, std::span<const ExerciseDevice> devices,
                Operators operators);

/// From which size on the first device that is handed its work beats the first processor.
void add_crossings(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices);

/// A language model on the first processor and the first GPU, with its batch, precision, chains of kernels and
/// launches; matrix units against vector units.
void add_serving(std::vector<Exercise>& list, std::span<const ExerciseDevice> devices);

}  // namespace gable::questions
