/** The generated input of tests is the same each time; TEST_SEED=… (a whole number) tries other input. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? 1) });
