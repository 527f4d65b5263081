// Runs a WebAssembly program in this folder and its tests, which are all that it sees: node tests/wasi.mjs PROGRAM [argument]
import { readFileSync } from 'node:fs'
import { WASI } from 'node:wasi'
const wasi = new WASI({ version: 'preview1', args: process.argv.slice(2), preopens: { '.': '.', tests: 'tests' } })
const program = await WebAssembly.compile(readFileSync(process.argv[2]))
process.exit(wasi.start(await WebAssembly.instantiate(program, { wasi_snapshot_preview1: wasi.wasiImport })) ?? 0)
