// Bundles the extension into dist/, and with `--tests` the tests into out/.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const common = { bundle: true, platform: "node", target: "node20", format: "cjs", sourcemap: tests, logLevel: "warning" };

if (tests) {
  // Beside each other and not in one folder: the runner takes every file of out/test/ for a test.
  const found = readdirSync("test", { recursive: true }).map(String).filter((name) => name.endsWith(".test.ts"));
  await build({ ...common, entryPoints: found.map((name) => `test/${name}`), outbase: "test", outdir: "out/test" });
  await build({ ...common, entryPoints: ["test/host.ts"], outfile: "out/host.js" });
} else {
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: process.argv.includes("--minify"),
  });
}
