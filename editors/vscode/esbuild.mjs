// Bundles the extension into dist/, and with `--tests` the tests into out/.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const tests = process.argv.includes("--tests");
const common = { bundle: true, platform: "node", target: "node20", format: "cjs", sourcemap: tests, logLevel: "warning" };

if (tests) {
  const found = readdirSync("test", { recursive: true }).map(String).filter((name) => name.endsWith(".ts"));
  await build({ ...common, entryPoints: found.map((name) => `test/${name}`), outbase: "test", outdir: "out" });
} else {
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: process.argv.includes("--minify"),
  });
}
