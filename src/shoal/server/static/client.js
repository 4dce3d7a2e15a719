// A respondent's side of a poll: secret bytes and true answers become one report of fixed length.
//
// The same steps as shoal.polls in Python, bit for bit; src/shoal/local/transition.md and subsets.md say why
// each of them is exact. Numbers that carry odds are big integers from text: no float, no Math.random.
// It needs no browser: Node runs this very file on the shared vectors.

/** So many bytes of the source that browsers keep for keys. */
export function secretBytes(count) {
  return count ? crypto.getRandomValues(new Uint8Array(count)) : new Uint8Array(0);
}

/** A uniform big integer below `total`: words of the fewest bits that hold it, until one is below it. */
export function numberBelow(total, take) {
  const bits = total > 1n ? (total - 1n).toString(2).length : 0;
  const size = Math.ceil(bits / 8);
  for (;;) {
    let word = 0n;
    for (const byte of take(size)) word = (word << 8n) | BigInt(byte);
    word >>= BigInt(8 * size - bits);
    if (word < total) return word;
  }
}

/** How many subsets of `chosen` members `size` things have. */
export function choose(size, chosen) {
  if (chosen < 0 || chosen > size) return 0n;
  let found = 1n;
  for (let i = 1; i <= chosen; i++) found = (found * BigInt(size - chosen + i)) / BigInt(i);
  return found;
}

/** The members, in order, of the subset with this number in the combinatorial number system. */
export function membersOf(rank, chosen) {
  const members = [];
  if (!chosen) return members;
  let member = chosen - 1;
  let sets = 0n; // how many subsets of `left` members lie below `member`
  for (let more = 1n; more <= rank; more = (sets * BigInt(member + 1)) / BigInt(member + 1 - chosen)) {
    sets = more;
    member++;
  }
  for (let left = chosen; left > 0; left--) {
    while (sets > rank) {
      sets = (sets * BigInt(member - left)) / BigInt(member);
      member--;
    }
    members.unshift(member);
    rank -= sets;
    sets = member ? (sets * BigInt(left)) / BigInt(member) : 0n;
    member--;
  }
  return members;
}

/** The number of a subset whose members are in order. */
export function rankOf(members) {
  return members.reduce((sum, member, i) => sum + choose(member, i + 1), 0n);
}

/** How likely a report is under an answer, as a weight; all weights of an answer add up to the total. */
export function weightOf(design, answer, report) {
  if (design.subset) {
    const held = membersOf(BigInt(report), design.subset.size).includes(answer);
    return BigInt(held ? design.subset.inside : design.subset.outside);
  }
  const { rows, same, other } = design.matrix;
  return BigInt(rows ? rows[answer][report] : report === answer ? same : other);
}

const totalOf = (design) => BigInt((design.subset ?? design.matrix).total);

function fromMatrix(design, answer, u) {
  let told = -1;
  let reached = 0n;
  for (let y = 0; y < design.matrix.reports.length; y++) {
    reached += weightOf(design, answer, y);
    if (told < 0 && u < reached) told = y;
  }
  return BigInt(told);
}

function fromSubset({ answers, size, inside, outside }, answer, u) {
  const others = answers.length - 1;
  const holding = choose(others, size - 1) * BigInt(inside);
  const held = u < holding;
  const index = held ? u / BigInt(inside) : (u - holding) / BigInt(outside);
  const members = membersOf(index, held ? size - 1 : size).map((m) => (m < answer ? m : m + 1));
  if (held) members.push(answer);
  return rankOf(members.sort((one, two) => one - two));
}

/** What one question reports: by the device's number, or as it was told where the device does not randomise. */
export function reportFor(design, answer, u) {
  if (design.way !== "device") return BigInt(answer);
  return design.subset ? fromSubset(design.subset, answer, u) : fromMatrix(design, answer, u);
}

/** The arm and one number for each question that the device randomises; drawn once, before any answer. */
export function draw(poll, take = secretBytes) {
  let left = numberBelow(BigInt(poll.draw.total), take);
  let arm = 0;
  while (left >= BigInt(poll.arms[arm].share)) left -= BigInt(poll.arms[arm++].share);
  const numbers = poll.arms[arm].designs.map((design) =>
    design.way === "device" ? numberBelow(totalOf(design), take) : null,
  );
  return { arm, numbers };
}

/** The text that is sent: the arm, then every question's report, each in its fixed number of digits. */
export function reportText(poll, drawn, answers) {
  const digits = (number, width) => number.toString().padStart(width, "0");
  const told = poll.arms[drawn.arm].designs.map((design, at) =>
    digits(reportFor(design, answers[at], drawn.numbers[at]), design.width),
  );
  return digits(drawn.arm, poll.width) + told.join("");
}

/** Of `people` who send this report, how many have each answer, when all answers are equally common before. */
export function among(design, report, people, prior) {
  const size = (design.subset ?? design.matrix).answers.length;
  const before = prior ?? Array(size).fill(1n);
  const joint = before.map((share, answer) => share * weightOf(design, answer, report));
  const whole = joint.reduce((sum, part) => sum + part, 0n);
  return joint.map((part) => Number((2n * part * BigInt(people) + whole) / (2n * whole)));
}

/** 32 hexadecimal digits that stand for this browser, once. */
export function freshOnce(take = secretBytes) {
  return Array.from(take(16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function decimal(text) {
  const found = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?$/.exec(text.trim());
  if (!found || !(found[2] || found[3])) return null;
  const [, sign, whole, part = "", power = "0"] = found;
  const number = BigInt(`${whole}${part}`);
  return { number: sign === "-" ? -number : number, power: Number(power) - part.length };
}

/** How many steps a typed number lies above the low end of a range, exactly; null where it is not one of its numbers. */
export function stepsUpTo({ low, high, step }, typed) {
  const found = [low, high, step, typed].map(decimal);
  if (found.includes(null)) return null;
  const least = Math.min(...found.map(({ power }) => power));
  const [from, to, by, at] = found.map(({ number, power }) => number * 10n ** BigInt(power - least));
  return at < from || at > to || (at - from) % by !== 0n ? null : Number((at - from) / by);
}

/** A definition as it was written, from a page, where "<" stands as an escape so that no text of it is markup. */
export function originalText(text) {
  return text.replace(/\\(u003c|[^])/g, (pair, rest) => (rest === "u003c" ? "<" : pair));
}
