// Returns each line of a streamed response, without empty ones.
export async function* linesOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let parts = [];
  try {
    for (;;) {
      const { value, done } = await reader.read();
      const lines = (value ?? '').split('\n');
      while (lines.length > 1) {
        const line = parts.join('') + lines.shift();
        parts = [];
        if (line.trim()) yield line;
      }
      parts.push(lines[0]);
      if (done) return;
    }
  } finally {
    // Browsers keep few connections to a host, and a server keeps a stream open.
    reader.cancel().catch(() => {});
  }
}
