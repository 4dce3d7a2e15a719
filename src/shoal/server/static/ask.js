// The preview follows what is typed, and the slider writes its epsilon into the field. The server makes the
// preview, as it does without this script.

const WAIT = 350; // milliseconds of quiet before a preview is asked for
const form = document.getElementById("question");
const preview = document.getElementById("preview");
const amount = document.getElementById("amount");
const slider = document.getElementById("slider");
const steps = slider.dataset.steps.split(" ");

let timer = 0;
let asked = 0;

async function refresh() {
  const mine = ++asked;
  const sent = new URLSearchParams(new FormData(form));
  sent.set("do", "preview");
  preview.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, {
      method: "POST",
      body: sent,
      headers: { "X-Shoal-Part": "preview" },
    });
    const text = await answer.text();
    if (mine !== asked) return; // a newer question is under way
    if (answer.headers.get("X-Shoal-Part") === "preview") {
      const told = new DOMParser().parseFromString(text, "text/html"); // nothing in it is run
      preview.replaceChildren(...told.body.childNodes);
    } else if (answer.status === 401) {
      location.reload(); // the session ended
    }
  } catch {
    // the connection is gone; the button Preview says so
  } finally {
    if (mine === asked) preview.removeAttribute("aria-busy");
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(refresh, WAIT);
}

function place() {
  const wanted = Math.log(Number(amount.value) || 0.1);
  const far = steps.map((each) => Math.abs(Math.log(Number(each)) - wanted));
  slider.value = far.indexOf(Math.min(...far));
  slider.setAttribute("aria-valuetext", `epsilon ${amount.value}`);
}

slider.hidden = false;
place();
slider.addEventListener("input", () => {
  amount.value = steps[Number(slider.value)];
  slider.setAttribute("aria-valuetext", `epsilon ${amount.value}`);
  later();
});
amount.addEventListener("input", () => {
  place();
  later();
});
const others = ["sql", "delta", "show_clipped"].map((name) => form.elements[name]);
for (const field of others) field.addEventListener("input", later);
// What was changed before this script was there is previewed too.
const fields = [amount, ...others];
if (fields.some((field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked)) later();
