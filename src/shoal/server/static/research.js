// The page of one poll: estimates while they come in, and what the researcher may do with the poll.

import { SILENT, ask, byId, count, figure, intervals, legend, make, percent, span, table, tickOf, writerOf } from "./drawing.js";

const root = byId("poll");
const base = `/api/polls/${encodeURIComponent(root.dataset.name)}`;
const EVERY = 3000;
const asked = {}; // how often each part of the page has asked
const troubles = {}; // what went wrong last in each part
let shown = "";
let results = null;

function trouble(part, words) {
  troubles[part] = words;
  const all = [...new Set(Object.values(troubles))].filter(Boolean).join(" ");
  if (byId("trouble").textContent === all) return; // an alert that is written again may be read aloud again
  byId("trouble").textContent = all;
  byId("trouble").hidden = !all;
}

/** Run something that asks the server; what goes wrong is said on the page until the same part goes right. */
async function tried(part, act, matters = () => true) {
  try {
    const found = await act();
    if (!matters()) return null;
    trouble(part, "");
    return found;
  } catch (error) {
    if (matters()) trouble(part, error.message);
    if (part === "act") byId("trouble").scrollIntoView({ block: "center" }); // who pressed a button is told where they can see it
    return null;
  }
}

/** The answer to the newest question of a part; one that was overtaken is neither shown nor said to have gone wrong. */
async function newest(part, path) {
  const mine = (asked[part] = (asked[part] ?? 0) + 1);
  const found = await tried(part, () => ask(path), () => mine === asked[part]);
  return { found, overtaken: mine !== asked[part] };
}

// estimates

function showFigures() {
  const { reports, invited, promised } = results;
  const parts = [figure("Reports", count(reports), invited === null ? "" : `of ${count(invited)} invited`)];
  parts.push(figure("What respondents are promised", promised.value, promised.words));
  byId("figures").replaceChildren(...parts);
}

function rowsOf(question) {
  return question.estimates.flatMap((estimate) =>
    estimate.rows.map((row) => ({
      ...row,
      kind: estimate.way,
      label: question.estimates.length > 1 ? `${row.answer} · ${estimate.title}` : row.answer,
    })),
  );
}

function sortedRows(question) {
  const rows = rowsOf(question);
  const answers = [...new Set(rows.map((row) => row.answer))];
  return answers.flatMap((answer) => rows.filter((row) => row.answer === answer));
}

/** Of two answers only the second is drawn: the first is its mirror image, and stands in the table. */
function drawn(question, rows) {
  const answers = [...new Set(rows.map((row) => row.answer))];
  return answers.length === 2 ? rows.filter((row) => row.answer === answers[1]) : rows;
}

/** Estimates from too few answers are left out, until the researcher asks for them. */
let early = false;
const enough = (row) => early || row.enough;

/** How far the answers are from enough, for each way of asking that has too few. */
function waiting(question) {
  const few = question.estimates.filter((each) => each.people < each.least);
  if (!few.length) return [];
  const several = question.estimates.length > 1;
  const parts = few.map((each) => `${several ? `${each.title}: ` : ""}${count(each.people)} of ${count(each.least)}`);
  return [make("p", "note", make("strong", "", early ? "These are too few answers. " : "Too few answers yet. "), `${parts.join("; ")}.`)];
}

const sureness = () => `${Number((100 * results.confidence).toFixed(4))} %`;

/** An estimate with its intervals in words; while the poll is open the one that holds at every look is among them. */
const inWords = (write) => (row) =>
  `${row.label}: ${write(row.value)}, ${span(write, row.exact)}${row.always ? `; however often you look ${span(write, row.always)}` : ""}`;

function questionSheet(question) {
  const write = writerOf(question);
  const sheet = make("section", "sheet", make("h2", "", question.text));
  for (const note of question.notes) sheet.append(make("p", "soft", note));
  const drawing = make("div", "");
  const every = sortedRows(question);
  if (!every.length) {
    sheet.append(make("p", "note", "No reports yet. Estimates appear here by themselves as they come in."));
    return { sheet };
  }
  sheet.append(...waiting(question));
  const rows = every.filter(enough);
  if (!rows.length) return { sheet };
  const always = rows.some((row) => row.always);
  const head = ["", "estimate", "interval for one look", ...(always ? ["always-valid interval"] : [])];
  const cells = rows.map((row) => [row.label, write(row.value), span(write, row.exact), ...(always ? [span(write, row.always)] : [])]);
  const scroll = make("div", "scroll", table(`Estimates with ${sureness()} intervals`, head, cells));
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", `Estimates: ${question.text}`);
  sheet.append(drawing, make("details", "", make("summary", "", "As a table"), scroll));
  const words = rows.map(inWords(write)).join(". ");
  return { sheet, draw: () => intervals(drawing, drawn(question, rows), { bounds: question.bounds, write, tick: tickOf(question), words }) };
}

function showKey() {
  const always = results.questions.some((question) => rowsOf(question).some((row) => row.always));
  const direct = results.questions.some((question) => question.estimates.some((each) => each.way === "direct"));
  byId("reading").replaceChildren(legend(sureness(), always, direct), ...explained(always));
  const shown = results.questions.some((question) => rowsOf(question).some(enough));
  byId("reading").closest("section").hidden = !shown;
  byId("early-line").hidden = !results.questions.some((question) => rowsOf(question).some((row) => !row.enough));
}

function explained(always) {
  const lines = ["Estimates are unbiased: they undo the odds exactly. They can leave the possible range when few people have answered; intervals are cut to it.",
    `The interval for one look holds the truth with at least ${sureness()} in one look that was planned before, for example when the poll is closed.`];
  if (always) {
    lines.push(`Whoever looks again and again, and stops when it suits, needs the always-valid interval: with ${sureness()} it holds the truth at every look together. ` +
      "Quote this one if you decide from this page when to stop.");
  }
  const more = results.central.map(({ title, value, words }) => make("p", "small soft", make("strong", "", `${title}: ${value}. `), words));
  return [...lines.map((line) => make("p", "small soft", line)), ...more];
}

function showQuestions() {
  const open = [...document.querySelectorAll("#questions details")].map((each) => each.open);
  const made = results.questions.map(questionSheet);
  byId("questions").replaceChildren(...made.map(({ sheet }) => sheet));
  made.forEach(({ draw }) => draw?.());
  document.querySelectorAll("#questions details").forEach((each, at) => { each.open = open[at] ?? false; });
}

function showDifferences() {
  const parts = [];
  const draws = [];
  for (const question of results.questions) {
    for (const each of question.differences.filter(({ rows }) => rows.every(enough))) {
      const write = question.kind === "range" ? writerOf(question) : (value, side) => percent(value, side).replace(" %", " points");
      const tick = tickOf(question);
      const drawing = make("div", "");
      parts.push(make("h3", "", `${question.text} ${each.title}`), drawing);
      const rows = each.rows.map((row) => ({ ...row, label: row.answer }));
      const words = rows.map(inWords(write)).join(". ");
      draws.push(() => intervals(drawing, rows, { write, tick, words }));
      parts.push(make("p", "small soft", words));
    }
  }
  byId("arms").hidden = !parts.length;
  byId("differences").replaceChildren(...parts);
  draws.forEach((draw) => draw());
}

// one report, two questions, another epsilon

function options(select, questions) {
  const before = select.value;
  select.replaceChildren(...questions.map(({ name, text }) => Object.assign(make("option", "", text), { value: name })));
  if (questions.some(({ name }) => name === before)) select.value = before;
}

async function showOne() {
  const query = new URLSearchParams({ question: byId("one-question").value, prior: byId("one-prior").value });
  const { found } = await newest("one", `${base}/posterior?${query}`);
  if (!found) return;
  const parts = found.tables.map(({ title, head, rows }) =>
    table(title, head, rows.map(({ label, chances }) => [label, ...chances.map((each) => percent(each))])));
  if (found.note) parts.push(make("p", "small soft", found.note));
  byId("one").replaceChildren(...parts);
}

async function showCross() {
  const [one, two] = [byId("cross-one").value, byId("cross-two").value];
  if (one === two) {
    asked.cross = (asked.cross ?? 0) + 1; // what is still on its way is of another choice
    trouble("cross", "");
    byId("crosstab").replaceChildren(make("p", "soft", "Choose two different questions."));
    return;
  }
  const { found } = await newest("cross", `${base}/crosstab?${new URLSearchParams({ one, two, confidence: byId("confidence").value })}`);
  if (!found) return;
  const cell = ({ value, interval, ...row }) =>
    enough(row) ? make("span", "", percent(value), make("span", "interval", span(percent, interval))) : make("span", "soft", "too few");
  const tables = found.tables.map(({ title, columns, rows }) =>
    table(title, ["", ...columns], rows.map(({ answer, cells }) => [answer, ...cells.map(cell)])));
  byId("crosstab").replaceChildren(...tables, make("p", "small soft", found.note));
}

let whatIf = [];
function pickEpsilon() {
  const each = whatIf[byId("if-slide").value];
  if (!each) return;
  byId("if-epsilon").textContent = each.epsilon;
  byId("if-slide").setAttribute("aria-valuetext", `epsilon ${each.epsilon}`);
  byId("if").replaceChildren(
    figure("Margin with the present reports", each.margin === null ? "–" : `± ${each.margin}`),
    figure("People for the present margin", each.people === null ? "–" : count(each.people)),
    figure("A suspicion of 50 % rises to at most", percent(each.suspicion, Math.ceil)));
}

async function showIf() {
  const query = new URLSearchParams({ question: byId("if-question").value, confidence: byId("confidence").value });
  const { found } = await newest("if", `${base}/what-if?${query}`);
  if (!found) return;
  const slide = byId("if-slide");
  const first = !whatIf.length;
  whatIf = found.rows;
  byId("if-words").textContent = found.words;
  slide.max = whatIf.length - 1;
  if (first) slide.value = found.present;
  pickEpsilon();
}

// acts

function sure(title, words, yes) {
  const dialog = byId("sure");
  byId("sure-title").textContent = title;
  byId("sure-words").textContent = words;
  byId("sure-yes").textContent = yes;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    // the word of an earlier "close" may come only now; while the dialog is open it is not an answer
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue === "yes");
  });
}

async function turn() {
  const open = byId("turn").dataset.open === "true";
  const agreed = open
    ? await sure("Close this poll?", "Nobody can answer until you reopen it. Everything that was counted stays.", "Close it")
    : await sure("Reopen this poll?", "It takes answers again. If you have looked at the results, quote the always-valid interval from now on.", "Reopen it");
  if (agreed && (await tried("act", () => ask(`${base}/${open ? "close" : "reopen"}`, {})))) await refresh();
}

async function invite(event) {
  const button = byId("invite");
  // the second click of a double one would make other links, and put them in the place of the first
  if (event.detail > 1 || button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  const found = await tried("act", () => ask(`${base}/invitations`, { count: Number(byId("invite-count").value) }));
  button.removeAttribute("aria-busy");
  if (!found) return;
  const text = ["link", ...found.links].join("\r\n") + "\r\n";
  const link = Object.assign(make("a", "", `Download ${count(found.links.length)} links`), {
    href: URL.createObjectURL(new Blob([text], { type: "text/csv" })),
    download: `${root.dataset.name}-invitations.csv`,
  });
  byId("invited").replaceChildren(link, " (they are shown nowhere else)");
  link.focus();
  await refresh();
}

// the whole page, again and again

function showStanding() {
  const standing = byId("standing");
  standing.textContent = results.open ? "open" : "closed";
  standing.className = `badge ${results.open ? "own" : "closed"}`;
  byId("turn").textContent = results.open ? "Close the poll" : "Reopen the poll";
  byId("turn").dataset.open = results.open;
  byId("turn").className = `small ${results.open ? "danger" : "quiet"}`;
  byId("live").textContent = results.open ? "live" : "closed";
  byId("live").className = `where live ${results.open ? "" : "off"}`;
}

async function refresh() {
  const { found, overtaken } = await newest("results", `${base}/results?${new URLSearchParams({ confidence: byId("confidence").value })}`);
  if (overtaken) return;
  byId("live").classList.toggle("off", !found || !found.open);
  if (!found) return;
  if (troubles.act === SILENT) trouble("act", ""); // it answers again
  const text = JSON.stringify(found);
  if (text !== shown) {
    shown = text;
    results = found;
    showResults();
  } else if (!["one", "if", "cross"].some((part) => troubles[part])) return;
  if (!byId("h-one").closest("section").hidden) await Promise.all([showOne(), showIf()]);
  if (!byId("cross").hidden) await showCross();
}

function showResults() {
  showStanding();
  showFigures();
  showQuestions();
  showKey();
  showDifferences();
  for (const id of ["one-question", "if-question"]) options(byId(id), results.questions.filter((each) => each.hidden));
  const choices = results.questions.filter((each) => each.kind !== "range");
  for (const id of ["cross-one", "cross-two"]) options(byId(id), choices);
  if (byId("cross").hidden && choices.length > 1) byId("cross-two").selectedIndex = 1;
  byId("cross").hidden = choices.length < 2 || !results.reports;
  const hidden = results.questions.some((each) => each.hidden);
  for (const id of ["h-one", "h-if"]) byId(id).closest("section").hidden = !hidden;
}

async function live() {
  try {
    if (!document.hidden) await refresh();
  } finally {
    setTimeout(live, EVERY);
  }
}

async function copy() {
  const link = byId("link").textContent;
  try {
    await navigator.clipboard.writeText(link);
    byId("copied").textContent = "Copied.";
  } catch { // browsers let pages copy by TLS only
    getSelection().selectAllChildren(byId("link"));
    byId("copied").textContent = "Selected: copy it with Ctrl-C or ⌘-C.";
  }
}

byId("early").addEventListener("change", () => {
  early = byId("early").checked;
  if (!results) return;
  showResults();
  if (!byId("cross").hidden) showCross();
});
byId("copy")?.addEventListener("click", copy);
byId("turn").addEventListener("click", turn);
byId("confidence").addEventListener("change", refresh);
byId("invite")?.addEventListener("click", invite);
for (const id of ["one-question", "one-prior"]) byId(id).addEventListener("change", showOne);
for (const id of ["cross-one", "cross-two"]) byId(id).addEventListener("change", showCross);
byId("if-question").addEventListener("change", showIf);
byId("if-slide").addEventListener("input", pickEpsilon);
live();
