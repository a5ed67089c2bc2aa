#include <algorithm>
#include <functional>
#include <map>

#include "core/questions/compare/comparison_answer.hpp"
#include "core/render/gnuplot.hpp"
#include "core/sequence.hpp"

namespace gable::questions {
namespace {

/// The row of the type that is drawn: of --dtype, else of most operators, else the widest that most subjects have.
const CeilingRow* drawn_type(const Compared& compared) {
  std::map<DType, std::size_t> operators;
  for (const OperatorRow& row : compared.answer.operators) ++operators[row.key.types.a];
  const auto rank = [&](const CeilingRow& row) {
    const auto has = [](const auto& cell) { return cell.has_value(); };
    return std::pair(std::ranges::count_if(row.cells, has), operators[*row.key.dtype]);
  };
  return highest_of(compared.answer.best_units, rank,
                    [](const CeilingRow& row) { return row.key.scope == Scope::node; });
}

const CeilingQuantity* memory_of(const Subject& subject) {
  const auto figure = [](const CeilingQuantity& one) { return one.figure.value; };
  return highest_of(subject.ceilings, figure, [](const CeilingQuantity& one) { return is_main_stream(one.key); });
}

void add_roof(Result& result, const CeilingQuantity& quantity, const std::string& device) {
  Ceiling row = quantity.rows.front();
  row.device = device;
  row.status = Status::ok;
  set_figure(row.value, quantity.figure);
  result.ceilings.push_back(std::move(row));
}

}  // namespace

std::string comparison_roofline(const Compared& placed) {
  const Compared compared = without_places(placed);
  const CeilingRow* type = drawn_type(compared);
  if (!type) return "";
  Result result;
  for (std::size_t i = 0; i < compared.subjects.size(); ++i) {
    const Subject& subject = compared.subjects[i];
    const CeilingQuantity* memory = memory_of(subject);
    if (!type->cells[i] || !memory) continue;
    DeviceInfo device = subject.device;
    device.id = letter(i);
    device.name = subject.name;
    if (device.memory.size() > 1) device.memory.erase(device.memory.begin(), device.memory.end() - 1);
    result.devices.push_back(std::move(device));
    add_roof(result, *find(subject, type->cells[i]->key), letter(i));
    add_roof(result, *memory, letter(i));
  }
  if (result.devices.size() != compared.subjects.size()) return "";  // letters would name others than the text does
  render::PlotOptions options{.width_in = 8, .height_in = 4, .scope = Scope::node};
  render::PlotData data = render::collect(result, options);
  for (std::size_t i = 0; i < data.devices.size(); ++i) data.devices[i].key = name_of(compared, i);
  data.subtitle = std::string(to_string(*type->key.dtype));
  render::lay_out(data);
  return render::drawn_svg(std::bind_front(render::gnuplot_script, data));
}

}  // namespace gable::questions
