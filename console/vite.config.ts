// How the console is built and served while developing; the server answers everything that is not a console file.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { leanCalls, leanFields, leanValidator } from "./lean.config.ts";
import { ahead } from "./ahead.config.ts";
import { compressed } from "./compressed.config.ts";
import { documents } from "./documents.config.ts";
import { notices } from "./notices.config.ts";

const backend = `http://localhost:${process.env["PORT"] ?? "8080"}`;

/** The validator, and the schemas that forms ask it for. */
const rules = new RegExp(
  String.raw`[\\/]zod[\\/]|contract[\\/]src[\\/](.*\.query|permission[\\/]document|(account|auth|sensor|location|firmware|role)[\\/](account|auth|sensor|location|firmware|role)|audit[\\/]audit|datapoint[\\/].*|kit[\\/](ids|page|safe-text|bounded-text|batch))\.ts`,
);

/** Of what several pages share, what no list needs: it comes with the first page or dialog that does. */
const notForLists = [
  String.raw`console[\\/]src[\\/](account|password|auth|counts|history|location|role|firmware|entity[\\/](page|draft|DeleteOwned|EditOwned|NewOwned|last-change|loaded|name-and-owner|owner-choice|page-form|saving|undo)|entity[\\/]batch[\\/]item-batch|ui[\\/]choice[\\/](Searching|ChipsInput)|ui[\\/]form[\\/](FormDialog|ConfirmDialog|ConflictDialog|SaveBar|Typed)|ui[\\/]batch[\\/]Batch(Dialog|Outcome|Progress))[\\/.]`,
  String.raw`@mui[\\/]material[\\/]([uU]se)?(Autocomplete|Collapse|FormControlLabel|FormGroup|Popper|Radio|RadioGroup|Switch|SwitchBase|ToggleButton|ToggleButtonGroup)[\\/]|@popperjs`,
];
const forLists = new RegExp(`^(?!.*(${notForLists.join("|")}))`);

const plain =
  /[\\/]contract[\\/]src[\\/](permission[\\/](can|permissions|scope|standing|why-not|offers)|sensor[\\/](presence|sensor-type)|kit[\\/](mac|owned-calls))\.ts/;

const entryForm =
  /[\\/](@mui[\\/]material[\\/](OutlinedInput|InputBase|InputLabel|InputAdornment|FormControl|FormLabel|FormHelperText|TextareaAutosize|IconButton)[\\/]|console[\\/]src[\\/](auth[\\/](LoginPage|auth\.text)|ui[\\/](entry|Logo|form[\\/](PlainField|PasswordField|useCheckedForm)))|contract[\\/]src[\\/](kit[\\/]text-bounds|account[\\/]email)\.ts)/;

/** Few pieces instead of hundreds: each costs a request, and small ones compress badly (ADR 0068). */
const groups = [
  // What every page needs.
  { name: "start", tags: ["$initial" as const], priority: 6 },
  // What every form needs, that of the login screen first.
  { name: "entry", test: entryForm, priority: 6 },
  // What every page behind the login asks of the contract: rights, states, spellings; no schemas.
  { name: "rights", test: plain, priority: 6 },
  // What surrounds every page behind the login, and the list that most people open first.
  {
    name: "frame",
    test: /[\\/]console[\\/]src[\\/](app[\\/](Header|AccountMenu|AppsDrawer|DemoProgress|tabs|keyboard[\\/]Keyboard)|sensor[\\/]batch[\\/]BegunBatches|sensor[\\/]batch[\\/]BegunBatches|ui[\\/]feedback[\\/]LazyDialog|session[\\/]use)/,
    priority: 1,
  },
  {
    name: "sensors",
    test: /[\\/]console[\\/]src[\\/]sensor[\\/](list[\\/](Sensors|Trouble|sensor\.)|batch[\\/]useSensorBatch|Sensor(State|sP)|sensor\.(entity|text))/,
    priority: 1,
  },
  // What forms are checked with.
  { name: "rules", test: rules, priority: 5 },
  // What forms are made of, and what several pages behind the login share; never what only charts and maps need.
  {
    name: "object",
    test: /[\\/]console[\\/]src[\\/](entity[\\/](page|entity|undo|loaded|last-change)|counts|ui[\\/]map|location[\\/](location\.|page[\\/]location))|contract[\\/]src[\\/]location[\\/]country/,
    minShareCount: 2,
    priority: 1,
  },
  { name: "forms", test: new RegExp(notForLists.join("|")), minShareCount: 2, priority: 0 },
  { name: "many", test: forLists, minShareCount: 12, priority: 3 },
  { name: "some", test: forLists, minShareCount: 6, priority: 2 },
];

export default defineConfig({
  plugins: [react(), leanCalls(), leanValidator(), leanFields(), documents(), notices(), ahead(), compressed()],
  build: {
    target: "baseline-widely-available",
    chunkSizeWarningLimit: 1100,
    rolldownOptions: { output: { codeSplitting: { groups } } },
  },
  server: {
    port: 5173,
    // The server takes this address for its own (start.mjs).
    strictPort: true,
    proxy: {
      "/api": backend,
      "/data": backend,
      "/config.js": backend,
      "/notices.txt": backend,
      "/live": { target: backend, ws: true },
      // Sensors are given the public address for firmware and tunnels, which is this one.
      "/device": { target: backend, ws: true },
      "^/dev/": backend,
    },
  },
});
