// The form shows the column that is chosen, as the text had it when the page was made. Without this script
// the button Show does the same.

const column = document.getElementById("column");
const told = column ? JSON.parse(column.dataset.columns) : {};
const field = (name) => document.getElementById(name);

if (column) {
  field("show").hidden = true;
  column.addEventListener("change", () => {
    const now = told[column.value];
    field("column-type").textContent = now.type;
    for (const name of ["known", "lowest", "highest", "choices"]) field(name).value = now[name];
    field("required").checked = now.required;
  });
}
