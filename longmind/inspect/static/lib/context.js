// The text that recall would give, its token budget as a bar, and what was left out and why.

import { html } from "../vendor/preact.js";
import { number, words } from "./format.js";
import { set } from "./route.js";
import { Answer, Card, Empty, Field, FrameLink, Pill, useAnswer } from "./ui.js";

export function ContextCard({ params, asked, turn }) {
  const budget = Number(params.budget) || 1000;
  const recipes = useAnswer("recipes", {});
  const { fusion, times, sessions, limit, ...inputs } = asked;
  const context = useAnswer("recall", { ...inputs, budget, recipe: params.recipe || undefined, session: params.session || undefined }, { turn });
  return html`<${Card} title="What recall would give">
    <div class="fields">
      <${Field} label="Budget in tokens"><input type="number" min="50" step="50" value=${budget} onChange=${(event) => set({ budget: event.target.value })} /><//>
      <${Field} label="Recipe"><select value=${params.recipe || "default"} onChange=${(event) => set({ recipe: event.target.value === "default" ? null : event.target.value })}>${(recipes.answer?.names || ["default"]).map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select><//>
    </div>
    <${Answer} of=${context}>${(found) => html`<div class="stack">
      <${Budget} items=${found.items} total=${found.total_tokens} budget=${budget} />
      <div class="context-text" tabindex="0" role="region" aria-label="Context" dir="auto">${found.text}</div>
      <${Dropped} dropped=${found.dropped || []} />
      ${(found.notes || []).map((note) => html`<p class="small muted">${note}</p>`)}
    </div>`}<//>
  <//>`;
}

export function Budget({ items, total, budget, group = (item) => item.lane || item.role }) {
  const lanes = new Map();
  for (const item of items) lanes.set(group(item), (lanes.get(group(item)) || 0) + (item.tokens || 0));
  const listed = [...lanes.entries()];
  const rest = total - listed.reduce((sum, [, tokens]) => sum + tokens, 0);
  return html`<div class="stack tight"><div class="row between small"><strong>${number(total)} of ${number(budget)} tokens</strong><span class="muted">${items.length} items</span></div>
    <div class="budget" role="img" aria-label=${`${total} of ${budget} tokens are used`}>${listed.map(([lane, tokens], index) => html`<i key=${lane} class="c${index % 8}" style=${{ width: `${(tokens / budget) * 100}%` }}></i>`)}${rest > 0 && html`<i class="rest" style=${{ width: `${(rest / budget) * 100}%` }}></i>`}</div>
    <div class="row small muted">${listed.map(([lane, tokens], index) => html`<span key=${lane} class="kind c${index % 8}">${words(lane)} ${number(tokens)}</span>`)}${rest > 0 && html`<span>headings and marks ${number(rest)}</span>`}</div></div>`;
}

function Dropped({ dropped }) {
  if (!dropped.length) return html`<p class="small muted">Nothing was left out.</p>`;
  return html`<details><summary>${dropped.length} left out</summary><div class="scroll-x"><table><thead><tr><th>What</th><th>Lane</th><th>Why</th></tr></thead>
    <tbody>${dropped.map((item, index) => html`<tr key=${index}><td>${(item.frame_ids || []).map((id) => html`<${FrameLink} id=${id} /> `)}${item.text ? String(item.text).slice(0, 90) : ""}</td><td>${item.lane || item.role || ""}</td><td>${item.reason || ""}</td></tr>`)}</tbody></table></div></details>`;
}
