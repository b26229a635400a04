// Texts of the customer health view.
import type { Trouble } from "@psp/contract/customer/trouble.ts";
import { ownedText } from "../entity/page/owned.text.ts";
import { formatCount } from "../ui/text/numbers.ts";

export const customerText = {
  ...ownedText("customer", "customers"),
  title: "Accounts",
  tableTitle: "Customers",
  name: "Name",
  search: "Search by name",
  children: "Sub-accounts",
  sensors: "Sensors",
  completeness: "Data yesterday",
  lastSignIn: "Last sign-in",
  troubleFilter: "Problems",
  troubles: { errors: "Errors", warnings: "Warnings", offline: "Offline", outdated: "Outdated" } satisfies Record<
    Trouble,
    string
  >,
  /** Labels of links in cells. */
  sensorsOf: (count: number, name: string) => `${formatCount(count, "sensor")} of ${name}`,
  troublesOf: {
    errors: (count: number, name: string) => `${formatCount(count, "sensor")} of ${name} with errors`,
    warnings: (count: number, name: string) => `${formatCount(count, "sensor")} of ${name} with warnings`,
    offline: (count: number, name: string) => `${formatCount(count, "offline sensor")} of ${name}`,
    outdated: (count: number, name: string) => `${formatCount(count, "sensor")} of ${name} with outdated firmware`,
  } satisfies Record<Trouble, (count: number, name: string) => string>,
  completenessOf: (share: string, name: string) => `${share} of the expected data of ${name} yesterday`,
  noneExpected: "No data was expected yesterday, or it is not known yet.",
  open: (name: string) => `Open account ${name}`,
  trail: "Path to this account",
  all: "All customers",
  noneTitle: "No customers yet",
  noneText: "Your sub-accounts appear here with the state of their sensors.",
  noneBelow: "This account has no sub-accounts that you can view.",
};
