// Numbers, times and marked texts. Times are shown in UTC, as the command line shows them.

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

export const number = (value) => (value == null ? "–" : value.toLocaleString("en-US"));

export function compact(value) {
  if (value == null) return "–";
  if (Math.abs(value) < 10_000) return number(value);
  return Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(value);
}

export function bytes(value) {
  if (value == null) return "–";
  const units = ["B", "KB", "MB", "GB", "TB"];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit += 1;
  }
  return `${size < 10 && unit ? size.toFixed(1) : Math.round(size)} ${units[unit]}`;
}

const two = (value) => String(value).padStart(2, "0");

function instant(ms) {
  const date = new Date(Number(ms));
  return Number.isNaN(date.getTime()) ? null : date;
}

export function day(ms) {
  const date = ms == null ? null : instant(ms);
  if (!date) return ms == null ? "–" : "always";
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

export function time(ms) {
  const date = ms == null ? null : instant(ms);
  if (!date) return ms == null ? "–" : "always";
  return `${day(ms)}, ${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
}

export function iso(ms) {
  const date = ms == null ? null : instant(ms);
  return date ? date.toISOString() : "";
}

export function period(from, to) {
  const begun = Number(from) < -(2 ** 52) ? "always" : day(from);
  if (to == null) return begun === "always" ? "always" : `since ${begun}`;
  return begun === "always" ? `until ${day(to)}` : `${begun} – ${day(to)}`;
}

export const days = (from, to) => (day(from) === day(to) ? day(from) : `${day(from)} – ${day(to)}`);

export function ago(ms, now) {
  const seconds = Math.round((now - ms) / 1000);
  if (seconds < 0) return day(ms);
  if (seconds < 60) return "just now";
  for (const [size, name] of [[31_536_000, "year"], [2_592_000, "month"], [86_400, "day"], [3600, "hour"], [60, "minute"]]) {
    if (seconds >= size) {
      const count = Math.floor(seconds / size);
      return `${count} ${name}${count > 1 ? "s" : ""} ago`;
    }
  }
  return day(ms);
}

export function clock(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
}

export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export const seconds = (value) => (value < 0.1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(value < 10 ? 1 : 0)} s`);

export const percent = (share) => `${Math.round(share * 100)}%`;

export const words = (name) => String(name).replaceAll("_", " ");

export function value(object) {
  if (object === true) return "yes";
  if (object === false) return "no";
  if (object && typeof object === "object") return JSON.stringify(object);
  return String(object);
}

// Pieces of a text, marked or not. Ranges are in bytes of UTF-8, as evidence has them.
export function byteMarks(text, ranges) {
  const raw = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const pieces = [];
  let at = 0;
  const sorted = ranges
    .filter((range) => range.start != null && range.end > range.start && range.end <= raw.length)
    .sort((one, other) => one.start - other.start);
  for (const range of sorted) {
    if (range.start < at) continue;
    if (range.start > at) pieces.push({ text: decoder.decode(raw.slice(at, range.start)) });
    pieces.push({ text: decoder.decode(raw.slice(range.start, range.end)), mark: range });
    at = range.end;
  }
  if (at < raw.length) pieces.push({ text: decoder.decode(raw.slice(at)) });
  return pieces;
}

// The words of a question in a text, by their beginnings: what the index calls a stem, a reader calls a word.
export function wordMarks(text, query) {
  const stems = [...new Set((query.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) || []).map((word) => word.slice(0, Math.max(3, word.length - 2))))];
  if (!stems.length) return [{ text }];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${stems.map(escapePattern).join("|")})[\\p{L}\\p{N}_]*`, "giu");
  const pieces = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) pieces.push({ text: text.slice(at, match.index) });
    pieces.push({ text: match[0], mark: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at) });
  return pieces;
}

const escapePattern = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
