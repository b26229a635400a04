// Runs the simulated fleet of the demo as a process of its own, and again if it ends.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { parseVpnBase } from "@psp/contract/vpn/vpn-state.ts";
import { isLoopback } from "../config.ts";
import type { Context } from "../context.ts";
import { fewestSensors, fleetHistoryDays } from "./story.seed.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
const restartMs = 3_000;

// Those without network or power are back before they count as offline: which are is up to the story alone.
const faults =
  "covered-lens:4,covered-for-days:2,zero-day:2,short-days:2,reboot-storm:3,watchdog-loop:2,outage:5@5+1200,silent:4@5+1200,in-drift:3";
/** Of a small demo most sensors work; the first only send everything twice, which no one notices. */
const fewFaults =
  "duplicate-batches:4,covered-lens:1,covered-for-days:1,zero-day:1,short-days:1,reboot-storm:1,watchdog-loop:1,outage:1@5+1200,silent:1@5+1200,in-drift:1";

/** How long the sensors may take to sign off: well within the time of the server's own shutdown. What they kept a second ago is still there. */
const closeTimeoutMs = 2_000;

/** Of the simulated VPN server that the fleet brings along, if the configuration names one on this machine. */
function vpnPorts({ config }: Context): Record<string, string> {
  for (const { management, baseUrl } of config.vpnServers) {
    const pages = parseVpnBase(baseUrl)?.port;
    if (management.kind === "simulated" && "port" in management && isLoopback(management.host) && pages)
      return { "vpn-management-port": String(management.port), "vpn-port": String(pages) };
  }
  return {};
}

export type Fleet = ReturnType<typeof startFleet>;

/** Starts sensors from a file of credentials against the gateway of the server at `url`; they end when this process does. */
export function startFleet(ctx: Context, credentialsFile: string, url: string, mqttPort: number) {
  let child: ChildProcess | null = null;
  let gone: Promise<void> = Promise.resolve();
  let stopped = false;
  const options = {
    credentials: credentialsFile,
    mqtt: `mqtt://${ctx.config.host === "0.0.0.0" ? "127.0.0.1" : ctx.config.host}:${mqttPort}`,
    url,
    history: `${fleetHistoryDays}d`,
    rate: "60",
    "state-dir": join(ctx.config.dataDir, "fleet"),
    faults: ctx.config.demo.sensors < fewestSensors ? fewFaults : faults,
    ...vpnPorts(ctx),
  };
  const start = () => {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    // Its standard input is its link to us: when we are killed it closes, and the fleet ends.
    child = spawn(process.execPath, [simulator, "fleet", ...args, "--retry", "--exit-with-parent", "--commands"], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    gone = promise;
    child.stderr?.on("data", (text: Buffer) =>
      ctx.log.warn({ fleet: text.toString().trim().slice(0, 500) }, "the simulated fleet says"),
    );
    // One that has just ended takes no orders.
    child.stdin?.on("error", () => undefined);
    child.on("error", (error) => {
      ctx.log.error({ err: error }, "the simulated fleet can't be started");
      resolve();
    });
    child.on("exit", (code) => {
      resolve();
      if (stopped) return;
      ctx.log.warn({ code }, "the simulated fleet ended and is started again");
      setTimeout(() => void (stopped || start()), restartMs).unref();
    });
  };
  start();
  const off = ctx.bus.on("demoWalk", ({ sensorId, in: ins, out }) => {
    for (const [way, n] of Object.entries({ in: ins, out })) {
      if (n > 0) child?.stdin?.write(`walk ${sensorId} ${way} ${n}\n`);
    }
  });
  const offFaults = ctx.bus.on("demoFault", ({ sensorId, fault }) => {
    child?.stdin?.write(fault === null ? `heal ${sensorId}\n` : `fault ${sensorId} ${fault}\n`);
  });
  return {
    /** Resolves when the process is gone: nothing of it outlives the server, or writes into its data any more. */
    async stop() {
      stopped = true;
      off();
      offFaults();
      child?.kill("SIGTERM");
      const killTimer = setTimeout(() => child?.kill("SIGKILL"), closeTimeoutMs);
      await gone;
      clearTimeout(killTimer);
    },
  };
}
