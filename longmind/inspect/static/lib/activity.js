// Frames over time, one colour for each kind, as stacked bars.

import { html, useEffect, useRef } from "../vendor/preact.js";
import uPlot from "../vendor/uplot.js";
import { day } from "./format.js";
import { hue } from "./ui.js";

const MOST = 6;

export function series(activity, kinds) {
  const top = kinds.slice(0, MOST).map((kind) => kind.name);
  const names = kinds.length > MOST ? [...top, "other"] : top;
  const counts = names.map((name) => activity.map((stretch) => (name === "other"
    ? Object.entries(stretch.counts).reduce((sum, [kind, count]) => (top.includes(kind) ? sum : sum + count), 0)
    : stretch.counts[name] || 0)));
  return { names, counts };
}

// Every stretch between the first and the last, so that a quiet time is seen as one.
export function filled(activity, step) {
  if (!activity.length) return [];
  const known = new Map(activity.map((stretch) => [stretch.at, stretch.counts]));
  const all = [];
  for (let at = activity[0].at; at <= activity[activity.length - 1].at && all.length < 2000; at += step) {
    all.push({ at, counts: known.get(at) || {} });
  }
  return all;
}

export function ActivityChart({ activity, kinds, step, pick }) {
  const box = useRef();
  useEffect(() => {
    const stretches = filled(activity, step);
    const { names, counts } = series(stretches, kinds);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const stacked = [];
    counts.forEach((line, index) => stacked.push(line.map((count, at) => count + (index ? stacked[index - 1][at] : 0))));
    const bars = uPlot.paths.bars({ size: [0.86, 42], radius: 0.15 });
    // The tallest stack is drawn first, so that the others lie over it.
    const order = names.map((name, index) => index).reverse();
    const axis = { stroke: colour("--muted"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const plot = new uPlot(
      {
        width: box.current.clientWidth, height: 210, tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
        legend: { show: true, live: true },
        scales: { x: { time: true, range: (u, low, high) => [low - step / 2000, high + step / 2000] }, y: { range: (u, low, high) => [0, Math.max(1, high * 1.08)] } },
        axes: [{ ...axis, grid: { show: false } }, { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 1e5] }],
        series: [
          { label: "", value: (u, seconds) => (seconds == null ? "" : day(seconds * 1000)) },
          ...order.map((index) => ({
            label: names[index].replaceAll("_", " "), paths: bars, points: { show: false }, width: 0,
            fill: colour(`--c${names[index] === "other" ? 7 : hue(names[index])}`),
            stroke: colour(`--c${names[index] === "other" ? 7 : hue(names[index])}`),
            value: (u, shown, number, at) => (at == null ? "" : counts[index][at]),
          })),
        ],
      },
      [stretches.map((stretch) => stretch.at / 1000 + step / 2000), ...order.map((index) => stacked[index])],
      box.current,
    );
    const resize = new ResizeObserver(() => box.current && plot.setSize({ width: box.current.clientWidth, height: 210 }));
    resize.observe(box.current);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [activity, step]);
  const total = activity.reduce((sum, stretch) => sum + Object.values(stretch.counts).reduce((a, b) => a + b, 0), 0);
  return html`<div ref=${box} class="chart" role="img" aria-label=${`${total} frames between ${activity.length ? day(activity[0].at) : "–"} and ${activity.length ? day(activity[activity.length - 1].at) : "–"}`}></div>`;
}
