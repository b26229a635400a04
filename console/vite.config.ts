// Builds the console and serves it during development; the backend serves everything that isn't a console file.
import { resolve } from "node:path";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { calls } from "./calls.config.ts";
import { preload } from "./preload.config.ts";
import { compressed } from "./compressed.config.ts";
import { documents } from "./documents.config.ts";
import { fonts } from "./fonts.config.ts";
import { materialIcons } from "./icons.config.ts";
import { notices } from "./notices.config.ts";

const backend = `http://localhost:${process.env["PORT"] ?? "8080"}`;

/** The validator, and the schemas that forms use. */
const rules = new RegExp(
  String.raw`[\\/]node_modules[\\/]zod[\\/]|contract[\\/]src[\\/](.*\.query|permission[\\/]document|(account|auth|sensor|location|firmware|role)[\\/](account|auth|sensor|location|firmware|role)|audit[\\/]audit|datapoint[\\/]datapoint|kit[\\/](ids|page|safe-text|bounded-text|batch))\.ts`,
);

/** Code shared by several pages but unused by lists: it loads with the first page or dialog that needs it. */
const notForLists = [
  String.raw`console[\\/]src[\\/](account|password|auth|counts|audit|location|monitoring|occupancy|role|firmware|entity[\\/](page|draft|DeleteOwned|EditOwned|NewOwned|last-change|loaded|name-and-owner|owner-choice|page-form|saving|undo)|entity[\\/]batch[\\/]item-batch|ui[\\/]choice[\\/](Searching|ChipsInput)|ui[\\/]form[\\/](FormDialog|ConfirmDialog|ConflictDialog|SaveBar|Typed)|ui[\\/]batch[\\/]Batch(Dialog|Outcome|Progress))[\\/.]`,
  String.raw`@mui[\\/]material[\\/]([uU]se)?(Autocomplete|Collapse|FormControlLabel|FormGroup|Popper|Radio|LinearProgress|RadioGroup|Switch|SwitchBase|ToggleButton|ToggleButtonGroup)[\\/]|@mui[\\/]material[\\/]internal[\\/][sS]witchBase|@popperjs`,
];
/** Needed by every page of a sensor: texts, tabs, and which tabs are permitted. */
const ofSensorPage = String.raw`console[\\/]src[\\/]sensor[\\/](sensor-page\.text|page[\\/](sensor\.tabs|Tab))\.`;
const forLists = new RegExp(`^(?!.*(${[...notForLists, ofSensorPage].join("|")}))`);

const plain =
  /[\\/]contract[\\/]src[\\/](permission[\\/](can|permissions|scope|standing|why-not|allowed-actions)|sensor[\\/]presence|device[\\/]sensor-type|counts[\\/]count-range|monitoring[\\/]issue-words|kit[\\/]mac)\.ts/;

const entryForm =
  /[\\/](@mui[\\/]material[\\/](OutlinedInput|InputBase|InputLabel|InputAdornment|FormControl|FormLabel|FormHelperText|TextareaAutosize|IconButton)[\\/]|console[\\/]src[\\/](auth[\\/](LoginPage|auth\.text)|ui[\\/](entry|Logo|form[\\/](PlainField|PasswordField|useCheckedForm)))|contract[\\/]src[\\/](kit[\\/]text-bounds|account[\\/]email)\.ts)/;

/**
 * Few chunks instead of hundreds: each costs a request, and small ones compress badly (ADR 0027). The highest priority that
 * matches takes a module.
 */
const groups = [
  // Needed by every page; these chunks start one after the other (preload.config.ts).
  {
    name: "preload",
    tags: ["$initial" as const],
    test: /[\\/]console[\\/]src[\\/]address[\\/](preload|kept-lists)\.ts/,
    priority: 9,
  },
  {
    name: "react",
    tags: ["$initial" as const],
    test: /[\\/]node_modules[\\/](react|react-dom|scheduler)[\\/]/,
    priority: 8,
  },
  { name: "router", tags: ["$initial" as const], test: /[\\/]node_modules[\\/]@tanstack[\\/]/, priority: 7.5 },
  { name: "kit", tags: ["$initial" as const], test: /[\\/]node_modules[\\/].*js$/, priority: 7 },
  {
    name: "theme",
    tags: ["$initial" as const],
    test: /[\\/]console[\\/]src[\\/]ui[\\/]theme[\\/].*tsx?$/,
    priority: 7,
  },
  { name: "start", tags: ["$initial" as const], priority: 6 },
  // Needed by every form, first by the login page.
  { name: "entry", test: entryForm, priority: 6 },
  // What every page behind the login uses of the contract: rights, states, formats; no schemas.
  { name: "rights", test: plain, priority: 5.8 },
  // Validation of forms.
  { name: "rules", test: rules, priority: 5.5 },
  { name: "many", test: forLists, minShareCount: 12, priority: 5 },
  // Used by forms and charts.
  { name: "popper", test: /[\\/]@mui[\\/]material[\\/]Popper[\\/]|[\\/]@popperjs[\\/]/, priority: 4.5 },
  { name: "toggle", test: /[\\/]@mui[\\/]material[\\/]ToggleButton(Group)?[\\/]/, priority: 4.5 },
  // Frame of every page behind the login.
  {
    name: "frame",
    test: /[\\/](console[\\/]src[\\/](app[\\/](Header|menus[\\/](AccountMenu|AppsDrawer)\.|tabs|keyboard[\\/]Keyboard)|set-up[\\/](SetUp\.|steps)|entity[\\/](page[\\/]owned\.text|reference[\\/]addressLine)|ui[\\/]useNear|sensor[\\/]batch[\\/]BegunBatches|ui[\\/]feedback[\\/]LazyDialog|session[\\/]use)|round-check-circle$)/,
    priority: 4,
  },
  {
    name: "chart",
    test: /[\\/](console[\\/]src[\\/]ui[\\/](chart|PaperOnly|feedback[\\/](Explain|RichTip))|contract[\\/]src[\\/]counts[\\/]counts\.api)/,
    minShareCount: 2,
    priority: 3,
  },
  // Needed by lists only.
  {
    name: "list",
    test: /[\\/]console[\\/]src[\\/](ui[\\/]table|entity[\\/]list)[\\/]/,
    minShareCount: 2,
    priority: 3,
  },
  // Frame of an object's pages, and the parts of it that location counts use.
  {
    name: "object",
    test: /[\\/]console[\\/]src[\\/](entity[\\/](page[\\/]ObjectPage|entity)\.|location[\\/](location\.(entity|text)|page[\\/]location\.tabs)\.)/,
    minShareCount: 2,
    priority: 2,
  },
  // Settings sections, used by sensor pages only.
  { name: "sections", test: /[\\/]contract[\\/]src[\\/]section[\\/]/, priority: 4.8 },
  // Around the chart and map libraries, which load lazily when near the viewport.
  { name: "map", test: /[\\/]console[\\/]src[\\/]ui[\\/]map[\\/]/, minShareCount: 2, priority: 2 },
  {
    name: "counts",
    test: /[\\/](console[\\/]src[\\/]counts|contract[\\/]src[\\/]counts)[\\/]/,
    minShareCount: 2,
    priority: 2,
  },
  // The most frequent first page.
  {
    name: "sensors",
    test: /[\\/]console[\\/]src[\\/]sensor[\\/](list[\\/](Sensors|Trouble|sensor\.)|batch[\\/]useSensorBatch|Sensor(State|sP)|sensor\.(entity|text))/,
    priority: 1,
  },
  // Forms of an object's pages.
  {
    name: "page",
    test: /[\\/]console[\\/]src[\\/](entity[\\/](page|undo|loaded|last-change|name-and-owner)|location[\\/](location\.|page[\\/]location)|ui[\\/]form[\\/](SaveBar|ConfirmDialog|ConflictDialog))|contract[\\/]src[\\/]location[\\/]country/,
    minShareCount: 2,
    priority: 1,
  },
  { name: "some", test: forLists, minShareCount: 6, priority: 1 },
  { name: "sensor-page", test: new RegExp(ofSensorPage), priority: 0.5 },
  { name: "forms", test: new RegExp(notForLists.join("|")), minShareCount: 2, priority: 0 },
];

/** These functions only build schemas, without side effects: unused schemas are tree-shaken, and the validator with them. */
const schemaBuilders =
  "z endpoint ownedCalls safeText boundedText queryNumber repeatable pageReply objectOrId deviceText".split(" ");

/** Unused parts of libraries: all fields are outlined, buttons have no ripple (ui/theme/controls.ts), nothing copies statics. */
const leftOut = /^(\.\.\/(FilledInput|Input)(\/index)?(\.m?js)?|\.\/TouchRipple(\.m?js)?|hoist-non-react-statics)$/;

export default defineConfig({
  plugins: [react(), fonts(), calls(), documents(), materialIcons(), notices(), preload(), compressed()],
  resolve: { alias: [{ find: leftOut, replacement: resolve(import.meta.dirname, "src/ui/theme/left-out.ts") }] },
  build: {
    target: "baseline-widely-available",
    modulePreload: { polyfill: false },
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
      // Sensors use the public address, which is this one, for firmware and tunnels.
      "/device": { target: backend, ws: true },
      "^/dev/": backend,
    },
  },
});
