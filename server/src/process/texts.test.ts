// Tests that every string in every call and device message has a maximum length (docs/rules/api.md#input-rule).
import fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { importRowSchema } from "@psp/contract/account/account.import.ts";
import { calls } from "@psp/contract/api.ts";
import { occupancyDataSchema } from "@psp/contract/datapoint/datapoint.ts";
import { heavyTexts, findTextPlaces } from "../testing/requests/text-places.ts";
import { previewSchemas } from "@psp/contract/section/preview.ts";
import { rpcResponseSchema, rpcBodySchema } from "@psp/contract/section/rpc.ts";
import { sectionsOf } from "@psp/contract/section/sections.ts";
import { sectionResponseSchema, requestValuesSchema } from "@psp/contract/section/wire.ts";
import * as rpc from "@psp/contract/device/device-rpc.ts";
import * as levels from "@psp/contract/device/live-level.ts";
import * as messages from "@psp/contract/device/device-messages.ts";
import { networkResetSchema, uploadTestSchema } from "@psp/contract/sensor/sensor.remote.api.ts";
import { restLoginSchema, restTokenSchema, restUpdateSchema } from "@psp/contract/sensor/sensor.rest.ts";
import { everyNth, rounds, seedOf } from "@psp/contract/kit/rounds.testing.ts";
import { anyCharacter } from "@psp/contract/kit/any-character.testing.ts";

const device = { ...messages, ...levels, ...rpc };
/** Schemas of messages that only the server sends. */
const spoken = new Set<z.ZodType>([
  device.enrolReplySchema,
  device.ackSchema,
  device.firmwareManifestSchema,
  device.desiredStateSchema,
  device.deviceCommandSchema,
  device.rpcRequestSchema,
  device.hostStateSchema,
]);
const heard = Object.entries<unknown>(device).flatMap(([name, value]): [string, z.ZodType][] =>
  value instanceof z.ZodType && !spoken.has(value) ? [[name, value]] : [],
);

const sections = Object.entries(sectionsOf).flatMap(([type, list]) =>
  list.flatMap((section): [string, z.ZodType][] => [
    [`${type} ${section.key} sent`, requestValuesSchema(section)],
    [`${type} ${section.key} answered`, sectionResponseSchema(section)],
  ]),
);

const schemas: [string, z.ZodType][] = [
  ...calls.flatMap(({ name, params, query, body, upload }) =>
    Object.entries({ params, query, body, fields: upload?.fields }).flatMap(([part, schema]): [string, z.ZodType][] =>
      schema ? [[`${name} ${part}`, schema]] : [],
    ),
  ),
  ...heard,
  ["a row of an import", importRowSchema],
  ["an occupancy", occupancyDataSchema],
  ["the options of an upload test", uploadTestSchema],
  ["the options of a network reset", networkResetSchema],
  ["a login at a sensor", restLoginSchema],
  ["a sensor's token", restTokenSchema],
  ["an order to a sensor", restUpdateSchema],
  ...sections,
  ...Object.entries(previewSchemas).map(([kind, schema]): [string, z.ZodType] => [`a preview of ${kind}`, schema]),
  ["a question to a sensor", rpcBodySchema],
  ["a sensor's answer", rpcResponseSchema],
];
/** Each variant of a union separately, because errors of other variants prove nothing. */
const formsOf = (schema: z.ZodType): z.ZodType[] =>
  schema instanceof z.ZodUnion && !(schema instanceof z.ZodDiscriminatedUnion)
    ? (schema.options as z.ZodType[]).flatMap(formsOf)
    : [schema];
const forms = schemas.flatMap(([name, schema]) => formsOf(schema).map((form): [string, z.ZodType] => [name, form]));
const places = forms.flatMap(([name, schema]) =>
  findTextPlaces(schema).map(({ path, put }) => ({ name: `${name} ${path}`, path: path.split("."), put, schema })),
);

/** Free JSON, stored unchanged and never used as text; everything else has a limit. */
const free = new Set([
  "createDatapoint body data.*",
  "reportedStateSchema cfg.*",
  "reportedStateSchema info.*",
  "eventRecordSchema from",
  "eventRecordSchema to",
  "eventRecordSchema detail.*",
  "recordSchema from",
  "recordSchema to",
  "recordSchema detail.*",
  "recordBatchSchema recs.*",
  "a sensor's answer result",
]);

/** Device texts for people are truncated, never refused (`deviceText`). */
const cut = new Set([
  "enrolDevice body hw",
  "enrolSchema hw",
  "birthSchema hw",
  "birthSchema clock.src",
  "birthSchema ip",
  "deathSchema why",
  "deviceStateSchema hw",
  "deviceStateSchema clock.src",
  "deviceStateSchema ip",
  "deviceStateSchema why",
  "reportedStateSchema error.code",
  "reportedStateSchema error.message",
  "reportedStateSchema vpn.state",
  "reportedStateSchema vpn.address",
  "reportedStateSchema psconnect.connectionStatus",
  "reportedStateSchema lines.*.name",
  "reportedStateSchema lines.*.kind",
  "countRecordSchema lines.*.name",
  "occupancyRecordSchema zones.*.name",
  "recordSchema lines.*.name",
  "recordSchema zones.*.name",
  "jobReportSchema code",
  "jobReportSchema message",
  "deviceRpcResponseSchema code",
  "deviceRpcResponseSchema message",
  "ZOD dataendpoint answered info.endpoints.*.lastError",
  "ZOD gps answered info.antenna",
  "PS.C1 dataendpoint answered info.endpoints.*.lastError",
  "PS.C1 security answered info.certificate.sha256",
  "PS.C1 network answered info.address",
  "PS.C1 network answered info.mac",
  "a preview of cameras cameras.*.name",
  "a preview of occupancy levels.*.name",
  "a preview of occupancy sections.*.name",
  "a preview of occupancy cameras.*.name",
  "a sensor's answer error.message",
  "a sensor's answer error.data.fields.*",
]);

/** Base64 of a response, limited by the packet size. */
const long = "deviceRpcResponseSchema data";

/** Whether the string itself was refused, rather than a missing field next to it. */
function isRefused(schema: z.ZodType, path: string[], value: unknown): boolean {
  const result = schema.safeParse(value, { reportInput: true });
  return (result.error?.issues ?? []).some(
    (issue) =>
      issue.path.length <= path.length &&
      issue.path.every((key, n) => path[n] === "*" || path[n] === "{key}" || path[n] === String(key)) &&
      // Ignores issues about missing values.
      !(issue.code === "invalid_type" && issue.input === undefined),
  );
}

/** CPU milliseconds of this thread; the minimum of up to three attempts. */
function costOf(work: () => unknown): number {
  const once = () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  return [once, once, once].reduce((least, again) => (least < 20 ? least : Math.min(least, again())), Infinity);
}

test("ER-03 T-26 the walk finds the texts of every call with any", () => {
  expect(places.length).toBeGreaterThan(300);
  for (const name of ["signUp body legal.firstName", "listSensors query groups", "importAccounts fields role"])
    expect(places.map((place) => place.name)).toContain(name);
  expect([...free, ...cut].filter((name) => !places.some((place) => place.name === name))).toEqual([]);
});

test("ER-03 T-26 1 MiB in any text of any call is refused at once", { tags: "prove" }, () => {
  const wrong: string[] = [];
  const shots = Object.entries(heavyTexts()).flatMap(([kind, text]) =>
    places.map((place) => ({ kind, text, ...place })),
  );
  for (const { kind, text, name, path, put, schema } of everyNth(4, shots)) {
    const value = put(text);
    const cost = costOf(() => schema.safeParse(value, { reportInput: true }));
    if (cost >= 50) wrong.push(`${name}: ${kind} takes ${cost} ms`);
    if (!free.has(name) && !cut.has(name) && name !== long && !isRefused(schema, path, value))
      wrong.push(`${name}: ${kind} is taken`);
  }
  expect(wrong).toEqual([]);
});

test("ER-03 T-26 more than 30 combining marks in a row are refused in every text", () => {
  const mark = fc.constantFrom("\u0300", "\u0315", "\u0e38", "\u20dd", "\ufe0f", "\u{1d165}", "\u{e0100}");
  const pile = fc.array(mark, { minLength: 31, maxLength: 40 }).map((marks) => marks.join(""));
  const short = fc.string({ unit: anyCharacter, maxLength: 3 });
  const texts = fc.tuple(short, pile, short).map((parts) => parts.join(""));
  for (const text of fc.sample(texts, { seed: seedOf(15), numRuns: rounds(1, 100) })) {
    for (const { name, path, put, schema } of everyNth(3, places))
      if (!free.has(name) && !cut.has(name))
        expect(isRefused(schema, path, put(text)), `${name}: ${escape(text)}`).toBe(true);
  }
});
