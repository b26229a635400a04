// Builds the text of issue mails: one line per kind of issue and location, for any number of sensors (docs/rules/monitoring.md#mails).
import { formatLocalTime } from "@psp/contract/kit/format-time.ts";
import { zoneOf } from "@psp/contract/kit/zone.ts";
import { type IssueType, issueTypeLabels } from "@psp/contract/monitoring/issue-words.ts";
import { renderMail, type MailBody } from "../../mail/layout.ts";

export type AlertedIssue = {
  sensorId: string;
  issueType: IssueType;
  issueStatus: string;
  message: string;
  /** Start of the issue if known, else when it was detected. */
  sinceMs: number;
  locationId: string | null;
  locationName: string | null;
  zone: string | null;
  isOver: boolean;
};

const maxNamed = 1000;
const maxPlaces = 2;

type Line = { text: string; link: string };

const placeOf = ({ locationName }: AlertedIssue) =>
  locationName === null ? "without a location" : `at ${locationName}`;

const sensorsOf = (issues: readonly AlertedIssue[]): string => {
  const ids = [...new Set(issues.map(({ sensorId }) => sensorId))];
  return ids.length === 1 ? `sensor ${ids[0]}` : `${ids.length} sensors`;
};

function lineOf(group: readonly AlertedIssue[], publicUrl: string): Line {
  const [first] = group;
  if (!first) throw new Error("An empty group of issues");
  const { issueStatus, issueType, locationId, zone, message } = first;
  const isClear = issueStatus === "Ok";
  const what = `${isClear ? "Resolved" : issueStatus}: ${issueTypeLabels[issueType]}`;
  const since = formatLocalTime(
    (isClear ? Math.max : Math.min)(...group.map(({ sinceMs }) => sinceMs)),
    zoneOf(zone).name,
  );
  const found = group.length === 1 ? message : group.map(({ sensorId }) => sensorId).join(", ");
  const over = !isClear && group.every(({ isOver }) => isOver) ? " Resolved." : "";
  const filter = `issueType=${encodeURIComponent(issueType)}&issueStatus=${issueStatus}`;
  const link =
    locationId === null
      ? `${publicUrl}/sensor/${encodeURIComponent(first.sensorId)}/logs`
      : `${publicUrl}/location/${locationId}/issues?${filter}`;
  return { text: `${what}, ${sensorsOf(group)} ${placeOf(first)}, since ${since}: ${found}.${over}`, link };
}

/** Lists locations in the order of `issues`, for example " at Harbour Shop, Airport and 3 more locations". */
function placesOf(issues: readonly AlertedIssue[]): string {
  const names = [...new Map(issues.map(({ locationId, locationName }) => [locationId, locationName])).values()];
  const named = names.filter((name) => name !== null);
  const some = named.slice(0, maxPlaces).join(named.length > maxPlaces ? ", " : " and ");
  const more = named.length - maxPlaces;
  const others = more <= 0 ? "" : ` and ${more} more ${more === 1 ? "location" : "locations"}`;
  if (named.length === 0) return " without a location";
  return ` at ${some}${others}${named.length < names.length ? " or without a location" : ""}`;
}

const confirmWords = (left: number) =>
  left === 0
    ? "This is the last email until you confirm that you want them."
    : `Confirm that you want these emails: until then, you get at most ${left} more.`;

type MailInput = {
  issues: readonly AlertedIssue[];
  publicUrl: string;
  unsubscribeUrl: string | null;
  /** Set if the recipient is an unconfirmed additional address. `left`: number of mails that it still gets. */
  unconfirmed: { left: number } | null;
};

export function alertMail({ issues, publicUrl, unsubscribeUrl, unconfirmed }: MailInput): MailBody {
  const named = issues.slice(0, maxNamed);
  const groups = Map.groupBy(named, (one) => `${one.issueStatus}/${one.issueType}/${one.locationId ?? one.sensorId}`);
  const worst = (["Error", "Warning"] as const).find((status) => issues.some((one) => one.issueStatus === status));
  const main = worst === undefined ? issues : issues.filter(({ issueStatus }) => issueStatus !== "Ok");
  const rest = issues.length - named.length;
  return renderMail({
    subject: `${worst ?? "Resolved"}: ${sensorsOf(main)}${placesOf(main)}`,
    paragraphs: [worst === undefined ? "These issues are resolved:" : "Monitoring found these issues:"],
    items: [...groups.values()].map((group) => lineOf(group, publicUrl)),
    ...(rest > 0 ? { afterItems: [`See the monitoring logs for ${rest} more.`] } : {}),
    action: { label: "Open the console", link: `${publicUrl}/dashboard` },
    note:
      unsubscribeUrl === null
        ? "You get this email because your account owns the location or sensor. You can turn these emails off on its Monitoring page."
        : `You get this email because your address is an additional email address of a location's or sensor's monitoring.${unconfirmed === null ? "" : ` ${confirmWords(unconfirmed.left)}`}`,
    ...(unsubscribeUrl === null
      ? {}
      : {
          noteAction: { label: unconfirmed === null ? "Unsubscribe" : "Confirm or unsubscribe", link: unsubscribeUrl },
        }),
  });
}
