// The bitemporal chart: valid time across, system time down. A box is one period as the store held it.

import { html, useRef, useState } from "../vendor/preact.js";
import { day, period, time, value } from "./format.js";
import { hue } from "./ui.js";

const LEFT = 92;
const TOP = 26;
const WIDTH = 900;
const FAR = 2 ** 52;

// Down: one band for each moment at which the store learned something, all of the same height. Times of learning
// lie in clusters, and by the clock most boxes would be too thin to read.
export function layout(hits, now) {
  const learned = [...new Set(hits.flatMap((hit) => [hit.system_from, hit.system_to]).filter((ms) => ms != null))].sort((a, b) => a - b);
  const band = Math.max(9, Math.min(34, 420 / (learned.length || 1)));
  const row = new Map(learned.map((ms, index) => [ms, index]));
  const finite = hits.flatMap((hit) => [hit.valid_from, hit.valid_to]).filter((ms) => ms != null && Math.abs(ms) < FAR);
  const first = Math.min(...finite, now);
  const last = Math.max(...finite, now);
  const pad = Math.max((last - first) * 0.04, 86_400_000);
  const low = first - pad;
  const high = last + pad;
  const x = (ms) => LEFT + ((Math.max(low, Math.min(high, ms)) - low) / (high - low)) * (WIDTH - LEFT - 8);
  const boxes = hits.map((hit) => {
    const left = x(hit.valid_from < -FAR ? low : hit.valid_from);
    const right = hit.valid_to == null ? WIDTH - 8 : x(hit.valid_to);
    const top = TOP + row.get(hit.system_from) * band;
    const bottom = TOP + (hit.system_to == null ? learned.length : row.get(hit.system_to)) * band;
    return { hit, left, top, width: Math.max(3, right - left), height: Math.max(5, bottom - top - 2), open: hit.system_to == null };
  });
  const height = TOP + learned.length * band + 8;
  return { boxes, height, band, rows: learned.map((ms, index) => ({ ms, y: TOP + index * band })), ticks: yearTicks(low, high).map((ms) => ({ ms, x: x(ms) })), nowX: x(now) };
}

function yearTicks(low, high) {
  const years = (high - low) / 31_556_952_000;
  const ticks = [];
  const step = years > 40 ? 10 : years > 12 ? 2 : 1;
  if (years > 1.6) {
    for (let year = new Date(low).getUTCFullYear() + 1; Date.UTC(year) < high; year += step) ticks.push(Date.UTC(year));
    return ticks;
  }
  const months = years > 0.7 ? 3 : 1;
  const start = new Date(low);
  for (let month = start.getUTCMonth() + 1; ticks.length < 24; month += months) {
    const ms = Date.UTC(start.getUTCFullYear(), month);
    if (ms >= high) break;
    ticks.push(ms);
  }
  return ticks;
}

export function Bitemporal({ hits, now, pick }) {
  const [tip, setTip] = useState(null);
  const box = useRef();
  if (!hits.length) return null;
  const chart = layout(hits, now);
  const every = Math.max(1, Math.ceil(16 / chart.band));
  const show = (event, item) => setTip({ item, x: Math.min(event.clientX + 14, innerWidth - 330), y: Math.min(event.clientY + 14, innerHeight - 150) });
  const focus = (event, item) => {
    const place = event.currentTarget.getBoundingClientRect();
    setTip({ item, x: Math.max(8, Math.min(place.left, innerWidth - 330)), y: Math.min(place.bottom + 6, innerHeight - 150) });
  };
  return html`<div class="bitemporal" ref=${box} tabindex="0" role="region" aria-label="History on two time axes">
    <svg viewBox=${`0 0 ${WIDTH} ${chart.height}`} role="group" aria-label="Valid time across, system time down">
      ${chart.ticks.map((tick) => html`<g key=${tick.ms}><line x1=${tick.x} x2=${tick.x} y1=${TOP - 6} y2=${chart.height} class="grid-line" /><text x=${tick.x} y="13" text-anchor="middle">${tickLabel(tick.ms, chart.ticks.length)}</text></g>`)}
      ${chart.rows.map((row, index) => html`<g key=${row.ms}><line x1=${LEFT} x2=${WIDTH - 8} y1=${row.y - 1} y2=${row.y - 1} class="grid-line" />${index % every === 0 && html`<text x="0" y=${row.y + Math.min(12, chart.band - 1)}>${day(row.ms)}</text>`}</g>`)}
      ${chart.boxes.map((item) => html`<g key=${item.hit.span_id} class="span c${hue(value(item.hit.fact.object))} ${item.open ? "open" : "closed"}" tabindex="0" role="button" aria-label=${describe(item.hit)}
          onMouseMove=${(event) => show(event, item)} onMouseLeave=${() => setTip(null)} onFocus=${(event) => focus(event, item)} onBlur=${() => setTip(null)}
          onClick=${() => pick?.(item.hit)} onKeyDown=${(event) => event.key === "Enter" && pick?.(item.hit)}>
        <rect x=${item.left} y=${item.top} width=${item.width} height=${item.height} rx="4" />
        ${item.width > 46 && item.height > 12 && html`<text x=${item.left + 7} y=${item.top + Math.min(item.height - 4, 17)}>${fitted(value(item.hit.fact.object), item.width)}</text>`}
      </g>`)}
      <line x1=${chart.nowX} x2=${chart.nowX} y1=${TOP - 8} y2=${chart.height} class="now-line" />
    </svg>
    ${tip && html`<div class="tip" role="tooltip" style=${{ left: `${tip.x}px`, top: `${tip.y}px` }}><${Told} hit=${tip.item.hit} /></div>`}
  </div>`;
}

const tickLabel = (ms, count) => (count && new Date(ms).getUTCMonth() === 0 ? String(new Date(ms).getUTCFullYear()) : day(ms).replace(/^\d+ /, ""));
const fitted = (text, width) => (text.length * 7 > width - 12 ? `${[...text].slice(0, Math.max(1, Math.floor((width - 18) / 7))).join("")}…` : text);
const describe = (hit) => `${value(hit.fact.object)}, ${period(hit.valid_from, hit.valid_to)}, known from ${time(hit.system_from)}${hit.system_to ? ` to ${time(hit.system_to)}` : ""}`;

function Told({ hit }) {
  return html`<strong>${value(hit.fact.object)}</strong>
    <span>So: ${period(hit.valid_from, hit.valid_to)}</span>
    <span>Known: from ${time(hit.system_from)}${hit.system_to ? ` to ${time(hit.system_to)}${hit.reason ? ` (${hit.reason})` : ""}` : ", still"}</span>
    <span class="muted">${hit.channel}${hit.speaker ? `, ${hit.speaker}` : ""} · trust ${hit.trust}${hit.evidence.length ? ` · ${hit.evidence.map((piece) => `frame ${piece.frame}`).join(", ")}` : " · no frame as evidence"}</span>`;
}
