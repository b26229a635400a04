// Sets up the test page: turns off animations, and replaces `act`.
import React from "react";
import { vi } from "vitest";

/**
 * React's production build has no `act`, which tests use to wait for rendering. The replacement waits for three zero-length
 * timers.
 */
const { setTimeout: later } = globalThis;
async function drawn<T>(work: () => T | Promise<T>): Promise<T> {
  const result = await work();
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => later(resolve, 0));
  return result;
}
Object.assign(React, { act: (React as { act?: unknown }).act ?? drawn });

// Makes the console validate stubbed responses against the contract.
(import.meta.env as Record<string, unknown>)["DEV"] = true;

// Normally, `expect.element` advances fake time by 50 ms per poll. That is too much on busy machines, so it is 1 ms here.
const { isFakeTimers } = vi;
vi.isFakeTimers = () => {
  if (isFakeTimers()) vi.advanceTimersByTime(1);
  return false;
};

const style = document.createElement("style");
style.textContent = "*, *::before, *::after { animation-duration: 0s !important; transition-duration: 0s !important; }";
document.head.append(style);
