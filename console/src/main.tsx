// Starts the console at the address that is open.
import { createRoot } from "react-dom/client";
import { presentAddress } from "./claim/scanned-link.ts";
import { ConsoleRoot } from "./ConsoleRoot.tsx";
import { createConsoleRouter } from "./routes.tsx";
import type { Density } from "./theme/density.tsx";

const densityKey = "psp-density";
const kept = localStorage.getItem(densityKey);
const density: Density = kept === "compact" ? "compact" : "comfortable";

// Labels outlive the addresses printed on them.
const address = presentAddress(new URL(window.location.href));
if (address !== null) window.history.replaceState(window.history.state, "", address);

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the console");
createRoot(root).render(
  <ConsoleRoot
    router={createConsoleRouter()}
    density={density}
    onDensityChange={(next) => localStorage.setItem(densityKey, next)}
  />,
);
