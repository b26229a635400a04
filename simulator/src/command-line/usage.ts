// Usage text of `npm run simulate -- --help`, and usage errors.
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { restUsers } from "@psp/contract/sensor/sensor.rest.ts";
import { siteKinds } from "../counting/tally.ts";
import { scripts } from "../faults/scripts.ts";
import { orders } from "../replay/replay.ts";

export class UsageError extends Error {}

export const usage = `Virtual people-counting sensors that speak the device protocol of PS.Platform.

npm run simulate -- fleet --count 300 --token <init token> [options]
npm run simulate -- one --id 02:00:00:00:00:01 --type APS --token <init token> [options]
npm run simulate -- past --credentials FILE --from TIME --to TIME [options]
npm run simulate -- replay FILE --sensor 02:00:00:00:00:02 --token <init token> [options]

Connection
  --url URL             server to enrol at (http://127.0.0.1:8080)
  --token TOKEN         init token; each sensor gets its own credential with it
  --mqtt URL            broker, e.g. mqtt://127.0.0.1:1883 or mqtts://host; overrides the broker that the server names
  --credentials FILE    JSON list of {id,type,password} instead of a token; also {fwKey, sensors:[…]};
                        each may have zone, country (whose holidays and seasons apply), kind
                        (${siteKinds.join(", ")}), fw, rest (password as for --rest) and faults (text as for --faults)

fleet and one
  --count N             number of sensors (300)
  --types LIST          mix of types (APS:7,PS.C1:2,ZOD:1)
  --interval SECONDS    count interval until the server asks for another: 60, 300, 600, 900, 1800, 3600 (300)
  --history TIME        fill in the past on the first start, e.g. 14d or 36h (nothing)
  --zone ZONE           time zone of the sites (Europe/Berlin)
  --seed TEXT           the same seed gives the same sensors and the same people (demo)
  --from TIME           start the sensors' time in the past, ISO 8601
  --speed FACTOR        run this many times as fast until the present is reached (1)
  --state-dir DIR       keep credentials and buffers between runs
  --truth FILE          append the true number of people as JSON lines
  --installs FILE       append a JSON line whenever a sensor boots into a firmware
  --hurry FACTOR        install this many times as fast as a real device (1)
  --rest PASSWORD       every APS is an older model: it opens a tunnel to --url, offers its REST interface through it,
                        and accepts firmware only by POST /apiv1/update; its users ${restUsers.join(" and ")}
                        both have this password
  --no-psconnect        ZOD and PS.C1 open no tunnel to --url
  --vpn-port PORT       a simulated VPN server on this machine, together with --vpn-management-port: sensors that are
                        requested to connect show their own pages to browsers at this port, at hosts hmi-{key}.{anything}
  --vpn-management-port PORT
                        the platform manages it there: management simulated://127.0.0.1:PORT in its VPN_SERVERS
  --rate N              sensors switched on per second (40 with a token, 200 without)
  --faults LIST         name[:sensors][@startMinute[+minutes]],…  e.g. covered-lens:3@10+30,reboot-storm
  --retry               keep retrying if the server is unreachable at the start
  --exit-with-parent    exit when standard input closes
  --commands            read commands from standard input: walk <sensor> in|out <number> simulates people walking
                        through its door, fault <sensor> <name>[@start[+length]] starts a fault (minutes from
                        now), heal <sensor> ends its faults
  --verbose             print what every sensor does

one
  --id MAC              the sensor's id
  --password TEXT       its MQTT password instead of a token (with --mqtt)
  --type TYPE           ${sensorTypes.join(", ")} (APS)
  --kind KIND           of its site: ${siteKinds.join(", ")} (by its id)

past
  --from TIME --to TIME prints what sensors counted in between, instead of sending it: a JSON line {sensor, records} for each
                        sensor of the file and month, newest month first; a sensor with until (ms) ends there;
                        minutes of faults are counted from --to
  --interval SECONDS    as above (900)
  --skip N              leave out the first N lines

replay
  FILE                  counts in the CalIt2 form: flow (7 out, 9 in), mm/dd/yy, HH:MM:SS local, count
  --sensor MAC          sensor that sends these counts
  --password TEXT       its MQTT password instead of a token (with --mqtt)
  --zone ZONE           time zone of the file (America/Los_Angeles)
  --order ORDER         ${orders.join(", ")} (forward)
  --half first|second   only half of the file; numbers stay those of the whole
  --twice               send everything twice

Faults
${Object.entries(scripts)
  .map(([name, { says }]) => `  ${name.padEnd(20)}  ${says}`)
  .join("\n")}
`;
