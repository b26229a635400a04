// Texts about the sensor's own configuration page and its sessions; some are fixed (docs/rules/remote-access.md#fixed-texts).
import { formatSessionLength } from "@psp/contract/remote-access/remote-access.ts";

export const configurationPageText = {
  title: "Sensor configuration page",
  missing:
    "PS.Connect remote access is not available for this sensor. It is either disabled or unavailable in the installed firmware.", // fixed
  disconnected:
    "This sensor is currently disconnected from PS.Connect. Make sure the sensor is connected to the internet and PS.Connect is enabled in the configuration.", // fixed
  connected: "Connected to PS.Connect",
  since: "Since",
  link: "Configuration page without auto-login",
  linkHint: "Works while your session is open.",
  reason: "Reason",
  reasonHint: "Others can see it next to your session and later in the sensor's history.",
  reasonTooLong: (max: number) => `At most ${max} characters`,
  reasonMissing: "The owner of this sensor asks for a reason.",
  length: "Session length",
  lengths: formatSessionLength,
  open: "Open configuration page",
  opening: "Opening the configuration page",
  failed:
    "Auto-login failed. Please try again later or use the link above to open the sensor configuration page without auto-login.", // fixed
  readOnly: "You can view but not change this sensor, so its page opens read-only.",
  asked: "The owner of this sensor has been asked. You can open the page once they agree.",
  granted: "The owner agreed. You can open the page now.",
  blocked: "Your browser blocked the new window.",
  openHere: "Open it here",

  sessions: "Sessions on the configuration page",
  none: "No one has the page open.",
  mode: { edit: "Can change settings", view: "Read-only" },
  openedAt: "Opened",
  askedAt: "Requested",
  endsAt: "Ends",
  waiting: "Waiting for the owner's consent",
  agreed: "The owner agreed; page not opened yet",
  noReason: "No reason given",
  endNow: "End now",
  endFor: (who: string) => `End now: session of ${who}`,
  noEnd: "You don't have permission to edit this sensor",
  extend: "Extend",
  extendFor: (minutes: number) => `Extend to ${formatSessionLength(minutes)} from now`,
  allow: "Allow",
  refuse: "Refuse",
  ended: "Session ended",
  endFailed: "The session could not be ended.",
  extendFailed: "The session could not be extended.",
  answerFailed: "Your answer could not be saved.",
} as const;
