import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** So that what is measured next does not pay for the garbage of what came before. */
export function collectGarbage(): void {
  collect();
}
