// Well-known cities, for queries by name only, because the bundled places have no populations. Each country's list begins with its
// capital. Names are spelled as in the data. cspell:disable

/**
 * Entries are `CC: Capital, City/state, …`. State and district codes are added if several cities have the name. A long list continues
 * in another entry.
 */
const cities = `
AD: Andorra la Vella | AE: Abu Dhabi, Dubai, Sharjah | AF: Kabul | AG: Saint John's | AI: The Valley | AL: Tirana
AM: Yerevan | AO: Luanda | AR: Buenos Aires, Córdoba, Rosario, Mendoza | AS: Pago Pago
AT: Vienna, Graz, Linz, Salzburg, Innsbruck | AU: Canberra, Sydney, Melbourne, Brisbane, Perth/08, Adelaide, Hobart, Darwin
AW: Oranjestad | AZ: Baku | BA: Sarajevo | BB: Bridgetown | BD: Dhaka, Chattogram | BE: Brussels, Antwerp, Gent, Liège, Brugge
BF: Ouagadougou | BG: Sofia | BH: Manama | BI: Gitega, Bujumbura | BJ: Porto-Novo, Cotonou | BM: Hamilton
BN: Bandar Seri Begawan | BO: Sucre, La Paz, Santa Cruz de la Sierra
BR: Brasília, São Paulo, Rio de Janeiro, Salvador, Fortaleza, Belo Horizonte, Manaus, Curitiba, Recife, Porto Alegre
BR: Goiânia, Belém/16
BS: Nassau | BT: Thimphu | BW: Gaborone | BY: Minsk | BZ: Belmopan
CA: Ottawa, Toronto, Montréal, Vancouver, Calgary, Edmonton, Winnipeg, Québec, Halifax, London, Hamilton/08
CD: Kinshasa, Lubumbashi | CF: Bangui | CG: Brazzaville | CH: Bern, Zürich, Geneva, Basel, Lausanne
CI: Yamoussoukro, Abidjan | CL: Santiago, Valparaíso, Concepción | CM: Yaoundé, Douala
CN: Beijing, Shanghai, Guangzhou, Shenzhen/30/4403, Chengdu, Chongqing, Tianjin, Wuhan, Xi'an/26, Hangzhou, Nanjing
CN: Shenyang, Harbin, Qingdao, Dalian, Suzhou/04, Jinan/25, Kunming
CO: Bogotá, Medellín, Cali, Barranquilla, Cartagena | CR: San José/08 | CU: Havana | CV: Praia | CW: Willemstad
CY: Nicosia, Limassol | CZ: Prague, Brno, Ostrava, Pilsen
DE: Berlin, Hamburg, Munich, Köln, Frankfurt am Main, Stuttgart, Düsseldorf, Leipzig, Dortmund, Essen/07, Bremen, Dresden
DE: Hannover, Nuremberg, Duisburg, Bochum, Bonn, Münster/07, Karlsruhe, Mannheim, Augsburg, Wiesbaden, Mainz, Kiel, Rostock
DE: Halle (Saale), Erfurt, Freiburg/01, Aachen, Magdeburg, Potsdam
DJ: Djibouti | DK: Copenhagen, Århus, Odense | DM: Roseau | DO: Santo Domingo | DZ: Algiers, Oran | EC: Quito, Guayaquil
EE: Tallinn | EG: Cairo, Alexandria, Giza | ER: Asmara
ES: Madrid, Barcelona, Valencia, Sevilla, Zaragoza, Málaga, Bilbao, Murcia, Palma, Las Palmas de Gran Canaria
ES: Santiago de Compostela, Córdoba, Granada
ET: Addis Ababa | FI: Helsinki, Tampere, Turku | FJ: Suva | FK: Stanley | FM: Palikir | FO: Tórshavn
FR: Paris, Marseille, Lyon, Toulouse, Nice, Nantes, Strasbourg, Bordeaux, Lille, Montpellier, Rennes | GA: Libreville
GB: London, Birmingham, Manchester, Glasgow, Liverpool, Leeds, Sheffield, Edinburgh, Bristol, Cardiff, Belfast
GB: Newcastle upon Tyne, Nottingham, Leicester, Cambridge, Oxford, York, Bath, Plymouth, Southampton, Brighton
GD: Saint George's | GE: Tbilisi | GG: Saint Peter Port | GH: Accra, Kumasi | GI: Gibraltar | GL: Nuuk | GM: Banjul
GN: Conakry | GQ: Malabo | GR: Athens, Thessaloníki | GT: Guatemala City | GU: Hagåtña | GW: Bissau | GY: Georgetown
HK: Hong Kong | HN: Tegucigalpa | HR: Zagreb, Split | HT: Port-au-Prince | HU: Budapest
ID: Jakarta, Surabaya/08, Bandung/30, Medan | IE: Dublin, Cork, Galway, Limerick | IL: Jerusalem, Tel Aviv, Haifa
IM: Douglas | IN: New Delhi, Delhi, Mumbai, Bengaluru, Hyderabad, Ahmedabad, Chennai, Kolkata, Pune, Jaipur, Surat, Lucknow
IQ: Baghdad | IR: Tehran, Mashhad, Isfahan | IS: Reykjavík
IT: Rome, Milan, Naples, Turin, Palermo, Genoa, Bologna, Florence, Venice, Verona, Bari | JE: Saint Helier | JM: Kingston
JO: Amman | JP: Tokyo, Yokohama/19, Osaka, Nagoya, Sapporo, Kobe, Kyoto, Fukuoka, Hiroshima, Sendai/24 | KE: Nairobi, Mombasa
KG: Bishkek | KH: Phnom Penh | KI: Tarawa | KM: Moroni | KN: Basseterre | KP: Pyongyang | KR: Seoul, Busan, Incheon, Daegu
KW: Kuwait City | KY: George Town | KZ: Astana, Almaty | LA: Vientiane | LB: Beirut | LC: Castries | LI: Vaduz | LK: Colombo
LR: Monrovia | LS: Maseru | LT: Vilnius, Kaunas | LU: Luxembourg | LV: Riga | LY: Tripoli, Benghazi
MA: Rabat, Casablanca, Marrakesh, Fès | MC: Monaco | MD: Chisinau | ME: Podgorica | MG: Antananarivo | MH: Majuro | MK: Skopje
ML: Bamako | MM: Nay Pyi Taw, Yangon | MN: Ulan Bator | MO: Macau | MR: Nouakchott | MT: Valletta | MU: Port Louis | MV: Male
MW: Lilongwe | MX: Mexico City, Guadalajara, Monterrey/19, Puebla/21, Tijuana, Cancún | MY: Kuala Lumpur, George Town
MZ: Maputo | NA: Windhoek | NC: Nouméa | NE: Niamey | NG: Abuja, Lagos, Kano, Ibadan | NI: Managua
NL: Amsterdam, Rotterdam, The Hague, Utrecht, Eindhoven, Groningen | NO: Oslo, Bergen, Trondheim, Stavanger | NP: Kathmandu
NZ: Wellington, Auckland, Christchurch, Hamilton | OM: Muscat | PA: Panama City | PE: Lima, Arequipa | PF: Papeete
PG: Port Moresby | PH: Manila, Quezon City, Davao, Cebu City | PK: Islamabad, Karachi, Lahore
PL: Warsaw, Kraków, Łódź, Wrocław, Poznań, Gdańsk | PR: San Juan | PT: Lisbon, Porto | PW: Ngerulmud | PY: Asunción | QA: Doha
RE: Saint-Denis | RO: Bucharest, Cluj-Napoca, Timişoara | RS: Belgrade
RU: Moscow, Saint Petersburg, Novosibirsk, Yekaterinburg, Kazan, Vladivostok | RW: Kigali | SA: Riyadh, Jeddah, Makkah
SB: Honiara | SC: Victoria | SD: Khartoum | SE: Stockholm, Gothenburg, Malmö, Uppsala | SG: Singapore | SI: Ljubljana
SK: Bratislava, Košice | SL: Freetown | SM: San Marino | SN: Dakar | SO: Mogadishu | SR: Paramaribo | SS: Juba | ST: São Tomé
SV: San Salvador | SY: Damascus, Aleppo | SZ: Mbabane | TD: N'Djamena | TG: Lomé | TH: Bangkok, Chiang Mai | TJ: Dushanbe
TL: Dili | TM: Ashgabat | TN: Tunis | TO: Nuku‘alofa | TR: Ankara, Istanbul, İzmir, Antalya, Bursa, Adana | TT: Port of Spain
TV: Funafuti | TW: Taipei, Kaohsiung, Taichung | TZ: Dodoma, Dar es Salaam | UA: Kyiv, Kharkiv, Odesa, Dnipro, Lviv
UG: Kampala | UY: Montevideo | UZ: Tashkent, Samarkand | VA: Vatican City | VC: Kingstown | VE: Caracas, Maracaibo, Valencia
VN: Hanoi, Ho Chi Minh City, Da Nang | VU: Port-Vila | WS: Apia | XK: Pristina | YE: Sanaa
ZA: Pretoria, Cape Town, Johannesburg, Durban | ZM: Lusaka | ZW: Harare
US: Washington/DC, New York City/NY, Los Angeles/CA, Chicago/IL, Houston/TX, Phoenix/AZ, Philadelphia/PA, San Antonio/TX
US: San Diego/CA, Dallas/TX, San Jose/CA, Austin/TX, San Francisco/CA, Seattle/WA, Denver/CO, Boston/MA, Detroit/MI
US: Nashville/TN, Portland/OR, Las Vegas/NV, Miami/FL, Atlanta/GA, Minneapolis/MN, New Orleans/LA, Cleveland/OH
US: Baltimore/MD, Milwaukee/WI, Kansas City/MO, Sacramento/CA, Indianapolis/IN, Columbus/OH, Charlotte/NC, Honolulu/HI
US: Anchorage/AK, Salt Lake City/UT, Pittsburgh/PA, Cincinnati/OH, St. Louis/MO, Orlando/FL, Tampa/FL, Memphis/TN
US: Buffalo/NY, Oakland/CA, Jacksonville/FL, Fort Worth/TX, El Paso/TX
US: Springfield/IL, Albany/NY, Richmond/VA, Montgomery/AL, Juneau/AK, Little Rock/AR, Hartford/CT, Dover/DE
US: Tallahassee/FL, Boise/ID, Des Moines/IA, Topeka/KS, Frankfort/KY, Baton Rouge/LA, Augusta/ME, Annapolis/MD, Lansing/MI
US: Saint Paul/MN, Jackson/MS, Jefferson City/MO, Helena/MT, Lincoln/NE, Carson City/NV, Concord/NH, Trenton/NJ, Santa Fe/NM
US: Raleigh/NC, Bismarck/ND, Oklahoma City/OK, Salem/OR, Harrisburg/PA, Providence/RI, Columbia/SC, Pierre/SD, Montpelier/VT
US: Olympia/WA, Charleston/WV, Madison/WI, Cheyenne/WY
`;

/** Local, foreign and former names of notable cities, in normalized form, with the name in the data. */
const otherNames = `
munchen=Munich | monaco di baviera=Munich | nurnberg=Nuremberg | cologne=Köln | hanover=Hannover | frankfurt=Frankfurt am Main | halle=Halle (Saale)
wien=Vienna | vienne=Vienna | geneve=Geneva | genf=Geneva | basle=Basel | roma=Rome | rom=Rome | milano=Milan | mailand=Milan
napoli=Naples | neapel=Naples | torino=Turin | firenze=Florence | florenz=Florence | venezia=Venice | venedig=Venice | genova=Genoa
praha=Prague | prag=Prague | plzen=Pilsen | warszawa=Warsaw | warschau=Warsaw | cracow=Kraków | krakau=Kraków | lisboa=Lisbon
lissabon=Lisbon | bruxelles=Brussels | brussel=Brussels | antwerpen=Antwerp | anvers=Antwerp | ghent=Gent | bruges=Brugge
kobenhavn=Copenhagen | kopenhagen=Copenhagen | aarhus=Århus | goteborg=Gothenburg | den haag=The Hague | s gravenhage=The Hague
moskva=Moscow | moskau=Moscow | kiev=Kyiv | kiew=Kyiv | odessa=Odesa | athina=Athens | athen=Athens
seville=Sevilla | saragossa=Zaragoza | bucuresti=Bucharest | bukarest=Bucharest | beograd=Belgrade | belgrad=Belgrade
new york=New York City | nyc=New York City | washington dc=Washington | washington d c=Washington | bombay=Mumbai
bangalore=Bengaluru | calcutta=Kolkata | madras=Chennai | peking=Beijing | saigon=Ho Chi Minh City | tokio=Tokyo
ciudad de mexico=Mexico City | la habana=Havana | mecca=Makkah | chittagong=Chattogram | bale=Basel | tiflis=Tbilisi
`;
// cspell:enable

type Notable = { country: string; name: string; admin1: string | null; admin2: string | null; isCapital: boolean };

export function notableCities(): Notable[] {
  const seen = new Set<string>();
  return entriesOf(cities).flatMap((entry) => {
    const [country = "", list = ""] = entry.split(": ");
    return list.split(", ").map((city) => {
      const [name = "", admin1 = null, admin2 = null] = city.split("/");
      const isCapital = !seen.has(country);
      seen.add(country);
      return { country, name, admin1, admin2, isCapital };
    });
  });
}

/** Pairs of a normalized other name and the name in the data, for notable cities only. */
export function otherCityNames(): [other: string, name: string][] {
  return entriesOf(otherNames).map((entry) => {
    const [other = "", name = ""] = entry.split("=");
    return [other, name];
  });
}

function entriesOf(text: string): string[] {
  return text
    .trim()
    .split(/ \| |\n/)
    .map((entry) => entry.trim());
}
