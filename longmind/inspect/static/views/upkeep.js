// Upkeep: is it whole, how large is it, who did what, what did it cost, does it still find what it must?

import { html, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { bytes, number, time, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Act, Answer, Card, Confirm, Definition, Empty, Link, Page, Pill, Tabs, When, useAnswer } from "../lib/ui.js";
import { VirtualList } from "../lib/virtual.js";

export default function Upkeep({ route, session, turn }) {
  const { params } = route;
  const tabs = [...(session.everywhere ? [["health", "Health"], ["snapshots", "Snapshots"]] : []), ["golden", "Golden questions"], ["log", "Audit log"], ["money", "Spending"]];
  const tab = tabs.some(([name]) => name === params.tab) ? params.tab : tabs[0][0];
  const Shown = { health: Health, snapshots: Snapshots, golden: Golden, log: Log, money: Money }[tab];
  return html`<${Page} title="Upkeep" lead="Is it whole, how large is it, who did what, and what did it cost?">
    <${Tabs} label="Upkeep" chosen=${tab} choose=${(name) => set({ tab: name })} tabs=${tabs} />
    <${Shown} params=${params} session=${session} turn=${turn} />
  <//>`;
}

function Health({ session, turn }) {
  const stats = useAnswer("stats", {}, { turn });
  const [deep, setDeep] = useState(false);
  const check = useAnswer("verify", { deep: deep || undefined }, { turn });
  const [done, setDone] = useState(null);
  return html`<div class="grid">
    <${Card} class="w6" title="Is it whole?" action=${html`<button class="small" disabled=${check.busy} onClick=${() => (deep ? check.reload() : setDeep(true))}>Check everything</button>`}>
      <${Answer} of=${check}>${(report) => html`<div class="stack">${report.problems.length ? html`<div class="trouble" role="alert"><strong>${report.problems.length} problems</strong>${report.problems.slice(0, 20).map((item, index) => html`<p key=${index}><code>${item.code}</code> ${item.detail || item.message || ""}</p>`)}</div>` : html`<div class="row"><${Pill} tone="good">no problems<//><span class="muted small">${report.deep ? `every row was checked (${number(report.frames)} frames)` : "a quick check"}, ${report.seconds.toFixed(2)} s</span></div>`}${report.notes.map((note) => html`<p class="small muted">${note}</p>`)}</div>`}<//><//>
    <${Card} class="w6" title="Size"><${Answer} of=${stats}>${(found) => html`<${Definition} rows=${[["Where", found.location], ["Engine", `${found.engine}, format ${found.format}`], ["On disk", bytes(found.bytes)], ["Frames", `${number(found.live)} in use, ${number(found.retired)} retired`], ["Embedder", session.embedder || "none"], ["Last write", time(found.revision)]]} />`}<//><//>
    <${Card} class="w6" title="Parts"><${Answer} of=${stats}>${(found) => html`<div class="scroll-x"><table><tbody>${Object.entries(found.parts).map(([part, figures]) => html`<tr key=${part}><td class="strong">${words(part)}</td><td class="muted">${Object.entries(figures).filter(([, count]) => count).map(([name, count]) => `${words(name)} ${typeof count === "number" ? number(count) : count}`).join(", ") || "empty"}</td></tr>`)}</tbody></table></div>`}<//><//>
    <${Card} class="w6" title="Tidy up">${session.write ? html`<div class="stack"><p class="row"><${Act} label="Maintain" name="maintain" inputs=${{ max_seconds: 5 }} after=${(answer) => { setDone(answer); stats.reload(); }} title="Missing vectors and short forms, unused space" /><${Act} label="Reindex" name="reindex" inputs=${{}} after=${(answer) => { setDone(answer); stats.reload(); }} /><${Act} label="Compact" name="compact" inputs=${{}} after=${(answer) => { setDone(answer); stats.reload(); }} /></p>${done && html`<pre class="context-text" tabindex="0" role="status">${JSON.stringify(done, null, 2)}</pre>`}</div>` : html`<p class="muted">Start with <code>--write</code> to maintain, reindex or compact from here.</p>`}
      <p class="small muted">Backups are files, so they are made where files may be written: <code>longmind backup copy.mind</code>.</p><//>
  </div>`;
}

function Snapshots({ params, session, turn }) {
  const list = useAnswer("snapshot.list", {}, { turn });
  const chosen = params.snapshot || null;
  const diff = useAnswer("snapshot.diff", { name: chosen }, { when: Boolean(chosen), turn });
  const [name, setName] = useState("");
  const [asking, setAsking] = useState(null);
  const restore = async () => {
    await call("snapshot.restore", { name: asking });
    setAsking(null);
    list.reload();
  };
  return html`<div class="grid"><${Card} class="w5 flush" label="Snapshots"><${Answer} of=${list}>${(found) => found.snapshots.length ? html`<ul class="list">${found.snapshots.map((item) => html`<li key=${item.name} aria-current=${item.name === chosen ? "true" : null}><a class="cover" href="#" onClick=${(event) => { event.preventDefault(); set({ snapshot: item.name }); }}><span class="row between"><strong>${item.name}</strong><span class="small muted"><${When} ms=${item.system} exact /></span></span><span class="muted small">${item.note}</span></a></li>`)}</ul>` : html`<${Empty} title="No snapshots">Name a state before you change much.<//>`}<//>
      ${session.write && html`<form class="row pages" onSubmit=${(event) => { event.preventDefault(); call("snapshot.create", { name }).then(() => { setName(""); list.reload(); }); }}><input class="grow" aria-label="Name of a new snapshot" placeholder="Name of a new snapshot" value=${name} onInput=${(event) => setName(event.target.value)} /><button type="submit" disabled=${!name.trim()}>Create</button></form>`}<//>
    <${Card} class="w7" title=${chosen ? `Since ${chosen}` : "Differences"} action=${chosen && html`<span class="row"><${Link} to="home" params=${{ as_of: list.answer?.snapshots.find((item) => item.name === chosen)?.system }}>Look at it<//>${session.write && html`<button class="small" onClick=${() => setAsking(chosen)}>Restore…</button>`}</span>`}>${chosen ? html`<${Answer} of=${diff}>${(found) => html`<div class="stack"><p class="small muted">${number(found.differences.length)} differences</p><div class="tall" tabindex="0" role="region" aria-label="Differences"><ul class="stack tight">${found.differences.slice(0, 300).map((item, index) => html`<li key=${index}><${Pill} tone=${item.change === "added" ? "good" : item.change === "removed" ? "bad" : "accent"}>${item.change}<//> <span class="muted small">${item.name}</span> <span dir="auto">${item.text}</span></li>`)}</ul></div></div>`}<//>` : html`<${Empty} title="Choose a snapshot" />`}<//>
    ${asking && html`<${Confirm} title="Restore a snapshot" word=${asking} action="Restore" cancel=${() => setAsking(null)} done=${restore}><p>The memory becomes what it was then. What came after stays in the history, and is no longer held.</p><//>`}</div>`;
}

function Golden({ params, session, turn }) {
  const space = oneSpace(params, session);
  const run = useAnswer("golden.run", { space, keep: false }, { turn });
  const list = useAnswer("golden.list", { space }, { turn });
  const asked = new Map((list.answer?.questions || []).map((item) => [item.name, item]));
  return html`<${Card} title="Golden questions" class="flush" action=${session.write && html`<${Act} label="Run and keep" name="golden.run" inputs=${{ space }} after=${run.reload} />`}><${Answer} of=${run}>${(report) => report.results.length ? html`<div class="row small pages"><${Pill} tone="good">${report.passed} pass<//>${report.failed > 0 && html`<${Pill} tone="bad">${report.failed} fail<//>`}<span class="muted">asked now, against the last run that was kept</span></div><div class="scroll-x"><table><thead><tr><th>Question</th><th>Must find</th><th>Places</th><th>Since the last run</th><th></th></tr></thead><tbody>${report.results.map((item) => html`<tr key=${item.name}><td><div class="strong"><${Link} to="search" params=${{ q: item.query, space: params.space }} data-stop>${item.query}<//></div><span class="small muted">${item.name}</span></td><td>${[...(asked.get(item.name)?.texts || []), ...(asked.get(item.name)?.frames || []).map((id) => `frame ${id}`)].join(", ")}</td><td>${Object.values(item.ranks).map((rank) => `#${rank}`).join(", ") || "–"}${item.problems.map((problem) => html`<p key=${problem} class="small muted">${problem}</p>`)}</td><td>${item.moved.length ? item.moved.join("; ") : html`<span class="muted">as before</span>`}</td><td><${Pill} tone=${item.passed ? "good" : "bad"}>${item.passed ? "pass" : "fail"}<//>${session.write && html` <${Act} label="Remove" name="golden.remove" tone="small quiet" inputs=${{ name: item.name, space }} after=${() => { list.reload(); run.reload(); }} />`}</td></tr>`)}</tbody></table></div>` : html`<${Empty} title="No golden questions">Keep one from the search bench: what a store must find, asked again whenever something changes.<//>`}<//><//>`;
}

function Log({ params, session, turn }) {
  const asked = scope(params, ["space", "user"]);
  return html`<${Card} class="flush" label="Audit log"><div class="fields filter"><label class="field"><span>Action</span><input data-search placeholder="facts, turns.add" value=${params.action || ""} onChange=${(event) => set({ action: event.target.value })} /></label><label class="field"><span>Actor</span><input value=${params.actor || ""} onChange=${(event) => set({ actor: event.target.value })} /></label></div>
    <${VirtualList} name="audit.list" inputs=${{ ...asked, action: params.action || undefined, actor: params.actor || undefined, limit: 200 }} turn=${turn} height=${62} label="Audit log" rows=${(page) => page.entries} next=${(page) => (page.cursor ? { cursor: page.cursor } : null)}>
      ${(entry, style) => html`<div key=${entry.id} class="line" style=${style}><span class="row small"><span class="mono muted">${entry.id}</span><code>${entry.action}</code><span class="muted">${entry.actor} · ${entry.face}</span><span class="muted nowrap">${time(entry.recorded_at)}</span></span><p class="small muted">${[...entry.spaces, ...entry.users.map((user) => `@${user}`)].join(", ")} ${Object.entries(entry.changes).map(([table, [added, removed]]) => `${words(table)} ${added ? `+${added}` : ""}${removed ? ` −${removed}` : ""}`).join(", ")}</p></div>`}
    <//><//>`;
}

function Money({ params, turn }) {
  const spent = useAnswer("inspect.spending", scope(params, ["space", "user"]), { turn });
  return html`<${Card} title="What language models cost" class="flush"><${Answer} of=${spent}>${(found) => found.rows.length ? html`<div class="scroll-x"><table><thead><tr><th>Space</th><th>Model</th><th class="number">Calls</th><th class="number">Tokens read</th><th class="number">Tokens written</th><th class="number">USD</th></tr></thead><tbody>${found.rows.map((row, index) => html`<tr key=${index}><td>${row.space}</td><td>${row.provider} ${row.model}</td><td class="number">${number(row.calls)}</td><td class="number">${number(row.input_tokens)}</td><td class="number">${number(row.output_tokens)}</td><td class="number">${row.usd.toFixed(4)}</td></tr>`)}</tbody></table></div>` : html`<${Empty} title="No model was called">Longmind works without one.<//>`}<//><//>`;
}
