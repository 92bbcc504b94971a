// The search bench: one question, its hits with the reasons, and what recall would make of it.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { percent, wordMarks, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Answer, Bar, Card, Empty, Field, FrameLink, Kind, Long, Page, Pill, Tabs, Trouble, When, useAnswer } from "../lib/ui.js";
import { ContextCard } from "../lib/context.js";

const LANES = ["text", "vector", "facts", "timeline"];
const SIDES = { fusion: "", lanes: "", times: "", min_score: "" };

export default function Search({ route, session, turn }) {
  const { params } = route;
  const [typed, setTyped] = useState(params.q || "");
  useEffect(() => setTyped(params.q || ""), [params.q]);
  const ask = (event) => {
    event.preventDefault();
    set({ q: typed.trim() });
  };
  const tab = params.tab || "hits";
  const second = params.compare ? { fusion: params.fusion2, lanes: params.lanes2, times: params.times2, min_score: params.min_score2 } : null;
  return html`<${Page} title="Search bench" lead="Ask as an agent would, and see why each frame is where it is.">
    <${Card} label="Question"><form class="bench-form" onSubmit=${ask}>
      <div class="ask"><input data-search aria-label="Question" placeholder="Where does Ana live?" value=${typed} autofocus=${!params.q} onInput=${(event) => setTyped(event.target.value)} /><button class="primary" type="submit">Search</button></div>
      <${Settings} params=${params} suffix="" />
      <details open=${Boolean(params.kind || params.session || params.tag)}><summary>Filters</summary><div class="fields">
        <${Field} label="Kind"><${Text} name="kind" params=${params} placeholder="turn, note" /><//>
        <${Field} label="Session"><${Text} name="session" params=${params} /><//>
        <${Field} label="Tags"><${Text} name="tag" params=${params} /><//>
        <${Field} label="Hits"><${Text} name="limit" params=${params} placeholder="10" type="number" /><//>
      </div></details>
      <label class="row small"><input type="checkbox" checked=${Boolean(params.compare)} onChange=${(event) => set({ compare: event.target.checked ? "1" : null })} /> Compare with other settings</label>
      ${second && html`<${Settings} params=${params} suffix="2" />`}
    </form><//>
    ${params.q ? html`<${Tabs} label="Results" tabs=${[["hits", "Hits"], ["context", "Context"], ["why", "Why not?"]]} chosen=${tab} choose=${(name) => set({ tab: name === "hits" ? null : name })} />
      ${tab === "hits" && html`<div class=${second ? "pair" : ""}>
        <${Hits} params=${params} side=${params} session=${session} turn=${turn} title=${second ? "First settings" : null} />
        ${second && html`<${Hits} params=${params} side=${second} session=${session} turn=${turn} title="Second settings" />`}</div>`}
      ${tab === "context" && html`<${ContextCard} params=${params} turn=${turn} asked=${asked(params, params)} />`}
      ${tab === "why" && html`<${WhyNot} params=${params} turn=${turn} />`}`
      : html`<${Empty} title="Ask something">Press <kbd>/</kbd> from anywhere to come here.<//>`}
  <//>`;
}

export function asked(params, side) {
  const list = (text) => (text ? text.split(",").map((part) => part.trim()).filter(Boolean) : undefined);
  return {
    query: params.q, ...scope(params), kinds: list(params.kind), sessions: list(params.session), tags: list(params.tag),
    limit: Number(params.limit) || undefined, fusion: side.fusion || undefined, lanes: list(side.lanes),
    times: side.times || undefined, min_score: side.min_score ? Number(side.min_score) : undefined,
  };
}

function Text({ name, params, ...rest }) {
  return html`<input value=${params[name] || ""} onChange=${(event) => set({ [name]: event.target.value })} ...${rest} />`;
}

function Choice({ name, params, options }) {
  return html`<select value=${params[name] || ""} onChange=${(event) => set({ [name]: event.target.value || null })}>${options.map(([value, label]) => html`<option key=${value} value=${value}>${label}</option>`)}</select>`;
}

function Settings({ params, suffix }) {
  return html`<div class="fields" role="group" aria-label=${suffix ? "Second settings" : "Settings"}>
    <${Field} label="Fusion"><${Choice} name=${`fusion${suffix}`} params=${params} options=${[["", "score"], ["rrf", "reciprocal rank"]]} /><//>
    <${Field} label="Lanes"><${Choice} name=${`lanes${suffix}`} params=${params} options=${[["", "all"], ...LANES.map((lane) => [lane, `only ${lane}`]), ["text,facts", "text and facts"], ["text,vector", "text and vectors"]]} /><//>
    <${Field} label="Dates in the question"><${Choice} name=${`times${suffix}`} params=${params} options=${[["", "raise"], ["filter", "keep only"], ["ignore", "ignore"]]} /><//>
    <${Field} label="Least confidence"><${Text} name=${`min_score${suffix}`} params=${params} placeholder="0 to 1" inputmode="decimal" /><//>
  </div>`;
}

function Hits({ params, side, session, turn, title }) {
  const results = useAnswer("search", asked(params, side), { turn });
  return html`<${Card} class="flush" label=${title || "Hits"} title=${title}>
    <${Answer} of=${results}>${(found) => html`<${Report} found=${found} />
      ${found.hits.length ? found.hits.map((hit, index) => html`<${Hit} key=${hit.frame.id} hit=${hit} rank=${index + 1} query=${params.q} known=${found.known_from} session=${session} space=${oneSpace(params, session)} />`)
        : html`<${Empty} title="Nothing found">No lane found a frame for this question here and then.<//>`}`}<//>
  <//>`;
}

function Report({ found }) {
  return html`<div class="hit report"><div class="row small muted"><${Pill} tone="accent">${found.query_type}<//><span>${found.query_reason}</span></div>
    <div class="lanes">${found.lanes.map((lane) => html`<${Pill} key=${lane.name} tone=${lane.ran ? "" : "warn"} title=${lane.detail}>${lane.name}: ${lane.ran ? lane.found : "did not run"}<//>`)}</div>
    ${found.notes.map((note) => html`<p class="small muted">${note}</p>`)}</div>`;
}

export function Hit({ hit, rank, query, known = 0, session, space }) {
  const { frame } = hit;
  return html`<article class="hit" aria-label=${`Hit ${rank}, frame ${frame.id}`}>
    <div class="row between"><div class="row"><span class="rank">${rank}</span><${Kind} name=${frame.kind} />
      <span class="small muted">${[frame.speaker || frame.role, frame.session].filter(Boolean).join(" · ")}</span></div>
      <div class="row small muted"><span class="sure" title="How sure it is that the frame bears on the question"><${Bar} share=${hit.confidence} tone=${hit.confidence >= known ? "good" : "warn"} label=${`confidence ${percent(hit.confidence)}`} />${percent(hit.confidence)}</span><${When} ms=${frame.occurred_at} /><${FrameLink} id=${frame.id} /></div></div>
    ${frame.title && html`<h3 dir="auto">${frame.title}</h3>`}
    <${Long} pieces=${wordMarks(frame.text, query)} />
    <div class="lanes">${Object.entries(hit.lanes).map(([lane, place]) => html`<${Pill} key=${lane}>${lane} #${place.rank}${place.score != null ? ` (${place.score.toFixed(2)})` : ""}<//>`)}</div>
    <details open=${rank === 1}><summary>Score ${hit.score.toFixed(3)} in ${hit.steps.length} steps</summary><${Steps} steps=${hit.steps} /></details>
    ${session?.write && html`<${Keep} query=${query} frame=${frame} space=${space} />`}
  </article>`;
}

function Steps({ steps }) {
  const most = Math.max(...steps.map((item) => Math.abs(item.amount)), 0.0001);
  const low = Math.max(0, ...steps.map((item) => -item.amount));
  const size = most + low;
  return html`<div class="steps">${steps.map((item, index) => {
    const left = item.amount >= 0 ? low : low + item.amount;
    const style = { left: `${(left / size) * 100}%`, width: `${(Math.abs(item.amount) / size) * 100}%` };
    return html`<div key=${index} title=${item.reason}><span>${words(item.name)}</span><span class="line"><i class=${item.amount < 0 ? "minus" : ""} style=${style}></i></span><b>${item.amount >= 0 ? "+" : ""}${item.amount.toFixed(3)}</b></div>`;
  })}</div>`;
}

function Keep({ query, frame, space }) {
  const [state, setState] = useState("");
  const [problem, setProblem] = useState(null);
  const keep = () => call("golden.add", { query, frames: [frame.id], space }).then(() => setState("done"), setProblem);
  if (problem) return html`<${Trouble} problem=${problem} />`;
  return html`<div><button class="small" disabled=${state === "done"} onClick=${keep}>${state === "done" ? "Kept as a golden question" : "Keep as a golden question"}</button></div>`;
}

function WhyNot({ params, turn }) {
  const [typed, setTyped] = useState(params.frame || "");
  useEffect(() => setTyped(params.frame || ""), [params.frame]);
  const answer = useAnswer("why_not", { ...asked(params, params), frame: Number(params.frame) }, { when: Boolean(Number(params.frame)), turn });
  const ask = (event) => {
    event.preventDefault();
    set({ frame: typed.trim() });
  };
  return html`<${Card} title="Why is a frame not among the hits?">
    <form class="ask" onSubmit=${ask}><input aria-label="Frame id" inputmode="numeric" placeholder="The id of a frame" value=${typed} onInput=${(event) => setTyped(event.target.value)} /><button type="submit">Explain</button></form>
    ${Boolean(Number(params.frame)) && html`<${Answer} of=${answer}>${(why) => html`<div class="stack">
      <div class="row"><${Pill} tone=${why.found ? "good" : "warn"}>${why.stage}<//><strong>${why.reason}</strong></div>
      ${why.hit && html`<div class="card flush"><${Hit} hit=${why.hit} rank=${why.rank || 1} query=${params.q} /></div>`}</div>`}<//>`}
  <//>`;
}
