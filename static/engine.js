// Runs the WebAssembly module of a program (the engine or the Lab) for a port: a worker's port (worker_boot.js,
// lab_boot.js) or a port in the page's own thread (inline_host.js). frontend/src/host is the page's side of the port.
//
// The port receives messages to the program as bytes, `{file}` before the message that opens this file, and 'ping'. The
// port sends messages from the program as bytes, and `{word}`: 'began' before loading starts, 'pong' for each ping, and as the last message `{word: 'failed',
// failure, details}`, where `failure` is 'load', 'memory' or 'stop'.

// A trap in a module that uses more memory than this counts as out of memory: wasm32 has at most 4 GiB.
const LARGE_BYTES = 1 << 30;

// `load` resolves to wasm-bindgen's module and its instance: `{engine, wasm}`. A slice of work takes `sliceMs`;
// messages and pings are handled between slices.
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
    // Repeat the message for a page that did not listen yet.
    port.onmessage = () => port.postMessage(last);
  };

  // Calls a function of the engine, sends its messages, and returns true if work remains.
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

  // A message to itself begins the next slice: a timer would wait for 4 ms.
  const { port1: next, port2: begin } = new MessageChannel();
  const work = () => {
    isWorking = call('run', sliceMs);
    if (isWorking) begin.postMessage(null);
  };
  next.onmessage = work;

  const receive = (data) => {
    if (data instanceof Uint8Array) call('hear', data);
    else call('offer', data.file);
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
  for (const data of early) receive(data);
}

// A trap, unlike a panic, has no message from the engine.
function isOutOfMemory(error, wasm) {
  const isTrap = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  return isTrap && wasm.memory.buffer.byteLength > LARGE_BYTES;
}

function describe(error, wasm) {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return wasm ? `${text}\nMemory: ${Math.round(wasm.memory.buffer.byteLength / 1048576)} MiB` : text;
}
