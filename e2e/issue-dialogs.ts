// Opens the dialogs of issues.

import { type DialogVisit, openBatch, openByButton } from "./dialog-visit.ts";
import { findSensorWithIssues } from "./issues.ts";
import type { Api } from "./world.ts";

export const issueDialogs = (api: Api): DialogVisit[] => [
  {
    shows: ["monitoring/logs/AcknowledgeDialog.tsx BatchDialog"],
    open: async (page) => {
      const { measurement } = await findSensorWithIssues(api);
      return openBatch(page, `/location/${measurement._id}/issues`, "Set acknowledged");
    },
  },
  {
    shows: ["monitoring/detail/IssueDialog.tsx Dialog"],
    open: async (page) => {
      const { sens, measurement, issues } = await findSensorWithIssues(api);
      await page.goto(`/location/${measurement._id}/issues?sensorIDs=${sens}&issue=${issues[0]?._id}`);
      return page.getByRole("dialog", { name: new RegExp(sens) });
    },
  },
  {
    shows: ["monitoring/work/WorkBatch.tsx BatchDialog"],
    open: async (page) => {
      await findSensorWithIssues(api);
      return openBatch(page, "/issues", "Snooze");
    },
  },
  {
    shows: ["monitoring/work/WorkDialog.tsx FormDialog"],
    open: async (page) => {
      await findSensorWithIssues(api);
      await page.goto("/issues");
      return openByButton(page, /^Assign: /);
    },
  },
];
