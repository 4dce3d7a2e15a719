// Runs a function of the scripts that are served on cases from standard input; prints what comes out, as JSON.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , folder] = process.argv;
const parts = {
  ...(await import(pathToFileURL(`${folder}/client.js`))),
  ...(await import(pathToFileURL(`${folder}/report_meaning.js`))),
};
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(([name, ...given]) => parts[name](...given))));
