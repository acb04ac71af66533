// node wasm-bench.mjs ENGINE.wasm RUNS
//
// Times the workloads of the example `bench_wasm`: for each its number and the milliseconds of every run, one line each.
import { readFileSync } from 'node:fs';

const [enginePath, runs] = process.argv.slice(2);
if (!runs) {
  console.error('usage: node wasm-bench.mjs ENGINE.wasm RUNS');
  process.exit(2);
}
const module = new WebAssembly.Module(readFileSync(enginePath));
const { wg_workloads, wg_work } = new WebAssembly.Instance(module, {}).exports;
for (let number = 0; number < wg_workloads(); number += 1) {
  const took = [];
  for (let run = 0; run < Number(runs); run += 1) {
    const began = performance.now();
    wg_work(number);
    took.push((performance.now() - began).toFixed(2));
  }
  console.log(`${number} ${took.join(' ')}`);
}
