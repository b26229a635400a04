// Around every console test: no animation to wait for, an empty browser memory, and no call that nobody listed.
import { afterEach, beforeEach, expect } from "vitest";
import { takeFaults } from "./faults.ts";

// Whichever React draws the pages: a stub's answer that leaves the contract fails its test.
(import.meta.env as Record<string, unknown>)["DEV"] = true;

const style = document.createElement("style");
style.textContent = "*, *::before, *::after { animation-duration: 0s !important; transition-duration: 0s !important; }";
document.head.append(style);

beforeEach(() => {
  localStorage.clear();
  takeFaults();
});

afterEach(() => expect(takeFaults(), "calls that the stub had no answer to, or that the contract refuses").toEqual([]));
