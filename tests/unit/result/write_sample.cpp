// Writes the sample result to the file named by the argument, for the independent validator.
#include "core/result/store.hpp"
#include "sample.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  gable::result::save(gable::test::full_result(), argv[1]);
}
