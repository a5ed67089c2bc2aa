#include "core/model/units.hpp"

#include <gtest/gtest.h>

#include <string>

#include "core/error.hpp"
#include "tests/unit/error_of.hpp"

using namespace gable;

TEST(Units, FormatsWithThreeDigitsAndAPrefix) {
  EXPECT_EQ(format_quantity(1.5e12, "op"), "1.5 TOP");
  EXPECT_EQ(format_quantity(23.4e9, "byte/s"), "23.4 GB/s");
  EXPECT_EQ(format_quantity(1.2e12, "flop/s"), "1.2 TFLOP/s");
  EXPECT_EQ(format_quantity(1.979e15, "op/s"), "1.98 POP/s");
  EXPECT_EQ(format_quantity(850e-9, "s"), "850 ns");
  EXPECT_EQ(format_quantity(41.79e-3, "s"), "41.8 ms");
  EXPECT_EQ(format_quantity(3.5e-6, "s"), "3.5 us");
  EXPECT_EQ(format_quantity(12, "s"), "12 s");
  EXPECT_EQ(format_quantity(2.45e9, "Hz"), "2.45 GHz");
  EXPECT_EQ(format_quantity(26.214e6, "byte"), "26.2 MB");
  EXPECT_EQ(format_quantity(0, "byte/s"), "0 B/s");
  EXPECT_EQ(format_quantity(295.224, "flop/byte"), "295 flop/byte");
}

TEST(Units, RoundingUpMovesToTheNextPrefix) {
  EXPECT_EQ(format_quantity(999.4e9, "byte/s"), "999 GB/s");
  EXPECT_EQ(format_quantity(999.7e9, "byte/s"), "1 TB/s");
  EXPECT_EQ(format_quantity(99.96e9, "byte/s"), "100 GB/s");
}

TEST(Units, ReadsWhatPeopleAndDatasheetsWrite) {
  struct Case {
    const char *text, *unit;
    double value;
  };
  for (const Case& one : {
           Case{"989TFLOPS", "flop/s", 989e12},
           {"989TFLOP/s", "flop/s", 989e12},
           {"312T", "flop/s", 312e12},
           {"1.979 PFLOPS", "flop/s", 1979e12},
           {"1979TOPS", "flop/s", 1979e12},
           {"362 Tops", "op/s", 362e12},
           {"4.8TB/s", "byte/s", 4.8e12},
           {"3350GB/s", "byte/s", 3.35e12},
           {"3.35TB/s", "byte/s", 3.35e12},
           {"2T", "byte/s", 2e12},
           {"1GiB/s", "byte/s", 1073741824},
           {"80GB", "byte", 80e9},
           {"80GiB", "byte", 85899345920},
           {"5us", "s", 5e-6},
           {"90s", "s", 90},
           {"0.7kW", "W", 700},
           {"700W", "W", 700},
       })
    EXPECT_DOUBLE_EQ(parse_quantity(one.text, one.unit, "a form"), one.value) << one.text;
  for (const auto* unit : {"flop", "byte", "1", "flop/byte", "s", "W"}) EXPECT_EQ(parse_quantity("4.8", unit), 4.8);
}

/// One line that names the text and shows how it is written.
TEST(Units, AFigureWithoutAUnitOrOfAnotherIsRefusedWithTheForm) {
  struct Case {
    const char *text, *unit, *form;
  };
  for (const Case& one : {
           Case{"4.8", "byte/s", "4.8TB/s"},
           {"989", "flop/s", "989TFLOP/s"},
           {"4.8e12", "byte/s", "4.8TB/s"},
           {"80", "byte", "80GB"},
           {"5", "s", "5us"},
           {"400Gb/s", "byte/s", "4.8TB/s"},
           {"4.8TB", "byte/s", "4.8TB/s"},
           {"989TB/s", "flop/s", "989TFLOP/s"},
           {"fast", "flop/s", "989TFLOP/s"},
           {"4,8TB/s", "byte/s", "4.8TB/s"},
       }) {
    const std::string what = error_of([&] { parse_quantity(one.text, one.unit, one.form); });
    EXPECT_TRUE(what.starts_with('"' + std::string(one.text) + '"')) << what;
    EXPECT_TRUE(what.ends_with(std::string("write it like ") + one.form)) << what;
  }
}

TEST(Units, ParsesSizes) {
  EXPECT_EQ(parse_quantity("1GiB", "byte"), 1073741824.0);
  EXPECT_EQ(parse_quantity("64kB", "byte"), 64000.0);
  EXPECT_EQ(parse_quantity("32KiB", "byte"), 32768.0);
  EXPECT_EQ(parse_quantity("2.5e9", "byte"), 2.5e9);
  EXPECT_EQ(parse_quantity("512 byte", "byte"), 512.0);
}

TEST(Units, ParsesRatesAndTimes) {
  EXPECT_EQ(parse_quantity("3.35TB/s", "byte/s"), 3.35e12);
  EXPECT_EQ(parse_quantity("989T", "flop/s"), 989e12);
  EXPECT_EQ(parse_quantity("312e12 flop/s", "flop/s"), 312e12);
  EXPECT_EQ(parse_quantity("1.2 TFLOP/s", "flop/s"), 1.2e12);
  EXPECT_EQ(parse_quantity("2Tflop/s", "flop/s"), 2e12);
  EXPECT_DOUBLE_EQ(parse_quantity("5us", "s"), 5e-6);
  EXPECT_DOUBLE_EQ(parse_quantity("3 ms", "s"), 3e-3);
  EXPECT_EQ(parse_quantity("2.45GHz", "Hz"), 2.45e9);
  EXPECT_EQ(parse_quantity("400 Gbit/s", "byte/s"), 50e9);
  EXPECT_EQ(parse_quantity("400Gbps", "byte/s"), 50e9);
  EXPECT_EQ(parse_quantity("8 kbit", "byte"), 1000.0);
}

TEST(Units, WhatIsPrintedIsRead) {
  for (const double value : {1.0, 23.4e9, 1.5e3, 999e12, 7.25e6}) {
    for (const char* unit : {"byte/s", "flop/s", "op/s", "byte", "Hz"}) {
      EXPECT_DOUBLE_EQ(parse_quantity(format_quantity(value, unit), unit), value) << value << ' ' << unit;
    }
  }
  for (const double value : {3e-9, 1.25e-5, 0.5, 3.0}) {
    EXPECT_NEAR(parse_quantity(format_quantity(value, "s"), "s"), value, value * 1e-12);
  }
}

TEST(Units, RefusesWhatIsNoQuantityOfThatUnit) {
  for (const char* text :
       {"", "GB", "abc", "1 XB", "-1", "0", "inf", "nan", "1e400", "1mB", "1B/s", "1GHz", "1 GB extra"}) {
    EXPECT_THROW(parse_quantity(text, "byte"), Error) << text;
  }
  EXPECT_THROW(parse_quantity("1GiB/s", "flop/s"), Error);
  EXPECT_THROW(parse_quantity("5Gs", "s"), Error);
}

TEST(Units, ErrorNamesTheTextOnOneLine) {
  const std::string what = error_of([&] { parse_quantity("12 parsecs", "byte"); });
  EXPECT_NE(what.find("12 parsecs"), std::string::npos);
  EXPECT_EQ(what.find('\n'), std::string::npos);
}

TEST(Units, APrefixStandsAloneWhereTheUnitIsOnTheAxis) {
  EXPECT_EQ(format_prefixed(1.2e12), "1.2 T");
  EXPECT_EQ(format_prefixed(850), "850 ");
  EXPECT_EQ(format_prefixed(999.6e3), "1 M");
}

TEST(Units, RatesAndIntensities) {
  for (const auto* unit : {"flop/s", "op/s", "byte/s"}) EXPECT_TRUE(is_rate(unit)) << unit;
  for (const auto* unit : {"s", "byte", "flop/byte"}) EXPECT_FALSE(is_rate(unit)) << unit;
  EXPECT_TRUE(is_intensity("flop/byte"));
  EXPECT_TRUE(is_intensity("op/byte"));
  EXPECT_FALSE(is_intensity("flop/s"));
}
