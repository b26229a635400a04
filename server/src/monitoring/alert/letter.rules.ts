// What a mail about states says: one line for each kind of issue at a location, however many sensors have it (decisions 8).
import { localIso, zoneOf } from "../../count/zone.rules.ts";
import { layout, type MailBody } from "../../mail/layout.ts";

export type AlertedIssue = {
  sensorId: string;
  issueType: string;
  issueStatus: string;
  message: string;
  sinceMs: number;
  locationId: string | null;
  locationName: string | null;
  zone: string | null;
  holds: boolean;
};

const typeNames: Record<string, string> = {
  connection: "Connection",
  plauzibilization: "Data plausibility",
  osd: "OSD",
  uptime: "Uptime",
  reboot: "Reboot",
  watchdog: "Watchdog",
};

/** More are only counted. */
const maxLines = 40;
/** So many sensors are named in a line. */
const maxNamed = 5;

type Line = { text: string; link: string };

/** "2026-11-24 14:03" in the zone of the place. */
function localMinute(zone: string | null, ms: number): string {
  return localIso(zoneOf(zone), ms).slice(0, 16).replace("T", " ");
}

const placeOf = ({ locationName }: AlertedIssue) =>
  locationName === null ? "without a location" : `at ${locationName}`;

function lineOf(group: readonly AlertedIssue[], publicUrl: string): Line {
  const [first] = group;
  if (!first) throw new Error("An empty group of issues");
  const { issueStatus, issueType, locationId, zone } = first;
  const what = `${issueStatus}: ${typeNames[issueType] ?? issueType}`;
  const since = localMinute(zone, Math.min(...group.map(({ sinceMs }) => sinceMs)));
  const zoneWord = zone === null ? " UTC" : "";
  const over = group.every(({ holds }) => !holds) ? " It is over by now." : "";
  const filter = `issueType=${encodeURIComponent(issueType)}&issueStatus=${issueStatus}`;
  const link =
    locationId === null
      ? `${publicUrl}/sensor/${encodeURIComponent(first.sensorId)}/logs`
      : `${publicUrl}/location/${locationId}/issues?${filter}`;
  if (group.length === 1)
    return {
      text: `${what}, sensor ${first.sensorId} ${placeOf(first)}, since ${since}${zoneWord}: ${first.message}.${over}`,
      link,
    };
  const named = group.slice(0, maxNamed).map(({ sensorId }) => sensorId);
  const more = group.length - named.length;
  const ids = more > 0 ? `${named.join(", ")} and ${more} more` : named.join(", ");
  return {
    text: `${what}, ${group.length} sensors ${placeOf(first)}, since ${since}${zoneWord}: ${ids}.${over}`,
    link,
  };
}

const confirmWords = (left: number) =>
  left === 0
    ? "This is the last one until you confirm that you want them."
    : `Please confirm that you want them: until then you get ${left} more at most.`;

type Letter = {
  issues: readonly AlertedIssue[];
  publicUrl: string;
  unsubscribeUrl: string | null;
  /** To an additional address whose holder has not confirmed it: how many mails it still gets. */
  unconfirmed: { left: number } | null;
};

/** One mail about everything that came up for its recipient. */
export function alertMail({ issues, publicUrl, unsubscribeUrl, unconfirmed }: Letter): MailBody {
  const groups = [
    ...Map.groupBy(issues, (one) => `${one.issueStatus}/${one.issueType}/${one.locationId ?? one.sensorId}`).values(),
  ];
  const lines = groups.map((group) => lineOf(group, publicUrl));
  const shown = lines.slice(0, maxLines);
  const errors = issues.filter(({ issueStatus }) => issueStatus === "Error").length;
  const worst = errors > 0 ? "Error" : "Warning";
  const places = new Set(issues.map(({ locationName, locationId }) => locationName ?? locationId ?? ""));
  const where = places.size === 1 && issues[0]?.locationName ? ` at ${issues[0].locationName}` : "";
  const sensors = new Set(issues.map(({ sensorId }) => sensorId)).size;
  const subject = `${worst}: ${sensors === 1 ? `sensor ${issues[0]?.sensorId}` : `${sensors} sensors`}${where}`;
  const rest = lines.length - shown.length;
  return layout({
    subject,
    paragraphs: ["Monitoring found the following:"],
    items: shown,
    ...(rest > 0 ? { afterItems: [`And ${rest} more, in the monitoring logs.`] } : {}),
    action: { label: "Open the console", link: `${publicUrl}/dashboard` },
    note:
      unsubscribeUrl === null
        ? "You get this mail because monitoring mails its owner. It can be switched off in 'Monitoring' of the location or sensor."
        : `You get this mail because your address is among the additional e-mails of the monitoring of a location or sensor.${unconfirmed === null ? "" : ` ${confirmWords(unconfirmed.left)}`}`,
    ...(unsubscribeUrl === null
      ? {}
      : {
          noteAction: { label: unconfirmed === null ? "Unsubscribe" : "Confirm or unsubscribe", link: unsubscribeUrl },
        }),
  });
}
