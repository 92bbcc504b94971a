// Photos with the text in them, videos and sound at the second.

import { html, useState } from "../vendor/preact.js";
import { clock, words } from "../lib/format.js";
import { scope, set } from "../lib/route.js";
import { Answer, Card, Definition, Empty, FrameLink, Page, Pill, When, useAnswer } from "../lib/ui.js";

const KINDS = ["photo", "video", "audio"];

export default function Media({ route, turn }) {
  const { params } = route;
  const asked = scope(params);
  const list = useAnswer("inspect.frames", { ...asked, kinds: params.kind ? [params.kind] : KINDS, limit: 60, before: Number(params.before) || undefined }, { turn });
  const chosen = Number(params.frame) || null;
  return html`<${Page} title="Photos and videos" lead="What was read in pictures and recordings, where and when.">
    <div class="row"><select aria-label="Kind" class="fit" value=${params.kind || ""} onChange=${(event) => set({ kind: event.target.value || null, before: null })}><option value="">photos, videos and sound</option>${KINDS.map((kind) => html`<option key=${kind} value=${kind}>${kind}</option>`)}</select></div>
    ${chosen && html`<${Item} key=${chosen} id=${chosen} params=${params} turn=${turn} />`}
    <${Answer} of=${list}>${(found) => found.frames.length ? html`<ul class="gallery">${found.frames.map((frame) => html`<li key=${frame.id}><button class="tile" aria-pressed=${frame.id === chosen} onClick=${() => set({ frame: frame.id })}><${Picture} frame=${frame} params=${params} /><span class="strong clip" dir="auto">${frame.title || words(frame.kind)}</span><span class="small muted row"><${Pill}>${frame.kind}<//><${When} ms=${frame.occurred_at} /></span></button></li>`)}</ul>
      ${found.before && html`<div><button onClick=${() => set({ before: found.before })}>Older</button></div>`}` : html`<${Card}><${Empty} title="No photos or recordings">Read some with <code>longmind photos FOLDER</code> or <code>longmind videos FOLDER</code>.<//><//>`}<//>
  <//>`;
}

// Small copies are stored only where the memory was told to; a plain field stands for the others.
function Picture({ frame, params, boxes = [] }) {
  const small = useAnswer("media.thumbnail", { frame: frame.id, ...scope(params) }, { when: frame.kind === "photo" || frame.kind === "video" });
  const source = small.answer && image(small.answer);
  const { width, height } = frame.metadata || {};
  const scale = (box) => ({ left: `${(box[0] / width) * 100}%`, top: `${(box[1] / height) * 100}%`, width: `${((box[2] - box[0]) / width) * 100}%`, height: `${((box[3] - box[1]) / height) * 100}%` });
  return html`<span class="picture">${source ? html`<img src=${source} alt=${`${frame.kind}: ${frame.title || ""}`} />` : html`<span class="no-picture" style=${width && boxes.length ? { aspectRatio: `${width} / ${height}` } : {}} aria-hidden="true">${frame.kind}</span>`}
    ${width > 0 && boxes.map((part) => html`<i key=${part.id} class="box" style=${scale(part.metadata.box)} title=${part.text}></i>`)}</span>`;
}

export function image(answer) {
  const raw = answer.picture;
  const type = /^image\/(png|jpeg|webp|gif)$/.test(answer.media_type || "") ? answer.media_type : "image/jpeg";
  return raw && /^[A-Za-z0-9+/=]+$/.test(raw) ? `data:${type};base64,${raw}` : null;
}

// A part that holds all the others says nothing more about where the words are.
function innermost(boxes) {
  const holds = ([left, top, right, bottom], [x1, y1, x2, y2]) => left <= x1 && top <= y1 && right >= x2 && bottom >= y2;
  return boxes.filter((part) => boxes.length < 2 || !boxes.every((other) => holds(part.metadata.box, other.metadata.box)));
}

function fileName(uri) {
  const name = uri.split("/").pop() || uri;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function Item({ id, params, turn }) {
  const asked = scope(params);
  const frame = useAnswer("get", { frame: id, ...asked }, { turn });
  const parts = useAnswer("media.parts", { frame: id, ...asked }, { turn });
  const [at, setAt] = useState(null);
  return html`<${Answer} of=${frame}>${(found) => {
    const pieces = parts.answer?.parts || parts.answer?.frames || [];
    const boxes = innermost(pieces.filter((part) => Array.isArray(part.metadata?.box)));
    const seconds = pieces.filter((part) => Number.isInteger(part.metadata?.start_ms));
    const length = found.metadata.duration_ms || Math.max(1, ...seconds.map((part) => part.metadata.end_ms || 0));
    return html`<${Card} title=${found.title || `Frame ${id}`} action=${html`<span class="row"><${FrameLink} id=${id} /><button class="small" onClick=${() => set({ frame: null })}>Close</button></span>`}><div class="grid">
      <div class="w7 stack"><${Picture} frame=${found} params=${params} boxes=${boxes} />
        ${seconds.length > 0 && html`<div class="reel" role="group" aria-label="Timeline of the recording">${seconds.map((part) => html`<button key=${part.id} aria-pressed=${at === part.id} aria-label=${`at ${clock(part.metadata.start_ms)}`} style=${{ left: `${(part.metadata.start_ms / length) * 100}%`, width: `${Math.max(2, (((part.metadata.end_ms || length) - part.metadata.start_ms) / length) * 100)}%` }} onClick=${() => setAt(at === part.id ? null : part.id)}>${clock(part.metadata.start_ms)}</button>`)}</div>`}</div>
      <div class="w5 stack"><ul class="stack tight">${(seconds.length ? seconds : pieces).filter((part) => at == null || part.id === at).map((part) => html`<li key=${part.id}>${part.metadata?.start_ms != null && html`<${Pill} tone="accent">${clock(part.metadata.start_ms)}<//> `}<span class="text" dir="auto">${part.text}</span> <${FrameLink} id=${part.id} /></li>`)}</ul>
        <${Definition} rows=${[["Taken", html`<${When} ms=${found.occurred_at} exact />`], ["Size", found.metadata.width && `${found.metadata.width} × ${found.metadata.height}`], ["Length", found.metadata.duration_ms && clock(found.metadata.duration_ms)], ["Place", found.metadata.place && String(found.metadata.place)], ["Read by", found.metadata.text_by], ["File", found.uri && html`<span title=${found.uri}>${fileName(found.uri)}</span>`]]} /></div>
    </div><//>`;
  }}<//>`;
}
