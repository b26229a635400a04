// An upload that is begun and goes on only when the test says so.
import { connect, type Socket } from "node:net";
import type { Person } from "../world.ts";

export type SlowUpload = {
  socket: Socket;
  /** What was answered so far, head and all. */
  heard: () => string;
  /** Sends the end of the form; the file is as long as was announced. */
  finish(): void;
};

const announcedBytes = 4 * 1024 * 1024;

/** Begins a form with these fields and a file, and sends its first bytes; without `finish` the rest of 4 MiB never comes. */
export function beginUpload(
  base: string,
  person: Person,
  path: string,
  fields: Record<string, string>,
  first: Buffer,
  fileName = "f",
): SlowUpload {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const form = `${parts.join("")}--b\r\ncontent-disposition: form-data; name="file"; filename="${fileName}"\r\n\r\n`;
  const end = "\r\n--b--\r\n";
  const head = [
    `POST ${path} HTTP/1.1`,
    "host: x",
    `authorization: Bearer ${person.token}`,
    "content-type: multipart/form-data; boundary=b",
    `content-length: ${announcedBytes}`,
  ];
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let text = "";
  socket.on("data", (piece: Buffer) => (text += piece.toString()));
  socket.on("error", () => undefined);
  socket.write(`${head.join("\r\n")}\r\n\r\n${form}`);
  socket.write(first);
  const left = announcedBytes - Buffer.byteLength(form) - first.length - Buffer.byteLength(end);
  return {
    socket,
    heard: () => text,
    finish: () => void socket.write(Buffer.concat([Buffer.alloc(left, 7), Buffer.from(end)])),
  };
}
