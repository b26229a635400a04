// Tests repeated causes, the first and last states that can be canceled, and causes after the end (SE-09, FW-03).
import type { InstallationState } from "@psp/contract/sensor/presence.ts";
import { expect, test } from "vitest";
import {
  type TransitionCause,
  toCause,
  toInstallationState,
  isBusy,
  isOpen,
  nextState,
  type TaskState,
} from "./rollout.rules.ts";

test.each<[TransitionCause, from: TaskState, once: TaskState, twice: TaskState | null]>([
  ["offer", "waiting", "offered", null],
  ["pause", "waiting", "paused", null],
  ["resume", "paused", "waiting", null],
  ["ask", "waiting", "asked", null],
  ["accept", "asked", "accepted", null],
  ["refuse", "asked", "failed", null],
  // Before installing, a device may repeat earlier states.
  ["INITIATE", "offered", "initiated", "initiated"],
  ["DOWNLOAD", "initiated", "downloading", "downloading"],
  ["DOWNLOADED", "downloading", "downloaded", "downloaded"],
  ["RUNNING", "downloaded", "running", null],
  ["FINISHED", "running", "proving", "proving"],
  ["proof", "proving", "done", null],
  ["ERROR", "running", "failed", null],
  ["CANCELED", "withdrawn", "canceled", null],
  ["cancel", "waiting", "canceled", null],
  ["cancel", "offered", "withdrawn", null],
  ["silence", "withdrawn", "canceled", null],
  ["deadline", "downloading", "expired", null],
  ["landed", "waiting", "done", null],
])("SE-09 %s makes a task that is %s %s, and said twice %s", (cause, from, once, twice) => {
  expect(nextState(from, cause)).toBe(once);
  expect(nextState(once, cause)).toBe(twice);
});

test.each<[TaskState, TaskState | null]>([
  ["waiting", "canceled"],
  ["paused", "canceled"],
  ["offered", "withdrawn"],
  ["initiated", "withdrawn"],
  ["downloading", "withdrawn"],
  ["downloaded", "withdrawn"],
  ["running", null],
  ["proving", null],
  ["asked", null],
  ["accepted", null],
  ["done", null],
  ["failed", null],
  ["expired", null],
])("SE-09 a cancel while a task is %s makes it %s", (state, next) => {
  expect(nextState(state, "cancel")).toBe(next);
});

test.each<[string, TaskState, TransitionCause, TaskState | null]>([
  ["a cancel that crosses the installation loses", "withdrawn", "RUNNING", "running"],
  ["a download that is lost starts over", "downloaded", "INITIATE", "initiated"],
  ["an installation does not start over", "running", "INITIATE", null],
  ["a version that shows after the deadline counts", "expired", "proof", "done"],
  ["a version that shows after a cancel counts", "canceled", "proof", "done"],
  ["a version that shows after an error does not", "failed", "proof", null],
  ["a deadline ends nothing that may not begin", "paused", "deadline", null],
  ["a deadline ends nothing that is done", "done", "deadline", null],
])("SE-09 %s", (_, state, cause, next) => {
  expect(nextState(state, cause)).toBe(next);
});

test.each<[TaskState, open: boolean, atWork: boolean]>([
  ["waiting", true, false],
  ["paused", true, false],
  ["offered", true, true],
  ["proving", true, true],
  ["withdrawn", true, true],
  ["accepted", true, true],
  ["done", false, false],
  ["failed", false, false],
  ["expired", false, false],
  ["canceled", false, false],
])("SE-09 a task that is %s is open: %s, and busy: %s", (state, open, atWork) => {
  expect([isOpen(state), isBusy(state)]).toEqual([open, atWork]);
});

test.each<[Parameters<typeof toCause>[0], TransitionCause]>([
  [{ state: "ERROR", code: "CANCELED" }, "CANCELED"],
  [{ state: "ERROR", code: "HASH" }, "ERROR"],
  [{ state: "ERROR", code: null }, "ERROR"],
  [{ state: "ERROR" }, "ERROR"],
  [{ state: "FINISHED", code: "CANCELED" }, "FINISHED"],
])("SE-09 the report %j means %s", (report, cause) => {
  expect(toCause(report)).toBe(cause);
});

test.each<[TaskState, Parameters<typeof toInstallationState>[1], InstallationState]>([
  ["initiated", "INITIATE", "waiting"],
  ["downloading", "DOWNLOAD", "installing"],
  ["running", "RUNNING", "installing"],
  ["withdrawn", null, "waiting"],
  ["withdrawn", "INITIATE", "waiting"],
  ["withdrawn", "DOWNLOAD", "installing"],
  ["withdrawn", "RUNNING", "installing"],
  ["expired", "RUNNING", "failed"],
])("SE-02 a task that is %s, of which %s was reported last, is shown as %s", (state, report, installation) => {
  expect(toInstallationState(state, report)).toBe(installation);
});
