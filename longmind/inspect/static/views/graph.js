// The graph of entities: find one, expand it, keep only some predicates, and move through time.

import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { number, words } from "../lib/format.js";
import { scope, set } from "../lib/route.js";
import { Answer, Card, Empty, Link, Page, hue, useAnswer } from "../lib/ui.js";
import "../vendor/force-graph.js";

const COLOURS = 8;

export default function Graph({ route, turn }) {
  const { params } = route;
  const chosen = params.predicates ? params.predicates.split(",") : [];
  const graph = useAnswer("inspect.graph", { ...scope(params), predicates: chosen.length ? chosen : undefined, values: params.values ? true : undefined }, { turn });
  const toggle = (name) => {
    const next = chosen.includes(name) ? chosen.filter((item) => item !== name) : [...chosen, name];
    set({ predicates: next.join(",") });
  };
  return html`<${Page} title="Graph" lead="Entities and the facts that link them. Move the time sliders (v) to see it change.">
    <${Answer} of=${graph}>${(found) => html`<div class="graph-page">
      <${Canvas} found=${found} params=${params} />
      <div class="stack">
        <${Card} title="Find"><${Find} found=${found} params=${params} /><//>
        <${Card} title="Predicates" action=${chosen.length > 0 && html`<button class="small" onClick=${() => set({ predicates: null })}>All</button>`}>
          <ul class="predicates">${found.predicates.slice(0, 60).map((item) => html`<li key=${item.name}><label class="row"><input type="checkbox" checked=${!chosen.length || chosen.includes(item.name)} onChange=${() => toggle(item.name)} /><span class="kind c${hue(item.name)}">${words(item.name)}</span><span class="muted small">${number(item.count)}</span></label></li>`)}</ul>
          <label class="row small"><input type="checkbox" checked=${Boolean(params.values)} onChange=${(event) => set({ values: event.target.checked ? "1" : null })} /> Also texts and numbers</label><//>
      </div>
    </div>`}<//>
  <//>`;
}

// Nodes and links as the picture wants them; around a focus, only those within so many steps of it.
function data(found, focus, depth) {
  let edges = found.edges;
  const start = focus == null ? -1 : found.nodes.findIndex((node) => node.entity && node.name === focus);
  if (focus != null) {
    let near = new Set([start]);
    for (let step = 0; step < depth; step += 1) {
      const further = new Set(near);
      for (const [subject, , object] of edges) {
        if (near.has(subject)) further.add(object);
        else if (near.has(object)) further.add(subject);
      }
      near = further;
    }
    edges = edges.filter(([subject, , object]) => near.has(subject) && near.has(object));
  }
  const nodes = new Map();
  const node = (index) => {
    if (!nodes.has(index)) {
      const { name, kind, entity } = found.nodes[index];
      nodes.set(index, { id: entity ? name : `= ${name}`, label: name, entity, kind, degree: 0 });
    }
    nodes.get(index).degree += 1;
    return nodes.get(index).id;
  };
  const links = edges.map(([subject, predicate, object]) => ({ source: node(subject), target: node(object), predicate: found.predicates[predicate].name }));
  return { nodes: [...nodes.values()], links };
}

function Canvas({ found, params }) {
  const box = useRef();
  const graph = useRef();
  const [hover, setHover] = useState(null);
  const focus = params.focus || null;
  const depth = Number(params.depth) || 1;
  const shown = useMemo(() => data(found, focus, depth), [found, focus, depth]);
  useEffect(() => {
    if (!box.current) return undefined;
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const chart = globalThis.ForceGraph()(box.current);
    graph.current = chart;
    const paint = () => {
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      const tones = Array.from({ length: COLOURS }, (_, index) => colour(`--c${index}`));
      const ink = colour("--ink");
      const line = colour("--line-strong");
      const muted = colour("--muted");
      chart.backgroundColor("rgba(0,0,0,0)")
        .linkColor((link) => (graph.lit?.has(link) ? tones[hue(link.predicate)] : line))
        .nodeCanvasObject((node, context, scale) => {
          const size = Math.min(9, 3 + Math.sqrt(node.degree));
          context.beginPath();
          if (node.entity) context.arc(node.x, node.y, size, 0, 7);
          else context.rect(node.x - 3, node.y - 3, 6, 6);
          context.fillStyle = node.entity ? tones[hue(node.kind || "entity")] : muted;
          context.fill();
          if (node.id === graph.focus || node.id === graph.over) {
            context.lineWidth = 2 / scale;
            context.strokeStyle = ink;
            context.stroke();
          }
          if (scale > 1.4 || node.degree > 5 || node.id === graph.focus || node.id === graph.over || graph.few) {
            context.font = `${12 / scale}px system-ui, sans-serif`;
            context.textAlign = "center";
            context.fillStyle = ink;
            context.fillText([...node.label].slice(0, 28).join(""), node.x, node.y + size + 12 / scale);
          }
        });
    };
    chart.nodeLabel(() => "").linkLabel(() => "").linkDirectionalArrowLength(4).linkDirectionalArrowRelPos(1).linkWidth(1)
      .linkCanvasObjectMode(() => "after").linkCanvasObject((link, context, scale) => {
        if (!graph.few || scale < 0.9 || typeof link.source !== "object") return;
        context.font = `${9.5 / scale}px system-ui, sans-serif`;
        context.textAlign = "center";
        context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--muted");
        context.fillText(words(link.predicate), (link.source.x + link.target.x) / 2, (link.source.y + link.target.y) / 2 - 2 / scale);
      })
      .nodePointerAreaPaint((node, colour, context) => {
        context.fillStyle = colour;
        context.beginPath();
        context.arc(node.x, node.y, 10, 0, 7);
        context.fill();
      })
      .onNodeHover((node) => { graph.over = node?.id; setHover(node?.label || null); })
      .onNodeClick((node) => node.entity && set({ focus: node.id }))
      .onEngineStop(() => { if (!graph.fitted) { graph.fitted = true; chart.zoomToFit(300, 60); } })
      .cooldownTime(4000);
    chart.d3Force("charge").strength(-190).distanceMax(420);
    chart.d3Force("link").distance(74);
    const size = () => chart.width(box.current.clientWidth).height(box.current.clientHeight);
    const watch = new ResizeObserver(() => box.current && size());
    watch.observe(box.current);
    size();
    paint();
    dark.addEventListener("change", paint);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", paint);
      chart._destructor();
    };
  }, []);
  useEffect(() => {
    const old = new Map((graph.current?.graphData().nodes || []).map((node) => [node.id, node]));
    for (const node of shown.nodes) {
      const before = old.get(node.id);
      if (before) Object.assign(node, { x: before.x, y: before.y, vx: 0, vy: 0 });
    }
    graph.focus = focus;
    graph.few = shown.links.length <= 80;
    graph.fitted = false;
    // Small graphs are laid out before they are shown; large ones are shown while they unfold.
    graph.current?.warmupTicks(shown.links.length < 600 ? 90 : 5).graphData(shown);
    const timer = setTimeout(() => graph.current?.zoomToFit(0, 50), 60);
    return () => clearTimeout(timer);
  }, [shown]);
  return html`<div class="graph-box"><div class="graph-canvas" ref=${box} role="img" aria-label=${`A graph of ${shown.nodes.length} entities and ${shown.links.length} links`}></div>
    <div class="graph-note row small muted"><span>${number(shown.nodes.length)} entities, ${number(shown.links.length)} links${found.truncated ? " (the newest; there are more)" : ""}</span>${hover && html`<strong>${hover}</strong>`}
      ${focus && html`<span class="row"><${Link} to=${["facts", focus]}>${focus}<//><button class="small" onClick=${() => set({ depth: depth + 1 })}>Expand</button><button class="small" onClick=${() => set({ focus: null, depth: null })}>Show all</button></span>`}</div>
    ${!shown.nodes.length && html`<${Empty} title="No links here">Facts whose value is an entity appear as links. Tick “Also texts and numbers” for the others.<//>`}
  </div>`;
}

function Find({ found, params }) {
  const [typed, setTyped] = useState(params.focus || "");
  useEffect(() => setTyped(params.focus || ""), [params.focus]);
  const names = useMemo(() => found.nodes.filter((node) => node.entity).map((node) => node.name).sort(), [found]);
  const matches = typed && typed !== params.focus ? names.filter((name) => name.toLowerCase().includes(typed.toLowerCase())).slice(0, 8) : [];
  return html`<input data-search type="search" aria-label="Find an entity in the graph" placeholder="Name of an entity" value=${typed} onInput=${(event) => setTyped(event.target.value)} onKeyDown=${(event) => event.key === "Enter" && matches[0] && set({ focus: matches[0] })} />
    <ul class="stack tight">${matches.map((name) => html`<li key=${name}><button class="link" onClick=${() => set({ focus: name })}>${name}</button></li>`)}</ul>`;
}
