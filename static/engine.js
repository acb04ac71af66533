// Runs the WebAssembly module of a program, the engine or the lab, for a port: a worker's (worker_boot.js) or one in the
// page's own thread (inline_host.js). The page's side is frontend/src/host.
//
// The port receives the bytes of one message to the program, or 'ping'. It sends the bytes of one message from it, or
// `{word}`: 'began' before anything is loaded, 'pong' for each ping, and `{word: 'failed', failure, details}` as its
// last message, where `failure` is 'load', 'memory' or 'stop'.

// A trap in a module with more memory than this is taken for a refused allocation: wasm32 ends at 4 GiB.
const LARGE_BYTES = 1 << 30;

// `load` resolves to wasm-bindgen's module and its instance: `{engine, wasm}`. A slice of work takes `sliceMs`; between
// two slices messages and pings get their turn.
export async function serve(port, load, sliceMs) {
  const early = [];
  let loaded = null;
  let isOver = false;
  let isWorking = false;

  const fail = (failure, error) => {
    if (isOver) return;
    isOver = true;
    early.length = 0;
    const last = { word: 'failed', failure, details: describe(error, loaded?.wasm) };
    port.postMessage(last);
    // For a page that did not listen yet.
    port.onmessage = () => port.postMessage(last);
  };

  // Calls a function of the engine, sends its messages, and returns whether there is more to do.
  const call = (name, argument) => {
    if (isOver) return false;
    try {
      const [more, ...messages] = loaded.engine[name](argument);
      for (const bytes of messages) port.postMessage(bytes, [bytes.buffer]);
      return more;
    } catch (error) {
      fail(isOutOfMemory(error, loaded.wasm) ? 'memory' : 'stop', error);
      return false;
    }
  };

  const work = () => {
    isWorking = call('run', sliceMs);
    if (isWorking) setTimeout(work);
  };

  const receive = (bytes) => {
    call('hear', bytes);
    if (!isWorking) work();
  };

  port.onmessage = ({ data }) => {
    if (data === 'ping') port.postMessage({ word: 'pong' });
    else if (loaded) receive(data);
    else early.push(data);
  };

  port.postMessage({ word: 'began' });
  try {
    loaded = await load();
  } catch (error) {
    fail('load', error);
    return;
  }
  for (const bytes of early) receive(bytes);
}

// A trap, unlike a panic, has no message of the engine's own.
function isOutOfMemory(error, wasm) {
  const isTrap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  return isTrap && wasm.memory.buffer.byteLength > LARGE_BYTES;
}

function describe(error, wasm) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return wasm ? `${text}\nMemory: ${Math.round(wasm.memory.buffer.byteLength / 1048576)} MiB` : text;
}
