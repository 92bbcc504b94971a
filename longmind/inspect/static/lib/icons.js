// Line icons, drawn for this page.

import { html } from "../vendor/preact.js";

const PATHS = {
  home: "M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM20 20l-4.8-4.8",
  facts: "M12 3v5M12 16v5M3 12h5M16 12h5M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  graph: "M6 8a2.4 2.4 0 1 0 0-4.8A2.4 2.4 0 0 0 6 8zM18 11.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM9 20.8A2.4 2.4 0 1 0 9 16a2.4 2.4 0 0 0 0 4.8zM8.3 6.3l7.4 2M7 8l1.6 8M16.6 11 10.6 16.7",
  time: "M12 21a9 9 0 1 0-8.5-6M3 20v-5h5M12 7.5V12l3 2",
  frames: "M5 5h14v5H5zM5 14h14v5H5z",
  talk: "M4 5h16v11H9l-5 4z",
  experience: "M9 18h6M10 21h4M12 3a6 6 0 0 0-3.6 10.8c.6.5 1 1.2 1 2V16h5.2v-.2c0-.8.4-1.5 1-2A6 6 0 0 0 12 3z",
  spaces: "M4 7l8-4 8 4-8 4zM4 12l8 4 8-4M4 17l8 4 8-4",
  media: "M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01",
  upkeep: "M14.5 6.5a4 4 0 0 0-5.3 5L4 16.7 7.3 20l5.2-5.2a4 4 0 0 0 5-5.3L15 12l-3-3z",
  menu: "M4 7h16M4 12h16M4 17h16",
};

export function Icon({ name }) {
  return html`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d=${PATHS[name]} /></svg>`;
}

export function Logo() {
  return html`<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#2f5fd0" /><g fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"><path d="M8 21c3-9 13-9 16 0" /><circle cx="16" cy="12" r="3.4" /><path d="M11 25h10" /></g></svg>`;
}
