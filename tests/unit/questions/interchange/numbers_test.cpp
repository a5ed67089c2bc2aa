#include "core/questions/interchange/numbers.hpp"

#include <gtest/gtest.h>

#include <initializer_list>

#include "core/error.hpp"

namespace gable::interchange {
namespace {

/// Of a file that holds these numbers and no others.
Numbers file_of(std::initializer_list<const char*> texts) {
  Numbers numbers;
  int line = 1;
  for (const char* text : texts) numbers.see(text, line++);
  return numbers;
}

TEST(Numbers, OtherNumbersOfTheFileTellWhatASeparatorMeans) {
  EXPECT_EQ(file_of({"117.344", "12.5"}).value("117.344", 1), 117.344) << "12.5 has a fraction, so points divide";
  EXPECT_EQ(file_of({"117.344", "12,5"}).value("117.344", 1), 117344) << "12,5 has a fraction, so points group";
  EXPECT_EQ(file_of({"117,344", "1,234,567"}).value("117,344", 1), 117344) << "two commas can only group";
  EXPECT_EQ(file_of({"1.234.567"}).value("1.234.567", 1), 1234567);
  EXPECT_EQ(file_of({"1.234,5"}).value("1.234,5", 1), 1234.5);
  EXPECT_EQ(file_of({"1,234.5"}).value("1,234.5", 1), 1234.5);
  EXPECT_EQ(file_of({"0.125"}).value("0.125", 1), 0.125) << "no group begins with a single 0";
  EXPECT_EQ(file_of({"1234.567"}).value("1234.567", 1), 1234.567) << "groups have three digits";
  EXPECT_EQ(file_of({"1.234e+03"}).value("1.234e+03", 1), 1234);
}

TEST(Numbers, WhatNoNumberTellsIsRefused) {
  EXPECT_THROW(file_of({"117.344"}).value("117.344", 1), Error);
  EXPECT_THROW(file_of({"117,344"}).value("117,344", 1), Error);
  EXPECT_THROW(file_of({"1.5", "1,5"}).value("1.5", 1), Error) << "both cannot divide";
  EXPECT_EQ(file_of({"117344"}).value("117344", 1), 117344) << "nothing to doubt without a separator";
}

TEST(Numbers, BlanksAndApostrophesOnlyGroup) {
  EXPECT_EQ(file_of({}).value("1 234 567", 1), 1234567);
  EXPECT_EQ(file_of({}).value("1'234'567", 1), 1234567);
  EXPECT_EQ(file_of({"1\xE2\x80\xAF"
                     "234,5"})
                .value("1\xE2\x80\xAF"
                       "234,5",
                       1),
            1234.5)
      << "a narrow blank";
}

TEST(Numbers, WhatStandsForNoNumberIsNothingAndOtherTextIsRefused) {
  for (const char* text : {"", "n/a", "nan", "nil", "<not counted>", "<not supported>"})
    EXPECT_EQ(file_of({}).value(text, 1), std::nullopt) << text;
  for (const char* text : {"12 apples", "0x10", "1-2", "--1"}) EXPECT_THROW(file_of({}).value(text, 7), Error) << text;
}

TEST(Numbers, TimestampsOfNineteenDigitsKeepTheirNanoseconds) {
  // 37 ns apart: doubles of this size are 256 apart
  EXPECT_EQ(file_of({}).difference("1763936786123456826", "1763936786123456789", 1), 37);
  EXPECT_EQ(file_of({"10.5"}).difference("10.5", "8", 1), 2.5);
  EXPECT_EQ(file_of({}).difference("<not counted>", "8", 1), std::nullopt);
}

TEST(Units, AreMultiplesOfOneOfTheirBases) {
  EXPECT_EQ(unit_factor("Kbyte", {"byte", "B"}), 1e3);
  EXPECT_EQ(unit_factor("KiB", {"byte", "B"}), 1024);
  EXPECT_EQ(unit_factor("GiB", {"byte", "B"}), 1024.0 * 1024 * 1024);
  EXPECT_EQ(unit_factor("nsecond", {"second", "s"}), 1e-9);
  EXPECT_EQ(unit_factor("us", {"second", "s"}), 1e-6);
  EXPECT_EQ(unit_factor("msecond", {"second", "s"}), 1e-3);
  EXPECT_EQ(unit_factor("Giops", {"ops", "iops"}), 1e9) << "integer operations, no binary prefix";
  EXPECT_EQ(unit_factor("Minst", {"", "inst"}), 1e6);
  EXPECT_EQ(unit_factor("", {"", "inst"}), 1);
  EXPECT_EQ(unit_factor("byte/second", {"byte"}), std::nullopt);
  EXPECT_EQ(unit_factor("cycle", {"second", "s"}), std::nullopt);
}

}  // namespace
}  // namespace gable::interchange
