#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/result/result.hpp"
#include "core/row_item.hpp"

namespace gable::mpi {

/// A variant with its message size: figures of other sizes are no repeats of it.
std::string of_size(std::string_view what, std::int64_t bytes);

/// Where rows of a network's one device go.
class Record {
 public:
  /// `kept`: called when the result holds something more.
  Record(Result& result, const std::function<void()>& kept) : result_(result), kept_(kept) {}

  const DeviceInfo& device() const { return result_.devices.front(); }
  /// A row of all ranks with nothing measured yet; unit: byte/s or s; bytes: of a message, 0 where none is sent.
  Ceiling link(std::string name, std::string unit, std::string variant, std::int64_t bytes) const;
  Curve curve(std::string name, std::string series, Axis x, Axis y) const;

  /// A row without an id gets its own.
  void keep(Ceiling row);
  void keep(Curve curve);
  /// A point of a curve that is kept already, or of this one, in the order of x. Does not call `kept`.
  void add_point(const Curve& curve, double x, double y);
  void note(std::string text);
  void tell() const { kept_(); }

 private:
  Result& result_;
  const std::function<void()>& kept_;
};

}  // namespace gable::mpi
