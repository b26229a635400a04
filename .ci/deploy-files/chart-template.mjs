// Renders the subset of Helm's templates that the chart uses, because no npm package brings a maintained Helm. Stricter than Helm: a
// value that is not there is an error. Where helm is installed, ./chart.mjs compares the results.

const FUNCTIONS = {
  quote: (value) => JSON.stringify(String(value)),
  toJson: (value) => JSON.stringify(value),
  default: (value, other) => (isEmpty(value) ? other : value),
  required(value, message) {
    if (isEmpty(value)) throw new Error(message);
    return value;
  },
};
/** Functions that accept a missing value. */
const TOLERANT = ["default", "required"];

const isEmpty = (value) =>
  !value ||
  (typeof value === "object" && Object.keys(value).length === 0) ||
  (Array.isArray(value) && value.length === 0);

/** Splits the text into literal texts and actions. `{{-` removes white space before it. */
function tokensOf(text) {
  const tokens = [];
  let at = 0;
  for (const { 0: whole, 1: dash, 2: code, index } of text.matchAll(/\{\{(-?)\s*(.*?)\s*\}\}/g)) {
    const before = text.slice(at, index);
    tokens.push({ text: dash === "-" ? before.trimEnd() : before }, { code });
    at = index + whole.length;
  }
  return [...tokens, { text: text.slice(at) }];
}

/** Nests actions up to the matching `end`. */
function parse(tokens, isNested = false) {
  const nodes = [];
  for (let token = tokens.shift(); token; token = tokens.shift()) {
    if (token.code === "end") {
      if (isNested) return nodes;
      throw new Error("there is an end too many");
    }
    const [, block, code] = /^(range|if) (.+)$/.exec(token.code ?? "") ?? [];
    nodes.push(block === undefined ? token : { block, code, body: parse(tokens, true) });
  }
  if (isNested) throw new Error("an end is missing");
  return nodes;
}

function operand(code, scope) {
  if (code.startsWith('"')) return JSON.parse(code);
  const [, variable, keys] = /^(\$\w*)?((?:\.\w+)*)$/.exec(code) ?? [];
  if (keys === undefined) throw new Error(`can't read ${code}`);
  const start = variable === undefined ? scope["$"] : scope[variable];
  return keys
    .split(".")
    .slice(1)
    .reduce((value, key) => value?.[key], start);
}

const wordsOf = (code) => code.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];

function evaluate(code, scope) {
  const [first, ...steps] = (code.match(/(?:"(?:[^"\\]|\\.)*"|[^|"])+/g) ?? []).map((step) => wordsOf(step));
  if (first.length !== 1) throw new Error(`can't read ${code}`);
  let value = operand(first[0], scope);
  const canBeMissing = TOLERANT.includes(steps[0]?.[0]);
  if (value === undefined && !canBeMissing) throw new Error(`there is no ${first[0]}`);
  for (const [name, ...args] of steps) {
    if (!Object.hasOwn(FUNCTIONS, name)) throw new Error(`can't call ${name}`);
    value = FUNCTIONS[name](value, ...args.map((one) => operand(one, scope)));
  }
  return value;
}

function write(nodes, scope) {
  return nodes
    .map(({ text, block, code, body }) => {
      if (text !== undefined) return text;
      if (block === "if") return isEmpty(operand(code, scope)) ? "" : write(body, scope);
      if (block === undefined) return String(evaluate(code, scope));
      const [, key, value, list] = /^(\$\w+), (\$\w+) := (\S+)$/.exec(code) ?? [];
      if (list === undefined) throw new Error(`can't read range ${code}`);
      return Object.entries(evaluate(list, scope))
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, one]) => write(body, { ...scope, [key]: name, [value]: one }))
        .join("");
    })
    .join("");
}

/** `root` holds Values, Release and Chart. Throws if the template uses something else than this subset. */
export const renderTemplate = (text, root) => write(parse(tokensOf(text)), { $: root });
