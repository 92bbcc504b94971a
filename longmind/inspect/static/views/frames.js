// Frames: every remembered thing, newest first; and one of them whole.

import { html, useEffect, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { byteMarks, number, value, words } from "../lib/format.js";
import { go, scope, set } from "../lib/route.js";
import { Answer, Card, Confirm, Definition, Empty, Field, FrameLink, Kind, Link, Long, Marked, Page, Pill, When, useAnswer } from "../lib/ui.js";
import { VirtualList } from "../lib/virtual.js";

export default function Frames({ route, session, turn }) {
  if (route.parts[1]) return html`<${Frame} key=${route.parts[1]} id=${Number(route.parts[1])} params=${route.params} session=${session} turn=${turn} />`;
  return html`<${List} params=${route.params} turn=${turn} />`;
}

function List({ params, turn }) {
  const overview = useAnswer("inspect.overview", scope(params), { turn });
  const [typed, setTyped] = useState(params.text || "");
  useEffect(() => {
    const timer = setTimeout(() => typed !== (params.text || "") && set({ text: typed }, { replace: true }), 250);
    return () => clearTimeout(timer);
  }, [typed]);
  const kinds = overview.answer?.kinds || [];
  const total = params.text || params.session ? 0 : kinds.filter((kind) => !params.kind || kind.name === params.kind).reduce((sum, kind) => sum + kind.count, 0);
  const inputs = { ...scope(params), limit: 100, kinds: params.kind ? [params.kind] : undefined, session: params.session || undefined, text: params.text || undefined };
  return html`<${Page} title="Frames" lead=${overview.answer ? `${number(overview.answer.frames)} remembered things, newest first.` : " "}>
    <${Card} class="flush" label="Frames">
      <div class="fields filter"><${Field} label="Text"><input data-search type="search" value=${typed} placeholder="Letters in title or text" onInput=${(event) => setTyped(event.target.value)} /><//>
        <${Field} label="Kind"><select value=${params.kind || ""} onChange=${(event) => set({ kind: event.target.value || null })}><option value="">all</option>${kinds.map((kind) => html`<option key=${kind.name} value=${kind.name}>${words(kind.name)} (${number(kind.count)})</option>`)}</select><//>
        <${Field} label="Session"><input value=${params.session || ""} onChange=${(event) => set({ session: event.target.value })} /><//></div>
      <${VirtualList} name="inspect.frames" inputs=${inputs} total=${total} turn=${turn} label="List of frames" rows=${(page) => page.frames} next=${(page) => (page.before == null ? null : { before: page.before })} empty=${html`<${Empty} title="No frames">None match here and then.<//>`}>
        ${(frame, style) => html`<${Link} key=${frame.id} to=${["frames", String(frame.id)]} class="line" style=${style}>
          <span class="row small"><span class="mono muted">${frame.id}</span><${Kind} name=${frame.kind} />${(frame.speaker || frame.role || frame.session || frame.user) && html`<span class="muted">${[frame.speaker || frame.role, frame.session, frame.user].filter(Boolean).join(" · ")}</span>`}<span class="muted nowrap"><${When} ms=${frame.occurred_at} /></span></span>
          <p dir="auto">${frame.title ? `${frame.title}: ` : ""}${frame.text}</p><//>`}
      <//>
    <//>
  <//>`;
}

function Frame({ id, params, session, turn }) {
  const asked = scope(params);
  const frame = useAnswer("get", { frame: id, ...asked }, { turn, when: Number.isInteger(id) });
  const learned = useAnswer("inspect.learned", { frames: [id], ...asked }, { turn, when: Number.isInteger(id) });
  const parts = useAnswer("list", { where: { parent: id }, limit: 100, ...asked }, { turn, when: Number.isInteger(id) });
  const [asking, setAsking] = useState(null);
  if (!Number.isInteger(id)) return html`<${Page} title="Frame"><${Empty} title="This is not the id of a frame" /><//>`;
  const place = (found) => ({ space: [found.space], user: found.user || undefined });
  const take = (name, found) => async () => {
    await call(name, { frame: id, ...place(found) });
    setAsking(null);
    if (name === "erase") go(["frames"]);
    else frame.reload();
  };
  return html`<${Page} title=${`Frame ${id}`} lead=${frame.answer?.title} actions=${html`${session.write && frame.answer && frame.answer.retired_at == null && html`<button onClick=${() => setAsking("forget")}>Forget</button><button onClick=${() => setAsking("erase")}>Erase…</button>`}`}>
    <${Answer} of=${frame}>${(found) => html`<div class="grid">
      <${Card} class="w8" title="Text" action=${html`<span class="small muted">${number(found.text.length)} characters</span>`}>
        <${Long} most=${6000} pieces=${byteMarks(found.text, marks(learned.answer))} />
        ${(learned.answer?.facts.length || 0) > 0 && html`<p class="small muted">Marked: the words that facts rest on.</p>`}<//>
      <div class="w4 stack"><${Card} title="Details"><${Details} found=${found} /><//>
        <${Card} title="Learned from it"><${Learned} learned=${learned} frame=${id} /><//></div>
      ${parts.answer?.frames.length > 0 && html`<${Card} class="w12" title="Its parts"><ul class="stack tight">${parts.answer.frames.map((part) => html`<li key=${part.id}><${FrameLink} id=${part.id} /> <${Kind} name=${part.kind} /> <span class="clip" dir="auto">${part.text}</span></li>`)}</ul><//>`}
    </div>
    ${asking === "forget" && html`<${Confirm} title="Forget this frame" action="Forget" danger=${false} cancel=${() => setAsking(null)} done=${take("forget", found)}><p>It disappears from every answer, and stays visible as of before.</p><//>`}
    ${asking === "erase" && html`<${Confirm} title="Erase this frame" action="Erase for good" word=${`erase ${id}`} cancel=${() => setAsking(null)} done=${take("erase", found)}><p>The frame, its index entries, vectors, evidence and whatever was derived only from it are removed from the file. This cannot be undone.</p><//>`}`}<//>
  <//>`;
}

const marks = (learned) => (learned?.facts || []).filter((fact) => fact.start != null).map(({ start, end }) => ({ start, end }));

function Details({ found }) {
  return html`<${Definition} rows=${[
    ["Kind", html`<${Kind} name=${found.kind} />`], ["Space", `${found.space}${found.scope === "global" ? " (global)" : ""}`], ["User", found.user],
    ["Session", found.session && html`<${Link} to=${["talk", found.session]}>${found.session}<//>`], ["Speaker", found.speaker || found.role], ["Source", found.source],
    ["Happened", html`<${When} ms=${found.occurred_at} exact />`], ["Recorded", html`<${When} ms=${found.recorded_at} exact />`],
    ["Retired", found.retired_at && html`<${When} ms=${found.retired_at} exact />`], ["Replaced by", found.superseded_by && html`<${FrameLink} id=${found.superseded_by} />`],
    ["Expires", found.expires_at && html`<${When} ms=${found.expires_at} exact />`], ["Part of", found.parent && html`<${FrameLink} id=${found.parent} />`],
    ["Address", found.uri], ["Tags", found.tags.length > 0 && html`<span class="row">${found.tags.map((tag) => html`<${Pill} key=${tag}>${tag}<//>`)}</span>`],
    ...Object.entries(found.metadata).slice(0, 30).map(([name, shown]) => [name, html`<code>${value(shown)}</code>`]),
  ]} />`;
}

export function Learned({ learned, frame }) {
  return html`<${Answer} of=${learned}>${(found) => {
    const facts = found.facts.filter((fact) => fact.frame === frame);
    const memories = found.memories.filter((memory) => memory.frame === frame);
    if (!facts.length && !memories.length) return html`<p class="muted small">Nothing.</p>`;
    return html`<ul class="stack tight learned">${facts.map((fact) => html`<li key=${`f${fact.fact_id}`}><${Link} to=${["facts", fact.subject]} params=${{ predicate: fact.predicate }}>${fact.subject} <span class="muted">${words(fact.predicate)}</span> ${value(fact.object)}<//> ${fact.state !== "held" && html`<${Pill} tone=${fact.state === "quarantined" ? "warn" : ""}>${fact.state}<//>`}</li>`)}
      ${memories.map((memory) => html`<li key=${`m${memory.memory_id}`}><${Link} to="talk" params=${{ tab: "memories", memory: memory.memory_id }}>${memory.content}<//> <${Pill} tone="accent">memory<//> ${memory.status !== "active" && html`<${Pill}>${memory.status}<//>`}</li>`)}</ul>`;
  }}<//>`;
}
