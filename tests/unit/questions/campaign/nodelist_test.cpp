// Lists as Slurm's documentation has them (slurm.conf(5), scontrol(1) "show hostnames").
#include "core/questions/campaign/nodelist.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.hpp"

namespace gable::campaign {
namespace {

using Names = std::vector<std::string>;

TEST(Nodelist, IsExpanded) {
  EXPECT_EQ(expand_nodelist("n[001-004,007]"), (Names{"n001", "n002", "n003", "n004", "n007"}));
  EXPECT_EQ(expand_nodelist("login,n[8-10]"), (Names{"login", "n8", "n9", "n10"}));
  EXPECT_EQ(expand_nodelist("r[1-2]n[01-02]"), (Names{"r1n01", "r1n02", "r2n01", "r2n02"}));
  EXPECT_EQ(expand_nodelist("a,a,a[1,1]"), (Names{"a", "a1"}));
  EXPECT_EQ(expand_nodelist("n[99-101].rack"), (Names{"n99.rack", "n100.rack", "n101.rack"}));
}

TEST(Nodelist, IsCompressed) {
  EXPECT_EQ(compress_nodelist(Names{"n001", "n002", "n003", "n004", "n007"}), "n[001-004,007]");
  EXPECT_EQ(compress_nodelist(Names{"n10", "n9", "n8", "login"}), "login,n[8-10]");
  EXPECT_EQ(compress_nodelist(Names{"n7"}), "n7");
  EXPECT_EQ(compress_nodelist(Names{"n", "n1", "n2"}), "n,n[1-2]");
  EXPECT_EQ(compress_nodelist(Names{}), "");
  // n09 and n10 have one width, n9 and n10 are counted without zeros: none may become another
  EXPECT_EQ(compress_nodelist(Names{"n9", "n09", "n10"}), "n[09,9-10]");
}

TEST(Nodelist, ComesBackTheSame) {
  Names names;
  for (int i = 0; i < 3000; i += 1 + i % 3) names.push_back("rack" + std::to_string(i % 7) + "-" + std::to_string(i));
  for (const char* odd : {"n01", "n1", "n001", "x", "1", "01", "n18446744073709551616", "n99999999999999999999999"})
    names.emplace_back(odd);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  Names again = expand_nodelist(compress_nodelist(names));
  std::ranges::sort(again);
  EXPECT_EQ(again, names);
}

TEST(Nodelist, WhatIsNoneIsRefused) {
  for (const char* text : {"",       ",",     "n[",           "n]",
                           "n[1",    "n[1-]", "n[-2]",        "n[2-1]",
                           "n[[1]]", "n[a]",  "n[]",          "a,,b",
                           "../n1",  "n 1",   "n[1-1000001]", "n[1-2000][1-2000]",
                           ".n",     "-n",    "n1.summary",   "n[1-99999999999999999999]",
                           "$(x)"})
    EXPECT_THROW(expand_nodelist(text), Error) << text;
}

TEST(NodeName, IsSafeForFilesAndShortWhereThePlanIs) {
  const Names expected{"n001", "n002"};
  EXPECT_EQ(node_name("n001.cluster.local", expected), "n001");
  EXPECT_EQ(node_name("n003.cluster.local", expected), "n003.cluster.local");
  EXPECT_EQ(node_name("../../etc/passwd", {}), "_._.._etc_passwd");
  EXPECT_EQ(node_name("", {}), "_");
  EXPECT_EQ(node_name(std::string(300, 'x'), {}).size(), 200u);
}

}  // namespace
}  // namespace gable::campaign
