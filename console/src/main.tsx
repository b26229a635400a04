// Entry point of the console.
import "./address/preload.ts";
import { startTransition } from "react";
import { createRoot } from "react-dom/client";
import { toCurrentUrl } from "./claim/label-url.ts";
import { ConsoleRoot } from "./app/ConsoleRoot.tsx";
import { createConsoleRouter } from "./app/routes.tsx";
import type { Density } from "./ui/theme/density.tsx";

declare global {
  var __zod_globalConfig: object | undefined;
}

// The content security policy forbids `eval`; zod would try it and cause a reported violation.
globalThis.__zod_globalConfig = { jitless: true };

const densityKey = "psp-density";
const kept = localStorage.getItem(densityKey);
const density: Density = kept === "compact" ? "compact" : "comfortable";

// URLs printed on old sensor labels must keep working.
const address = toCurrentUrl(new URL(window.location.href));
if (address !== null) window.history.replaceState(window.history.state, "", address);

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console");
const place = createRoot(root);
// A separate task after module evaluation, so that slow phones can handle input in between.
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
