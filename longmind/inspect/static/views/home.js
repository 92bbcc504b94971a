// Home: what is in the store, at a glance.

import { html } from "../vendor/preact.js";
import { ActivityChart } from "../lib/activity.js";
import { ago, bytes, compact, counted, number, words } from "../lib/format.js";
import { scope } from "../lib/route.js";
import { Answer, Bar, Card, Empty, Kind, Link, Page, Pill, When, hue, useAnswer } from "../lib/ui.js";

export default function Home({ route, session, turn }) {
  const asked = scope(route.params);
  const overview = useAnswer("inspect.overview", asked, { turn });
  const everywhere = session.everywhere;
  const store = useAnswer("inspect.store", {}, { when: everywhere, turn });
  const users = useAnswer("users", {}, { when: everywhere, turn });
  const log = useAnswer("audit.list", { limit: 8, space: asked.space, user: asked.user }, { turn });
  const latest = useAnswer("inspect.frames", { ...asked, limit: 6 }, { turn });
  return html`<${Page} title="What is in this memory" lead=${lead(session, route.params)}>
    <${Answer} of=${overview}>${(view) => html`<div class="stack home">
      <div class="figures">
        <${Figure} to="frames" label="Frames" value=${view.frames} note=${today(view.recorded_today, "today")} />
        <${Figure} to="facts" label="Facts held" value=${view.facts} note=${today(view.learned_today, "learned today")} />
        <${Figure} to="facts" label="Entities" value=${view.entities} note=${view.quarantined ? `${view.quarantined} in quarantine` : "none in quarantine"} />
        <${Figure} to="talk" params=${{ tab: "memories" }} label="Memories" value=${active(view)} note=${layers(view)} />
        ${everywhere && html`<${Answer} of=${store} quiet>${(whole) => html`<${Figure} to="upkeep" label="On disk" value=${bytes(whole.bytes)} note=${`${counted(whole.live, "frame")} in all spaces`} />`}<//>`}
      </div>
      <div class="grid">
        <${Card} title="Frames over time" class="w8">${view.activity.length ? html`<${ActivityChart} activity=${view.activity} kinds=${view.kinds} step=${view.step} />` : html`<${Empty} title="Nothing here yet">Remember something, or look from another space or moment.<//>`}<//>
        <${Card} title="Kinds" class="w4"><${Kinds} kinds=${view.kinds} /><//>
        <${Card} title="Newest" class="w8 flush" action=${html`<${Link} to="frames">All frames<//>`}><${Answer} of=${latest}>${(page) => html`<ul class="list">${page.frames.map((frame) => html`<li key=${frame.id}><${Link} to=${["frames", String(frame.id)]} class="cover">
          <span class="row small"><${Kind} name=${frame.kind} />${(frame.speaker || frame.role) && html`<span class="muted">${frame.speaker || frame.role}</span>`}<span class="muted"><${When} ms=${frame.occurred_at} /></span></span>
          <span class="clip" dir="auto">${frame.title ? `${frame.title}: ` : ""}${frame.text}</span><//></li>`)}</ul>`}<//><//>
        <div class="w4 stack">
          <${Card} title="Spaces and users"><${Places} store=${store.answer} users=${users.answer} view=${view} /><//>
          <${Card} title="Latest changes" action=${html`<${Link} to="upkeep" params=${{ tab: "log" }}>Audit log<//>`}>
            <${Answer} of=${log}>${(page) => html`<ul class="stack tight">${page.entries.map((entry) => html`<li key=${entry.id} class="row between small"><span><code>${entry.action}</code></span><span class="muted">${ago(entry.recorded_at, session.now)}</span></li>`)}</ul>`}<//>
          <//>
        </div>
      </div>
    </div>`}<//>
  <//>`;
}

function lead(session, params) {
  const place = params.space === "*" ? "all spaces" : `the space ${params.space || session.default_space}`;
  return `${place[0].toUpperCase()}${place.slice(1)}${params.user ? `, with what belongs to ${params.user}` : ""}.`;
}

const today = (count, label) => (count ? `+${number(count)} ${label}` : `none ${label}`);
const active = (view) => view.memories.filter((item) => ["mid", "long"].includes(item.name)).reduce((sum, item) => sum + item.count, 0);
function layers(view) {
  const of = (name) => view.memories.find((item) => item.name === name)?.count || 0;
  return `${of("mid")} mid, ${of("long")} long-term`;
}

function Figure({ to, params, label, value, note }) {
  return html`<${Link} to=${to} params=${params} class="figure"><span>${label}</span><b>${typeof value === "number" ? compact(value) : value}</b><small>${note}</small><//>`;
}

function Kinds({ kinds }) {
  const most = kinds[0]?.count || 1;
  if (!kinds.length) return html`<${Empty} title="No frames" />`;
  return html`<ul class="kinds">${kinds.slice(0, 9).map((kind) => html`<li key=${kind.name} class="c${hue(kind.name)}">
    <${Link} to="frames" params=${{ kind: kind.name }}>${words(kind.name)}<//><${Bar} share=${kind.count / most} label=${`${kind.count} of kind ${kind.name}`} /><b>${number(kind.count)}</b></li>`)}</ul>`;
}

function Places({ store, users, view }) {
  const spaces = store ? store.spaces.map((item) => [item.name, item.count]).sort((one, other) => other[1] - one[1]) : view.places.map((place) => [place.space, place.count]);
  return html`<ul class="stack tight">
    ${spaces.slice(0, 6).map(([name, count]) => html`<li key=${name} class="row between"><${Link} to="home" params=${{ space: name }}>${name}<//><span class="muted small">${counted(count, "frame")}</span></li>`)}
    ${(users?.users || []).slice(0, 6).map((item) => html`<li key=${`@${item.user}`} class="row between"><span><${Pill} tone="accent">user<//> <${Link} to="home" params=${{ user: item.user }}>${item.user}<//></span><span class="muted small">${counted(item.frames, "frame")}, ${counted(item.facts, "fact")}</span></li>`)}
  </ul>`;
}
