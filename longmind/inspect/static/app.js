// The frame: navigation, where one looks from and as of when, keys of the keyboard, and the view itself.

import { html, render, useCallback, useEffect, useErrorBoundary, useRef, useState } from "./vendor/preact.js";
import { call, onKeyNeeded, setKey, takeKey } from "./lib/api.js";
import { Icon, Logo } from "./lib/icons.js";
import { TimeBar, TimeButton } from "./lib/timebar.js";
import { go, href, parse, set, useRoute } from "./lib/route.js";
import { Trouble, Waiting } from "./lib/ui.js";

const VIEWS = [
  ["home", "Home", "home", "h"],
  ["search", "Search bench", "search", "s"],
  ["facts", "Facts", "facts", "f"],
  ["graph", "Graph", "graph", "g"],
  ["time", "Time machine", "time", "t"],
  ["frames", "Frames", "frames", "r"],
  ["talk", "Conversations", "talk", "c"],
  ["experience", "Experience", "experience", "e"],
  ["spaces", "Spaces", "spaces", "p"],
  ["media", "Photos & videos", "media", "m"],
  ["upkeep", "Upkeep", "upkeep", "u"],
];
const KEYS = [
  ["/", "Search"], ["g then a letter", "Go to a view: the letter stands beside its name"], ["v", "Show or hide the two time sliders"],
  ["n", "Back to now"], ["j, k", "Next, previous in a list"], ["Enter", "Open"], ["?", "This help"], ["Esc", "Close"],
];
const POLL = 3000;
const loaded = {};

function useView(name) {
  const known = VIEWS.some(([view]) => view === name) ? name : "home";
  const [state, setState] = useState({ name: null });
  useEffect(() => {
    if (loaded[known]) {
      setState({ name: known, View: loaded[known] });
      return;
    }
    import(`./views/${known}.js`).then(
      (module) => {
        loaded[known] = module.default;
        setState({ name: known, View: module.default });
      },
      () => setState({ name: known, problem: { message: "This page could not be loaded.", hint: "Is the server still running? Reload the page." } }),
    );
  }, [known]);
  return loaded[known] ? { name: known, View: loaded[known] } : state.name === known ? state : { name: known };
}

function Gate({ problem, entered }) {
  const [key, setTyped] = useState("");
  const expired = problem?.reason === "expired_key";
  const enter = (event) => {
    event.preventDefault();
    setKey(key.trim());
    entered();
  };
  return html`<main class="gate"><form class="card" onSubmit=${enter}>
    <h1>${expired ? "Your key has expired" : "A key is needed"}</h1>
    <p class="muted">${expired ? html`Whoever looks after this memory makes a new one with <code>longmind keys create</code>. Paste it here, and you are back where you were.` : html`Open the link that <code>longmind inspect</code> printed, or paste a key of this server.`}</p>
    ${problem && problem.reason !== "no_key" && html`<div class="notice" role="alert">${problem.message} ${problem.hint}</div>`}
    <label class="field wide"><span>Key</span><input type="password" autofocus value=${key} onInput=${(event) => setTyped(event.target.value)} autocomplete="off" /></label>
    <button class="primary" type="submit" disabled=${!key.trim()}>Open</button>
  </form></main>`;
}

function Help({ close }) {
  const box = useRef();
  useEffect(() => {
    box.current.showModal();
  }, []);
  return html`<dialog class="dialog" ref=${box} onClose=${close} aria-label="Keyboard">
    <div class="body"><h2>Keyboard</h2>
      <dl class="help">${KEYS.map(([key, text]) => html`<dt key=${key}><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
      <div class="dialog-actions"><button autofocus onClick=${() => box.current.close()}>Close</button></div></div>
  </dialog>`;
}

const isTyping = (target) => /^(input|textarea|select)$/i.test(target.tagName) && !/^(range|checkbox|radio|button)$/.test(target.type);

function useKeyboard({ help, sliders }) {
  const before = useRef(0);
  useEffect(() => {
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) {
        if (event.key === "Escape" && isTyping(event.target)) event.target.blur();
        return;
      }
      const named = VIEWS.find(([, , , letter]) => letter === event.key);
      if (Date.now() - before.current < 1500 && named) {
        before.current = 0;
        go([named[0]]);
      } else if (event.key === "g") before.current = Date.now();
      else if (event.key === "/") {
        const field = document.querySelector("[data-search]");
        if (field) field.focus();
        else go(["search"]);
      } else if (event.key === "?") help();
      else if (event.key === "v") sliders();
      else if (event.key === "n") set({ as_of: null, valid_at: null });
      else if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [help, sliders]);
}

function step(by) {
  const stops = [...document.querySelectorAll("main [data-stop], main a.cover, main .virtual a.line")];
  if (!stops.length) return;
  const at = stops.indexOf(document.activeElement);
  stops[at < 0 ? (by > 0 ? 0 : stops.length - 1) : Math.max(0, Math.min(stops.length - 1, at + by))].focus();
}

// The session, asked for again from time to time: its revision says whether somebody wrote.
function useSession() {
  const [state, setState] = useState({});
  const ask = useCallback(() => {
    call("session").then(
      (session) => setState((old) => (old.session && old.session.revision === session.revision && !old.lost && !old.gate
        ? old : { session, turn: (old.turn || 0) + 1 })),
      (problem) => setState((old) => (problem.status === 401 ? { gate: problem } : { ...old, lost: problem })),
    );
  }, []);
  useEffect(() => {
    onKeyNeeded((problem) => setState({ gate: problem }));
    ask();
    const timer = setInterval(() => {
      if (!document.hidden && !document.querySelector(".gate")) ask();
    }, POLL);
    return () => clearInterval(timer);
  }, []);
  return { ...state, ask };
}

function Scope({ session, params, turn }) {
  const [spaces, setSpaces] = useState([]);
  const [users, setUsers] = useState([]);
  useEffect(() => {
    const named = session.spaces || [];
    if (!session.everywhere) {
      setSpaces(named);
      return;
    }
    call("inspect.store").then((store) => setSpaces(store.spaces.map((item) => item.name)), () => setSpaces(named));
    call("users").then((list) => setUsers(list.users.map((item) => item.user)), () => setUsers([]));
  }, [session.store, turn]);
  const chosen = params.space || session.default_space;
  const offered = [...new Set([session.default_space, ...spaces, ...chosen.split(",")])].filter((name) => name !== "*");
  return html`
    <label class="choice"><span>Space</span><select aria-label="Space" value=${chosen} onChange=${(event) => set({ space: event.target.value === session.default_space ? null : event.target.value })}>
      ${offered.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
      ${session.everywhere && html`<option value="*">all spaces</option>`}
    </select></label>
    ${session.everywhere && html`<label class="choice"><span>User</span><select aria-label="User" value=${params.user || ""} onChange=${(event) => set({ user: event.target.value || null })}>
      <option value="">shared</option>
      ${[...new Set([...users, ...(params.user ? [params.user] : [])])].map((name) => html`<option key=${name} value=${name}>${name}</option>`)}
    </select></label>`}`;
}

function Safe({ children, route }) {
  const [problem, reset] = useErrorBoundary();
  useEffect(() => {
    if (problem) reset();
  }, [route]);
  if (problem) return html`<${Trouble} problem=${{ message: "This page could not be shown.", hint: String(problem.message || problem) }} again=${reset} />`;
  return children;
}

function App() {
  const route = useRoute();
  const { session, turn, gate, lost, ask } = useSession();
  const [menu, setMenu] = useState(false);
  const [help, setHelp] = useState(false);
  const { View, problem, name } = useView(route.view);
  const params = route.params;
  const sliders = useCallback(() => set({ machine: parse().params.machine ? null : "1" }, { replace: true }), []);
  useKeyboard({ help: useCallback(() => setHelp(true), []), sliders });
  const place = route.parts.join("/");
  useEffect(() => {
    setMenu(false);
    scrollTo(0, 0);
  }, [place]);
  if (gate) return html`<${Gate} problem=${gate} entered=${ask} />`;
  if (!session) return lost ? html`<main class="gate"><${Trouble} problem=${lost} again=${ask} /></main>` : html`<${Waiting} />`;
  return html`<div class="shell">
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>Skip to the page</a>
    <header class="side ${menu ? "open" : ""}">
      <a class="brand" href=${href([])}><${Logo} /><span>Longmind<small>Inspector</small></span></a>
      <nav aria-label="Views">${VIEWS.map(([view, title, icon, letter]) => html`<a key=${view} href=${href([view])} aria-current=${view === name ? "page" : null}>
        <${Icon} name=${icon} />${title}<kbd aria-hidden="true">${letter}</kbd></a>`)}</nav>
      <footer><strong title=${session.store}>${session.name}</strong><br />${session.engine} · ${session.write ? "changes allowed" : "read only"} · ${session.version}</footer>
    </header>
    <div class="body">
      <div class="top" role="region" aria-label="Where and when">
        <button class="menu" aria-label="Menu" aria-expanded=${menu} onClick=${() => setMenu(!menu)}><${Icon} name="menu" /></button>
        <${Scope} session=${session} params=${params} turn=${turn} />
        <span class="spring"></span>
        <${TimeButton} params=${params} toggle=${sliders} />
        <span class="live ${lost ? "lost" : ""}" title=${lost ? lost.message : "Follows what others write"}><i></i><span>${lost ? "not connected" : "live"}</span></span>
        <button class="quiet small" onClick=${() => setHelp(true)} aria-label="Keyboard help">?</button>
      </div>
      ${params.machine && html`<${TimeBar} params=${params} turn=${turn} />`}
      <main id="main" tabindex="-1">
        <${Safe} route=${place}>${problem ? html`<${Trouble} problem=${problem} />` : View ? html`<${View} key=${name} route=${route} session=${session} turn=${turn} />` : html`<${Waiting} />`}<//>
      </main>
    </div>
    ${help && html`<${Help} close=${() => setHelp(false)} />`}
  </div>`;
}

takeKey();
addEventListener("hashchange", takeKey);
render(html`<${App} />`, document.getElementById("app"));
