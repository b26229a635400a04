// One offense against each rule of import-rules.mjs, with a neighbor that is allowed. Texts only: nothing here runs.

const purpose = "// A seed.\n";
const importing = (name) => `${purpose}import { x } from "${name}";\n`;

/** Of one rule: a file and what it imports wrongly, and what the same (or another) file may import. */
const seed = (rule, file, bad, goodImport, goodFile = file) => ({
  rule,
  file,
  text: importing(bad),
  good: { file: goodFile, text: importing(goodImport) },
});

export const SEEDS = [
  seed("contract is pure", "contract/src/sensor/sensor.ts", "node:crypto", "zod"),
  seed("permission and kit know no noun", "contract/src/permission/can.ts", "../sensor/sensor.ts", "../kit/ids.ts"),
  seed(
    "of another noun the contract imports the schema only",
    "contract/src/sensor/sensor.api.ts",
    "../location/location.api.ts",
    "../location/location.ts",
  ),
  seed(
    "server stays on the server",
    "server/src/sensor/sensor.wire.ts",
    "../../../console/src/address/paths.ts",
    "@psp/contract/sensor/sensor.ts",
  ),
  seed(
    "routes call their own service",
    "server/src/sensor/sensor.routes.ts",
    "./sensor.store.ts",
    "./sensor.service.ts",
  ),
  seed("services know no HTTP", "server/src/sensor/sensor.service.ts", "../http/bind.ts", "./sensor.store.ts"),
  seed(
    "another noun is asked through its service",
    "server/src/sensor/sensor.service.ts",
    "../location/location.store.ts",
    "../location/location.service.ts",
  ),
  seed("stores know the database only", "server/src/sensor/sensor.store.ts", "../kit/bus.ts", "../db/database.ts"),
  seed(
    "mechanism on the server knows no noun",
    "server/src/live/hub.ts",
    "../sensor/sensor.service.ts",
    "../context.ts",
  ),
  seed(
    "product code does not import tests' tools",
    "server/src/sensor/sensor.wire.ts",
    "../testing/postgres.ts",
    "../testing/postgres.ts",
    "server/src/sensor/sensor.service.test.ts",
  ),
  seed(
    "console stays in the browser",
    "console/src/sensor/SensorsPage.tsx",
    "node:fs",
    "@psp/contract/sensor/sensor.ts",
  ),
  seed("ui knows no product", "console/src/ui/DataTable.tsx", "@psp/contract/sensor/sensor.ts", "react"),
  seed(
    "of another noun the console imports its select or link",
    "console/src/sensor/SensorPage.tsx",
    "../location/LocationPage.tsx",
    "../location/LocationSelect.tsx",
  ),
  seed(
    "the console's rooms import downwards only",
    "console/src/entity/list/list-page.tsx",
    "../../sensor/SensorSelect.tsx",
    "../../session/session.tsx",
  ),
  seed("simulator is a device", "simulator/src/fleet.ts", "../../server/src/config.ts", "mqtt"),
  seed(
    "e2e is an outsider",
    "e2e/sensors.e2e.ts",
    "../console/src/sensor/sensor.text.ts",
    "../server/src/db/seed/personas.ts",
  ),
  {
    rule: "no barrels",
    file: "contract/src/sensor/index.ts",
    text: purpose,
    good: { file: "contract/src/sensor/sensor.ts", text: purpose },
  },
  {
    rule: "no default exports",
    file: "server/src/kit/clock.ts",
    text: `${purpose}export default 1;\n`,
    good: { text: `${purpose}export const one = 1;\n` },
  },
  {
    rule: "no attic folders",
    file: "server/src/utils/text.ts",
    text: purpose,
    good: { file: "server/src/sensor/text.rules.ts", text: purpose },
  },
  {
    rule: "no file above 500 lines",
    file: "server/src/kit/clock.ts",
    text: purpose + "\n".repeat(500),
    good: { text: purpose + "\n".repeat(499) },
  },
  {
    rule: "a file says what it is for",
    file: "server/src/kit/clock.ts",
    text: "export const one = 1;\n",
    good: { text: purpose },
  },
  {
    rule: "the compiler is not silenced",
    file: "server/src/kit/clock.ts",
    text: `${purpose}// @ts-${"ignore"}\n`,
    good: { text: purpose },
  },
  {
    rule: "contract has no clock, chance or network",
    file: "contract/src/kit/time.ts",
    text: `${purpose}export const now = () => Date.now();\n`,
    good: { text: `${purpose}export const at = (ms: number) => new Date(ms);\n` },
  },
  {
    rule: "a file of a server noun has a role",
    file: "server/src/sensor/helper.ts",
    text: purpose,
    good: { file: "server/src/sensor/sensor.rules.ts", text: purpose },
  },
  {
    rule: "SQL stands in stores",
    file: "server/src/sensor/sensor.service.ts",
    text: `${purpose}export const one = (db: Database) => db.selectFrom("sensor").execute();\n`,
    good: {
      file: "server/src/sensor/sensor.store.ts",
      text: `${purpose}export const one = (db: Database) => db.selectFrom("sensor").execute();\n`,
    },
  },
  {
    rule: "folders import one way",
    text: [
      ["server/src/role/role.service.ts", importing("../account/account.service.ts")],
      ["server/src/account/account.service.ts", importing("../role/role.rules.ts")],
    ],
    good: [
      ["server/src/role/role.service.ts", importing("../account/account.service.ts")],
      ["server/src/account/account.service.ts", purpose],
    ],
  },
  {
    rule: "at most sixteen files in a folder",
    text: Array.from({ length: 17 }, (_, n) => [`server/src/kit/part-${n}.ts`, purpose]),
    good: Array.from({ length: 16 }, (_, n) => [`server/src/kit/part-${n}.ts`, purpose]),
  },
  {
    rule: "no cycles",
    text: [
      ["server/src/a.ts", importing("./b.ts")],
      ["server/src/b.ts", importing("./a.ts")],
    ],
    good: [
      ["server/src/a.ts", importing("./b.ts")],
      ["server/src/b.ts", purpose],
    ],
  },
];
