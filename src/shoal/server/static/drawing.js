// What the researcher's pages share: asking the server, making elements, and drawing intervals.

const SVG = "http://www.w3.org/2000/svg";

export const byId = (id) => document.getElementById(id);

/** An element with a class and children; text is always text, never markup. */
export function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

/** Ask the server; an error is thrown in its own words. */
export const SILENT = "The server does not answer. Is shoal serve still running?";

export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" },
  };
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new Error(SILENT);
  }
  const found = await response.json().catch(() => ({}));
  if (!response.ok) {
    const { message = "something went wrong.", remedy = "" } = found.error ?? {};
    throw new Error(`${message.charAt(0).toUpperCase()}${message.slice(1)} ${remedy}`.trim());
  }
  return found;
}

/** Wait until nothing was called for a moment. */
export function patient(act, wait = 250) {
  let timer;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(act, wait);
  };
}

export const count = (number) => number.toLocaleString("en");

/** A number in units of 10^-places: the nearest, or for the end of an interval the next one to its own side, so that what is shown holds what was found. */
function rounded(number, places, side = Math.round) {
  const unit = 10 ** places;
  const units = side(number * unit);
  const missed = side === Math.floor ? units / unit > number : side === Math.ceil && units / unit < number;
  return (missed ? units + (side === Math.floor ? -1 : 1) : units) / unit;
}

export const percent = (share, side) => `${(100 * rounded(share, 3, side)).toFixed(1)} %`;

function short(number, side) {
  const places = number ? Math.min(4, 3 - Math.floor(Math.log10(Math.abs(number)))) : 0;
  return rounded(number, places, side).toLocaleString("en", { maximumFractionDigits: 4 });
}

/** An interval in words, its ends rounded outward. */
export const span = (write, ends) => (ends ? `${write(ends[0], Math.floor)} to ${write(ends[1], Math.ceil)}` : "–");

/** How a question's values are written: shares in percent, numbers with their unit. */
export function writerOf(question) {
  if (question.kind !== "range") return percent;
  return (value, side) => `${short(value, side)}${question.unit ? ` ${question.unit}` : ""}`;
}

/** How places on the axis of a question are written. */
export function tickOf(question) {
  return question.kind !== "range" ? (share) => `${short(100 * share)} %` : (number) => short(number);
}

/** A pair of term and value for a list of figures. */
export function figure(term, value, hint) {
  const made = make("div", "", make("dt", "", term), make("dd", "", value));
  if (hint) made.append(make("dd", "hint", hint));
  return made;
}

/** A table whose first column are headings of rows; cells are texts or elements. */
export function table(caption, head, rows) {
  const made = make("table", "");
  made.append(make("caption", "", caption));
  const [first, ...others] = head;
  const corner = make("th", "", make("span", first ? "" : "unseen", first || "answer"));
  const top = make("tr", "", ...[corner, ...others.map((text) => make("th", "", text))].map((cell) => Object.assign(cell, { scope: "col" })));
  const body = rows.map(([first, ...rest]) =>
    make("tr", "", Object.assign(make("th", "", first), { scope: "row" }), ...rest.map((text) => make("td", "", text))));
  made.append(make("thead", "", top), make("tbody", "", ...body));
  return made;
}

function part(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function niceStep(reach, most) {
  const power = 10 ** Math.floor(Math.log10(reach / most));
  return [1, 2, 2.5, 5, 10, 20].map((each) => each * power).find((each) => reach / each <= most);
}

function scaleOf(rows, bounds, most) {
  const ends = rows.flatMap(({ exact, always, value }) => [...exact, ...(always ?? []), value]);
  const low = bounds ? Math.max(bounds[0], Math.min(...ends)) : Math.min(0, ...ends);
  const high = bounds ? Math.min(bounds[1], Math.max(...ends)) : Math.max(0, ...ends);
  const start = bounds && bounds[0] === 0 ? 0 : low;
  const step = niceStep(Math.max(high - start, 1e-9), most);
  return { step, low: Math.floor(start / step + 1e-9) * step, high: Math.ceil(high / step - 1e-9) * step };
}

/** Intervals one below the other: thick the one for a single look, thin the one that is valid at every look. */
export function intervals(place, rows, { bounds = null, write = percent, tick, words }) {
  const draw = () => {
    const width = Math.max(260, Math.floor(place.clientWidth || 600));
    const line = 46, top = 4, foot = 24, edge = 10;
    const height = top + line * rows.length + foot;
    const { low, high, step } = scaleOf(rows, bounds, width < 480 ? 4 : 8);
    const x = (value) => edge + ((Math.min(Math.max(value, low), high) - low) / (high - low)) * (width - 2 * edge);
    const svg = part("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words });
    const ticks = Math.round((high - low) / step);
    for (let i = 0; i <= ticks; i++) {
      const at = low + i * step;
      const anchor = i === 0 ? "start" : i === ticks ? "end" : "middle";
      svg.append(part("line", { class: Math.abs(at) < 1e-12 && !bounds ? "zero" : "rule", x1: x(at), x2: x(at), y1: top, y2: height - foot }));
      svg.append(part("text", { class: "tick", x: i === 0 ? 0 : i === ticks ? width : x(at), y: height - 6, "text-anchor": anchor }, tick(at)));
    }
    rows.forEach((row, i) => {
      const y = top + i * line;
      const group = part("g", { class: row.kind ?? "" });
      group.append(part("text", { x: 0, y: y + 15 }, row.label));
      group.append(part("text", { x: width, y: y + 15, "text-anchor": "end", class: "value" }, write(row.value)));
      const across = (kind, [from, to]) => group.append(part("line", { class: kind, x1: x(from), x2: x(to), y1: y + 30, y2: y + 30 }));
      if (row.always) across("always", row.always);
      across("exact", row.exact);
      group.append(part("circle", { class: "point", cx: x(row.value), cy: y + 30, r: 5.5 }));
      svg.append(group);
    });
    place.replaceChildren(svg);
  };
  draw();
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (place.clientWidth !== width) {
      width = place.clientWidth;
      draw();
    }
  }).observe(place);
}

/** What the two kinds of interval are, beside a drawing. */
export function legend(sureness, always, direct) {
  const item = (kind, text) => make("li", kind, text);
  const parts = [item("k-point", "estimate, unbiased"), item("k-exact", `${sureness} interval for one look: right if you look once, at the end`)];
  if (always) parts.push(item("k-always", `always-valid ${sureness} interval: right however often you look`));
  if (direct) parts.push(item("k-direct", "asked directly: what people say openly"));
  return make("ul", "key", ...parts);
}

/** Values of epsilon for a slider. */
export const EPSILONS = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1", "1.1", "1.25", "1.5", "1.75",
  "2", "2.5", "3", "3.5", "4", "5", "6"];
