// The respondent's page: draws once, sends one report, and shows what stays and what leaves.

import { draw, freshOnce, originalText, reportFor, reportText, stepsUpTo } from "./client.js";
import { chanceOf, reportName, tells } from "./report_meaning.js";

const block = document.getElementById("definition");
const poll = JSON.parse(block.textContent);
const { mark, name } = block.dataset;
// definitions of the first version do not say when: it was before
const showsBefore = (poll.show_sent ?? "before") === "before";
const preview = block.dataset.preview !== undefined; // a page to look at: it keeps nothing and sends nothing
const byId = (id) => document.getElementById(id);

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// what this browser keeps: the draws until "Send", then the report alone, and once it was counted only that it was

const place = {
  read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  },
  /** Whether the value is really kept. */
  write(key, value) {
    try {
      const text = JSON.stringify(value);
      localStorage.setItem(key, text);
      return localStorage.getItem(key) === text;
    } catch {
      return false; // such a browser still answers, from memory, and its owner is told
    }
  },
};

function invitation() {
  const token = location.hash.slice(1);
  return /^[0-9a-f]{32}$/.test(token) ? token : null;
}

/** SHA-256 in hexadecimal digits; null where the browser has none, which is without TLS. */
async function digest(text) {
  if (!globalThis.crypto?.subtle) return null;
  const found = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(found), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A draw of the group that the researcher looks at. */
function drawnFor(number) {
  const arm = poll.arms[number] ? number : 0;
  return { ...draw({ draw: { total: "1" }, arms: [{ ...poll.arms[arm], share: 1 }] }), arm, once: "" };
}

/** The draw that was kept, or a new one. An invitation itself is not kept: its link has it. */
function kept(key, token) {
  if (preview) return drawnFor(Number(new URLSearchParams(location.search).get("group") ?? location.hash.replace("#group-", "")));
  const found = place.read(key);
  const once = token ?? found?.once;
  if (found?.sent) return found;
  if (once && typeof found?.report === "string") return { ...found, once };
  if (once && Array.isArray(found?.numbers)) {
    return { ...found, once, numbers: found.numbers.map((each) => (each === null ? null : BigInt(each))) };
  }
  const made = draw(poll);
  const mine = token ? {} : { once: freshOnce() };
  const stays = place.write(key, { ...mine, ...made, numbers: made.numbers.map((each) => each?.toString() ?? null) });
  byId("forgetful").hidden = stays;
  return { once: token, ...mine, ...made };
}

// states

function show(state, drawn) {
  byId("answering").remove();
  const section = byId(`state-${state}`);
  if (drawn) {
    byId("receipt").append(...receipt(drawn));
    byId("receipt").hidden = false;
  }
  section.hidden = false;
  section.querySelector("h2").focus();
}

// what an answer leads to, in words

const box = (kind, what, value, where) =>
  make("div", kind, make("p", "what", what), make("p", "value", value), make("p", "where", where));
const HOME = "stays on this device";
const SEEN = "all that anyone else sees";

function pair(truth, sent, { what = "What will be sent", where = HOME, seen = SEEN } = {}) {
  return make("div", "pair", box("kept", "Your true answer", truth, where), box("sent", what, sent, seen));
}

/** A hundred people as dots, with a caption for each kind of dot; the words beside them say the same. */
function dots({ filled, captions }) {
  if (filled === undefined) return [];
  const people = make("div", "people");
  for (let i = 0; i < 100; i++) people.append(make("i", i < filled ? "in" : ""));
  const caption = (kind, number, words) => make("span", "", make("i", kind), `about ${number} of 100 ${words}`);
  const figure = make("figure", "dots", people,
    make("figcaption", "", caption("in", filled, captions[0]), caption("", 100 - filled, captions[1])));
  figure.setAttribute("aria-hidden", "true");
  return [figure];
}

function why(design, report) {
  const found = tells(design, report);
  return [make("p", found.warn ? "note warn" : "", make("strong", "", found.title), found.words), ...dots(found)];
}

/** What chance will do, told without what it has drawn: who knew that could choose an answer by it. */
function mechanism(design, at) {
  const found = chanceOf(design, at);
  return [make("p", "", make("strong", "", "What chance does. "), found.words), ...dots(found)];
}

// one question

function answerOf(section) {
  if (section.dataset.kind !== "range") {
    const chosen = section.querySelector("input:checked");
    return chosen ? { at: Number(chosen.value), said: chosen.parentElement.textContent.trim() } : null;
  }
  const { value } = section.querySelector("input");
  const at = stepsUpTo(poll.questions[section.dataset.question].range, value);
  return at === null ? null : { at, said: value };
}

function foretell(section, design, u) {
  const answer = answerOf(section);
  const place = section.querySelector(".preview");
  if (!answer) return place.replaceChildren();
  if (design.way === "device" && showsBefore) {
    const report = reportFor(design, answer.at, u);
    return place.replaceChildren(pair(answer.said, reportName(design, report)), ...why(design, report));
  }
  if (design.way === "device") {
    return place.replaceChildren(pair(answer.said, "chance decides", { seen: "you see it as soon as it is sent" }), ...mechanism(design, answer.at));
  }
  if (design.way === "own") {
    return place.replaceChildren(pair("only you know it", answer.said, { where: "not even this device does" }),
      make("p", "", "This page was not told your true answer, so it cannot send it."));
  }
  return place.replaceChildren(make("p", "note warn", `“${answer.said}” will be sent as it is.`));
}

/** The reports in a text that was sent, one for each question of its arm. */
function reportsIn(arm, text) {
  let at = poll.width;
  return poll.arms[arm].designs.map(({ width }) => BigInt(text.slice(at, (at += width))));
}

/** What was sent, question by question; beside it the true answer, where this page still has it. */
function receipt({ arm, report, said }) {
  const what = "What was sent";
  return reportsIn(arm, report).map((told, at) => {
    const design = poll.arms[arm].designs[at];
    const sent = reportName(design, told);
    const part = make("section", "receipt");
    if (poll.questions.length > 1) part.append(make("h3", "", poll.questions[at].text));
    if (design.way === "device") {
      part.append(said ? pair(said[at], sent, { what }) : make("div", "pair one", box("sent", what, sent, SEEN)), ...why(design, told));
    } else if (design.way === "own") {
      part.append(make("div", "pair one", box("sent", what, sent, SEEN)));
    } else {
      part.append(make("div", "pair one", box("sent", "Sent as it is", poll.questions[at].answers[Number(told)], SEEN)));
    }
    return part;
  });
}

function complain(section, words) {
  const line = section.querySelector(".problem");
  line.textContent = words;
  line.hidden = !words;
  const field = section.querySelector("input");
  if (field.type === "number") field.setAttribute("aria-invalid", words ? "true" : "false");
}

function missing(sections) {
  let first = null;
  for (const section of sections) {
    const lacks = !answerOf(section);
    const range = section.dataset.kind === "range";
    complain(section, lacks ? (range ? "Please enter a number in this range." : "Please choose an answer.") : "");
    if (lacks) first ??= section.querySelector("input");
  }
  first?.focus();
  return first !== null;
}

// sending

async function send(body) {
  if (preview) return { status: 201 };
  try {
    const response = await fetch(`/p/${encodeURIComponent(name)}/reports`, {
      method: "POST", body, headers: { "Content-Type": "application/json" },
      credentials: "omit", cache: "no-store", redirect: "error", referrerPolicy: "no-referrer",
    });
    const told = await response.json().catch(() => ({}));
    return { status: response.status, code: told.error?.code };
  } catch {
    return { status: 0 };
  }
}

// by the code of the poll itself: a proxy on the way has statuses of its own
const ENDS = { "poll-4": "unknown", "poll-5": "already", "poll-6": "late" };
const endOf = ({ status, code }) => (status === 201 ? "thanks" : ENDS[code]);

function ask(words) {
  byId("trouble").firstElementChild.textContent = words;
  byId("trouble").hidden = false;
  byId("send").textContent = "Try again";
}

function failed(status) {
  const reason = status ? "The poll could not take your answer just now." : "There seems to be no connection.";
  ask(`${reason} Nothing is lost: the same report is sent when you try again. It may have arrived, so your answers cannot be changed any more: ` +
    "two reports would say more about you than was promised.");
}

/** Make the one report of this browser: it is kept without what was drawn, and stays the same ever after. */
function settle(key, drawn, sections) {
  const answers = sections.map(answerOf);
  drawn.report = reportText(poll, drawn, answers.map(({ at }) => at));
  drawn.said = answers.map(({ said }) => said); // for this window alone: it is not kept
  delete drawn.numbers;
  for (const section of sections) section.querySelector("fieldset").disabled = true;
  if (preview) return;
  place.write(key, { ...(poll.once === "invitation" ? {} : { once: drawn.once }), arm: drawn.arm, report: drawn.report });
}

/** Go on with a report that was made before, here or in another window; what was chosen since is not sent. */
function resume(drawn, report) {
  drawn.report = report;
  delete drawn.said;
  document.querySelector("[data-arm]").hidden = true;
  ask("You have pressed “Send” before, and the poll has not confirmed it. The report that was made then is kept here; try again to send the same one.");
}

async function submitted(key, drawn, sections) {
  const button = byId("send");
  if (button.getAttribute("aria-busy") === "true") return;
  const before = preview ? null : place.read(key);
  if (before?.sent) return show("already");
  if (drawn.report === undefined) {
    if (before?.report !== undefined) return resume(drawn, before.report);
    if (missing(sections)) return;
    settle(key, drawn, sections);
  }
  button.setAttribute("aria-busy", "true");
  const found = await send(JSON.stringify({ mark, report: drawn.report, once: drawn.once }));
  button.removeAttribute("aria-busy");
  const end = endOf(found);
  if (!preview && (end === "thanks" || end === "already")) place.write(key, { sent: true });
  if (end) show(end, drawn);
  else failed(found.status);
}

function begin(key, drawn) {
  const arm = document.querySelector(`[data-arm="${drawn.arm}"]`);
  for (const other of document.querySelectorAll("[data-arm]")) if (other !== arm) other.remove();
  const sections = [...arm.querySelectorAll(".question")];
  const designs = poll.arms[drawn.arm].designs;
  sections.forEach((section, at) => {
    const change = () => {
      complain(section, "");
      foretell(section, designs[at], drawn.numbers[at]);
    };
    section.addEventListener(section.dataset.kind === "range" ? "input" : "change", change);
  });
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    submitted(key, drawn, sections);
  });
  arm.hidden = false;
  if (drawn.report !== undefined) resume(drawn, drawn.report);
  byId("answering").hidden = false;
}

async function start() {
  const found = await digest(originalText(block.textContent));
  const token = poll.once === "invitation" && !preview ? invitation() : null;
  const key = `shoal:${mark}:${token ? ((await digest(token)) ?? token) : ""}`;
  byId("unscripted").remove();
  if (found !== null && found !== mark) return show("changed");
  byId(found === null ? "unchecked" : "checked").hidden = false;
  if (poll.once === "invitation" && !token && !preview) return show("link");
  const drawn = kept(key, token);
  if (drawn.sent) return show("already");
  begin(key, drawn);
}

// the part behind # is the invitation: another one is another page, and the link to the content must not replace it

const opened = invitation();
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
addEventListener("hashchange", () => {
  const token = invitation();
  if (preview) location.reload(); // another group
  if (poll.once === "invitation" && token && token !== opened) location.reload();
});
start();
