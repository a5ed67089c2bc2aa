#include "backends/kokkos/tool/declarations.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "folder.hpp"

namespace gable::tool {
namespace {

const Lookup nothing = [](std::string_view) { return std::optional<double>(); };

std::string refusal(const std::string& lines) {
  const test::Folder folder;
  const std::string file = folder.write("work.csv", lines);
  try {
    read_declarations(file);
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).substr(file.size());
  }
  return "accepted";
}

TEST(Declarations, FitANameWithItsParametersOrWithout) {
  const test::Folder folder;
  const auto list = read_declarations(
      folder.write("work.csv", "label,flops,bytes\n\"gemm[m=1,n=1]\",7,7\ngemm,2*m*n,8*(m+n)\nnorm *,1,1\n"));
  EXPECT_EQ(find_declaration(list, "gemm[m=1,n=1]"), &list[0]);
  EXPECT_EQ(find_declaration(list, "gemm[m=2,n=1]"), &list[1]);
  EXPECT_EQ(find_declaration(list, "norm of x"), &list[2]);
  EXPECT_EQ(find_declaration(list, "gemm2"), nullptr);
}

TEST(Declarations, HaveTheWorkThatTheirParametersGive) {
  const Declaration one{.label = "gemm", .flops = "2*m*n*k", .bytes = "8*(m*n + n*k + m*k)"};
  const Work work = work_of(one, [](std::string_view name) -> std::optional<double> {
    return name == "m" ? 2 : name == "n" ? 3 : 4;
  });
  EXPECT_EQ(work.flops, 48);
  EXPECT_EQ(work.bytes, 208);
}

TEST(Declarations, RefuseWorkThatIsNone) {
  EXPECT_THROW(work_of({.label = "a", .flops = "n", .bytes = "1"}, nothing), std::runtime_error);
  const Lookup zero = [](std::string_view) { return std::optional<double>(0); };
  EXPECT_THROW(work_of({.label = "a", .flops = "n-1", .bytes = "1"}, zero), std::runtime_error);
  EXPECT_THROW(work_of({.label = "a", .flops = "1/n", .bytes = "1"}, zero), std::runtime_error);
  EXPECT_THROW(work_of({.label = "a", .flops = "n/n", .bytes = "1"}, zero), std::runtime_error);
}

TEST(Declarations, NameTheLineThatCannotBeRead) {
  const std::string header = "label,flops,bytes\n";
  EXPECT_EQ(refusal(header + "a,2*n,8\n"), "accepted");
  EXPECT_EQ(refusal(header + "a,1/(n-1),8\n"), "accepted");  // n may be anything but 1
  EXPECT_EQ(refusal(header + "a,1,1\nb,2*,8\n"), ":3: '2*' cannot be read to its end");
  EXPECT_EQ(refusal(header + "a,-1,8\n").substr(0, 9), ":2: '-1' ");
  EXPECT_EQ(refusal(header + "a,,8\n"), ":2: '' cannot be read to its end");
  EXPECT_EQ(refusal("label,flops\na,1\n"), ":1: no column 'bytes'");
}

}  // namespace
}  // namespace gable::tool
