// Checks a Dockerfile with a linter and with this project's own rules.

import { validate } from "dockerfile-utils";

export function imageFaults(text, { file, texts }) {
  const lint = validate(text).map(({ range, message }) => {
    const says = typeof message === "string" ? message : message.value;
    return `line ${range.start.line + 1}: ${says}`;
  });
  const steps = parseInstructions(text);
  const own = file === "Dockerfile" ? productFaults(steps, texts.get(".dockerignore") ?? "") : [];
  return [...lint, ...baseFaults(steps, JSON.parse(texts.get("package.json"))), ...own];
}

/** Instructions of a Dockerfile. Continuation lines are joined. */
export function parseInstructions(text) {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line) => ({ name: line.split(" ")[0], args: line.slice(line.indexOf(" ") + 1) }));
}

function baseFaults(steps, { optionalDependencies }) {
  const [major] = Object.values(optionalDependencies)[0].split(".");
  const stages = new Set();
  const faults = [];
  for (const { name, args } of steps) {
    if (name === "COPY" && args.startsWith("--from=") && !stages.has(/^--from=(\S+)/.exec(args)[1]))
      faults.push(`copies from a stage that is not there: ${args}`);
    if (name !== "FROM") continue;
    const [base, , stage] = args.split(" ");
    if (!stages.has(base) && !base.startsWith(`node:${major}-`))
      faults.push(`is built on ${base}, and package.json pins Node ${major}`);
    if (stage !== undefined) stages.add(stage);
  }
  const user = steps.findLast(({ name }) => name === "USER")?.args;
  if (user !== "node") faults.push(`runs as ${user ?? "root"}`);
  return faults;
}

function productFaults(steps, ignore) {
  const faults = [];
  const last = steps.slice(steps.findLastIndex(({ name }) => name === "FROM"));
  const argsOf = (wanted) => last.filter(({ name }) => name === wanted).map(({ args }) => args);
  if (!argsOf("HEALTHCHECK").some((args) => args.includes("/health"))) faults.push("has no health check");
  if (!argsOf("ENV").some((args) => args.includes("NODE_ENV=production")))
    faults.push("does not set NODE_ENV=production");
  const [volume] = argsOf("VOLUME");
  if (!argsOf("ENV").some((args) => args.includes(`DATA_DIR=${volume}`))) faults.push("DATA_DIR is no volume");
  for (const { name, args } of steps)
    if (/^(ENV|ARG)$/.test(name) && /PASSWORD|SECRET|TOKEN|_KEY/.test(args)) faults.push(`holds a secret: ${args}`);
  return [...faults, ...contextFaults(steps, ignore)];
}

/** .dockerignore must exclude everything by default, exclude .env files, and include what the image copies. */
function contextFaults(steps, ignore) {
  const lines = ignore.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const kept = lines.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
  const faults = lines[0] === "*" ? [] : [".dockerignore does not begin with *"];
  if (!lines.includes("**/.env*")) faults.push(".dockerignore lets .env in");
  const copied = steps
    .filter(({ name, args }) => name === "COPY" && !args.startsWith("--from="))
    .flatMap(({ args }) => args.split(" ").slice(0, -1))
    .filter((source) => source !== ".");
  for (const source of copied)
    if (!kept.some((one) => source === one || source.startsWith(`${one}/`)))
      faults.push(`copies ${source}, which .dockerignore leaves out`);
  return faults;
}
