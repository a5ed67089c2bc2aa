// The readers under libFuzzer, which looks for inputs that reach new code. The first byte of an input is the number of
// the reader, the rest is what it reads. Half of the mutations are libFuzzer's, half those of mutation.hpp.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "mutation.hpp"
#include "readers.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace gable::attack {
namespace {

/// Those that read in this process: libFuzzer sees nothing of another.
const std::vector<Reader>& in_process() {
  static const std::vector<Reader> some = [] {
    const std::string folder =
        (std::filesystem::temp_directory_path() / ("gable-fuzz-" + std::to_string(::getpid()))).string();
    std::filesystem::create_directories(folder);
    auto all = readers(folder);
    std::erase_if(all, [](const Reader& one) { return one.starts_program; });
    return all;
  }();
  return some;
}

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data) + 1, size - 1};
}

std::size_t write(std::uint8_t* data, std::size_t most, std::size_t reader, std::string_view text) {
  data[0] = static_cast<std::uint8_t>(reader);
  const std::size_t length = std::min(text.size(), most - 1);
  std::memcpy(data + 1, text.data(), length);
  return 1 + length;
}

}  // namespace
}  // namespace gable::attack

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gable::attack;
  if (size == 0 || data[0] >= in_process().size()) return -1;  // not for the corpus
  Random random(size);
  try {
    in_process()[data[0]].read(std::string(text_of(data, size)), random);
  } catch (const gable::Error&) {
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  using namespace gable::attack;
  const auto& all = in_process();
  Random random(seed);
  if (most < 2) return size;
  if (size < 2 || data[0] >= all.size() || below(random, 50) == 0) {
    const std::size_t reader = below(random, all.size());
    return write(data, most, reader, all[reader].seeds[below(random, all[reader].seeds.size())]);
  }
  if (below(random, 2) == 0) return 1 + LLVMFuzzerMutate(data + 1, size - 1, most - 1);
  try {
    const std::size_t reader = data[0];
    return write(data, most, reader, all[reader].mutate(std::string(text_of(data, size)), random).text);
  } catch (const std::exception&) {  // no JSON any more
    return 1 + LLVMFuzzerMutate(data + 1, size - 1, most - 1);
  }
}
