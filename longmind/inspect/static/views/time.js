// The time machine: what changed between two moments, as a change log.

import { html, useEffect, useState } from "../vendor/preact.js";
import { day, iso, number, period, time, value, words } from "../lib/format.js";
import { scope, set } from "../lib/route.js";
import { Answer, Card, Empty, Field, FrameLink, Link, Page, Pill, useAnswer } from "../lib/ui.js";

const TONES = { began: "good", ended: "bad", changed: "accent", revised: "warn" };
const DAY = 86_400_000;
const SHOWN = 100;

export default function Time({ route, session, turn }) {
  const { params } = route;
  const place = scope(params, ["space", "user"]);
  const axes = useAnswer("inspect.axes", place, { turn });
  const snapshots = useAnswer("snapshot.list", {}, { when: session.everywhere, turn });
  const now = axes.answer?.now || session.now;
  const last = axes.answer?.system_to || now;
  const before = Number(params.before) || last - 90 * DAY;
  const after = Number(params.after) || null;
  const asked = { before, after: after || undefined, axis: params.axis || undefined, subject: params.subject || undefined, ...place };
  const [limit, setLimit] = useState(SHOWN);
  useEffect(() => setLimit(SHOWN), [JSON.stringify(asked)]);
  const diff = useAnswer("facts.diff", { ...asked, limit, evidence: 2 }, { when: Boolean(axes.answer), turn });
  const pick = (name) => (event) => set({ [name]: event.target.value ? Date.parse(`${event.target.value}Z`) : null });
  return html`<${Page} title="Time machine" lead="What the memory believed then and now: everything that began, ended or changed in between." actions=${html`<button onClick=${() => set({ machine: params.machine ? null : "1" })}>Move the whole Inspector in time</button>`}>
    <${Card} label="Between"><div class="fields">
      <${Field} label="From"><input type="datetime-local" value=${local(before)} onChange=${pick("before")} /><//>
      <${Field} label="To (empty: now)"><input type="datetime-local" value=${after ? local(after) : ""} onChange=${pick("after")} /><//>
      <${Field} label="Axis"><select value=${params.axis || "both"} onChange=${(event) => set({ axis: event.target.value === "both" ? null : event.target.value })}><option value="both">both: known and so</option><option value="valid">valid: what was so</option><option value="system">system: what was known</option></select><//>
      <${Field} label="Only of"><input placeholder="an entity" value=${params.subject || ""} onChange=${(event) => set({ subject: event.target.value })} /><//>
    </div>
    <div class="row">${[["a day", 1], ["a week", 7], ["a month", 30], ["a quarter", 91], ["a year", 365]].map(([label, days]) => html`<button class="small" key=${label} onClick=${() => set({ before: last - days * DAY, after: null })}>${label}</button>`)}
      ${(snapshots.answer?.snapshots || []).map((item) => html`<button class="small" key=${item.name} title=${item.note} onClick=${() => set({ before: item.system, after: null })}>since ${item.name}</button>`)}</div><//>
    ${axes.problem ? html`<${Answer} of=${axes} />` : html`<${Answer} of=${diff}>${(found) => html`<${Log} found=${found} before=${before} after=${after} more=${() => setLimit(limit + 4 * SHOWN)} />`}<//>`}
  <//>`;
}

const local = (ms) => iso(ms).slice(0, 16);

function Log({ found, before, after, more }) {
  if (!found.changes.length) return html`<${Card}><${Empty} title="Nothing changed">Between ${time(before)} and ${after ? time(after) : "now"}.<//><//>`;
  const days = new Map();
  for (const change of found.changes) {
    const name = day(change.at);
    if (days.has(name)) days.get(name).push(change);
    else days.set(name, [change]);
  }
  return html`<${Card} title=${`${number(found.changes.length)} changes${found.truncated ? " (the first of more)" : ""}`} class="flush" action=${found.truncated && html`<button class="small" onClick=${more}>Show more</button>`}><ol class="log">${[...days.entries()].map(([name, changes]) => html`<li key=${name}><h3>${name}</h3><ul>${changes.map((change, index) => html`<${Change} key=${index} change=${change} />`)}</ul></li>`)}</ol><//>`;
}

function Change({ change }) {
  const hit = change.after || change.before;
  const { fact } = hit;
  return html`<li><${Pill} tone=${TONES[change.kind]}>${change.kind}<//><span><${Link} to=${["facts", fact.subject]} params=${{ predicate: fact.predicate }} class="strong">${fact.subject}<//> <span class="muted">${words(fact.predicate)}</span>
    ${change.kind === "changed" && change.before ? html` <s class="muted">${value(change.before.fact.object)}</s> → ` : " "}<b>${value(fact.object)}</b>
    <span class="small muted"> ${period(hit.valid_from, hit.valid_to)}${change.reason ? ` · ${change.reason}` : ""} ${hit.evidence.map((piece) => html`<${FrameLink} key=${piece.frame} id=${piece.frame} /> `)}</span></span></li>`;
}
