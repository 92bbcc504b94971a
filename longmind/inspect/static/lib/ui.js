// The parts that every view is made of.

import { html, useCallback, useEffect, useRef, useState } from "../vendor/preact.js";
import { call } from "./api.js";
import { day, iso, time } from "./format.js";
import { href, scope } from "./route.js";

// An answer that follows its question: the old one stays until the new one is there.
export function useAnswer(name, inputs, { when = true, turn = 0 } = {}) {
  const key = when ? JSON.stringify([name, inputs]) : null;
  const [state, setState] = useState({ key: null, answer: null, problem: null, busy: when });
  const [again, setAgain] = useState(0);
  useEffect(() => {
    if (!when) return undefined;
    const stop = new AbortController();
    setState((old) => ({ ...old, busy: true }));
    call(name, inputs, { signal: stop.signal })
      .then((answer) => !stop.signal.aborted && setState({ key, answer, problem: null, busy: false }))
      .catch((problem) => {
        if (!stop.signal.aborted) setState({ key, answer: null, problem, busy: false });
      });
    return () => stop.abort();
  }, [key, again, turn]);
  return { ...state, stale: state.key !== key, reload: useCallback(() => setAgain((count) => count + 1), []) };
}

export function Answer({ of, children, quiet = false }) {
  if (of.problem) return html`<${Trouble} problem=${of.problem} again=${of.reload} />`;
  if (!of.answer) return quiet ? null : html`<${Waiting} />`;
  return html`<div class=${of.busy && of.stale ? "stale" : ""}>${children(of.answer)}</div>`;
}

export function Waiting() {
  return html`<div class="waiting" role="status" aria-label="Loading"><i></i><i></i><i></i></div>`;
}

export function Trouble({ problem, again }) {
  return html`<div class="trouble" role="alert">
    <strong>${problem.message}</strong>
    ${problem.hint && html`<p>${problem.hint}</p>`}
    ${again && html`<button onClick=${again}>Try again</button>`}
  </div>`;
}

export function Empty({ title, children }) {
  return html`<div class="empty"><strong>${title}</strong>${children && html`<p>${children}</p>`}</div>`;
}

export function Card({ title, action, children, class: name = "", label }) {
  return html`<section class="card ${name}" aria-label=${label || (typeof title === "string" ? title : undefined)}>
    ${(title || action) && html`<header><h2>${title}</h2>${action}</header>`}
    ${children}
  </section>`;
}

export function Page({ title, lead, actions, children }) {
  useEffect(() => {
    document.title = `${title} · Longmind Inspector`;
  }, [title]);
  return html`<div class="page">
    <div class="page-head">
      <div><h1>${title}</h1>${lead && html`<p class="lead">${lead}</p>`}</div>
      ${actions && html`<div class="actions">${actions}</div>`}
    </div>
    ${children}
  </div>`;
}

export function Pill({ tone = "", children, title }) {
  return html`<span class="pill ${tone}" title=${title}>${children}</span>`;
}

const KNOWN = { turn: 0, note: 1, text: 6, memory: 3, document: 2, chunk: 7, photo: 4, video: 4, problem: 4, solution: 5, fact: 2, decision: 6, guide: 5, person: 0, company: 2, product: 1, place: 5 };

// Steady colours for open-world names, such as kinds and predicates; those that are seen together differ.
export function hue(name) {
  if (Object.hasOwn(KNOWN, name)) return KNOWN[name];
  let sum = 7;
  for (const letter of String(name)) sum = (sum * 31 + letter.codePointAt(0)) % 9973;
  return sum % 8;
}

export function Kind({ name }) {
  return html`<span class="kind c${hue(name)}">${String(name).replaceAll("_", " ")}</span>`;
}

export function When({ ms, exact = false }) {
  return html`<time datetime=${iso(ms)} title=${`${iso(ms)}`}>${exact ? time(ms) : day(ms)}</time>`;
}

export function Link({ to, params, children, ...rest }) {
  return html`<a href=${href(to, params)} ...${rest}>${children}</a>`;
}

export function FrameLink({ id }) {
  return html`<a class="frame-link" href=${href(["frames", String(id)])}>frame ${id}</a>`;
}

export function Marked({ pieces }) {
  return html`<span class="text" dir="auto">${pieces.map((piece) => (piece.mark ? html`<mark>${piece.text}</mark>` : piece.text))}</span>`;
}

// A long text is cut where it is long; the rest is one click away.
export function Long({ pieces, text, most = 420 }) {
  const [open, setOpen] = useState(false);
  const all = pieces || [{ text: text || "" }];
  const length = all.reduce((sum, piece) => sum + piece.text.length, 0);
  if (length <= most || open) {
    return html`<p class="prose"><${Marked} pieces=${all} />${length > most && html` <button class="link" onClick=${() => setOpen(false)}>less</button>`}</p>`;
  }
  const cut = [];
  let left = most;
  for (const piece of all) {
    if (left <= 0) break;
    cut.push({ ...piece, text: [...piece.text].slice(0, left).join("") });
    left -= piece.text.length;
  }
  return html`<p class="prose"><${Marked} pieces=${cut} />… <button class="link" onClick=${() => setOpen(true)}>more</button></p>`;
}

export function Bar({ share, tone = "", label }) {
  const width = `${Math.max(0, Math.min(1, share)) * 100}%`;
  return html`<span class="bar ${tone}" role="img" aria-label=${label}><i style=${{ width }}></i></span>`;
}

export function Tabs({ tabs, chosen, choose, label }) {
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(([name]) => name === chosen);
    choose(tabs[(at + step + tabs.length) % tabs.length][0]);
    event.preventDefault();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} onKeyDown=${move}>
    ${tabs.map(([name, title, count]) => html`<button key=${name} role="tab" aria-selected=${name === chosen} tabindex=${name === chosen ? 0 : -1} onClick=${() => choose(name)}>
      ${title}${count != null && html`<b>${count}</b>`}</button>`)}
  </div>`;
}

export function Field({ label, children, wide }) {
  return html`<label class="field ${wide ? "wide" : ""}"><span>${label}</span>${children}</label>`;
}

export function Definition({ rows }) {
  return html`<dl class="definition">${rows.filter(([, shown]) => shown != null && shown !== "" && shown !== false).map(([name, shown]) => html`<div key=${name}><dt>${name}</dt><dd>${shown}</dd></div>`)}</dl>`;
}

// A question before something is taken away. What is typed must be the word that is asked for.
export function Confirm({ title, children, word, action, danger = true, done, cancel }) {
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(null);
  const box = useRef();
  useEffect(() => {
    const dialog = box.current;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  const confirm = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await done();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return html`<dialog ref=${box} class="dialog" aria-label=${title} onCancel=${cancel}>
    <form onSubmit=${confirm}>
      <h2>${title}</h2>
      <div class="dialog-text">${children}</div>
      ${word && html`<label class="field wide"><span>Type <b>${word}</b> to confirm</span>
        <input autofocus value=${typed} onInput=${(event) => setTyped(event.target.value)} autocomplete="off" spellcheck="false" /></label>`}
      ${problem && html`<${Trouble} problem=${problem} />`}
      <div class="dialog-actions">
        <button type="button" onClick=${cancel}>Cancel</button>
        <button type="submit" class=${danger ? "danger" : "primary"} disabled=${busy || (word && typed.trim() !== word)}>${action}</button>
      </div>
    </form>
  </dialog>`;
}

// A button that does something and says how it went.
export function Act({ label, name, inputs, after, tone = "", title }) {
  const [state, setState] = useState("");
  const [problem, setProblem] = useState(null);
  const run = async () => {
    setState("busy");
    setProblem(null);
    try {
      const answer = await call(name, inputs);
      setState("done");
      after?.(answer);
    } catch (error) {
      setState("");
      setProblem(error);
    }
  };
  return html`<span class="act"><button class=${tone} onClick=${run} disabled=${state === "busy"} title=${title}>${state === "busy" ? "…" : label}</button>
    ${problem && html`<span class="act-problem" role="alert">${problem.message} ${problem.hint || ""}</span>`}</span>`;
}

export function useScope(params, names) {
  return scope(params, names);
}
