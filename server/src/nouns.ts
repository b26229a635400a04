// Everything that the product is about, in one visible list: what devices can do, what runs by itself, what screens follow live.
import { counting } from "./count/count.capability.ts";
import type { Capability } from "./device/capability.ts";
import { firmwareUpdates } from "./rollout/firmware.capability.ts";

/** In the order in which they are asked. */
export const capabilities: readonly Capability[] = [counting, firmwareUpdates];
