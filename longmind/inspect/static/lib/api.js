// Questions to the server: one function, one shape of errors, the key kept for this origin.

const STORED = "longmind.key";

export class Problem extends Error {
  constructor(status, error) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.hint = error.hint;
    this.reason = error.reason;
  }
}

// The address that `longmind inspect` prints holds the key behind the #: it is never sent to a server, and is
// taken out of the address bar at once.
export function takeKey() {
  const match = /^#key=([^&]+)$/.exec(location.hash);
  if (match) {
    setKey(decodeURIComponent(match[1]));
    history.replaceState(null, "", location.pathname + "#/");
  }
}

export function setKey(key) {
  if (key) localStorage.setItem(STORED, key);
  else localStorage.removeItem(STORED);
}

let asking = () => {};
export function onKeyNeeded(listener) {
  asking = listener;
}

export async function call(name, inputs = {}, { signal } = {}) {
  const headers = { "Content-Type": "application/json" };
  const key = localStorage.getItem(STORED);
  if (key) headers.Authorization = `Bearer ${key}`;
  const body = JSON.stringify(Object.fromEntries(Object.entries(inputs).filter(([, value]) => value != null)));
  let response;
  try {
    response = await fetch(`/inspect/api/${name}`, { method: "POST", headers, body, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { code: "unavailable", message: "The server does not answer.", hint: "Is it still running?" });
  }
  const answer = await response.json().catch((error) => {
    if (error.name === "AbortError" || response.ok) throw error;
    return {}; // a refusal without a body: its status says enough
  });
  if (response.ok) return answer;
  const problem = new Problem(
    response.status,
    answer.error || { code: "error", message: `The server answered ${response.status}.`, hint: "Try again." },
  );
  if (problem.status === 401) asking(problem);
  throw problem;
}
