// The Python module `gable`. Records are dicts with the keys of the result format, so that they go into a DataFrame as
// they are.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "core/device/catalogue.hpp"
#include "core/error.hpp"
#include "core/library/machine.hpp"
#include "core/result/json.hpp"
#include "core/result/provenance.hpp"
#include "core/result/store.hpp"
#include "core/verdict/validate.hpp"

namespace py = pybind11;

/// A machine that only Machine.__new__ made has no content: pybind11 would read memory that nothing was written to.
template <>
struct py::detail::type_caster<gable::library::Machine> : type_caster_base<gable::library::Machine> {
  bool load(handle from, bool convert) {
    if (py::isinstance<gable::library::Machine>(from) &&
        !reinterpret_cast<instance*>(from.ptr())->get_value_and_holder().holder_constructed())
      throw gable::Error("this Machine was never opened: its __init__() was not called");
    return type_caster_base::load(from, convert);
  }
};

namespace {

using gable::library::Machine;

/// A text with the name of a file, whatever bytes that has: as os.fsdecode().
py::object text(const std::string& bytes) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<py::ssize_t>(bytes.size())));
}

py::object records(const nlohmann::json& json) { return py::module_::import("json").attr("loads")(json.dump()); }

py::object load(const std::filesystem::path& path) {
  return records(gable::result::to_json(gable::result::load(path)));
}

py::list validate(const std::filesystem::path& path) {
  py::list findings;
  for (const auto& finding : gable::verdict::validate_file(path)) {
    py::dict one;
    one["fatal"] = finding.fatal;
    one["where"] = finding.where;
    one["what"] = finding.what;
    findings.append(one);
  }
  return findings;
}

py::dict record(const gable::library::Roof& roof) {
  py::dict one;
  one["kind"] = std::string(to_string(roof.kind));
  one["label"] = roof.label;
  for (const auto& [key, text] :
       {std::pair{"level", &roof.level}, std::pair{"unit", &roof.unit}, std::pair{"dtype", &roof.dtype},
        std::pair{"operating_point", &roof.operating_point}, std::pair{"access", &roof.access}}) {
    one[key] = text->empty() ? py::object(py::none()) : py::object(py::str(*text));
  }
  one["value"] = roof.value;
  one["low"] = roof.low;
  one["high"] = roof.high;
  return one;
}

py::list roofs(const Machine& machine) {
  py::list list;
  for (const auto& roof : gable::library::roofs_of(machine.model.roofline)) list.append(record(roof));
  return list;
}

py::list points(const Machine& machine) {
  py::list list;
  for (const auto& point : machine.points) {
    auto row = gable::result::to_json(gable::Row(point));
    row.erase("row");
    list.append(records(row));
  }
  return list;
}

py::dict judge(const Machine& machine, const std::string& dtype, double operations, double bytes_read,
               double bytes_written, const std::string& unit, double working_set, int launches, bool cold) {
  const auto judgement = gable::library::judge(
      machine.model.roofline, {dtype, unit, operations, bytes_read, bytes_written, working_set, launches, cold});
  py::dict answer;
  answer["time_s"] = judgement.bound->time_s;
  answer["work_s"] = judgement.bound->work_s;
  answer["overhead_s"] = judgement.bound->overhead_s;
  answer["kind"] = std::string(to_string(judgement.bound->limit.kind));
  answer["limit"] = judgement.bound->limit.label;
  answer["missing"] = judgement.missing_names();
  return answer;
}

/// Where no memory is named: the outermost one, which all rooflines have last.
std::string memory_of(const Machine& machine, const std::optional<std::string>& level) {
  if (level) return *level;
  const auto& levels = machine.model.roofline.levels();
  if (levels.empty()) throw gable::Error(machine.model.name + " has no memory");
  return levels.back().name;
}

gable::Types types_named(const std::string& dtype) {
  const auto type = gable::parse_dtype(dtype);
  if (!type) throw gable::Error(fmt::format("no type '{}'", dtype));
  return gable::uniform_types(*type);
}

double ridge(const Machine& machine, const std::string& dtype, const std::optional<std::string>& level) {
  return machine.model.roofline.ridge(types_named(dtype), gable::Unit::multiply_add, memory_of(machine, level));
}

double attainable(const Machine& machine, const std::string& dtype, double intensity,
                  const std::optional<std::string>& level) {
  return machine.model.roofline.attainable(types_named(dtype), gable::Unit::multiply_add, intensity,
                                           memory_of(machine, level));
}

py::dict record(const gable::catalogue::Device& device) {
  py::dict one;
  one["name"] = device.name;
  one["vendor"] = device.vendor;
  one["architecture"] = device.architecture;
  one["memory_bytes"] = device.memory_byte;
  one["memory_byte_per_s"] = device.memory_byte_per_s;
  one["tdp_w"] = device.tdp_w;
  one["link"] = device.link;
  one["link_byte_per_s"] = device.link_byte_per_s;
  py::list peaks;
  for (const auto& peak : device.peaks) {
    py::dict figure;
    figure["unit"] = peak.name;
    figure["dtype"] = peak.dtype ? py::object(py::str(std::string(to_string(*peak.dtype)))) : py::object(py::none());
    figure["value"] = peak.value;
    figure["source"] = peak.source;
    peaks.append(figure);
  }
  one["peaks"] = peaks;
  one["source"] = device.source;
  return one;
}

py::list catalogue() {
  py::list list;
  for (const auto& device : gable::catalogue::devices()) list.append(record(device));
  return list;
}

}  // namespace

PYBIND11_MODULE(gable, module) {
  module.doc() =
      "Results of Gable as records, their roofs, and work judged by them. Rates in flop/s, op/s or byte/s, "
      "times in s. What is wrong raises gable.Error with one line.";
  module.attr("__version__") = gable::result::this_build().version;
  static const py::handle error = py::exception<gable::Error>(module, "Error", PyExc_ValueError).release();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const gable::Error& one) {
      PyErr_SetObject(error.ptr(), text(one.what()).ptr());
    }
  });
  module.def("load", &load, py::arg("path"), "A result file as a dict, by docs/result-format.md.");
  module.def("validate", &validate, py::arg("path"),
             "What `gable validate` finds in a file, but for the work of operators: dicts with fatal, where, what.");
  module.def("catalogue", &catalogue, "The vendors' figures: a dict for each product.");
  py::class_<Machine>(module, "Machine", "Roofs of one device, and its measured points.")
      .def(py::init([](const std::filesystem::path& name) { return gable::library::open(name.string()); }),
           py::arg("name"),
           "'FILE.json', 'FILE.json:DEVICE' of a file with several devices, or a product of the catalogue.")
      .def_property_readonly("name", [](const Machine& machine) { return machine.model.name; })
      .def_property_readonly(
          "basis", [](const Machine& machine) { return text(basis_text(machine.model.basis, machine.model.source)); })
      .def_property_readonly("roofs", &roofs, "Dicts: kind, label, level, unit, dtype, value, low, high …")
      .def_property_readonly("points", &points, "Dicts, by docs/result-format.md; empty for a product.")
      .def("judge", &judge, py::arg("dtype"), py::kw_only(), py::arg("operations") = 0.0, py::arg("bytes_read") = 0.0,
           py::arg("bytes_written") = 0.0, py::arg("unit") = "", py::arg("working_set") = 0.0, py::arg("launches") = 1,
           py::arg("cold") = false,
           "Least time of some work: a dict with time_s, work_s, overhead_s, kind, limit, missing. Without a unit the "
           "work is products, by whichever unit is the faster; working_set 0: all bytes.")
      .def("ridge", &ridge, py::arg("dtype"), py::arg("level") = py::none(),
           "flop/byte from which on arithmetic decides, beside a memory (without a name: the outermost).")
      .def("attainable", &attainable, py::arg("dtype"), py::arg("intensity"), py::arg("level") = py::none(),
           "min(P, I B) in flop/s for an intensity in flop/byte.")
      // pybind11 ends the interpreter where protocols 0 and 1 of pickle make an object of its base.
      .def("__reduce_ex__",
           [](const Machine&, int) -> py::object {
             throw py::type_error("a Machine cannot be copied or pickled: open it again by its name");
           })
      .def("__repr__", [](const Machine& machine) { return "<gable.Machine " + machine.model.name + ">"; });
}
