// What the page of all console tests is given once, before anything is drawn in it: no animation to wait for, and `act`.
import React from "react";
import { vi } from "vitest";

/**
 * The React that ships has no `act`, which tests wait with until what they drew is on the page: its scheduler has worked off
 * all that was due when a message that was sent later arrives.
 */
const { setTimeout: later } = globalThis;
async function drawn<T>(work: () => T | Promise<T>): Promise<T> {
  const result = await work();
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => later(resolve, 0));
  return result;
}
Object.assign(React, { act: (React as { act?: unknown }).act ?? drawn });

// Whichever React draws the pages: a stub's answer that leaves the contract fails its test.
(import.meta.env as Record<string, unknown>)["DEV"] = true;

// `expect.element` moves stopped time on by 50 ms with each look that finds nothing yet: on a busy machine further than a test
// allows for. It asks here first whether time is stopped, and one millisecond is enough for what is due to happen.
const { isFakeTimers } = vi;
vi.isFakeTimers = () => {
  if (isFakeTimers()) vi.advanceTimersByTime(1);
  return false;
};

const style = document.createElement("style");
style.textContent = "*, *::before, *::after { animation-duration: 0s !important; transition-duration: 0s !important; }";
document.head.append(style);
