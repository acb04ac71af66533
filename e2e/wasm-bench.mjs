// node wasm-bench.mjs ENGINE.wasm RUNS
// node wasm-bench.mjs ENGINE.wasm session THOUSANDS
//
// Times the workloads of the example `bench_wasm`: prints one line per workload, with its number and the milliseconds
// of every run.
import { readFileSync } from 'node:fs';

const [enginePath, runs] = process.argv.slice(2);
if (!runs) {
  console.error('usage: node wasm-bench.mjs ENGINE.wasm RUNS');
  process.exit(2);
}
const module = new WebAssembly.Module(readFileSync(enginePath));
const { wg_workloads, wg_work, wg_session, wg_seek, memory } = new WebAssembly.Instance(module, {}).exports;
if (runs === 'session') {
  const thousands = Number(process.argv[4]);
  const before = memory.buffer.byteLength;
  const session = wg_session(thousands);
  const bytes = memory.buffer.byteLength - before;
  const seeks = [];
  for (let seek = 1; seek <= 200; seek += 1) {
    const step = (seek * 0x9e3779b1) % (thousands * 1000);
    const began = performance.now();
    wg_seek(session, step);
    seeks.push(performance.now() - began);
  }
  seeks.sort((a, b) => a - b);
  const per_step = (bytes / thousands / 1000).toFixed(0);
  console.log(`${thousands},000 puts to 1,000 keys: ${per_step} bytes a step, seek p50 ${seeks[100].toFixed(1)} ms, p95 ${seeks[190].toFixed(1)} ms`);
  process.exit(0);
}
for (let number = 0; number < wg_workloads(); number += 1) {
  const took = [];
  for (let run = 0; run < Number(runs); run += 1) {
    const began = performance.now();
    wg_work(number);
    took.push((performance.now() - began).toFixed(2));
  }
  console.log(`${number} ${took.join(' ')}`);
}
