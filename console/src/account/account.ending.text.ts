// Sentences about what becomes of an account's things when it is closed. A count is null where it can't be viewed.
const n = (count: number, [one, many]: readonly [string, string]) =>
  `${new Intl.NumberFormat("en").format(count)} ${count === 1 ? one : many}`;
const nouns = { sensor: ["sensor", "sensors"], measurement: ["location", "locations"] } as const;

const handedOver = "handed over to the new owner.";

export const endingText = {
  label: "What happens with it",
  sensors: (count: number | null, isGiven: boolean) =>
    count === 0
      ? "No sensors."
      : `${count === null ? "Its sensors" : n(count, nouns.sensor)}: ${isGiven ? handedOver : "stay with the closed account and keep counting. Only accounts above it can see and manage them."}`,
  locations: (count: number | null, isGiven: boolean) =>
    count === 0
      ? "No locations."
      : `${count === null ? "Its locations" : n(count, nouns.measurement)} with all counts: ${isGiven ? handedOver : "stay with the closed account. Only accounts above it can see and manage them."}`,
  others: (firmware: number, roles: number) =>
    `${[...(firmware > 0 ? [n(firmware, ["firmware", "firmware"])] : []), ...(roles > 0 ? [n(roles, ["role", "roles"])] : [])].join(" and ")}: stay with the closed account.`,
  logins: (count: number) =>
    `${n(count, ["login", "logins"])}: can't log in any more. ${count === 1 ? "Its email address" : "Their email addresses"} can be used for other accounts.`,
  accountsBelow: (count: number) =>
    count === 0 ? "No accounts below it." : `${n(count, ["account", "accounts"])} below it: close them first.`,
  newOwner: "New owner of sensors and locations",
  noNewOwner: "None, they stay with the closed account",
  newOwnerHint:
    "Choose an account to hand them over before this one is closed. Afterwards only accounts above it can do that.",
  handOverHint:
    "Counts stay complete. Sensors get new registration codes and lose their REST credentials and monitoring settings for good.",
  mayNotGive:
    "You don't have permission to hand sensors and locations over. To pass them on, ask an account above this one first.",
  notGiven: (type: keyof typeof nouns, count: number, reason: string) =>
    `${n(count, nouns[type])} could not be handed over, so the account was not closed. ${reason}`,
} as const;
