// Replaces unused parts of libraries in builds (console/vite.config.ts).
/** @public */
export default function UnusedStub() {
  return null;
}
