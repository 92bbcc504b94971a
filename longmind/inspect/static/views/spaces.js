// Project spaces: objects by their paths, pins, links and rules.

import { html } from "../vendor/preact.js";
import { number, words } from "../lib/format.js";
import { oneSpace, scope, set } from "../lib/route.js";
import { Act, Answer, Card, Definition, Empty, FrameLink, Link, Long, Page, Pill, Tabs, When, useAnswer } from "../lib/ui.js";

export default function Spaces({ route, session, turn }) {
  const { params } = route;
  const space = oneSpace(params, session);
  const place = { ...scope(params, ["user", "as_of", "valid_at"]), space };
  const tab = params.tab || "objects";
  const spaces = useAnswer("space.list", {}, { turn });
  const listed = spaces.answer?.spaces || [];
  return html`<${Page} title="Spaces" lead=${`Knowledge with places, pins and rules. You are in ${space}.`}>
    ${listed.length > 0 && html`<div class="figures few">${listed.map((item) => html`<${Link} key=${item.name} to="spaces" params=${{ space: item.name }} class="figure"><span>${item.name}</span><b>${number(item.objects)}</b><small>objects, ${item.pinned} pinned</small><//>`)}</div>`}
    <${Tabs} label="Spaces" chosen=${tab} choose=${(name) => set({ tab: name === "objects" ? null : name })} tabs=${[["objects", "Objects"], ["rules", "Rules"], ["expiry", "Next cleanup"]]} />
    ${tab === "objects" && html`<${Objects} params=${params} place=${place} session=${session} turn=${turn} />`}
    ${tab === "rules" && html`<${Rules} space=${space} turn=${turn} />`}
    ${tab === "expiry" && html`<${Cleanup} space=${space} turn=${turn} />`}
  <//>`;
}

function Objects({ params, place, session, turn }) {
  const list = useAnswer("space.objects", { ...place, prefix: params.prefix || undefined, limit: 300 }, { turn });
  return html`<div class="grid"><${Card} class="w6 flush" label="Objects" title=${html`<input data-search type="search" aria-label="Only below this path" placeholder="Only below this path" value=${params.prefix || ""} onChange=${(event) => set({ prefix: event.target.value })} />`}>
      <${Answer} of=${list}>${(found) => found.objects.length ? html`<ul class="list">${found.objects.map((item) => html`<li key=${item.id} aria-current=${params.object === item.path ? "true" : null}><a class="cover" href="#" onClick=${(event) => { event.preventDefault(); set({ object: item.path }); }}><span class="row between"><span class="mono">${item.path}</span>${item.pinned && html`<${Pill} tone="accent">pinned<//>`}</span><span class="clip small">${item.summary_micro}</span><span class="small muted">${item.kind} · ${item.relevance} relevance</span></a></li>`)}</ul>` : html`<${Empty} title="No objects">Nothing is kept in this space under a path.<//>`}<//><//>
    <div class="w6">${params.object ? html`<${Thing} key=${params.object} path=${params.object} place=${place} session=${session} turn=${turn} changed=${list.reload} />` : html`<${Card}><${Empty} title="Choose an object" /><//>`}</div></div>`;
}

function Thing({ path, place, session, turn, changed }) {
  const thing = useAnswer("space.get", { ...place, which: path }, { turn });
  const links = useAnswer("space.links", { ...place, which: path }, { turn });
  const target = { space: place.space, user: place.user, which: path };
  const reload = () => {
    thing.reload();
    changed();
  };
  return html`<${Card} title=${path} action=${session.write && thing.answer && html`<span class="row">${thing.answer.pinned ? html`<${Act} key="unpin" label="Unpin" name="space.unpin" inputs=${target} after=${reload} />` : html`<${Act} key="pin" label="Pin" name="space.pin" inputs=${target} after=${reload} />`}</span>`}><${Answer} of=${thing}>${(found) => html`<div class="stack">
    <div class="row"><${Pill}>${found.kind}<//>${found.pinned && html`<${Pill} tone="accent">pinned<//>`}<${Pill}>${found.relevance} relevance<//>${found.tags.map((tag) => html`<${Pill} key=${tag}>${tag}<//>`)}<${FrameLink} id=${found.frame_id} /></div>
    <${Long} text=${found.raw || found.summary_long} most=${2000} />
    <p class="small muted">Updated <${When} ms=${found.updated_at} exact /></p>
    ${links.answer?.links.length > 0 && html`<div><h3>Links</h3><ul class="stack tight">${links.answer.links.map((link, index) => html`<li key=${index} class="row small"><span class="muted">${link.direction === "outbound" ? words(link.relation) : `${words(link.relation)} of`}</span><${Link} to="spaces" params=${{ space: link.space, object: link.path }}>${link.path}<//></li>`)}</ul></div>`}
  </div>`}<//><//>`;
}

function Rules({ space, turn }) {
  const policy = useAnswer("space.policy", { space }, { turn });
  const log = useAnswer("space.audit", { space, limit: 50 }, { turn });
  return html`<div class="grid"><${Card} class="w6" title="Rules"><${Answer} of=${policy}>${(found) => html`<${Definition} rows=${Object.entries(found.policy).map(([name, rule]) => [words(name), html`<code>${rule == null ? "none" : JSON.stringify(rule)}</code>`])} />`}<//><//>
    <${Card} class="w6" title="Log of this space"><${Answer} of=${log}>${(found) => html`<ul class="stack tight">${found.entries.map((entry) => html`<li key=${entry.id} class="row between small"><span><code>${entry.action}</code> ${entry.object_id || ""}</span><span class="muted"><${When} ms=${entry.at} /></span></li>`)}</ul>`}<//><//></div>`;
}

function Cleanup({ space, turn }) {
  const trial = useAnswer("space.gc", { space, dry_run: true }, { turn });
  return html`<${Card} title="If it were cleaned up now"><${Answer} of=${trial}>${(found) => html`<div class="stack"><p>${found.ttl_days == null ? "Objects of this space do not expire." : `Objects go after ${found.ttl_days} days: ${found.expired.length} would, ${found.kept_pinned} stay because they are pinned.`}</p><p class="row">${found.expired.map((id) => html`<code key=${id} class="pill">${id}</code>`)}</p></div>`}<//><//>`;
}
