/** A value that an expression is compared with by `=` or `!=`. Pure. */

/**
 * The engine makes a set of several equalities that are combined by OR, and of inequalities by AND. It cuts the values to
 * the type of what they are compared with, but not a value that it does not take for a constant.
 *
 * @param value a parameter of the type.
 * @param compared the type that it is compared with.
 */
export function equalOperand(value: string, type: string, compared: string): string {
  return type === compared ? value : `materialize(${value})`;
}
