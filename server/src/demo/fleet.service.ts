// Runs the demo's simulated fleet as a child process and restarts it.
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { parseVpnBase } from "@psp/contract/vpn/vpn-state.ts";
import { isLoopback } from "../config.ts";
import type { Context } from "../context.ts";
import { minSensorsForStory, fleetHistoryDays } from "./story.seed.ts";

const simulator = join(import.meta.dirname, "../../../simulator/src/main.ts");
const restartMs = 3_000;

// Simulated outages end before a sensor counts as offline. Only story.seed.ts decides which sensors are offline.
const faults =
  "covered-lens:4,covered-for-days:2,zero-day:2,short-days:2,reboot-storm:3,watchdog-loop:2,outage:5@5+1200,silent:4@5+1200,in-drift:3";
/** In a small demo, most sensors have no visible fault. The first ones send every batch twice, which has no visible effect. */
const fewFaults =
  "duplicate-batches:4,covered-lens:1,covered-for-days:1,zero-day:1,short-days:1,reboot-storm:1,watchdog-loop:1,outage:1@5+1200,silent:1@5+1200,in-drift:1";

/**
 * Time for the sensors to disconnect and to save their state before they are killed. Longer than the two seconds that a sensor waits
 * for a silent broker, and shorter than the server's own shutdown limit.
 */
const closeTimeoutMs = 3_000;

/** Ports of the fleet's simulated VPN server, if one is configured on this machine. */
function vpnPorts({ config }: Context): Record<string, string> {
  for (const { management, baseUrl } of config.vpnServers) {
    const pages = parseVpnBase(baseUrl)?.port;
    if (management.kind === "simulated" && "port" in management && isLoopback(management.host) && pages)
      return { "vpn-management-port": String(management.port), "vpn-port": String(pages) };
  }
  return {};
}

export type Fleet = ReturnType<typeof startFleet>;

/** Runs the sensors of a credentials file against the server at `url`. They end with this process. */
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
    faults: ctx.config.demo.sensors < minSensorsForStory ? fewFaults : faults,
    ...vpnPorts(ctx),
  };
  const start = () => {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    // The fleet ends when its standard input closes, also when this process is killed.
    child = spawn(process.execPath, [simulator, "fleet", ...args, "--retry", "--exit-with-parent", "--commands"], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    gone = promise;
    child.stderr?.on("data", (text: Buffer) =>
      ctx.log.warn({ fleet: text.toString().trim().slice(0, 500) }, "the simulated fleet says"),
    );
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
    /** Resolves when the process has ended, so that it writes no more data. */
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
