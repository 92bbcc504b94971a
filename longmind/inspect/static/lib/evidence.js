// Evidence with its words marked in the text they stand in.

import { html } from "../vendor/preact.js";
import { byteMarks, percent } from "./format.js";
import { scope } from "./route.js";
import { FrameLink, Kind, Long, Pill, When, useAnswer } from "./ui.js";

export function Evidence({ piece, params }) {
  const frame = useAnswer("get", { frame: piece.frame, ...scope(params) });
  return html`<div class="evidence">
    <div class="row small"><${FrameLink} id=${piece.frame} />${frame.answer && html`<${Kind} name=${frame.answer.kind} /><span class="muted"><${When} ms=${frame.answer.occurred_at} /></span>`}
      ${piece.confidence != null && html`<${Pill}>${percent(piece.confidence)} sure<//>`}<span class="muted">${piece.extractor}</span></div>
    ${frame.answer ? html`<${Long} pieces=${byteMarks(frame.answer.text, [piece])} />` : frame.problem && html`<p class="muted small">${frame.problem.message}</p>`}
  </div>`;
}
