// Leaves out of a build what the console never uses of what it imports: schemas of calls, parts of libraries (ADR 0027).
import type { Plugin } from "vite";

const contract = /[\\/]contract[\\/]src[\\/].*\.ts$/;
/** Only development reads replies with them, and the server reads what is sent, how long that may be, what comes with a file. */
const schemas = new Set(["params", "query", "body", "reply", "maxBodyBytes", "upload"]);

type Edit = { start: number; end: number; text: string };
type Node = { type: string; start: number; end: number } & Record<string, unknown>;
const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/**
 * Vite plugin. The contract is pure (ARCHITECTURE.md), but only its authors know: what its modules make when they are
 * loaded is marked so, and falls away where it is not used. The validator goes with it, from all pages that check no form.
 */
export function leanCalls(): Plugin {
  return {
    name: "lean-calls",
    apply: "build",
    transform: {
      filter: { id: contract },
      handler(code) {
        const edits: Edit[] = [];
        const visit = (value: unknown): void => {
          if (Array.isArray(value)) return value.forEach(visit);
          if (!isNode(value)) return;
          const shapes = shapesIn(value);
          for (const { start, end } of shapes) edits.push({ start, end, text: "undefined" });
          // What is left out needs no edits of its own.
          for (const part of Object.values(value))
            if (Array.isArray(part)) visit(part.filter((one) => !shapes.includes(one as Node)));
            else if (!shapes.includes(part as Node)) visit(part);
        };
        const program = this.parse(code) as unknown as { body: Node[] };
        visit(program.body);
        for (const { start, end } of program.body.flatMap(madeAtStart)) {
          edits.push({ start, end: start, text: "/* @__PURE__ */ (() => (" }, { start: end, end, text: "))()" });
        }
        return {
          code: withoutUnusedImports(changed(code, edits), (text) => this.parse(text)),
          map: null,
          moduleSideEffects: false,
        };
      },
    },
  };
}

/** From the end, so that the places before stay right. */
function changed(code: string, edits: readonly Edit[]): string {
  return edits
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((before, { start, end, text }) => before.slice(0, start) + text + before.slice(end), code);
}

/** An import that nothing needs any more would still count as one when pieces are made. */
function withoutUnusedImports(code: string, parse: (code: string) => unknown): string {
  const { body } = parse(code) as { body: Node[] };
  const imports = body.filter(({ type }) => type === "ImportDeclaration");
  const without = (nodes: readonly Node[]) =>
    changed(
      code,
      nodes.map(({ start, end }) => ({ start, end, text: "" })),
    );
  const rest = without(imports);
  const isUsed = (specifier: Node) => new RegExp(`\\b${String((specifier["local"] as Node)["name"])}\\b`).test(rest);
  return without(imports.filter(({ specifiers }) => !(specifiers as Node[]).some(isUsed)));
}

/**
 * Vite plugin: leaves out how the validator describes schemas as JSON Schema, which only the server's documentation asks
 * for; every schema carries it along.
 */
export function leanValidator(): Plugin {
  return {
    name: "lean-validator",
    apply: "build",
    transform: {
      filter: { id: /zod[\\/]v4[\\/]core[\\/](to-json-schema|json-schema-processors|json-schema-generator)\.js$/ },
      handler: (code) => ({
        code: [...code.matchAll(/^export (?:function|class|const) (\w+)/gm)]
          .map(([, name]) => `export function ${name}() { return () => undefined; }`)
          .join("\n"),
        map: null,
      }),
    },
  };
}

const unusedFields = /^\.\.\/(FilledInput|Input|NativeSelect\/NativeSelectInput)(\/index)?(\.m?js)?$/;

/** Vite plugin: puts `code` in the place of the modules that are imported as `id`, by modules as `importer` only. */
function leftOut(name: string, id: RegExp, code: string, importer = /^/): Plugin {
  const place = `\0${name}`;
  return {
    name,
    apply: "build",
    enforce: "pre",
    resolveId: { filter: { id }, handler: (_, by = "") => (importer.test(by) ? place : null) },
    load: { filter: { id: new RegExp(`^${place}$`) }, handler: () => code },
  };
}

/**
 * Vite plugin: all fields are outlined and no select is the browser's own (theme/controls.ts); the others come along with
 * every text field and are left out.
 */
export const leanFields = () =>
  leftOut(
    "lean-fields",
    unusedFields,
    "export default function NoField() { return null; }",
    /@mui[\\/]material[\\/](TextField|Select)[\\/](TextField|Select)\.m?js$/,
  );

/** Vite plugin: ripples, which every button of the library carries along, are switched off (theme/controls.ts). */
export const leanButtons = () =>
  leftOut(
    "lean-buttons",
    /^\.\/TouchRipple(\.m?js)?$/,
    "export default function NoRipple() { return null; }",
    /@mui[\\/]material[\\/]ButtonBase[\\/]ButtonBase\.m?js$/,
  );

/**
 * Vite plugin: a part of the style library that copies what components carry along, for a function that the console never calls;
 * as a CommonJS module it would come with every page.
 */
export const leanStatics = () =>
  leftOut(
    "lean-statics",
    /^hoist-non-react-statics$/,
    "export default function NoStatics() { throw new Error('left out of the build'); }",
  );

/** The calls of an owned noun: which of their arguments are schemas. */
const ownedArguments: Readonly<Record<string, number>> = { list: 1, create: 0, update: 0 };

/** The schemas of a call, however it is declared (contract/src/kit/endpoint.ts, owned-calls.ts); none in anything else. */
function shapesIn(node: Node): Node[] {
  // `params` of the owned calls, which stands for the value in all of them.
  if (node.type === "VariableDeclarator" && isNode(node["id"]) && schemas.has(String(node["id"]["name"])))
    return isNode(node["init"]) ? [node["init"]] : [];
  if (node.type !== "CallExpression" || !isNode(node["callee"])) return [];
  const { callee } = node;
  const given = node["arguments"] as Node[];
  if (callee["name"] === "ownedCalls") return given.slice(2, 4);
  const called = isNode(callee["property"]) ? ownedArguments[String(callee["property"]["name"])] : undefined;
  if (called !== undefined && isCallOfNoun(given)) return given.slice(called, called + 1);
  const shape = callee["name"] === "endpoint" ? given[3] : undefined;
  if (shape?.type !== "ObjectExpression") return [];
  return (shape["properties"] as Node[]).flatMap(({ key, value, shorthand }) =>
    isNode(key) && schemas.has(String(key["name"])) && isNode(value) && shorthand !== true ? [value] : [],
  );
}

/** Is it `noun.create(schema, "What it does")`? Every call of a noun has a text beside its schema. */
const isCallOfNoun = (given: readonly Node[]) => given.some(({ value }) => typeof value === "string");

const madeTypes = new Set(["CallExpression", "MemberExpression", "NewExpression", "ObjectExpression"]);

/** The values of a module's constants that are made by calls, or taken out of what is. */
function madeAtStart(statement: Node): Node[] {
  const declared = statement.type === "ExportNamedDeclaration" ? statement["declaration"] : statement;
  if (!isNode(declared) || declared.type !== "VariableDeclaration") return [];
  return (declared["declarations"] as Node[]).flatMap(({ init }) =>
    isNode(init) && madeTypes.has(init.type) ? [init] : [],
  );
}
