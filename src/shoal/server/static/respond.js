// The respondent's page: draws once, shows what stays and what leaves, and sends one report.

import { among, draw, freshOnce, membersOf, reportFor, reportText, weightOf } from "./client.js";

const block = document.getElementById("definition");
const poll = JSON.parse(block.textContent);
const { mark, name } = block.dataset;
const byId = (id) => document.getElementById(id);

function make(tag, className, ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

// what this browser keeps: the draws until they are used, then only that they were

const place = {
  read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  },
  write(key, value) {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // a browser that keeps nothing still answers, from memory
    }
  },
};

function invitation() {
  const token = location.hash.slice(1);
  return /^[0-9a-f]{32}$/.test(token) ? token : null;
}

function kept(key, token) {
  const found = place.read(key);
  if (found?.sent) return found;
  if (found?.once && Array.isArray(found.numbers)) {
    return { ...found, numbers: found.numbers.map((each) => (each === null ? null : BigInt(each))) };
  }
  const made = { once: token ?? freshOnce(), ...draw(poll) };
  place.write(key, { ...made, numbers: made.numbers.map((each) => each?.toString() ?? null) });
  return made;
}

// states

function show(state) {
  byId("answering").remove();
  const section = byId(`state-${state}`);
  section.hidden = false;
  section.querySelector("h2").focus();
}

// what an answer leads to, in words

const quoted = (text) => `“${text}”`;
const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

function reportName(design, report) {
  if (!design.subset) return design.reports[Number(report)];
  return listed(membersOf(report, design.subset.size).map((at) => design.subset.answers[at]));
}

function pair(truth, sent, where = "stays on this device") {
  const box = (kind, what, value, where) =>
    make("div", kind, make("p", "what", what), make("p", "value", value), make("p", "where", where));
  return make(
    "div",
    "pair",
    box("kept", "Your true answer", truth, where),
    box("sent", "What will be sent", sent, "all that anyone else sees"),
  );
}

function dots(filled) {
  const box = make("div", "people");
  box.setAttribute("aria-hidden", "true");
  for (let i = 0; i < 100; i++) box.append(make("i", i < filled ? "in" : ""));
  return box;
}

function whyOne(design, report) {
  const sent = Number(report);
  const told = quoted(design.reports[sent]);
  const even = among(design, sent, 100)[sent];
  const size = design.matrix.answers.length;
  const rare = design.matrix.answers.map((_, at) => (at === sent ? BigInt(size - 1) : 9n));
  const few = among(design, sent, 100, rare)[sent];
  return [
    make("p", "", make("strong", "", `Why ${told} proves little. `),
      `Of 100 people who send ${told}, about ${even} have that answer and ${100 - even} do not, ` +
      `if all answers are equally common. If only 1 person in 10 has it, about ${few} of the 100 do.`),
    dots(even),
  ];
}

function whySet(design, report) {
  const members = membersOf(report, design.subset.size);
  const inside = members.reduce((sum, at) => sum + among(design, report, 1000)[at], 0);
  const filled = Math.round(inside / 10);
  return [
    make("p", "", make("strong", "", "Why this proves little. "),
      `A set of ${members.length} is sent. Of 100 people who send this one, about ${filled} have an answer ` +
      `that is in it and ${100 - filled} do not, if all answers are equally common.`),
    dots(filled),
  ];
}

function whyRange(design, report) {
  const { answers, total } = design.matrix;
  const often = (at) => Number((200n * weightOf(design, at, Number(report)) + BigInt(total)) / (2n * BigInt(total)));
  const told = quoted(design.reports[Number(report)]);
  return [
    make("p", "", make("strong", "", `Why ${told} proves little. `),
      `Of 100 people with the answer ${answers[0]}, about ${often(0)} send ${told}; ` +
      `of 100 with the answer ${answers.at(-1)}, about ${often(answers.length - 1)} do.`),
  ];
}

function why(design, report) {
  if (design.subset) return design.subset.size === 1 ? whyOne(asMatrix(design), report) : whySet(design, report);
  const same = design.matrix.answers.length === design.matrix.reports.length;
  return same ? whyOne(design, report) : whyRange(design, report);
}

function asMatrix({ subset, ...rest }) {
  const matrix = { answers: subset.answers, reports: subset.answers, same: subset.inside, other: subset.outside };
  return { ...rest, matrix, reports: subset.answers };
}

// one question

function answerOf(section) {
  if (section.dataset.kind !== "range") {
    const chosen = section.querySelector("input:checked");
    return chosen ? { at: Number(chosen.value), said: chosen.parentElement.textContent.trim() } : null;
  }
  const input = section.querySelector("input");
  if (input.value === "" || !input.validity.valid) return null;
  const at = Math.round((Number(input.value) - Number(input.min)) / Number(input.step));
  return { at, said: input.value };
}

function preview(section, design, u) {
  const answer = answerOf(section);
  const box = section.querySelector(".preview");
  if (!answer) return box.replaceChildren();
  if (design.way === "device") {
    const report = reportFor(design, answer.at, u);
    return box.replaceChildren(pair(answer.said, reportName(design, report)), ...why(design, report));
  }
  if (design.way === "own") {
    return box.replaceChildren(pair("only you know it", answer.said, "not even this device does"),
      make("p", "", "This page was not told your true answer, so it cannot send it."));
  }
  return box.replaceChildren(make("p", "note warn", `${quoted(answer.said)} will be sent as it is.`));
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

const ENDS = { 201: "thanks", 409: "already", 410: "closed" };
const endOf = ({ status, code }) => (code === "poll-4" ? "link" : ENDS[status]);

function failed(status) {
  const trouble = byId("trouble");
  trouble.firstElementChild.textContent = status
    ? "The poll could not take your answer just now. Nothing is lost: try again."
    : "There seems to be no connection. Nothing is lost: your answers are still here, and nothing was redrawn. Try again.";
  trouble.hidden = false;
  byId("send").textContent = "Try again";
}

function start() {
  byId("unscripted").remove();
  const token = poll.once === "invitation" ? invitation() : null;
  if (poll.once === "invitation" && !token) return show("link");
  const key = `shoal:${mark}:${token ?? ""}`;
  const drawn = kept(key, token);
  if (drawn.sent) return show("already");
  const arm = document.querySelector(`[data-arm="${drawn.arm}"]`);
  for (const other of document.querySelectorAll("[data-arm]")) if (other !== arm) other.remove();
  const sections = [...arm.querySelectorAll(".question")];
  const designs = poll.arms[drawn.arm].designs;
  sections.forEach((section, at) => {
    const change = () => {
      complain(section, "");
      preview(section, designs[at], drawn.numbers[at]);
    };
    section.addEventListener(section.dataset.kind === "range" ? "input" : "change", change);
  });
  byId("form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = byId("send");
    if (button.getAttribute("aria-busy") === "true" || missing(sections)) return;
    const answers = sections.map((section) => answerOf(section).at);
    const report = reportText(poll, drawn, answers);
    button.setAttribute("aria-busy", "true");
    const found = await send(JSON.stringify({ mark, report, once: drawn.once }));
    button.removeAttribute("aria-busy");
    const end = endOf(found);
    if (end === "thanks" || end === "already") place.write(key, { sent: true });
    if (end) show(end);
    else failed(found.status);
  });
  arm.hidden = false;
  byId("answering").hidden = false;
}

addEventListener("hashchange", () => location.reload());
start();
