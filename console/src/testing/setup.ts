// Cleans up before and after each console test. Calls without a stub fail the test.
import "./page.ts";
import { cleanup } from "vitest-browser-react";
import { afterEach, beforeEach, expect, vi } from "vitest";
import { page } from "vitest/browser";
import { takeViolations } from "./faults.ts";

const desk = [1280, 800] as const;

beforeEach(async () => {
  await cleanup();
  localStorage.clear();
  sessionStorage.clear();
  takeViolations();
});

afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  if (innerWidth !== desk[0] || innerHeight !== desk[1]) await page.viewport(...desk);
  expect(takeViolations(), "calls that the stub had no answer to, or that the contract refuses").toEqual([]);
});
