// Time zones for the console. Browsers without Temporal (Safari) load a polyfill of 17 kB with the first page that needs it.
if (!("Temporal" in globalThis)) {
  const { Temporal } = await import("temporal-polyfill");
  Object.assign(globalThis, { Temporal });
}

export { zoneOf } from "@psp/contract/kit/zone.ts";
