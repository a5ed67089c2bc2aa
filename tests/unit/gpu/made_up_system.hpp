#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gable::gpu::test {

/// A made-up /sys in a folder of its own, which goes with the test.
class MadeUpSystem : public testing::Test {
 protected:
  MadeUpSystem()
      : root_(std::filesystem::temp_directory_path() /
              ("gable_sys_" + std::to_string(getpid()) +
               testing::UnitTest::GetInstance()->current_test_info()->name())) {}
  ~MadeUpSystem() override { std::filesystem::remove_all(root_); }
  MadeUpSystem(const MadeUpSystem&) = delete;
  MadeUpSystem& operator=(const MadeUpSystem&) = delete;

  void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  std::filesystem::path root_;
};

}  // namespace gable::gpu::test
