/** Functions of the C library that Node does not expose. Linux only. */
import { DataType, load, open } from 'ffi-rs';

const LIBRARY = 'libc';

export interface Native {
  /** A system call by number; returns -1 on failure. Buffers are passed by address. */
  syscall(number: number, ...args: readonly (number | Buffer)[]): number;
  prctl(option: number, value: number): number;
  unshare(flags: number): number;
  /** Returns whether it succeeded. */
  mount(source: string, target: string, flags: number, type?: string): boolean;
}

type Argument = number | string | Buffer;

export function openNative(): Native {
  open({ library: LIBRARY, path: 'libc.so.6' });
  return {
    syscall: (number, ...args) => call('syscall', [number, ...args]),
    prctl: (option, value) => call('prctl', [option, value, 0, 0, 0]),
    unshare: (flags) => call('unshare', [flags]),
    mount: (source, target, flags, type = 'none') =>
      call('mount', [source, target, type, flags, 0]) === 0,
  };
}

function call(funcName: string, args: readonly Argument[]): number {
  // Some of them return an int, which leaves the upper half of the register undefined.
  const result = load({
    library: LIBRARY,
    funcName,
    retType: DataType.I64,
    paramsType: args.map(typeOf),
    paramsValue: [...args],
  });
  return Number(result) | 0;
}

function typeOf(argument: Argument): DataType {
  if (typeof argument === 'string') return DataType.String;
  return Buffer.isBuffer(argument) ? DataType.U8Array : DataType.I64;
}
