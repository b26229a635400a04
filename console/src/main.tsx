// Starts the console at the address that is open.
import "./ahead.ts";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { presentAddress } from "./claim/scanned-link.ts";
import { ConsoleRoot } from "./ConsoleRoot.tsx";
import { createConsoleRouter } from "./routes.tsx";
import type { Density } from "./theme/density.tsx";

declare global {
  // Where the validator keeps its settings.
  var __zod_globalConfig: object | undefined;
}

// The policy of the page forbids to make code from texts; the validator would try, and be refused aloud.
globalThis.__zod_globalConfig = { jitless: true };

const densityKey = "psp-density";
const kept = localStorage.getItem(densityKey);
const density: Density = kept === "compact" ? "compact" : "comfortable";

// Labels outlive the addresses printed on them.
const address = presentAddress(new URL(window.location.href));
if (address !== null) window.history.replaceState(window.history.state, "", address);

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console");
const place = createRoot(root);
// In slices, and not in the task that has read all the modules: on a slow phone a key or a tap is answered in between.
setTimeout(() =>
  startTransition(() =>
    place.render(
      <ConsoleRoot
        router={createConsoleRouter()}
        density={density}
        onDensityChange={(next) => localStorage.setItem(densityKey, next)}
      />,
    ),
  ),
);
