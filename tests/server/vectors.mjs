// Runs the client that is served on the shared vectors; prints every case that comes out otherwise.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [, , script, vectors] = process.argv;
const { draw, reportText } = await import(pathToFileURL(script));
let wrong = 0;
let cases = 0;
for (const { poll, cases: every } of JSON.parse(readFileSync(vectors, "utf8"))) {
  for (const { bytes, answers, arm, report } of every) {
    const held = Buffer.from(bytes, "hex");
    let at = 0;
    const take = (count) => {
      if (at + count > held.length) throw new Error(`${poll.name}: takes more bytes than the vector has`);
      return held.subarray(at, (at += count));
    };
    const drawn = draw(poll, take);
    const made = [poll.arms[drawn.arm].name, reportText(poll, drawn, answers), at];
    const told = [arm, report, held.length];
    cases++;
    if (made.join() !== told.join()) {
      wrong++;
      console.log(`${poll.name}: ${made} and not ${told}`);
    }
  }
}
console.log(`${cases} cases, ${wrong} wrong`);
