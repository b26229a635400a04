// A violation of each rule in import-rules.mjs, with a similar valid file. The code is in strings and never runs.

const PURPOSE = "// A seed.\n";

/** Seeds a file with an invalid import, and a valid import in the same file or in `goodFile`. */
const imports = (file, bad, good, goodFile = file) => ({
  bad: { [file]: `${PURPOSE}import { x } from "${bad}";\n` },
  good: { [goodFile]: `${PURPOSE}import { x } from "${good}";\n` },
});
const named = (bad, good) => ({ bad: { [bad]: PURPOSE }, good: { [good]: PURPOSE } });
const written = (file, bad, good) => ({ bad: { [file]: bad }, good: { [file]: good } });
const many = (length) => Object.fromEntries(Array.from({ length }, (_, n) => [`server/src/kit/part-${n}.ts`, PURPOSE]));

export const SEEDS = {
  "contract is pure": imports("contract/src/sensor/sensor.ts", "node:crypto", "zod"),
  "of another noun the contract imports the schema only": imports(
    "contract/src/sensor/sensor.api.ts",
    "../account/account.api.ts",
    "../account/account.ts",
  ),
  "server stays on the server": imports(
    "server/src/sensor/sensor.wire.ts",
    "../../../console/src/address/paths.ts",
    "@psp/contract/sensor/sensor.ts",
  ),
  "routes call their own service": imports(
    "server/src/sensor/sensor.routes.ts",
    "./sensor.store.ts",
    "./sensor.service.ts",
  ),
  "services know no HTTP": imports("server/src/sensor/sensor.service.ts", "../http/bind.ts", "./sensor.store.ts"),
  "another noun is asked through its service": imports(
    "server/src/sensor/sensor.service.ts",
    "../account/account.store.ts",
    "../account/account.service.ts",
  ),
  "stores know the database only": imports("server/src/sensor/sensor.store.ts", "../kit/bus.ts", "../db/database.ts"),
  "mechanism on the server knows no noun": imports(
    "server/src/live/hub.test.ts",
    "../sensor/sensor.service.ts",
    "../context.ts",
  ),
  "product code does not import tests' tools": imports(
    "server/src/sensor/sensor.wire.ts",
    "../testing/postgres.ts",
    "../testing/postgres.ts",
    "server/src/sensor/sensor.service.test.ts",
  ),
  "console stays in the browser": imports(
    "console/src/sensor/SensorsPage.tsx",
    "node:fs",
    "@psp/contract/sensor/sensor.ts",
  ),
  "ui knows no product": imports("console/src/ui/DataTable.tsx", "@psp/contract/sensor/sensor.ts", "react"),
  "of another noun the console imports its select or link": imports(
    "console/src/location/LocationPage.tsx",
    "../sensor/SensorPage.tsx",
    "../sensor/SensorSelect.tsx",
  ),
  "simulator is a device": imports("simulator/src/fleet/fleet.ts", "../../../server/src/config.ts", "mqtt"),
  "e2e is an outsider": imports(
    "e2e/sensors.e2e.ts",
    "../console/src/sensor/sensor.text.ts",
    "../server/src/db/seed/personas.ts",
  ),
  "folders import in the order of ARCHITECTURE.md": imports(
    "server/src/role/role.service.ts",
    "../account/account.service.ts",
    "../role/role.rules.ts",
    "server/src/account/account.service.ts",
  ),
  "no barrels": named("contract/src/sensor/index.ts", "contract/src/sensor/sensor.ts"),
  "no attic folders": named("server/src/kit/utils/text.ts", "server/src/kit/text.ts"),
  "a file says what it is for": written("server/src/kit/clock.ts", "export const one = 1;\n", PURPOSE),
  "a file of a server noun has a role": named("server/src/sensor/helper.ts", "server/src/sensor/sensor.rules.ts"),
  "ARCHITECTURE.md lists the folder": named("console/src/planet/planet.ts", "console/src/sensor/sensor.ts"),
  "contract has no clock": written(
    "contract/src/kit/time.ts",
    `${PURPOSE}export const now = () => new Date();\n`,
    `${PURPOSE}export const at = (ms: number) => new Date(ms);\n`,
  ),
  "at most sixteen files in a folder": { bad: many(17), good: many(16) },
};
