// Experience: problems with what was tried, what held, and the brief for a task.

import { html, useState } from "../vendor/preact.js";
import { Budget } from "../lib/context.js";
import { counted, percent, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Answer, Bar, Card, Empty, FrameLink, Page, Pill, Tabs, When, useAnswer } from "../lib/ui.js";

const TONES = { problem: "bad", solution: "good", failed_tactic: "warn", fact: "accent", preference: "", change: "" };

export default function Experience({ route, session, turn }) {
  const { params, parts } = route;
  const place = { ...scope(params, ["user", "as_of", "valid_at"]), repo: oneSpace(params, session) };
  const tab = params.tab || "problems";
  const kinds = tab === "problems" ? ["problem"] : tab === "facts" ? ["fact"] : undefined;
  const list = useAnswer("experience.list", { ...place, kinds, archived: true, limit: 300 }, { turn, when: tab !== "brief" });
  const chosen = parts[1] || null;
  return html`<${Page} title="Experience" lead="What worked last time, what did not, and why.">
    <${Tabs} label="Experience" chosen=${tab} choose=${(name) => set({ tab: name === "problems" ? null : name })} tabs=${[["problems", "Problems"], ["facts", "Facts and changes"], ["all", "All records"], ["brief", "Brief"]]} />
    ${tab === "brief" ? html`<${Brief} params=${params} place=${place} turn=${turn} />` : html`<div class="grid">
      <${Card} class="w6 flush" label="Records"><${Answer} of=${list}>${(found) => found.records.length ? html`<ul class="list">${found.records.map((record) => html`<li key=${record.id} aria-current=${(chosen || params.record) === record.id ? "true" : null}><a class="cover" href="#" onClick=${(event) => { event.preventDefault(); set({ record: record.id }); }}><span class="row small"><code>${record.id}</code><${Pill} tone=${TONES[record.kind]}>${words(record.kind)}<//>${record.archived_at && html`<${Pill}>archived<//>`}<span class="muted"><${When} ms=${record.occurred_at} /></span></span><span dir="auto" class="text">${record.text}</span></a></li>`)}</ul>` : html`<${Empty} title="No records">Agents write here what they tried and what came of it.<//>`}<//><//>
      <div class="w6">${params.record ? html`<${Record} key=${params.record} id=${params.record} place=${place} turn=${turn} />` : html`<${Card}><${Empty} title="Choose a record" /><//>`}</div></div>`}
  <//>`;
}

function Record({ id, place, turn }) {
  const record = useAnswer("experience.get", { record: id, ...place }, { turn });
  const kind = record.answer?.kind;
  const attempts = useAnswer("experience.attempts", { problem: id, ...place }, { when: kind === "problem", turn });
  const chain = useAnswer("experience.fact_chain", { fact: id, ...place }, { when: kind === "fact", turn });
  return html`<${Card} title=${id}><${Answer} of=${record}>${(found) => html`<div class="stack">
    <div class="row"><${Pill} tone=${TONES[found.kind]}>${words(found.kind)}<//><span class="small muted"><${When} ms=${found.occurred_at} /></span><${FrameLink} id=${found.frame_id} /></div>
    <p class="text" dir="auto">${found.text}</p><${References} list=${found.evidence} />
    ${["solution", "failed_tactic"].includes(kind) && html`<${Votes} id=${id} place=${place} turn=${turn} />`}
    ${kind === "problem" && html`<${Answer} of=${attempts}>${(tried) => tried.tried.length ? html`<div class="stack"><h3>Tried</h3>${tried.tried.map(({ record: attempt }) => html`<div key=${attempt.id} class="evidence"><div class="row small"><${Pill} tone=${TONES[attempt.kind]}>${attempt.kind === "solution" ? "worked" : "did not work"}<//><code>${attempt.id}</code><span class="muted"><${When} ms=${attempt.occurred_at} /></span></div><p class="text" dir="auto">${attempt.text}</p><${References} list=${attempt.evidence} /><${Votes} id=${attempt.id} place=${place} turn=${turn} /></div>`)}</div>` : html`<p class="muted small">Nothing was tried yet.</p>`}<//>`}
    ${kind === "fact" && html`<${Answer} of=${chain}>${(found) => html`<${Chain} chain=${found} />`}<//>`}
  </div>`}<//><//>`;
}

function Chain({ chain }) {
  if (chain.facts.length < 2) return html`<p class="muted small">It still holds, and replaced nothing.</p>`;
  return html`<div class="stack"><h3>Chain</h3><ol class="chain">${chain.facts.map((fact, index) => html`<li key=${fact.id}><code>${fact.id}</code> <span class="text" dir="auto">${fact.text}</span>${index < chain.facts.length - 1 && html`<p class="small muted">then ${chain.changes[index]?.text || "it changed"}</p>`}</li>`)}</ol></div>`;
}

function References({ list }) {
  return html`<div class="row">${list.map((reference) => html`<code key=${reference} class="pill">${reference}</code>`)}</div>`;
}

function Votes({ id, place, turn }) {
  const votes = useAnswer("experience.votes", { record: id, ...place }, { turn });
  const list = votes.answer?.votes || [];
  if (!list.length) return null;
  const mean = list.reduce((sum, vote) => sum + vote.vote, 0) / list.length;
  return html`<div class="stack tight"><div class="row small"><span class="sure"><${Bar} share=${(mean + 1) / 2} tone=${mean >= 0 ? "good" : "bad"} label=${`mean vote ${mean.toFixed(2)}`} />${mean >= 0 ? "+" : ""}${mean.toFixed(2)}</span><span class="muted">${counted(list.length, "vote")}</span></div>
    ${list.map((vote) => html`<p key=${vote.id} class="small"><b>${vote.vote > 0 ? "+" : ""}${vote.vote}</b> ${vote.rationale}</p>`)}</div>`;
}

function Brief({ params, place, turn }) {
  const [typed, setTyped] = useState(params.task || "");
  const budget = Number(params.budget) || 1000;
  const brief = useAnswer("experience.brief", { text: params.task, budget, ...place }, { when: Boolean(params.task), turn });
  return html`<${Card} title="The brief for a task"><form class="stack" onSubmit=${(event) => { event.preventDefault(); set({ task: typed }); }}>
      <textarea data-search aria-label="What you are about to do" placeholder="Paste what you are about to do or solve" value=${typed} onInput=${(event) => setTyped(event.target.value)}></textarea><div><button class="primary" type="submit" disabled=${!typed.trim()}>Brief me</button></div></form>
    ${params.task && html`<${Answer} of=${brief}>${(found) => html`<div class="stack"><${Budget} items=${found.items} total=${found.total_tokens} budget=${budget} group=${(item) => item.role} /><div class="context-text" tabindex="0" role="region" aria-label="Brief" dir="auto">${found.text}</div></div>`}<//>`}
  <//>`;
}
