// The bitemporal chart: valid time across, system time down. A box is one period as the store held it. Where
// everything lies comes from the server, so that a notebook shows the same picture.

import { html, useState } from "../vendor/preact.js";
import { day, period, time, value } from "./format.js";

export function Bitemporal({ panel, hits, pick }) {
  const [tip, setTip] = useState(null);
  const show = (event, hit) => setTip({ hit, x: Math.min(event.clientX + 14, innerWidth - 330), y: Math.min(event.clientY + 14, innerHeight - 150) });
  const focus = (event, hit) => {
    const edge = event.currentTarget.getBoundingClientRect();
    setTip({ hit, x: Math.max(8, Math.min(edge.left, innerWidth - 330)), y: Math.min(edge.bottom + 6, innerHeight - 150) });
  };
  return html`<div class="bitemporal" tabindex="0" role="region" aria-label="History on two time axes">
    <svg viewBox=${`0 0 ${panel.width} ${panel.height + 8}`} role="group" aria-label="Valid time across, system time down">
      ${panel.ticks.map((tick) => html`<g key=${tick.x}><line x1=${tick.x} x2=${tick.x} y1=${panel.top - 6} y2=${panel.height} class="grid-line" /><text x=${tick.x} y=${panel.top - 13} text-anchor="middle">${tick.label}</text></g>`)}
      ${panel.bands.map((band) => html`<g key=${band.at}><line x1=${panel.left} x2=${panel.width - 8} y1=${band.y - 1} y2=${band.y - 1} class="grid-line" />${band.labelled && html`<text x="0" y=${band.y + 13}>${day(band.at)}</text>`}</g>`)}
      ${panel.boxes.map((box) => {
        const hit = hits.get(box.span_id);
        return html`<g key=${box.span_id} class="span c${box.colour} ${box.held ? "open" : "closed"}" tabindex="0" role="button" aria-label=${describe(hit)}
          onMouseMove=${(event) => show(event, hit)} onMouseLeave=${() => setTip(null)} onFocus=${(event) => focus(event, hit)} onBlur=${() => setTip(null)}
          onClick=${() => pick?.(hit)} onKeyDown=${(event) => event.key === "Enter" && pick?.(hit)}>
        <rect x=${box.left} y=${box.top} width=${box.width} height=${box.height} rx="4" />
        ${box.label && html`<text x=${box.left + 7} y=${box.top + Math.min(box.height - 4, 17)}>${box.label}</text>`}
      </g>`;
      })}
      ${panel.now != null && html`<line x1=${panel.now} x2=${panel.now} y1=${panel.top - 8} y2=${panel.height} class="now-line" />`}
    </svg>
    ${tip && html`<div class="tip" role="tooltip" style=${{ left: `${tip.x}px`, top: `${tip.y}px` }}><${Told} hit=${tip.hit} /></div>`}
  </div>`;
}

const describe = (hit) => `${value(hit.fact.object)}, ${period(hit.valid_from, hit.valid_to)}, known from ${time(hit.system_from)}${hit.system_to ? ` to ${time(hit.system_to)}` : ""}`;

function Told({ hit }) {
  return html`<strong>${value(hit.fact.object)}</strong>
    <span>So: ${period(hit.valid_from, hit.valid_to)}</span>
    <span>Known: from ${time(hit.system_from)}${hit.system_to ? ` to ${time(hit.system_to)}${hit.reason ? ` (${hit.reason})` : ""}` : ", still"}</span>
    <span class="muted">${hit.channel}${hit.speaker ? `, ${hit.speaker}` : ""} · trust ${hit.trust}${hit.evidence.length ? ` · ${hit.evidence.map((piece) => `frame ${piece.frame}`).join(", ")}` : " · no frame as evidence"}</span>`;
}
