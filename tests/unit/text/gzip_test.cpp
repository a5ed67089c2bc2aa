#include "core/text/gzip.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "core/error.hpp"

namespace gable {
namespace {

std::string bytes_of(std::string_view hexadecimal) {
  std::string bytes;
  for (std::size_t i = 0; i < hexadecimal.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hexadecimal.substr(i, 2)), nullptr, 16));
  return bytes;
}

/// "roofline" in a stored block, three of them with a fixed code, and squares with a code of their own, by zlib.
const std::string stored = bytes_of("1f8b08000000000000ff010800f7ff726f6f666c696e65002129e908000000");
const std::string fixed = bytes_of("1f8b08000000000000ff2bcacf4fcbc9cc4b5528426700004494795c1a000000");
const std::string dynamic = bytes_of(
    "1f8b08000000000000ff158fdb1100210c025ba103242f4dff8d1df7e5640ccb46148a816542c342341b391cd4f2628a0f4f5ce81cea40214a"
    "5015158e2ce5e40ee5acc36a233c0de2f9ef22c39bcf48e716654a1c5489e1e6e7ee40c732127d87511853a231ff34b8ffdfc5fd376df2e716"
    "6b4a1eac996997e38ab4cc7163da4616c8b2aa49d97ead9703a56df3feeede7f50fb96f465635c9d0f732c3e850b010000");

std::string message(const std::string& bytes, std::size_t most = 1000) {
  try {
    return gunzip(bytes, most);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Gzip, BlocksOfEveryKindAreRead) {
  std::string squares;
  for (int i = 1; i <= 40; ++i) squares += (i > 1 ? " " : "") + std::to_string(i * i) + "/" + std::to_string(i);
  EXPECT_EQ(gunzip(stored, 1000), "roofline");
  EXPECT_EQ(gunzip(fixed, 1000), "roofline roofline roofline");
  EXPECT_EQ(gunzip(dynamic, 1000), squares);
  EXPECT_EQ(gunzip(stored + fixed, 1000), "rooflineroofline roofline roofline") << "files may stand behind one another";
  EXPECT_EQ(gunzip(stored + std::string(512, '\0'), 1000), "roofline") << "zeros pad the blocks of a tape";
  EXPECT_EQ(message(stored + '\0' + fixed), "the gzip file is damaged") << "padding is at the end alone";
  EXPECT_TRUE(is_gzip(stored));
  EXPECT_FALSE(is_gzip("{}"));
}

TEST(Gzip, DamageIsTold) {
  for (std::size_t size = 1; size < dynamic.size(); ++size)
    ASSERT_EQ(message(dynamic.substr(0, size)), "the gzip file was cut off") << size;
  std::string other = stored;
  other[20] ^= 1;
  EXPECT_EQ(message(other), "the gzip file is damaged") << "its checksum";
  EXPECT_EQ(message(stored + "behind it"), "the gzip file is damaged");
  EXPECT_EQ(message(fixed, 25), "the gzip file holds over 0 MiB");
}

}  // namespace
}  // namespace gable
