// The message roofline of networks: bandwidth over message size, under the peak and the latency.
import { element } from "./dom.js";
import { lineChart } from "./linechart.js";
import { colourOf, themeOf } from "./theme.js";
import { plain } from "./units.js";

const pairsOf = (line) => line.byte.map((bytes, at) => [bytes, line.byte_per_s[at]]);

/** Several networks may have as many ranks and nodes: only their ids tell them apart. */
function chartOf(messages, theme, several) {
  return lineChart({
    theme, title: plain(`Message roofline of ${messages.name}${several ? ` (${messages.device})` : ""}`, 90), xName: "message size", yName: "bandwidth in one direction", xUnit: "byte", yUnit: "byte/s", width: 760, height: 400,
    series: messages.lines.map((line) => ({
      name: line.label ?? "", colour: colourOf(theme, line), points: pairsOf(line), bare: line.roof, thin: !line.roof || line.messages_before_wait > 1,
      dash: line.roof && line.messages_before_wait > 1 ? 1 : 0,
    })),
  });
}

/** Nothing where the page shows no network. */
export function messagePanel(data, state) {
  if (!data.messages) return null;
  const charts = element("div", {});
  let drawn = "";
  return {
    element: charts,
    update(force) {
      if (!force && drawn === state.theme) return;
      drawn = state.theme;
      const theme = themeOf(state.theme);
      charts.replaceChildren(...data.messages.map((one) => chartOf(one, theme, data.messages.length > 1)),
        element("p", { class: "hint" }, "n messages before a wait reach at most n × size / latency (a broken line each), up to the peak; solid is one message."));
    },
  };
}
