// Baseline for device connections: the server's broker library without credentials, permissions or storage. Usage:
// `node bare-broker.ts PORT`.
import { createServer } from "node:net";
import { Aedes } from "aedes";

const broker = await Aedes.createBroker();
const server = createServer((stream) => void broker.handle(stream, undefined));
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => process.stdout.write("ready\n"));
