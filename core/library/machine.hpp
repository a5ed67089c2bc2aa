#pragma once
#include <string>
#include <vector>

#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/verdict/machine_model.hpp"

/// What the C interface (gable.h) and the Python module share.
namespace gable::library {

/// A machine by name (machine_named()) with its measured points.
struct Machine {
  MachineModel model;
  std::vector<Point> points;  ///< of the device; none of a product of the catalogue
};

/// Throws Error as machine_named().
Machine open(const std::string& name);

/// A roof as programs see it.
struct Roof {
  LimitKind kind{};
  std::string label;
  double value{};                                                     ///< flop/s or op/s, byte/s, s
  double low{}, high{};                                               ///< 95 % interval; the value where there is none
  std::string level{}, unit{}, dtype{}, operating_point{}, access{};  ///< empty where a kind has none
};
/// Those of arithmetic, of bandwidths (links too), then the launch.
std::vector<Roof> roofs_of(const Roofline& roofline);

/// Work in one type and unit.
struct Work {
  std::string dtype;
  std::string unit{};                                   ///< empty: products, whichever unit is the faster
  double operations{};                                  ///< flop or op
  double bytes_read{}, bytes_written{}, working_set{};  ///< byte; a working set of 0: all bytes
  int launches{1};
  bool cold{};
};

/// What the roofs say of the work. Throws Error for a type or unit that is not known, a figure that is negative or not
/// finite, less than one launch, and where no roof applies.
Judgement judge(const Roofline& roofline, const Work& work);

}  // namespace gable::library
