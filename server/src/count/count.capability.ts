// The capability that stores the records of devices.
import type { Capability } from "../device/capability.ts";
import { storeRecords } from "./record/record.store.ts";

export const counting: Capability = { name: "counting", onRecords: storeRecords };
