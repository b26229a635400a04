// A real Mosquitto with dynamic security for tests. MOSQUITTO_ROOT may name a folder into which its Debian package is unpacked.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { findFreePorts } from "../free-ports.ts";
import { until } from "./device-world.ts";

const root = process.env["MOSQUITTO_ROOT"] ?? "";
const program = [`${root}/usr/sbin/mosquitto`, "/usr/local/sbin/mosquitto", "/opt/homebrew/sbin/mosquitto"].find(
  (path) => existsSync(path),
);
const plugin = [`${root}/usr/lib`, "/usr/local/lib", "/opt/homebrew/lib"]
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => [folder, ...readdirSync(folder).map((name) => join(folder, name))])
  .map((folder) => join(folder, "mosquitto_dynamic_security.so"))
  .find((path) => existsSync(path));
const createFile = fileURLToPath(new URL("../../../../docs/mosquitto/create-dynamic-security.mjs", import.meta.url));

export const hasMosquitto =
  program !== undefined && plugin !== undefined && spawnSync(program, ["-h"]).error === undefined;

export type Mosquitto = {
  url: string;
  port: number;
  /** Size of the dynamic security file in bytes. */
  fileSize(): number;
  /** Users in the dynamic security file. */
  users(): string[];
  roles(): string[];
  /** Stops the broker from responding until `resume`. */
  pause(): void;
  resume(): void;
  stop(): void;
};

export async function startMosquitto(): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), "psp-mosquitto-"));
  const file = join(folder, "dynamic-security.json");
  const [port = 0] = await findFreePorts(1);
  const password = randomBytes(16).toString("hex");
  const created = spawnSync(process.execPath, [createFile], { input: password });
  writeFileSync(file, created.stdout);
  const conf = [
    `listener ${port} 127.0.0.1`,
    "allow_anonymous false",
    "max_queued_messages 0",
    `plugin ${plugin}`,
    `plugin_opt_config_file ${file}`,
    ...(process.getuid?.() === 0 ? ["user nobody"] : []),
  ];
  writeFileSync(join(folder, "mosquitto.conf"), conf.join("\n"));
  // Mosquitto drops root privileges, but must still be able to write its configuration file.
  chmodSync(folder, 0o777);
  chmodSync(file, 0o666);
  const child: ChildProcess = spawn(program ?? "", ["-c", join(folder, "mosquitto.conf")], { stdio: "ignore" });
  await until("Mosquitto listens", () => listens(port));
  const read = (): { clients: { username: string }[]; roles: { rolename: string }[] } => {
    try {
      return JSON.parse(readFileSync(file, "utf8"));
    } catch (error) {
      // Mosquitto is writing the file.
      if (error instanceof SyntaxError) return read();
      throw error;
    }
  };
  return {
    url: `mqtt://gateway:${password}@127.0.0.1:${port}`,
    port,
    fileSize: () => statSync(file).size,
    users: () => read().clients.map((one) => one.username),
    roles: () => read().roles.map((one) => one.rolename),
    pause: () => void child.kill("SIGSTOP"),
    resume: () => void child.kill("SIGCONT"),
    stop() {
      child.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const socket = createConnection({ port, host: "127.0.0.1" });
    socket.once("connect", () => {
      socket.destroy();
      answer(true);
    });
    socket.once("error", () => answer(false));
  });
}
