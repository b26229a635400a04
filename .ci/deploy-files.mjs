// Checks the deployment files for GitHub, Renovate, editors and container engines, because the programs that read these
// files are not available where the checks run. First proves that it finds each seeded error.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { chartFaults } from "./deploy-files/chart.mjs";
import { composeFaults } from "./deploy-files/compose.mjs";
import { imageFaults } from "./deploy-files/image.mjs";
import { proxyFaults, unitFaults } from "./deploy-files/machines.mjs";
import { SEEDS } from "./deploy-files/seeds.mjs";
import { workflowFaults } from "./deploy-files/workflow.mjs";
import { parse as parseYaml } from "yaml";
import { z } from "zod";

const ROOT = path.resolve(import.meta.dirname, "..");

const words = z.array(z.string().min(1)).min(1);
const port = z.number().int().min(1).max(65_535);

/**
 * Allows only keys that are in use, so that a typo is reported as an unknown key. Written by hand, because no npm package has the
 * official schemas.
 */
const SHAPES = {
  ".github/ISSUE_TEMPLATE/config.yml": z.strictObject({ blank_issues_enabled: z.boolean() }),
  ".github/ISSUE_TEMPLATE/*.yml": z.strictObject({
    name: z.string(),
    description: z.string(),
    labels: words,
    body: z
      .array(
        z.discriminatedUnion("type", [
          z.strictObject({ type: z.literal("markdown"), attributes: z.strictObject({ value: z.string() }) }),
          z.strictObject({
            type: z.enum(["input", "textarea"]),
            id: z.string().regex(/^[\w-]+$/),
            attributes: z.strictObject({ label: z.string(), description: z.string() }),
            validations: z.strictObject({ required: z.boolean() }).optional(),
          }),
        ]),
      )
      .refine((body) => new Set(body.map(({ id }) => id)).size === body.length, "Ids must differ"),
  }),
  "renovate.json": z.strictObject({
    $schema: z.literal("https://docs.renovatebot.com/renovate-schema.json"),
    description: words,
    extends: words,
    schedule: words,
    rangeStrategy: z.literal("pin"),
    minimumReleaseAge: z.string().regex(/^\d+ days$/),
    packageRules: z.array(
      z.strictObject({
        matchManagers: words.optional(),
        matchPackageNames: words.optional(),
        matchUpdateTypes: words.optional(),
        groupName: z.string(),
      }),
    ),
  }),
  ".devcontainer/devcontainer.json": z
    .strictObject({
      name: z.string(),
      build: z.strictObject({ dockerfile: z.literal("Dockerfile") }),
      remoteUser: z.literal("node"),
      postCreateCommand: z.literal("npm ci"),
      forwardPorts: z.array(port),
      portsAttributes: z.record(z.string(), z.strictObject({ label: z.string() })),
      customizations: z.strictObject({ vscode: z.strictObject({ extensions: words }) }),
    })
    .refine((it) => Object.keys(it.portsAttributes).every((one) => it.forwardPorts.includes(Number(one))), {
      error: "A label is for a port that is not forwarded",
    }),
  ".vscode/extensions.json": z.strictObject({ recommendations: words }),
  ".vscode/settings.json": z.looseObject({ "editor.defaultFormatter": z.literal("oxc.oxc-vscode") }),
  ".vscode/launch.json": z.strictObject({
    version: z.literal("0.2.0"),
    configurations: z.array(
      z.looseObject({
        name: z.string(),
        type: z.enum(["node", "chrome"]),
        request: z.literal("launch"),
        program: z
          .string()
          .refine((file) => existsSync(file.replace("${workspaceFolder}", ROOT)), "There is no such file")
          .optional(),
      }),
    ),
  }),
};

const shapeCheck =
  (shape) =>
  (text, { file }) =>
    shapeFaults(shape, file.endsWith(".json") ? JSON.parse(text) : parseYaml(text));
/**
 * Maps file name patterns to checks; the first match applies. A check gets the file's text and the texts of all files by path,
 * and returns errors.
 */
const CHECKS = Object.entries({
  ...Object.fromEntries(Object.entries(SHAPES).map(([name, shape]) => [name, shapeCheck(shape)])),
  ".github/workflows/*.yml": workflowFaults,
  Dockerfile: imageFaults,
  ".devcontainer/Dockerfile": imageFaults,
  "deploy/compose.yaml": composeFaults,
  "deploy/helm/Chart.yaml": chartFaults,
  "deploy/systemd/ps-platform.service": unitFaults,
  "deploy/haproxy/haproxy.cfg": proxyFaults,
}).map(([name, check]) => ({ name, check, matches: toTestPattern(name) }));

function toTestPattern(name) {
  return new RegExp(`^${RegExp.escape(name).replace(String.raw`\*`, "[^/]+")}$`);
}

function shapeFaults(shape, value) {
  const { error } = shape.safeParse(value);
  return (error?.issues ?? []).map(({ path: at, message }) => `${at.join(".")}: ${message}`);
}

const checkFor = (file) => CHECKS.find(({ matches }) => matches.test(file));

async function faultsOf(file, texts) {
  try {
    const faults = await checkFor(file).check(texts.get(file), { file, texts, root: ROOT });
    return faults.map((fault) => `${file}: ${fault}`);
  } catch (error) {
    return [`${file}: ${error.message}`];
  }
}

function readTexts() {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const others = [
    "package.json",
    "server/package.json",
    "test.mjs",
    ".dockerignore",
    "docs/rules/start-and-configuration.md",
  ];
  const isPart = (file) => others.includes(file) || file.startsWith("deploy/helm/");
  const files = listed.split("\0").filter((file) => checkFor(file) !== undefined || isPart(file));
  return new Map(files.map((file) => [file, readFileSync(path.join(ROOT, file), "utf8")]));
}

async function missedSeeds(texts) {
  const missed = [];
  for (const { file, edited = file, from, to, fault } of SEEDS) {
    const text = texts.get(edited) ?? "";
    const seeded = new Map(texts).set(
      edited,
      text.replace(from, () => to),
    );
    if (seeded.get(edited) === text) missed.push(`the seed for "${fault}" changes nothing in ${edited}`);
    const found = await faultsOf(file, seeded);
    if (!found.some((one) => one.includes(fault)))
      missed.push(`not found in ${file}: ${fault}; found: ${found.join(", ")}`);
  }
  return missed;
}

const texts = readTexts();
const files = [...texts.keys()].filter((file) => checkFor(file) !== undefined);
const faults = CHECKS.filter((check) => !files.some((file) => checkFor(file) === check)).map(
  ({ name }) => `${name} is missing`,
);
for (const file of files) faults.push(...(await faultsOf(file, texts)));
if (faults.length === 0)
  faults.push(...(await missedSeeds(texts)).map((seed) => `.ci/deploy-files/seeds.mjs: ${seed}`));
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
