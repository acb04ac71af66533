// Links to steps of runs, created without running the commands of the runs.
import { deflateRawSync } from 'node:zlib';

// Returns a link to the start of a run of these lines; `session/permalink.rs` describes the format.
export function linkTo(lines) {
  const text = Buffer.from(`${lines.join('\n')}\n`);
  // The source has the kind `Text`; the log is empty, the branch and the step are 0, and there is no view.
  const bytes = Buffer.concat([Buffer.from([2]), varint(text.length), text, Buffer.from([0, 0, 0, 0])]);
  return `v1.${deflateRawSync(bytes).toString('base64url')}`;
}

function varint(number) {
  const bytes = [];
  let rest = number;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
