// Runs a wasip1 program under Node, as `go test -exec` wants it:
//
//	GOOS=wasip1 GOARCH=wasm go test -exec "node --no-warnings scripts/lib/wasip1.mjs" ./...
//
// The whole file system is visible to the program, which starts in the current
// folder: tests read testdata relative to their package.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const [program, ...args] = process.argv.slice(2);
const wasi = new WASI({
  version: "preview1",
  args: [program, ...args],
  env: { ...process.env, PWD: process.cwd() }, // Go learns its folder from PWD
  preopens: { "/": "/" },
  returnOnExit: false, // unwinding out of the program crashes Node 20 now and then
});
const module = await WebAssembly.compile(await readFile(program));
const instance = await WebAssembly.instantiate(module, {
  wasi_snapshot_preview1: wasi.wasiImport, // getImportObject is not in Node 18
});
wasi.start(instance);
