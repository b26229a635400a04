// Names of countries as suggestions for a field that takes Latin letters only (spec 1 §5).
import { registrationFields } from "@psp/contract/registration/registration.ts";

/** ISO 3166-1 alpha-2. */
const codes =
  "AD AE AF AG AI AL AM AO AR AT AU AW AZ BA BB BD BE BF BG BH BI BJ BM BN BO BR BS BT BW BY BZ CA CD CF CG CH CI CL CM CN CO " +
  "CR CU CV CY CZ DE DJ DK DM DO DZ EC EE EG ER ES ET FI FJ FM FO FR GA GB GD GE GF GH GI GL GM GN GP GQ GR GT GU GW GY HK HN " +
  "HR HT HU ID IE IL IN IQ IR IS IT JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MG " +
  "MH MK ML MM MN MO MQ MR MT MU MV MW MX MY MZ NA NC NE NG NI NL NO NP NR NZ OM PA PE PF PG PH PK PL PR PS PT PW PY QA RE RO " +
  "RS RU RW SA SB SC SD SE SG SI SK SL SM SN SO SR SS ST SV SY SZ TD TG TH TJ TL TM TN TO TR TT TV TW TZ UA UG US UY UZ VA VC " +
  "VE VN VU WS YE ZA ZM ZW";

/** English names in alphabetical order, written as the field takes them. */
export function countryNames(): string[] {
  const names = new Intl.DisplayNames("en", { type: "region" });
  return codes
    .split(" ")
    .map((code) => plain(names.of(code) ?? ""))
    .filter((name) => registrationFields.country.safeParse(name).success)
    .toSorted((a, b) => a.localeCompare(b, "en"));
}

/** "St. Lucia" → "Saint Lucia", "Trinidad & Tobago" → "Trinidad and Tobago", "Myanmar (Burma)" → "Myanmar". */
function plain(name: string): string {
  return name
    .replace(/\s*\(.*\)$/, "")
    .replace(/^St\. /, "Saint ")
    .replace(/ SAR China$/, "")
    .replaceAll("&", "and");
}
