// What a report tells about whoever sends it, in words. No page is needed: Node runs this very file in the tests.
//
// Every figure is counted in big integers and rounded once, for showing. A chance below one is never shown as certainty.

import { among, choose, membersOf, weightOf } from "./client.js";

const MOST = 9n; // a report that is more than so many times likelier under one answer than another tells a lot
const LISTED = 6;
const quoted = (text) => `“${text}”`;
const grouped = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, ",");
const sum = (numbers) => numbers.reduce((whole, each) => whole + each, 0n);
const nearest = (part, whole) => (2n * part + whole) / (2n * whole);

/** A part of 100 people, in words: exact where it is none or all, and never so by rounding. */
export function ofHundred(part, whole) {
  if (part === 0n) return "none";
  if (part === whole) return "all";
  const near = nearest(100n * part, whole);
  if (near === 0n) return `about 1 in ${grouped(nearest(whole, part))}`;
  return near === 100n ? `all but about 1 in ${grouped(nearest(whole, whole - part))}` : `about ${near}`;
}

export const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;

/** The name of a report: one of the design's, or the members of a set. */
export function reportName(design, report) {
  if (!design.subset) return design.reports[Number(report)];
  return listed(membersOf(BigInt(report), design.subset.size).map((at) => design.subset.answers[at]));
}

/** How likely the report is under every answer, as weights. */
function weights(design, report) {
  return design.matrix.answers.map((_, answer) => weightOf(design, answer, Number(report)));
}

function among100(told, names, found) {
  const whole = sum(found);
  const order = names.map((_, at) => at).sort((one, two) => Number(found[two] > found[one]) - Number(found[two] < found[one]));
  const parts = order.slice(0, LISTED).map((at) => `${quoted(names[at])}: ${ofHundred(found[at], whole)}`);
  if (order.length > LISTED) parts.push(`another: ${ofHundred(sum(order.slice(LISTED).map((at) => found[at])), whole)}`);
  return `Of 100 people who send ${told}, if all answers are equally common, so many have each answer: ${parts.join("; ")}.`;
}

function sameName(design, report) {
  const sent = Number(report);
  const found = weights(design, report);
  const whole = sum(found);
  const told = quoted(design.reports[sent]);
  const rest = BigInt(found.length - 1);
  const rare = found.map((each, at) => each * (at === sent ? rest : 9n));
  return {
    words: `Of 100 people who send ${told}, ${ofHundred(found[sent], whole)} have that answer and ${ofHundred(whole - found[sent], whole)} ` +
      `do not, if all answers are equally common. If only 1 person in 10 has it, ${ofHundred(rare[sent], sum(rare))} of the 100 do.`,
    filled: among(design, sent, 100)[sent],
    captions: ["have that answer", "have another answer"],
  };
}

function ends(design, report) {
  const { answers, total } = design.matrix;
  const found = weights(design, report);
  const told = quoted(design.reports[Number(report)]);
  const often = (at) => ofHundred(found.at(at), BigInt(total));
  return { words: `Of 100 people with the answer ${answers[0]}, ${often(0)} send ${told}; of 100 with the answer ${answers.at(-1)}, ${often(-1)} do.` };
}

function set({ subset }) {
  const { size } = subset;
  const inside = BigInt(size) * BigInt(subset.inside);
  const whole = inside + BigInt(subset.answers.length - size) * BigInt(subset.outside);
  return {
    words: `A set of ${size} is sent. Of 100 people who send this one, ${ofHundred(inside, whole)} have an answer that is in it and ` +
      `${ofHundred(whole - inside, whole)} do not, if all answers are equally common.`,
    filled: Number(nearest(100n * inside, whole)),
    captions: ["have an answer that is in the set", "have another answer"],
  };
}

function asMatrix({ subset, ...rest }) {
  const matrix = { answers: subset.answers, reports: subset.answers, same: subset.inside, other: subset.outside };
  return { ...rest, matrix, reports: subset.answers };
}

function shares(design, report) {
  const { answers } = design.matrix;
  if (answers.every((name, at) => name === design.reports[at]) && answers.length === design.reports.length) return sameName(design, report);
  if (design.reports.length === 2 && answers.length > 2) return ends(design, report);
  return { words: among100(quoted(design.reports[Number(report)]), answers, weights(design, report)) };
}

/** Answers that a report excludes for sure, in words; nothing where there are none. */
function excluded(design, report) {
  const found = weights(design, report);
  const left = design.matrix.answers.filter((_, at) => found[at] > 0n);
  if (left.length === found.length) return "";
  const told = quoted(design.reports[Number(report)]);
  if (left.length === 1) return `Whoever sends ${told} has the answer ${quoted(left[0])} for sure. `;
  const out = design.matrix.answers.filter((_, at) => found[at] === 0n).map(quoted);
  return `Whoever sends ${told} does not have the answer ${out.length > LISTED ? `${listed(out.slice(0, LISTED))} or ${out.length - LISTED} more` : listed(out)}, for sure. `;
}

/** How many times likelier the report is under one answer than under another is beyond the limit, or without one. */
function tellsALot(design, report) {
  if (design.subset) return BigInt(design.subset.inside) > MOST * BigInt(design.subset.outside);
  const found = weights(design, report);
  const [low, high] = found.reduce(([low, high], each) => [each < low ? each : low, each > high ? each : high], [found[0], found[0]]);
  return high > MOST * low;
}

/** What chance does with an answer, whatever was drawn: words, and of 100 dots how many are filled, with what each kind of dot stands for. */
export function chanceOf(asked, answer) {
  if (asked.subset && asked.subset.size > 1) return chanceOfSet(asked.subset, answer);
  const design = asked.subset ? asMatrix(asked) : asked;
  const found = design.reports.map((_, report) => weightOf(design, answer, report));
  const whole = sum(found);
  const mine = quoted(design.matrix.answers[answer]);
  const own = design.reports.indexOf(design.matrix.answers[answer]);
  const first = own >= 0 ? own : found.length - 1;
  const others = found.length === 2 ? quoted(design.reports[1 - first]) : "another answer";
  if (own < 0 && found.length > 2) {
    const parts = found.map((each, at) => `${quoted(design.reports[at])}: ${ofHundred(each, whole)}`);
    return { words: `Of 100 people who answer ${mine}, so many send each reply: ${parts.join("; ")}.` };
  }
  const sent = quoted(design.reports[first]);
  return {
    words: `Of 100 people who answer ${mine}, ${ofHundred(found[first], whole)} send ${sent} and ${ofHundred(whole - found[first], whole)} send ${others}. Chance decides which.`,
    filled: Number(nearest(100n * found[first], whole)),
    captions: [`send ${sent}`, `send ${others}`],
  };
}

function chanceOfSet({ answers, size, inside, outside }, answer) {
  const holding = choose(answers.length - 1, size - 1) * BigInt(inside);
  const whole = holding + choose(answers.length - 1, size) * BigInt(outside);
  const mine = quoted(answers[answer]);
  return {
    words: `A set of ${size} answers is sent. Of 100 people who answer ${mine}, ${ofHundred(holding, whole)} send a set that holds it and ` +
      `${ofHundred(whole - holding, whole)} send one that does not. Chance decides which.`,
    filled: Number(nearest(100n * holding, whole)),
    captions: [`send a set that holds ${mine}`, `send a set without ${mine}`],
  };
}

/** What a report tells: a title, words, whether it is a warning, and of 100 dots how many are filled, with what each kind of dot stands for. */
export function tells(asked, report) {
  if (asked.subset && asked.subset.size > 1) {
    return titled(tellsALot(asked), "this", { ...set(asked) });
  }
  const design = asked.subset ? asMatrix(asked) : asked;
  const { words, ...more } = shares(design, report);
  const told = quoted(design.reports[Number(report)]);
  return titled(tellsALot(design, report), told, { words: excluded(design, report) + words, ...more });
}

function titled(warn, told, found) {
  return { title: warn ? "This tells a lot about you. " : `Why ${told} proves little. `, warn, ...found };
}
