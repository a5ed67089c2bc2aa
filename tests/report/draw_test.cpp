#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "core/questions/report/report.hpp"
#include "tests/report/sample.hpp"
#include "tests/unit/result/files.hpp"

namespace gable {
namespace {

namespace fs = std::filesystem;
using namespace test;

bool on_path(const std::string& program) {
  std::string path = std::getenv("PATH") ? std::getenv("PATH") : "";
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (::access((path.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

/// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

class Draw : public test::FolderTest {
 protected:
  std::string message(const Result& result, const fs::path& output) const {
    return error_of([&] { report::draw(result, output); });
  }

  /// A program that stands in for gnuplot.
  std::string stand_in(const std::string& body) const {
    const fs::path program = folder() / "stand-in";
    std::ofstream(program) << "#!/bin/sh\n" << body << '\n';
    fs::permissions(program, fs::perms::owner_all);
    return program.string();
  }
};

class DrawWithGnuplot : public Draw {
 protected:
  void SetUp() override {
    Draw::SetUp();
    if (!on_path("gnuplot")) GTEST_SKIP() << "gnuplot is not installed";
  }
};

TEST_F(DrawWithGnuplot, SvgHoldsDeviceOperatorsAndRoofs) {
  const fs::path file = folder() / "roof.svg";
  report::draw(sample_result(Devices::cpu, 8), file);
  const std::string svg = content(file);
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_EQ(occurrences(svg, "<g "), occurrences(svg, "</g>") - occurrences(svg, "<g>"));
  EXPECT_NE(svg.find("Synthetic CPU, node, 16 threads"), std::string::npos);
  for (const char* op : {"relu", "softmax", "layernorm", "gemm"}) EXPECT_NE(svg.find(op), std::string::npos) << op;
  EXPECT_EQ(occurrences(svg, "roof: "), 11u) << "five bandwidths; two types at three operating points";
}

TEST_F(DrawWithGnuplot, TextIsTakenLiterally) {
  Result result = sample_result(Devices::cpu, 1);
  result.devices[0].name = "It's a `date` <CPU & {x}_y^2";
  const fs::path file = folder() / "roof.svg";
  report::draw(result, file);
  EXPECT_NE(content(file).find("It's a `date` &lt;CPU &amp; {x}_y^2"), std::string::npos);
}

TEST_F(DrawWithGnuplot, PngHasTheSizeAskedFor) {
  const fs::path file = folder() / "roof.png";
  render::PlotOptions options{.width_in = 4, .height_in = 3};
  report::draw(sample_result(Devices::both, 20), file, options);
  const std::string png = content(file);
  ASSERT_GT(png.size(), 10000u);
  const auto number = [&](std::size_t at) {
    return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
  };
  EXPECT_EQ(png.substr(1, 3), "PNG");
  EXPECT_EQ(number(16), 600);
  EXPECT_EQ(number(20), 450);
}

TEST_F(DrawWithGnuplot, PdfIsOne) {
  const fs::path file = folder() / "roof.pdf";
  report::draw(sample_result(Devices::gpu, 5), file);
  EXPECT_TRUE(content(file).starts_with("%PDF"));
}

TEST_F(DrawWithGnuplot, LocaleDoesNotMatter) {
  const fs::path plain = folder() / "plain.svg", german = folder() / "german.svg";
  report::draw(sample_result(Devices::cpu, 8), plain);
  if (!fs::exists(GABLE_TEST_LOCALES "/de_DE.UTF-8")) GTEST_SKIP() << "the locale could not be made";
  const Environment path("LOCPATH", GABLE_TEST_LOCALES), all("LC_ALL", "de_DE.UTF-8"),
      numeric("LC_NUMERIC", "de_DE.UTF-8");
  report::draw(sample_result(Devices::cpu, 8), german);
  EXPECT_EQ(content(german), content(plain));
}

TEST_F(Draw, MissingGnuplotNamesThePackage) {
  const Environment path("PATH", folder().string());
  const std::string said = message(sample_result(Devices::cpu, 3), folder() / "roof.svg");
  EXPECT_NE(said.find("gnuplot-nox"), std::string::npos) << said;
  EXPECT_FALSE(fs::exists(folder() / "roof.svg"));
}

TEST_F(Draw, FailingGnuplotIsQuotedAndTheOldPictureStays) {
  const fs::path file = folder() / "roof.svg";
  std::ofstream(file) << "old";
  const Environment program("GABLE_GNUPLOT", stand_in("echo 'line 3: no such terminal' >&2; exit 1"));
  const std::string said = message(sample_result(Devices::cpu, 3), file);
  EXPECT_NE(said.find("line 3: no such terminal"), std::string::npos) << said;
  EXPECT_EQ(content(file), "old");
}

TEST_F(Draw, GnuplotThatDrawsNothingIsAnError) {
  const Environment program("GABLE_GNUPLOT", stand_in("exit 0"));
  EXPECT_NE(message(sample_result(Devices::cpu, 3), folder() / "roof.svg"), "");
  EXPECT_FALSE(fs::exists(folder() / "roof.svg"));
}

TEST_F(Draw, MissingFolderIsNamed) {
  const std::string said = message(sample_result(Devices::cpu, 3), folder() / "absent" / "roof.svg");
  EXPECT_NE(said.find("absent"), std::string::npos) << said;
}

TEST_F(Draw, EmptyResultAndOtherFormatsAreRefused) {
  EXPECT_NE(message({}, folder() / "roof.svg").find("nothing to draw"), std::string::npos);
  EXPECT_NE(message(sample_result(Devices::cpu, 3), folder() / "roof.csv").find("roof.csv"), std::string::npos);
}

}  // namespace
}  // namespace gable
