// A list of any length: rows of one height, only those in sight exist, pages are asked for as one scrolls.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { call } from "./api.js";
import { Empty, Trouble, Waiting } from "./ui.js";

const AHEAD = 12;

// `next(page)` gives the arguments of the page after it, or null at the end; `rows(page)` its rows.
export function VirtualList({ name, inputs, rows, next, height = 68, total, turn, label, children, empty }) {
  const [items, setItems] = useState([]);
  const [more, setMore] = useState({});
  const [problem, setProblem] = useState(null);
  const [top, setTop] = useState(0);
  const [sight, setSight] = useState(700);
  const box = useRef();
  const run = useRef(0);
  const busy = useRef(false);
  const key = JSON.stringify([name, inputs]);

  const load = async (extra, before, mine) => {
    busy.current = true;
    try {
      const page = await call(name, { ...inputs, ...extra });
      if (run.current !== mine) return;
      setItems([...before, ...rows(page)]);
      setMore(next(page));
      setProblem(null);
    } catch (error) {
      if (run.current === mine) setProblem(error);
    } finally {
      if (run.current === mine) busy.current = false;
    }
  };
  useEffect(() => {
    run.current += 1;
    if (box.current) box.current.scrollTop = 0;
    setTop(0);
    setMore({});
    load({}, [], run.current);
  }, [key]);
  useEffect(() => {
    // Somebody wrote: a list that stands at its top follows, one that is read stays as it is.
    if (turn > 1 && (!box.current || box.current.scrollTop < height)) {
      run.current += 1;
      load({}, [], run.current);
    }
  }, [turn]);
  useEffect(() => {
    if (!box.current) return undefined;
    const watch = new ResizeObserver(() => box.current && setSight(box.current.clientHeight));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(top / height) - AHEAD);
  const last = Math.min(items.length, Math.ceil((top + sight) / height) + AHEAD);
  useEffect(() => {
    if (more && Object.keys(more).length && !busy.current && last >= items.length - AHEAD) load(more, items, run.current);
  }, [last, items.length, more]);

  if (problem && !items.length) return html`<${Trouble} problem=${problem} again=${() => load({}, [], run.current)} />`;
  const known = more ? Math.max(items.length, Math.min(total || 0, 400_000)) : items.length;
  return html`<div class="virtual" ref=${box} tabindex="0" role="region" aria-label=${label} onScroll=${(event) => setTop(event.currentTarget.scrollTop)}>
    <div style=${{ height: `${known * height}px` }}>
      ${items.slice(first, last).map((item, index) => children(item, { top: `${(first + index) * height}px`, height: `${height}px` }))}
    </div>
    ${!items.length && (more ? html`<${Waiting} />` : empty || html`<${Empty} title="Nothing here" />`)}
    <span class="sr" role="status">${items.length} loaded</span>
  </div>`;
}
