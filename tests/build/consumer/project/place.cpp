// What some work would take at least on a machine, by the C++ interface: place MACHINE FLOP BYTE.
#include <cstdio>
#include <vector>

#include "core/error.hpp"
#include "core/verdict/named_machine.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  try {
    const auto machine = gable::machine_named(argv[1]);
    gable::Stage stage;
    stage.work = {{gable::Unit::multiply_add, std::atof(argv[2])}};
    stage.bytes_read = stage.working_set = std::atof(argv[3]);
    const auto judged = machine.roofline.judge(std::vector{stage}, gable::uniform_types(gable::DType::fp32), true);
    if (!judged.bound) throw gable::Error("no roof of " + machine.name + " applies");
    std::printf("%s: %.3g s, %s\n", machine.name.c_str(), judged.bound->time_s, judged.bound->limit.label.c_str());
  } catch (const gable::Error& error) {
    std::fprintf(stderr, "place: %s\n", error.what());
    return 2;
  }
}
