#include "core/text/safe_text.hpp"

#include <gtest/gtest.h>

namespace gable {
namespace {

TEST(SafeText, PrintableIsOneLineOfUtf8WithoutControls) {
  EXPECT_EQ(printable("plain ü €"), "plain ü €");
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("red\x1b[31m\a\x7f"), "red?[31m??");
  EXPECT_EQ(printable("c1 \xC2\x9B"), "c1 ?") << "CSI as one character of Latin-1";
  EXPECT_EQ(printable("bad\xFF\xC3"), "bad\uFFFD\uFFFD");
  EXPECT_EQ(printable("surrogate \xED\xA0\x80").find('\xED'), std::string::npos);
  EXPECT_EQ(printable("none \uFFFE\uFFFF"), "none \uFFFD\uFFFD");
  EXPECT_EQ(printable("\u202Egnp.exe"), "?gnp.exe") << "an override of the direction shows another name";
}

TEST(SafeText, MarkupHasEntitiesAndNoCharacterThatXmlForbids) {
  EXPECT_EQ(for_markup("a & <b> \"c\" 'd' ]]>"), "a &amp; &lt;b&gt; &quot;c&quot; &#39;d&#39; ]]&gt;");
  EXPECT_EQ(for_markup("\x01\uFFFE"), "?\uFFFD");
}

TEST(SafeText, GnuplotReadsItAsOneStringAndRunsNothing) {
  EXPECT_EQ(for_gnuplot("'quoted' $HOME"), "\"'quoted' $HOME\"");
  EXPECT_EQ(for_gnuplot("a\"b\\c`id`"), R"("a\042b\134c\140id\140")");
  EXPECT_EQ(for_gnuplot("x]]>]]>"), "\"x]] >]] >\"");
}

TEST(SafeText, SpreadsheetsTakeNoFormulaFromCsv) {
  for (const char* formula : {"=cmd|' /C calc'!A0", "@SUM(1)", "+1+cmd", "-2+3", "\t=1"})
    EXPECT_TRUE(for_csv(formula).starts_with('\'')) << formula;
  EXPECT_EQ(for_csv("=a,b"), "\"'=a,b\"");
  for (const char* plain : {"-3.5e-2", "+7", "gemm", "a=b", ""}) EXPECT_EQ(for_csv(plain), plain);
  EXPECT_EQ(for_csv("say \"hi\",\nnow"), "\"say \"\"hi\"\",\nnow\"");
  EXPECT_EQ(for_csv("a\x1b[31m\nb\xff"), "\"a?[31m\nb\xef\xbf\xbd\"");
  EXPECT_EQ(for_csv(""), "");
}

}  // namespace
}  // namespace gable
