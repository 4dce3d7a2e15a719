// The design wizard: what is typed is asked of the server, which says what it would mean.

import { EPSILONS, ask, byId, count, figure, make, patient } from "./drawing.js";

const list = byId("questions");
let named = false; // whether the name was typed and not made from the title

const slug = (text) =>
  text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 40).replace(/^-+|-+$/g, "");

// questions

function parts(box) {
  const found = {};
  for (const field of box.querySelectorAll("[data-part]")) {
    found[field.dataset.part] = field.type === "checkbox" ? field.checked : field.value.trim();
  }
  return found;
}

function questionOf(box, at) {
  const { text, kind, name, answers, low, high, step, unit, plain, harmless } = parts(box);
  const shape = kind === "range" ? { range: [low, high, step], unit }
    : { answers: answers.split("\n").map((each) => each.trim()).filter(Boolean) };
  return { name: name || `q${at + 1}`, text, plain, harmless, ...shape };
}

function renumber() {
  const boxes = [...list.children];
  boxes.forEach((box, at) => {
    box.querySelector("legend").textContent = `Question ${at + 1}`;
    box.querySelector("[data-part=remove]").hidden = boxes.length === 1;
    box.querySelector("[data-part=name]").placeholder = `q${at + 1}`;
  });
}

function add(text) {
  const box = byId("question").content.firstElementChild.cloneNode(true);
  box.querySelector("[data-part=text]").value = text;
  box.querySelector("[data-part=kind]").addEventListener("change", (event) => {
    for (const part of box.querySelectorAll("[data-kind]")) part.hidden = part.dataset.kind !== event.target.value;
  });
  box.querySelector("[data-part=remove]").addEventListener("click", () => {
    box.remove();
    renumber();
    changed();
    byId("add").focus();
  });
  list.append(box);
  renumber();
  return box;
}

// the whole draft

function armsOf() {
  const value = (id) => byId(id).value.trim();
  const share = (id) => Number(value(id));
  const arms = [];
  const price = value("odds") === "epsilon" ? { epsilon: value("epsilon") } : { odds: value("odds") };
  if (byId("use-device").checked) arms.push({ way: "device", share: share("share-device"), ...price });
  if (byId("use-own").checked) {
    arms.push({ way: "own", share: share("share-own"), design: value("design"), chance: value("chance") });
  }
  if (byId("use-direct").checked) arms.push({ way: "direct", share: share("share-direct") });
  return arms;
}

function draft() {
  return {
    name: byId("name").value.trim(),
    title: byId("title").value.trim(),
    intro: byId("intro").value.trim(),
    once: document.querySelector("[name=once]:checked").value,
    show_sent: document.querySelector("[name=show-sent]:checked").value,
    questions: [...list.children].map(questionOf),
    arms: armsOf(),
  };
}

const hundredth = (id) => byId(id).value.trim() + "%";

function complain(words) {
  byId("problem").textContent = words;
  byId("problem").hidden = !words;
}

function showPlan(found) {
  const planned = byId("planned");
  planned.replaceChildren();
  for (const each of found.plan) {
    planned.append(make("p", "small soft", found.plan.length > 1 ? each.text : "To come within the margin, with 95 % confidence:"));
    planned.append(Object.assign(make("output", "big", each.people === null ? "–" : `${count(each.people)} people`), {}));
    planned.append(make("p", "hint", each.words));
  }
}

function showTold(found) {
  const told = byId("told");
  told.replaceChildren();
  for (const arm of found.arms) {
    if (found.arms.length > 1) told.append(make("h3", "", `${arm.name}: ${arm.part}`));
    for (const each of arm.questions) {
      if (arm.questions.length > 1) told.append(make("p", "small soft", each.text));
      told.append(make("p", "", make("strong", "", each.few)), make("p", "", each.words));
    }
    told.append(make("p", arm.warn ? "note warn" : "note", arm.promise));
  }
}

function showLook(found) {
  for (const id of ["look", "sure-look"]) {
    byId(id).hidden = !found;
    if (found) byId(id).href = found.page;
  }
}

let asked = 0;
let seen = null; // what the server said about the draft as it is now
let refused = ""; // why the poll was not published; a preview that comes later leaves it there until something is typed
let last = null; // the look that began last, which alone tells
function look() {
  last = looked();
  return last;
}

async function looked() {
  const turn = ++asked;
  try {
    const found = await ask("/api/preview", { draft: draft(), guess: hundredth("guess"), margin: hundredth("margin") });
    if (turn !== asked) return;
    complain(refused);
    showPlan(found);
    showTold(found);
    showLook(found);
    seen = found;
  } catch (error) {
    if (turn !== asked) return;
    complain(error.message);
    showLook(null);
  }
}
const refresh = patient(look);

/** Wait for the look that tells: another may begin while one is waited for. */
async function settled() {
  let waited;
  do {
    waited = last;
    await waited;
  } while (waited !== last);
}

function changed() {
  refused = "";
  seen = null;
  refresh();
}

/** Publishing cannot be taken back, so it is asked for twice. */
function sure(title) {
  const dialog = byId("sure");
  byId("sure-name").textContent = title;
  byId("sure-told").replaceChildren(...seen.arms.flatMap((arm) =>
    arm.questions.map((each) => make("p", "note", make("strong", "", each.text), ` ${each.few}`))));
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue === "yes");
  });
}

async function publish(event) {
  event.preventDefault();
  const button = event.target.querySelector(".send");
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    if (!seen) {
      look();
      await settled();
    }
    if (!seen) return void byId("problem").scrollIntoView({ block: "center" });
    const { mark } = seen;
    const said = draft();
    if (!(await sure(said.title || said.questions[0].text))) return;
    const { name } = await ask("/api/polls", { draft: said, mark });
    location.assign(`/polls/${encodeURIComponent(name)}`);
  } catch (error) {
    refused = error.message;
    complain(refused);
    byId("problem").scrollIntoView({ block: "center" });
  } finally {
    button.removeAttribute("aria-busy");
  }
}

function showWays() {
  for (const part of document.querySelectorAll("[data-for]")) part.hidden = !byId(part.dataset.for).checked;
  const several = document.querySelectorAll("[id^=use-]:checked").length > 1;
  for (const share of document.querySelectorAll("[id^=share-]")) share.closest(".field").hidden = !several;
  const { harmless, chance, label } = byId("design").selectedOptions[0].dataset;
  for (const field of list.querySelectorAll("[data-harmless]")) {
    const plain = field.closest(".question").querySelector("[data-part=plain]").checked;
    field.hidden = plain || !harmless || !byId("use-own").checked;
  }
  byId("epsilon-field").hidden = !byId("use-device").checked || byId("odds").value !== "epsilon";
  byId("chance-field").hidden = !chance;
  byId("chance-label").textContent = label || "Chance";
}

function name() {
  if (!named) byId("name").value = slug(byId("title").value || list.querySelector("[data-part=text]").value);
}

function start() {
  const slide = byId("epsilon-slide");
  const nearest = () => {
    const value = Number(byId("epsilon").value);
    const gaps = EPSILONS.map((each) => Math.abs(Math.log(Number(each) / value)));
    slide.value = gaps.indexOf(Math.min(...gaps));
    slide.setAttribute("aria-valuetext", `epsilon ${byId("epsilon").value}`);
  };
  slide.min = 0;
  slide.max = EPSILONS.length - 1;
  nearest();
  slide.addEventListener("input", () => {
    byId("epsilon").value = EPSILONS[slide.value];
    slide.setAttribute("aria-valuetext", `epsilon ${EPSILONS[slide.value]}`);
  });
  byId("epsilon").addEventListener("input", nearest);
  byId("name").addEventListener("input", () => { named = byId("name").value !== ""; });
  byId("design").addEventListener("change", () => {
    byId("chance").value = byId("design").selectedOptions[0].dataset.chance;
    showWays();
  });
  byId("add").addEventListener("click", () => { add("").querySelector("input").focus(); showWays(); changed(); });
  byId("wizard").addEventListener("input", () => { name(); showWays(); changed(); });
  byId("wizard").addEventListener("submit", publish);
  add("Have you ever travelled without a ticket?").querySelector("[data-part=harmless]").value = "Was your mother born in January, February or March?";
  name();
  showWays();
  look();
}

start();
