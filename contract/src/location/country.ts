// Country names in English, and the default time zone of countries with only one local time (docs/rules/locations.md#time-zone).

const codes =
  "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW";

export const countryCodes: readonly string[] = codes.split(" ");

let words: Intl.DisplayNames | undefined;

/** Returns the English name of an ISO code. Locations store this name. */
export function countryNameOf(code: string): string {
  words ??= new Intl.DisplayNames("en", { type: "region" });
  return words.of(code) ?? code;
}

let names: readonly string[] | undefined;

export function countryNames(): readonly string[] {
  names ??= countryCodes.map(countryNameOf).toSorted((a, b) => a.localeCompare(b, "en"));
  return names;
}

let codeByName: ReadonlyMap<string, string> | undefined;

/** Returns the ISO code of an English name, or null if it is unknown. Ignores case. */
export function countryCodeOf(name: string): string | null {
  codeByName ??= new Map(countryCodes.map((code) => [countryNameOf(code).toLowerCase(), code]));
  return codeByName.get(name.trim().toLowerCase()) ?? null;
}

/**
 * The best-known zone of countries whose zones all have the same local time. Also the zone of countries for which JavaScript
 * engines list none.
 */
const principal: Readonly<Record<string, string>> = {
  AR: "America/Argentina/Buenos_Aires",
  CY: "Asia/Nicosia",
  DE: "Europe/Berlin",
  KZ: "Asia/Almaty",
  MH: "Pacific/Majuro",
  MY: "Asia/Kuala_Lumpur", // cspell:disable-line
  PS: "Asia/Gaza",
  UZ: "Asia/Tashkent",
  XK: "Europe/Belgrade",
};

// cspell:disable
/** The current names of zones that JavaScript engines list by outdated names. Map services use the current names. */
const currentZoneNames: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Mendoza": "America/Argentina/Mendoza",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Louisville": "America/Kentucky/Louisville",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};
// cspell:enable

export function zonesOfCountry(code: string): readonly string[] {
  const locale = new Intl.Locale(`und-${code}`) as Intl.Locale & { getTimeZones?: () => string[] | undefined };
  const zones = (locale.getTimeZones?.() ?? []).map((zone) => currentZoneNames[zone] ?? zone);
  const main = principal[code];
  return zones.length === 0 && main !== undefined ? [main] : zones;
}

const dayMs = 86_400_000;
const daysAhead = 366;
const agreed = new Map<string, string | null>();

/**
 * Returns the default zone of a country. If it has several zones with the same local time for the next year, returns the
 * best-known one. Returns null if their local times differ.
 */
export function defaultZoneOf(code: string, nowMs: number): string | null {
  const zones = zonesOfCountry(code);
  const first = zones[0];
  if (first === undefined || zones.length === 1) return first ?? null;
  const today = Math.floor(nowMs / dayMs);
  // The comparison takes several milliseconds, so its result is cached for a week.
  const key = `${code} ${Math.floor(today / 7)}`;
  const known = agreed.get(key);
  if (known !== undefined) return known;
  if (agreed.size > 500) agreed.clear();
  const zone = showSameTime(zones, today * dayMs) ? (principal[code] ?? first) : null;
  agreed.set(key, zone);
  return zone;
}

function showSameTime([first = "UTC", ...others]: readonly string[], fromMs: number): boolean {
  const clock = (timeZone: string) =>
    new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short", hourCycle: "h23" });
  const reference = clock(first);
  return others.every((zone) => {
    const other = clock(zone);
    for (let day = 0; day < daysAhead; day += 1) {
      const at = fromMs + day * dayMs;
      if (reference.format(at) !== other.format(at)) return false;
    }
    return true;
  });
}

/** Returns the name under which a zone is stored, or null if it is unknown. Accepts outdated names and ignores case. */
export function canonicalZone(name: string): string | null {
  // Intl would also accept offsets like +01:00.
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(name)) return null;
  const present = Object.values(currentZoneNames).find((zone) => zone.toLowerCase() === name.toLowerCase());
  if (present !== undefined) return present;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return currentZoneNames[timeZone] ?? timeZone;
  } catch {
    return null;
  }
}
