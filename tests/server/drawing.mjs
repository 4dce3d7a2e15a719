// Writes intervals as the researcher's pages do: cases of [kind, low, high] from standard input, texts as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder] = process.argv;
const { span, writerOf } = await import(pathToFileURL(`${folder}/drawing.js`));
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([kind, ...ends]) => span(writerOf({ kind, unit: "" }), ends))));
