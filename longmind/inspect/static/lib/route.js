// The address is the state: #/view/more?name=value. Space, user and the two instants go along everywhere.

import { useEffect, useState } from "../vendor/preact.js";

// One moment for the whole visit: with another one each time, every question would be a new one.
const OPENED = Date.now();
const GLOBAL = ["space", "user", "as_of", "valid_at", "machine"];

export function parse(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/").filter(Boolean).map(decode);
  return { parts, view: parts[0] || "home", params: Object.fromEntries(new URLSearchParams(query)) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a link that somebody typed: shown as it is
  }
}

export function href(parts, params = {}, route = parse()) {
  const kept = Object.fromEntries(GLOBAL.map((name) => [name, route.params[name]]));
  const all = Object.entries({ ...kept, ...params }).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(all).toString();
  return `#/${[].concat(parts).map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

export function go(parts, params = {}) {
  const next = href(parts, params);
  if (next !== location.hash) location.hash = next;
}

// Other parameters in the same view; `replace` for what is not worth a step back, such as a slider's way.
export function set(params, { replace = false } = {}) {
  const route = parse();
  const next = href(route.parts, { ...route.params, ...params }, route);
  if (next === location.hash) return;
  if (!replace) {
    location.hash = next;
    return;
  }
  history.replaceState(null, "", next);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
  const [route, setRoute] = useState(parse());
  useEffect(() => {
    const changed = () => setRoute(parse());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}

// What every question takes: from where, as whom, and as of when.
export function scope(params, names = ["space", "user", "as_of", "valid_at"]) {
  const asked = {};
  if (names.includes("space") && params.space) asked.space = params.space.split(",");
  if (names.includes("user") && params.user) asked.user = params.user;
  if (names.includes("as_of") && params.as_of) asked.as_of = Number(params.as_of);
  if (names.includes("valid_at") && params.valid_at) asked.valid_at = Number(params.valid_at);
  // One axis moved leaves the other where it is: what was known then of today.
  else if (asked.as_of && names.includes("valid_at")) asked.valid_at = OPENED;
  return asked;
}

export function oneSpace(params, session) {
  const named = (params.space || "").split(",")[0];
  return named && named !== "*" ? named : session.default_space;
}
