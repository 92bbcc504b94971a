// Conversations and memories: what was said, what was learned from it, and what fades.

import { html } from "../vendor/preact.js";
import { byteMarks, counted, days, value, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Act, Answer, Bar, Card, Empty, FrameLink, Link, Marked, Page, Pill, Tabs, When, useAnswer } from "../lib/ui.js";
import { VirtualList } from "../lib/virtual.js";

export default function Talk({ route, session, turn }) {
  const { params, parts } = route;
  if (parts[1]) return html`<${Session} key=${parts[1]} name=${parts[1]} params=${params} session=${session} turn=${turn} />`;
  const tab = params.tab || "sessions";
  return html`<${Page} title="Conversations" lead="What was said, which memories were made of it, and what will fade.">
    <${Tabs} label="Conversations" chosen=${tab} choose=${(name) => set({ tab: name === "sessions" ? null : name })} tabs=${[["sessions", "Sessions"], ["memories", "Memories"], ["sweep", "Next sweep"]]} />
    ${tab === "sessions" && html`<${Sessions} params=${params} turn=${turn} />`}
    ${tab === "memories" && html`<${Memories} params=${params} session=${session} turn=${turn} />`}
    ${tab === "sweep" && html`<${Sweep} params=${params} session=${session} turn=${turn} />`}
  <//>`;
}

function Sessions({ params, turn }) {
  return html`<${Card} class="flush" label="Sessions"><${VirtualList} name="inspect.sessions" inputs=${{ ...scope(params), limit: 100 }} turn=${turn} label="List of conversations"
    rows=${(page) => page.sessions} next=${(page) => (page.offset == null ? null : { offset: page.offset })} empty=${html`<${Empty} title="No conversations">Turns that you add to a session appear here.<//>`}>
    ${(item, style) => html`<${Link} key=${`${item.space}/${item.user}/${item.session}`} to=${["talk", item.session]} params=${item.user ? { user: item.user } : {}} class="line" style=${style}>
      <span class="row between"><span class="row"><strong>${item.session}</strong>${item.user && html`<${Pill} tone="accent">${item.user}<//>`}</span><span class="small muted nowrap">${counted(item.turns, "turn")} · <${When} ms=${item.last} /></span></span><p class="muted" dir="auto">${item.opening}</p><//>`}
  <//><//>`;
}

function Session({ name, params, session, turn }) {
  const asked = scope(params);
  const place = { ...asked, space: oneSpace(params, session) };
  const turns = useAnswer("turns.window", { session: name, limit: 300, ...place }, { turn });
  const frames = turns.answer?.frames || [];
  const learned = useAnswer("inspect.learned", { frames: frames.map((frame) => frame.id), ...asked }, { when: frames.length > 0, turn });
  return html`<${Page} title=${name} lead=${frames.length ? html`${counted(frames.length, "turn")}, ${days(frames[0].occurred_at, frames[frames.length - 1].occurred_at)}` : ""} actions=${html`<${Link} to="talk">All conversations<//>`}>
    <${Answer} of=${turns}>${(found) => found.frames.length ? html`<ol class="chat">${found.frames.map((frame) => html`<${Turn} key=${frame.id} frame=${frame} learned=${learned.answer} />`)}</ol>` : html`<${Empty} title="No turns here">This conversation has no turns in this space at this time.<//>`}<//>
  <//>`;
}

function Turn({ frame, learned }) {
  const facts = (learned?.facts || []).filter((fact) => fact.frame === frame.id && !fact.subject.startsWith("session:"));
  const memories = (learned?.memories || []).filter((memory) => memory.frame === frame.id);
  const marks = [...facts, ...memories].filter((item) => item.start != null).map(({ start, end }) => ({ start, end }));
  return html`<li class=${frame.role === "assistant" ? "theirs" : "mine"}><article class="turn" aria-label=${`${frame.speaker || frame.role || "turn"} ${frame.id}`}>
      <div class="row small muted"><b>${frame.speaker || frame.role}</b><${When} ms=${frame.occurred_at} exact /><${FrameLink} id=${frame.id} /></div>
      <p><${Marked} pieces=${byteMarks(frame.text, marks)} /></p></article>
    ${(facts.length > 0 || memories.length > 0) && html`<ul class="learned">${memories.map((memory) => html`<li key=${`m${memory.memory_id}`}><${Pill} tone="accent">memory<//> <${Link} to="talk" params=${{ tab: "memories", memory: memory.memory_id }}>${memory.content}<//> <span class="muted small">${memory.reason}${memory.status === "active" ? `, ${memory.layer}` : `, ${memory.status}`}</span></li>`)}
      ${facts.map((fact) => html`<li key=${`f${fact.fact_id}`}><${Pill} tone=${fact.state === "held" ? "good" : fact.state === "quarantined" ? "warn" : ""}>fact<//> <${Link} to=${["facts", fact.subject]} params=${{ predicate: fact.predicate }}>${fact.subject} ${words(fact.predicate)} ${value(fact.object)}<//>${fact.state !== "held" && html` <span class="muted small">${fact.state}</span>`}</li>`)}</ul>`}
  </li>`;
}

const SORTS = [["score", "score"], ["created", "newest"], ["last_seen", "last seen"], ["hits", "hits"]];

function Memories({ params, session, turn }) {
  const layer = params.layer || "";
  const list = useAnswer("memories.list", { ...scope(params), layer: layer || undefined, status: params.status || undefined, sort: params.sort || undefined, limit: 200 }, { turn });
  const most = Math.max(1, ...(list.answer?.items || []).map((item) => item.score));
  const chosen = Number(params.memory) || null;
  return html`<div class="grid"><${Card} class="w7 flush" label="Memories" title=${html`<span class="row">
      <select aria-label="Layer" value=${layer} onChange=${(event) => set({ layer: event.target.value || null })}><option value="">both layers</option><option value="mid">mid-term</option><option value="long">long-term</option></select>
      <select aria-label="Status" value=${params.status || "active"} onChange=${(event) => set({ status: event.target.value === "active" ? null : event.target.value })}>${["active", "archived", "deleted", "any"].map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>
      <select aria-label="Order" value=${params.sort || "score"} onChange=${(event) => set({ sort: event.target.value === "score" ? null : event.target.value })}>${SORTS.map(([name, label]) => html`<option key=${name} value=${name}>${label}</option>`)}</select></span>`}>
      <${Answer} of=${list}>${(found) => found.items.length ? html`<ul class="list">${found.items.map((item) => html`<li key=${item.id} aria-current=${item.id === chosen ? "true" : null}><a class="cover" href="#" onClick=${(event) => { event.preventDefault(); set({ memory: item.id }); }}>
        <span class="row between"><span dir="auto">${item.content}</span><span class="sure"><${Bar} share=${item.score / most} label=${`score ${item.score.toFixed(2)}`} />${item.score.toFixed(2)}</span></span>
        <span class="row small muted"><${Pill} tone=${item.layer === "long" ? "good" : ""}>${item.layer}<//>${item.status !== "active" && html`<${Pill} tone="warn">${item.status}<//>`}<span>${counted(item.hits, "hit")}</span><${When} ms=${item.created_at} />${item.tags.map((tag) => html`<${Pill} key=${tag}>${tag}<//>`)}</span></a></li>`)}</ul>`
        : html`<${Empty} title="No memories">None of this layer and status, here and then.<//>`}<//><//>
    <div class="w5">${chosen ? html`<${Memory} key=${chosen} id=${chosen} params=${params} session=${session} turn=${turn} changed=${list.reload} />` : html`<${Card}><${Empty} title="Choose a memory">Its score with all terms, where it came from, and every decision about it.<//><//>`}</div></div>`;
}

function Memory({ id, params, session, turn, changed }) {
  const why = useAnswer("memories.why", { memory_id: id, ...scope(params) }, { turn });
  return html`<${Card} title=${`Memory ${id}`} action=${session.write && why.answer?.memory.status === "active" && html`<${Act} label="Forget" name="memories.forget" inputs=${{ memory_id: id, space: why.answer.memory.space, user: why.answer.memory.user }} after=${() => { why.reload(); changed(); }} />`}><${Answer} of=${why}>${(found) => {
    const terms = Object.entries(found.terms);
    const most = Math.max(0.001, ...terms.map(([, amount]) => amount));
    return html`<div class="stack"><p class="strong" dir="auto">${found.memory.content}</p>
      <div><h3>Score ${found.memory.score.toFixed(3)}</h3><div class="steps">${terms.map(([name, amount]) => html`<div key=${name}><span>${words(name)}</span><span class="line"><i style=${{ left: 0, width: `${(Math.max(0, amount) / most) * 100}%` }}></i></span><b>${amount.toFixed(3)}</b></div>`)}</div>
        <p class="small muted">${counted(Math.round(found.age_days), "day")} old, ${counted(found.memory.hits, "hit")}. Weights: ${Object.entries(found.weights).map(([name, amount]) => `${name} ${amount}`).join(", ")}.</p></div>
      <div><h3>Made of</h3><ul class="stack tight">${found.links.map((link, index) => html`<li key=${index} class="row small"><${FrameLink} id=${link.turn_id} /><span>${link.reason}</span><span class="muted">${link.rule}</span></li>`)}</ul></div>
      <div><h3>Decisions</h3><ul class="stack tight">${found.decisions.map((item, index) => html`<li key=${index} class="row small"><${Pill} tone=${item.action === "promoted" ? "good" : ["archived", "deleted"].includes(item.action) ? "warn" : ""}>${item.action}<//><${When} ms=${item.at} /><span class="muted">${item.inputs.score != null ? `score ${Number(item.inputs.score).toFixed(2)}` : ""}</span></li>`)}</ul></div></div>`;
  }}<//><//>`;
}

function Sweep({ params, session, turn }) {
  const place = { space: oneSpace(params, session), user: params.user || undefined };
  const trial = useAnswer("memories.gc", { dry_run: true, ...place }, { turn });
  const overview = useAnswer("inspect.overview", { ...place, space: [place.space] }, { turn });
  const settings = useAnswer("memories.config", {}, { turn });
  const listed = (title, ids, tone) => html`<div><h3>${title} <${Pill} tone=${tone}>${ids.length}<//></h3>${ids.length > 0 && html`<p class="row">${ids.slice(0, 60).map((id) => html`<${Link} key=${id} to="talk" params=${{ tab: "memories", memory: id, status: "any" }}>${id}<//>`)}</p>`}</div>`;
  return html`<div class="grid"><${Card} class="w6" title="If memories were swept now" action=${session.write && html`<${Act} label="Sweep now" name="memories.gc" inputs=${place} after=${trial.reload} />`}>
      <${Answer} of=${trial}>${(report) => html`<div class="stack"><p class="muted small">${report.scored} memories scored, as of <${When} ms=${report.now} exact />. Nothing is written by looking.</p>${listed("Promoted to long-term", report.promoted, "good")}${listed("Archived", report.archived, "warn")}${listed("Deleted", report.deleted, "bad")}</div>`}<//><//>
    <${Card} class="w6" title="So far"><${Answer} of=${overview}>${(found) => html`<div class="stack"><p>${counted(found.kinds.find((kind) => kind.name === "turn")?.count || 0, "turn")}.</p><p class="row">${found.memories.map((item) => html`<${Pill} key=${item.name}>${item.count} ${item.name}<//>`)}</p></div>`}<//>
      <${Answer} of=${settings} quiet>${(found) => html`<details><summary>Settings</summary><pre class="context-text" tabindex="0">${JSON.stringify(found.settings, null, 2)}</pre></details>`}<//><//></div>`;
}
