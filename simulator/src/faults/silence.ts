// Faults of power and network: the sensor is away, or what it sends and hears gets lost or doubled.
import { edgesOf, isIn, type Fault, type Window } from "./world.ts";

/** Power off: nothing is counted, nothing comes later. */
export function silent(window: Window): Fault {
  return { powered: (at) => !isIn(window, at), nextEdge: edgesOf(window) };
}

/** Network away: the sensor counts on and sends it all afterwards. */
export function outage(window: Window): Fault {
  return { linked: (at) => !isIn(window, at), nextEdge: edgesOf(window) };
}

/** Every batch goes out twice. */
export function duplicateBatches(window: Window): Fault {
  return { copies: (at) => (isIn(window, at) ? 2 : 1) };
}

/** Acknowledgements get lost, so the sensor sends the same numbers again. */
export function lostAck(window: Window): Fault {
  return { hearsAcks: (at) => !isIn(window, at) };
}

/** Connected, but remote functions stay without an answer. */
export function noResponse(window: Window): Fault {
  return { answers: (at) => !isIn(window, at) };
}
