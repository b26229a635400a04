// Texts about problems with sensor data.
import { formatCount } from "../../ui/text/numbers.ts";
const records = (count: number) => formatCount(count, "record");

export const dataProblemsText = {
  title: "Data problems",
  rejected: (count: number, since: string) => `${records(count)} rejected since ${since}.`,
  rejectedHelp: "Rejected records are not counted. They are kept for 30 days.",
  clock: (length: string, isAhead: boolean) => `Sensor clock is wrong by ${length} (${isAhead ? "ahead" : "behind"}).`,
  clockHelp: "Its counts appear late or in the wrong hour. Check the time server (NTP) in the sensor's settings.",
  restarted: (at: string) => `The sensor restarted its record numbers on ${at}.`,
  restartedHelp: "All its counts are included. If this happens again, check the sensor's storage.",
  identity: (one: string, other: string) =>
    one === other
      ? `Two devices use the identity of this sensor, both from the IP address ${one}.`
      : `Two devices use the identity of this sensor, from the IP addresses ${one} and ${other}.`,
  identityHelp: "Only one of them can be connected at a time. Enroll the other one with an init token of its own.",
  reason: "Reason",
  count: "Records",
  latest: (at: string) => `Latest example, ${at}`,
  showExample: "Show latest example",
  hideExample: "Hide example",
} as const;
