// node wasm-behaviour.mjs ENGINE.wasm NATIVE_DIGESTS
//
// Runs behaviour files in the wasm build of the engine and compares their digests with the native ones. The second
// argument is a file with the output of the example `behaviour_digest`: `<hex>  <path>` per line, paths relative to
// this folder's parent. The last printed line is `N passed, N failed`; the exit code is 1 if any file differs.
import { readFileSync } from 'node:fs';

const [enginePath, digestsPath] = process.argv.slice(2);
if (!digestsPath) {
  console.error('usage: node wasm-behaviour.mjs ENGINE.wasm NATIVE_DIGESTS');
  process.exit(2);
}

// No imports: the engine has no clock, no randomness, and no output except its results.
const module = new WebAssembly.Module(readFileSync(enginePath));
const wanted = WebAssembly.Module.imports(module);
if (wanted.length > 0) {
  console.error(`the engine must need nothing from outside, but imports ${wanted.map((i) => `${i.module}.${i.name}`).join(', ')}`);
  process.exit(2);
}

let equal = 0;
let different = 0;
for (const { path, digest } of nativeDigests()) {
  const answer = run(readFileSync(new URL(`../${path}`, import.meta.url)));
  if (answer.split('\n', 1)[0] === `digest ${digest}`) {
    equal += 1;
  } else {
    different += 1;
    console.log(`DIFFERENT ${path}: natively \`digest ${digest}\`, in wasm:\n  ${answer.trimEnd().replaceAll('\n', '\n  ')}`);
  }
}
console.log(`${equal} passed, ${different} failed`);
process.exitCode = different > 0 ? 1 : 0;

function nativeDigests() {
  const lines = readFileSync(digestsPath, 'utf8').split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => {
    const found = /^([0-9a-f]+) {2}(.+)$/.exec(line);
    if (!found) throw new Error(`expected \`<hex>  <path>\` from behaviour_digest, not: ${line}`);
    return { digest: found[1], path: found[2] };
  });
}

// Each file gets its own instance, so that a panic does not affect the next file.
function run(bytes) {
  try {
    const { memory, wg_alloc, wg_run } = new WebAssembly.Instance(module, {}).exports;
    const at = wg_alloc(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const packed = BigInt.asUintN(64, wg_run(at, bytes.length));
    const [start, length] = [Number(packed >> 32n), Number(packed & 0xffff_ffffn)];
    return new TextDecoder().decode(new Uint8Array(memory.buffer, start, length));
  } catch (error) {
    return `trap: ${error.message}`;
  }
}
