#include "backends/mpi/keeper.hpp"

#include <gtest/gtest.h>

#include "core/result/store.hpp"
#include "tests/unit/result/files.hpp"
#include "tests/unit/result/sample.hpp"

namespace gable {
namespace {

class Keeper : public test::FolderTest {};

/// Two that were started with one output: the second to have a row ends, and the first one's stay.
TEST_F(Keeper, DoesNotReplaceWhatAnotherProgramMeasures) {
  Result one = test::full_result(), other = one;
  one.notes = {"of the first"};
  mpi::Keeper first(one, file("r.json"), false), second(other, file("r.json"), false);
  first.keep();
  const std::string exists = "cannot write " + file("r.json").string() + ": File exists";
  EXPECT_EQ(error_of([&] { second.keep(); }), exists);
  EXPECT_EQ(error_of([&] { second.save_part("it could not be kept"); }), exists);
  first.save();
  EXPECT_EQ(result::load(file("r.json")).notes.front(), "of the first");
}

}  // namespace
}  // namespace gable
