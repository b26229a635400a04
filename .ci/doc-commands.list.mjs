// Every command in README, CONTRIBUTING and docs, with the way `.ci/doc-commands.mjs --run` tries it. A string is the reason why
// the command is not run. `with` replaces placeholders. `says` must match the output of a command that exits. A command with
// `until` keeps running, and is stopped once its output matches.

const CLONE = "part clone of npm run prove starts, stops and kills it";
const SELF = "it is what runs this";
const PLANTED = "part planted of npm run prove makes releases in a clone";
const ports = (port, mqttPort, env = {}) => ({ PORT: String(port), MQTT_PORT: String(mqttPort), ...env });
const START_S = 240;
/** On the data of the command that starts without the demo. */
const backedUp = (entry) => ({
  env: { DATA_DIR: "data-without-demo", BACKUP_PASSPHRASE: "documented passphrase" },
  ...entry,
});

export const COMMANDS = {
  "npm start": CLONE,
  "PORT=9000 MQTT_PORT=1884 npm start": (port, mqttPort) => ({
    with: { 9000: String(port), 1884: String(mqttPort) },
    until: new RegExp(`is ready at \\S+:${port}\\s[^]*mqtt://\\S+:${mqttPort}\\s`),
    limitS: START_S,
  }),
  "DEMO_OPEN=on PUBLIC_URL=http://your-host:8080 npm start": (port, mqttPort) => ({
    env: ports(port, mqttPort),
    until: /is ready at http:\/\/your-host:8080[^]*other machines can connect/,
    limitS: START_S,
  }),
  "DEMO=off ADMIN_EMAIL=you@company.example npm start": (port, mqttPort) => ({
    env: ports(port, mqttPort, { HOST: "127.0.0.1", DATA_DIR: "data-without-demo" }),
    until: /First login: you@company\.example {2}\S+/,
    limitS: START_S,
  }),
  "npm run backup -- TARGET": backedUp({ with: { TARGET: "backups" }, says: /is complete/ }),
  "npm run backup -- TARGET --keep 7": backedUp({ with: { TARGET: "backups" }, says: /is complete/ }),
  "npm run restore -- SOURCE": backedUp({ with: { SOURCE: "backups" }, code: 1, says: /not empty/ }),
  "DATA_DIR=/tmp/tried npm run restore -- SOURCE": backedUp({
    with: { "/tmp/tried": "tried", SOURCE: "backups" },
    says: /Restored/,
  }),
  "npm run restore -- SOURCE --replace": backedUp({ with: { SOURCE: "backups" }, says: /former state is in/ }),
  // The backup covers one moment only, which is another one.
  "npm run restore -- SOURCE --at 2026-11-29T14:05:00+01:00 --replace": backedUp({
    with: { SOURCE: "backups" },
    code: 1,
    says: /The backup (?:begins|ends) at/,
  }),
  "npm run restore -- --send-mails": backedUp({ says: /mails will be sent/ }),
  "npm run restore -- --delete-mails": backedUp({ says: /mails were deleted/ }),
  "npm run restore -- --after-external":
    "needs a restored server; server/src/backup/after-restore.test.ts does its steps",
  "DATABASE_URL=postgres://… npm start": "needs a PostgreSQL server; the server's tests use one by its address",
  "npm run dev": (port, mqttPort) => ({ env: ports(port, mqttPort), until: /is ready at/, limitS: START_S }),
  "docker compose -f deploy/compose.yaml up --build": "needs a Docker engine; .ci/deploy-files.mjs checks the files",
  "npm ci": "part clone of npm run prove installs in a clone",
  "npm run build": "part e2e of npm run prove builds",
  "npm run simulate -- --help": { says: /Virtual people-counting sensors/ },
  // No server listens on this port, so the command only parses its options and then fails to connect.
  "npm run simulate -- one --id 02:00:00:00:77:01 --token TOKEN --history 42d --faults F": (port) => ({
    with: { " F": ` zero-day --url http://127.0.0.1:${port}` },
    code: 1,
    says: /No response from/,
  }),
  "TOKEN=… node docs/device-example.mjs": "needs a product; server/src/device/credential/renewal.test.ts runs it",
  'mosquitto_pub $A -r -t sdp/1/$W/up/state -m \'{"online":true,"sid":"s1","n":1,"ep":"e1","seq":{"first":1,"next":2}}\'':
    "needs Mosquitto's clients and a product",
  'mosquitto_pub $A -t sdp/1/$W/up/data -m \'{"ep":"e1","recs":[{"q":1,"t":"count","s":1795179600000,"e":1795179900000,':
    "needs Mosquitto's clients and a product",

  "npm test": "npm run prove does all that it does, at full length",
  "npm run check": "part check of npm run prove",
  "npm run test:changed": { says: /Everything that the change touches passed/ },
  "npm run test:changed -- main": { with: { main: "HEAD" }, says: /Everything that the change touches passed/ },
  "npm run prove": SELF,
  "npm run prove -- unit e2e": SELF,
  "node test.mjs --only e2e --shard=1/2": "part e2e of npm run prove",
  "vitest --changed": "an alternative that ADR 0005 refuses",
  "npm run spec": { says: /rows, \d+ named/ },
  "npm run spec -- --prove": { says: /rows, \d+ named/ },
  "npm run format": {},
  "npm run add -- -w server --save-exact name@1.2.3": { with: { "name@1.2.3": "pg --dry-run" } },
  "npx tsc -p contract": { limitS: 240 },
  "npx vitest run --project contract contract/src/location": {
    with: { "src/location": "src/permission" },
    limitS: 240,
  },
  "npx vitest run --project console console/src/sensor/list/SensorsPage.test.tsx": { limitS: 240 },

  "npm run bench": "measures for minutes, on an idle machine",
  "npm run bench -- --peer directus": "installs another product and measures for minutes",
  "npx node bench/campaigns/console-speed.ts": "measures for minutes, on an idle machine",
  "npx node bench/campaigns/long-list.ts": "measures for minutes, on an idle machine",
  "npm run prove -- campaigns": "long; before changes of what it covers",
  "npx node bench/campaigns/failover.ts": "part campaigns of npm run prove",
  "npx node bench/campaigns/sizing.ts": "part campaigns of npm run prove",
  "npx node bench/campaigns/upgrade.ts": "part campaigns of npm run prove",
  "npx node bench/campaigns/vpn.ts": "part campaigns of npm run prove",

  "npm run release": PLANTED,
  "npm run release -- --dry-run": PLANTED,
  "npm sbom": PLANTED,
};
