// How the console is built and served while developing; the server answers everything that is not a console file.
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { documents } from "./documents.config.ts";
import { notices } from "./notices.config.ts";

const backend = `http://localhost:${process.env["PORT"] ?? "8080"}`;

export default defineConfig({
  plugins: [react(), documents(), notices()],
  build: { target: "baseline-widely-available", chunkSizeWarningLimit: 800 },
  server: {
    port: 5173,
    // The server takes this address for its own (start.mjs).
    strictPort: true,
    proxy: {
      "/api": backend,
      "/data": backend,
      "/config.js": backend,
      "/notices.txt": backend,
      "/live": { target: backend, ws: true },
      // Sensors are given the public address for firmware and tunnels, which is this one.
      "/device": { target: backend, ws: true },
      "^/dev/": backend,
    },
  },
});
