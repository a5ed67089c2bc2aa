#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device/catalogue.hpp"
#include "core/device/device_info.hpp"
#include "core/model/point.hpp"
#include "core/model/roofline.hpp"
#include "core/result/result.hpp"
#include "core/verdict/measured_all_reduce.hpp"
#include "core/verdict/message_roofline.hpp"

namespace gable {

/// Where the roofs of a machine come from.
enum class Basis {
  datasheet,  ///< a vendor's figures
  measured,
  given,  ///< somebody stated them: what is not stated bounds nothing
};
constexpr auto names_of(Basis) { return names_up_to<Basis::given>("datasheet", "measured", "given"); }

/// The roofs that a question is answered with, and where they come from.
struct MachineModel {
  std::string name;  ///< "H100 SXM5 80GB"; the device's own name of a result
  Basis basis{Basis::measured};
  std::string source{};  ///< how far the basis is trusted, or the file it is from: "derived", "run.json"; may be empty
  Roofline roofline;
  bool is_cpu{};                          ///< messages of it begin and end in a host's memory
  std::optional<double> memory_byte;      ///< of the main memory
  std::optional<double> link_byte_per_s;  ///< to another device of its kind, both directions together
  std::optional<int> links;               ///< number of links that the rate is the sum of; each goes to another device
  std::optional<int> linked_devices;      ///< devices that the links join at that rate; nothing where it is not known
  bool in_switch_reduction{};             ///< whether switches between the devices can add what passes through them
  // A network that was measured counts instead of the links.
  std::optional<MeasuredAllReduce> all_reduce;  ///< between as many devices of its kind as it has ranks
  std::optional<MessageLink> message_link;      ///< to another device; between other numbers of them, in a ring
  std::string network_file{};                   ///< of these two
  bool network_complete{true};
  std::optional<double> power_w;     ///< thermal design power
  std::vector<std::string> notes{};  ///< what of it is not as its source has it: "memory of 96 GB as stated"
};

/// Basis and source: "datasheet, derived", "measured, run.json", "given".
std::string basis_text(Basis basis, std::string_view source);

/// Vendor figures: every dense peak as a roof at no operating point, and one roof of the main memory for every mix. No
/// launch overhead and no caches: vendors print none.
MachineModel machine_of(const catalogue::Device& device);

/// What was measured of one device of a result at one scope. Throws Error if the device is not in it.
MachineModel machine_of(const Result& result, const std::string& device, Scope scope);

/// One line of the ridge table of a machine: I = P / B at main memory.
struct Ridge {
  ComputeRoof roof;
  double flop_per_byte;  ///< op/byte for integers
};
/// For every compute roof but exponentials and conversions, highest roof first. Empty without a bandwidth of main
/// memory, whose mix is that of triad (two thirds reads).
std::vector<Ridge> ridges(const MachineModel& machine);

/// A point under the vendor's figures instead of the measured ones.
struct DatasheetBound {
  double time_s{};    ///< least time
  double fraction{};  ///< least time / measured time
  std::string limit;  ///< which figure binds
  LimitKind kind{};   ///< of it
};

/// Stages without the exponentials and conversions that have no roof: vendors print none.
std::vector<Stage> datasheet_stages(std::vector<Stage> stages, const Types& types, const Roofline& roofline);

/// Bound of a measured point by the theoretical peaks of its device and, where its product is known, those of the
/// catalogue. Vendors print no roof for exponentials, conversions and launches: these are left out, so that the bound
/// is looser. Nothing where the point was not measured, its measured limit is of exponentials or conversions, or a roof
/// that may decide is not known; a compute-bound point needs none of the memory.
std::optional<DatasheetBound> datasheet_bound(const Point& point, const DeviceInfo& device);
/// Of the device that the result says the point ran on; nothing where it has none of that id.
std::optional<DatasheetBound> datasheet_bound(const Result& result, const Point& point);

}  // namespace gable
