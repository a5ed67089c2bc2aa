#pragma once
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/render/plot_data.hpp"
#include "core/verdict/roofs.hpp"

namespace gable::render {

/// A compute roof, measured or of a datasheet.
struct FlatRoof {
  ComputeRoof roof;
  std::string instructions;  ///< "packed": of a datasheet, where it needs others than another peak of the same types
};

/// One device on the axes.
struct ShownDevice {
  std::string id, name;
  std::optional<Scope> scope;  ///< none of a datasheet
  Roofline roofline;
  std::string letter;  ///< "A " … in front of labels where there are several devices
  std::size_t index{};
  bool several{};
  std::vector<FlatRoof> flats;

  bool is_datasheet() const { return !scope; }
};

/// Those of the options' scope with a roof or a point, then the datasheets, with the letters of a picture of all.
std::vector<ShownDevice> shown_devices(const Result& result, const PlotOptions& options);

/// Whether a file or host of merged results is the mark that an anonymous one has in its place.
bool is_lost(const Fact& fact);
/// What merged results say of the run of a device: the facts of these names, such as its file, host, date and mode.
std::vector<std::string> origin_of(const Result& result, const std::string& id,
                                   std::initializer_list<std::string_view> names);

/// Letter, name, scope and threads; in short without what goes without saying.
std::string name_of(const Result& result, const ShownDevice& shown, bool in_short);

}  // namespace gable::render
