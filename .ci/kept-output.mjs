// Runs a program, shows its output, and keeps the end of it for the last lines of `node test.mjs`.

import { spawn } from "node:child_process";

const LINES = 20;
/** Enough for the lines. */
const CHARACTERS = 10_000;

/** Resolves to the exit code (1 if a signal ended the program) and the last lines of the output. */
export function runAndKeep(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    let kept = "";
    const keep = (from, to) =>
      from.setEncoding("utf8").on("data", (text) => {
        to.write(text);
        kept = (kept + text).slice(-CHARACTERS);
      });
    keep(child.stdout, process.stdout);
    keep(child.stderr, process.stderr);
    child.on("error", reject);
    child.on("close", (code) =>
      resolve({ code: code ?? 1, text: kept.trimEnd().split("\n").slice(-LINES).join("\n") }),
    );
  });
}
