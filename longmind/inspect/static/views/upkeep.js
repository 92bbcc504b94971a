// Upkeep: is it whole, how large is it, who did what, what did it cost, does it still find what it must?

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { call } from "../lib/api.js";
import { bytes, counted, number, percent, seconds, time, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Act, Answer, Card, Confirm, Definition, Empty, Link, Page, Pill, Tabs, Trouble, When, useAnswer } from "../lib/ui.js";
import { VirtualList } from "../lib/virtual.js";

const POLL = 700;
const IDLE = 3000;

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
  const store = useAnswer("inspect.store", {}, { turn });
  const parts = useAnswer("inspect.parts", {}, { turn });
  const { tasks, problem, start, refused } = useTasks(turn);
  const check = tasks.find((task) => task.name === "verify");
  const asked = useRef(false);
  useEffect(() => {
    // The first look at a store checks it once; later, whoever wants to know asks again.
    if (tasks.loaded && !check && !asked.current) {
      asked.current = true;
      start("verify", {});
    }
  }, [tasks]);
  const others = tasks.filter((task) => task.name !== "verify");
  return html`<div class="grid">
    <div class="w6 stack wide-gap"><${Card} title="Is it whole?" action=${!problem && html`<span class="row"><button class="small" disabled=${check?.state === "running"} onClick=${() => start("verify", {})}>Quick check</button><button class="small" disabled=${check?.state === "running"} onClick=${() => start("verify", { deep: true })}>Check everything</button></span>`}>
      ${problem ? html`<p class="muted">${problem.status === 403 ? "Checking a store needs a key with the role admin." : problem.message}</p>` : check ? html`<${Check} task=${check} revision=${tasks.revision} />` : html`<p class="muted">Looking…</p>`}<//>
    <${Card} title="Parts"><${Answer} of=${parts}>${(found) => html`<${Parts} parts=${found.parts} />`}<//><//></div>
    <div class="w6 stack wide-gap"><${Card} title="Size"><${Answer} of=${store}>${(found) => html`<${Definition} rows=${[["Where", session.store], ["Engine", `${session.engine}, format ${found.format}`], ["On disk", bytes(found.bytes)], ["Frames", `${number(found.live)} in use, ${number(found.retired)} retired`], ["Embedder", session.embedder || "none"], ["Last write", time(found.revision)]]} />`}<//><//>
    <${Card} title="Tidy up"><div class="stack">
      ${session.write ? html`<div class="row">${[["Maintain", "maintain", { max_seconds: 5 }, "Missing vectors and short forms, unused space"], ["Reindex", "reindex", {}, "Makes everything that is derived anew, beside what answers meanwhile"], ["Compact", "compact", {}, "Gives unused space back"]].map(([label, name, inputs, title]) => html`<button key=${name} title=${title} disabled=${tasks.some((task) => task.state === "running" && task.name === name)} onClick=${() => start(name, inputs, parts.reload)}>${label}</button>`)}</div>` : html`<p class="muted">Start with <code>--write</code> to maintain, reindex or compact from here.</p>`}
      ${refused && html`<${Trouble} problem=${refused} />`}
      ${others.map((task, index) => html`<${TaskLine} key=${`${task.name}${index}`} task=${task} />`)}
      <p class="small muted">Backups are files, so they are made where files may be written: <code>longmind backup copy.mind</code>.</p></div><//></div>
  </div>`;
}

// Long work goes on when the page is left: it is asked about, and never waited for.
function useTasks(turn) {
  const [state, setState] = useState({ tasks: [] });
  const [round, setRound] = useState(0);
  const [refused, setRefused] = useState(null);
  useEffect(() => {
    let left = false;
    call("inspect.tasks").then(
      (answer) => !left && setState({ tasks: Object.assign(answer.tasks, { loaded: true, revision: answer.revision }) }),
      (problem) => !left && setState({ tasks: [], problem }),
    );
    return () => { left = true; };
  }, [round, turn]);
  const running = state.tasks.some((task) => task.state.startsWith("running"));
  useEffect(() => {
    // A rebuild by another process is no write, and would otherwise go unseen.
    const timer = setInterval(() => !document.hidden && setRound((count) => count + 1), running ? POLL : IDLE);
    return () => clearInterval(timer);
  }, [running]);
  const start = (name, inputs, after) => {
    setRefused(null);
    const look = () => setRound((count) => count + 1);
    call(name, inputs).then(() => { after?.(); look(); }, (problem) => { setRefused(problem); look(); });
    setTimeout(look, 60);
  };
  return { ...state, refused, start };
}

function Progress({ task }) {
  const counted = task.total ? `, ${number(task.done)} of ${number(task.total)}` : "";
  return html`<div class="progress"><div class="row between small"><span>${words(task.stage) || "starting"}<span class="muted">${counted}</span></span><span class="muted">${percent(task.share)}</span></div>
    <progress max="1" value=${task.share} aria-label=${`${task.name}: ${percent(task.share)}`}></progress></div>`;
}

function Check({ task, revision }) {
  if (task.state === "running") return html`<${Progress} task=${task} />`;
  if (task.state === "failed") return html`<${Trouble} problem=${{ message: "The check could not be finished.", hint: task.error }} />`;
  const report = task.result;
  const ended = task.started_at + task.seconds * 1000;
  return html`<div class="stack" role="status">${report.problems.length ? html`<div class="trouble" role="alert"><strong>${counted(report.problems.length, "problem")}</strong>${report.problems.slice(0, 20).map((item, index) => html`<p key=${index}><code>${item.code}</code> ${item.detail || item.message || ""}</p>`)}</div>`
      : html`<div class="row"><${Pill} tone="good">no problems<//><span class="muted small">${report.deep ? `every row was checked (${number(report.frames)} frames)` : "a quick check"}, ${seconds(report.seconds)}</span></div>`}
    <p class="small muted">Checked ${time(ended)}${revision > ended ? ", before the latest write" : ""}.</p>
    ${report.notes.map((note) => html`<p key=${note} class="small muted">${note}</p>`)}</div>`;
}

const OUTCOMES = { running: "accent", "running elsewhere": "accent", done: "good", failed: "bad", stopped: "warn" };

function TaskLine({ task }) {
  return html`<div class="task"><div class="row between"><strong>${task.name}</strong><${Pill} tone=${OUTCOMES[task.state]}>${task.state}<//></div>
    ${task.state === "done" ? html`<p class="small muted" role="status">${outcome(task)}, ${seconds(task.seconds)}</p>` : task.state === "failed" ? html`<p class="small" role="alert">${task.error}</p>` : html`<${Progress} task=${task} />`}
    ${task.state === "stopped" && html`<p class="small muted">Its process is gone. Reindex goes on from there; maintain deletes what it left.</p>`}</div>`;
}

function outcome({ name, result }) {
  if (name === "maintain") {
    const parts = Object.entries(result?.done || {}).map(([part, counts]) => `${words(part)}: ${Object.entries(counts).map(([what, count]) => `${number(count)} ${words(what)}`).join(", ")}`);
    return parts.join("; ") || "nothing to do";
  }
  if (name === "reindex") return Object.entries(result || {}).filter(([, count]) => count).map(([part, count]) => `${words(part)} ${number(count)}`).join(", ") || "nothing to rebuild";
  return "finished";
}

// Names of rows come in either number; these have only one.
const UNCOUNTED = /^(missing|pinned|audit|(.* )?evidence|active .*|not in .*|in an .*)$/;

function noun(name, count) {
  const said = words(name);
  if (UNCOUNTED.test(said)) return said;
  const one = said.replace(/ies$/, "y").replace(/s$/, "");
  return count === 1 ? one : one.replace(/y$/, "ie") + "s";
}

function Parts({ parts }) {
  const figures = (counts) => Object.entries(counts).filter(([, count]) => count).map(([name, count]) => html`<span key=${name} class="part"><b>${number(count)}</b> ${noun(name, count)}</span>`);
  return html`<dl class="definition">${Object.entries(parts).map(([part, counts]) => html`<div key=${part}><dt>${words(part)}</dt><dd class="figures-inline">${Object.values(counts).some(Boolean) ? figures(counts) : html`<span class="muted small">empty</span>`}</dd></div>`)}</dl>`;
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
  const list = useAnswer("golden.list", { space }, { turn });
  const history = useAnswer("golden.history", { space }, { turn });
  const [asked, setAsked] = useState({});
  const ask = (keep) => {
    setAsked({ busy: true });
    call("golden.run", { space, keep }).then((report) => { setAsked({ report }); if (keep) history.reload(); }, (problem) => setAsked({ problem }));
  };
  const now = new Map((asked.report?.results || []).map((item) => [item.name, item]));
  const runs = new Map();
  for (const run of history.answer?.runs || []) runs.set(run.name, [...(runs.get(run.name) || []), run]);
  const questions = list.answer?.questions || [];
  return html`<${Card} title="Golden questions" class="flush" action=${questions.length > 0 && html`<span class="row"><button class="small" disabled=${asked.busy} onClick=${() => ask(false)}>Ask now</button>${session.write && html`<button class="small primary" disabled=${asked.busy} onClick=${() => ask(true)}>Run and keep</button>`}</span>`}>
    ${asked.problem && html`<${Trouble} problem=${asked.problem} />`}
    ${asked.report && html`<div class="row small pages" role="status"><${Pill} tone="good">${asked.report.passed} pass<//>${asked.report.failed > 0 && html`<${Pill} tone="bad">${asked.report.failed} fail<//>`}<span class="muted">asked just now</span></div>`}
    <${Answer} of=${list}>${() => questions.length ? html`<div class="scroll-x"><table><thead><tr><th>Question</th><th>Must find</th><th>Last result</th><th>Runs that were kept</th>${session.write && html`<th><span class="sr">Actions</span></th>`}</tr></thead>
      <tbody>${questions.map((item) => html`<${GoldenRow} key=${item.name} item=${item} result=${now.get(item.name)} runs=${runs.get(item.name) || []} params=${params} session=${session} space=${space} removed=${list.reload} />`)}</tbody></table></div>`
      : html`<${Empty} title="No golden questions">Keep one from the search bench: what a store must find, asked again whenever something changes.<//>`}<//><//>`;
}

function GoldenRow({ item, result, runs, params, session, space, removed }) {
  const last = result || runs[0];
  const wanted = [...item.texts.map((text) => `“${text}”`), ...item.frames.map((id) => `frame ${id}`), ...item.not_texts.map((text) => `not “${text}”`), ...item.not_frames.map((id) => `not frame ${id}`)];
  return html`<tr><td><div class="strong"><${Link} to="search" params=${{ q: item.query, space: params.space }} data-stop>${item.query}<//></div>${item.name !== item.query && html`<span class="small muted">${item.name}</span>`}</td>
    <td>${wanted.join(", ")}</td>
    <td>${last ? html`<span class="row"><${Pill} tone=${last.passed ? "good" : "bad"}>${last.passed ? "pass" : "fail"}<//><span class="small muted">${Object.values(last.ranks).length ? `at place ${Object.values(last.ranks).join(", ")}` : ""}</span></span>` : html`<span class="muted small">never asked</span>`}
      ${(result?.problems || []).map((problem) => html`<p key=${problem} class="small">${problem}</p>`)}${(result?.moved || []).map((moved) => html`<p key=${moved} class="small muted">${moved}</p>`)}</td>
    <td><${Runs} runs=${runs} /></td>
    ${session.write && html`<td><${Act} label="Remove" name="golden.remove" tone="small quiet" inputs=${{ name: item.name, space }} after=${removed} /></td>`}</tr>`;
}

// Oldest to the left: one mark for each run, as high as its place is good.
function Runs({ runs }) {
  if (!runs.length) return html`<span class="muted small">none yet</span>`;
  const shown = [...runs].reverse();
  const place = (run) => Math.min(...Object.values(run.ranks), Infinity);
  const said = (run) => `${time(run.at)}: ${run.passed ? "pass" : "fail"}${Number.isFinite(place(run)) ? `, place ${place(run)}` : ""}${run.embedder ? `, ${run.embedder}` : ""}`;
  return html`<div class="runs-cell"><div class="runs" role="img" aria-label=${`${runs.filter((run) => run.passed).length} of ${runs.length} runs passed`}>${shown.map((run) => html`<i key=${run.at} class=${run.passed ? "good" : "bad"} style=${{ height: `${run.passed ? Math.max(30, 110 - 10 * Math.min(place(run), 9)) : 100}%` }} title=${said(run)}></i>`)}</div><span class="small muted nowrap">last <${When} ms=${runs[0].at} /></span></div>`;
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
