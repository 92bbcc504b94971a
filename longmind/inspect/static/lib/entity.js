// An entity's page: current values, history on two axes, evidence, premises and what rests on them.

import { html, useMemo, useState } from "../vendor/preact.js";
import { Bitemporal } from "./bitemporal.js";
import { Evidence } from "./evidence.js";
import { number, period, time, value, words } from "./format.js";
import { scope, set } from "./route.js";
import { Answer, Card, Empty, Link, Page, Pill, Tabs, When, useAnswer } from "./ui.js";

const ENTITY = 7;

export function Entity({ name, params, session, turn }) {
  const asked = scope(params);
  const current = useAnswer("facts.about", { subject: name, ...asked, limit: 500, shadowed: true }, { turn });
  const history = useAnswer("inspect.history", { subject: name, ...scope(params, ["space", "user"]) }, { turn });
  const names = useAnswer("facts.resolve", { name, near: true, ...asked }, { turn });
  const incoming = useAnswer("facts.neighbors", { entity: name, direction: "in", ...asked }, { turn });
  const match = names.answer?.matches.find((item) => item.key === name);
  const like = (names.answer?.matches || []).filter((item) => item.key !== name && item.score >= 0.85).slice(0, 5);
  return html`<${Page} title=${name} lead=${html`${match?.kind || "entity"}${like.length ? html` · similar names: ${like.map((item) => html`<${Link} key=${item.key} to=${["facts", item.key]}>${item.key}<//> `)}` : ""}`}
    actions=${html`<${Link} to="graph" params=${{ focus: name }}>Show in the graph<//>`}>
    <div class="grid">
      <${Card} class="w7" title="Now"><${Answer} of=${current}>${(found) => found.facts.length ? html`<${Current} facts=${found.facts} params=${params} />` : html`<${Empty} title="Nothing is held">Nothing is known of it here and then.<//>`}<//><//>
      <${Card} class="w5" title="Named by"><${Answer} of=${incoming}>${(found) => found.edges.length ? html`<ul class="stack tight">${found.edges.map((edge) => html`<li key=${edge.fact_id}><${Link} to=${["facts", edge.neighbor]} data-stop>${edge.neighbor}<//> <span class="muted">${words(edge.predicate)}</span></li>`)}</ul>` : html`<p class="muted small">No other entity names it.</p>`}<//><//>
    </div>
    <${Answer} of=${history}>${(found) => html`<${History} found=${found} params=${params} />`}<//>
    <${Assertions} name=${name} params=${params} turn=${turn} />
  <//>`;
}

function Current({ facts, params }) {
  const groups = useMemo(() => {
    const by = new Map();
    for (const hit of facts) by.set(hit.fact.predicate, [...(by.get(hit.fact.predicate) || []), hit]);
    return [...by.entries()].sort((one, other) => one[1].length - other[1].length || one[0].localeCompare(other[0]));
  }, [facts]);
  return html`<dl class="values">${groups.map(([predicate, hits]) => html`<div key=${predicate}><dt>${words(predicate)}</dt><dd>${hits.slice(0, 12).map((hit) => html`<${Value} key=${hit.span_id} hit=${hit} params=${params} />`)}${hits.length > 12 && html`<span class="muted small">and ${hits.length - 12} more, below</span>`}</dd></div>`)}</dl>`;
}

function Value({ hit, params }) {
  const [open, setOpen] = useState(false);
  return html`<div class="value"><div class="row">
      ${hit.fact.kind === ENTITY ? html`<${Link} to=${["facts", value(hit.fact.object)]} class="strong">${value(hit.fact.object)}<//>` : html`<span class="strong text" dir="auto">${value(hit.fact.object)}</span>`}
      ${hit.fact.qualifiers.map(([key, shown]) => html`<${Pill} key=${key}>${key}: ${value(shown)}<//>`)}
      <span class="small muted">${period(hit.valid_from, hit.valid_to)}</span>
      ${hit.trust !== "high" && html`<${Pill} tone=${hit.trust === "low" ? "warn" : ""}>${hit.trust} trust<//>`}
      ${hit.shadowed && html`<${Pill}>behind another value<//>`}
      ${hit.lost_premises.length > 0 && html`<${Pill} tone="bad">a premise is gone<//>`}
      <button class="link small" aria-expanded=${open} onClick=${() => setOpen(!open)}>why?</button></div>
    ${open && html`<${Why} hit=${hit} params=${params} />`}</div>`;
}

export function Why({ hit, params }) {
  const resting = useAnswer("inspect.dependents", { fact: hit.fact_id, ...scope(params) });
  return html`<div class="why stack">
    <p class="small muted">Learned <${When} ms=${hit.system_from} exact /> by ${words(hit.channel)}${hit.speaker ? ` (${hit.speaker})` : ""}${hit.by_hand ? ", recorded by a call" : ""}.</p>
    ${hit.evidence.length ? hit.evidence.map((piece, index) => html`<${Evidence} key=${index} piece=${piece} params=${params} />`) : html`<p class="small muted">No frame speaks for it: it was recorded directly.</p>`}
    ${hit.derived_from.length > 0 && html`<div><h3>Derived from</h3>${hit.derived_from.map((id) => html`<${Premise} key=${id} id=${id} lost=${hit.lost_premises.includes(id)} params=${params} />`)}</div>`}
    ${resting.answer?.facts.length > 0 && html`<div><h3>What rests on it</h3><ul class="stack tight">${resting.answer.facts.map((fact) => html`<li key=${fact.fact_id}><${Link} to=${["facts", fact.subject]}>${fact.subject}<//> <span class="muted">${words(fact.predicate)}</span> ${value(fact.object)} ${!fact.held && html`<${Pill}>no longer held<//>`}</li>`)}</ul></div>`}
  </div>`;
}

function Premise({ id, lost, params }) {
  const found = useAnswer("facts.get", { fact: id, ...scope(params) });
  const hits = found.answer?.facts || (found.answer?.fact ? [found.answer] : []);
  const fact = hits[0]?.fact;
  return html`<p class="small">${fact ? html`<${Link} to=${["facts", fact.subject]}>${fact.subject}<//> <span class="muted">${words(fact.predicate)}</span> ${value(fact.object)}` : html`<span class="muted">fact ${id}${found.problem ? `: ${found.problem.message}` : ""}</span>`} ${lost && html`<${Pill} tone="bad">gone<//>`}</p>`;
}

function History({ found, params }) {
  const { facts, panels, truncated } = found;
  const [picked, setPicked] = useState(null);
  const hits = useMemo(() => new Map(facts.map((hit) => [hit.span_id, hit])), [facts]);
  const order = useMemo(() => [...panels].sort((one, other) => weight(other, hits) - weight(one, hits) || one.predicate.localeCompare(other.predicate)), [panels]);
  if (!panels.length) return html`<${Card} title="History"><${Empty} title="No history">Nothing was ever recorded of it here.<//><//>`;
  const panel = order.find((item) => item.predicate === params.predicate) || order[0];
  const values = new Map(panel.boxes.map((box) => [value(hits.get(box.span_id).fact.object), box.colour]));
  return html`<${Card} title="History on two axes" action=${html`<span class="small muted">valid time across, system time down</span>`}>
    <${Tabs} label="Predicates" chosen=${panel.predicate} choose=${(name) => { setPicked(null); set({ predicate: name }, { replace: true }); }} tabs=${order.slice(0, 30).map((item) => [item.predicate, words(item.predicate), item.boxes.length])} />
    <${Bitemporal} panel=${panel} hits=${hits} pick=${setPicked} />
    <div class="row small muted">${[...values].slice(0, 12).map(([shown, colour]) => html`<span key=${shown} class="kind c${colour}">${shown}</span>`)}</div>
    ${truncated && html`<p class="small muted">Only the first ${number(facts.length)} periods are shown.</p>`}
    ${picked && html`<div class="picked"><div class="row between"><strong>${words(picked.fact.predicate)}: ${value(picked.fact.object)}</strong><span class="small muted">${period(picked.valid_from, picked.valid_to)} · known from ${time(picked.system_from)}${picked.system_to ? ` to ${time(picked.system_to)}` : ""}</span></div><${Why} key=${picked.span_id} hit=${picked} params=${params} /></div>`}
  <//>`;
}

// What changed most is what people want to see first: values that took each other's place.
function weight(panel, hits) {
  const ended = panel.boxes.filter((box) => !box.held || hits.get(box.span_id).valid_to != null).length;
  return panel.boxes.length > 60 ? 0.5 : ended * 3 + Math.min(panel.boxes.length, 5) / 10;
}

function Assertions({ name, params, turn }) {
  const [open, setOpen] = useState(false);
  const said = useAnswer("facts.assertions", { subject: name, ...scope(params), limit: 500 }, { when: open, turn });
  return html`<${Card} title="What was said, in order" action=${html`<button class="small" aria-expanded=${open} onClick=${() => setOpen(!open)}>${open ? "Hide" : "Show"}</button>`}>
    ${open && html`<${Answer} of=${said}>${(found) => html`<div class="scroll-x"><table><thead><tr><th>Said</th><th>What</th><th>So</th><th>By</th><th>Trust</th><th>State</th></tr></thead><tbody>
      ${found.assertions.map((item) => html`<tr key=${item.id}><td class="nowrap"><${When} ms=${item.said_at} /></td><td>${item.action === "record" ? "" : `${item.action}: `}${words(item.predicate)} ${item.polarity ? "" : "not "}${item.object == null ? "" : value(item.object)}</td><td class="nowrap">${item.valid_from == null ? "always" : period(item.valid_from, item.valid_to)}</td><td>${words(item.channel)}${item.speaker ? `, ${item.speaker}` : ""}</td><td>${item.trust}</td><td>${item.state}</td></tr>`)}</tbody></table></div>`}<//>`}
  <//>`;
}
