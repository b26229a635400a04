// Tests the platform with a real OpenVPN server and clients, each in a network namespace: which clients the platform admits,
// shows as connected, and disconnects.
// Needs Linux, root, the programs openvpn, openssl and ip, and /dev/net/tun. Otherwise prints what is missing and exits with 2.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wireId } from "@psp/contract/kit/ids.ts";
import { type Api, createProduct, signIn } from "../product.ts";

const root = join(import.meta.dirname, "../..");
const tell = (text: string) => void process.stdout.write(`${text}\n`);
const limitMs = 60_000;
/** Names of the network namespaces. `cable` has the names of the two ends of the veth pair. */
const space = { server: `psp-s-${process.pid}`, client: `psp-c-${process.pid}` };
const cable = { server: `psp-s${process.pid % 100_000}`, client: `psp-c${process.pid % 100_000}` };
const serverAddress = "192.0.2.1";

type Vpn = { connect: boolean; vpnStatus: { connected: boolean; vpnAddress: string | null } | null } | null;

function run(program: string, ...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

function missing(): string | null {
  if (process.platform !== "linux") return "network namespaces are Linux's";
  for (const [program, arg] of [
    ["openvpn", "--version"],
    ["openssl", "version"],
    ["ip", "-V"],
  ] as const) {
    try {
      run(program, arg);
    } catch (error) {
      // `openvpn --version` exits with 1 even if it is installed.
      if ((error as { code?: string }).code === "ENOENT") return `the program ${program} is not installed`;
    }
  }
  try {
    accessSync("/dev/net/tun", constants.R_OK | constants.W_OK);
  } catch {
    return "/dev/net/tun is not there for this user";
  }
  try {
    run("ip", "netns", "add", space.server);
    run("ip", "-n", space.server, "tuntap", "add", "dev", "tun9", "mode", "tun");
    run("ip", "-n", space.server, "tuntap", "del", "dev", "tun9", "mode", "tun");
  } catch (error) {
    return `this user may not make network namespaces and tunnels: ${String((error as { stderr?: unknown }).stderr).trim()}`;
  }
  return null;
}

function layCable(): void {
  run("ip", "netns", "add", space.client);
  const peer = ["peer", cable.client, "netns", space.client];
  run("ip", "link", "add", cable.server, "netns", space.server, "type", "veth", ...peer);
  for (const [end, address] of [
    ["server", serverAddress],
    ["client", "192.0.2.2"],
  ] as const) {
    run("ip", "-n", space[end], "address", "add", `${address}/24`, "dev", cable[end]);
    for (const device of [cable[end], "lo"]) run("ip", "-n", space[end], "link", "set", device, "up");
  }
}

function removeAll(): void {
  for (const name of Object.values(space)) {
    try {
      run("ip", "netns", "delete", name);
    } catch {
      // The namespace does not exist.
    }
  }
}

/** Issues a certificate with this common name, signed by the campaign's own CA. Its files are prefixed with `name`. */
async function certify(folder: string, name: string, usage: "serverAuth" | "clientAuth"): Promise<void> {
  const file = (end: string) => join(folder, `${name}.${end}`);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", file("key")];
  run("openssl", "req", "-new", ...key, "-subj", `/CN=${name}`, "-out", file("csr"));
  await writeFile(file("ext"), `extendedKeyUsage=${usage}\nkeyUsage=digitalSignature\n`);
  const authority = ["-CA", join(folder, "ca.crt"), "-CAkey", join(folder, "ca.key"), "-CAcreateserial"];
  const request = ["-req", "-in", file("csr"), "-extfile", file("ext"), "-days", "2"];
  run("openssl", "x509", ...request, ...authority, "-out", file("crt"));
}

async function found(authority: string): Promise<void> {
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    join(authority, "ca.key"),
  ];
  run("openssl", "req", "-x509", ...key, "-subj", "/CN=campaign", "-days", "2", "-out", join(authority, "ca.crt"));
}

const children: ChildProcess[] = [];
const logs: (() => string)[] = [];
function openvpn(where: "server" | "client", folder: string, name: string, lines: string[]) {
  const common = [
    "dev tun",
    "proto udp",
    "verb 3",
    "persist-key",
    `ca ${folder}/ca.crt`,
    `cert ${folder}/${name}.crt`,
    `key ${folder}/${name}.key`,
  ];
  const args = [...common, ...lines].flatMap((line) => {
    const [option = "", ...values] = line.split(" ");
    return [`--${option}`, ...values];
  });
  const child = spawn("ip", ["netns", "exec", space[where], "openvpn", ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stdout.on("data", (text: Buffer) => void (said += text.toString()));
  child.stderr.on("data", (text: Buffer) => void (said += text.toString()));
  children.push(child);
  logs.push(() => said);
  return { child, said: () => said, isRunning: () => child.exitCode === null && child.signalCode === null };
}
const startServer = (folder: string, socket: string, more: string[] = []) =>
  openvpn("server", folder, "server", [
    "port 1194",
    "server 10.8.0.0 255.255.255.0",
    "topology subnet",
    "dh none",
    "keepalive 2 10",
    // The management interface authorizes every client that has a certificate, without a user name.
    `management ${socket} unix`,
    "management-client-auth",
    "auth-user-pass-optional",
    ...more,
  ]);
const startClient = (folder: string, name: string) =>
  openvpn("client", folder, name, [
    "client",
    `remote ${serverAddress} 1194`,
    "nobind",
    "remote-cert-tls server",
    "connect-retry 1 2",
  ]);

function servePage(address: string): void {
  const code = `require("http").createServer((_, reply) => reply.end("configuration page")).listen(80, "${address}")`;
  children.push(spawn("ip", ["netns", "exec", space.client, process.execPath, "-e", code], { stdio: "ignore" }));
}
function fetchPage(address: string): string {
  const code = `fetch("http://${address}/").then((reply) => reply.text()).then(console.log, () => console.log("no answer"))`;
  return run("ip", "netns", "exec", space.server, process.execPath, "-e", code).trim();
}

async function until(what: string, fits: () => Promise<boolean> | boolean, withinMs = limitMs): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await fits())) {
    if (performance.now() > deadline) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  tell(`ok: ${what}`);
}

/** Starts a simulated sensor that is online and supports the VPN. Its VPN client is a real OpenVPN client. */
async function sensor(
  product: { url: string; mqttPort: number },
  api: Api,
  owner: string,
  id: string,
): Promise<() => Promise<Vpn>> {
  const { token } = await api.call<{ token: string }>("POST", "/api/init_token", { name: `VPN ${id}`, owner });
  const args = [
    "one",
    "--id",
    id,
    "--type",
    "APS",
    "--token",
    token,
    "--url",
    product.url,
    "--mqtt",
    `mqtt://127.0.0.1:${product.mqttPort}`,
    "--exit-with-parent",
  ];
  const stdio = ["pipe", "ignore", "ignore"] as const;
  children.push(spawn(process.execPath, [join(root, "simulator/src/main.ts"), ...args], { stdio: [...stdio] }));
  const vpn = async () => (await api.call<{ vpn: Vpn }>("GET", `/api/sensor/${id}`)).vpn;
  await until(`${id} is online with its VPN option`, () =>
    vpn().then(
      (one) => one !== null,
      () => false,
    ),
  );
  return vpn;
}

async function main(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "psp-vpn-"));
  const socket = join(folder, "management");
  const product = await createProduct({
    VPN_SERVERS: JSON.stringify([
      { id: "real", name: "Real", management: `unix:${socket}`, baseUrl: "vpn.example.com" },
    ]),
  });
  try {
    layCable();
    await found(folder);
    const [first, second, stranger] = ["02:00:00:00:0A:01", "02:00:00:00:0A:02", "0200000000ff"];
    await certify(folder, "server", "serverAuth");
    for (const name of [wireId(first), wireId(second), stranger]) await certify(folder, name, "clientAuth");
    // The VPN server starts on hold. The product must release the hold when it connects to the management interface.
    let server = startServer(folder, socket, ["management-hold"]);
    await product.start();
    const api = await signIn(product.url);
    const { _id: owner } = await api.call<{ _id: string }>("GET", "/api/auth/user");
    const firstVpn = await sensor(product, api, owner, first);
    const secondVpn = await sensor(product, api, owner, second);
    const ask = (id: string, connectToVPN: boolean) => api.call("PUT", `/api/sensor/${id}`, { connectToVPN });
    const isUp = (vpn: () => Promise<Vpn>) => async () => (await vpn())?.vpnStatus?.connected === true;
    const isDown = (vpn: () => Promise<Vpn>) => async () => (await vpn())?.vpnStatus?.connected === false;

    const refused = startClient(folder, stranger);
    await until("a certificate of no sensor is refused", () => refused.said().includes("AUTH_FAILED"));
    const early = startClient(folder, wireId(first));
    await until("a sensor that was not asked is refused", () => early.said().includes("AUTH_FAILED"));

    await ask(first, true);
    await ask(second, true);
    let client = startClient(folder, wireId(first));
    await until("a sensor that was asked is connected, and seen", isUp(firstVpn));
    const address = (await firstVpn())?.vpnStatus?.vpnAddress ?? "";
    servePage(address);
    await until("its own page answers inside the VPN", () => fetchPage(address) === "configuration page");
    const other = startClient(folder, wireId(second));
    await until("another one, too", isUp(secondVpn));

    await product.kill("server");
    other.child.kill("SIGKILL");
    // The VPN server detects a lost client after twice the timeout in its `keepalive`.
    await until("the VPN server gave up who left", () => server.said().includes("Inactivity timeout"));
    await product.start();
    await until("who left while the product was dead is known to have left", isDown(secondVpn));
    await until("who stayed is still there", isUp(firstVpn));

    await ask(first, false);
    await until("what is taken back ends at the server", isDown(firstVpn));
    await until("and the client ends with it", () => !client.isRunning());

    await ask(first, true);
    client = startClient(folder, wireId(first));
    await until("it is connected again", isUp(firstVpn));
    // SIGKILL prevents the VPN server from saying goodbye, so that only a timeout reveals that it is gone.
    server.child.kill("SIGKILL");
    await until("a VPN server that is gone is found, and no one is connected to it any more", isDown(firstVpn), 90_000);
    server = startServer(folder, socket);
    await until("once it is back its clients come back, too", isUp(firstVpn));
    client.child.kill("SIGTERM");
    await until("a client that leaves is seen to leave", isDown(firstVpn));
    await ask(first, false);
  } catch (error) {
    for (const said of logs) tell(`--- ${said().split("\n").slice(-40).join("\n")}`);
    throw error;
  } finally {
    for (const child of children) child.kill("SIGKILL");
    await product.end();
    await rm(folder, { recursive: true, force: true });
  }
}

const why = missing();
if (why !== null) {
  removeAll();
  process.stderr.write(`A real VPN can't be tried here: ${why}.\n`);
  process.exit(2);
}
// Daemons and namespaces belong to root and would outlive this process.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const child of children) child.kill("SIGKILL");
    removeAll();
    process.exit(1);
  });
try {
  await main();
  tell("The product and a real OpenVPN agree.");
} finally {
  removeAll();
}
