// An upload that continues only when the test says so.
import { connect, type Socket } from "node:net";
import type { Person } from "../world.ts";

export type SlowUpload = {
  socket: Socket;
  heard: () => string;
  /** Sends the rest of the file and the end of the form. */
  finish(): void;
};

const announcedBytes = 4 * 1024 * 1024;

/** Sends the fields and the first bytes of a file of 4 MiB; the rest follows with `finish`. */
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
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
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
