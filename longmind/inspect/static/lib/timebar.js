// The time machine's two sliders: what the store knew, and what was so. They hold for every view.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { day, time } from "./format.js";
import { scope, set } from "./route.js";
import { useAnswer } from "./ui.js";

const STEPS = 1000;

export function TimeButton({ params, toggle }) {
  const past = params.as_of || params.valid_at;
  const shown = past ? `as of ${day(past)}` : "now";
  return html`<button class="small ${past ? "then" : ""}" onClick=${toggle} aria-expanded=${Boolean(params.machine)} aria-label=${`${shown}: time machine`}>${shown}</button>`;
}

export function TimeBar({ params, turn }) {
  const axes = useAnswer("inspect.axes", scope(params, ["space", "user"]), { turn });
  const limits = axes.answer;
  if (!limits) return html`<div class="machine"></div>`;
  const past = params.as_of || params.valid_at;
  return html`<div class="machine" role="group" aria-label="Time machine">
    <${Axis} label="Known (system time)" name="as_of" low=${limits.system_from} high=${limits.now} now=${limits.now} value=${params.as_of} />
    <${Axis} label="So (valid time)" name="valid_at" low=${limits.valid_from} high=${Math.max(limits.now, limits.valid_to || 0)} now=${limits.now} value=${params.valid_at} />
    <button onClick=${() => set({ as_of: null, valid_at: null })} disabled=${!past}>Back to now</button>
  </div>`;
}

function Axis({ label, name, low, high, now, value }) {
  const begin = low ?? now - 1;
  const size = Math.max(1, high - begin);
  const toStep = (ms) => Math.round(((ms - begin) / size) * STEPS);
  const nowStep = toStep(now);
  const [moved, setMoved] = useState(null);
  const timer = useRef();
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => setMoved(null), [value]);
  const at = moved ?? (value ? Math.max(0, Math.min(STEPS, toStep(Number(value)))) : nowStep);
  const ms = at === nowStep ? now : Math.round(begin + (at / STEPS) * size);
  const slide = (event) => {
    const chosen = Number(event.target.value);
    setMoved(chosen);
    clearTimeout(timer.current);
    const then = chosen === nowStep ? null : Math.round(begin + (chosen / STEPS) * size);
    timer.current = setTimeout(() => set({ [name]: then }, { replace: true }), 120);
  };
  return html`<label class="axis"><span>${label}<b>${at === nowStep && !value ? "now" : moved == null && value ? time(value) : time(ms)}</b></span>
    <input type="range" min="0" max=${STEPS} value=${at} onInput=${slide} aria-valuetext=${time(ms)} /></label>`;
}
