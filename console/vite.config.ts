// Builds the console and serves it during development; the backend serves everything that isn't a console file.
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { stripCallSchemas } from "./calls.config.ts";
import { preload } from "./preload.config.ts";
import { compression } from "./compressed.config.ts";
import { documents } from "./documents.config.ts";
import { fonts } from "./fonts.config.ts";
import { materialIcons } from "./icons.config.ts";
import { notices } from "./notices.config.ts";

const backend = `http://localhost:${process.env["PORT"] ?? "8080"}`;

/** Accepts the path separators of all operating systems. */
const path = (pattern: string) => new RegExp(pattern.replaceAll("/", String.raw`[\\/]`));
const schemas = "account|auth|sensor|location|firmware|role";
const tags: ["$initial"] = ["$initial"];
/**
 * Few chunks instead of hundreds, because each costs a request and small ones compress badly (ADR 0027). Groups are processed
 * in this order. Each takes its modules, and all their imports that no earlier group took.
 */
const groups = [
  // Needed by every page; these chunks are evaluated one after the other (src/address/start.ts).
  { name: "preload", tags, test: path("/console/src/address/(preload|kept-lists)[.]ts") },
  { name: "react", tags, test: path("/node_modules/(react|react-dom|scheduler)/") },
  { name: "router", tags, test: path("/node_modules/@tanstack/") },
  { name: "kit", tags, test: path("/node_modules/.*js$") },
  { name: "theme", tags, test: path("/console/src/ui/theme/.*tsx?$") },
  { name: "start", tags },
  { name: "entry", test: path("/console/src/auth/LoginPage") },
  // The parts of the contract that lists need, separate from the schemas of forms, which import the validator.
  {
    name: "rights",
    test: path("/contract/src/(permission/allowed-actions|counts/count-range|monitoring/issue-words|kit/mac)[.]ts"),
  },
  {
    name: "rules",
    test: path(`/contract/src/((${schemas})/(${schemas})|kit/page)[.]ts`),
  },
  // Frequent first pages, and the frame of all pages behind the login, including the set-up card for new users.
  { name: "sensors", test: path("/console/src/sensor/list/SensorsPage") },
  {
    name: "frame",
    test: path("/console/src/(app/(Header|keyboard/Keyboard)|sensor/batch/RunningBatches|set-up/SetUpCard)"),
  },
  { name: "counts", test: path("/console/src/location/LocationPage") },
  { name: "shared", test: path("/console/src/"), minShareCount: 8 },
  { name: "dialogs", test: path("/console/src/entity/([A-Z]|batch|loaded|page-form)"), minShareCount: 2 },
];
const isStart = /^assets\/(rolldown-runtime|preload|react|router|kit|theme|index)-/;

/** These functions only build schemas, without side effects: unused schemas are tree-shaken, and the validator with them. */
const schemaBuilders =
  "z endpoint ownedCalls safeText boundedText queryNumber repeatable pageReply objectOrId deviceText".split(" ");

/** Unused parts of libraries: all fields are outlined, buttons have no ripple (ui/theme/controls.ts), no statics are hoisted. */
const leftOut = /^(\.\.\/(FilledInput|Input)(\/index)?(\.m?js)?|\.\/TouchRipple(\.m?js)?|hoist-non-react-statics)$/;

export default defineConfig({
  plugins: [react(), fonts(), stripCallSchemas(), documents(), materialIcons(), notices(), preload(), compression()],
  resolve: { alias: [{ find: leftOut, replacement: resolve(import.meta.dirname, "src/ui/theme/left-out.ts") }] },
  build: {
    target: "baseline-widely-available",
    modulePreload: {
      polyfill: false,
      // Start chunks have already been loaded when another chunk is requested, so other chunks need not preload them.
      resolveDependencies: (_, files, { hostType }) =>
        hostType === "html" ? files : files.filter((file) => !isStart.test(file)),
    },
    chunkSizeWarningLimit: 1100,
    rolldownOptions: { treeshake: { manualPureFunctions: schemaBuilders }, output: { codeSplitting: { groups } } },
  },
  server: {
    port: 5173,
    // The server expects this address (start.mjs).
    strictPort: true,
    proxy: {
      "/api": backend,
      "/data": backend,
      "/config.js": backend,
      "/notices.txt": backend,
      "/live": { target: backend, ws: true },
      // During development, this server has the public address. Sensors use it for firmware and tunnels.
      "/device": { target: backend, ws: true },
      "^/dev/": backend,
    },
  },
});
