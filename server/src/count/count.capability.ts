// Counting: the capability that stores what devices record.
import type { Capability } from "../device/capability.ts";
import { storeRecords } from "./record/record.store.ts";

export const counting: Capability = { name: "counting", onRecords: storeRecords };
