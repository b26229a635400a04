// Texts about what happens to the sensors, locations and logins of an account when it is closed.
import { formatCount, formatNumber } from "../ui/text/numbers.ts";

const things = { sensor: "sensor", measurement: "location" } as const;
type Thing = keyof typeof things;

/** "12 sensors go", "1 sensor goes", or "Its sensors go" if `count` is null because the user can't view them. */
const subject = (type: Thing, count: number | null, [one, many]: readonly [string, string]) =>
  count === null ? `Its ${things[type]}s ${many}` : `${formatCount(count, things[type])} ${count === 1 ? one : many}`;

const parentsOnly = "Only its parent accounts can see and manage them.";

export const accountClosingText = {
  label: "What happens to the account's contents",
  sensors: (count: number | null, isGiven: boolean) => {
    if (count === 0) return "No sensors.";
    if (isGiven) return `${subject("sensor", count, ["goes", "go"])} to the new owner.`;
    const keepCounting = count === 1 ? "keeps counting" : "keep counting";
    return `${subject("sensor", count, ["stays", "stay"])} with the closed account and ${keepCounting}. ${parentsOnly}`;
  },
  locations: (count: number | null, isGiven: boolean) => {
    if (count === 0) return "No locations.";
    if (isGiven) return `${subject("measurement", count, ["goes", "go"])} to the new owner, with all counts.`;
    return `${subject("measurement", count, ["stays", "stay"])} with the closed account, with all counts. ${parentsOnly}`;
  },
  others: (firmware: number, roles: number) => {
    const kinds = [
      ...(firmware > 0 ? [formatCount(firmware, "firmware package")] : []),
      ...(roles > 0 ? [formatCount(roles, "role")] : []),
    ];
    return `${kinds.join(" and ")} ${firmware + roles === 1 ? "stays" : "stay"} with the closed account.`;
  },
  logins: (count: number) =>
    count === 1
      ? "1 login stops working. Its email address can be used for another account."
      : `${formatNumber(count)} logins stop working. Their email addresses can be used for other accounts.`,
  subAccounts: (count: number) =>
    count === 0 ? "No sub-accounts." : `Close its ${formatCount(count, "sub-account")} first.`,
  newOwner: "New owner of sensors and locations",
  noNewOwner: "None: they stay with the closed account",
  newOwnerHint:
    "Choose who takes over the sensors and locations. Once the account is closed, only a parent account can hand them over.",
  handOverHint:
    "All counts are kept. Sensors get new registration codes and permanently lose their REST credentials and monitoring settings.",
  mayNotGive:
    "You don't have permission to hand over sensors and locations. If they should go to someone else, ask a parent account to hand them over first.",
  notGiven: (type: Thing, count: number, reason: string) =>
    `${formatCount(count, things[type])} could not be handed over, so the account was not closed. ${reason}`,
} as const;
