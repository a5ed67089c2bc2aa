#include <gtest/gtest.h>

#include <string>

#include "imported_file.hpp"

namespace gable {
namespace {

using namespace test;
using Caliper = OtherTools;

/// Two regions in another and one row outside all of them; the second row of "sum" is of another place in the program.
std::string split(const std::string& time, const std::string& metadata = "") {
  return R"({ "data": [ [ 0, 0.5, null ], [ 0, 0.25, 0 ], [ 0, 2.0, 1 ], [ 0, 1.0, 2 ], [ 0, 0.5, 2 ], [ 0, 0, 3 ] ],
  "columns": [ "mpi.rank", ")" +
         time + R"(", "path" ],
  "column_metadata": [ { "is_value": true }, { "is_value": true)" +
         metadata + R"( }, { "is_value": false } ],
  "nodes": [ { "label": "main", "column": "path" }, { "label": "set up", "column": "path", "parent": 0 },
             { "label": "sum", "column": "path", "parent": 0 }, { "label": "idle", "column": "path", "parent": 2 } ],
  "cali.caliper.version": "2.11.0" })";
}

TEST_F(Caliper, RegionsAreNamedWithThoseAroundThem) {
  const auto result = files.read(split("time", R"(, "attribute.alias": "time", "attribute.unit": "sec")"));
  ASSERT_EQ(result.points.size(), 3U) << "a region without a time of its own is none";
  const Point& point = result.points.at(2);
  EXPECT_EQ(point.op, "main / sum");
  EXPECT_EQ(point.implementation, "imported/caliper");
  EXPECT_EQ(point.imported->version, "2.11.0");
  EXPECT_EQ(point.imported->counters, std::vector<std::string>{"time"});
  EXPECT_DOUBLE_EQ(point.time.value, 1.5);
  EXPECT_DOUBLE_EQ(result.points.at(0).time.value, 0.25) << "exclusive: main without the regions in it";
  EXPECT_TRUE(lacks(point, "operations"));
  EXPECT_TRUE(lacks(point, "bytes of the main memory"));
  EXPECT_FALSE(point.regime);
  ASSERT_EQ(result.notes.size(), 2U) << "the region without a time, and what is outside";
}

TEST_F(Caliper, UnitsAreThoseOfTheFile) {
  const auto seconds = [&](const std::string& text) { return files.read(text).points.at(1).time.value; };
  EXPECT_DOUBLE_EQ(seconds(split("sum#time.duration.ns")), 2e-9);
  EXPECT_DOUBLE_EQ(seconds(split("sum#time.duration", R"(, "time.unit": "usec")")), 2e-6);
  EXPECT_DOUBLE_EQ(seconds(split("sum#avg#sum#time.duration")), 2);
  const auto notes = files.read(split("sum#time.duration")).notes;
  EXPECT_NE(notes.front().find("no unit"), std::string::npos) << "it is not told, so it is said";
  refuses(split("time", R"(, "attribute.unit": "cycles")"), "'cycles'");
}

TEST_F(Caliper, RecordsJoinRegionsBySlashes) {
  const auto result = files.read(R"([
{"path":"main","time":0.25},
{"time":0.5},
{"path":"main/solve","time":2.0,"count":7},
{"path":"main/solve","count":3}
])");
  ASSERT_EQ(result.points.size(), 2U);
  EXPECT_EQ(result.points.at(1).op, "main / solve");
  EXPECT_DOUBLE_EQ(result.points.at(1).time.value, 2);
}

TEST_F(Caliper, WhatWouldCountTwiceIsRefused) {
  refuses(split("sum#avg#inclusive#sum#time.duration"), "inclusive");
  refuses(split("count"), "no exclusive time");
  std::string ranks = split("time");
  ranks.replace(ranks.find("[ 0, 1.0"), 3, "[ 1");
  refuses(ranks, "several MPI ranks (0, 1)");
}

TEST_F(Caliper, RawAndDamagedFilesAreRefusedInOneLine) {
  const std::string raw = files.message("__rec=node,id=12,attr=10,data=276,parent=3\n__rec=ctx,ref=12,attr=8,data=5\n");
  EXPECT_NE(raw.find("cali-query -q \"SELECT * FORMAT json-split\""), std::string::npos) << raw;
  const auto spoilt = [&](const std::string& old, const std::string& now) {
    std::string text = split("time");
    text.replace(text.find(old), old.size(), now);
    return files.message(text);
  };
  EXPECT_NE(spoilt("2.0, 1 ]", "2.0, 9 ]").find("/data/2/2: no node of this index"), std::string::npos);
  EXPECT_NE(spoilt("\"parent\": 2", "\"parent\": 3").find("/nodes/3/parent"), std::string::npos) << "its own parent";
  EXPECT_NE(spoilt("[ 0, 2.0, 1 ]", "[ 0, 2.0 ]").find("/data/2: expected an array of 3 cells"), std::string::npos);
  EXPECT_NE(spoilt("2.0, 1 ]", "-2.0, 1 ]").find("/data/2/1"), std::string::npos);
  const std::string whole = split("time");
  EXPECT_NE(files.message(whole.substr(0, whole.size() / 2)), "");
}

}  // namespace
}  // namespace gable
