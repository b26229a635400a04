// Runs the server process: reads the configuration, starts the parts, handles signals, stops the parts.
import { mkdirSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { join } from "node:path";
import { pino } from "pino";
import { isAnyAddress, isLoopback, readConfig } from "../config.ts";
import { ConfigError } from "../environment.ts";
import { type Fleet, startFleet } from "../demo/fleet.service.ts";
import { seedDemo } from "../demo/demo.seed.ts";
import { type HistoryJob, startHistoryJob } from "../demo/history.service.ts";
import { personas } from "../db/seed/personas.ts";
import { type Server, startServer } from "./server.ts";

const oldestNode = 26;
/** Without the drain, the shutdown takes about a second, more on an overloaded machine. */
const stopLimitMs = 9_000;

/** Prints a message for the operator without a stack trace. */
function fail(sentence: string): never {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

if (Number(process.versions.node.split(".")[0]) < oldestNode) {
  fail(
    `Node ${oldestNode} or newer is required. This is ${process.versions.node}. Use npm start, which brings its own Node.`,
  );
}

async function main(): Promise<void> {
  // The parent process keeps the other end of a channel open. If the parent has already died, nothing else would stop this process.
  const abandon = () => process.exit(1);
  if (process.connected === false) abandon();
  process.once("disconnect", abandon);
  const config = readConfig(process.env);
  const log = pino({
    level: config.logLevel,
    base: { process: config.instanceName, parts: [...config.parts].join() },
    redact: { paths: ["req.headers.authorization", "req.headers.cookie", "password", "token"], censor: "•••" },
  });
  let credentials: string | null = null;
  const server = await startServer(config, log, {
    async beforeReady(ctx) {
      if (config.demo.on) credentials = await seedDemo(ctx);
    },
  });
  let fleet: Fleet | null = null;
  let history: HistoryJob | null = null;
  const stopGracefully = async (reason: string) => {
    log.info({ reason }, "stopping");
    setTimeout(() => {
      log.error("the shutdown takes too long and is aborted; acknowledged data is not lost");
      process.exit(1);
    }, config.drainMs + stopLimitMs).unref();
    await server.drain();
    await Promise.all([fleet?.stop(), history?.stop(), server.stop()]);
    process.exit(0);
  };
  // Ctrl-C arrives twice, from the terminal and from npm; the second must not interrupt the shutdown.
  let stopping: Promise<void> | null = null;
  const stopOnce = (reason: string) => void (stopping ??= stopGracefully(reason));
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stopOnce);
  process.off("disconnect", abandon);
  process.once("disconnect", () => stopOnce("disconnect"));
  if (server.mqttPort !== null && credentials !== null)
    fleet = startFleet(server.ctx, credentials, server.url, server.mqttPort);
  announce(server);
  keepCompiledCode(config.dataDir);
  if (config.demo.on && config.parts.has("worker") && config.demo.history) history = await startHistoryJob(server.ctx);
  if (history !== null)
    process.stdout.write("Creating 14 months of demo counts in the background. The console shows the progress.\n\n");
}

/** Written now, because a process that is killed writes nothing. The folder lets the next start use a cache (main.ts). */
function keepCompiledCode(dataDir: string): void {
  try {
    mkdirSync(join(dataDir, "cache"), { recursive: true });
    flushCompileCache();
  } catch {
    // Starts are slower without a cache.
  }
}

function announce({ ctx, consoleUrl, mqttPort, firstLogin }: Server): void {
  const { host, demo, isPublicUrlSet } = ctx.config;
  const lines = [`PS.Platform is ready at ${consoleUrl}`];
  if (!isPublicUrlSet && isAnyAddress(host))
    lines.push(
      "Only browsers on this machine can log in. For other machines, set PUBLIC_URL to the address they open.",
    );
  if (mqttPort !== null) lines.push(`Sensors connect to mqtt://${host}:${mqttPort}`);
  if (firstLogin) lines.push(`First login: ${firstLogin.email}  ${firstLogin.password}   (shown once)`);
  if (demo.keptFrom !== null)
    lines.push(
      `Not listening on HOST=${demo.keptFrom} because the demo's passwords are public. Set DEMO_OPEN=on to listen anyway.`,
    );
  if (demo.on) {
    const whoMay = isLoopback(host) ? "only this machine can connect" : "other machines can connect";
    lines.push("", `Demo logins (public passwords; ${whoMay}):`);
    for (const { email, password, description } of Object.values(personas))
      lines.push(`  ${email.padEnd(34)} ${password}   ${description}`);
  }
  process.stdout.write(`\n${lines.join("\n")}\n\n`);
}

main().catch((error: unknown) => {
  if (error instanceof ConfigError) fail(`Configuration: ${error.message}`);
  if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
    const port = "port" in error ? String(error.port) : "";
    const name = port === (process.env["MQTT_PORT"] ?? "1883") ? "MQTT_PORT" : "PORT";
    fail(`${name} ${port} is already in use. Stop the program that uses it, or choose another ${name}.`);
  }
  fail(
    error instanceof Error
      ? `PS.Platform could not start: ${error.stack ?? error.message}`
      : "PS.Platform could not start.",
  );
});
