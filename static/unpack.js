// Unpacks a gzip file into a blob, which the browser may keep on the disk. `progress` receives the number of compressed bytes
// that are read; if it returns false, the promise is rejected.
export function unpack(file, progress) {
  let read = 0;
  const counter = new TransformStream({
    transform(chunk, to) {
      read += chunk.byteLength;
      if (progress(read)) to.enqueue(chunk);
      else to.error(new Error('cancelled'));
    },
  });
  return new Response(file.stream().pipeThrough(counter).pipeThrough(new DecompressionStream('gzip'))).blob();
}
