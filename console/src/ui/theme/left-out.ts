// Stands in a build for parts of libraries that the console never draws (console/vite.config.ts).
/** @public */
export default function LeftOut() {
  return null;
}
