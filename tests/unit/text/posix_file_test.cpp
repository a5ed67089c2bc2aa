#include "core/text/posix_file.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace gable {
namespace {

namespace fs = std::filesystem;

/// TMPDIR as a test wants it, for as long as it lasts.
class Tmpdir {
 public:
  explicit Tmpdir(const std::string& folder) {
    if (const char* now = std::getenv("TMPDIR")) before_ = now;
    ::setenv("TMPDIR", folder.c_str(), 1);
  }
  ~Tmpdir() { before_.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", before_.c_str(), 1); }
  Tmpdir(const Tmpdir&) = delete;
  Tmpdir& operator=(const Tmpdir&) = delete;

 private:
  std::string before_;
};

TEST(TemporaryFolder, GoesWithItsObjectAndWithoutTmpdirIsInTmp) {
  fs::path made;
  {
    const Tmpdir missing("/nowhere/at/all");
    const TemporaryFolder folder("gable-test");
    made = folder.path();
    EXPECT_TRUE(fs::is_directory(made));
    EXPECT_EQ(made.parent_path(), "/tmp");
  }
  EXPECT_FALSE(fs::exists(made));
}

/// Who may write to TMPDIR may change what gnuplot is told to do.
TEST(TemporaryFolder, OfAFolderThatOthersMayWriteToIsSaid) {
  const TemporaryFolder all("gable-test");
  const Tmpdir here(all.path().string());
  fs::permissions(all.path(), fs::perms::all);
  testing::internal::CaptureStderr();
  { const TemporaryFolder folder("gable-plot"); }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "gable: any user may write to " + all.path().string() + ", and replace what is written there\n");
}

/// What a killed program left two days ago goes; what is of today, of another name or open as people's own folders
/// stays.
TEST(TemporaryFolder, RemovesWhatKilledProgramsLeft) {
  const TemporaryFolder all("gable-test");
  const Tmpdir here(all.path().string());
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(48);
  for (const char* name : {"gable-plot-aaaaaa", "gable-plot-bbbbbb", "gable-plot-long-aaaaaa", "gable-plot-node01"}) {
    fs::create_directory(all / name);
    fs::permissions(all / name, name == std::string("gable-plot-node01") ? fs::perms(0755) : fs::perms::owner_all);
  }
  for (const char* name : {"gable-plot-aaaaaa", "gable-plot-long-aaaaaa", "gable-plot-node01"})
    fs::last_write_time(all / name, old);
  const TemporaryFolder fresh("gable-plot");
  EXPECT_FALSE(fs::exists(all / "gable-plot-aaaaaa"));
  EXPECT_TRUE(fs::exists(all / "gable-plot-bbbbbb") && fs::exists(all / "gable-plot-node01"));
  EXPECT_TRUE(fs::exists(all / "gable-plot-long-aaaaaa"));
}

}  // namespace
}  // namespace gable
