#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "core/error.hpp"
#include "core/questions/plan/inference_plan.hpp"
#include "core/questions/predict/prediction.hpp"
#include "core/render/gnuplot.hpp"
#include "core/render/palette.hpp"
#include "core/text/safe_text.hpp"

namespace gable::questions {
namespace {

constexpr Count least_end = 1024;  ///< batches are drawn to four times the largest that fits, and to no fewer

/// A plan's decode step at growing batches.
struct BatchLine {
  std::string label;
  std::string fitting, beyond;  ///< data of gnuplot: batch and token/s
};

BatchLine line_of(const PlanRow& row, std::optional<Count> full, Count end) {
  BatchLine line{row.model->name + " on " + devices_text(row.plan.what.devices, row.machine.name), {}, {}};
  if (full) line.label += *full > 1 ? fmt::format(", full at {}", *full) : ", does not fit";
  std::vector<Count> batches;
  for (Count batch = 1; batch <= end; batch *= 2) batches.push_back(batch);
  if (full && *full > 1) batches.insert(std::ranges::upper_bound(batches, *full - 1), *full - 1);
  for (const Count batch : batches) {
    Inference what = row.plan.what;
    what.batch = batch;
    const auto time_s = plan_inference(*row.model, row.machine, what).decode.time_s;
    if (!time_s) throw Error(fmt::format("nothing to draw of {}: roofs are missing", row.machine.name));
    const std::string at = fmt::format("{} {:.9g}\n", batch, number(batch) / *time_s);
    if (!full || batch < *full) line.fitting += at;
    if (full && batch + 1 >= *full) line.beyond += at;
  }
  return line;
}

/// Smallest batch that the row's devices do not hold; nothing where their memory is unknown.
std::optional<Count> full_at(const PlanRow& row) {
  if (!row.plan.fits) return {};
  return smallest(most_marked_batch, [&](Count batch) {
    Inference what = row.plan.what;
    what.batch = batch;
    return plan_inference(*row.model, row.machine, what).fits == false;
  });
}

/// The script of gnuplot.
std::string batch_script(std::span<const PlanRow> rows, render::Format format, const std::filesystem::path& output) {
  std::vector<std::optional<Count>> full;
  Count end = least_end;
  for (const PlanRow& row : rows) {
    full.push_back(full_at(row));
    while (full.back() && end < 4 * *full.back()) end *= 2;
  }
  std::string data, walls, lines;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BatchLine line = line_of(rows[i], full[i], end);
    const unsigned colour = render::device_colour(i);
    const auto add = [&](const std::string& points, const char* name, const std::string& title, const char* dash) {
      if (points.empty()) return;
      data += fmt::format("${}{} << EOD\n{}EOD\n", name, i, points);
      lines += fmt::format("{} ${}{} with lines linewidth 2 dashtype {} linecolor rgb '#{:06x}' {}",
                           lines.empty() ? "plot" : ",", name, i, dash, colour,
                           title.empty() ? "notitle" : fmt::format("title {} noenhanced", for_gnuplot(title)));
    };
    add(line.fitting, "fits", line.label, "1");
    add(line.beyond, "beyond", line.fitting.empty() ? line.label : "", "3");
    if (full[i] && *full[i] > 1)
      walls += fmt::format("set arrow from {0},graph 0 to {0},graph 1 nohead dashtype 2 linecolor rgb '#{1:06x}'\n",
                           *full[i] - 1, colour);
  }
  const Inference& what = rows.front().plan.what;
  return render::gnuplot_head(format, 8, 5.5, 10, render::Theme::light, output) +
         fmt::format(
             "set logscale x 2\nset logscale y 10\nset grid\nset xrange [1:{}]\nset key top left Left reverse\n"
             "set xlabel 'batch'\nset ylabel 'token/s at most, all sequences together'\nset title {} noenhanced\n"
             "{}{}{}\n",
             end, for_gnuplot(fmt::format("Decoding at context {}; vertical: the memory is full", what.context)), walls,
             data, lines);
}

}  // namespace

void draw_batches(std::span<const PlanRow> rows, const std::filesystem::path& output) {
  render::draw_picture(output, std::bind_front(batch_script, rows));
}

}  // namespace gable::questions
