// Builds the text of a weekly report; unknown values are not shown as zero.
import { completenessPercent, dateOfDay, type DayRange } from "@psp/contract/counts/count-range.ts";
import type { WeekSummary } from "../counts/week.service.ts";
import { renderMail, type MailBody } from "../mail/layout.ts";

type Report = { account: string; days: DayRange; week: WeekSummary; publicUrl: string; unsubscribeUrl: string };

const count = new Intl.NumberFormat("en");
const month = new Intl.DateTimeFormat("en-GB", { month: "short", timeZone: "UTC" });
const maxNamed = 10;

const several = (n: number, one: string, many: string) => `${count.format(n)} ${n === 1 ? one : many}`;

/** "16 – 22 Nov 2026", "30 Nov – 6 Dec 2026", "28 Dec 2026 – 3 Jan 2027". */
function weekText({ first, last }: DayRange): string {
  const [from, to] = [new Date(dateOfDay(first)), new Date(dateOfDay(last))];
  const isYear = from.getUTCFullYear() === to.getUTCFullYear();
  const isMonth = isYear && from.getUTCMonth() === to.getUTCMonth();
  const begin = [
    from.getUTCDate(),
    ...(isMonth ? [] : [month.format(from)]),
    ...(isYear ? [] : [from.getUTCFullYear()]),
  ];
  return `${begin.join(" ")} – ${to.getUTCDate()} ${month.format(to)} ${to.getUTCFullYear()}`;
}

function changeText(change: number | null): string {
  if (change === null) return "";
  const sign = change > 0 ? "+" : change < 0 ? "−" : "±";
  return ` (${sign}${count.format(Math.abs(change))} % from the week before)`;
}

const figure = (label: string, value: number | null, change: number | null) =>
  `${label}: ${value === null ? "–" : count.format(value)}${changeText(change)}`;

export function weeklyReportMail({ account, days, week, publicUrl, unsubscribeUrl }: Report): MailBody {
  const { locations, total, change, best, worst, blind } = week;
  const dates = weekText(days);
  const range = `${dateOfDay(days.first)},${dateOfDay(days.last)}`;
  return renderMail({
    subject: `Weekly report ${dates}`,
    paragraphs: [
      `Counts of ${several(locations, "location", "locations")} of "${account}" from Monday to Sunday, ${dates}.`,
      figure("In", total.in, change.in),
      figure("Out", total.out, change.out),
      ...(total.completeness === null ? [] : [`Completeness: ${completenessPercent(total.completeness)} %`]),
      ...(total.in === null ? ["No data yet."] : []),
      ...(best === null ? [] : [figure(`Best location: ${best.name}, In`, best.in, best.change)]),
      ...(worst === null ? [] : [figure(`Worst location: ${worst.name}, In`, worst.in, worst.change)]),
      ...blindText(blind),
    ],
    action: { label: "Compare locations", link: `${publicUrl}/location/counts?range=${range}` },
    note: "You get this email because the weekly report is turned on for your login. You can turn it off in My account.",
    noteAction: { label: "Unsubscribe", link: unsubscribeUrl },
  });
}

function blindText(blind: WeekSummary["blind"]): string[] {
  if (blind.length === 0) return ["All sensors were counting."];
  const named = blind.slice(0, maxNamed).map(({ id, location, completeness }) => {
    const known = completeness === 0 ? "no data" : `${completenessPercent(completeness)} % complete`;
    return `${id} at ${location}: ${known}`;
  });
  const more = blind.length - named.length;
  return [
    `${several(blind.length, "sensor", "sensors")} did not count for more than a fifth of the week:`,
    ...named,
    ...(more > 0 ? [`and ${count.format(more)} more`] : []),
  ];
}
