// Colours the SQL that is typed, and completes words: keywords, functions, datasets and columns.
// The text stays an ordinary field; without this script it is only not coloured.

const MOST = 8;
const field = document.getElementById("sql");
const words = JSON.parse(field.dataset.words);
const KINDS = { columns: "column", tables: "dataset", functions: "function", keywords: "keyword" };
const all = Object.keys(KINDS).flatMap((kind) => words[kind].map((word) => ({ word, kind })));
const keywords = new Set(words.keywords.map((each) => each.toUpperCase()));
const functions = new Set(words.functions);
const names = new Set([...words.columns, ...words.tables].map((each) => each.toLowerCase()));
const TOKEN = /('(?:[^']|'')*'?)|(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(\b\d+(?:\.\d+)?\b)|([\p{L}_][\p{L}\p{N}_]*)|("(?:[^"]|"")*"?)/gu;
const WORD = /[\p{L}_][\p{L}\p{N}_]*$/u;

const box = document.createElement("div");
const colours = document.createElement("pre");
const list = document.createElement("ul");
const said = document.createElement("p");
box.className = "sql-box";
colours.className = "code colours";
colours.setAttribute("aria-hidden", "true");
list.id = "sql-words";
list.className = "words";
list.setAttribute("role", "listbox");
list.setAttribute("aria-label", "Words that fit");
list.hidden = true;
said.className = "unseen";
said.setAttribute("role", "status");
field.before(box);
box.append(field, colours, list, said);
field.setAttribute("aria-autocomplete", "list");

let shown = [];
let active = -1;

function kindOf(token, string, comment, number, word, quoted) {
  if (string !== undefined) return "string";
  if (comment !== undefined) return "comment";
  if (number !== undefined) return "number";
  if (quoted !== undefined) return "name";
  if (keywords.has(word.toUpperCase())) return "keyword";
  if (functions.has(word.toUpperCase())) return "function";
  return names.has(word.toLowerCase()) ? "name" : "";
}

function colour() {
  const text = field.value;
  const parts = [];
  let end = 0;
  for (const found of text.matchAll(TOKEN)) {
    parts.push(document.createTextNode(text.slice(end, found.index)));
    const part = document.createElement("span");
    part.className = `sql-${kindOf(...found)}`;
    part.textContent = found[0];
    parts.push(part);
    end = found.index + found[0].length;
  }
  parts.push(document.createTextNode(`${text.slice(end)}\n`));
  colours.replaceChildren(...parts);
  colours.scrollTop = field.scrollTop;
}

function begun() {
  if (field.selectionStart !== field.selectionEnd) return "";
  const found = field.value.slice(0, field.selectionStart).match(WORD);
  return found ? found[0] : "";
}

function close() {
  list.hidden = true;
  active = -1;
  shown = [];
  field.removeAttribute("aria-activedescendant");
  field.removeAttribute("aria-controls");
  said.textContent = "";
}

function offer(least) {
  const start = begun();
  const typed = start.toLowerCase();
  const fits = all.filter(
    ({ word }) => word.toLowerCase().startsWith(typed) && word.toLowerCase() !== typed,
  );
  if (start.length < least || fits.length === 0) return close();
  shown = fits.slice(0, MOST);
  active = -1;
  list.replaceChildren(
    ...shown.map(({ word, kind }, at) => {
      const each = document.createElement("li");
      each.id = `sql-word-${at}`;
      each.setAttribute("role", "option");
      each.setAttribute("aria-selected", "false");
      const hint = document.createElement("span");
      hint.className = "hint";
      hint.textContent = ` ${KINDS[kind]}`;
      each.append(word, hint);
      each.addEventListener("mousedown", (event) => {
        event.preventDefault(); // the caret stays in the field
        take(at);
      });
      return each;
    }),
  );
  list.hidden = false;
  field.setAttribute("aria-controls", list.id);
  field.removeAttribute("aria-activedescendant");
  said.textContent = `${shown.length} word${shown.length === 1 ? "" : "s"}; arrow down chooses`;
}

function move(step) {
  const count = shown.length;
  active = active < 0 ? (step > 0 ? 0 : count - 1) : (active + step + count) % count;
  [...list.children].forEach((each, at) => each.setAttribute("aria-selected", String(at === active)));
  field.setAttribute("aria-activedescendant", `sql-word-${active}`);
}

function take(at) {
  const start = begun();
  const { word, kind } = shown[at];
  const quoted = kind === "columns" && !/^[a-z_][a-z0-9_]*$/i.test(word);
  const text = quoted ? `"${word.replaceAll('"', '""')}"` : word + (kind === "functions" ? "(" : "");
  field.setRangeText(text, field.selectionStart - start.length, field.selectionStart, "end");
  close();
  field.dispatchEvent(new Event("input", { bubbles: true }));
  close(); // the word is whole: nothing is offered for it again
}

field.addEventListener("input", (event) => {
  colour();
  if (event.isTrusted) offer(2);
});
field.addEventListener("scroll", () => { colours.scrollTop = field.scrollTop; });
field.addEventListener("blur", close);
field.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.code === "Space") {
    event.preventDefault();
    offer(0);
    return;
  }
  if (list.hidden) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.key === "Escape") {
    event.preventDefault();
    close();
  } else if (active >= 0 && (event.key === "Enter" || event.key === "Tab")) {
    event.preventDefault();
    take(active);
  }
});
colour();
