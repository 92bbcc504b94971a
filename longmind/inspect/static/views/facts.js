// Facts: the entities, what waits in quarantine, and what may be one thing under two names.

import { html, useEffect, useState } from "../vendor/preact.js";
import { number, period, value, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Act, Answer, Card, Confirm, Empty, Link, Page, Pill, Tabs, When, useAnswer } from "../lib/ui.js";
import { Evidence } from "../lib/evidence.js";
import { call } from "../lib/api.js";
import { Entity } from "../lib/entity.js";

export default function Facts({ route, session, turn }) {
  const { params, parts } = route;
  const tab = params.tab || "entities";
  const asked = scope(params);
  const waiting = useAnswer("facts.quarantine", { ...asked, limit: 200 }, { turn, when: !parts[1] });
  if (parts[1]) return html`<${Entity} key=${parts[1]} name=${parts[1]} params=${params} session=${session} turn=${turn} />`;
  return html`<${Page} title="Facts" lead="What is held to be true, about whom, and on whose word.">
    <${Tabs} label="Facts" chosen=${tab} choose=${(name) => set({ tab: name === "entities" ? null : name })}
      tabs=${[["entities", "Entities"], ["quarantine", "Quarantine", waiting.answer?.assertions.length || null], ["merge", "Merge suggestions"]]} />
    ${tab === "entities" && html`<${Entities} params=${params} turn=${turn} />`}
    ${tab === "quarantine" && html`<${Quarantine} waiting=${waiting} params=${params} session=${session} />`}
    ${tab === "merge" && html`<${Merge} params=${params} session=${session} turn=${turn} />`}
  <//>`;
}

function Entities({ params, turn }) {
  const [typed, setTyped] = useState(params.q || "");
  useEffect(() => setTyped(params.q || ""), [params.q]);
  useEffect(() => {
    const timer = setTimeout(() => typed !== (params.q || "") && set({ q: typed, from: null }, { replace: true }), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const page = useAnswer("inspect.entities", { ...scope(params), text: params.q || undefined, offset: Number(params.from) || 0, limit: 50 }, { turn });
  return html`<${Card} class="flush" label="Entities" title=${html`<input data-search type="search" aria-label="Find an entity" placeholder="Find an entity by name or alias" value=${typed} onInput=${(event) => setTyped(event.target.value)} />`}>
    <${Answer} of=${page}>${(found) => found.entities.length ? html`<div class="scroll-x"><table><thead><tr><th>Entity</th><th>Kind</th><th class="number">Held now</th><th class="number">Periods</th><th>Last change</th><th>Space</th></tr></thead>
      <tbody>${found.entities.map((row) => html`<tr key=${`${row.space}/${row.user}/${row.key}`}><td><${Link} to=${["facts", row.key]} data-stop class="strong">${row.key}<//></td><td class="muted">${row.kind || "–"}</td><td class="number">${number(row.facts)}</td><td class="number muted">${number(row.periods)}</td><td class="nowrap muted"><${When} ms=${row.changed_at} /></td><td class="muted">${row.space || "global"}${row.user ? ` · ${row.user}` : ""}</td></tr>`)}</tbody></table></div>
      <${Pages} total=${found.total} from=${Number(params.from) || 0} next=${found.offset} count=${found.entities.length} />`
      : html`<${Empty} title="No entities">${params.q ? "None has these letters in its name." : "Facts name people and things; none are recorded here."}<//>`}<//>
  <//>`;
}

function Pages({ total, from, next, count }) {
  return html`<div class="row between pages"><span class="small muted">${number(from + 1)} to ${number(from + count)} of ${number(total)}</span><span class="row">
    <button class="small" disabled=${!from} onClick=${() => set({ from: Math.max(0, from - 50) || null })}>Previous</button>
    <button class="small" disabled=${next == null} onClick=${() => set({ from: next })}>Next</button></span></div>`;
}

function Quarantine({ waiting, params, session }) {
  return html`<${Answer} of=${waiting}>${(found) => found.assertions.length ? html`<div class="stack">${found.assertions.map((item) => html`<${Card} key=${item.id} label=${`Assertion ${item.id}`}
      title=${html`<${Statement} item=${item} />`}
      action=${session.write ? html`<span class="row"><${Act} label="Confirm" name="facts.confirm" tone="primary" inputs=${target(item)} after=${waiting.reload} /><${Act} label="Reject" name="facts.reject" inputs=${target(item)} after=${waiting.reload} /></span>` : null}>
      <div class="row small muted"><${Pill} tone="warn">trust ${item.trust}<//><span>${words(item.channel)}${item.speaker ? ` by ${item.speaker}` : ""}</span><span>said <${When} ms=${item.said_at} /></span><span>${period(item.valid_from ?? -Infinity, item.valid_to)}</span></div>
      ${item.evidence.map((piece) => html`<${Evidence} key=${piece.frame} piece=${piece} params=${params} />`)}
    <//>`)}</div>` : html`<${Card}><${Empty} title="Nothing waits in quarantine">What untrusted sources say about protected subjects waits here until you decide.<//><//>`}<//>`;
}

const target = (item) => ({ assertion: item.id, space: item.space, user: item.user || undefined });

function Statement({ item }) {
  return html`<span><${Link} to=${["facts", item.subject]}>${item.subject}<//> <span class="muted">${words(item.predicate)}</span> ${item.polarity ? "" : "not "}${item.object == null ? "" : value(item.object)}</span>`;
}

function Merge({ params, session, turn }) {
  const pairs = useAnswer("inspect.duplicates", scope(params), { turn });
  const [asking, setAsking] = useState(null);
  const merge = async () => {
    await call("facts.merge", { key: asking.first, other: asking.second, space: oneSpace(params, session), user: params.user });
    setAsking(null);
    pairs.reload();
  };
  return html`<${Card} class="flush" label="Merge suggestions"><${Answer} of=${pairs}>${(found) => found.pairs.length ? html`<ul class="list">${found.pairs.map((pair) => html`<li key=${`${pair.first}|${pair.second}`}><div class="row between">
      <span><${Link} to=${["facts", pair.first]} data-stop class="strong">${pair.first}<//> <span class="muted">and</span> <${Link} to=${["facts", pair.second]} class="strong">${pair.second}<//></span>
      <span class="row"><span class="small muted">${pair.reason}</span><${Pill}>${pair.score.toFixed(2)}<//>${session.write && html`<button class="small" onClick=${() => setAsking(pair)}>Merge</button>`}</span></div></li>`)}</ul>`
      : html`<${Empty} title="No suggestions">No two entities have the same or nearly the same name.<//>`}<//>
    ${asking && html`<${Confirm} title="Merge two entities" action="Merge" danger=${false} cancel=${() => setAsking(null)} done=${merge}>
      <p><b>${asking.second}</b> will be held to be the same as <b>${asking.first}</b>. <code>facts split</code> undoes it.</p><//>`}
  <//>`;
}
